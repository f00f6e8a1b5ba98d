//! Explicit congestion notification, the receiver's side (RFC 3168, 6.1.1 and 6.1.3; RFC 9768).

use crate::accecn_option::AccEcnOption;
use crate::accecn_option::{INITIAL_CE_COUNT, SYN_NOT_ECT};
use crate::config::AccurateEcn;
use crate::ecn::Ecn;
use crate::segment::SegmentFlags;

/// ECN state of a data receiver.
#[derive(Debug, Clone, Copy, Default)]
pub struct EcnReceiver {
    negotiated: bool,
    /// The feedback that it supports.
    feedback: AccurateEcn,
    /// CE-marked packets, with accurate ECN.
    count: Option<u8>,
    /// Byte counts, with the AccECN option.
    bytes: Option<AccEcnOption>,
    /// A byte count has changed since the last acknowledgement.
    changed: bool,
    /// Marked packets since the last acknowledgement.
    unreported: u32,
    /// The last packet was marked.
    last_marked: bool,
    /// A marked packet followed an unmarked one since the last acknowledgement.
    newly_marked: bool,
    /// A mark arrived, and no CWR since.
    echoing: bool,
}

impl EcnReceiver {
    /// A receiver that supports this feedback.
    pub fn new(feedback: AccurateEcn) -> Self {
        Self { feedback, ..Self::default() }
    }

    /// A SYN arrived; sets the flags of the SYN-ACK, which accepts ECN if the SYN has ECE and CWR, and accurate ECN if it has AE
    /// too (RFC 9768, table 2; our SYNs are not ECN-capable).
    pub fn on_syn(&mut self, syn: SegmentFlags, flags: &mut SegmentFlags) {
        self.negotiated = syn.ece() && syn.cwr();
        let counts = self.feedback != AccurateEcn::Off && syn.ace() == 0b111;
        self.count = counts.then_some(INITIAL_CE_COUNT);
        self.bytes = (counts && self.feedback == AccurateEcn::Option).then(AccEcnOption::default);
        flags.set_ace(match (self.negotiated, self.count) {
            (true, Some(_)) => SYN_NOT_ECT,
            (true, None) => 0b001,
            _ => 0,
        });
    }

    /// Whether ECN was negotiated.
    pub fn negotiated(&self) -> bool {
        self.negotiated
    }

    /// A data segment arrived. CWR ends the echo of earlier marks; a mark on the same segment starts a new echo.
    pub fn on_data(&mut self, flags: SegmentFlags, payload: u32) {
        let marked = flags.ecn() == Ecn::Ce;
        let Some(count) = &mut self.count else {
            self.echoing = (self.echoing && !flags.cwr()) || (self.negotiated && marked);
            return;
        };
        *count = count.wrapping_add(marked.into());
        if let Some(bytes) = &mut self.bytes {
            self.changed |= bytes.count(flags.ecn(), payload);
        }
        self.unreported += u32::from(marked);
        self.newly_marked |= marked && !self.last_marked;
        self.last_marked = marked;
    }

    /// Sets the flags of an acknowledgement.
    pub fn set_flags(&self, flags: &mut SegmentFlags) {
        match self.count {
            Some(count) => flags.set_ace(count),
            None => flags.set_ece(self.echoing),
        }
    }

    /// The option of an acknowledgement, if a count has changed since the last one (RFC 9768, 3.2.3.3, the simple scheme).
    pub fn option(&self) -> Option<AccEcnOption> {
        self.bytes.filter(|_| self.changed)
    }

    /// Whether an acknowledgement must not be delayed: at the first mark after an unmarked packet, and at the second since the
    /// last acknowledgement (RFC 9768, 3.2.2.5.1).
    pub fn acknowledges_at_once(&self) -> bool {
        self.newly_marked || self.unreported >= 2
    }

