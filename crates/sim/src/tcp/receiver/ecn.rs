//! Explicit congestion notification, the receiver's half (RFC 3168, 6.1.1 and 6.1.3; RFC 9768).

use eddyline_path::Ecn;

use crate::engine::Flags;
use crate::tcp::sender::{FIRST_COUNT, SYN_NOT_ECT};

/// What a data receiver remembers of marks.
#[derive(Debug, Clone, Copy, Default)]
pub struct EcnReceiver {
    agreed: bool,
    /// It can count marked packets, and once both ends agree to that, how many there were.
    counts: bool,
    count: Option<u8>,
    /// Marked since the last acknowledgement.
    unreported: u32,
    /// A mark was seen, and no CWR since.
    echoing: bool,
}

impl EcnReceiver {
    /// One that can count marked packets, or not.
    pub fn new(counts: bool) -> Self {
        Self { counts, ..Self::default() }
    }

    /// A SYN arrived; completes the flags of the SYN-ACK, which agrees to ECN if the SYN proposed it by ECE and CWR together, and to
    /// accurate ECN if it has AE too (RFC 9768, table 2; our SYNs are not ECN-capable).
    pub fn on_syn(&mut self, syn: Flags, flags: &mut Flags) {
        self.agreed = syn.ece() && syn.cwr();
        self.count = (self.counts && syn.ace() == 0b111).then_some(FIRST_COUNT);
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
    pub fn on_data(&mut self, flags: Flags) {
        if let Some(count) = &mut self.count {
            let marked = flags.ecn() == Ecn::Ce;
            *count = count.wrapping_add(marked.into());
            self.unreported += u32::from(marked);
            return;
        }
        self.echoing = (self.echoing && !flags.cwr()) || (self.agreed && flags.ecn() == Ecn::Ce);
    }

    /// Completes the flags of an acknowledgement.
    pub fn label(&self, flags: &mut Flags) {
        match self.count {
            Some(count) => flags.set_ace(count),
            None => flags.set_ece(self.echoing),
        }
    }

    /// Whether so much is unreported that an acknowledgement should not wait (RFC 9768, 3.2.2.5.1: at the second mark).
    pub fn is_pressing(&self) -> bool {
        self.unreported >= 2
    }

    /// An acknowledgement leaves.
    pub fn reported(&mut self) {
        self.unreported = 0;
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
        for (can, answer) in [(true, 0b010), (false, 0b001)] {
            let (mut receiver, mut flags) = (EcnReceiver::new(can), Flags::default());
            receiver.on_syn(proposal, &mut flags);
            assert_eq!(flags.ace(), answer);
        }
        let mut receiver = EcnReceiver::new(true);
        receiver.on_syn(proposal, &mut Flags::default());
        for (ecn, ace, pressing) in
            [(Ecn::Ect0, 5, false), (Ecn::Ce, 6, false), (Ecn::Ect1, 6, false), (Ecn::Ce, 7, true), (Ecn::Ce, 0, true)]
        {
            receiver.on_data(data(ecn, false));
            let mut flags = Flags::default();
            receiver.label(&mut flags);
            assert_eq!((flags.ace(), receiver.is_pressing()), (ace, pressing));
        }
        receiver.reported();
        assert!(!receiver.is_pressing());
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
            receiver.on_data(data(Ecn::Ce, false));
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
            receiver.on_data(data(ecn, cwr));
            assert_eq!(echoes(&receiver), echo, "packet {i}");
        }
    }
}
