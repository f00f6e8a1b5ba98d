//! LEDBAT (RFC 6817): a background transport that yields as the queue of the forward path nears a target delay. LEDBAT++
//! (draft-irtf-iccrg-ledbat-plus-plus) improves its slow start, its fairness and its latency drift.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Controller, Loss, PathFacts, Timeout};
use crate::parts::base_rtt::BaseRttSource;
use crate::parts::boxed::Boxed;
use crate::parts::round_trips::Round;
use crate::parts::windowed_min::WindowedMin;
use crate::properties::{Describe, Properties};

/// Version of the algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum LedbatProfile {
    /// RFC 6817: one-way delay, target 100 ms.
    #[default]
    #[serde(rename = "rfc6817")]
    Rfc6817,
    /// LEDBAT++: round-trip delay, target 60 ms, slower growth, multiplicative decrease, periodic slowdowns.
    #[serde(rename = "ledbat++")]
    PlusPlus,
}

/// Parameters of `ledbat`. Parameters that are left out take the profile's value.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LedbatParams {
    /// Version of the algorithm.
    #[serde(default)]
    pub profile: LedbatProfile,
    /// Queueing delay to keep (TARGET). rfc6817: 100 ms; ledbat++: 60 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-minimum" = "1 us"))]
    pub target: Option<Time>,
    /// Packets a round trip at no queueing delay (GAIN), at most 1. rfc6817: 1; ledbat++: 1 / min(16, ceil(2 TARGET / base)).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub gain: Option<f64>,
    /// Where the base delay comes from: the minimum of the last ten minutes, or the known round-trip time; with the latter `rfc6817`
    /// measures round trips too.
    #[serde(default)]
    pub base_rtt: BaseRttSource,
}

impl LedbatParams {
    /// Whether it goes by the delay of the round trip, not by that of the data's way alone.
    #[must_use]
    pub fn measures_round_trips(&self) -> bool {
        self.profile == LedbatProfile::PlusPlus || self.base_rtt == BaseRttSource::Known
    }
}

impl Describe for LedbatParams {
    const PROPERTIES: Properties = Properties::DELAY_BASED;
}

/// Minimum and initial window (MIN_CWND, INIT_CWND).
const MIN_WINDOW: f64 = 2.0;
/// Packets by which the window may exceed the packets in flight (ALLOWED_INCREASE).
const ALLOWED_INCREASE: f64 = 1.0;
/// Minutes of history of the base delay (BASE_HISTORY).
const BASE_HISTORY: usize = 10;
const MINUTES: Time = Time::from_ms(600_000);
/// Samples whose minimum is the current delay (CURRENT_FILTER).
const CURRENT_FILTER: usize = 4;
/// LEDBAT++: slow start ends at this share of the target.
const START_SHARE: f64 = 0.75;
/// LEDBAT++: the decrease per round trip at twice the target, in windows (Constant).
const DECREASE: f64 = 1.0;
/// LEDBAT++: round trips of a slowdown, and the time to the next one in durations of the last.
const SLOWDOWN_ROUNDS: u32 = 2;
const SLOWDOWN_EVERY: u64 = 9;

/// State of LEDBAT++.
#[derive(Debug, Clone, Copy)]
enum Phase {
    SlowStart,
    /// Until the next slowdown.
    Avoidance {
        slowdown_at: Time,
    },
    /// Two packets for so many more round trips, then slow start up to `back_to`.
    Slowdown {
        rounds: u32,
        since: Time,
    },
    Return {
        since: Time,
    },
}

/// LEDBAT and LEDBAT++.
pub type Ledbat = Boxed<State>;

/// Their state.
#[derive(Debug, Clone)]
pub struct State {
    plus: bool,
    round_trips: bool,
    known_ps: Option<f64>,
    target_ps: f64,
    gain: Option<f64>,
    cwnd: f64,
    base: WindowedMin<BASE_HISTORY>,
    current: [f64; CURRENT_FILTER],
    samples: usize,
    round: Round,
    phase: Phase,
    /// Window to return to after a slowdown or a timeout.
    back_to: f64,
    /// Window, phase and `back_to` before the last timeout.
    before_timeout: Option<(f64, Phase, f64)>,
}

