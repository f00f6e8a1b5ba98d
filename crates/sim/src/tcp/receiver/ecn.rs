//! Explicit congestion notification, the receiver's half (RFC 3168, 6.1.1 and 6.1.3; RFC 9768).

use eddyline_path::Ecn;
use eddyline_scenario::network::AccurateEcn;

use crate::engine::Flags;
use crate::tcp::MarkedBytes;
use crate::tcp::sender::{FIRST_COUNT, SYN_NOT_ECT};

/// What a data receiver remembers of marks.
#[derive(Debug, Clone, Copy, Default)]
pub struct EcnReceiver {
    agreed: bool,
    /// What it can count.
    feedback: AccurateEcn,
    /// Marked packets, once both ends agree to count them.
    count: Option<u8>,
    /// Bytes, where the option tells of them.
    bytes: Option<MarkedBytes>,
    /// A count of bytes has changed since the last acknowledgement.
    changed: bool,
    /// Marked since the last acknowledgement.
    unreported: u32,
    /// The packet before was marked.
    marked: bool,
    /// An unmarked packet was followed by a marked one since the last acknowledgement.
    turned: bool,
    /// A mark was seen, and no CWR since.
    echoing: bool,
}

impl EcnReceiver {
    /// One that counts so much, where the other end can, too.
    pub fn new(feedback: AccurateEcn) -> Self {
        Self { feedback, ..Self::default() }
    }

    /// A SYN arrived; completes the flags of the SYN-ACK, which agrees to ECN if the SYN proposed it by ECE and CWR together, and to
    /// accurate ECN if it has AE too (RFC 9768, table 2; our SYNs are not ECN-capable).
    pub fn on_syn(&mut self, syn: Flags, flags: &mut Flags) {
        self.agreed = syn.ece() && syn.cwr();
        let counts = self.feedback != AccurateEcn::Off && syn.ace() == 0b111;
        self.count = counts.then_some(FIRST_COUNT);
        self.bytes = (counts && self.feedback == AccurateEcn::Option).then(MarkedBytes::default);
        flags.set_ace(match (self.agreed, self.count) {
            (true, Some(_)) => SYN_NOT_ECT,
            (true, None) => 0b001,
            _ => 0,
        });
    }

    /// Whether both ends agreed to ECN.
    pub fn agreed(&self) -> bool {
        self.agreed
    }

    /// A data packet arrived. CWR ends the echo of earlier marks, a mark on the same packet begins a new one.
    pub fn on_data(&mut self, flags: Flags, payload: u32) {
        let marked = flags.ecn() == Ecn::Ce;
        let Some(count) = &mut self.count else {
            self.echoing = (self.echoing && !flags.cwr()) || (self.agreed && marked);
            return;
        };
        *count = count.wrapping_add(marked.into());
        if let Some(bytes) = &mut self.bytes {
            self.changed |= bytes.count(flags.ecn(), payload);
        }
        self.unreported += u32::from(marked);
        self.turned |= marked && !self.marked;
        self.marked = marked;
    }

    /// Completes the flags of an acknowledgement.
    pub fn label(&self, flags: &mut Flags) {
        match self.count {
            Some(count) => flags.set_ace(count),
            None => flags.set_ece(self.echoing),
        }
    }

    /// The option of an acknowledgement: wherever a count has changed since the last one (RFC 9768, 3.2.3.3, the simple scheme).
    pub fn option(&self) -> Option<MarkedBytes> {
        self.bytes.filter(|_| self.changed)
    }

    /// Whether an acknowledgement should not wait: at the first mark after an unmarked packet, and at the second since the last
    /// acknowledgement (RFC 9768, 3.2.2.5.1).
    pub fn is_pressing(&self) -> bool {
        self.turned || self.unreported >= 2
    }

