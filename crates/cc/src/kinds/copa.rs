//! Copa (Arun and Balakrishnan, NSDI 2018): a target rate of `1 / (delta dq)`, approached with a velocity that doubles while the
//! direction stays the same, and a smaller delta in competition with buffer-filling flows.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Controller, Loss, PathFacts, Timeout};
use crate::parts::base_rtt::{BaseRtt, BaseRttSource};
use crate::parts::boxed::Boxed;
use crate::parts::round_trips::{Round, Smoothed};
use crate::parts::windowed_min::WindowedMin;
use crate::properties::{Describe, Properties};

/// Parameters of `copa`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CopaParams {
    /// Weight of delay in packets^-1: `1 / delta` packets are queued on average while the queue empties now and then (0.5).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub delta: f64,
    /// Enables the TCP-competitive mode (section 2.2).
    pub competitive: bool,
    /// Where the round-trip time without queueing comes from; estimated: the minimum over `min_rtt_window`.
    pub base_rtt: BaseRttSource,
    /// Time over which that minimum is taken (10 s).
    pub min_rtt_window: Time,
}

impl Default for CopaParams {
    fn default() -> Self {
        Self {
            delta: 0.5,
            competitive: true,
            base_rtt: BaseRttSource::Estimated,
            min_rtt_window: Time::from_ms(10_000),
        }
    }
}

impl Describe for CopaParams {
    const PROPERTIES: Properties = Properties::DELAY_BASED;
}

/// Minimum window.
const FLOOR: f64 = 2.0;
/// A queue is nearly empty below this share of the maximum queueing delay; the default mode needs that once in five round trips.
const NEARLY_EMPTY: f64 = 0.1;
const EMPTY_ROUNDS: u32 = 5;
/// Round trips in one direction after which the velocity doubles.
const STEADY_ROUNDS: u32 = 3;

/// Copa.
pub type Copa = Boxed<State>;

/// Its state.
#[derive(Debug, Clone)]
pub struct State {
    p: CopaParams,
    cwnd: f64,
    slow_start: bool,
    /// After a timeout: slow start up to here while all acknowledged packets are retransmissions, which give no sample.
    blind_until: f64,
    /// The window before the last timeout.
    before_timeout: f64,
    known: Option<Time>,
    min_rtt: WindowedMin<2>,
    /// RTTstanding: the minimum over the last half of a smoothed round-trip time.
    standing: WindowedMin<2>,
    /// Maximum of each of the last four round trips.
    max_rtt: [f64; 4],
    srtt: Smoothed,
    round: Round,
    rounds: usize,
    velocity: f64,
    /// Window at the beginning of the round trip, the direction of its change, and for how many round trips that direction has lasted.
    round_start_window: f64,
    up: bool,
    steady: u32,
    /// Round trips since the queue was nearly empty.
    full_rounds: u32,
    /// 1 / delta in the competitive mode.
    inverse_delta: f64,
    lost_in_round: bool,
    interval: Option<Time>,
}

impl Copa {
    /// A sender at its initial window.
    #[must_use]
    pub fn new(p: &CopaParams, facts: &PathFacts) -> Self {
        Self(Box::new(State::new(p, facts)))
    }
}

impl State {
    fn new(p: &CopaParams, facts: &PathFacts) -> Self {
        let cwnd = facts.initial_window.max(FLOOR);
        Self {
            p: *p,
            cwnd,
            slow_start: true,
            blind_until: 0.0,
            before_timeout: 0.0,
            known: match p.base_rtt {
                BaseRttSource::Known => BaseRtt::new(p.base_rtt, facts).get(),
                BaseRttSource::Estimated => None,
            },
            min_rtt: WindowedMin::new(),
            standing: WindowedMin::new(),
            max_rtt: [0.0; 4],
            srtt: Smoothed::default(),
            round: Round::default(),
            rounds: 0,
            velocity: 1.0,
            round_start_window: cwnd,
            up: true,
            steady: 0,
            full_rounds: 0,
            inverse_delta: 1.0 / p.delta,
            lost_in_round: false,
            interval: None,
        }
    }

    fn competes(&self) -> bool {
        self.p.competitive && self.full_rounds >= EMPTY_ROUNDS
    }

    fn inverse_delta(&self) -> f64 {
        if self.competes() { self.inverse_delta } else { 1.0 / self.p.delta }
    }

    fn base_ps(&self) -> Option<f64> {
        self.known.map(|t| t.as_ps() as f64).or_else(|| self.min_rtt.get())
    }

