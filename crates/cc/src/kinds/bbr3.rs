//! BBR version 3 (draft-ietf-ccwg-bbr): version 1's model with bounds learnt from losses, and probing that leaves headroom for
//! other flows. Section numbers and names are those of the draft.

mod probe_bw;
mod probe_rtt;
mod signals;
mod startup;

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Controller, Loss, PartialAck, PathFacts, Sent, Stamp, Timeout};
use crate::parts::boxed::Boxed;
use crate::parts::delivery_rate::DeliveryRate;
use crate::parts::windowed_max::WindowedMax;
use crate::properties::{Describe, Properties};

/// Parameters of `bbr3`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bbr3Params {
    /// Maximum tolerated share of packets lost in a round trip (LossThresh, 2 %).
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub loss_thresh: f64,
    /// Minimum factor by which a round trip with losses reduces the short-term bounds (Beta, 0.7).
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub beta: f64,
    /// Share of the long-term bound left to other flows in ProbeBW_CRUISE (Headroom, 0.15).
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub headroom: f64,
    /// Time over which the round-trip time's minimum is taken, and from one ProbeRTT to the next (10 s).
    pub min_rtt_window: Time,
    /// Minimum duration of ProbeRTT (200 ms).
    pub probe_rtt: Time,
}

impl Default for Bbr3Params {
    fn default() -> Self {
        Self {
            loss_thresh: 0.02,
            beta: 0.7,
            headroom: 0.15,
            min_rtt_window: Time::from_ms(10_000),
            probe_rtt: Time::from_ms(200),
        }
    }
}

impl Describe for Bbr3Params {
    const PROPERTIES: Properties = Properties::DEFAULT;
}

const STARTUP_PACING_GAIN: f64 = 2.77;
const DRAIN_PACING_GAIN: f64 = 0.5;
const CWND_GAIN: f64 = 2.0;
const UP_CWND_GAIN: f64 = 2.25;
const PROBE_RTT_CWND_GAIN: f64 = 0.5;
const UP_PACING_GAIN: f64 = 1.25;
const DOWN_PACING_GAIN: f64 = 0.9;
/// Pacing stays 1 % below the bandwidth (PacingMarginPercent).
const PACING_MARGIN: f64 = 0.99;
const MIN_PIPE: f64 = 4.0;
const STARTUP_FULL_LOSS_COUNT: u32 = 6;
const DRAIN_ROUNDS: u64 = 3;
const EXTRA_ACKED_ROUNDS: u64 = 10;
const MAX_BW_CYCLES: u64 = 2;
const MAX_RENO_ROUNDS: f64 = 63.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

/// The probing phase in which the packets now acknowledged were sent (ack_phase).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// BBR version 3.
pub type Bbr3 = Boxed<Model>;

/// The model of the path and the control state.
#[derive(Debug, Clone)]
pub struct Model {
    p: Bbr3Params,
    rate: DeliveryRate,
    state: State,
    ack_phase: AckPhase,
    initial_window: f64,
    cwnd: f64,
    prior_cwnd: f64,
    recovering: bool,
    /// From a timeout until all packets outstanding then are acknowledged.
    timed_out: bool,
    pacing_rate: f64,
    interval: Option<Time>,
    idle: bool,
    // rounds
    round: u64,
    round_start: bool,
    next_round: f64,
    drain_round: u64,
    rounds_since_up: u64,
    // bandwidth: packets per second
    max_bw: WindowedMax,
    cycle: u64,
    bw: f64,
    bw_latest: f64,
    bw_shortterm: f64,
    // packets in flight
    inflight_latest: f64,
    inflight_shortterm: f64,
    inflight_longterm: f64,
    up_rounds: u32,
    up_acked: f64,
    up_acked_per_increment: f64,
    extra_acked: WindowedMax,
    extra_since: Time,
    extra_delivered: f64,
    // losses
    loss_round_delivered: f64,
    loss_round_start: bool,
    loss_in_round: bool,
    loss_events: u32,
    /// Losses reported by duplicates: judged with the next sample.
    lost_unjudged: f64,
    /// Packets found lost since the last acknowledgement, and counted by `rate`.
    lost_between: f64,
    /// Recovery without SACK: it finds one hole a round trip, and all of the losses happened before it began.
    hole_by_hole: bool,
    startup_lossy_rounds: u32,
    is_probe_sample: bool,
    probe_too_high: bool,
    probe_precautionary: bool,
    // full pipe
    full_bw: f64,
    full_count: u32,
    full_now: bool,
    full_reached: bool,
    // probing
    cycle_since: Time,
    probe_wait: Time,
    /// Replaces the random part of the wait, from 0 to 1.
    probe_wait_fraction: f64,
    // round-trip time
    min_rtt: Option<Time>,
    min_rtt_at: Time,
    probe_rtt_cwnd: f64,
    probe_rtt_until: Option<Time>,
    probe_rtt_round_done: bool,
}