    /// An acknowledgement leaves.
    pub fn reported(&mut self) {
        self.unreported = 0;
        self.turned = false;
        self.changed = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(ecn: Ecn, cwr: bool) -> Flags {
        let mut flags = Flags::default();
        flags.set_ecn(ecn);
        if cwr {
            flags.set_cwr();
        }
        flags
    }

    fn syn(ece: bool, cwr: bool) -> Flags {
        let mut flags = data(Ecn::NotCapable, cwr);
        flags.set_ece(ece);
        flags
    }

    fn echoes(receiver: &EcnReceiver) -> bool {
        let mut flags = Flags::default();
        receiver.label(&mut flags);
        flags.ece()
    }

    /// Both ends must be able to count; the counter starts at five and goes round after seven.
    #[test]
    fn counts_where_both_ends_can() {
        let mut proposal = Flags::default();
        proposal.set_ace(0b111);
        for (can, answer) in [(AccurateEcn::Ace, 0b010), (AccurateEcn::Option, 0b010), (AccurateEcn::Off, 0b001)] {
            let (mut receiver, mut flags) = (EcnReceiver::new(can), Flags::default());
            receiver.on_syn(proposal, &mut flags);
            assert_eq!(flags.ace(), answer);
        }
        let mut receiver = EcnReceiver::new(AccurateEcn::Ace);
        receiver.on_syn(proposal, &mut Flags::default());
        for (ecn, ace) in [(Ecn::Ect0, 5), (Ecn::Ce, 6), (Ecn::Ect1, 6), (Ecn::Ce, 7), (Ecn::Ce, 0)] {
            receiver.on_data(data(ecn, false), 1000);
            let mut flags = Flags::default();
            receiver.label(&mut flags);
            assert_eq!(flags.ace(), ace);
            assert_eq!(receiver.option(), None);
        }
    }

    /// An acknowledgement does not wait at the first of several marks, and then at every second (RFC 9768, 3.2.2.5.1).
    #[test]
    fn marks_press() {
        let mut proposal = Flags::default();
        proposal.set_ace(0b111);
        let mut receiver = EcnReceiver::new(AccurateEcn::Option);
        receiver.on_syn(proposal, &mut Flags::default());
        let (ect, ce) = (Ecn::Ect0, Ecn::Ce);
        let trace =
            [(ect, false), (ce, true), (ce, false), (ce, true), (ce, false), (ect, false), (ce, true), (ect, false)];
        for (i, (ecn, pressing)) in trace.into_iter().enumerate() {
            receiver.on_data(data(ecn, false), 1000);
            assert_eq!(receiver.is_pressing(), pressing, "packet {i}");
            if pressing {
                assert!(receiver.option().is_some());
                receiver.reported();
                assert_eq!(receiver.option(), None, "nothing new");
            }
        }
        // what came as not ECN-capable is in no count
        receiver.reported();
        receiver.on_data(data(Ecn::NotCapable, false), 1000);
        assert_eq!(receiver.option(), None);
    }

    #[test]
    fn agrees_only_to_a_syn_that_asks() {
        for (ece, cwr, agreed) in
            [(true, true, true), (true, false, false), (false, true, false), (false, false, false)]
        {
            let mut receiver = EcnReceiver::default();
            let mut answer = Flags::default();
            receiver.on_syn(syn(ece, cwr), &mut answer);
            assert_eq!((answer.ece(), answer.cwr()), (agreed, false));
            receiver.on_data(data(Ecn::Ce, false), 1000);
            assert_eq!(echoes(&receiver), agreed);
        }
    }

    #[test]
    fn echoes_from_the_mark_to_the_answer() {
        let mut receiver = EcnReceiver::default();
        receiver.on_syn(syn(true, true), &mut Flags::default());
        let trace = [
            (Ecn::Ect0, false, false),
            (Ecn::Ce, false, true),
            (Ecn::Ect0, false, true),
            (Ecn::NotCapable, false, true),
            (Ecn::Ect0, true, false),
            (Ecn::Ect0, false, false),
            (Ecn::Ce, false, true),
            // a marked CWR says that this mark is new
            (Ecn::Ce, true, true),
            (Ecn::Ect0, true, false),
        ];
        for (i, (ecn, cwr, echo)) in trace.into_iter().enumerate() {
            receiver.on_data(data(ecn, cwr), 1000);
            assert_eq!(echoes(&receiver), echo, "packet {i}");
        }
    }
}
