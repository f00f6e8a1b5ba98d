//! What follows an event in simulations with traces, or with more flows than a cache holds: traces are written, and what the next event
//! will touch is loaded into the cache.

use eddyline_units::Time;

use super::Simulation;
use crate::packet::PacketKind;
use crate::simulation::traces::sender_state;

impl Simulation<'_> {
    /// After the arrival of a packet of `flow`.
    #[inline(never)]
    pub(super) fn after_arrival(&mut self, now: Time, flow: u32) {
        if self.traced {
            self.trace(now, flow as usize);
        }
        self.load_next_arrival();
    }

    /// Loads into the cache what the packet behind the last one of a pipe will touch of its flow, if its path ends there.
    #[inline(never)]
    pub(super) fn load_next_arrival(&self) {
        if let Some((flow, kind)) = self.net.next_arrival() {
            self.flows.prefetch(flow as usize, kind);
        }
    }

    /// After the event of a timer: writes traces, and loads into the cache what the next timer will touch, if it is that of a flow.
    #[inline(never)]
    pub(super) fn after_timer(&mut self, now: Time, source: u32) {
        if self.traced {
            self.trace(now, source as usize - 1);
        }
        let (_, next) = self.timers.first();
        self.flows.prefetch((next as usize).wrapping_sub(1), PacketKind::Ack);
    }

    /// Writes what an event of a flow has changed, for both directions of its connection. Other sources are not traced.
    #[cold]
    fn trace(&mut self, now: Time, index: usize) {
        if index >= self.flows.len() {
            return;
        }
        for i in [Some(index), self.flows.peer(index)].into_iter().flatten() {
            let state = sender_state(&self.flows.state(i), &self.flows.recovery(i), self.payloads[i]);
            if let Some(qlog) = self.net.logger.as_mut().and_then(|logger| logger.qlog()) {
                qlog.on_state(now, i, &state);
            }
        }
    }
}
