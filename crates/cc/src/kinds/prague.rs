//! Prague (draft-briscoe-iccrg-prague-congestion-control-04): DCTCP adapted to the Internet.
//!
//! Changes to DCTCP: every unmarked packet that is acknowledged grows the window, also in round trips with marks; flows with a
//! round-trip time below 25 ms behave as with 25 ms (the virtual round-trip time); packets are paced; the first mark ends slow start
//! and halves the window.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Controller, EcnResponse, Loss, Marks, PathFacts, Timeout};
use crate::parts::round_trips::{Round, Smoothed};
use crate::properties::{Describe, EcnFeedback, Properties};

/// Parameters of `prague`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PragueParams {
    /// Weight of a round trip in the average share of marked packets (1/16).
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub gain: f64,
    /// Minimum virtual round-trip time (25 ms).
    #[schemars(extend("x-minimum" = "1 us", "x-maximum" = "1 s"))]
    pub virtual_rtt: Time,
    /// Round trips after slow start until a flow uses its virtual round-trip time (4).
    pub transition: u32,
    /// Share by which the pacing rate is above its mean for half of a virtual round trip and below it for the other half (3 %).
    #[schemars(extend("minimum" = 0, "maximum" = 0.5))]
    pub pacing_offset: f64,
}

impl Default for PragueParams {
    fn default() -> Self {
        Self { gain: 1.0 / 16.0, virtual_rtt: Time::from_ms(25), transition: 4, pacing_offset: 4.0 / 128.0 }
    }
}

impl Describe for PragueParams {
    const PROPERTIES: Properties = Properties { ecn: EcnFeedback::Accurate, ..Properties::DEFAULT };
}

/// Minimum window.
const FLOOR: f64 = 2.0;
/// Maximum round-trip time up to which growth is scaled.
const MAX_SCALED_RTT: f64 = 100e9;

/// Prague.
#[derive(Debug, Clone)]
pub struct Prague {
    p: PragueParams,
    cwnd: f64,
    ssthresh: f64,
    alpha: f64,
    seen_mark: bool,
    /// Marks are counted.
    counts: bool,
    round: Round,
    /// A round trip is over, but the virtual one is not yet.
    round_over: bool,
    /// Round trips since slow start.
    rounds: u32,
    acked: f64,
    marked: f64,
    updated: Time,
    reduced: Time,
    /// Packets that the present acknowledgement reports as marked.
    just_marked: f64,
    srtt: Smoothed,
    /// Pacing interval in picoseconds.
    interval: f64,
    /// The offset of the pace in it.
    offset: f64,
    previous_window: Option<f64>,
}

impl Prague {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(p: &PragueParams, facts: &PathFacts) -> Self {
        Self {
            p: *p,
            cwnd: facts.initial_window.max(FLOOR),
            ssthresh: f64::INFINITY,
            alpha: 0.0,
            seen_mark: false,
            counts: false,
            round: Round::default(),
            round_over: false,
            rounds: 0,
            acked: 0.0,
            marked: 0.0,
            updated: Time::ZERO,
            reduced: Time::ZERO,
            just_marked: 0.0,
            srtt: Smoothed::default(),
            interval: 0.0,
            offset: 0.0,
            previous_window: None,
        }
    }

    fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    fn goes_by_virtual_rtt(&self) -> bool {
        !self.in_slow_start() && self.rounds >= self.p.transition
    }

    /// Packets a round trip (section 2.4.3): one a virtual round trip for the rate of one window in it.
    fn increase(&self) -> f64 {
        let virtual_rtt = self.p.virtual_rtt.as_ps() as f64;
        match self.srtt.get() {
            Some(rtt) if rtt < virtual_rtt.min(MAX_SCALED_RTT) && self.goes_by_virtual_rtt() => {
                (rtt / virtual_rtt) * (rtt / virtual_rtt)
            }
            _ => 1.0,
        }
    }

    fn set_interval(&mut self, now: Time, in_flight: f64) {
        let Some(rtt) = self.srtt.get() else { return };
        let half = rtt.max(self.p.virtual_rtt.as_ps() as f64) / 2.0;
        let first_half = (now.saturating_sub(self.updated).as_ps() as f64) < half;
        self.offset = if !self.goes_by_virtual_rtt() {
            0.0
        } else if first_half {
            self.p.pacing_offset
        } else {
            -self.p.pacing_offset
        };
        self.pace(rtt, in_flight);
    }