    /// Once a round trip: velocity (2.1), mode and delta (2.2).
    fn end_round(&mut self) {
        let up = self.cwnd > self.round_start_window;
        if up == self.up && !self.slow_start {
            self.steady += 1;
            if self.steady >= STEADY_ROUNDS {
                self.velocity *= 2.0;
            }
        } else {
            self.steady = 0;
            self.velocity = 1.0;
        }
        self.up = up;
        self.round_start_window = self.cwnd;
        if self.competes() {
            // AIMD of 1 / delta, never less aggressive than the default mode
            self.inverse_delta = if self.lost_in_round { self.inverse_delta / 2.0 } else { self.inverse_delta + 1.0 }
                .max(1.0 / self.p.delta);
        } else {
            self.inverse_delta = 1.0 / self.p.delta;
        }
        self.lost_in_round = false;
        self.full_rounds = self.full_rounds.saturating_add(1);
        self.rounds += 1;
        self.max_rtt[self.rounds % 4] = 0.0;
    }

    fn set_pacing(&mut self, standing: f64) {
        // 2.1: pacing at twice the rate, so that the window is the limit
        self.interval = Some(Time::from_ps((standing / (2.0 * self.cwnd)) as u64));
    }
}

impl Controller for State {
    fn on_handshake(&mut self, now: Time, rtt: Time) {
        self.min_rtt.start(now.saturating_sub(rtt));
        // no sample of RTTmin: short packets take less time to transmit, so that a queue of data packets would never look nearly empty
        let rtt = rtt.as_ps() as f64;
        self.srtt.update(rtt);
        self.set_pacing(rtt);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        let Some(sample) = ack.rtt else {
            if self.cwnd < self.blind_until {
                self.cwnd += ack.acked.min(1.0);
            }
            return;
        };
        let rtt = sample.as_ps() as f64;
        self.srtt.update(rtt);
        self.min_rtt.update(ack.now, rtt, self.p.min_rtt_window);
        let half = Time::from_ps((self.srtt.get().unwrap_or(rtt) / 2.0) as u64);
        self.standing.update(ack.now, rtt, half);
        let largest = &mut self.max_rtt[self.rounds % 4];
        *largest = largest.max(rtt);
        let (Some(base), Some(standing)) = (self.base_ps(), self.standing.get()) else { return };
        let queueing = (standing - base).max(0.0);
        // 2.2 goes by the smallest sample, also beside a known delay, which no packet with a transmission time comes near
        let least = self.min_rtt.get().unwrap_or(base);
        let max_queueing = self.max_rtt.iter().copied().fold(0.0, f64::max) - least;
        if standing - least < NEARLY_EMPTY * max_queueing || max_queueing <= 0.0 {
            self.full_rounds = 0;
        }
        if self.round.ends(ack) {
            self.end_round();
        }
        // equation 1: the target rate 1 / (delta dq), against cwnd / RTTstanding
        let too_slow = self.cwnd * queueing <= self.inverse_delta() * standing;
        // without SACK an acknowledgement may cover more than a round trip delivers: packets that had arrived before a timeout
        let acked = ack.acked.min(self.cwnd);
        if ack.cwnd_limited || !too_slow {
            if self.slow_start && too_slow {
                self.cwnd += acked;
            } else {
                self.slow_start = false;
                let step = (self.velocity * self.inverse_delta() * acked / self.cwnd).min(acked);
                // a change of direction within the round trip resets the velocity
                if too_slow != self.up && self.velocity > 1.0 {
                    self.velocity = 1.0;
                    self.steady = 0;
                }
                self.cwnd = if too_slow { self.cwnd + step } else { self.cwnd - step }.max(FLOOR);
            }
        }
        self.set_pacing(standing);
    }

    fn on_loss(&mut self, loss: &Loss) {
        // 2.2: the default mode does not react to loss, the competitive one by its delta
        self.lost_in_round = true;
        if std::mem::take(&mut self.slow_start) {
            // but a slow start that has overflowed the buffer undoes its last doubling
            self.cwnd = self.cwnd.min(loss.flight_size / 2.0).max(FLOOR);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if !timeout.repeated {
            self.blind_until = timeout.flight_size / 2.0;
            self.before_timeout = self.cwnd;
        }
        self.cwnd = FLOOR;
        self.velocity = 1.0;
        self.steady = 0;
    }

    fn on_spurious_timeout(&mut self, window: f64) {
        self.cwnd = self.cwnd.max(window.min(self.before_timeout));
    }

    fn on_idle(&mut self, restart_window: f64) {
        self.cwnd = self.cwnd.min(restart_window).max(FLOOR);
        // else the restart window would leave at the pace of the window before the pause
        if let Some(rtt) = self.standing.get().or(self.srtt.get()) {
            self.set_pacing(rtt);
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
        self.base_ps().map(|ps| Time::from_ps(ps as u64))
    }
}
