//! Reservations of room in a NIC queue, in order of request.
//!
//! A drop-tail link knows when each waiting packet starts its transmission, so a sender that is refused gets the time at which it may
//! send: the first when the first waiting packet leaves the queue, the second when the second leaves. At that time, and only then,
//! the room is reserved for that sender.

use std::collections::VecDeque;

use eddyline_units::Time;

use super::fifo::FifoLink;

/// Reservations in order of time.
#[derive(Debug, Clone, Default)]
pub struct Reservations {
    reserved: VecDeque<(Time, u32)>,
}

impl Reservations {
    /// Whether `link` has room for a packet of `bytes` of sender `who`. If so, its reservation ends.
    pub fn admit(&mut self, now: Time, who: u32, link: &mut FifoLink, bytes: u32) -> bool {
        while self.reserved.front().is_some_and(|(at, _)| *at < now) {
            self.reserved.pop_front();
        }
        let others = self.reserved.iter().take_while(|(at, _)| *at <= now).filter(|(_, w)| *w != who).count();
        let admits = link.has_room(now, bytes, others as u64);
        if admits {
            self.reserved.retain(|(_, w)| *w != who);
        }
        admits
    }

    /// Reserves room for sender `who`, just refused by `link`; returns when it may try again.
    pub fn reserve(&mut self, now: Time, who: u32, link: &FifoLink) -> Time {
        if let Some((at, _)) = self.reserved.iter().find(|(at, w)| *w == who && *at > now) {
            return *at;
        }
        let ahead = self.reserved.iter().filter(|(at, _)| *at > now).count();
        let at = link.room_at(ahead);
        self.reserved.push_back((at, who));
        at
    }
}
