//! Explicit congestion notification, the sender's half (RFC 3168, 6.1.1 and 6.1.2).

use eddyline_path::Ecn;

use crate::engine::Flags;

/// A SYN that proposes ECN: ECE and CWR together.
pub fn propose(flags: &mut Flags) {
    flags.set_ece(true);
    flags.set_cwr();
}

/// What a data sender remembers of marks.
#[derive(Debug, Clone, Copy, Default)]
pub struct EcnSender {
    agreed: bool,
    /// The next new number when the window was last reduced, for whatever reason.
    reduced_at: Option<u64>,
    /// The next new data packet carries CWR.
    cwr_due: bool,
}

impl EcnSender {
    /// The SYN-ACK arrived: it agrees by ECE without CWR.
    pub fn on_syn_ack(&mut self, flags: Flags) {
        self.agreed = flags.ece() && !flags.cwr();
    }

    /// Whether both ends agreed to ECN.
    pub fn agreed(&self) -> bool {
        self.agreed
    }

    /// Whether an echo in an acknowledgement of all below `una` tells of congestion that the last reduction has not
    /// answered: once a window, and not before the packet with CWR has been acknowledged.
    pub fn is_news(&self, una: u64) -> bool {
        self.reduced_at.is_none_or(|at| una > at)
    }

    /// Whether the window has been reduced since the packet `seq` was sent: its loss is no reason to reduce it again.
    pub fn has_answered(&self, seq: u64) -> bool {
        self.reduced_at.is_some_and(|at| seq < at)
    }

    /// The window is reduced; `nxt` is the next new number.
    pub fn reduced(&mut self, nxt: u64) {
        self.reduced_at = Some(nxt);
        self.cwr_due = self.agreed;
    }

    /// Labels a data packet: new data is ECT(0), what is sent again is not (6.1.5).
    pub fn label(&mut self, flags: &mut Flags) {
        if self.agreed && !flags.retransmission() {
            flags.set_ecn(Ecn::Ect0);
            if std::mem::take(&mut self.cwr_due) {
                flags.set_cwr();
            }
        }
    }
}
