//! VFAST: FAST's window law with another mean round-trip time (Belhaj and Tagina, "VFAST TCP: A delay-based enhanced version
//! of FAST TCP").
//!
//! Eq. 4: `SRTT = psi RTT + (1 - psi) SRTT`, psi one constant where the sample lies above SRTT and another elsewhere; eq. 5:
//! `V = zeta |RTT - SRTT| + (1 - zeta) V`; eq. 6: `RTO = SRTT + 4 V`. Eq. 3 is FAST's law. The paper leaves several things
//! open; each is a parameter ([`Smoothing`], [`MeanRttSource`], [`DeviationFrom`], [`TimeoutRule`]), the reasons for their
//! defaults are in `docs/controllers/vfast.md`.
//!
//! At a constant round-trip time SRTT is that time, so the fixed point is FAST's. Samples that scatter are overestimated:
//! by 0.19 standard deviations at (3/4, 1/2) if they are independent and normal.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, PathFacts};
use crate::kinds::fast::{FastAverage, FastLaw, FastParams, FastProfile, MeanRtt};
use crate::properties::{Describe, Properties};

/// Which samples enter eq. 4 and 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Smoothing {
    /// That of every acknowledgement, as FAST's average does, which eq. 4 replaces.
    #[default]
    Ack,
    /// The latest when the window may be updated: once a round trip (`clean`) or an update period (`ns2-1.1.3`).
    Update,
}

/// What D of eq. 3 is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MeanRttSource {
    /// SRTT of eq. 4.
    #[default]
    Srtt,
    /// FAST's average: eq. 4 only serves the retransmission timeout.
    Average,
    /// SRTT with FAST's average in place of samples in eq. 4.
    SrttOfAverage,
}

/// Which SRTT eq. 5 subtracts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DeviationFrom {
    /// The previous SRTT: the order of RFC 6298, 2.3.
    #[default]
    Old,
    /// The updated SRTT, as the equations are numbered.
    New,
}

/// Where the retransmission timeout comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutRule {
    /// Eq. 6 with `tcp.min_rto` as the minimum of `4 V`, as for every sender here.
    #[default]
    Eq6,
    /// Eq. 6 with `tcp.min_rto` as the minimum of the sum (RFC 6298, 2.4 literally).
    Eq6Total,
    /// The sender's own estimator, as with every other controller.
    Rfc6298,
}

/// Parameters of `vfast`: those of `fast`, and those of the estimator that replaces its average.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("additionalProperties" = false))]
pub struct VfastParams {
    /// Those of `fast`; `filter_gain` and `filter_cap` are used only if `mean_rtt` selects FAST's average.
    #[serde(flatten)]
    pub law: FastParams,
    /// psi of eq. 4 where the sample is above SRTT, in (0, 1].
    #[serde(default = "three_quarters")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub psi_up: f64,
    /// psi of eq. 4 otherwise, in (0, 1].
    #[serde(default = "half")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub psi_down: f64,
    /// zeta of eq. 5, in (0, 1]; the paper gives no value, RFC 6298 has 1/4.
    #[serde(default = "quarter")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub zeta: f64,
    /// Which samples enter eq. 4 and 5.
    #[serde(default)]
    pub smoothing: Smoothing,
    /// What D of eq. 3 is.
    #[serde(default)]
    pub mean_rtt: MeanRttSource,
    /// Which SRTT eq. 5 subtracts.
    #[serde(default)]
    pub deviation_from: DeviationFrom,
    /// Where the retransmission timeout comes from.
    #[serde(default)]
    pub rto: TimeoutRule,
}

impl Describe for VfastParams {
    const PROPERTIES: Properties = FastParams::PROPERTIES;
}

const fn quarter() -> f64 {
    0.25
}

const fn half() -> f64 {
    0.5
}

const fn three_quarters() -> f64 {
    0.75
}

/// Before the first sample (RFC 6298, 2.1).
const FIRST_TIMEOUT: Time = Time::SECOND;

