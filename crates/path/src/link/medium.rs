//! A half-duplex medium: links that transmit one at a time.
//!
//! When the medium is free, the links are polled in round robin in the order in which they joined, starting after the one that transmitted
//! last, and the first with a packet ready sends one packet; so a link sends twice in a row only if no other link has a packet. When
//! the transmitting link changes, the medium is idle for the turnaround time. A link in an outage has no packet ready; one whose outage
//! begins while it transmits keeps the medium until the packet is through.

use eddyline_units::Time;

use super::store::{Origin, StoreLink};
use crate::Packet;

/// State of the medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// No link has a packet ready, before this time at least.
    Idle(Time),
    /// Turnaround to a link, until then.
    Turning(usize, Time),
    /// A link transmits.
    Busy(usize),
}

/// The links that share a medium.
#[derive(Debug)]
pub struct Medium<P> {
    members: Vec<StoreLink<P>>,
    turnaround: Time,
    state: State,
    /// The link that transmitted last.
    last: Option<usize>,
}

impl<P: Packet> Medium<P> {
    /// An idle medium without links.
    #[must_use]
    pub fn new(turnaround: Time) -> Self {
        Self { members: Vec::new(), turnaround, state: State::Idle(Time::MAX), last: None }
    }

    /// Adds a link; returns its number. The link must transmit through the medium only.
    pub fn join(&mut self, link: StoreLink<P>) -> usize {
        self.members.push(link);
        self.members.len() - 1
    }

    /// The links.
    #[must_use]
    pub fn members(&self) -> &[StoreLink<P>] {
        &self.members
    }

    /// The links, to begin a window or to close them.
    pub fn members_mut(&mut self) -> &mut [StoreLink<P>] {
        &mut self.members
    }

    /// Offers a packet of `origin` to link `member`; `dropped` is called with packets that are dropped and the number of their link.
    /// Returns whether the packet was accepted.
    pub fn offer(
        &mut self,
        now: Time,
        member: usize,
        origin: Origin,
        packet: P,
        dropped: &mut dyn FnMut(usize, P),
    ) -> bool {
        let taken = self.members[member].take_in(now, origin, packet, &mut |p| dropped(member, p));
        if matches!(self.state, State::Idle(_)) {
            self.choose(now, dropped);
        }
        self.members[member].note_backlog(now);
        taken
    }

    /// When [`advance`](Self::advance) has something to do; [`Time::MAX`] if nothing.
    #[must_use]
    pub fn due(&self) -> Time {
        match self.state {
            State::Idle(until) | State::Turning(_, until) => until,
            State::Busy(member) => self.members[member].end_of_transmission().unwrap_or(Time::MAX),
        }
    }

    /// To be called at the time that [`due`](Self::due) returned. Returns the packet whose transmission has ended, if there is one, with
    /// the number of its link and its queueing delay.
    pub fn advance(&mut self, now: Time, dropped: &mut dyn FnMut(usize, P)) -> Option<(usize, P, Time)> {
        match self.state {
            State::Busy(member) => {
                let (packet, waited) = self.members[member].finish(now)?;
                self.choose(now, dropped);
                Some((member, packet, waited))
            }
            State::Turning(member, until) if until <= now => {
                if !self.is_ready(now, member) || !self.transmit(now, member, dropped) {
                    self.choose(now, dropped);
                }
                None
            }
            State::Turning(..) => None,
            State::Idle(_) => {
                self.choose(now, dropped);
                None
            }
        }
    }

    /// Chooses the next link when the medium is free.
    fn choose(&mut self, now: Time, dropped: &mut dyn FnMut(usize, P)) {
        let n = self.members.len();
        let first = self.last.map_or(0, |last| last + 1);
        for member in (first..first + n).map(|i| i % n) {
            if !self.is_ready(now, member) {
                continue;
            }
            let turns = self.turnaround > Time::ZERO && self.last.is_some_and(|last| last != member);
            if turns {
                self.state = State::Turning(member, now.saturating_add(self.turnaround));
                return;
            }
            if self.transmit(now, member, dropped) {
                return;
            }
        }
        self.state = State::Idle(self.members.iter().filter_map(|m| m.ready_at(now)).min().unwrap_or(Time::MAX));
    }

    fn is_ready(&self, now: Time, member: usize) -> bool {
        self.members[member].ready_at(now).is_some_and(|at| at <= now)
    }

    /// Starts a transmission of link `member` if its queue has a packet.
    fn transmit(&mut self, now: Time, member: usize, dropped: &mut dyn FnMut(usize, P)) -> bool {
        let starts = self.members[member].start(now, &mut |p| dropped(member, p));
        if starts {
            self.state = State::Busy(member);
            self.last = Some(member);
        }
        starts
    }
}
