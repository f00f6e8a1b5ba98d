//! The round-trip time without queueing, as delay-based controllers believe it to be.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::PathFacts;

/// Where a delay-based controller takes its base round-trip time from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BaseRttSource {
    /// The smallest sample so far, the handshake's included, as real senders do.
    #[default]
    Estimated,
    /// Propagation and access delay from the scenario: the d of the equations.
    Known,
}

/// The belief itself.
#[derive(Debug, Clone, Copy)]
pub struct BaseRtt {
    value: Option<Time>,
    learns: bool,
}

impl BaseRtt {
    /// Starts with the known value, or with none. A path that gives no value away is estimated.
    #[must_use]
    pub fn new(source: BaseRttSource, facts: &PathFacts) -> Self {
        match (source, facts.known_base_rtt) {
            (BaseRttSource::Known, Some(known)) => Self { value: Some(known), learns: false },
            _ => Self { value: None, learns: true },
        }
    }

    /// Hears a sample and says what is believed now.
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

    /// Believes this from now on, until a smaller sample comes; not where the value is known.
    pub(crate) fn believe(&mut self, value: Time) {
        if self.learns {
            self.value = Some(value);
        }
    }

    /// The belief.
    #[inline]
    #[must_use]
    pub fn get(&self) -> Option<Time> {
        self.value
    }
}
