//! `poisson`: packets of one size, gaps exponential and independent.

use eddyline_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::distributions::exponential;
use super::model::{Emission, Setup};
use super::trace_text::Trace;
use crate::ParamError;
use crate::random::Stream;

/// Parameters of `poisson`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoissonParams {
    /// Mean rate on the wire; the mean gap is the packet's bits over it.
    #[schemars(extend("x-exclusiveMinimum" = 0))]
    pub rate: Rate,
}

impl PoissonParams {
    pub(super) fn mean_rate_bps(&self, _packet: u32, _trace: Option<&Trace>) -> Option<f64> {
        Some(self.rate.as_bps() as f64)
    }

    /// None: the schema checks everything.
    pub(super) const fn errors(&self, _packet: u32, _trace: Option<&Trace>, _found: &mut Vec<ParamError>) {}
}

/// State of `poisson`.
#[derive(Debug, Clone)]
pub(super) struct Poisson {
    stream: Box<Stream>,
    mean_gap_ps: f64,
    at: Time,
    packet: u32,
}

impl Poisson {
    pub(super) fn new(params: &PoissonParams, setup: &Setup<'_>) -> Self {
        Self {
            stream: Box::new(setup.stream("traffic")),
            // infinite at rate zero: the first packet never comes
            mean_gap_ps: f64::from(setup.packet) * 8e12 / params.rate.as_bps() as f64,
            at: setup.start,
            packet: setup.packet,
        }
    }

    pub(super) fn next(&mut self) -> Option<Emission> {
        let gap = (exponential(&mut self.stream, self.mean_gap_ps) + 0.5) as u64;
        self.at = Time::from_ps(self.at.as_ps().checked_add(gap)?);
        Some(Emission { at: self.at, bytes: self.packet })
    }
}
