//! Loss recovery with RACK-TLP (RFC 8985): losses by time of transmission, the tail loss probe, and the timer of both.

use eddyline_units::Time;

use super::{Connection, LossRecovery};
use crate::segment::Acknowledgement;
use crate::sender::episode::Episode;
use crate::sender::rack::ReorderingState;
use crate::sender::rto::RetransmissionTimer;
use crate::sender::sequence::SendSequence;

impl LossRecovery {
    /// With RACK: when the first segment was sent of those that the current acknowledgement reports by SACK and that were sent once, and
    /// whether the first outstanding segment was retransmitted since then.
    pub fn first_sacked(&mut self) -> Option<(Time, bool)> {
        let sent = self.rack_tlp.as_ref()?.first_sacked()?;
        let first = self.board.transmissions()?.first_sent();
        Some((sent, first.is_some_and(|first| first > sent)))
    }

    /// With RACK: finds losses after an acknowledgement, unless it is undecided whether the last timeout was spurious.
    pub(super) fn detect_by_time(
        &mut self,
        now: Time,
        ack: &Acknowledgement,
        advanced: bool,
        recovered: bool,
        connection: &mut Connection<'_>,
    ) {
        let echo = (self.timestamps && advanced).then_some((ack.sent_at, connection.seq.una));
        let undecided = self.is_undecided();
        let (Some(transmissions), Some(rack)) = (self.board.transmissions(), &mut self.rack_tlp) else { return };
        let delivered = transmissions.take_delivered();
        rack.on_delivery(now, connection.seq.una, &delivered, echo, undecided);
        transmissions.reuse(delivered);
        if !undecided {
            self.search(now, recovered, connection);
        }
    }

    /// With RACK: marks what is lost by now, enters recovery for a new event, and sets the timer for what may only be reordered.
    fn search(&mut self, now: Time, recovered: bool, connection: &mut Connection<'_>) {
        let sacked = self.board.transmissions().map_or(0, |t| t.sacked());
        let Some(rack) = &mut self.rack_tlp else { return };
        let state = ReorderingState {
            una: connection.seq.una,
            nxt: connection.seq.nxt,
            srtt: connection.rto.srtt(),
            sacked,
            recovering: self.episode != Episode::None,
            recovered,
            dsack: rack.has_dsack(),
        };
        let timeout = rack.loss_timeout(&state);
        let found = self.board.detect_by_time(now, rack.newest(), timeout);
        // a lost retransmission, or a loss of what was sent since the last reduction, is a second event (RFC 5681, 4.3)
        let new_event = rack.is_new_event(found.latest);
        if found.bytes > 0 && (self.episode == Episode::None || new_event) {
            self.enter_recovery(now, new_event, connection);
        }
        let keep_probe = self.episode == Episode::None && sacked == 0;
        if let Some(rack) = &mut self.rack_tlp {
            rack.on_search(found.deadline, keep_probe);
        }
    }

    pub(super) fn on_probe_ack(&mut self, now: Time, number: u64, duplicate: bool, connection: &mut Connection<'_>) {
        let Some(rack) = &mut self.rack_tlp else { return };
        if rack.on_probe_ack(number, duplicate) && self.episode == Episode::None {
            self.reduce_at_once(now, connection);
        }
    }

    /// When [`on_timer`](Self::on_timer) is due.
    #[inline]
    pub fn next_timer(&self) -> Time {
        self.rack_tlp.as_ref().map_or(Time::MAX, |r| r.timer())
    }

    /// The timer expired: searches for losses, or returns true if the probe timeout has expired.
    pub fn on_timer(&mut self, now: Time, connection: &mut Connection<'_>) -> bool {
        if !self.rack_tlp.as_mut().is_some_and(|r| r.on_timer()) {
            return true;
        }
        let before = self.board.ever_lost();
        self.search(now, false, connection);
        connection.congestion.on_lost(self.board.ever_lost() - before);
        let in_flight = self.pipe(&connection.seq);
        if let Some(prr) = &mut self.prr {
            prr.on_timer(in_flight);
        }
        false
    }

    /// The connection is closed.
    pub fn finish(&mut self) {
        if let Some(rack) = &mut self.rack_tlp {
            rack.stop_timer();
        }
    }

    /// New data was sent or acknowledged: schedules the probe anew (RFC 8985, 7.2).
    pub fn schedule_probe(&mut self, now: Time, seq: &SendSequence, rto: &RetransmissionTimer) {
        let allowed = !seq.is_idle() && self.episode == Episode::None && self.board.sacked() == 0;
        if self.rack_tlp.as_ref().is_some_and(|rack| rack.awaits_reordering()) && !seq.is_idle() {
            return;
        }
        let one_segment = self.board.transmissions().is_some_and(|t| t.is_single());
        let Some(rack) = &mut self.rack_tlp else { return };
        rack.schedule_probe(now, rto.srtt(), one_segment, rto.deadline(), allowed);
    }

    /// Whether a probe may be sent.
    pub fn may_probe(&self) -> bool {
        self.rack_tlp.as_ref().is_some_and(|r| r.may_probe())
    }

    /// A probe was sent.
    pub fn on_probe(&mut self, nxt: u64, is_retransmission: bool) {
        if let Some(rack) = &mut self.rack_tlp {
            rack.on_probe(nxt, is_retransmission);
        }
    }
}