/// The data of an acknowledgement that the state machine needs.
#[derive(Debug, Clone, Copy)]
struct Sample {
    rate: f64,
    lost: f64,
    tx_in_flight: f64,
    app_limited: bool,
}

impl Bbr3 {
    /// A sender at its initial window, in Startup.
    #[must_use]
    pub fn new(params: &Bbr3Params, facts: &PathFacts) -> Self {
        Self(Box::new(Model::new(params, facts)))
    }
}

impl Model {
    fn new(p: &Bbr3Params, facts: &PathFacts) -> Self {
        let initial_window = facts.initial_window.max(1.0);
        Self {
            p: *p,
            rate: DeliveryRate::new(),
            state: State::Startup,
            ack_phase: AckPhase::Init,
            initial_window,
            cwnd: initial_window,
            prior_cwnd: 0.0,
            recovering: false,
            timed_out: false,
            pacing_rate: 0.0,
            interval: None,
            idle: false,
            round: 0,
            round_start: false,
            next_round: 0.0,
            drain_round: 0,
            rounds_since_up: 0,
            max_bw: WindowedMax::new(MAX_BW_CYCLES - 1),
            cycle: 0,
            bw: 0.0,
            bw_latest: 0.0,
            bw_shortterm: f64::INFINITY,
            inflight_latest: 0.0,
            inflight_shortterm: f64::INFINITY,
            inflight_longterm: f64::INFINITY,
            up_rounds: 0,
            up_acked: 0.0,
            up_acked_per_increment: f64::INFINITY,
            extra_acked: WindowedMax::new(1),
            extra_since: Time::ZERO,
            extra_delivered: 0.0,
            loss_round_delivered: 0.0,
            loss_round_start: false,
            loss_in_round: false,
            loss_events: 0,
            lost_unjudged: 0.0,
            lost_between: 0.0,
            hole_by_hole: false,
            startup_lossy_rounds: 0,
            is_probe_sample: false,
            probe_too_high: false,
            probe_precautionary: false,
            full_bw: 0.0,
            full_count: 0,
            full_now: false,
            full_reached: false,
            cycle_since: Time::ZERO,
            probe_wait: Time::ZERO,
            probe_wait_fraction: 0.0,
            min_rtt: None,
            min_rtt_at: Time::ZERO,
            probe_rtt_cwnd: initial_window,
            probe_rtt_until: None,
            probe_rtt_round_done: false,
        }
    }

    fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => STARTUP_PACING_GAIN,
            State::Drain => DRAIN_PACING_GAIN,
            State::Down => DOWN_PACING_GAIN,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
            State::Up => UP_PACING_GAIN,
        }
    }

    fn cwnd_gain(&self) -> f64 {
        match self.state {
            State::Up => UP_CWND_GAIN,
            State::ProbeRtt => PROBE_RTT_CWND_GAIN,
            _ => CWND_GAIN,
        }
    }

    const fn in_probe_bw(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }

    const fn probes_bw(&self) -> bool {
        matches!(self.state, State::Startup | State::Refill | State::Up)
    }

    /// BDPMultiple of a bandwidth.
    fn multiple(&self, bw: f64, gain: f64) -> f64 {
        self.min_rtt.map_or(self.initial_window, |rtt| gain * bw * rtt.as_secs_f64())
    }

    /// QuantizationBudget; the pacer sends single packets, so the send quantum counts as three packets.
    fn quantized(&self, inflight: f64) -> f64 {
        inflight.max(MIN_PIPE) + if self.state == State::Up { 2.0 } else { 0.0 }
    }

    fn target_inflight(&self) -> f64 {
        self.multiple(self.bw, 1.0).min(self.cwnd)
    }

    fn with_headroom(&self) -> f64 {
        if self.inflight_longterm.is_infinite() {
            return f64::INFINITY;
        }
        let headroom = (self.p.headroom * self.inflight_longterm).max(1.0);
        (self.inflight_longterm - headroom).max(MIN_PIPE)
    }

    fn start_round(&mut self) {
        self.next_round = self.rate.delivered;
    }

    fn reset_full(&mut self) {
        (self.full_bw, self.full_count, self.full_now) = (0.0, 0, false);
    }

    fn reset_shortterm(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, f64::INFINITY);
    }

    fn set_pacing(&mut self, gain: f64) {
        let rate = gain * self.bw * PACING_MARGIN;
        if rate > 0.0 && (self.full_reached || rate > self.pacing_rate) {
            self.set_pacing_rate(rate);
        }
    }

    fn set_pacing_rate(&mut self, rate: f64) {
        self.pacing_rate = rate;
        self.interval = Some(Time::from_ps((1e12 / rate) as u64));
    }

    /// 5.4.1: packets of a restart are paced at the bandwidth, and no probing of the round-trip time is due.
    fn restart(&mut self, now: Time) {
        self.idle = true;
        (self.extra_since, self.extra_delivered) = (now, 0.0);
        if self.in_probe_bw() {
            self.set_pacing(1.0);
        } else if self.state == State::ProbeRtt && self.probe_rtt_until.is_some_and(|until| now > until) {
            self.exit_probe_rtt(now);
        }
    }

    fn set_cwnd(&mut self, ack: &Ack) {
        let max_window = self.quantized(self.multiple(self.bw, self.cwnd_gain()) + self.extra_acked.get());
        if self.full_reached {
            self.cwnd = (self.cwnd + ack.acked).min(max_window);
        } else if self.cwnd < max_window || self.rate.delivered < self.initial_window {
            self.cwnd += ack.acked;
        }
        self.cwnd = self.cwnd.max(MIN_PIPE);
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd);
        }
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.inflight_longterm,
            State::ProbeRtt | State::Cruise => self.with_headroom(),
            State::Startup | State::Drain => f64::INFINITY,
        };
        self.cwnd = self.cwnd.min(cap.min(self.inflight_shortterm).max(MIN_PIPE));
    }
}

