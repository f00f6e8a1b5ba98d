//! The number of CE-marked packets, from the ACE field of every acknowledgement and the AccECN option of some (RFC 9768).

use crate::accecn_option::AccEcnOption;
use crate::accecn_option::INITIAL_CE_COUNT;

/// Weight of an acknowledgement in the average number of packets that one covers, and the average above which stretch
/// acknowledgements are usual, as in Linux; appendix A.2.1 says "well below 8".
const WEIGHT: f64 = 1.0 / 64.0;
const MANY: f64 = 4.0;

/// Marks reported to a sender.
#[derive(Debug, Clone, Copy)]
pub struct CeCounter {
    mss: u32,
    /// The last ACE field.
    ace: u8,
    /// The last option.
    bytes: AccEcnOption,
    /// Marked bytes counted from the ACE field since that option.
    ahead: u32,
    /// Average number of packets that an acknowledgement delivers.
    packets_per_ack: Option<f64>,
    /// Packets ever reported as marked.
    sum: f64,
}

impl CeCounter {
    /// Nothing reported yet.
    pub fn new(mss: u32) -> Self {
        Self { mss, ace: INITIAL_CE_COUNT, bytes: AccEcnOption::default(), ahead: 0, packets_per_ack: None, sum: 0.0 }
    }

    /// An acknowledgement that newly delivers `bytes` arrived; returns the packets that it reports as marked.
    pub fn on_ack(&mut self, ace: u8, option: Option<&AccEcnOption>, bytes: u64) -> f64 {
        if bytes == 0 {
            // it may be an old one (appendix A.1)
            return 0.0;
        }
        let step = u64::from(ace.wrapping_sub(self.ace) & 0b111);
        self.ace = ace;
        let marked = match option {
            Some(option) => self.by_bytes(option),
            None => self.by_packets(step, bytes) as f64,
        };
        self.sum += marked;
        marked
    }

    /// The option counts bytes, which is all that a share of marks needs (appendix A.2.2); they are converted to full packets.
    fn by_bytes(&mut self, option: &AccEcnOption) -> f64 {
        let Some(marked) = option.marked_since(&self.bytes) else { return 0.0 };
        self.bytes = *option;
        let new = marked.saturating_sub(std::mem::take(&mut self.ahead));
        f64::from(new) / f64::from(self.mss)
    }

    /// The ACE field may have wrapped. If stretch acknowledgements are rare, others were lost, and the largest count that fits is
    /// assumed (appendix A.2.1); if they are usual, that would make every path look congested. Once there was an option, the next
    /// one corrects a wrong count.
    fn by_packets(&mut self, step: u64, bytes: u64) -> u64 {
        let packets = bytes.div_ceil(self.mss.into());
        let newest = packets as f64;
        let average = self.packets_per_ack.map_or(newest, |u| u + WEIGHT * (newest - u));
        self.packets_per_ack = Some(average);
        let has_option = self.bytes != AccEcnOption::default();
        if has_option {
            self.ahead = self.ahead.saturating_add(self.mss.saturating_mul(step as u32));
        }
        if packets > 7 && !has_option && average <= MANY { packets - (packets - step) % 8 } else { step }
    }

    /// Packets ever reported as marked.
    pub fn delivered_ce(&self) -> f64 {
        self.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ecn::Ecn;

    const MSS: u64 = 1000;

    #[test]
    fn three_bits_are_enough_while_acknowledgements_are_close() {
        let mut counter = CeCounter::new(MSS as u32);
        // 5, then 6, 7, 8, 10, 10, 13
        let steps = [(6, 1, 1.0), (7, 1, 1.0), (0, 1, 1.0), (2, 2, 2.0), (2, 2, 0.0), (5, 3, 3.0)];
        for (ace, packets, marked) in steps {
            assert_eq!(counter.on_ack(ace, None, packets * MSS), marked, "{ace}");
        }
        assert_eq!(counter.delivered_ce(), 8.0);
    }

    /// The largest count that the bits allow (appendix A.2.1, its own example among them: nine and ten packets, a step of two).
    #[test]
    fn after_a_gap_the_worst_case_is_assumed() {
        for (packets, ace, marked) in [
            (8, 5, 8.0),
            (8, 6, 1.0),
            (9, 6, 9.0),
            (9, 7, 2.0),
            (10, 7, 10.0),
            (20, 5, 16.0),
            (20, 1, 20.0),
            (20, 2, 13.0),
            (7, 5, 0.0),
        ] {
            let mut counter = CeCounter::new(MSS as u32);
            counter.on_ack(INITIAL_CE_COUNT, None, MSS);
            assert_eq!(counter.on_ack(ace, None, packets * MSS), marked, "{packets} packets, {ace}");
        }
    }

    /// If stretch acknowledgements are usual, an unchanged ACE field means no marks.
    #[test]
    fn stretch_acknowledgements_are_not_gaps() {
        let mut counter = CeCounter::new(MSS as u32);
        assert_eq!(counter.on_ack(INITIAL_CE_COUNT, None, 16 * MSS), 0.0);
        assert_eq!(counter.on_ack(INITIAL_CE_COUNT + 1, None, 16 * MSS), 1.0);
        // one packet each for a long time: the average is down to 1 + 15 (63 / 64)^128, three
        (0..128).for_each(|_| assert_eq!(counter.on_ack(INITIAL_CE_COUNT + 1, None, MSS), 0.0));
        assert_eq!(counter.on_ack(INITIAL_CE_COUNT + 1, None, 16 * MSS), 16.0);
    }

    /// The option counts marks that the ACE field misses, and none twice.
    #[test]
    fn the_option_corrects_the_count() {
        let (mut counter, mut bytes) = (CeCounter::new(MSS as u32), AccEcnOption::default());
        let mut sent = 0;
        let mut mark = |n: u64, payload: u32| {
            (0..n).for_each(|_| _ = bytes.count(Ecn::Ce, payload));
            sent += n;
            (INITIAL_CE_COUNT + (sent % 8) as u8, bytes)
        };
        let (ace, option) = mark(1, 1000);
        assert_eq!(counter.on_ack(ace & 7, Some(&option), MSS), 1.0);
        // nineteen marks, three bits say three
        let (ace, option) = mark(19, 1000);
        assert_eq!(counter.on_ack(ace & 7, Some(&option), 40 * MSS), 19.0);
        // an acknowledgement without option, then one with it that covers both
        let (ace, _) = mark(3, 1000);
        assert_eq!(counter.on_ack(ace & 7, None, 9 * MSS), 3.0);
        let (ace, option) = mark(2, 1000);
        assert_eq!(counter.on_ack(ace & 7, Some(&option), 9 * MSS), 2.0);
        // half a packet
        let (ace, option) = mark(1, 500);
        assert_eq!(counter.on_ack(ace & 7, Some(&option), 500), 0.5);
        assert_eq!(counter.delivered_ce(), 25.5);
        // the same option once more: no new marks
        assert_eq!(counter.on_ack(ace & 7, Some(&option), 0), 0.0);
    }
}
