//! The base round-trip time: a delay-based controller's estimate of the round-trip time without queueing.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::PathFacts;

/// Where a delay-based controller takes its base round-trip time from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BaseRttSource {
    /// The minimum so far, the handshake's sample included except with `copa` and `illinois`, as real senders do.
    #[default]
    Estimated,
    /// Propagation and access delay from the scenario: the d of the equations.
    Known,
}

/// The estimate.
#[derive(Debug, Clone, Copy)]
pub struct BaseRtt {
    value: Option<Time>,
    learns: bool,
}

impl BaseRtt {
    /// Starts with the known value if the source is [`Known`](BaseRttSource::Known) and the path gives one, else without a value.
    #[must_use]
    pub fn new(source: BaseRttSource, facts: &PathFacts) -> Self {
        match (source, facts.known_base_rtt) {
            (BaseRttSource::Known, Some(known)) => Self { value: Some(known), learns: false },
            _ => Self { value: None, learns: true },
        }
    }

    /// Takes a sample and returns the estimate.
    #[inline]
    pub fn sample(&mut self, rtt: Time) -> Time {
        match self.value {
            Some(v) if !self.learns || v <= rtt => v,
            _ => {
                self.value = Some(rtt);
                rtt
            }
        }
    }

    /// Replaces the estimate, until a smaller sample comes; ignored if the value is known.
    pub(crate) fn set(&mut self, value: Time) {
        if self.learns {
            self.value = Some(value);
        }
    }

    /// The estimate.
    #[inline]
    #[must_use]
    pub fn get(&self) -> Option<Time> {
        self.value
    }
}
