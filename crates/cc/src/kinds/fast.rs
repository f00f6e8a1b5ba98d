//! FAST TCP: a window that keeps `alpha` packets of this flow queued along the path.
//!
//! [`FastLaw`] is the window law and the controller around it. Its type parameter computes the mean round-trip time:
//! [`FastAverage`] for `fast`, eq. 4 of the VFAST paper for `vfast`.
//!
//! The law is `w <- min(2 w, (1 - gamma) w + gamma (w_then baseRTT / avgRTT + alpha))` with `w_then` the packets in flight
//! when the acknowledged packet was sent (Jin, Wei and Low, INFOCOM 2004; eq. 2 of Ge et al. is its fluid form). In
//! equilibrium `x = alpha / q`, q the queueing delay of the whole round trip.
//!
//! The profile `clean` is that law once a round trip with fractional windows and paced packets. The profile `ns2-1.1.3`
//! behaves as the ns-2 module of that version did: updates on a 10 ms timer in every other round trip, whole packets,
//! ACK-clocked.

pub(crate) mod ack_backlog;
pub(crate) mod ageing;
pub(crate) mod clock_drift;
pub(crate) mod delay;
pub(crate) mod drain;
mod ns2_module;
pub(crate) mod one_way;
pub(crate) mod options;
pub(crate) mod rate_correction;

use eddyline_units::{Packets, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Controller, Loss, PathFacts, Sent, Stamp, Timeout};
use crate::kinds::fast::delay::Delay;
use crate::kinds::fast::drain::{DrainChoice, Pauses, Step};
use crate::kinds::fast::ns2_module::Ns2Module;
use crate::kinds::fast::options::{Asked, DelayOptions, Options};
use crate::kinds::fast::rate_correction::RateCorrectionParams;
use crate::parts::base_rtt::{BaseRtt, BaseRttSource};
use crate::properties::{AlphaChoice, Describe, Properties};

/// Implementation details that the equations leave open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum FastProfile {
    /// The law once a round trip, fractional windows, paced.
    #[default]
    #[serde(rename = "clean")]
    Clean,
    /// As the ns-2 module 1.1.3: timer updates in every other round trip, whole packets, ACK-clocked.
    #[serde(rename = "ns2-1.1.3")]
    Ns2,
}

/// Parameters of `fast`. Parameters that are left out take the profile's value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FastParams {
    /// Packets to keep queued along the path.
    #[schemars(extend("x-exclusiveMinimum" = 0))]
    pub alpha: Packets,
    /// Gain of an update: the share of the difference to the target by which the window moves, in (0, 1].
    #[serde(default = "half")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub gamma: f64,
    /// Implementation details that the equations leave open.
    #[serde(default)]
    pub profile: FastProfile,
    /// Where the base round-trip time comes from.
    #[serde(default)]
    pub base_rtt: BaseRttSource,
    /// Queueing delay below which the window grows by the packets acknowledged: it doubles each round trip, or with pacing grows 1.76
    /// times.
    #[serde(default = "mi_threshold")]
    pub mi_threshold: Time,
    /// Minimum time between two updates of the window. Clean: 0 s (one update a round trip); ns2-1.1.3: 10 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_period: Option<Time>,
    /// Average: weight of a sample is `min(filter_gain / N, filter_cap)`, N the window (clean) or the packets in flight.
    #[serde(default = "filter_gain")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub filter_gain: f64,
    /// Maximum weight of a sample, in (0, 1]. Clean: 1/4; ns2-1.1.3: 1/256.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub filter_cap: Option<f64>,
    /// Packets that may be in flight beyond the window while pacing.
    #[serde(default = "one_packet")]
    pub pacing_slack: Packets,
    /// Window after a loss, as a share of the previous window, in (0, 1].
    #[serde(default = "half")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub loss_factor: f64,
    /// Window after a timeout, at least one packet.
    #[serde(default = "two_packets")]
    #[schemars(extend("x-minimum" = 1))]
    pub timeout_window: Packets,
    /// Minimum window, at least one packet.
    #[serde(default = "two_packets")]
    #[schemars(extend("x-minimum" = 1))]
    pub min_window: Packets,
    /// Which queueing delay is the congestion signal: `round_trip`, `forward` or `weighted`; the latter two need `tcp.timestamps`.
    #[serde(default, skip_serializing_if = "is_round_trip")]
    pub delay: Delay,
    /// Maximum number of acknowledgements to keep queued on the reverse path: the sender asks the receiver to acknowledge several
    /// packets together (as in RFC 5690). Needs a one-way `delay`. Default: the receiver decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-exclusiveMinimum" = 0))]
    pub ack_alpha: Option<Packets>,
    /// The base round-trip time is the minimum over this time. Default: over the whole connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-minimum" = "10 ms"))]
    pub base_rtt_age: Option<Time>,
    /// Pauses that let the queue drain: true, every 10 s or 100 round trips; false; or a table. Default: false; true with a one-way
    /// `delay`, which needs them to distinguish clock drift from queueing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain: Option<DrainChoice>,
    /// One pause of a new flow once it has converged. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_correction: Option<RateCorrectionParams>,
}

