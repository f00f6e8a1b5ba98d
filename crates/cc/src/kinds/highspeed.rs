//! HighSpeed TCP (RFC 3649): additive increase and multiplicative decrease that depend on the window.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Loss, PathFacts};
use crate::parts::round_trips::Round;
use crate::parts::slow_start::SlowStartKind;
use crate::parts::window_law::{LossBased, WindowLaw};
use crate::properties::{Conflict, Describe, Properties};

/// Parameters of `highspeed` (RFC 3649, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HighSpeedParams {
    /// Up to this window in packets it is Reno (Low_Window).
    #[schemars(extend("exclusiveMinimum" = 1))]
    pub low_window: f64,
    /// The window in packets at the loss rate `high_p` (High_Window), above `low_window`.
    #[schemars(extend("exclusiveMinimum" = 1))]
    pub high_window: f64,
    /// Share of packets lost at `high_window` (High_P).
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub high_p: f64,
    /// Share of the window given up at `high_window` (High_Decrease).
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub high_decrease: f64,
}

impl Default for HighSpeedParams {
    fn default() -> Self {
        Self { low_window: 38.0, high_window: 83_000.0, high_p: 1e-7, high_decrease: 0.1 }
    }
}

impl Describe for HighSpeedParams {
    const PROPERTIES: Properties =
        Properties { response_function: Some("RFC 3649, sections 3 and 5"), ..Properties::DEFAULT };

    fn conflict(&self) -> Option<Conflict> {
        (self.high_window <= self.low_window).then(|| Conflict {
            key: "high_window",
            message: format!("{} is not above low_window, {}", self.high_window, self.low_window),
        })
    }
}

/// HighSpeed TCP's window law.
#[derive(Debug, Clone)]
pub struct HighSpeedLaw {
    params: HighSpeedParams,
    /// log of High_Window / Low_Window.
    span: f64,
    /// a(w), updated once a round trip: it changes little, and logarithms are expensive.
    a: f64,
    round: Round,
}

/// HighSpeed TCP.
pub type HighSpeed = LossBased<HighSpeedLaw>;

impl HighSpeed {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(params: &HighSpeedParams, facts: &PathFacts) -> Self {
        let span = libm::log(params.high_window / params.low_window);
        Self::with(
            HighSpeedLaw { params: *params, span, a: 1.0, round: Round::default() },
            SlowStartKind::Standard,
            facts,
        )
    }
}

impl HighSpeedLaw {
    /// Position of w between the two windows on a logarithmic scale.
    fn place(&self, w: f64) -> f64 {
        libm::log(w / self.params.low_window) / self.span
    }

    /// Share of the window given up (section 5: b(w)).
    pub(crate) fn decrease(&self, w: f64) -> f64 {
        if w <= self.params.low_window {
            return 0.5;
        }
        // the RFC's table ends at High_Window; its last value is used beyond
        ((self.params.high_decrease - 0.5) * self.place(w) + 0.5).max(self.params.high_decrease)
    }

    /// Packets a round trip (section 5: a(w)).
    pub(crate) fn increase(&self, w: f64) -> f64 {
        if w <= self.params.low_window {
            return 1.0;
        }
        let p = &self.params;
        // The response function is a line between (Low_P, Low_Window) and (High_P, High_Window) in logarithms; Low_P is
        // where it leaves Reno's 1.2 / sqrt(p).
        let low_p = 1.2 * 1.2 / (p.low_window * p.low_window);
        let loss = low_p * libm::exp(libm::log(p.high_p / low_p) * self.place(w));
        let b = self.decrease(w);
        (w * w * loss * 2.0 * b / (2.0 - b)).max(1.0)
    }
}

impl WindowLaw for HighSpeedLaw {
    #[inline]
    fn observe(&mut self, ack: &Ack, cwnd: f64, _slow_start: bool) -> Option<f64> {
        if self.round.ends(ack) {
            self.a = self.increase(cwnd);
        }
        None
    }

    #[inline]
    fn growth(&mut self, ack: &Ack, cwnd: f64) -> f64 {
        self.a * ack.acked.min(cwnd) / cwnd
    }

    fn after_loss(&mut self, loss: &Loss, cwnd: f64) -> f64 {
        let window = (1.0 - self.decrease(cwnd)) * loss.flight_size;
        self.a = self.increase(window);
        window
    }
}