impl Ledbat {
    /// A sender at its initial window.
    #[must_use]
    pub fn new(p: &LedbatParams, facts: &PathFacts) -> Self {
        Self(Box::new(State::new(p, facts)))
    }
}

impl State {
    fn new(p: &LedbatParams, facts: &PathFacts) -> Self {
        let plus = p.profile == LedbatProfile::PlusPlus;
        let known = facts.known_base_rtt.filter(|_| p.base_rtt == BaseRttSource::Known);
        let phase = if plus { Phase::SlowStart } else { Phase::Avoidance { slowdown_at: Time::MAX } };
        let target = p.target.unwrap_or(Time::from_ms(if plus { 60 } else { 100 }));
        Self {
            plus,
            round_trips: p.measures_round_trips(),
            known_ps: known.map(|t| t.as_ps() as f64),
            target_ps: (target.as_ps() as f64).max(1.0),
            gain: p.gain.or(if plus { None } else { Some(1.0) }),
            cwnd: MIN_WINDOW,
            base: WindowedMin::new(),
            current: [f64::INFINITY; CURRENT_FILTER],
            samples: 0,
            round: Round::default(),
            phase,
            back_to: f64::INFINITY,
            before_timeout: None,
        }
    }

    fn base_ps(&self) -> f64 {
        self.known_ps.or_else(|| self.base.get()).unwrap_or(0.0)
    }

    /// Takes a delay and returns the queueing delay (RFC 6817, 2.4.2).
    fn queueing(&mut self, ack: &Ack) -> Option<f64> {
        let delay = if self.round_trips { ack.rtt } else { Some(ack.received_at.saturating_sub(ack.sent_at)) };
        if let Some(delay) = delay {
            let delay = delay.as_ps() as f64;
            self.base.update(ack.now, delay, MINUTES);
            self.current[self.samples % CURRENT_FILTER] = delay;
            self.samples += 1;
        }
        if self.samples == 0 {
            return None;
        }
        let current = self.current.iter().copied().fold(f64::INFINITY, f64::min);
        Some((current - self.base_ps()).max(0.0))
    }

    /// LEDBAT++, 4.1.
    fn gain(&self) -> f64 {
        self.gain.unwrap_or_else(|| {
            let steps = libm::ceil(2.0 * self.target_ps / self.base_ps().max(1.0));
            1.0 / steps.clamp(1.0, 16.0)
        })
    }

    /// RFC 6817, 2.4.2.
    fn linear(&mut self, ack: &Ack, queueing: f64) {
        let off_target = (self.target_ps - queueing) / self.target_ps;
        let step = self.gain() * off_target * ack.acked / self.cwnd;
        // the packets in flight before this acknowledgement, and one more
        let max_window = ack.in_flight + ack.acked + ALLOWED_INCREASE;
        // a sender that is paced has less in flight than its window after a reduction: the bound is for idle applications
        let (step, max_window) =
            if ack.cwnd_limited { (step, max_window.max(self.cwnd)) } else { (step.min(0.0), max_window) };
        self.cwnd = (self.cwnd + step).min(max_window).max(MIN_WINDOW);
    }

    /// LEDBAT++, 4.2: multiplicative decrease above the target, per acknowledged packet.
    fn multiplicative(&mut self, ack: &Ack, queueing: f64) {
        let gain = self.gain();
        let over = queueing / self.target_ps - 1.0;
        let a_round = if over < 0.0 { gain } else { (gain - DECREASE * self.cwnd * over).max(-self.cwnd / 2.0) };
        let step = a_round * ack.acked.min(self.cwnd) / self.cwnd;
        self.cwnd = (self.cwnd + if ack.cwnd_limited { step } else { step.min(0.0) }).max(MIN_WINDOW);
    }