impl FastParams {
    /// The pauses that drain the queue, if there are any.
    #[must_use]
    pub fn pauses(&self) -> Option<Pauses> {
        DrainChoice::pauses(self.drain.as_ref(), self.delay.is_one_way())
    }

    /// The options of delay measurement.
    #[must_use]
    pub fn delay_options(&self) -> DelayOptions {
        DelayOptions {
            delay: self.delay,
            ack_alpha: self.ack_alpha,
            base_rtt: self.base_rtt,
            base_rtt_age: self.base_rtt_age,
            drain: DrainChoice::pauses(self.drain.as_ref(), false).is_some(),
            rate_correction: self.rate_correction.is_some(),
        }
    }
}

impl Describe for FastParams {
    const PROPERTIES: Properties = Properties {
        alpha: Some(AlphaChoice { delay_s: 0.005, min_packets: 4.0, access_packets: 10.0 }),
        ..Properties::DELAY_BASED
    };
}

const fn is_round_trip(delay: &Delay) -> bool {
    matches!(delay, Delay::RoundTrip)
}

const fn half() -> f64 {
    0.5
}

const fn filter_gain() -> f64 {
    3.0
}

const fn mi_threshold() -> Time {
    Time::from_ps(750_000_000)
}

const fn one_packet() -> Packets {
    Packets::new(1.0)
}

const fn two_packets() -> Packets {
    Packets::new(2.0)
}

/// Below this share of the window, the packets in flight have not caught up with it yet; jitter alone leaves no such gap.
const LAGGING: f64 = 0.75;

/// The mean round-trip time of the window law, in picoseconds; 0 before the first sample.
pub trait MeanRtt {
    /// Takes the first sample, that of the handshake.
    fn start(&mut self, sample: f64);

    /// Takes a sample and returns the mean. `per_packets` is the reciprocal of the number of packets that share the weight.
    fn update(&mut self, ack: &Ack, sample: f64, per_packets: f64) -> f64;

    /// The weight that this sample would get.
    fn weight(&self, sample: f64, per_packets: f64) -> f64;

    /// The mean.
    fn get(&self) -> f64;

    /// The retransmission timeout, if this estimator defines one; `min_rto` is its lower bound.
    fn timeout(&self, _min_rto: Time) -> Option<Time> {
        None
    }
}

/// FAST's average: the weight of a sample is `min(gain / N, cap)`, N the window or the packets in flight.
#[derive(Debug, Clone, Copy)]
pub struct FastAverage {
    gain: f64,
    cap: f64,
    average: f64,
}

impl FastAverage {
    pub(crate) fn new(p: &FastParams) -> Self {
        let cap = p.filter_cap.unwrap_or(if p.profile == FastProfile::Ns2 { 1.0 / 256.0 } else { 0.25 });
        Self { gain: p.filter_gain, cap, average: 0.0 }
    }
}

impl MeanRtt for FastAverage {
    fn start(&mut self, sample: f64) {
        self.average = sample;
    }

