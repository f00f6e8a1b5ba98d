//! Tail loss probe (RFC 8985, 7): when acknowledgements stay away, one segment more, so that what is lost at the end of a
//! flight is found by RACK and not by the retransmission timer.

use eddyline_units::Time;

/// Before there is a round-trip time (7.2).
const WITHOUT_SRTT: Time = Time::SECOND;

/// What an acknowledgement says of the probe (7.4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// Its cumulative number.
    pub number: u64,
    /// It is a duplicate without SACK blocks.
    pub duplicate: bool,
    /// The end of a segment that it says arrived twice.
    pub twice: Option<u64>,
}

/// The probe of a connection.
#[derive(Debug, Clone, Copy)]
pub struct Tlp {
    /// How long a receiver may delay an acknowledgement (TLP.max_ack_delay).
    most_delay: Time,
    /// A probe is out, and all below this had been sent when it left (TLP.end_seq).
    out: Option<u64>,
    /// It was a retransmission (TLP.is_retrans).
    again: bool,
    /// A round-trip sample was taken since the last probe.
    sampled: bool,
}

impl Tlp {
    pub fn new(most_delay: Time) -> Self {
        Self { most_delay, out: None, again: false, sampled: true }
    }

    /// How long to wait for an acknowledgement (TLP_calc_PTO), before the retransmission timer is considered.
    pub fn wait(&self, srtt: Option<Time>, one_segment: bool) -> Time {
        let Some(srtt) = srtt else { return WITHOUT_SRTT };
        let delay = if one_segment { self.most_delay } else { Time::ZERO };
        srtt.saturating_mul(2).saturating_add(delay)
    }

    /// A round-trip sample was taken.
    pub fn on_sample(&mut self) {
        self.sampled = true;
    }

    /// Whether a probe may be sent (7.3): none is out, and the last one did not keep from measuring.
    pub fn may_probe(&self) -> bool {
        self.out.is_none() && self.sampled
    }

    /// A probe leaves; all below `nxt` has been sent, and it was sent `again` or is new.
    pub fn on_probe(&mut self, nxt: u64, again: bool) {
        self.out = Some(nxt);
        self.again = again;
        self.sampled = false;
    }

    /// Recovery begins: the probe is no matter any more.
    pub fn reset(&mut self) {
        self.out = None;
    }

    /// An acknowledgement arrived (TLP_process_ack). Gives whether the probe repaired a loss that nothing else tells of.
    pub fn on_ack(&mut self, answer: &Answer) -> bool {
        let Some(end) = self.out.filter(|end| answer.number >= *end) else { return false };
        let arrived_twice = answer.twice == Some(end) || answer.duplicate;
        let repaired = self.again && answer.twice != Some(end) && answer.number > end;
        if !self.again || arrived_twice || repaired {
            self.out = None;
        }
        repaired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probing(again: bool) -> Tlp {
        let mut tlp = Tlp::new(Time::from_ms(40));
        assert!(tlp.may_probe());
        tlp.on_probe(10, again);
        assert!(!tlp.may_probe());
        tlp.on_sample();
        tlp
    }

    const ACK: Answer = Answer { number: 10, duplicate: false, twice: None };

    #[test]
    fn two_round_trips_and_a_delayed_acknowledgement() {
        let tlp = Tlp::new(Time::from_ms(40));
        assert_eq!(tlp.wait(None, false), Time::SECOND);
        assert_eq!(tlp.wait(Some(Time::from_ms(100)), false), Time::from_ms(200));
        assert_eq!(tlp.wait(Some(Time::from_ms(100)), true), Time::from_ms(240));
    }

    #[test]
    fn new_data_is_answered_by_its_acknowledgement() {
        let mut tlp = probing(false);
        assert!(!tlp.on_ack(&Answer { number: 9, ..ACK }) && !tlp.may_probe());
        assert!(!tlp.on_ack(&ACK) && tlp.may_probe());
    }

    /// Case 1 and case 2 of 7.4.2: both copies arrived.
    #[test]
    fn a_needless_probe_is_no_loss() {
        for answer in [
            Answer { twice: Some(10), ..ACK },
            Answer { duplicate: true, ..ACK },
            Answer { twice: Some(10), number: 12, ..ACK },
        ] {
            let mut tlp = probing(true);
            assert!(!tlp.on_ack(&answer), "{answer:?}");
            assert!(tlp.may_probe(), "{answer:?}");
        }
    }

    /// The acknowledgement of the probe looks like any other; one for what was sent after it tells that no second came.
    #[test]
    fn a_repaired_loss_counts() {
        let mut tlp = probing(true);
        assert!(!tlp.on_ack(&ACK) && !tlp.may_probe());
        assert!(tlp.on_ack(&Answer { number: 11, ..ACK }));
        assert!(tlp.may_probe() && !tlp.on_ack(&Answer { number: 12, ..ACK }));
    }
}
