//! `on_off`: bursts at a constant peak rate between silences, both of random length.
//!
//! The clock of the packets runs only while the source is on, and is not reset between bursts: a burst shorter than a packet's
//! spacing brings the next packet closer instead of being rounded up to a packet. So the mean rate is exactly the peak rate times the
//! share of time on, for any burst lengths.

use eddyline_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::distributions::{exponential, pareto};
use super::exact_interval::ExactInterval;
use super::model::{Emission, Setup};
use super::trace_text::Trace;
use crate::ParamError;
use crate::random::Stream;

/// How burst and silence lengths are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PeriodDistribution {
    /// Exponential.
    #[default]
    Exponential,
    /// Pareto with tail exponent `shape`: many such sources together are self-similar when it lies between 1 and 2.
    Pareto,
}

/// Parameters of `on_off`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnOffParams {
    /// Peak rate on the wire, while on.
    #[schemars(extend("x-exclusiveMinimum" = 0))]
    pub rate: Rate,
    /// Mean length of a burst, at least 1 us.
    #[schemars(extend("x-minimum" = "1 us"))]
    pub on: Time,
    /// Mean length of a silence.
    pub off: Time,
    /// Distribution of both lengths.
    #[serde(default)]
    pub distribution: PeriodDistribution,
    /// Tail exponent of the Pareto distribution, above 1 (else it has no mean); up to 2 its variance is infinite.
    #[serde(default = "shape")]
    #[schemars(extend("exclusiveMinimum" = 1))]
    pub shape: f64,
}

const fn shape() -> f64 {
    1.5
}

const MIN_ON: Time = Time::from_ps(1_000_000);

impl OnOffParams {
    fn share_on(&self) -> f64 {
        let (on, off) = (self.on.max(MIN_ON).as_ps() as f64, self.off.as_ps() as f64);
        on / (on + off)
    }

    pub(super) fn mean_rate_bps(&self, _packet: u32, _trace: Option<&Trace>) -> Option<f64> {
        Some(self.rate.as_bps() as f64 * self.share_on())
    }

    pub(super) fn errors(&self, packet: u32, _trace: Option<&Trace>, found: &mut Vec<ParamError>) {
        let spacing = self.rate.transmission_time(u64::from(packet));
        if self.on.saturating_mul(1000) < spacing {
            found.push(ParamError::new("on", format!("not one packet in a thousand bursts: a packet takes {spacing}")));
        }
    }
}

/// State of `on_off`. It starts on or off with the stationary probabilities.
#[derive(Debug, Clone)]
pub(super) struct OnOff {
    stream: Box<Stream>,
    params: OnOffParams,
    /// Counts time on, over all bursts.
    interval: ExactInterval,
    /// Time on before this burst.
    spent: u64,
    burst_start: u64,
    burst: u64,
    packet: u32,
}

impl OnOff {
    pub(super) fn new(params: &OnOffParams, setup: &Setup<'_>) -> Self {
        let mut source = Self {
            stream: Box::new(setup.stream("traffic")),
            params: OnOffParams { on: params.on.max(MIN_ON), ..params.clone() },
            interval: ExactInterval::new(setup.packet, params.rate),
            spent: 0,
            burst_start: setup.start.as_ps(),
            burst: 0,
            packet: setup.packet,
        };
        if source.stream.uniform() < params.share_on() {
            source.burst = source.period(source.params.on);
        }
        source
    }

    fn period(&mut self, mean: Time) -> u64 {
        let mean = mean.as_ps() as f64;
        let length = match self.params.distribution {
            PeriodDistribution::Exponential => exponential(&mut self.stream, mean),
            PeriodDistribution::Pareto => pareto(&mut self.stream, mean, self.params.shape),
        };
        (length + 0.5) as u64
    }

    pub(super) fn next(&mut self) -> Option<Emission> {
        let due = self.interval.due()?;
        while due - self.spent >= self.burst {
            self.spent += self.burst;
            let silence = self.period(self.params.off);
            self.burst_start = self.burst_start.checked_add(self.burst)?.checked_add(silence)?;
            // at least a nanosecond, so that a tail exponent close to 1 cannot cause an endless sequence of empty bursts
            self.burst = self.period(self.params.on).max(1000);
        }
        let at = self.burst_start.checked_add(due - self.spent)?;
        self.interval.advance();
        Some(Emission { at: Time::from_ps(at), bytes: self.packet })
    }
}
