//! Shared by all traffic models.

use std::sync::Arc;

use eddyline_units::Time;

use super::trace_text::Trace;
use crate::random::Stream;

/// A packet of unresponsive traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Emission {
    /// When it is sent; not before the previous one.
    pub at: Time,
    /// Its bytes on the wire: at least one, at most the traffic's `packet`.
    pub bytes: u32,
}

/// A traffic model's context in the scenario.
pub(super) struct Setup<'a> {
    pub(super) packet: u32,
    pub(super) start: Time,
    pub(super) seed: u64,
    pub(super) name: &'a str,
    pub(super) trace: Option<&'a Arc<Trace>>,
}

impl Setup<'_> {
    pub(super) fn stream(&self, purpose: &str) -> Stream {
        Stream::new(self.seed, self.name, purpose)
    }
}

pub(super) const fn one() -> u32 {
    1
}

pub(super) const fn yes() -> bool {
    true
}