    #[inline]
    fn update(&mut self, _ack: &Ack, sample: f64, per_packets: f64) -> f64 {
        if self.average == 0.0 {
            self.average = sample;
        } else {
            self.average += self.weight(sample, per_packets) * (sample - self.average);
        }
        self.average
    }

    #[inline]
    fn weight(&self, _sample: f64, per_packets: f64) -> f64 {
        let share = self.gain * per_packets;
        // neither is NaN, which `min` would look for
        if share < self.cap { share } else { self.cap }
    }

    fn get(&self) -> f64 {
        self.average
    }
}

/// FAST.
pub type Fast = FastLaw<FastAverage>;

impl Fast {
    /// A sender at its initial window.
    #[must_use]
    pub fn new(p: &FastParams, facts: &PathFacts) -> Self {
        Self::with(p, facts, FastAverage::new(p))
    }
}

/// The window law's state for one flow.
// in the order of use: what an acknowledgement reads is together
#[derive(Debug, Clone)]
#[repr(C)]
pub struct FastLaw<M> {
    window: f64,
    /// Reciprocal of the window, needed per packet but changed once a round trip.
    per_window: f64,
    /// The latest sample in picoseconds, zero before the first; it sets the pacing rate.
    last_ps: f64,
    base: BaseRtt,
    mean: M,
    threshold_ps: f64,
    slack: f64,
    /// Packets sent before this belong to the previous round trip.
    round: Time,
    /// Minimum time between two updates.
    period: Time,
    /// State of the profile `ns2-1.1.3`.
    module: Option<Box<Ns2Module>>,
    /// Options, if any is set.
    options: Option<Box<Options>>,
    /// Round-trip time over the part of it that is a congestion signal: 1, or more if queueing of acknowledgements is not a signal.
    /// Alpha is multiplied by it; gamma is divided by it, because a change of the window shows that much later.
    scale: f64,
    alpha: f64,
    gamma: f64,
    floor: f64,
    loss_factor: f64,
    timeout_window: f64,
    /// The window before the last timeout.
    previous_window: f64,
}

impl<M: MeanRtt> FastLaw<M> {
    /// A sender at its initial window that takes mean round-trip times from `mean`.
    pub(crate) fn with(p: &FastParams, facts: &PathFacts, mean: M) -> Self {
        let ns2 = p.profile == FastProfile::Ns2;
        let period = p.update_period.unwrap_or(if ns2 { Time::from_ms(10) } else { Time::ZERO });
        let floor = p.min_window.get().max(1.0);
        Self {
            window: facts.initial_window.max(floor),
            scale: 1.0,
            per_window: 1.0 / facts.initial_window.max(floor),
            base: BaseRtt::new(p.base_rtt, facts),
            mean,
            last_ps: 0.0,
            round: Time::ZERO,
            period,
            alpha: p.alpha.get(),
            gamma: p.gamma,
            threshold_ps: p.mi_threshold.as_ps() as f64,
            slack: p.pacing_slack.get(),
            floor,
            loss_factor: p.loss_factor,
            timeout_window: p.timeout_window.get().max(floor),
            previous_window: 0.0,
            module: ns2.then(|| Box::new(Ns2Module::new())),
            options: Options::new(
                &Asked {
                    delay: p.delay,
                    ack_alpha: p.ack_alpha,
                    base_rtt_age: p.base_rtt_age,
                    drain: p.drain.as_ref(),
                    rate_correction: p.rate_correction.as_ref(),
                },
                facts,
            ),
        }
    }

    /// Takes a sample; returns (base, mean) in picoseconds. See [`MeanRtt::update`] for `per_packets`.
    #[inline(always)]
    fn measure(&mut self, ack: &Ack, rtt: Time, per_packets: f64) -> (f64, f64) {
        let base = self.base.sample(rtt).as_ps_f64();
        let sample = rtt.as_ps_f64();
        self.last_ps = sample;
        (base, self.mean.update(ack, sample, per_packets))
    }

