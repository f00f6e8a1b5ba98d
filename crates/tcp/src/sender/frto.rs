//! Forward recovery after a timeout (F-RTO, RFC 5682): new data instead of retransmissions until it is clear whether the
//! timeout was spurious.

/// The step of the algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Step {
    /// No timeout, or one that is known to be genuine.
    #[default]
    Idle,
    /// The first outstanding segment, up to this number, was retransmitted (step 1).
    Retransmitted(u64),
    /// New data was sent beyond this number (step 2b).
    Probing(u64),
}

/// An acknowledgement, as far as the algorithm uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrtoAck {
    pub una: u64,
    pub advanced: bool,
    /// It newly acknowledges data, cumulatively or selectively.
    pub delivers: bool,
    /// The highest number acknowledged, cumulatively or selectively.
    pub highest: u64,
    /// The next new number.
    pub nxt: u64,
    /// There is new data, and room for it in the receive window.
    pub may_send: bool,
}

/// The conclusion from an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// None yet.
    Wait,
    /// Send up to two new segments.
    SendNew,
    /// The timeout was genuine: retransmit all that was outstanding.
    Conventional,
    /// The timeout was spurious.
    Spurious,
}

/// The algorithm, with SACK (section 3) or without (section 2).
#[derive(Debug, Clone, Copy)]
pub struct Frto {
    sack: bool,
    step: Step,
    /// New segments that may be sent beyond the window.
    credit: u8,
}

impl Frto {
    pub fn new(sack: bool) -> Self {
        Self { sack, step: Step::Idle, credit: 0 }
    }

    /// The timer expired (step 1); the first segment ends at `end`. Returns whether only that segment is to be retransmitted:
    /// not while an earlier recovery is in progress, unless that began with this segment.
    pub fn on_timeout(&mut self, recovering: bool, end: u64) -> bool {
        let same_segment = matches!(self.step, Step::Retransmitted(_));
        let enters = !recovering || same_segment;
        self.step = if enters { Step::Retransmitted(end) } else { Step::Idle };
        self.credit = 0;
        enters
    }

    /// Ends the algorithm: everything outstanding at the timeout is acknowledged, or the verdict is known.
    pub fn reset(&mut self) {
        self.step = Step::Idle;
        self.credit = 0;
    }

    /// An acknowledgement arrived that leaves data outstanding (steps 2 and 3).
    pub fn on_ack(&mut self, ack: &FrtoAck) -> Verdict {
        let verdict = match self.step {
            Step::Idle => return Verdict::Wait,
            // with SACK a duplicate may be for data sent before the timeout
            Step::Retransmitted(_) if !ack.advanced && self.sack => return Verdict::Wait,
            Step::Retransmitted(end) if ack.advanced && ack.una >= end && ack.may_send => Verdict::SendNew,
            Step::Retransmitted(_) => Verdict::Conventional,
            Step::Probing(point) if self.sack => {
                if ack.highest <= point && ack.delivers {
                    Verdict::Spurious
                } else {
                    Verdict::Conventional
                }
            }
            Step::Probing(_) => {
                if ack.advanced {
                    Verdict::Spurious
                } else {
                    Verdict::Conventional
                }
            }
        };
        if verdict == Verdict::SendNew {
            self.step = Step::Probing(ack.nxt);
            self.credit = 2;
        } else {
            self.reset();
        }
        verdict
    }

    /// Whether it is not known yet if the last timeout was spurious.
    pub fn is_undecided(&self) -> bool {
        self.step != Step::Idle
    }

    /// Uses one of the segments that may be sent beyond the window.
    pub fn take_credit(&mut self) -> bool {
        let any = self.credit > 0;
        self.credit = self.credit.saturating_sub(1);
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACK: FrtoAck = FrtoAck { una: 10, advanced: true, delivers: true, highest: 10, nxt: 100, may_send: true };
    const DUPLICATE: FrtoAck = FrtoAck { advanced: false, delivers: false, ..ACK };

    /// After a timeout of a segment that ends at 10 of a hundred numbers outstanding.
    fn verdicts(sack: bool, ack: &[FrtoAck]) -> Vec<Verdict> {
        let mut frto = Frto::new(sack);
        assert!(frto.on_timeout(false, 10));
        ack.iter().map(|a| frto.on_ack(a)).collect()
    }

    #[test]
    fn two_advances_prove_the_timeout_spurious() {
        use Verdict::{SendNew, Spurious, Wait};
        let second = FrtoAck { una: 20, highest: 20, nxt: 120, ..ACK };
        for sack in [true, false] {
            assert_eq!(verdicts(sack, &[ACK, second, second]), [SendNew, Spurious, Wait], "sack {sack}");
        }
        // with SACK a hole does not matter as long as the acknowledged data was sent before the timeout
        let selective = FrtoAck { advanced: false, delivers: true, highest: 100, ..second };
        assert_eq!(verdicts(true, &[DUPLICATE, ACK, selective]), [Wait, SendNew, Spurious]);
    }

    #[test]
    fn otherwise_the_timeout_was_genuine() {
        use Verdict::{Conventional, SendNew, Wait};
        assert_eq!(verdicts(false, &[DUPLICATE, ACK]), [Conventional, Wait]);
        for sack in [true, false] {
            assert_eq!(verdicts(sack, &[FrtoAck { may_send: false, ..ACK }]), [Conventional], "nothing new to send");
            assert_eq!(verdicts(sack, &[FrtoAck { una: 9, ..ACK }]), [Conventional], "a part of it");
            assert_eq!(verdicts(sack, &[ACK, DUPLICATE]), [SendNew, Conventional]);
        }
        let new_data = FrtoAck { advanced: false, highest: 120, nxt: 120, ..ACK };
        assert_eq!(verdicts(true, &[ACK, new_data]), [SendNew, Conventional], "only the new data arrived");
    }

    #[test]
    fn not_within_another_recovery() {
        let mut frto = Frto::new(true);
        assert!(!frto.on_timeout(true, 10));
        assert_eq!(frto.on_ack(&ACK), Verdict::Wait);
        assert!(frto.on_timeout(false, 10) && frto.on_timeout(true, 10), "the same segment");
        assert_eq!(frto.on_ack(&ACK), Verdict::SendNew);
        assert!(frto.take_credit() && frto.take_credit() && !frto.take_credit());
        assert!(!frto.on_timeout(true, 20), "another one, while it is not decided yet");
    }
}
