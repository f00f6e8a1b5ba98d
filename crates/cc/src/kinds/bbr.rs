//! BBR version 1 (draft-cardwell-iccrg-bbr-congestion-control-00): paces at the maximum recent delivery rate, with at most
//! twice the bandwidth-delay product in flight.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Controller, Loss, PartialAck, PathFacts, Sent, Stamp, Timeout};
use crate::parts::boxed::Boxed;
use crate::parts::delivery_rate::{DeliveryRate, Rate};
use crate::parts::windowed_max::WindowedMax;
use crate::properties::{Conflict, Describe, Properties};

/// Parameters of `bbr`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BbrParams {
    /// Window in bandwidth-delay products while probing for bandwidth (2).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cwnd_gain: f64,
    /// Round trips over which the delivery rate's maximum is taken (10).
    pub bandwidth_window: u32,
    /// Time over which the round-trip time's minimum is taken, and from one ProbeRTT to the next (10 s).
    pub min_rtt_window: Time,
    /// Minimum duration of ProbeRTT (200 ms).
    pub probe_rtt: Time,
    /// First phase of the gain cycle, 0 to 7 except 1; the draft draws it at random (2).
    #[schemars(extend("maximum" = 7))]
    pub first_phase: u8,
}

impl Default for BbrParams {
    fn default() -> Self {
        Self {
            cwnd_gain: 2.0,
            bandwidth_window: 10,
            min_rtt_window: Time::from_ms(10_000),
            probe_rtt: Time::from_ms(200),
            first_phase: 2,
        }
    }
}

impl Describe for BbrParams {
    const PROPERTIES: Properties = Properties::DEFAULT;

    fn conflict(&self) -> Option<Conflict> {
        (self.first_phase == 1).then(|| Conflict {
            key: "first_phase",
            message: "1, which drains the queue of phase 0; 0 or 2 to 7 is needed".to_owned(),
        })
    }
}

/// 2 / ln 2: the minimum gain that doubles the rate each round trip (4.3.2.1).
const HIGH_GAIN: f64 = 2.885_390_081_777_927;
/// Pacing gains while probing for bandwidth, each for a round trip without queue (4.3.4.2).
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Packets in flight during ProbeRTT, and minimum window otherwise (4.2.3.4).
const MIN_PIPE: f64 = 4.0;
/// Startup ends after so many round trips without a quarter more bandwidth (4.3.2.2).
const FULL_ROUNDS: u32 = 3;
const FULL_GROWTH: f64 = 1.25;

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Startup,
    Drain,
    ProbeBw {
        phase: usize,
        since: Time,
    },
    ProbeRtt {
        /// The time at which it may end, once few enough packets are in flight, and whether a round trip has passed since.
        until: Option<Time>,
        round_done: bool,
    },
}

/// BBR version 1.
pub type Bbr = Boxed<Model>;

/// The model of the path and the control state.
#[derive(Debug, Clone)]
pub struct Model {
    p: BbrParams,
    rate: DeliveryRate,
    state: State,
    bandwidth: WindowedMax,
    round: u64,
    round_start: bool,
    next_round: f64,
    min_rtt: Option<Time>,
    min_rtt_at: Time,
    full_bandwidth: f64,
    full_rounds: u32,
    full: bool,
    cwnd: f64,
    prior_cwnd: f64,
    initial_window: f64,
    /// First round trip of recovery: packet conservation.
    conserving: bool,
    recovering: bool,
    /// From a timeout until all packets outstanding then are acknowledged.
    timed_out: bool,
    /// Packets per second.
    pacing_rate: f64,
    interval: Option<Time>,
    idle: bool,
}

impl Bbr {
    /// A sender at its initial window, in Startup.
    #[must_use]
    pub fn new(params: &BbrParams, facts: &PathFacts) -> Self {
        Self(Box::new(Model::new(params, facts)))
    }
}

impl Model {
    fn new(p: &BbrParams, facts: &PathFacts) -> Self {
        let initial_window = facts.initial_window.max(1.0);
        Self {
            p: *p,
            rate: DeliveryRate::new(),
            state: State::Startup,
            bandwidth: WindowedMax::new(u64::from(p.bandwidth_window.max(1))),
            round: 0,
            round_start: false,
            next_round: 0.0,
            min_rtt: None,
            min_rtt_at: Time::ZERO,
            full_bandwidth: 0.0,
            full_rounds: 0,
            full: false,
            cwnd: initial_window,
            prior_cwnd: 0.0,
            initial_window,
            conserving: false,
            recovering: false,
            timed_out: false,
            pacing_rate: 0.0,
            interval: None,
            idle: false,
        }
    }

    fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => HIGH_GAIN,
            State::Drain => 1.0 / HIGH_GAIN,
            State::ProbeBw { phase, .. } => CYCLE[phase],
            State::ProbeRtt { .. } => 1.0,
        }
    }

    fn cwnd_gain(&self) -> f64 {
        match self.state {
            State::Startup | State::Drain => HIGH_GAIN,
            State::ProbeBw { .. } => self.p.cwnd_gain,
            State::ProbeRtt { .. } => 1.0,
        }
    }

    /// BBRInflight (4.2.3.2): a multiple of the bandwidth-delay product and three packets to be sent.
    fn target(&self, gain: f64) -> f64 {
        let Some(rtt) = self.min_rtt else { return self.initial_window };
        gain * self.bandwidth.get() * rtt.as_secs_f64() + 3.0
    }

    /// 4.1.1.3
    fn count_rounds(&mut self, sample: &Rate) {
        self.round_start = sample.prior_delivered >= self.next_round;
        if self.round_start {
            self.next_round = self.rate.delivered;
            self.round += 1;
            self.conserving = false;
        }
    }

    /// 4.3.2.2
    fn check_full(&mut self, sample: &Rate) {
        if self.full || !self.round_start || sample.app_limited {
            return;
        }
        if self.bandwidth.get() >= self.full_bandwidth * FULL_GROWTH {
            self.full_bandwidth = self.bandwidth.get();
            self.full_rounds = 0;
            return;
        }
        self.full_rounds += 1;
        self.full = self.full_rounds >= FULL_ROUNDS;
    }

    fn probe_bandwidth(&mut self, now: Time) {
        // 4.3.4.3: any phase except the draining one
        self.state = State::ProbeBw { phase: usize::from(self.p.first_phase) % CYCLE.len(), since: now };
    }

    fn check_drain(&mut self, ack: &Ack) {
        if self.state == State::Startup && self.full {
            self.state = State::Drain;
        }
        if self.state == State::Drain && ack.in_flight <= self.target(1.0) {
            self.probe_bandwidth(ack.now);
        }
    }

    /// 4.3.4.3
    fn cycle(&mut self, ack: &Ack) {
        let State::ProbeBw { phase, since } = self.state else { return };
        let full_length = self.min_rtt.is_some_and(|rtt| ack.now - since > rtt);
        let prior_in_flight = ack.in_flight + ack.acked + ack.lost;
        let next = match CYCLE[phase] {
            1.0 => full_length,
            gain if gain > 1.0 => full_length && (ack.lost > 0.0 || prior_in_flight >= self.target(gain)),
            _ => full_length || prior_in_flight <= self.target(1.0),
        };
        if next {
            self.state = State::ProbeBw { phase: (phase + 1) % CYCLE.len(), since: ack.now };
        }
    }

    /// 4.1.2.3 and 4.3.5
    fn update_min_rtt(&mut self, ack: &Ack) {
        let expired = ack.now > self.min_rtt_at.saturating_add(self.p.min_rtt_window);
        if let Some(rtt) = ack.rtt
            && (expired || self.min_rtt.is_none_or(|min| rtt <= min))
        {
            self.min_rtt = Some(rtt);
            self.min_rtt_at = ack.now;
        }
        if expired && !self.idle && !matches!(self.state, State::ProbeRtt { .. }) {
            self.save_cwnd();
            self.state = State::ProbeRtt { until: None, round_done: false };
        }
        self.idle = false;
        let State::ProbeRtt { until, round_done } = &mut self.state else { return };
        self.rate.mark_app_limited(ack.in_flight);
        match until {
            None if ack.in_flight <= MIN_PIPE => {
                *until = Some(ack.now.saturating_add(self.p.probe_rtt));
                *round_done = false;
                self.next_round = self.rate.delivered;
            }
            None => {}
            Some(until) => {
                *round_done |= self.round_start;
                if *round_done && ack.now > *until {
                    self.min_rtt_at = ack.now;
                    self.cwnd = self.cwnd.max(self.prior_cwnd);
                    if self.full {
                        self.probe_bandwidth(ack.now);
                    } else {
                        self.state = State::Startup;
                    }
                }
            }
        }
    }

    /// 4.2.3.3
    fn save_cwnd(&mut self) {
        let disturbed = self.recovering || self.timed_out || matches!(self.state, State::ProbeRtt { .. });
        self.prior_cwnd = if disturbed { self.prior_cwnd.max(self.cwnd) } else { self.cwnd };
    }

    /// 4.2.1
    fn set_pacing(&mut self) {
        let rate = self.pacing_gain() * self.bandwidth.get();
        if rate > 0.0 && (self.full || rate > self.pacing_rate) {
            self.set_pacing_rate(rate);
        }
    }

    fn set_pacing_rate(&mut self, rate: f64) {
        self.pacing_rate = rate;
        self.interval = Some(Time::from_ps((1e12 / rate) as u64));
    }

    /// 4.3.4.4: packets of a restart are paced at the bandwidth, and what it measures is a round-trip time without queueing of its own.
    fn restart(&mut self) {
        self.idle = true;
        if matches!(self.state, State::ProbeBw { .. }) && self.bandwidth.get() > 0.0 {
            self.set_pacing_rate(self.bandwidth.get());
        }
    }

    /// 4.2.3.6
    fn set_cwnd(&mut self, ack: &Ack) {
        if ack.lost > 0.0 {
            // 4.2.3.3
            self.cwnd = (self.cwnd - ack.lost).max(1.0);
        }
        if self.conserving {
            self.cwnd = self.cwnd.max(ack.in_flight + ack.acked);
        } else {
            let target = self.target(self.cwnd_gain());
            if self.full {
                self.cwnd = (self.cwnd + ack.acked).min(target);
            } else if self.cwnd < target || self.rate.delivered < self.initial_window {
                self.cwnd += ack.acked;
            }
            self.cwnd = self.cwnd.max(MIN_PIPE);
        }
        if matches!(self.state, State::ProbeRtt { .. }) {
            self.cwnd = self.cwnd.min(MIN_PIPE);
        }
    }
}

