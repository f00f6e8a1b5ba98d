//! Explicit congestion notification, the sender's side (RFC 3168, 6.1.1 and 6.1.2; RFC 9768).

use eddyline_cc::EcnResponse;

use super::ce_counter::CeCounter;
use crate::accecn_option::AccEcnOption;
use crate::accecn_option::SYN_NOT_ECT;
use crate::ecn::Ecn;
use crate::segment::SegmentFlags;

/// ECN state of a data sender.
#[derive(Debug, Clone, Copy)]
pub struct EcnFeedback {
    /// ECN was negotiated.
    negotiated: bool,
    /// Marked packets reported by accurate ECN, if that was negotiated or is proposed.
    counter: Option<CeCounter>,
    /// The AccECN option of the current acknowledgement.
    option: Option<AccEcnOption>,
    response: EcnResponse,
    /// `nxt` when the window was last reduced, for any reason.
    reduced_at: Option<u64>,
    /// The same before the last timeout, which may turn out to be spurious.
    reduced_before_timeout: Option<u64>,
    /// The next new data packet carries CWR.
    cwr_due: bool,
}

impl EcnFeedback {
    /// A sender that proposes ECN, accurate ECN if `accurate`.
    pub fn new(accurate: bool, mss: u32, response: EcnResponse) -> Self {
        let counter = accurate.then(|| CeCounter::new(mss));
        Self {
            negotiated: false,
            counter,
            option: None,
            response,
            reduced_at: None,
            reduced_before_timeout: None,
            cwr_due: false,
        }
    }

    /// Sets the flags of a SYN: ECE and CWR propose ECN, with AE accurate ECN (RFC 9768, 3.1.1).
    pub fn propose(&self, flags: &mut SegmentFlags) {
        flags.set_ace(if self.counter.is_some() { 0b111 } else { 0b011 });
    }

    /// The SYN-ACK arrived: ECE alone accepts ECN, the ECN field with which the SYN arrived accepts accurate ECN.
    pub fn on_syn_ack(&mut self, flags: SegmentFlags) {
        let accurate = flags.ace() == SYN_NOT_ECT;
        if !accurate {
            self.counter = None;
        }
        self.negotiated = flags.ace() == 0b001 || (accurate && self.counter.is_some());
    }

    /// The next acknowledgement carries this option.
    pub fn set_option(&mut self, option: AccEcnOption) {
        self.option = Some(option);
    }

    /// The option of the current acknowledgement.
    pub fn take_option(&mut self) -> Option<AccEcnOption> {
        self.option.take()
    }

    /// Packets newly reported as marked by an acknowledgement that newly delivers `bytes`; none without accurate ECN.
    pub fn count(&mut self, flags: SegmentFlags, option: Option<AccEcnOption>, bytes: u64) -> Option<f64> {
        Some(self.counter.as_mut()?.on_ack(flags.ace(), option.as_ref(), bytes))
    }

    /// Packets ever reported as marked; none without accurate ECN.
    pub fn delivered_ce(&self) -> Option<f64> {
        self.counter.as_ref().map(CeCounter::delivered_ce)
    }

    /// Whether the controller responds to the fraction of marks: losses then are separate events, and marks do not stop growth.
    pub fn responds_by_share(&self) -> bool {
        self.response != EcnResponse::AsLoss
    }

    /// Whether ECN was negotiated.
    pub fn negotiated(&self) -> bool {
        self.negotiated
    }

    /// Whether an echo on an acknowledgement of all below `una` calls for a reduction: once per window, and not before the
    /// packet with CWR has been acknowledged.
    pub fn is_new_event(&self, una: u64) -> bool {
        self.reduced_at.is_none_or(|at| una > at)
    }

    /// Of the bytes between `from` and `una` those that were sent before the last reduction.
    pub fn sent_before_reduction(&self, from: u64, una: u64) -> u64 {
        self.reduced_at.map_or(0, |at| una.min(at).saturating_sub(from))
    }

    /// Whether the window has been reduced since the packet `seq` was sent: its loss is no new congestion event.
    pub fn has_reduced_since(&self, seq: u64) -> bool {
        self.reduced_at.is_some_and(|at| seq < at)
    }

    /// The window is reduced.
    pub fn on_reduction(&mut self, nxt: u64) {
        self.reduced_at = Some(nxt);
        self.cwr_due = self.negotiated && self.counter.is_none();
    }

    /// The retransmission timer expired, `repeated` without an acknowledgement in between, and the window is reduced.
    pub fn on_timeout(&mut self, nxt: u64, repeated: bool) {
        if !repeated {
            self.reduced_before_timeout = self.reduced_at;
        }
        self.on_reduction(nxt);
    }

    /// The last timeout was spurious, and its reduction is undone: losses of what was sent before it reduce the window, and marks that are
    /// reported from now on. CWR, which the new data after a timeout has carried, is not taken back.
    pub fn on_spurious_timeout(&mut self) {
        self.reduced_at = self.reduced_before_timeout;
    }

    /// Sets the flags of a data packet: new data is ECT(0), or ECT(1) if the controller wants that; retransmissions are neither
    /// (6.1.5).
    pub fn mark_outgoing(&mut self, flags: &mut SegmentFlags) {
        if self.negotiated && !flags.retransmission() {
            flags.set_ecn(if self.response == EcnResponse::LowLatency { Ecn::Ect1 } else { Ecn::Ect0 });
            if std::mem::take(&mut self.cwr_due) {
                flags.set_cwr();
            }
        }
    }
}
