//! Loss: how it is noticed, what is sent again, when it is over.

use eddyline_cc::{Ack, Controller as _, Loss, PartialAck, Stamp, Timeout};
use eddyline_units::Time;

use super::extras::Before;
use super::{Episode, Sender, State, Wire};
use crate::engine::{Kind, Packet};
use crate::tcp::SackBlocks;

/// Segments by which an acknowledgement advances at most if those behind it were not sent again needlessly (RFC 6582, 4.1).
const MOST_BY_LOSS: u64 = 4;

impl Sender {
    /// Packets outstanding (FlightSize of RFC 5681).
    pub(super) fn flight_size(&self) -> f64 {
        (self.nxt - self.una) as f64 * self.packets_per_byte
    }

    /// Everything about an acknowledgement but the plain advance: duplicates, SACK blocks, loss, episodes.
    #[cold]
    pub(super) fn account(&mut self, now: Time, packet: &Packet, before: Before, blocks: Option<SackBlocks>) {
        let advanced = self.una > before.una;
        self.board.advance(self.una);
        for (start, end) in blocks.into_iter().flatten().filter(|(_, end)| *end > self.una) {
            self.board.sack(start.max(self.una), end.min(self.nxt));
        }
        let over = self.episode != Episode::None && self.una >= self.recovery_point;
        if over {
            match self.episode {
                Episode::Recovery => self.controller.on_recovered(now),
                Episode::AfterTimeout => self.controller.on_timeout_recovered(),
                Episode::None => {}
            }
            self.settle_duplicates(self.una - before.una);
            self.episode = Episode::None;
            self.fast_retransmit = false;
            self.forward_recovery_is_over();
        } else if self.episode == Episode::AfterTimeout {
            self.recover_forward(advanced, packet.kind != Kind::Ack, before);
        }
        if self.by_time {
            self.detect_by_time(now, packet, advanced, over);
            let duplicate = !advanced && blocks.is_none() && packet.kind == Kind::Ack;
            self.hear_of_probe(now, packet.seq, duplicate);
        } else if self.sack {
            let lost = self.board.detect(self.mss);
            if lost && self.episode == Episode::None {
                self.begin_recovery(now, self.reduces());
            }
        } else if advanced || packet.kind == Kind::Ack {
            // what rides on data is no duplicate (RFC 5681, section 2)
            self.without_sack(now, advanced, over, self.una - before.una);
        }
    }

    /// Without SACK: the controller hears of a duplicate acknowledgement.
    #[cold]
    pub(super) fn tell_of_duplicate(&mut self, now: Time, packet: &Packet, before: Before) {
        self.controller.on_duplicate(&Ack {
            now,
            sent_at: packet.sent_at,
            received_at: packet.aside.time(),
            rtt: None,
            acked: (self.duplicate_bytes - before.duplicate_bytes) as f64 * self.packets_per_byte,
            lost: (self.board.ever_lost() - before.lost) as f64 * self.packets_per_byte,
            in_flight: self.in_flight_packets(),
            stamp: Stamp::default(),
            cwnd_limited: false,
            in_recovery: self.episode == Episode::Recovery,
        });
    }

    fn forget_duplicates(&mut self) {
        self.duplicates = 0;
        self.duplicate_bytes = 0;
    }

    /// Without SACK: an acknowledgement of so many bytes ends an episode, and what duplicates told is forgotten.
    ///
    /// Not where the controller persists: then those of segments beyond it stay counted, as what was sent during recovery may have
    /// lost segments too. If the first of these lies at the recovery point itself, RFC 6582 (3.2, step 2) wants an
    /// acknowledgement of "more than recover", which only the timer can bring; section 4 allows heuristics. Duplicates that needless
    /// retransmissions can not have caused are trusted: after fast recovery, which sends one segment a round trip again,
    /// all; after a timeout those of section 4.1.
    fn settle_duplicates(&mut self, by: u64) {
        let after_timeout = self.episode == Episode::AfterTimeout;
        let told = self.duplicate_bytes;
        self.forget_duplicates();
        self.trusts_duplicates = false;
        if self.partial_ack == PartialAck::Persist {
            let mss = u64::from(self.mss);
            self.trusts_duplicates = !after_timeout || by <= MOST_BY_LOSS * mss;
            // none of them is of the first segment outstanding
            let most = (self.nxt - self.una).saturating_sub(mss);
            self.duplicate_bytes = told.saturating_sub(by.saturating_sub(mss)).min(most);
            self.duplicates = (self.duplicate_bytes / mss) as u32;
        }
    }

