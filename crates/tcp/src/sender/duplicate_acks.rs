//! Loss detection and recovery without SACK, by counting duplicate acknowledgements (RFC 5681, 3.2; RFC 6582, 3.2).

use eddyline_cc::PartialAck;

use super::episode::Episode;
use super::sequence::SendSequence;
use crate::config::{Config, PartialAckTimer};

/// DupThresh of RFC 5681.
pub const DUP_THRESH: u32 = 3;
/// After a timeout, an acknowledgement that advances by at most this many segments is followed by duplicates of losses, not of
/// spurious retransmissions (RFC 6582, 4.1).
const MAX_ADVANCE_BY_LOSS: u64 = 4;

/// Reaction of a sender without SACK to an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    None,
    /// The first outstanding segment is lost: start a recovery.
    EnterRecovery,
    /// The first outstanding segment is lost: retransmit it and stay in recovery (partial acknowledgement).
    RetransmitFirst,
    /// Leave recovery.
    LeaveRecovery,
}

/// Duplicate acknowledgements since the last advance.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct DuplicateAcks {
    /// Bytes that they represent.
    bytes: u64,
    count: u32,
    /// Duplicates at the recovery point were not caused by spurious retransmissions.
    trusted: bool,
    /// A partial acknowledgement has arrived in this recovery.
    partial_ack_seen: bool,
    partial_ack: PartialAck,
    impatient: bool,
    fast_retransmit: bool,
}

impl DuplicateAcks {
    /// None received.
    pub fn new(partial_ack: PartialAck, config: &Config) -> Self {
        Self {
            count: 0,
            bytes: 0,
            trusted: false,
            partial_ack_seen: false,
            partial_ack,
            impatient: match config.partial_ack_timer {
                Some(timer) => timer == PartialAckTimer::Impatient,
                // a controller that repairs hole after hole rather than wait for the timer would lose by it
                None => partial_ack != PartialAck::Persist,
            },
            fast_retransmit: config.fast_retransmit,
        }
    }

    /// Their number.
    #[inline]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Bytes that they represent.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the retransmission timer is to run on although a segment is acknowledged or retransmitted: in a recovery from the
    /// first partial acknowledgement on (RFC 6582, 3.2 step 3 and 4, "impatient").
    pub fn hold_timer(&self) -> bool {
        self.partial_ack_seen && self.impatient
    }

    /// Clears them.
    pub fn clear(&mut self) {
        self.count = 0;
        self.bytes = 0;
        self.partial_ack_seen = false;
    }

    /// A duplicate arrived.
    pub fn on_duplicate(&mut self, seq: &SendSequence, episode: Episode, recovery_point: u64) -> Action {
        let mss = u64::from(seq.mss);
        if seq.is_idle() {
            return Action::None;
        }
        self.count += 1;
        if episode == Episode::AfterTimeout || !self.fast_retransmit {
            return Action::None;
        }
        self.bytes = (self.bytes + mss).min(seq.outstanding().saturating_sub(mss));
        // RFC 6582, 3.2 step 2: duplicates caused by spurious retransmissions start no new recovery
        let genuine =
            self.partial_ack == PartialAck::Leave || seq.una > recovery_point || recovery_point == 0 || self.trusted;
        if episode == Episode::None && self.count == DUP_THRESH && genuine {
            return Action::EnterRecovery;
        }
        Action::None
    }

    /// An acknowledgement advanced by so many bytes and, if `recovered`, ended an episode.
    pub fn on_advance(&mut self, mss: u32, by: u64, episode: Episode, recovered: bool) -> Action {
        match episode {
            Episode::Recovery if self.partial_ack != PartialAck::Leave => {
                // RFC 6582, 3.2 step 3, partial acknowledgement: deflate by what is acknowledged, retransmit the next hole
                self.bytes = self.bytes.saturating_sub(by.saturating_sub(mss.into()));
                self.partial_ack_seen = true;
                Action::RetransmitFirst
            }
            Episode::Recovery => {
                self.clear();
                Action::LeaveRecovery
            }
            Episode::None if recovered && self.count >= DUP_THRESH => Action::EnterRecovery,
            Episode::None if recovered => Action::None,
            Episode::None | Episode::AfterTimeout => {
                self.clear();
                Action::None
            }
        }
    }

    /// An acknowledgement that advanced by so many bytes ends an episode: its duplicates are cleared.
    ///
    /// With [`PartialAck::Persist`] the duplicates of segments beyond the recovery point stay counted, since what was sent
    /// during recovery may have been lost too. If the first of these segments is at the recovery point itself, RFC 6582 (3.2,
    /// step 2) requires an acknowledgement of "more than recover", which only a timeout can bring; section 4 allows
    /// heuristics. Duplicates that spurious retransmissions cannot have caused are trusted: all of them after fast recovery,
    /// which retransmits one segment per round trip, and those of section 4.1 after a timeout.
    pub fn on_recovered(&mut self, seq: &SendSequence, by: u64, after_timeout: bool) {
        let counted = self.bytes;
        self.clear();
        self.trusted = false;
        if self.partial_ack == PartialAck::Persist {
            let mss = u64::from(seq.mss);
            self.trusted = !after_timeout || by <= MAX_ADVANCE_BY_LOSS * mss;
            // none of them is of the first outstanding segment
            let max = seq.outstanding().saturating_sub(mss);
            self.bytes = counted.saturating_sub(by.saturating_sub(mss)).min(max);
            self.count = (self.bytes / mss) as u32;
        }
    }
}
