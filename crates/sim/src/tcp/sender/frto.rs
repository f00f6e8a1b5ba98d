//! Forward recovery after a timeout (F-RTO, RFC 5682): new data instead of retransmissions, until it is clear whether the
//! timeout was spurious.

use eddyline_cc::Controller as _;

use super::extras::Before;
use super::{Episode, Sender};

/// Where the algorithm is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Step {
    /// No timeout, or one that is known to be true.
    #[default]
    Rest,
    /// The first segment outstanding, up to this number, was sent again.
    Resent(u64),
    /// New data was let out beyond this number.
    Probing(u64),
}

/// What an acknowledgement says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heard {
    pub una: u64,
    pub advanced: bool,
    /// It acknowledges something for the first time, cumulatively or selectively.
    pub news: bool,
    /// The highest number acknowledged, cumulatively or selectively.
    pub highest: u64,
    /// All numbers that were ever sent are below.
    pub nxt: u64,
    /// There is new data, and the receiver takes it.
    pub may_send: bool,
}

/// What follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing yet.
    Wait,
    /// Up to two new segments.
    SendNew,
    /// The timeout was true: all that was outstanding is sent again.
    Conventional,
    /// It was spurious.
    Spurious,
}

/// The algorithm, with SACK (section 3) or without (section 2).
#[derive(Debug, Clone, Copy)]
pub struct Frto {
    sack: bool,
    step: Step,
    /// New segments that may still be sent whatever the window says.
    credit: u8,
}

impl Frto {
    pub fn new(sack: bool) -> Self {
        Self { sack, step: Step::Rest, credit: 0 }
    }

    /// The timer expired (step 1), in the midst of a recovery or not; the first segment ends at `end`. Gives whether only
    /// that one is to be sent again: not if an earlier recovery is under way, unless it began with this very segment.
    pub fn on_timeout(&mut self, recovering: bool, end: u64) -> bool {
        let same = matches!(self.step, Step::Resent(_));
        let enters = !recovering || same;
        self.step = if enters { Step::Resent(end) } else { Step::Rest };
        self.credit = 0;
        enters
    }

    /// Everything outstanding at the timeout is acknowledged, or there is another reason to give it up.
    pub fn reset(&mut self) {
        self.step = Step::Rest;
        self.credit = 0;
    }

    /// An acknowledgement arrived that leaves something outstanding (steps 2 and 3).
    pub fn on_ack(&mut self, heard: &Heard) -> Verdict {
        let verdict = match self.step {
            Step::Rest => return Verdict::Wait,
            // with SACK a duplicate may be about what was sent before
            Step::Resent(_) if !heard.advanced && self.sack => return Verdict::Wait,
            Step::Resent(end) if heard.advanced && heard.una >= end && heard.may_send => Verdict::SendNew,
            Step::Resent(_) => Verdict::Conventional,
            Step::Probing(point) if self.sack => {
                if heard.highest <= point && heard.news {
                    Verdict::Spurious
                } else {
                    Verdict::Conventional
                }
            }
            Step::Probing(_) => {
                if heard.advanced {
                    Verdict::Spurious
                } else {
                    Verdict::Conventional
                }
            }
        };
        if verdict == Verdict::SendNew {
            self.step = Step::Probing(heard.nxt);
            self.credit = 2;
        } else {
            self.reset();
        }
        verdict
    }

    /// Whether the last timeout was spurious is not known yet.
    pub fn is_undecided(&self) -> bool {
        self.step != Step::Rest
    }

    /// Takes one of the new segments that may be sent now.
    pub fn take_credit(&mut self) -> bool {
        let any = self.credit > 0;
        self.credit = self.credit.saturating_sub(1);
        any
    }
}

impl Sender {
    pub(super) fn frto(&mut self) -> Option<&mut Frto> {
        self.extras.as_mut()?.frto.as_mut()
    }

    /// The timer expired, `recovering` from something before: whether only the first segment is taken for lost.
    pub(super) fn times_out_forward(&mut self, recovering: bool) -> bool {
        let end = self.first_end();
        let forward = self.frto().is_some_and(|f| f.on_timeout(recovering, end));
        // whatever is believed to be in flight, that segment leaves
        self.fast_retransmit |= forward;
        forward
    }

    /// What was outstanding at the timeout is acknowledged.
    pub(super) fn forward_recovery_is_over(&mut self) {
        if let Some(frto) = self.frto() {
            frto.reset();
        }
    }

