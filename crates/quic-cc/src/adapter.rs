//! A bridge as the stacks' traits want it: shareable between threads, its decisions at hand.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::bridge::{Bridge, Decisions};
use crate::config::Config;

/// A [`Bridge`] with its decisions since the last event.
#[derive(Debug)]
pub(crate) struct Adapter {
    /// Registered controllers need not be `Sync`. Events have exclusive access and never lock; only a copy does.
    bridge: Mutex<Bridge>,
    decisions: Decisions,
    initial_window: u64,
}

impl Adapter {
    pub(crate) fn new(config: &Config, now: Instant, mtu: u16) -> Self {
        Self::of(Bridge::new(config, now, mtu))
    }

    fn of(bridge: Bridge) -> Self {
        let (decisions, initial_window) = (bridge.decisions(), bridge.initial_window());
        Self { bridge: Mutex::new(bridge), decisions, initial_window }
    }

    /// Reports an event and reads the decisions.
    pub(crate) fn notify_and_update(&mut self, event: impl FnOnce(&mut Bridge)) {
        let bridge = self.bridge.get_mut().unwrap_or_else(PoisonError::into_inner);
        event(bridge);
        self.decisions = bridge.decisions();
    }

    /// Reports an event that changes no decision.
    pub(crate) fn notify(&mut self, event: impl FnOnce(&mut Bridge)) {
        event(self.bridge.get_mut().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn bridge(&mut self) -> &Bridge {
        self.bridge.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    pub(crate) fn initial_window(&self) -> u64 {
        self.initial_window
    }

    pub(crate) fn into_bridge(self) -> Bridge {
        self.bridge.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for Adapter {
    fn clone(&self) -> Self {
        Self::of(self.bridge.lock().unwrap_or_else(PoisonError::into_inner).duplicate())
    }
}