    fn pace(&mut self, rtt: f64, in_flight: f64) {
        let steep = if self.cwnd < self.ssthresh / 2.0 { 2.0 } else { 1.0 };
        self.interval = rtt / (steep * (1.0 + self.offset) * self.cwnd.max(in_flight));
    }

    fn reduce_to(&mut self, window: f64) {
        self.cwnd = window.min(self.cwnd).max(FLOOR);
        self.ssthresh = self.cwnd;
        self.previous_window = None;
    }
}

impl Controller for Prague {
    fn on_handshake(&mut self, now: Time, rtt: Time) {
        self.srtt.update(rtt.as_ps() as f64);
        self.set_interval(now, 0.0);
    }

    fn on_marks(&mut self, marks: &Marks) {
        self.acked += marks.acked;
        self.marked += marks.marked;
        self.just_marked = marks.marked;
        self.counts = true;
        self.round_over |= self.round.is_over(marks.now, marks.sent_at);
        let elapsed = marks.now.saturating_sub(self.updated);
        if !self.round_over || (self.goes_by_virtual_rtt() && elapsed < self.p.virtual_rtt) {
            return;
        }
        self.round_over = false;
        self.rounds = if self.in_slow_start() { 0 } else { self.rounds.saturating_add(1) };
        if self.seen_mark && self.acked > 0.0 {
            self.alpha += self.p.gain * ((self.marked / self.acked).min(1.0) - self.alpha);
        }
        self.updated = marks.now;
        (self.acked, self.marked) = (0.0, 0.0);
    }

    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.srtt.update(rtt.as_ps() as f64);
        }
        // a mark only suppresses the growth of its own packet (section 2.4.3)
        let unmarked = (ack.acked - std::mem::take(&mut self.just_marked)).max(0.0);
        if !ack.in_recovery && ack.cwnd_limited && unmarked > 0.0 {
            self.cwnd += if self.in_slow_start() {
                unmarked.min((self.ssthresh - self.cwnd).max(0.0))
            } else {
                (unmarked * self.increase() / self.cwnd).min(unmarked)
            };
        }
        self.set_interval(ack.now, ack.in_flight);
    }

    /// Once a round trip, and once a virtual one: `cwnd <- cwnd (1 - alpha / 2)`. Without accurate feedback a mark is a loss.
    fn on_ecn(&mut self, mark: &Loss) {
        if !self.counts {
            return self.on_loss(mark);
        }
        if !self.seen_mark {
            // before the first round trip there is no average
            self.seen_mark = true;
            return self.reduce_to(self.cwnd / 2.0);
        }
        if self.goes_by_virtual_rtt() && mark.now.saturating_sub(self.reduced) < self.p.virtual_rtt {
            return;
        }
        self.reduced = mark.now;
        self.reduce_to(self.cwnd * (1.0 - self.alpha / 2.0));
    }

    fn ecn_response(&self) -> EcnResponse {
        EcnResponse::LowLatency
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.reduce_to(loss.flight_size / 2.0);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if !timeout.repeated {
            self.previous_window = Some(self.ssthresh.max(timeout.flight_size));
            self.ssthresh = (timeout.flight_size / 2.0).max(FLOOR);
        }
        self.cwnd = 1.0;
    }

    fn on_spurious_timeout(&mut self, window: f64) {
        if let Some(threshold) = self.previous_window.take() {
            self.cwnd = self.cwnd.max(window);
            self.ssthresh = threshold;
        }
    }

    fn on_idle(&mut self, restart_window: f64) {
        self.cwnd = self.cwnd.min(restart_window).max(1.0);
        // else the restart window would leave at the pace of the window before the pause
        if let Some(rtt) = self.srtt.get() {
            if !self.goes_by_virtual_rtt() {
                self.offset = 0.0;
            }
            self.pace(rtt, 0.0);
        }
    }

    #[inline]
    fn window(&self) -> f64 {
        self.cwnd
    }

    /// The window rounded up to whole packets: pacing limits the rate exactly.
    fn flight_limit(&self, paced: bool) -> f64 {
        if paced { libm::ceil(self.cwnd) } else { self.cwnd }
    }

    fn pacing_interval(&self) -> Option<Time> {
        (self.interval > 0.0).then(|| Time::from_ps(self.interval as u64))
    }

    fn slow_start_threshold(&self) -> Option<f64> {
        Some(self.ssthresh)
    }
}