    /// Recovery by counting duplicate acknowledgements (RFC 5681, 3.2; RFC 6582, 3.2).
    fn without_sack(&mut self, now: Time, advanced: bool, over: bool, by: u64) {
        let mss = u64::from(self.mss);
        if !advanced {
            if self.una == self.nxt {
                return;
            }
            self.duplicates += 1;
            if self.episode == Episode::AfterTimeout || !self.fast_retransmits {
                return;
            }
            self.duplicate_bytes = (self.duplicate_bytes + mss).min((self.nxt - self.una).saturating_sub(mss));
            let newreno = self.partial_ack != PartialAck::Leave;
            // RFC 6582, 3.2 step 2: duplicates caused by needless retransmissions start no new episode
            let fresh =
                !newreno || self.una > self.recovery_point || self.recovery_point == 0 || self.trusts_duplicates;
            if self.episode == Episode::None && self.duplicates == 3 && fresh {
                self.lose_first();
                self.begin_recovery(now, self.reduces());
            }
            return;
        }
        match self.episode {
            Episode::Recovery if self.partial_ack != PartialAck::Leave => {
                // RFC 6582, 3.2 step 3, partial acknowledgement: deflate by what is acknowledged, send the next hole
                self.duplicate_bytes = self.duplicate_bytes.saturating_sub(by.saturating_sub(mss));
                self.lose_first();
                self.fast_retransmit = true;
            }
            Episode::Recovery => {
                self.controller.on_recovered(now);
                self.episode = Episode::None;
                self.fast_retransmit = false;
                self.forget_duplicates();
                self.board.begin_episode(self.una);
            }
            Episode::None if over && self.duplicates >= 3 => {
                self.lose_first();
                self.begin_recovery(now, self.reduces());
            }
            Episode::None if over => {}
            Episode::None | Episode::AfterTimeout => self.forget_duplicates(),
        }
    }

    /// The first segment outstanding is lost.
    fn lose_first(&mut self) {
        self.board.lose_below(self.first_end());
    }

    /// The end of the first segment outstanding.
    pub(super) fn first_end(&self) -> u64 {
        (self.una + u64::from(self.mss)).min(self.nxt)
    }

    /// Recovery begins; the window is reduced if the loss is `news`.
    pub(super) fn begin_recovery(&mut self, now: Time, news: bool) {
        if news {
            // RFC 5681, 3.2 step 2: what duplicates let out before (RFC 3042) does not count
            let flight_size = self.flight_size().min(self.controller.window());
            self.controller.on_loss(&Loss { now, flight_size });
            self.count_reduction(now);
        }
        self.episode = Episode::Recovery;
        self.recovery_point = self.nxt;
        // RFC 5681, 3.2 step 3 and RFC 6675, 5 step 4.3: the first segment does not wait for the window
        self.fast_retransmit = true;
    }

    pub(super) fn on_timeout(&mut self, now: Time, wire: &mut impl Wire) {
        self.timeouts += 1;
        let repeated = self.rto.expired();
        self.rto_at = now.saturating_add(self.rto.timeout());
        if self.state == State::SynSent {
            self.syn_resent = true;
            self.send_syn(now, wire);
            return;
        }
        // While holes are being filled, what has been acknowledged selectively or lost is outstanding too and would count
        // several windows.
        let flight_size = self.flight_size().min(self.controller.window());
        self.controller.on_timeout(&Timeout { now, flight_size, repeated });
        self.timed_out(now);
        let recovering = self.episode != Episode::None;
        self.episode = Episode::AfterTimeout;
        self.fast_retransmit = false;
        self.recovery_point = self.nxt;
        self.forget_duplicates();
        let forward = self.times_out_forward(recovering);
        if !self.lose_after_timeout(now, forward) {
            self.board.begin_episode(self.una);
            self.board.lose_below(if forward { self.first_end() } else { self.nxt });
        }
        self.pace_at = now;
    }
}
