//! The papers' formulas, each with its equation.
//!
//! "Two-way" is Ge, Chan, Andrew, Li, Tan, Zukerman, "Performance Effects of Two-way FAST TCP"; "letter" is Ge, Tan,
//! Zukerman, "Throughput of FAST TCP in Asymmetric Networks", IEEE Communications Letters 2008. One duplex link, every
//! flow crosses both directions once, all other links are never full. Rates of links in bit/s, sizes in bits, delays in
//! seconds. Packet sizes may differ from flow to flow; what is not finite or not positive gives results that are not
//! finite, never a panic.

use crate::equilibrium::common_delay::saturating_delay;

/// Which way a flow's data goes over the duplex link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Data over l_F, acknowledgements over l_B: the flow is in F+ = B-.
    Forward,
    /// Data over l_B, acknowledgements over l_F: the flow is in F- = B+.
    Backward,
}

/// A FAST flow over one duplex link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DuplexFlow {
    /// Packets kept queued along the round trip.
    pub alpha: f64,
    /// P+: bits of a data packet.
    pub packet_bits: f64,
    /// P-: bits of acknowledgement for each data packet.
    pub ack_bits: f64,
    /// Which way its data goes.
    pub direction: Direction,
}

/// Which direction of the duplex link is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bottleneck {
    /// l_F.
    Forward,
    /// l_B.
    Backward,
    /// Both, at exact balance.
    Both,
}

/// Relative difference of demands below which two links count as balanced: above rounding.
pub(crate) const BALANCED: f64 = 1e-12;

impl Bottleneck {
    /// The direction with the larger value; both if they agree to rounding.
    fn larger(forward: f64, backward: f64) -> Self {
        if (forward - backward).abs() <= BALANCED * forward.abs().max(backward.abs()) {
            Self::Both
        } else if forward > backward {
            Self::Forward
        } else {
            Self::Backward
        }
    }
}

/// Equilibrium of one duplex link.
#[derive(Debug, Clone, PartialEq)]
pub struct Duplex {
    /// q*: the queueing delay of every round trip, in seconds.
    pub delay: f64,
    /// Which direction is full.
    pub bottleneck: Bottleneck,
    /// Each flow's x in packet/s.
    pub rates: Vec<f64>,
    /// U_F, U_B: share of each direction's capacity that data packets take.
    pub utilisation: [f64; 2],
}

/// Both sides of eq. 4 of the two-way paper: the q at which l_F and the q at which l_B would be just saturated, in seconds.
///
/// `(sum over F+ of alpha P+ + sum over F- of alpha P-) / c_F` and its mirror image.
#[must_use]
pub fn saturating_delays(flows: &[DuplexFlow], c_f: f64, c_b: f64) -> [f64; 2] {
    let mut bits = [0.0, 0.0];
    for flow in flows {
        let (data, ack) = if flow.direction == Direction::Forward { (0, 1) } else { (1, 0) };
        bits[data] += flow.alpha * flow.packet_bits;
        bits[ack] += flow.alpha * flow.ack_bits;
    }
    [bits[0] / c_f, bits[1] / c_b]
}

/// Theorem 1 of the two-way paper: eq. 4 decides which link is the bottleneck, eq. 5 (l_F) and 6 (l_B) give the rates,
/// eq. 8 and 9 the utilisation by data packets.
///
/// `None` without flows.
#[must_use]
pub fn duplex(flows: &[DuplexFlow], c_f: f64, c_b: f64) -> Option<Duplex> {
    if flows.is_empty() {
        return None;
    }
    let [forward, backward] = saturating_delays(flows, c_f, c_b);
    let delay = forward.max(backward);
    Some(Duplex {
        delay,
        bottleneck: Bottleneck::larger(forward, backward),
        rates: flows.iter().map(|f| f.alpha / delay).collect(),
        utilisation: data_utilisation(flows, c_f, c_b),
    })
}

/// Eq. 8 and 9 of the two-way paper where l_F is the bottleneck, their mirror images where l_B is: U_F and U_B, the
/// share of capacity that data packets (headers included, acknowledgements not) take.
#[must_use]
pub fn data_utilisation(flows: &[DuplexFlow], c_f: f64, c_b: f64) -> [f64; 2] {
    let sum = |direction: Direction, bits: fn(&DuplexFlow) -> f64| -> f64 {
        flows.iter().filter(|f| f.direction == direction).map(|f| f.alpha * bits(f)).sum()
    };
    let forward = sum(Direction::Forward, |f| f.packet_bits);
    let backward = sum(Direction::Backward, |f| f.packet_bits);
    let on_f = forward + sum(Direction::Backward, |f| f.ack_bits);
    let on_b = backward + sum(Direction::Forward, |f| f.ack_bits);
    if on_f / c_f >= on_b / c_b {
        [forward / on_f, backward / on_f * (c_f / c_b)]
    } else {
        [forward / on_b * (c_b / c_f), backward / on_b]
    }
}

/// Eq. 7 of the two-way paper: which link is full with `n` flows forward and `m` backward of equal alpha and packet
/// size and acknowledgements of `b` data packets. Real numbers, so that sums of alpha do as well as counts.
#[must_use]
pub fn bottleneck_of_counts(n: f64, m: f64, b: f64, c_f: f64, c_b: f64) -> Bottleneck {
    Bottleneck::larger((n + b * m) / c_f, (m + b * n) / c_b)
}

