//! Senders that wait for room in one card, in order of asking.
//!
//! A drop-tail link knows when each waiting packet starts its transmission, so each sender that is refused can be told
//! when its turn is: the first when the first waiting packet leaves the queue, the second with the second. Room that
//! falls due is kept for whoever was promised it, at that very moment only.

use std::collections::VecDeque;

use eddyline_units::Time;

use super::fifo::FifoLink;

/// Promises of room, in order of time.
#[derive(Debug, Clone, Default)]
pub struct Reservations {
    promised: VecDeque<(Time, u32)>,
}

impl Reservations {
    /// Whether `link` has room for a packet of `bytes` that sender `who` has. If so its turn, if it waited for one, is
    /// over.
    pub fn admit(&mut self, now: Time, who: u32, link: &mut FifoLink, bytes: u32) -> bool {
        while self.promised.front().is_some_and(|(at, _)| *at < now) {
            self.promised.pop_front();
        }
        let others = self.promised.iter().take_while(|(at, _)| *at <= now).filter(|(_, w)| *w != who).count();
        let admits = link.has_room(now, bytes, others as u64);
        if admits {
            self.promised.retain(|(_, w)| *w != who);
        }
        admits
    }

    /// When sender `who`, just refused by `link`, may try again.
    pub fn reserve(&mut self, now: Time, who: u32, link: &FifoLink) -> Time {
        if let Some((at, _)) = self.promised.iter().find(|(at, w)| *w == who && *at > now) {
            return *at;
        }
        let ahead = self.promised.iter().filter(|(at, _)| *at > now).count();
        let at = link.room_at(ahead);
        self.promised.push_back((at, who));
        at
    }
}
