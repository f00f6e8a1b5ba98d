//! A sender whose own network card has no room: it keeps the packet, and stops or reduces its window.
//!
//! `cwr` is what Linux did: a packet that the card's queue refused stayed at the head of the send queue, the window was reduced
//! as for a congestion mark, once a window, and the next acknowledgement tried again. `backpressure` is what came later
//! (TCP small queues): no more than fits is handed to the card, and it says when there is room.

use eddyline_cc::{Controller as _, Loss};
use eddyline_scenario::network::Local;
use eddyline_units::Time;

use super::{Episode, Sender, State, Wire};

/// What a sender remembers of its card.
#[derive(Debug, Clone, Copy)]
pub struct Card {
    reduces: bool,
    /// The next new number when the card last made the window smaller.
    reduced_at: Option<u64>,
    /// The SYN waits for room.
    syn_waits: bool,
    /// Packets that found no room.
    pub refusals: u64,
}

impl Card {
    /// None where the sender does not hear of its card.
    pub fn of(local: Local) -> Option<Self> {
        (local != Local::Drop).then_some(Self {
            reduces: local == Local::Cwr,
            reduced_at: None,
            syn_waits: false,
            refusals: 0,
        })
    }

    /// All below `una` is acknowledged: whether the reduction is still under way.
    pub fn is_reducing(&self, una: u64) -> bool {
        self.reduced_at.is_some_and(|at| una <= at)
    }

    /// Whether the window has been reduced since the packet `seq` was sent.
    pub fn has_answered(&self, seq: u64) -> bool {
        self.reduced_at.is_some_and(|at| seq < at)
    }
}

impl Sender {
    /// Whether the card has no room for the SYN, which will be tried again.
    pub(super) fn is_syn_refused(&mut self, now: Time, wire: &mut impl Wire) -> bool {
        let refused = self.is_refused(now, None, true, wire);
        if let Some(card) = self.extras.as_mut().and_then(|x| x.card.as_mut()) {
            card.syn_waits = refused;
        }
        refused
    }

    /// A time that the card named has come, perhaps, and the connection is not yet open.
    pub(super) fn try_syn(&mut self, now: Time, wire: &mut impl Wire) {
        let waits = self.extras.as_ref().and_then(|x| x.card.as_ref()).is_some_and(|c| c.syn_waits);
        self.waits_for_pace &= waits && now < self.pace_at;
        if waits && !self.waits_for_pace {
            self.send_syn(now, wire);
        }
    }

    /// Whether the card has no room for `payload` bytes, or for a FIN, to be sent for the first time or `again`. If so the
    /// packet stays here, and all is arranged for it to be tried again.
    pub(super) fn is_refused(&mut self, now: Time, payload: Option<u64>, again: bool, wire: &mut impl Wire) -> bool {
        let (una, nxt, pipe) = (self.una, self.nxt, self.pipe());
        let open = self.state == State::Established && self.episode == Episode::None;
        let Some(card) = self.extras.as_mut().and_then(|x| x.card.as_mut()) else { return false };
        if wire.has_room(payload) {
            return false;
        }
        card.refusals += 1;
        // neither window nor pacing is what holds the sender back
        self.cwnd_limited = false;
        let (reduces, news) = (card.reduces, open && !card.is_reducing(una));
        if reduces && news {
            card.reduced_at = Some(nxt);
            let flight_size = self.flight_size().min(self.controller.window());
            self.controller.on_ecn(&Loss { now, flight_size });
            self.count_reduction(now);
        }
        // with something in flight an acknowledgement comes; what was lost waits for the card, and so does who has nothing out
        if !reduces || again || pipe == 0 {
            self.pace_at = wire.room_at();
            self.waits_for_pace = true;
        }
        true
    }

    /// Packets that found no room in the card, where the sender hears of that.
    pub fn card_refusals(&self) -> Option<u64> {
        Some(self.extras.as_ref()?.card.as_ref()?.refusals)
    }
}