    /// LEDBAT++, 4.3 and 4.4: slow start with a reduced gain, and slowdowns to measure the base delay.
    fn plus_plus(&mut self, ack: &Ack, queueing: f64, round_over: bool) {
        match self.phase {
            Phase::SlowStart | Phase::Return { .. } => {
                let returning = matches!(self.phase, Phase::Return { .. });
                let full = queueing > START_SHARE * self.target_ps;
                if (full && !returning) || self.cwnd >= self.back_to {
                    self.end_start(ack);
                } else if ack.cwnd_limited {
                    self.cwnd = (self.cwnd + ack.acked * self.gain()).min(self.back_to.max(self.cwnd));
                }
            }
            Phase::Avoidance { slowdown_at } if ack.now >= slowdown_at => self.slow_down(ack.now),
            Phase::Avoidance { .. } => self.multiplicative(ack, queueing),
            Phase::Slowdown { rounds, since } => {
                if round_over {
                    self.phase = if rounds > 1 {
                        Phase::Slowdown { rounds: rounds - 1, since }
                    } else {
                        Phase::Return { since }
                    };
                }
            }
        }
    }

    fn end_start(&mut self, ack: &Ack) {
        let rtt = ack.now.saturating_sub(ack.sent_at);
        let slowdown_at = match self.phase {
            // 4.4: nine times the duration of the last one
            Phase::Return { since } => ack.now.saturating_add((ack.now - since) * SLOWDOWN_EVERY),
            // the initial one, two round trips after slow start
            _ => ack.now.saturating_add(rtt * u64::from(SLOWDOWN_ROUNDS)),
        };
        self.phase = Phase::Avoidance { slowdown_at };
        self.back_to = f64::INFINITY;
    }

    fn slow_down(&mut self, now: Time) {
        self.back_to = self.cwnd;
        self.cwnd = MIN_WINDOW;
        self.phase = Phase::Slowdown { rounds: SLOWDOWN_ROUNDS, since: now };
        self.round.begin(now);
    }
}

impl Controller for State {
    fn on_handshake(&mut self, now: Time, rtt: Time) {
        self.base.start(now.saturating_sub(rtt));
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        let round_over = self.round.ends(ack);
        let Some(queueing) = self.queueing(ack) else { return };
        if ack.in_recovery {
            return;
        }
        if self.plus {
            self.plus_plus(ack, queueing, round_over);
        } else {
            self.linear(ack, queueing);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        // RFC 6817, 2.4.2: at most half, once a round trip
        self.cwnd = (self.cwnd / 2.0).max(MIN_WINDOW).min(self.cwnd);
        if self.plus {
            match self.phase {
                Phase::SlowStart => {
                    self.phase = Phase::Avoidance { slowdown_at: loss.now };
                }
                // the ramp after a slowdown ends at the current window
                Phase::Return { .. } => self.back_to = self.cwnd,
                Phase::Avoidance { .. } | Phase::Slowdown { .. } => self.back_to /= 2.0,
            }
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if !timeout.repeated {
            self.before_timeout = Some((self.cwnd, self.phase, self.back_to));
        }
        if self.plus {
            if !timeout.repeated {
                self.back_to = (timeout.flight_size / 2.0).max(MIN_WINDOW);
            }
            self.phase = Phase::Return { since: timeout.now };
        }
        self.cwnd = 1.0;
    }

    fn on_spurious_timeout(&mut self, window: f64) {
        if let Some((before, phase, back_to)) = self.before_timeout.take() {
            self.cwnd = self.cwnd.max(window.min(before));
            (self.phase, self.back_to) = (phase, back_to);
        }
    }

    fn on_idle(&mut self, restart_window: f64) {
        self.cwnd = self.cwnd.min(restart_window).max(1.0);
    }

    #[inline]
    fn window(&self) -> f64 {
        self.cwnd
    }

    fn base_rtt(&self) -> Option<Time> {
        (self.round_trips && self.samples > 0).then(|| Time::from_ps(self.base_ps() as u64))
    }
}
