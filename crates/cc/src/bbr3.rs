//! BBR, version 3 (draft-ietf-ccwg-bbr): version 1's model with bounds learnt from losses, and probing that makes room for
//! others. Section numbers and names are those of the draft.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::boxed::Boxed;
use crate::controller::{Ack, Controller, Loss, PathFacts, Sent, Stamp, Timeout};
use crate::delivery_rate::{DeliveryRate, Rate};
use crate::windowed::WindowedMax;

/// Parameters of `bbr3`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bbr3Params {
    /// Share of packets lost in a round trip that is too much (LossThresh, 2 %).
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub loss_thresh: f64,
    /// What is left of the short-term bounds by a round trip with losses, at least (Beta, 0.7).
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub beta: f64,
    /// Share of the long-term bound left to others while cruising (Headroom, 0.15).
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub headroom: f64,
    /// Time over which the round-trip time's minimum is taken, and from one ProbeRTT to the next (10 s).
    pub min_rtt_window: Time,
    /// Least duration of ProbeRTT (200 ms).
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

/// What the acknowledgements that arrive are of (ack_phase).
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

/// Its model of the path and what follows from it.
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
    /// Packets that duplicates told to be lost: judged with the next sample.
    lost_unjudged: f64,
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
    draw: f64,
    // round-trip time
    min_rtt: Option<Time>,
    min_rtt_at: Time,
    probe_rtt_cwnd: f64,
    probe_rtt_until: Option<Time>,
    probe_rtt_round_done: bool,
}

