//! Explicit congestion notification, the sender's half (RFC 3168, 6.1.1 and 6.1.2).

use eddyline_cc::EcnResponse;
use eddyline_path::Ecn;

use super::mark_counter::MarkCounter;
use crate::engine::Flags;
use crate::tcp::MarkedBytes;

/// What a data sender remembers of marks.
#[derive(Debug, Clone, Copy)]
pub struct EcnSender {
    agreed: bool,
    /// Counts of marked packets come back, if both ends agree to that.
    counter: Option<MarkCounter>,
    /// Of the acknowledgement that is being heard.
    option: Option<MarkedBytes>,
    response: EcnResponse,
    /// The next new number when the window was last reduced, for whatever reason.
    reduced_at: Option<u64>,
    /// The next new data packet carries CWR.
    cwr_due: bool,
}

impl EcnSender {
    /// One that asks for counts, if `accurate`; full packets have so many bytes of data.
    pub fn new(accurate: bool, mss: u32, response: EcnResponse) -> Self {
        let counter = accurate.then(|| MarkCounter::new(mss));
        Self { agreed: false, counter, option: None, response, reduced_at: None, cwr_due: false }
    }

    /// Completes a SYN: it proposes ECN by ECE and CWR together, with AE for accurate ECN (RFC 9768, 3.1.1).
    pub fn propose(&self, flags: &mut Flags) {
        flags.set_ace(if self.counter.is_some() { 0b111 } else { 0b011 });
    }

    /// The SYN-ACK arrived: it agrees by ECE alone, to accurate ECN by what the SYN's own ECN field was on arrival.
    pub fn on_syn_ack(&mut self, flags: Flags) {
        let accurate = flags.ace() == SYN_NOT_ECT;
        if !accurate {
            self.counter = None;
        }
        self.agreed = flags.ace() == 0b001 || (accurate && self.counter.is_some());
    }

    /// The acknowledgement that comes next has this option.
    pub fn expect(&mut self, option: MarkedBytes) {
        self.option = Some(option);
    }

    /// The option of the acknowledgement that is being heard.
    pub fn take_option(&mut self) -> Option<MarkedBytes> {
        self.option.take()
    }

    /// Packets newly reported as marked by an acknowledgement with these `flags` and `option` that newly delivers so many `bytes`;
    /// none where there are no counts.
    pub fn count(&mut self, flags: Flags, option: Option<MarkedBytes>, bytes: u64) -> Option<f64> {
        Some(self.counter.as_mut()?.hear(flags.ace(), option.as_ref(), bytes))
    }

    /// Packets ever reported as marked; none where there are no counts.
    pub fn delivered_ce(&self) -> Option<f64> {
        self.counter.as_ref().map(MarkCounter::delivered_ce)
    }

    /// Marks are no losses: a reduction for one is no reason to forgive the other, and growth is the controller's matter.
    pub fn goes_by_share(&self) -> bool {
        self.response != EcnResponse::AsLoss
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
        self.cwr_due = self.agreed && self.counter.is_none();
    }

    /// Labels a data packet: new data is ECT(0), or ECT(1) where the controller wants that; what is sent again is neither
    /// (6.1.5).
    pub fn label(&mut self, flags: &mut Flags) {
        if self.agreed && !flags.retransmission() {
            flags.set_ecn(if self.response == EcnResponse::LowLatency { Ecn::Ect1 } else { Ecn::Ect0 });
            if std::mem::take(&mut self.cwr_due) {
                flags.set_cwr();
            }
        }
    }
}

/// What a SYN-ACK says in AE, CWR and ECE of a SYN that was not ECN-capable, as ours are (RFC 9768, table 2).
pub const SYN_NOT_ECT: u8 = 0b010;
/// Where the counter starts (RFC 9768, 3.2.1).
pub const FIRST_COUNT: u8 = 5;