/// Eq. 4 to 6.
#[derive(Debug, Clone)]
pub struct NonlinearFilter {
    srtt: f64,
    variation: f64,
    psi_up: f64,
    psi_down: f64,
    zeta: f64,
    deviation_from: DeviationFrom,
    timeout: TimeoutRule,
    source: MeanRttSource,
    average: FastAverage,
    /// With one sample per update: minimum distance of samples, whether it is also a round trip, and the last sample.
    update: Option<Update>,
}

#[derive(Debug, Clone, Copy)]
struct Update {
    period: Time,
    round_trips: bool,
    last: Time,
}

impl NonlinearFilter {
    fn new(p: &VfastParams) -> Self {
        let ns2 = p.law.profile == FastProfile::Ns2;
        let period = p.law.update_period.unwrap_or(if ns2 { Time::from_ms(10) } else { Time::ZERO });
        let update = Update { period, round_trips: !ns2, last: Time::ZERO };
        Self {
            srtt: 0.0,
            variation: 0.0,
            psi_up: p.psi_up,
            psi_down: p.psi_down,
            zeta: p.zeta,
            deviation_from: p.deviation_from,
            timeout: p.rto,
            source: p.mean_rtt,
            average: FastAverage::new(&p.law),
            update: (p.smoothing == Smoothing::Update).then_some(update),
        }
    }

    /// Weight of a sample, by default larger for samples above the average.
    fn psi(&self, sample: f64) -> f64 {
        if sample > self.srtt { self.psi_up } else { self.psi_down }
    }

    /// Eq. 4 and 5.
    fn smooth(&mut self, sample: f64) {
        let old = self.srtt;
        self.srtt += self.psi(sample) * (sample - old);
        let from = if self.deviation_from == DeviationFrom::Old { old } else { self.srtt };
        self.variation += self.zeta * ((sample - from).abs() - self.variation);
    }

    /// Whether an update is due, so that this sample is used.
    fn due(&mut self, ack: &Ack) -> bool {
        let Some(update) = &mut self.update else { return true };
        let due = ack.now.saturating_sub(update.last) >= update.period;
        let due = due && (!update.round_trips || ack.sent_at >= update.last);
        if due {
            update.last = ack.now;
        }
        due
    }
}

impl MeanRtt for Box<NonlinearFilter> {
    fn start(&mut self, sample: f64) {
        self.average.start(sample);
        self.srtt = sample;
        // RFC 6298, 2.2
        self.variation = sample / 2.0;
    }

    fn update(&mut self, ack: &Ack, sample: f64, per_packets: f64) -> f64 {
        if self.srtt == 0.0 {
            self.start(sample);
            return sample;
        }
        if self.source != MeanRttSource::Srtt {
            self.average.update(ack, sample, per_packets);
        }
        if self.due(ack) {
            self.smooth(if self.source == MeanRttSource::SrttOfAverage { self.average.get() } else { sample });
        }
        self.get()
    }

    fn weight(&self, sample: f64, per_packets: f64) -> f64 {
        if self.source == MeanRttSource::Average { self.average.weight(sample, per_packets) } else { self.psi(sample) }
    }

    fn get(&self) -> f64 {
        if self.source == MeanRttSource::Average { self.average.get() } else { self.srtt }
    }

    fn timeout(&self, min_rto: Time) -> Option<Time> {
        if self.timeout == TimeoutRule::Rfc6298 {
            return None;
        }
        if self.srtt == 0.0 {
            return Some(FIRST_TIMEOUT.max(min_rto));
        }
        let (spread, min_rto) = (4.0 * self.variation, min_rto.as_ps() as f64);
        let total = match self.timeout {
            TimeoutRule::Eq6Total => (self.srtt + spread).max(min_rto),
            _ => self.srtt + spread.max(min_rto),
        };
        Some(Time::from_ps(total as u64))
    }
}

/// VFAST.
pub type Vfast = FastLaw<Box<NonlinearFilter>>;

impl Vfast {
    /// A sender at its initial window.
    #[must_use]
    pub fn new(p: &VfastParams, facts: &PathFacts) -> Self {
        Self::with(&p.law, facts, Box::new(NonlinearFilter::new(p)))
    }
}