/// What a step of the state machine needs of an acknowledgement.
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
            draw: 0.0,
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

    /// QuantizationBudget; the send quantum is that of a pacer that sends single packets, three of them.
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

    // 5.3.3.6: entering the states

    fn start_down(&mut self, now: Time) {
        self.loss_in_round = false;
        (self.bw_latest, self.inflight_latest) = (0.0, 0.0);
        self.up_acked_per_increment = f64::INFINITY;
        // PickProbeWait: what the draft draws at random follows the golden ratio, from flow to flow another way
        self.draw = (self.draw + 0.618_033_988_749_895) % 1.0;
        self.rounds_since_up = u64::from(self.draw >= 0.5);
        self.probe_wait = Time::from_ps(2_000_000_000_000 + (self.draw * 1e12) as u64);
        self.cycle_since = now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.start_round();
        self.state = State::Down;
    }

    fn start_refill(&mut self) {
        self.reset_shortterm();
        (self.up_rounds, self.up_acked) = (0, 0.0);
        self.probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.state = State::Refill;
    }

    fn start_up(&mut self, sample: &Sample) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.start_round();
        self.reset_full();
        self.full_bw = sample.rate;
        self.state = State::Up;
        self.raise_slope();
    }

    fn raise_slope(&mut self) {
        let growth = libm::exp2(f64::from(self.up_rounds));
        self.up_rounds = (self.up_rounds + 1).min(30);
        self.up_acked_per_increment = (self.cwnd / growth).max(1.0);
    }

    // 5.5: the model

    fn update_rounds(&mut self, sample: &Rate) {
        self.round_start = sample.prior_delivered >= self.next_round;
        if self.round_start {
            self.start_round();
            self.round += 1;
            self.rounds_since_up += 1;
        }
    }

    /// UpdateLatestDeliverySignals and UpdateCongestionSignals (5.5.10.3).
    fn update_signals(&mut self, ack: &Ack, rate: &Rate) {
        self.loss_round_start = rate.prior_delivered >= self.loss_round_delivered;
        self.bw_latest = self.bw_latest.max(rate.rate.unwrap_or(0.0));
        self.inflight_latest = self.inflight_latest.max(rate.delivered);
        if self.loss_round_start {
            self.loss_round_delivered = self.rate.delivered;
        }
        self.update_rounds(rate);
        if let Some(r) = rate.rate.filter(|r| *r >= self.max_bw.get() || !rate.app_limited) {
            self.max_bw.hear(self.cycle, r);
        }
        if ack.lost > 0.0 {
            if !self.loss_in_round {
                self.loss_round_delivered = self.rate.delivered;
            }
            self.loss_in_round = true;
            self.loss_events += 1;
        }
        if !self.loss_round_start {
            return;
        }
        if self.loss_in_round && !self.probes_bw() {
            if self.bw_shortterm.is_infinite() {
                self.bw_shortterm = self.max_bw.get();
            }
            if self.inflight_shortterm.is_infinite() {
                self.inflight_shortterm = self.cwnd;
            }
            self.bw_shortterm = self.bw_latest.max(self.p.beta * self.bw_shortterm);
            self.inflight_shortterm = self.inflight_latest.max(self.p.beta * self.inflight_shortterm);
        }
        self.loss_in_round = false;
    }

    /// UpdateACKAggregation (5.5.9).
    fn update_aggregation(&mut self, ack: &Ack) {
        let mut expected = self.bw * (ack.now - self.extra_since).as_secs_f64();
        if self.extra_delivered <= expected {
            (self.extra_delivered, self.extra_since, expected) = (0.0, ack.now, 0.0);
        }
        self.extra_delivered += ack.acked;
        let extra = (self.extra_delivered - expected).min(self.cwnd);
        self.extra_acked.hear(self.round, extra);
    }

    /// CheckFullBWReached (5.3.1.2).
    fn check_full(&mut self, sample: &Sample) {
        if self.full_now || !self.round_start || sample.app_limited {
            return;
        }
        if sample.rate >= self.full_bw * 1.25 {
            self.reset_full();
            self.full_bw = sample.rate;
            return;
        }
        self.full_count += 1;
        self.full_now = self.full_count >= 3;
        if self.full_now {
            self.set_full();
        }
    }

    fn set_full(&mut self) {
        self.full_reached = true;
        self.extra_acked.set_length(EXTRA_ACKED_ROUNDS);
    }

    /// CheckStartupDone with CheckStartupHighLoss (5.3.1.3).
    fn check_startup(&mut self, sample: &Sample) {
        if self.state != State::Startup {
            return;
        }
        if self.round_start {
            let lossy = self.recovering && self.loss_events >= STARTUP_FULL_LOSS_COUNT && self.is_too_high(sample);
            self.startup_lossy_rounds = if self.recovering { self.startup_lossy_rounds + 1 } else { 0 };
            self.loss_events = 0;
            if lossy && self.startup_lossy_rounds > 1 {
                self.set_full();
                self.inflight_longterm = self.multiple(self.bw, 1.0).max(self.inflight_latest);
            }
        }
        if self.full_reached {
            self.state = State::Drain;
            self.drain_round = self.round;
        }
    }

    fn check_drain(&mut self, ack: &Ack) {
        if self.state == State::Drain
            && (ack.in_flight <= self.quantized(self.multiple(self.bw, 1.0))
                || self.round > self.drain_round + DRAIN_ROUNDS)
        {
            self.start_down(ack.now);
        }
    }

    fn is_too_high(&self, sample: &Sample) -> bool {
        sample.lost > sample.tx_in_flight * self.p.loss_thresh
    }

    /// HandleLostPacket (5.5.10.2), for all packets that an acknowledgement told to be lost at once.
    fn handle_lost(&mut self, ack: &Ack, sample: &Sample) {
        if ack.lost <= 0.0 || !self.is_probe_sample || !self.is_too_high(sample) {
            return;
        }
        self.probe_too_high = true;
        self.is_probe_sample = false;
        if !sample.app_limited {
            let inflight = (sample.tx_in_flight - ack.lost).max(0.0);
            let before = sample.lost - ack.lost;
            let prefix = ((self.p.loss_thresh * inflight - before) / (1.0 - self.p.loss_thresh)).max(0.0);
            self.inflight_longterm = (inflight + prefix).max(self.target_inflight() * self.p.beta);
        }
        if self.state == State::Up {
            self.start_down(ack.now);
        }
    }

    /// AdaptLongTermModel (5.3.3.6); whether it decided the next state.
    fn adapt_longterm(&mut self, ack: &Ack, sample: &Sample) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.round_start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.round_start {
            self.is_probe_sample = false;
            self.ack_phase = AckPhase::Init;
            if self.in_probe_bw() {
                if !sample.app_limited {
                    self.cycle += 1;
                }
                if self.probe_precautionary && !self.probe_too_high {
                    self.start_refill();
                    return true;
                }
            }
        }
        if !self.is_too_high(sample) && self.inflight_longterm.is_finite() {
            self.inflight_longterm = self.inflight_longterm.max(sample.tx_in_flight);
            if self.state == State::Up && ack.cwnd_limited && self.cwnd >= self.inflight_longterm {
                self.up_acked += ack.acked;
                if self.up_acked >= self.up_acked_per_increment {
                    let delta = libm::floor(self.up_acked / self.up_acked_per_increment);
                    self.up_acked -= delta * self.up_acked_per_increment;
                    self.inflight_longterm += delta;
                }
                if self.round_start {
                    self.raise_slope();
                }
            }
        }
        false
    }

    /// UpdateProbeBWCyclePhase.
    fn advance_cycle(&mut self, ack: &Ack, sample: &Sample) {
        if !self.full_reached || self.adapt_longterm(ack, sample) {
            return;
        }
        let bdp = |bw| self.multiple(bw, 1.0);
        match self.state {
            State::Down | State::Cruise => {
                let waited = ack.now > self.cycle_since.saturating_add(self.probe_wait);
                let rounds = self.target_inflight().min(MAX_RENO_ROUNDS);
                if waited || self.rounds_since_up as f64 >= rounds {
                    self.start_refill();
                } else if self.state == State::Down
                    && ack.in_flight <= self.with_headroom()
                    && ack.in_flight <= self.quantized(bdp(self.max_bw.get()))
                {
                    self.state = State::Cruise;
                }
            }
            State::Refill if self.round_start => {
                self.is_probe_sample = true;
                self.start_up(sample);
            }
            State::Up => {
                if self.probe_too_high && ack.in_flight >= self.inflight_longterm {
                    self.probe_precautionary = true;
                } else if ack.cwnd_limited && self.cwnd >= self.inflight_longterm {
                    self.reset_full();
                    self.full_bw = sample.rate;
                    return;
                } else if !self.full_now {
                    return;
                }
                self.probe_too_high = false;
                self.start_down(ack.now);
            }
            _ => {}
        }
    }

    /// UpdateMinRTT and CheckProbeRTT (5.3.4.3).
    fn update_min_rtt(&mut self, ack: &Ack) {
        let expired = ack.now > self.min_rtt_at.saturating_add(self.p.min_rtt_window);
        let probes = self.state == State::ProbeRtt;
        if expired && !probes {
            self.probe_rtt_cwnd = self.multiple(self.bw, PROBE_RTT_CWND_GAIN).max(MIN_PIPE);
        }
        if let Some(rtt) = ack.rtt
            && (expired || self.min_rtt.is_none_or(|min| rtt < min))
        {
            self.min_rtt = Some(rtt);
            self.min_rtt_at = ack.now;
        }
        if expired && !probes && !self.idle {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.probe_rtt_until = None;
            self.ack_phase = AckPhase::ProbeStopping;
            self.start_round();
        }
        self.idle = false;
        if self.state != State::ProbeRtt {
            return;
        }
        self.rate.mark_app_limited(ack.in_flight);
        match self.probe_rtt_until {
            None if ack.in_flight <= self.probe_rtt_cwnd => {
                self.probe_rtt_until = Some(ack.now.saturating_add(self.p.probe_rtt));
                self.probe_rtt_round_done = false;
                self.start_round();
            }
            Some(until) => {
                self.probe_rtt_round_done |= self.round_start;
                if self.probe_rtt_round_done && ack.now > until {
                    self.exit_probe_rtt(ack.now);
                }
            }
            None => {}
        }
    }

    fn exit_probe_rtt(&mut self, now: Time) {
        self.min_rtt_at = now;
        self.restore_cwnd();
        self.reset_shortterm();
        if self.full_reached {
            self.start_down(now);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }

    // 5.6: what follows for the sender

    fn save_cwnd(&mut self) {
        let disturbed = self.recovering || self.state == State::ProbeRtt;
        self.prior_cwnd = if disturbed { self.prior_cwnd.max(self.cwnd) } else { self.cwnd };
    }

    fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
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

    fn set_cwnd(&mut self, ack: &Ack) {
        let most = self.quantized(self.multiple(self.bw, self.cwnd_gain()) + self.extra_acked.get());
        if self.full_reached {
            self.cwnd = (self.cwnd + ack.acked).min(most);
        } else if self.cwnd < most || self.rate.delivered < self.initial_window {
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
        // flows that started apart probe apart
        self.draw = (now.as_ps() % 1_000_003) as f64 / 1_000_003.0;
        if rtt > Time::ZERO {
            self.set_pacing_rate(STARTUP_PACING_GAIN * self.initial_window / rtt.as_secs_f64());
        }
    }

    #[inline]
    fn on_sent(&mut self, sent: &Sent) -> Stamp {
        if !sent.cwnd_limited {
            self.rate.mark_app_limited(sent.in_flight);
        }
        self.rate.on_sent(sent)
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        let mut news = self.rate.news(ack);
        news.lost += std::mem::take(&mut self.lost_unjudged);
        let ack = &news;
        if let Some(rate) = self.rate.on_ack(ack) {
            let sample = Sample {
                rate: rate.rate.unwrap_or(0.0),
                lost: rate.lost,
                tx_in_flight: rate.tx_in_flight,
                app_limited: rate.app_limited,
            };
            self.handle_lost(ack, &sample);
            self.update_signals(ack, &rate);
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
        self.round_start = false;
        self.update_aggregation(ack);
        self.check_drain(ack);
        self.update_min_rtt(ack);
        self.set_cwnd(ack);
    }

    fn on_loss(&mut self, _loss: &Loss) {
        self.save_cwnd();
        self.recovering = true;
        (self.loss_events, self.startup_lossy_rounds) = (0, 0);
    }

    fn on_recovered(&mut self, _now: Time) {
        self.recovering = false;
        self.restore_cwnd();
    }

    fn on_timeout(&mut self, _timeout: &Timeout) {
        self.save_cwnd();
        self.recovering = false;
        self.cwnd = 1.0;
    }

    fn on_spurious_timeout(&mut self, window: f64) {
        self.reset_full();
        self.cwnd = self.cwnd.max(self.prior_cwnd.min(window));
    }

    fn on_ecn(&mut self, _mark: &Loss) {
        // the draft specifies no reaction to marks
    }

    fn on_idle(&mut self, _restart_window: f64) {
        // 5.4.1
        self.idle = true;
        if self.in_probe_bw() {
            self.set_pacing(1.0);
        }
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
}