    /// An acknowledgement is sent.
    pub fn on_acknowledgement(&mut self) {
        self.unreported = 0;
        self.newly_marked = false;
        self.changed = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(ecn: Ecn, cwr: bool) -> SegmentFlags {
        let mut flags = SegmentFlags::default();
        flags.set_ecn(ecn);
        if cwr {
            flags.set_cwr();
        }
        flags
    }

    fn syn(ece: bool, cwr: bool) -> SegmentFlags {
        let mut flags = data(Ecn::NotEct, cwr);
        flags.set_ece(ece);
        flags
    }

    fn echoes(receiver: &EcnReceiver) -> bool {
        let mut flags = SegmentFlags::default();
        receiver.set_flags(&mut flags);
        flags.ece()
    }

    /// Both endpoints must support accurate ECN; the counter starts at five and wraps after seven.
    #[test]
    fn counts_if_both_ends_support_it() {
        let mut proposal = SegmentFlags::default();
        proposal.set_ace(0b111);
        for (can, answer) in [(AccurateEcn::Ace, 0b010), (AccurateEcn::Option, 0b010), (AccurateEcn::Off, 0b001)] {
            let (mut receiver, mut flags) = (EcnReceiver::new(can), SegmentFlags::default());
            receiver.on_syn(proposal, &mut flags);
            assert_eq!(flags.ace(), answer);
        }
        let mut receiver = EcnReceiver::new(AccurateEcn::Ace);
        receiver.on_syn(proposal, &mut SegmentFlags::default());
        for (ecn, ace) in [(Ecn::Ect0, 5), (Ecn::Ce, 6), (Ecn::Ect1, 6), (Ecn::Ce, 7), (Ecn::Ce, 0)] {
            receiver.on_data(data(ecn, false), 1000);
            let mut flags = SegmentFlags::default();
            receiver.set_flags(&mut flags);
            assert_eq!(flags.ace(), ace);
            assert_eq!(receiver.option(), None);
        }
    }

    /// The first of several marks is acknowledged at once, and then every second one (RFC 9768, 3.2.2.5.1).
    #[test]
    fn marks_are_acknowledged_at_once() {
        let mut proposal = SegmentFlags::default();
        proposal.set_ace(0b111);
        let mut receiver = EcnReceiver::new(AccurateEcn::Option);
        receiver.on_syn(proposal, &mut SegmentFlags::default());
        let (ect, ce) = (Ecn::Ect0, Ecn::Ce);
        let trace =
            [(ect, false), (ce, true), (ce, false), (ce, true), (ce, false), (ect, false), (ce, true), (ect, false)];
        for (i, (ecn, at_once)) in trace.into_iter().enumerate() {
            receiver.on_data(data(ecn, false), 1000);
            assert_eq!(receiver.acknowledges_at_once(), at_once, "packet {i}");
            if at_once {
                assert!(receiver.option().is_some());
                receiver.on_acknowledgement();
                assert_eq!(receiver.option(), None, "nothing new");
            }
        }
        // Not-ECT packets are not counted
        receiver.on_acknowledgement();
        receiver.on_data(data(Ecn::NotEct, false), 1000);
        assert_eq!(receiver.option(), None);
    }

    #[test]
    fn accepts_only_a_syn_that_proposes() {
        for (ece, cwr, negotiated) in
            [(true, true, true), (true, false, false), (false, true, false), (false, false, false)]
        {
            let mut receiver = EcnReceiver::default();
            let mut answer = SegmentFlags::default();
            receiver.on_syn(syn(ece, cwr), &mut answer);
            assert_eq!((answer.ece(), answer.cwr()), (negotiated, false));
            receiver.on_data(data(Ecn::Ce, false), 1000);
            assert_eq!(echoes(&receiver), negotiated);
        }
    }

    #[test]
    fn echoes_from_the_mark_to_cwr() {
        let mut receiver = EcnReceiver::default();
        receiver.on_syn(syn(true, true), &mut SegmentFlags::default());
        let trace = [
            (Ecn::Ect0, false, false),
            (Ecn::Ce, false, true),
            (Ecn::Ect0, false, true),
            (Ecn::NotEct, false, true),
            (Ecn::Ect0, true, false),
            (Ecn::Ect0, false, false),
            (Ecn::Ce, false, true),
            // a mark on the segment with CWR is a new one
            (Ecn::Ce, true, true),
            (Ecn::Ect0, true, false),
        ];
        for (i, (ecn, cwr, echo)) in trace.into_iter().enumerate() {
            receiver.on_data(data(ecn, cwr), 1000);
            assert_eq!(echoes(&receiver), echo, "packet {i}");
        }
    }
}