impl Controller for Model {
    fn on_handshake(&mut self, now: Time, rtt: Time) {
        self.min_rtt = Some(rtt);
        self.min_rtt_at = now;
        // flows that started at different times probe at different times
        self.probe_wait_fraction = (now.as_ps() % 1_000_003) as f64 / 1_000_003.0;
        if rtt > Time::ZERO {
            self.set_pacing_rate(STARTUP_PACING_GAIN * self.initial_window / rtt.as_secs_f64());
        }
    }

    #[inline]
    fn on_sent(&mut self, sent: &Sent) -> Stamp {
        if sent.app_limited {
            if sent.restarts() {
                self.restart(sent.now);
            }
            self.rate.mark_app_limited(sent.in_flight - 1.0);
        }
        self.rate.on_sent(sent)
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        let mut newly_delivered = self.rate.newly_delivered(ack);
        let unjudged = std::mem::take(&mut self.lost_unjudged);
        let between = std::mem::take(&mut self.lost_between);
        // losses in one window of data lower the short-term bounds once (RFC 5681, 4.3), however long their detection takes
        let new_loss = if self.hole_by_hole { unjudged > 0.0 } else { newly_delivered.lost + between > 0.0 };
        newly_delivered.lost += unjudged;
        let ack = &newly_delivered;
        if let Some(rate) = self.rate.on_ack(ack) {
            let sample = Sample {
                rate: rate.rate.unwrap_or(0.0),
                lost: rate.lost,
                tx_in_flight: rate.tx_in_flight,
                app_limited: rate.app_limited,
            };
            self.handle_lost(&Ack { lost: ack.lost + between, ..*ack }, &sample);
            self.update_signals(&rate, new_loss);
            self.update_aggregation(ack);
            self.check_full(&sample);
            self.check_startup(&sample);
            self.check_drain(ack);
            self.advance_cycle(ack, &sample);
            self.update_min_rtt(ack);
            if self.loss_round_start {
                (self.bw_latest, self.inflight_latest) = (sample.rate, rate.delivered);
            }
        } else {
            self.round_start = false;
            self.update_min_rtt(ack);
        }
        self.bw = self.max_bw.get().min(self.bw_shortterm);
        self.set_pacing(self.pacing_gain());
        self.set_cwnd(ack);
    }

    fn on_duplicate(&mut self, ack: &Ack) {
        self.rate.on_duplicate(ack);
        self.lost_unjudged += ack.lost;
        self.hole_by_hole = self.recovering;
        self.round_start = false;
        self.update_aggregation(ack);
        self.check_drain(ack);
        self.update_min_rtt(ack);
        self.set_cwnd(ack);
    }

    fn on_lost(&mut self, packets: f64) {
        self.rate.on_lost(packets);
        self.lost_between += packets;
    }

    fn on_loss(&mut self, _loss: &Loss) {
        self.save_cwnd();
        self.recovering = true;
        (self.loss_events, self.startup_lossy_rounds) = (0, 0);
    }

    fn on_recovered(&mut self, _now: Time) {
        (self.recovering, self.hole_by_hole) = (false, false);
        self.restore_cwnd();
    }

    fn on_timeout(&mut self, _timeout: &Timeout) {
        self.save_cwnd();
        (self.recovering, self.hole_by_hole, self.timed_out) = (false, false, true);
        self.cwnd = 1.0;
    }

    fn on_timeout_recovered(&mut self) {
        self.timed_out = false;
        self.restore_cwnd();
    }

    fn on_spurious_timeout(&mut self, window: f64) {
        self.timed_out = false;
        self.reset_full();
        self.cwnd = self.cwnd.max(self.prior_cwnd.min(window));
    }

    fn on_ecn(&mut self, _mark: &Loss) {
        // the draft specifies no reaction to marks
    }

    fn on_idle(&mut self, _restart_window: f64) {
        // 5.4.1: the model is kept, and pacing avoids a burst
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

    /// The bounds of its model hold in recovery, too (as Linux leaves the window to such algorithms).
    fn controls_recovery(&self) -> bool {
        true
    }

    fn partial_ack(&self) -> PartialAck {
        PartialAck::Persist
    }
}
