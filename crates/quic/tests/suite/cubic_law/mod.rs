//! CUBIC with the rules of its Reno-friendly window that RFC 9438 and noq-proto have differently as switches.

use std::sync::Arc;

use eddyline_cc::{Ack, Controller, CustomKind, Loss, PathFacts, Timeout, custom};
use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const C: f64 = 0.4;
const BETA: f64 = 0.7;
const SLOPE: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

/// The switches; all off is RFC 9438, all on is noq-proto 1.4.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// The friendly window grows with time over the latest round-trip time (RFC 8312, 4.2), not with packets acknowledged (RFC 9438, 4.3).
    by_time: bool,
    /// The friendly window keeps its slope above the window before the loss (RFC 8312, 4.2); RFC 9438, 4.3 has Reno's from there.
    constant_slope: bool,
    /// It begins at beta times the maximum that fast convergence has lowered (RFC 8312, 4.2), not at the window after the loss.
    from_lowered_maximum: bool,
    /// Each acknowledgement adds its distance to the friendly window to a credit, from which whole packets are taken; so the window leads.
    credit: bool,
}

/// The kind `rules`.
pub fn kind() -> Arc<dyn CustomKind> {
    custom("rules", "CUBIC with switches", "RFC 8312, RFC 9438, noq-proto 1.4", Law::new)
}

#[derive(Debug)]
struct Law {
    rules: Rules,
    window: f64,
    threshold: f64,
    w_max: f64,
    prior: f64,
    /// The friendly window at its beginning, and now if it is counted by packets.
    friendly: f64,
    counted: f64,
    k: f64,
    credit: f64,
    since: Option<Time>,
    rtt: Option<f64>,
}

impl Law {
    fn new(rules: &Rules, facts: &PathFacts) -> Self {
        Self {
            rules: *rules,
            window: facts.initial_window,
            threshold: f64::INFINITY,
            w_max: 0.0,
            prior: 0.0,
            friendly: 0.0,
            counted: 0.0,
            k: 0.0,
            credit: 0.0,
            since: None,
            rtt: None,
        }
    }

    /// Reno's window `rounds` round trips after the loss.
    fn friendly(&self, rounds: f64) -> f64 {
        let catching_up = ((self.prior - self.friendly) / SLOPE).max(0.0);
        if self.rules.constant_slope || rounds <= catching_up {
            return self.friendly + SLOPE * rounds;
        }
        self.prior.max(self.friendly) + rounds - catching_up
    }
}

impl Controller for Law {
    fn on_ack(&mut self, ack: &Ack) {
        if let Some(sample) = ack.rtt.map(Time::as_secs_f64) {
            self.rtt = Some(self.rtt.map_or(sample, |rtt| rtt + (sample - rtt) / 8.0));
        }
        let Some(rtt) = self.rtt.filter(|_| ack.cwnd_limited && !ack.in_recovery) else { return };
        if self.window < self.threshold {
            self.window += ack.acked;
            return;
        }
        if self.since.is_none() {
            (self.since, self.w_max, self.k) = (Some(ack.now), self.window, 0.0);
            (self.prior, self.friendly) = (self.window, BETA * self.window);
            self.counted = if self.rules.from_lowered_maximum { self.friendly } else { self.window };
        }
        let t = self.since.map_or(0.0, |since| ack.now.saturating_sub(since).as_secs_f64());
        let cubic = C * (t + rtt - self.k).powi(3) + self.w_max;
        let slope = if self.rules.constant_slope || self.counted < self.prior { SLOPE } else { 1.0 };
        self.counted += slope * ack.acked / self.window;
        let friendly = if self.rules.by_time { self.friendly(t / rtt) } else { self.counted };
        let target = if cubic < friendly {
            self.window.max(friendly)
        } else {
            self.window + ((cubic - self.window) / self.window).max(0.0) * ack.acked
        };
        if self.rules.credit {
            self.credit += target - self.window;
            let packet = f64::from(u8::from(self.credit >= 1.0));
            self.window += packet;
            self.credit -= packet;
        } else {
            self.window = target;
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.prior = self.window;
        self.w_max = if self.window < self.w_max { self.window * (1.0 + BETA) / 2.0 } else { self.window };
        self.window = (self.window * BETA).max(2.0);
        self.threshold = self.window;
        // RFC 8312 measures K from beta of the maximum, RFC 9438 from the window
        let depth = if self.rules.from_lowered_maximum { self.w_max * (1.0 - BETA) } else { self.w_max - self.window };
        self.k = (depth.max(0.0) / C).cbrt();
        self.friendly = if self.rules.from_lowered_maximum { self.w_max * BETA } else { self.window };
        self.counted = self.friendly;
        self.credit *= BETA;
        self.since = Some(loss.now);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.on_loss(&Loss { now: timeout.now, flight_size: timeout.flight_size });
        (self.since, self.credit) = (None, 0.0);
        self.threshold = (self.window * BETA).max(2.0);
        self.window = 2.0;
    }

    fn on_idle(&mut self, restart_window: f64) {
        self.window = self.window.min(restart_window);
    }

    fn window(&self) -> f64 {
        self.window
    }
}
