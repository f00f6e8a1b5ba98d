//! AIMD with any increase and decrease, as an example of a controller outside Eddyline.
//!
//! The window grows by `increase` packets a round trip and is multiplied by `decrease` on a loss. With losses at random with
//! probability p its mean window is about sqrt(increase (1 + decrease) / (2 (1 - decrease) p)) packets (Floyd, Handley,
//! Padhye, "A Comparison of Equation-Based and AIMD Congestion Control", 2000, section 2).

#![forbid(unsafe_code)]

use std::sync::Arc;

use eddyline_cc::{Ack, Controller, CustomKind, Loss, PathFacts, Timeout, custom};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of `aimd`. Their types and ranges are checked when a scenario is loaded.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AimdParams {
    /// Growth of the window per round trip, in packets.
    #[serde(default = "one")]
    #[schemars(range(min = 0.001, max = 1000.0))]
    pub increase: f64,
    /// Factor by which a loss multiplies the window.
    #[serde(default = "half")]
    #[schemars(range(min = 0.01, max = 0.99))]
    pub decrease: f64,
}

const fn one() -> f64 {
    1.0
}

const fn half() -> f64 {
    0.5
}

/// The state of one flow.
#[derive(Debug)]
pub struct Aimd {
    params: AimdParams,
    cwnd: f64,
    ssthresh: f64,
}

impl Aimd {
    /// Starts at the initial window, in slow start.
    #[must_use]
    pub fn new(params: &AimdParams, facts: &PathFacts) -> Self {
        Self { params: *params, cwnd: facts.initial_window.max(1.0), ssthresh: f64::INFINITY }
    }
}

impl Controller for Aimd {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.in_recovery || !ack.cwnd_limited {
            return;
        }
        let growth = if self.cwnd < self.ssthresh { 1.0 } else { self.params.increase / self.cwnd };
        self.cwnd += growth * ack.acked.min(1.0);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.ssthresh = (loss.flight_size * self.params.decrease).max(2.0);
        self.cwnd = self.ssthresh;
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if !timeout.repeated {
            self.ssthresh = (timeout.flight_size * self.params.decrease).max(2.0);
        }
        self.cwnd = 1.0;
    }

    fn on_idle(&mut self, restart_window: f64) {
        self.cwnd = self.cwnd.min(restart_window.max(1.0));
    }

    fn window(&self) -> f64 {
        self.cwnd
    }

    fn slow_start_threshold(&self) -> Option<f64> {
        Some(self.ssthresh)
    }
}

/// The kind `aimd`: name, summary, source and constructor.
#[must_use]
pub fn aimd() -> Arc<dyn CustomKind> {
    custom("aimd", "AIMD with any increase and decrease", "Chiu, Jain, 1989", Aimd::new)
}