/// Eq. 4 of the two-way paper over the plane of an exhibit: `alpha_ratio` is the sum of alpha forward over the sum
/// backward, `capacity_ratio` is c_F / c_B, `b` is P- / P+, the same for all flows.
#[must_use]
pub fn bottleneck_at(alpha_ratio: f64, capacity_ratio: f64, b: f64) -> Bottleneck {
    bottleneck_of_counts(alpha_ratio, 1.0, b, capacity_ratio, 1.0)
}

/// Where eq. 7 changes sign: the line n = theta m that divides the states in which l_F is full from those in which l_B
/// is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Division {
    /// l_F is full in every state.
    AlwaysForward,
    /// l_B is full in every state.
    AlwaysBackward,
    /// Both are full in every state: acknowledgements as large as data and equal capacities.
    AlwaysBoth,
    /// l_F is full where n >= theta m: the usual case b < 1.
    Above(f64),
    /// l_F is full where n <= theta m: acknowledgements larger than data packets.
    Below(f64),
}

/// Eq. 17 of the two-way paper with its degenerate cases: theta = (c_F - b c_B) / (c_B - b c_F).
///
/// The text after eq. 7 has two slips: it must be "always l_B" where 1 > b > c_B / c_F, and with as many flows each way
/// l_F is full if and only if c_F <= c_B (for b < 1).
#[must_use]
pub fn division(b: f64, c_f: f64, c_b: f64) -> Division {
    // eq. 7: n (c_B - b c_F) >= m (c_F - b c_B)
    let (of_n, of_m) = (c_b - b * c_f, c_f - b * c_b);
    if of_n == 0.0 && of_m == 0.0 {
        Division::AlwaysBoth
    } else if of_n >= 0.0 && of_m <= 0.0 {
        Division::AlwaysForward
    } else if of_n <= 0.0 && of_m >= 0.0 {
        Division::AlwaysBackward
    } else if of_n > 0.0 {
        Division::Above(of_m / of_n)
    } else {
        Division::Below(of_m / of_n)
    }
}

/// theta of eq. 17 of the two-way paper as its Section 6 uses it (b at most 1): 0 where l_F is always full, infinite
/// where l_B is.
#[must_use]
pub fn theta(b: f64, c_f: f64, c_b: f64) -> f64 {
    match division(b, c_f, c_b) {
        Division::AlwaysForward | Division::AlwaysBoth => 0.0,
        Division::AlwaysBackward => f64::INFINITY,
        Division::Above(theta) | Division::Below(theta) => theta,
    }
}

/// Eq. 1 of the letter: k_f = c_f P_b / (c_b P_f), the transmission time of an acknowledgement on the reverse link over
/// that of a data packet on the forward link (the letter's text has the inverse).
#[must_use]
pub fn asymmetry_factor(c_f: f64, c_b: f64, packet: f64, ack: f64) -> f64 {
    (c_f * ack) / (c_b * packet)
}

/// Theorem 1 of the letter: throughput of each flow in the unit of `c_f`, `alpha_i / sum alpha x c_f / max(1, k_f)`.
#[must_use]
pub fn asymmetric_throughput(alphas: &[f64], c_f: f64, k_f: f64) -> Vec<f64> {
    let sum: f64 = alphas.iter().sum();
    alphas.iter().map(|alpha| alpha / sum * c_f / k_f.max(1.0)).collect()
}

/// The letter's q_0 for one asymmetric link: alpha packets of all flows over the packet rate, in seconds.
#[must_use]
pub fn asymmetric_delay(alphas: &[f64], c_f: f64, packet_bits: f64, k_f: f64) -> f64 {
    alphas.iter().sum::<f64>() * packet_bits / (c_f / k_f.max(1.0))
}

/// One step of the late joiners' recursion: a flow that starts while others keep a queue mistakes that queue for
/// propagation.
#[derive(Debug, Clone, PartialEq)]
pub struct LateJoiners {
    /// Queueing delay after each flow has joined, in seconds.
    pub delays: Vec<f64>,
    /// Each flow's error of base round-trip time in seconds: the queueing delay that it found.
    pub errors: Vec<f64>,
    /// Each flow's rate in the end, in packet/s.
    pub rates: Vec<f64>,
}

/// FAST flows that join one link one after the other, each when the previous ones are in equilibrium.
///
/// Flow i overestimates its base round-trip time by the queueing delay q_(i-1) that it finds, so it sees q - q_(i-1);
/// after n have joined, q_n solves `sum over i <= n of alpha_i / (q_n - q_(i-1)) = packet_rate`, q_0 = 0 (the effect:
/// Tan, Yuan, Zukerman, "FAST TCP: fairness and queuing issues", IEEE Communications Letters 2005). `packet_rate` is
/// the link's capacity in packet/s.
#[must_use]
pub fn late_joiners(alphas: &[f64], packet_rate: f64) -> LateJoiners {
    let mut terms = Vec::with_capacity(alphas.len());
    let (mut delays, mut errors) = (Vec::with_capacity(alphas.len()), Vec::with_capacity(alphas.len()));
    let mut delay = 0.0;
    for alpha in alphas {
        terms.push((alpha / packet_rate, 1.0, delay));
        errors.push(delay);
        delay = saturating_delay(&terms);
        delays.push(delay);
    }
    let rates = alphas.iter().zip(&errors).map(|(alpha, error)| alpha / (delay - error)).collect();
    LateJoiners { delays, errors, rates }
}
