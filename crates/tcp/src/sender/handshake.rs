//! Opening a connection: the SYN, its retransmissions, and its wait for room in the NIC queue.

use super::ecn_feedback::EcnFeedback;
use crate::segment::{Segment, SegmentFlags, SegmentKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Closed,
    SynSent,
    Established,
    Done,
}

/// A connection's state, from before the SYN until the FIN is acknowledged.
#[derive(Debug, Clone, Copy)]
pub struct Handshake {
    state: State,
    /// How often the SYN was retransmitted, counted to 255.
    syn_retransmissions: u8,
    /// The SYN waits for room in the NIC queue.
    syn_waits: bool,
}

impl Handshake {
    /// A connection that has not been opened.
    pub fn new() -> Self {
        Self { state: State::Closed, syn_retransmissions: 0, syn_waits: false }
    }

    /// Whether data may be sent.
    #[inline(always)]
    pub fn is_established(&self) -> bool {
        self.state == State::Established
    }

    /// The application has data; returns whether the first SYN is due.
    pub fn open(&mut self) -> bool {
        let opens = self.state == State::Closed;
        if opens {
            self.state = State::SynSent;
        }
        opens
    }

    /// The timer expired; returns whether the SYN has to be retransmitted.
    pub fn on_timeout(&mut self) -> bool {
        let unanswered = self.state == State::SynSent;
        if unanswered {
            self.syn_retransmissions = self.syn_retransmissions.saturating_add(1);
        }
        unanswered
    }

    /// The SYN-ACK arrived; returns whether it establishes the connection.
    pub fn on_syn_ack(&mut self) -> bool {
        let establishes = self.state == State::SynSent;
        if establishes {
            self.state = State::Established;
        }
        establishes
    }

    /// How often the SYN had to be retransmitted, counted to 255.
    pub fn syn_retransmissions(&self) -> u8 {
        self.syn_retransmissions
    }

    /// Sets whether the SYN waits for room in the NIC queue.
    pub fn set_syn_waits(&mut self, waits: bool) {
        self.syn_waits = waits;
    }

    /// Whether the SYN waits for room in the NIC queue.
    pub fn syn_waits(&self) -> bool {
        self.syn_waits
    }

    /// The SYN, which proposes ECN where that is configured.
    pub fn syn(&self, ecn: Option<&EcnFeedback>) -> Segment {
        let mut flags = SegmentFlags::default();
        flags.set_retransmission(self.syn_retransmissions > 0);
        if let Some(ecn) = ecn {
            ecn.propose(&mut flags);
        }
        Segment { kind: SegmentKind::Syn, seq: 0, payload: 0, flags, stamp: 0.0, ack_ratio: 0 }
    }

    /// The FIN is acknowledged.
    pub fn finish(&mut self) {
        self.state = State::Done;
    }
}