    /// As [`measure`](Self::measure), with options: mean less base is the delay that is the congestion signal. None while the window
    /// is down to drain the queue and the window law is suspended.
    #[cold]
    #[inline(never)]
    fn measure_by_options(&mut self, ack: &Ack, rtt: Time, per_packets: f64) -> Option<(f64, f64)> {
        let mut options = self.options.take()?;
        options.sample(ack.now, rtt, &mut self.base);
        let paused = options.is_of_a_pause(ack);
        let mut sample = rtt.as_ps() as f64;
        let weight = (!paused).then(|| self.mean.weight(sample, per_packets));
        let (mut base, mut avg) = if paused {
            (self.base.sample(rtt).as_ps() as f64, self.mean.get())
        } else {
            self.measure(ack, rtt, per_packets)
        };
        if let Some(split) = options.split(ack, rtt, weight) {
            // the law uses the round-trip time less the delay that is no signal
            let counted = (avg - split.uncounted).max(1.0);
            sample -= split.uncounted_now;
            if !paused && !ack.in_recovery {
                // a change of the acknowledgements' delay changes the packets in flight, not the rate
                let previous = (avg - split.change).max(counted);
                self.set_window((self.window * (avg / previous)).max(self.floor));
                // pacing follows the delay that is a signal, and ignores that change
                self.last_ps = (sample + split.uncounted).max(1.0);
            }
            self.scale = (avg / counted).max(1.0);
            (base, avg) = ((counted - split.counted).max(0.0), counted);
        }
        options.ask(ack, rtt, self.window, paused);
        let step = if ack.in_recovery {
            Step::None
        } else {
            // a sample instead of the mean: a queue is empty for short moments only
            options.pause(ack, rtt, self.window, sample - base < self.threshold_ps)
        };
        self.options = Some(options);
        match step {
            Step::None => return (!paused).then_some((base, avg)),
            Step::Stay => {}
            Step::Down(window) | Step::Back(window) => self.set_window(window.max(self.floor)),
        }
        None
    }

    #[inline]
    fn set_window(&mut self, window: f64) {
        self.window = window;
        self.per_window = 1.0 / window;
    }

    /// The target of the window law before its limits are applied.
    #[inline]
    fn aim(&self, window_then: f64, base: f64, avg: f64) -> f64 {
        let gamma = self.gamma / self.scale;
        (1.0 - gamma) * self.window + gamma * (window_then * base / avg + self.alpha * self.scale)
    }

    /// An acknowledgement as the ns-2 module takes it.
    #[inline(never)]
    fn step_of_module(&mut self, ack: &Ack) {
        let Some(mut module) = self.module.take() else { return };
        if ack.in_recovery {
            module.suspend(ack.now);
        } else {
            module.acknowledged(ack.in_flight);
            if let Some((base_ps, mean_ps)) = self.measure_of_module(ack, 1.0 / module.in_flight()) {
                // the module uses its average in place of a sample, which a retransmission does not give
                let rtt_ps = ack.rtt.map_or(mean_ps, |rtt| rtt.as_ps() as f64);
                module.count(ack.now, rtt_ps);
                if mean_ps - base_ps < self.threshold_ps {
                    module.suspend(ack.now);
                    if ack.cwnd_limited {
                        self.set_window(self.window + 1.0);
                    }
                } else {
                    let aim = self.aim(f64::from(ack.stamp.remembered), base_ps, mean_ps).max(self.floor);
                    let (now, window, period) = (ack.now, self.window, self.period);
                    self.set_window(module.step(&ns2_module::Step { now, base_ps, mean_ps, window, aim, period }));
                }
            }
        }
        self.module = Some(module);
    }

    fn measure_of_module(&mut self, ack: &Ack, per_packets: f64) -> Option<(f64, f64)> {
        match ack.rtt {
            None => Some((self.base.get()?.as_ps() as f64, self.mean.get())),
            Some(rtt) if self.options.is_none() => Some(self.measure(ack, rtt, per_packets)),
            Some(rtt) => self.measure_by_options(ack, rtt, per_packets),
        }
    }

