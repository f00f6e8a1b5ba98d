//! CUBIC (RFC 9438): a window that is a cubic function of the time since the last loss, with its plateau at the window of that loss.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Loss, PathFacts, Timeout};
use crate::parts::limited_time::LimitedTime;
use crate::parts::round_trips::Smoothed;
use crate::parts::slow_start::SlowStartKind;
use crate::parts::window_law::{LossBased, WindowLaw};
use crate::properties::{Describe, Properties};

/// Set of constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum CubicProfile {
    /// RFC 9438: beta 0.7; the Reno-friendly window grows as fast as Reno's once it has reached the window before the loss.
    #[default]
    #[serde(rename = "rfc9438")]
    Rfc9438,
    /// Ha, Rhee and Xu 2008, as in Linux 2.6.22 and ns-2: beta 819/1024, a Reno-friendly window of constant slope.
    #[serde(rename = "2008")]
    Paper2008,
    /// As in Linux since 2.6.39: beta 717/1024, a Reno-friendly window of constant slope 8/15, and until the first loss, and after a timeout until
    /// the next loss, growth by at least a twentieth a round trip.
    #[serde(rename = "linux")]
    Linux,
}

/// Parameters of `cubic`. Parameters that are left out take the profile's value.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CubicParams {
    /// Set of constants.
    #[serde(default)]
    pub profile: CubicProfile,
    /// Steepness C in packets/s^3 (0.4).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c: Option<f64>,
    /// Window after a loss, as a share of the previous window, in (0, 1). rfc9438: 0.7; 2008: 819/1024; linux: 717/1024.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub beta: Option<f64>,
    /// Fast convergence: a flow that loses below its last maximum lowers that maximum further.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast_convergence: Option<bool>,
    /// How the first slow start ends.
    #[serde(default, skip_serializing_if = "SlowStartKind::is_standard")]
    pub slow_start: SlowStartKind,
}

impl Describe for CubicParams {
    const PROPERTIES: Properties =
        Properties { response_function: Some("RFC 9438, sections 4.3, 5.1 and 5.2"), ..Properties::DEFAULT };
}

/// A stage of congestion avoidance.
#[derive(Debug, Clone, Copy)]
struct Epoch {
    /// When it began, plus the time in which the window was not the limit.
    begin: Time,
    /// Seconds until the window is `w_max`.
    k: f64,
    /// The window that Reno would have (W_est).
    w_est: f64,
}

/// CUBIC's window law.
#[derive(Debug, Clone)]
pub struct CubicLaw {
    c: f64,
    beta: f64,
    /// Slope of the Reno-friendly window (alpha_cubic), and whether it is 1 above the window before the loss.
    alpha: f64,
    alpha_rises: bool,
    fast_convergence: bool,
    /// While there is no window of a loss to return to, Linux begins at the plateau, with a least growth.
    linux: bool,
    w_max: f64,
    /// The window before the last loss (cwnd_prior).
    prior: f64,
    /// After a timeout, or a slow start that ended without a loss, the curve begins at its plateau.
    starts_flat: bool,
    /// There is a window of a loss to return to: none before the first one, and after a timeout.
    has_max: bool,
    epoch: Option<Epoch>,
    limited: LimitedTime,
    rtt_s: Smoothed,
}

/// CUBIC.
pub type Cubic = LossBased<CubicLaw>;

impl Cubic {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(params: &CubicParams, facts: &PathFacts) -> Self {
        let linux = params.profile == CubicProfile::Linux;
        let beta = params.beta.unwrap_or(match params.profile {
            CubicProfile::Rfc9438 => 0.7,
            CubicProfile::Paper2008 => 819.0 / 1024.0,
            CubicProfile::Linux => 717.0 / 1024.0,
        });
        // RFC 9438, 4.3: the mean rate of Reno at the same loss
        let alpha = 3.0 * (1.0 - beta) / (1.0 + beta);
        let law = CubicLaw {
            c: params.c.unwrap_or(0.4),
            beta,
            // Linux counts eighths of a window for each packet (beta_scale)
            alpha: if linux { 8.0 / (8.0 / alpha).floor() } else { alpha },
            alpha_rises: params.profile == CubicProfile::Rfc9438,
            fast_convergence: params.fast_convergence.unwrap_or(true),
            linux,
            w_max: 0.0,
            prior: 0.0,
            starts_flat: true,
            has_max: false,
            epoch: None,
            limited: LimitedTime::default(),
            rtt_s: Smoothed::default(),
        };
        Self::with(law, params.slow_start, facts)
    }
}

