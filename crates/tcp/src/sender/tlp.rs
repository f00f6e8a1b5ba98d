//! Tail loss probe (RFC 8985, 7): without acknowledgements for two round trips one more segment is sent, so that a loss at the
//! end of a flight is found by RACK and not by the retransmission timer.

use eddyline_units::Time;

/// The probe timeout before there is a round-trip sample (7.2).
const WITHOUT_SRTT: Time = Time::SECOND;

/// An acknowledgement, as far as the probe is concerned (7.4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeAck {
    /// Its cumulative number.
    pub number: u64,
    /// It is a duplicate without SACK blocks.
    pub duplicate: bool,
    /// The end of the segment that it reports by DSACK.
    pub dsack: Option<u64>,
}

/// The probe state of a connection.
#[derive(Debug, Clone, Copy)]
pub struct Tlp {
    /// How long a receiver may delay an acknowledgement (TLP.max_ack_delay).
    max_ack_delay: Time,
    /// A probe is outstanding, and all below this had been sent when it was sent (TLP.end_seq).
    end_seq: Option<u64>,
    /// It was a retransmission (TLP.is_retrans).
    is_retransmission: bool,
    /// A round-trip sample was taken since the last probe.
    sampled: bool,
}

impl Tlp {
    pub fn new(max_ack_delay: Time) -> Self {
        Self { max_ack_delay, end_seq: None, is_retransmission: false, sampled: true }
    }

    /// The probe timeout (TLP_calc_PTO), not yet limited by the retransmission timer.
    pub fn timeout(&self, srtt: Option<Time>, one_segment: bool) -> Time {
        let Some(srtt) = srtt else { return WITHOUT_SRTT };
        let delay = if one_segment { self.max_ack_delay } else { Time::ZERO };
        srtt.saturating_mul(2).saturating_add(delay)
    }

    /// A round-trip sample was taken.
    pub fn on_sample(&mut self) {
        self.sampled = true;
    }

    /// Whether a probe may be sent (7.3): none is outstanding, and there was a sample since the last one.
    pub fn may_probe(&self) -> bool {
        self.end_seq.is_none() && self.sampled
    }

    /// A probe was sent, and all below `nxt` has been.
    pub fn on_probe(&mut self, nxt: u64, is_retransmission: bool) {
        self.end_seq = Some(nxt);
        self.is_retransmission = is_retransmission;
        self.sampled = false;
    }

    /// Recovery begins: the probe no longer matters.
    pub fn reset(&mut self) {
        self.end_seq = None;
    }

    /// An acknowledgement arrived (TLP_process_ack); returns whether the probe repaired a loss that nothing else reports.
    pub fn on_ack(&mut self, ack: &ProbeAck) -> bool {
        let Some(end) = self.end_seq.filter(|end| ack.number >= *end) else { return false };
        let arrived_twice = ack.dsack == Some(end) || ack.duplicate;
        let repaired = self.is_retransmission && ack.dsack != Some(end) && ack.number > end;
        if !self.is_retransmission || arrived_twice || repaired {
            self.end_seq = None;
        }
        repaired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probing(is_retransmission: bool) -> Tlp {
        let mut tlp = Tlp::new(Time::from_ms(40));
        assert!(tlp.may_probe());
        tlp.on_probe(10, is_retransmission);
        assert!(!tlp.may_probe());
        tlp.on_sample();
        tlp
    }

    const ACK: ProbeAck = ProbeAck { number: 10, duplicate: false, dsack: None };

    #[test]
    fn two_round_trips_and_a_delayed_acknowledgement() {
        let tlp = Tlp::new(Time::from_ms(40));
        assert_eq!(tlp.timeout(None, false), Time::SECOND);
        assert_eq!(tlp.timeout(Some(Time::from_ms(100)), false), Time::from_ms(200));
        assert_eq!(tlp.timeout(Some(Time::from_ms(100)), true), Time::from_ms(240));
    }

    #[test]
    fn new_data_is_acked_by_its_acknowledgement() {
        let mut tlp = probing(false);
        assert!(!tlp.on_ack(&ProbeAck { number: 9, ..ACK }) && !tlp.may_probe());
        assert!(!tlp.on_ack(&ACK) && tlp.may_probe());
    }

    /// Case 1 and case 2 of 7.4.2: both copies arrived.
    #[test]
    fn an_unnecessary_probe_is_not_a_loss() {
        for ack in [
            ProbeAck { dsack: Some(10), ..ACK },
            ProbeAck { duplicate: true, ..ACK },
            ProbeAck { dsack: Some(10), number: 12, ..ACK },
        ] {
            let mut tlp = probing(true);
            assert!(!tlp.on_ack(&ack), "{ack:?}");
            assert!(tlp.may_probe(), "{ack:?}");
        }
    }

    /// The acknowledgement of the probe looks like any other; one for what was sent after it tells that no second came.
    #[test]
    fn a_repaired_loss_counts() {
        let mut tlp = probing(true);
        assert!(!tlp.on_ack(&ACK) && !tlp.may_probe());
        assert!(tlp.on_ack(&ProbeAck { number: 11, ..ACK }));
        assert!(tlp.may_probe() && !tlp.on_ack(&ProbeAck { number: 12, ..ACK }));
    }
}
