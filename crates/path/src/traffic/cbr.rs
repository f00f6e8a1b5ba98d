//! `cbr`: packets of one size at constant spacing.

use eddyline_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::exact_interval::ExactInterval;
use super::model::{Emission, Setup};
use super::trace_text::Trace;
use crate::ParamError;

/// Parameters of `cbr`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CbrParams {
    /// Rate on the wire.
    #[schemars(extend("x-exclusiveMinimum" = 0))]
    pub rate: Rate,
}

impl CbrParams {
    pub(super) fn mean_rate_bps(&self, _packet: u32, _trace: Option<&Trace>) -> Option<f64> {
        Some(self.rate.as_bps() as f64)
    }

    /// None: the schema checks everything.
    pub(super) const fn errors(&self, _packet: u32, _trace: Option<&Trace>, _found: &mut Vec<ParamError>) {}
}

/// State of `cbr`.
#[derive(Debug, Clone)]
pub(super) struct Cbr {
    interval: ExactInterval,
    start: Time,
    packet: u32,
}

impl Cbr {
    pub(super) fn new(params: &CbrParams, setup: &Setup<'_>) -> Self {
        Self { interval: ExactInterval::new(setup.packet, params.rate), start: setup.start, packet: setup.packet }
    }

    pub(super) fn next(&mut self) -> Option<Emission> {
        let at = self.start.as_ps().checked_add(self.interval.due()?)?;
        self.interval.advance();
        Some(Emission { at: Time::from_ps(at), bytes: self.packet })
    }
}