    /// The window law.
    #[inline]
    fn target(&self, window_then: f64, base: f64, avg: f64) -> f64 {
        self.aim(window_then, base, avg).min(2.0 * self.window).max(self.floor)
    }
}

impl<M: MeanRtt> Controller for FastLaw<M> {
    fn on_handshake(&mut self, now: Time, rtt: Time) {
        self.base.sample(rtt);
        self.last_ps = rtt.as_ps() as f64;
        self.mean.start(self.last_ps);
        if let Some(options) = &mut self.options {
            options.start(now.saturating_sub(rtt));
        }
        if let Some(module) = &mut self.module {
            module.start(now, rtt);
        }
    }

    #[inline]
    fn on_sent(&mut self, sent: &Sent) -> Stamp {
        // A paced sender has `w` packets in flight on average, but a whole number at any moment. A bias of half a packet
        // would change alpha by half a packet, so the window itself is used, unless the flow is limited by something else
        // or the packets in flight have not caught up with a window that has just grown.
        let whole = !sent.cwnd_limited || sent.in_flight < LAGGING * self.window;
        let in_flight = match &self.module {
            Some(module) => module.in_flight(),
            None if whole => sent.in_flight,
            None => self.window,
        };
        Stamp { remembered: in_flight as f32 }
    }

    #[inline(always)]
    fn on_ack(&mut self, ack: &Ack) {
        if self.module.is_some() {
            // copies here and below, so that the event can stay in registers otherwise
            self.step_of_module(&{ *ack });
            return;
        }
        let Some(rtt) = ack.rtt else { return };
        let (base, avg) = if self.options.is_none() {
            self.measure(ack, rtt, self.per_window)
        } else {
            let Some(measured) = self.measure_by_options(&{ *ack }, rtt, self.per_window) else { return };
            measured
        };
        if ack.in_recovery {
            return;
        }
        if avg - base < self.threshold_ps {
            if ack.cwnd_limited {
                // twice at most: without SACK an acknowledgement may cover packets that had arrived before a timeout
                self.set_window(self.window + ack.acked.min(self.window));
            }
        } else if ack.sent_at >= self.round && ack.now.saturating_sub(self.round) >= self.period {
            self.set_window(self.target(f64::from(ack.stamp.remembered), base, avg));
            self.round = ack.now;
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.round = loss.now;
        if let Some(options) = &mut self.options {
            options.abandon(loss.now, false);
        }
        self.set_window((self.window * self.loss_factor).max(self.floor));
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.round = timeout.now;
        if let Some(options) = &mut self.options {
            options.abandon(timeout.now, true);
        }
        if !timeout.repeated {
            self.previous_window = self.window;
        }
        self.set_window(self.timeout_window);
    }

    fn on_spurious_timeout(&mut self, window: f64) {
        self.set_window(window.min(self.previous_window).max(self.window));
    }

    fn on_idle(&mut self, restart_window: f64) {
        self.set_window(self.window.min(restart_window).max(self.floor));
    }

    #[inline]
    fn window(&self) -> f64 {
        self.window
    }

    #[inline]
    fn flight_limit(&self, paced: bool) -> f64 {
        if paced { self.window + self.slack } else { self.window }
    }

    #[inline]
    fn pacing_interval(&self) -> Option<Time> {
        (self.module.is_none() && self.last_ps > 0.0).then(|| {
            // positive; a signed integer takes half the instructions
            Time::from_ps(((self.last_ps * self.per_window) as i64).cast_unsigned())
        })
    }

    #[inline]
    fn base_rtt(&self) -> Option<Time> {
        self.base.get()
    }

    fn decides_on_sent(&self) -> bool {
        false
    }

    fn ack_ratio(&self) -> Option<u32> {
        // at least two acknowledgements a window (RFC 5690, 4.5), also in a pause
        let max_ratio = ((self.window / 2.0) as u32).max(1);
        self.options.as_ref().and_then(|o| o.ack_ratio()).map(|ratio| ratio.min(max_ratio))
    }

    fn retransmission_timeout(&self, min_rto: Time) -> Option<Time> {
        self.mean.timeout(min_rto)
    }
}
