//! Response functions: the mean window of a loss-based sender as a function of the share of its packets that are lost.
//!
//! Windows are in packets, `p` is the probability that a data packet is lost, in (0, 1]; the rate is `W / RTT` packets
//! a second with the round-trip time that the flow sees, queueing included. They ignore timeouts, so they
//! overestimate windows of a few packets (p above about 1 %), and limits of receiver or application.

use crate::error::TheoryError;

/// Pattern of losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Losses {
    /// Every packet is lost with the same probability, independently.
    Random,
    /// Every 1/p-th packet is lost.
    Periodic,
}

/// Checks a loss probability.
fn share(p: f64) -> Result<f64, TheoryError> {
    if p > 0.0 && p <= 1.0 {
        Ok(p)
    } else {
        Err(TheoryError::OutOfRange {
            what: "the share of packets lost".to_owned(),
            value: p,
            allowed: "above 0, at most 1",
        })
    }
}

fn round_trip(rtt_s: f64) -> Result<f64, TheoryError> {
    if rtt_s > 0.0 && rtt_s.is_finite() {
        Ok(rtt_s)
    } else {
        Err(TheoryError::OutOfRange {
            what: "the round-trip time".to_owned(),
            value: rtt_s,
            allowed: "above 0 and finite",
        })
    }
}

/// Reno's mean window: `sqrt(3 / (2 b p))` where losses are periodic, `1.31 / sqrt(b p)` where they are random; `b`
/// data packets are acknowledged at once (1, or 2 with delayed acknowledgements).
///
/// Source: Mathis, Semke, Mahdavi and Ott, "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm", 1997,
/// eq. 3 and table 1: C = 1.22, 0.87 with delayed acknowledgements; random losses 1.31, 0.93 (Ott, Kemperman and Mathis
/// 1996).
///
/// # Errors
/// [`TheoryError::OutOfRange`] where p is no share or b is below 1.
pub fn reno_window(p: f64, b: f64, losses: Losses) -> Result<f64, TheoryError> {
    if !(b >= 1.0 && b.is_finite()) {
        let what = "the number of packets acknowledged at once".to_owned();
        return Err(TheoryError::OutOfRange { what, value: b, allowed: "at least 1 and finite" });
    }
    let constant = match losses {
        Losses::Random => 1.31,
        Losses::Periodic => 1.5f64.sqrt(),
    };
    Ok(constant / (share(p)? * b).sqrt())
}

/// CUBIC's mean window with C = 0.4 packets/s^3 and beta = 0.7: the larger of its own,
/// `(C (3 + beta) / (4 (1 - beta)))^(1/4) RTT^(3/4) / p^(3/4)`, and the Reno-friendly one, `sqrt(3 / (2 p))`.
///
/// Source: RFC 9438, sections 4.3, 5.1 and 5.2; losses are periodic.
///
/// # Errors
/// [`TheoryError::OutOfRange`].
pub fn cubic_window(p: f64, rtt_s: f64) -> Result<f64, TheoryError> {
    const C: f64 = 0.4;
    const BETA: f64 = 0.7;
    let ratio = round_trip(rtt_s)? / share(p)?;
    let fourth_root = |v: f64| v.sqrt().sqrt();
    let own = fourth_root(C * (3.0 + BETA) / (4.0 * (1.0 - BETA))) * ratio.sqrt() * fourth_root(ratio);
    Ok(own.max(reno_window(p, 1.0, Losses::Periodic)?))
}

/// HighSpeed TCP's mean window: `38 (p / 10^-3)^S`, S = log(83000 / 38) / log(10^-7 / 10^-3) = -0.835, below a share of
/// 1.0e-3 lost, and Reno's `1.2 / sqrt(p)` above.
///
/// Source: RFC 3649, sections 3 and 5: Low_Window 38, High_Window 83000, High_P 10^-7, Low_P 10^-3.
///
/// # Errors
/// [`TheoryError::OutOfRange`].
pub fn highspeed_window(p: f64) -> Result<f64, TheoryError> {
    const LOW: (f64, f64) = (38.0, 1e-3);
    const HIGH: (f64, f64) = (83_000.0, 1e-7);
    let p = share(p)?;
    if p > LOW.1 {
        return Ok(1.2 / p.sqrt());
    }
    let slope = libm::log(HIGH.0 / LOW.0) / libm::log(HIGH.1 / LOW.1);
    Ok(LOW.0 * libm::pow(p / LOW.1, slope))
}

/// Scalable TCP's mean window: `a / (b p)`, a = 0.01 packets an acknowledgement, b = 1/8; where that is below the
/// legacy window of 16 packets, Reno's, at most 16.
///
/// Source: Kelly, "Scalable TCP: Improving Performance in Highspeed Wide Area Networks", 2003, section 3.
///
/// # Errors
/// [`TheoryError::OutOfRange`].
pub fn scalable_window(p: f64) -> Result<f64, TheoryError> {
    const LEGACY: f64 = 16.0;
    let own = 0.01 / (0.125 * share(p)?);
    Ok(if own >= LEGACY { own } else { reno_window(p, 1.0, Losses::Periodic)?.min(LEGACY) })
}

/// Packets a second of a window: `W / RTT`.
///
/// # Errors
/// [`TheoryError::OutOfRange`] where the round-trip time is not above zero.
pub fn rate(window: f64, rtt_s: f64) -> Result<f64, TheoryError> {
    Ok(window / round_trip(rtt_s)?)
}

/// Share of packets lost on a path whose links lose the shares `links`, independently of each other.
#[must_use]
pub fn path_loss(links: impl IntoIterator<Item = f64>) -> f64 {
    // 1 - product of (1 - p), without losing the small ones
    links.into_iter().fold(0.0, |lost, p| lost + (1.0 - lost) * p)
}

/// A sender with a response function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// [`reno_window`]; NewReno and SACK differ in how they recover, not here.
    Reno,
    /// [`cubic_window`].
    Cubic,
    /// [`highspeed_window`].
    HighSpeed,
    /// [`scalable_window`].
    Scalable,
}

impl Sender {
    /// The sender of each controller.
    pub const NAMED: [(&'static str, Self); 5] = [
        ("reno", Self::Reno),
        ("newreno", Self::Reno),
        ("cubic", Self::Cubic),
        ("highspeed", Self::HighSpeed),
        ("scalable", Self::Scalable),
    ];

    /// Mean window in packets. `b` and `losses` matter to Reno only: the others' sources give one packet an
    /// acknowledgement and periodic losses.
    ///
    /// # Errors
    /// [`TheoryError::OutOfRange`].
    pub fn window(self, p: f64, rtt_s: f64, b: f64, losses: Losses) -> Result<f64, TheoryError> {
        match self {
            Self::Reno => reno_window(p, b, losses),
            Self::Cubic => cubic_window(p, rtt_s),
            Self::HighSpeed => highspeed_window(p),
            Self::Scalable => scalable_window(p),
        }
    }
}
