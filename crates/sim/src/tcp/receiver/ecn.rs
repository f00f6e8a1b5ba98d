//! Explicit congestion notification, the receiver's half (RFC 3168, 6.1.1 and 6.1.3).

use eddyline_path::Ecn;

use crate::engine::Flags;

/// What a data receiver remembers of marks.
#[derive(Debug, Clone, Copy, Default)]
pub struct EcnReceiver {
    agreed: bool,
    /// A mark was seen, and no CWR since.
    echoing: bool,
}

impl EcnReceiver {
    /// A SYN arrived; gives whether the SYN-ACK agrees to ECN: it does if the SYN proposed it by ECE and CWR together.
    pub fn on_syn(&mut self, syn: Flags) -> bool {
        self.agreed = syn.ece() && syn.cwr();
        self.agreed
    }

    /// Whether both ends agreed to ECN.
    pub fn agreed(&self) -> bool {
        self.agreed
    }

    /// A data packet arrived. CWR ends the echo of earlier marks, a mark on the same packet begins a new one.
    pub fn on_data(&mut self, flags: Flags) {
        self.echoing = (self.echoing && !flags.cwr()) || (self.agreed && flags.ecn() == Ecn::Ce);
    }

    /// Whether acknowledgements carry ECE.
    pub fn echoes(&self) -> bool {
        self.echoing
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

    #[test]
    fn agrees_only_to_a_syn_that_asks() {
        for (ece, cwr, agreed) in
            [(true, true, true), (true, false, false), (false, true, false), (false, false, false)]
        {
            let mut receiver = EcnReceiver::default();
            assert_eq!(receiver.on_syn(syn(ece, cwr)), agreed);
            receiver.on_data(data(Ecn::Ce, false));
            assert_eq!(receiver.echoes(), agreed);
        }
    }

    #[test]
    fn echoes_from_the_mark_to_the_answer() {
        let mut receiver = EcnReceiver::default();
        receiver.on_syn(syn(true, true));
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
            assert_eq!(receiver.echoes(), echo, "packet {i}");
        }
    }
}