impl Controller for Model {
    fn on_handshake(&mut self, now: Time, rtt: Time) {
        self.min_rtt = Some(rtt);
        self.min_rtt_at = now;
        // 4.2.1: the initial window in the first round-trip time
        if rtt > Time::ZERO {
            self.set_pacing_rate(HIGH_GAIN * self.initial_window / rtt.as_secs_f64());
        }
    }

    #[inline]
    fn on_sent(&mut self, sent: &Sent) -> Stamp {
        if sent.app_limited {
            if sent.restarts() {
                self.restart();
            }
            self.rate.mark_app_limited(sent.in_flight - 1.0);
        }
        self.rate.on_sent(sent)
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        let ack = &self.rate.newly_delivered(ack);
        if let Some(sample) = self.rate.on_ack(ack) {
            self.count_rounds(&sample);
            if let Some(rate) = sample.rate.filter(|r| *r >= self.bandwidth.get() || !sample.app_limited) {
                self.bandwidth.update(self.round, rate);
            }
            self.cycle(ack);
            self.check_full(&sample);
        } else {
            self.round_start = false;
        }
        self.check_drain(ack);
        self.update_min_rtt(ack);
        self.set_pacing();
        self.set_cwnd(ack);
    }

    fn on_duplicate(&mut self, ack: &Ack) {
        self.rate.on_duplicate(ack);
        self.round_start = false;
        self.check_drain(ack);
        self.update_min_rtt(ack);
        self.set_pacing();
        self.set_cwnd(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        // a second reduction within a recovery (RFC 5681, 4.3) is of windows that losses determine; the model's is not
        if self.recovering {
            return;
        }
        // 4.2.3.3: recovery begins with the packets in flight; the acknowledgement that triggered it counts the losses
        self.save_cwnd();
        self.recovering = true;
        self.conserving = true;
        self.next_round = self.rate.delivered;
        self.cwnd = self.cwnd.min(loss.flight_size.max(1.0));
    }

    fn on_recovered(&mut self, _now: Time) {
        self.recovering = false;
        self.conserving = false;
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    fn on_timeout(&mut self, _timeout: &Timeout) {
        self.save_cwnd();
        self.recovering = false;
        self.timed_out = true;
        self.conserving = false;
        self.cwnd = 1.0;
    }

    fn on_timeout_recovered(&mut self) {
        self.timed_out = false;
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    fn on_spurious_timeout(&mut self, window: f64) {
        self.timed_out = false;
        self.cwnd = self.cwnd.max(self.prior_cwnd.min(window));
    }

    fn on_ecn(&mut self, _mark: &Loss) {
        // version 1 does not react to marks
    }

    fn on_idle(&mut self, _restart_window: f64) {
        // 4.2.3: the model is kept, and pacing avoids a burst
    }

    #[inline]
    fn window(&self) -> f64 {
        self.cwnd
    }

    #[inline]
    fn pacing_interval(&self) -> Option<Time> {
        self.interval
    }

    fn base_rtt(&self) -> Option<Time> {
        self.min_rtt
    }

    /// It conserves packets for a round trip, and restores its window after (as Linux leaves the window to such algorithms).
    fn controls_recovery(&self) -> bool {
        true
    }

    fn partial_ack(&self) -> PartialAck {
        PartialAck::Persist
    }
}
