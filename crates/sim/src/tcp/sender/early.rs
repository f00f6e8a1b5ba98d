//! Losses found by time (RFC 8985) at work in the sender, and the timer that goes off before the retransmission timer: for
//! segments that may be late only, or for a probe.

use eddyline_cc::{Controller as _, Loss};
use eddyline_units::Time;

use super::rack::{Rack, Situation};
use super::tlp::{Answer, Tlp};
use super::{Episode, Sender, State, Wire};
use crate::engine::Packet;
use crate::tcp::SackBlocks;

/// RACK, the probe, and what they wait for.
#[derive(Debug, Clone, Copy)]
pub struct Early {
    rack: Rack,
    tlp: Tlp,
    /// The timer is for segments that may be late only; else for a probe.
    reordering: bool,
    /// Losses of what was sent from here on are news: the window was reduced then.
    reduced_at: Time,
    /// The end of a segment that the present acknowledgement says arrived twice (RFC 2883).
    duplicate: Option<u64>,
}

impl Early {
    pub fn new(most_ack_delay: Time) -> Self {
        Self {
            rack: Rack::default(),
            tlp: Tlp::new(most_ack_delay),
            reordering: false,
            reduced_at: Time::ZERO,
            duplicate: None,
        }
    }
}

/// The end of the segment that an acknowledgement of all below `number` says arrived twice: in its first block, below that
/// number or within the second block.
fn duplicate(number: u64, blocks: Option<SackBlocks>) -> Option<u64> {
    let [first, second, _] = blocks?;
    let within = first.0 >= second.0 && first.1 <= second.1;
    (first.1 > first.0 && (first.1 <= number || within)).then_some(first.1)
}

impl Sender {
    fn early(&mut self) -> Option<&mut Early> {
        self.extras.as_mut()?.early.as_mut()
    }

    /// An acknowledgement arrives.
    pub(super) fn look_for_duplicate(&mut self, number: u64, blocks: Option<SackBlocks>) {
        if let Some(early) = self.early() {
            early.duplicate = duplicate(number, blocks);
        }
    }

    /// What an acknowledgement delivered is known to the scoreboard: finds losses. `advanced` if it did, `recovered` if an episode
    /// just ended.
    pub(super) fn detect_by_time(&mut self, now: Time, packet: &Packet, advanced: bool, recovered: bool) {
        let echo = (self.timestamps && advanced).then_some((packet.sent_at, self.una));
        let doubt = self.frto().is_some_and(|f| f.is_undecided());
        let Some(segments) = self.board.segments() else { return };
        let fresh = segments.take_fresh();
        let Some(early) = self.extras.as_mut().and_then(|x| x.early.as_mut()) else { return };
        early.rack.on_delivery(now, &fresh, echo, doubt);
        segments.give_back(fresh);
        if !doubt {
            self.search(now, recovered);
        }
    }

    /// Finds what is lost by now, begins recovery if that is news, and sets the timer for what is in doubt.
    fn search(&mut self, now: Time, recovered: bool) {
        let (una, nxt, srtt, recovering) = (self.una, self.nxt, self.rto.srtt(), self.episode != Episode::None);
        let sacked = self.board.segments().map_or(0, |s| s.sacked());
        let Some(early) = self.early() else { return };
        let duplicate = early.duplicate.is_some();
        let patience = early.rack.patience(&Situation { una, nxt, srtt, sacked, recovering, recovered, duplicate });
        let (newest, reduced_at) = (early.rack.newest(), early.reduced_at);
        let found = self.board.detect_by_time(now, newest, patience);
        // A lost retransmission, or a loss of what was sent since the last reduction, is a second event (RFC 5681, 4.3).
        let news = found.latest >= reduced_at;
        if found.bytes > 0 && (self.episode == Episode::None || news) {
            self.begin_recovery(now, news);
        }
        let pending = if self.episode == Episode::None && sacked == 0 { self.early_at } else { Time::MAX };
        let Some(early) = self.early() else { return };
        let was_reordering = std::mem::replace(&mut early.reordering, found.deadline.is_some());
        self.set_early(found.deadline.unwrap_or(if was_reordering { Time::MAX } else { pending }));
    }