impl CubicLaw {
    /// Figure 1: W_cubic(t).
    #[inline]
    fn curve(&self, t: f64, k: f64) -> f64 {
        let d = t - k;
        self.c * d * d * d + self.w_max
    }

    fn begin(&mut self, now: Time, cwnd: f64) -> Epoch {
        let forgotten = self.linux && !self.has_max;
        if std::mem::take(&mut self.starts_flat) || forgotten || self.w_max <= cwnd {
            // 4.8, 4.10: K = 0, W_max is the current window
            self.w_max = cwnd;
            return Epoch { begin: now, k: 0.0, w_est: cwnd };
        }
        // Figure 2
        let k = libm::cbrt((self.w_max - cwnd) / self.c);
        Epoch { begin: now, k, w_est: cwnd }
    }
}

impl WindowLaw for CubicLaw {
    fn on_handshake(&mut self, rtt: Time) {
        self.rtt_s.update(rtt.as_secs_f64());
    }

    #[inline]
    fn observe(&mut self, ack: &Ack, _cwnd: f64, slow_start: bool) -> Option<f64> {
        let unlimited = self.limited.not_cwnd_limited(ack);
        if slow_start {
            // after an idle period: congestion avoidance begins anew where the restarted slow start ends
            self.epoch = None;
        } else if let Some(epoch) = &mut self.epoch {
            // 4.2, 5.8: t without application-limited periods
            epoch.begin = (epoch.begin + unlimited).min(ack.now);
        }
        if let Some(rtt) = ack.rtt {
            self.rtt_s.update(rtt.as_secs_f64());
        }
        None
    }

    #[inline]
    fn growth(&mut self, ack: &Ack, cwnd: f64) -> f64 {
        let mut epoch = match self.epoch {
            Some(epoch) => epoch,
            None => self.begin(ack.now, cwnd),
        };
        let t = (ack.now - epoch.begin).as_secs_f64();
        // Figure 4
        let alpha = if self.alpha_rises && epoch.w_est >= self.prior { 1.0 } else { self.alpha };
        epoch.w_est += alpha * ack.acked / cwnd;
        self.epoch = Some(epoch);
        let least = if self.linux && !self.has_max { ack.acked / 20.0 } else { 0.0 };
        if self.curve(t, epoch.k) < epoch.w_est {
            // 4.3, the Reno-friendly region
            return (epoch.w_est - cwnd).max(least);
        }
        // 4.2: the value of the curve in a round trip, at most 1.5 windows
        let target = self.curve(t + self.rtt_s.get().unwrap_or(0.0), epoch.k).clamp(cwnd, 1.5 * cwnd);
        ((target - cwnd) / cwnd * ack.acked.min(cwnd)).max(least)
    }

    fn after_loss(&mut self, loss: &Loss, cwnd: f64) -> f64 {
        // 4.7: a second loss before the last maximum
        let below = cwnd < self.w_max && self.fast_convergence && (self.has_max || !self.linux);
        self.w_max = if below { cwnd * (1.0 + self.beta) / 2.0 } else { cwnd };
        self.prior = cwnd;
        self.epoch = None;
        self.starts_flat = false;
        self.has_max = true;
        loss.flight_size * self.beta
    }

    fn after_timeout(&mut self, timeout: &Timeout, cwnd: f64) -> f64 {
        let threshold = self.after_loss(&Loss { now: timeout.now, flight_size: timeout.flight_size }, cwnd);
        self.starts_flat = true;
        self.has_max = false;
        threshold
    }
}