    /// An acknowledgement after a timeout that leaves something of before outstanding.
    /// What is `carried` by data and says nothing new is ignored.
    pub(super) fn recover_forward(&mut self, advanced: bool, carried: bool, before: Before) {
        let (una, nxt) = (self.una, self.nxt);
        let acknowledged = una + self.board.sacked();
        if self.frto().is_none() || (carried && acknowledged == before.acknowledged) {
            return;
        }
        let next = u64::from(self.mss).min(self.offered.saturating_sub(nxt));
        let heard = Heard {
            una,
            advanced,
            news: acknowledged > before.acknowledged,
            highest: self.board.highest().unwrap_or(una),
            nxt,
            may_send: next > 0 && nxt + next - una <= self.receive_window,
        };
        match self.frto().map(|f| f.on_ack(&heard)) {
            None | Some(Verdict::Wait | Verdict::SendNew) => {}
            Some(Verdict::Conventional) => {
                // Nothing tells without SACK which of the new segments arrived: all goes again, as it always did.
                if !self.sack {
                    self.recovery_point = nxt;
                }
                self.board.lose_below(self.recovery_point);
                // it was not the application that held back what is lost
                self.cwnd_limited = true;
            }
            Some(Verdict::Spurious) => {
                self.board.forgive();
                self.episode = Episode::None;
                if let Some(extras) = &mut self.extras {
                    extras.undone = true;
                }
                let acked = acknowledged.saturating_sub(before.acknowledged) as f64 * self.packets_per_byte;
                self.controller.on_spurious_timeout(self.in_flight_packets() + acked.min(self.initial_window));
            }
        }
    }

    /// Whether one new segment may be sent although the window is full.
    pub(super) fn take_credit(&mut self) -> bool {
        self.frto().is_some_and(Frto::take_credit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACK: Heard = Heard { una: 10, advanced: true, news: true, highest: 10, nxt: 100, may_send: true };
    const DUPLICATE: Heard = Heard { advanced: false, news: false, ..ACK };

    /// After a timeout of a segment that ends at 10 of a hundred numbers outstanding.
    fn verdicts(sack: bool, heard: &[Heard]) -> Vec<Verdict> {
        let mut frto = Frto::new(sack);
        assert!(frto.on_timeout(false, 10));
        heard.iter().map(|h| frto.on_ack(h)).collect()
    }

    #[test]
    fn two_acknowledgements_that_advance_are_proof() {
        use Verdict::{SendNew, Spurious, Wait};
        let second = Heard { una: 20, highest: 20, nxt: 120, ..ACK };
        for sack in [true, false] {
            assert_eq!(verdicts(sack, &[ACK, second, second]), [SendNew, Spurious, Wait], "sack {sack}");
        }
        // with SACK a hole does not matter, as long as what is acknowledged was sent before the timeout
        let selective = Heard { advanced: false, news: true, highest: 100, ..second };
        assert_eq!(verdicts(true, &[DUPLICATE, ACK, selective]), [Wait, SendNew, Spurious]);
    }

    #[test]
    fn otherwise_the_timeout_was_true() {
        use Verdict::{Conventional, SendNew, Wait};
        assert_eq!(verdicts(false, &[DUPLICATE, ACK]), [Conventional, Wait]);
        for sack in [true, false] {
            assert_eq!(verdicts(sack, &[Heard { may_send: false, ..ACK }]), [Conventional], "nothing new to send");
            assert_eq!(verdicts(sack, &[Heard { una: 9, ..ACK }]), [Conventional], "a part of it");
            assert_eq!(verdicts(sack, &[ACK, DUPLICATE]), [SendNew, Conventional]);
        }
        let new_data = Heard { advanced: false, highest: 120, nxt: 120, ..ACK };
        assert_eq!(verdicts(true, &[ACK, new_data]), [SendNew, Conventional], "only the new data arrived");
    }

    #[test]
    fn not_in_an_earlier_recovery() {
        let mut frto = Frto::new(true);
        assert!(!frto.on_timeout(true, 10));
        assert_eq!(frto.on_ack(&ACK), Verdict::Wait);
        assert!(frto.on_timeout(false, 10) && frto.on_timeout(true, 10), "the same segment again");
        assert_eq!(frto.on_ack(&ACK), Verdict::SendNew);
        assert!(frto.take_credit() && frto.take_credit() && !frto.take_credit());
        assert!(!frto.on_timeout(true, 20), "another one, while it is not decided yet");
    }
}