    /// What the acknowledgement says of the probe.
    pub(super) fn hear_of_probe(&mut self, now: Time, number: u64, duplicate: bool) {
        let flight_size = self.flight_size().min(self.controller.window());
        let Some(early) = self.early() else { return };
        let answer = Answer { number, duplicate, twice: early.duplicate };
        if early.tlp.on_ack(&answer) && self.episode == Episode::None {
            self.controller.on_loss(&Loss { now, flight_size });
            self.controller.on_recovered(now);
            self.count_reduction(now);
        }
    }

    /// A round-trip sample was taken.
    pub(super) fn measure_early(&mut self, sample: Option<Time>) {
        if let (Some(early), Some(rtt)) = (self.early(), sample) {
            early.tlp.on_sample();
            early.rack.on_sample(rtt);
        }
    }

    /// The window is reduced: what is sent from now on may be lost for another reason.
    pub(super) fn note_reduction(&mut self, now: Time) {
        if let Some(early) = self.early() {
            early.reduced_at = now;
            early.tlp.reset();
        }
    }

    /// The retransmission timer expired: marks what is lost by time, or the first segment alone. Gives false where losses
    /// are not found by time.
    pub(super) fn lose_after_timeout(&mut self, now: Time, only_first: bool) -> bool {
        let (una, nxt, srtt) = (self.una, self.nxt, self.rto.srtt());
        let sacked = self.board.segments().map_or(0, |s| s.sacked());
        let Some(early) = self.early() else { return false };
        early.duplicate = None;
        let situation = Situation { una, nxt, srtt, sacked, recovering: true, recovered: false, duplicate: false };
        let patience = if only_first { Time::MAX } else { early.rack.patience(&situation) };
        early.reordering = false;
        self.set_early(Time::MAX);
        self.board.detect_after_timeout(now, patience);
        // whatever the window, the first segment leaves
        self.fast_retransmit = true;
        true
    }

    /// New data was sent, or acknowledged: the probe waits from now on (7.2).
    pub(super) fn schedule_probe(&mut self, now: Time) {
        let idle = self.state != State::Established || self.una == self.nxt;
        let others = self.episode != Episode::None || self.board.sacked() > 0;
        let one_segment = self.nxt - self.una <= u64::from(self.mss);
        let (srtt, rto_at) = (self.rto.srtt(), self.rto_at);
        let Some(early) = self.early() else { return };
        if early.reordering && !idle {
            return;
        }
        let wait = early.tlp.wait(srtt, one_segment);
        self.set_early(if idle || others { Time::MAX } else { now.saturating_add(wait).min(rto_at) });
    }

    /// The early timer went off.
    pub(super) fn on_early(&mut self, now: Time, wire: &mut impl Wire) {
        self.set_early(Time::MAX);
        let Some(early) = self.early() else { return };
        if early.reordering {
            early.duplicate = None;
            self.search(now, false);
            let in_flight = self.pipe();
            if let Some(prr) = self.extras.as_mut().and_then(|x| x.prr.as_mut()) {
                prr.on_timer(in_flight);
            }
            return;
        }
        if early.tlp.may_probe() && self.una < self.nxt {
            self.probe(now, wire);
        }
        if self.una < self.nxt {
            self.rto_at = now.saturating_add(self.rto.timeout());
        }
    }

    /// One segment, whatever window and pacing say: new data if there is any, else the last that was sent (7.3).
    fn probe(&mut self, now: Time, wire: &mut impl Wire) {
        let len = u64::from(self.mss).min(self.offered.saturating_sub(self.nxt));
        let fresh = len > 0 && self.nxt + len - self.una <= self.receive_window;
        if self.is_refused(now, Some(self.mss.into()), !fresh, wire) {
            return;
        }
        if fresh {
            self.send_data::<true>(now, self.nxt, len, false, wire);
        } else {
            let Some((start, end)) = self.board.segments().and_then(|s| s.last()) else { return };
            if self.closing && start == self.offered {
                self.send_fin(now, true, wire);
            } else {
                self.send_data::<true>(now, start, end - start, true, wire);
            }
        }
        // the probe itself starts no new wait
        self.set_early(Time::MAX);
        let nxt = self.nxt;
        if let Some(early) = self.early() {
            early.tlp.on_probe(nxt, !fresh);
        }
    }
}
