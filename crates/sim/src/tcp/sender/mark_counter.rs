//! How many packets were marked, from the three bits that every acknowledgement has and the option that some have (RFC 9768).

use super::ecn::FIRST_COUNT;
use crate::tcp::MarkedBytes;

/// Weight of an acknowledgement in the average of what one covers, and the average from which on many packets at once are nothing
/// unusual, as in Linux; appendix A.2.1 says "well below 8".
const WEIGHT: f64 = 1.0 / 64.0;
const MANY: f64 = 4.0;

/// What a sender has heard of marks.
#[derive(Debug, Clone, Copy)]
pub struct MarkCounter {
    mss: u32,
    /// The bits heard last.
    ace: u8,
    /// The option heard last.
    bytes: MarkedBytes,
    /// Marked bytes taken from the bits since then.
    ahead: u32,
    /// Packets that an acknowledgement newly delivers, on average.
    usual: Option<f64>,
    /// Packets ever reported as marked.
    sum: f64,
}

impl MarkCounter {
    /// Nothing heard; full packets have so many bytes of data.
    pub fn new(mss: u32) -> Self {
        Self { mss, ace: FIRST_COUNT, bytes: MarkedBytes::default(), ahead: 0, usual: None, sum: 0.0 }
    }

    /// An acknowledgement that newly delivers so many `bytes` says `ace`. Gives the packets that it reports as marked.
    pub fn hear(&mut self, ace: u8, option: Option<&MarkedBytes>, bytes: u64) -> f64 {
        if bytes == 0 {
            // it may be of the past (appendix A.1)
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

    /// Bytes are what the option counts and all that the share of marks needs (appendix A.2.2); packets are those that they fill.
    fn by_bytes(&mut self, option: &MarkedBytes) -> f64 {
        let Some(marked) = option.marked_since(&self.bytes) else { return 0.0 };
        self.bytes = *option;
        let news = marked.saturating_sub(std::mem::take(&mut self.ahead));
        f64::from(news) / f64::from(self.mss)
    }

    /// The bits may have gone round unseen. Where acknowledgements of many packets are rare, others were lost, and as many packets as
    /// fit are taken for marked (appendix A.2.1); where they are usual, that would take every path for full. Once there was an
    /// option the next one will put a wrong count right.
    fn by_packets(&mut self, step: u64, bytes: u64) -> u64 {
        let packets = bytes.div_ceil(self.mss.into());
        let newest = packets as f64;
        let usual = self.usual.map_or(newest, |u| u + WEIGHT * (newest - u));
        self.usual = Some(usual);
        let optional = self.bytes != MarkedBytes::default();
        if optional {
            self.ahead = self.ahead.saturating_add(self.mss.saturating_mul(step as u32));
        }
        if packets > 7 && !optional && usual <= MANY { packets - (packets - step) % 8 } else { step }
    }

    /// Packets ever reported as marked.
    pub fn delivered_ce(&self) -> f64 {
        self.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eddyline_path::Ecn;

    const MSS: u64 = 1000;

    #[test]
    fn three_bits_are_enough_while_acknowledgements_are_close() {
        let mut counter = MarkCounter::new(MSS as u32);
        // 5, then 6, 7, 8, 10, 10, 13
        let steps = [(6, 1, 1.0), (7, 1, 1.0), (0, 1, 1.0), (2, 2, 2.0), (2, 2, 0.0), (5, 3, 3.0)];
        for (ace, packets, marked) in steps {
            assert_eq!(counter.hear(ace, None, packets * MSS), marked, "{ace}");
        }
        assert_eq!(counter.delivered_ce(), 8.0);
    }

    /// The largest count that the bits allow (appendix A.2.1, its own example among them: nine and ten packets, a step of two).
    #[test]
    fn after_a_leap_the_worst_is_taken_for_true() {
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
            let mut counter = MarkCounter::new(MSS as u32);
            counter.hear(FIRST_COUNT, None, MSS);
            assert_eq!(counter.hear(ace, None, packets * MSS), marked, "{packets} packets, {ace}");
        }
    }

    /// Where acknowledgements of many packets are usual, no marks are no marks.
    #[test]
    fn stretch_acknowledgements_are_no_leaps() {
        let mut counter = MarkCounter::new(MSS as u32);
        assert_eq!(counter.hear(FIRST_COUNT, None, 16 * MSS), 0.0);
        assert_eq!(counter.hear(FIRST_COUNT + 1, None, 16 * MSS), 1.0);
        // one packet each for a long time: the average is down to 1 + 15 (63 / 64)^128, three
        (0..128).for_each(|_| assert_eq!(counter.hear(FIRST_COUNT + 1, None, MSS), 0.0));
        assert_eq!(counter.hear(FIRST_COUNT + 1, None, 16 * MSS), 16.0);
    }

    /// The option tells of what the bits cannot, and of nothing twice.
    #[test]
    fn the_option_puts_it_right() {
        let (mut counter, mut bytes) = (MarkCounter::new(MSS as u32), MarkedBytes::default());
        let mut sent = 0;
        let mut mark = |n: u64, payload: u32| {
            (0..n).for_each(|_| _ = bytes.count(Ecn::Ce, payload));
            sent += n;
            (FIRST_COUNT + (sent % 8) as u8, bytes)
        };
        let (ace, option) = mark(1, 1000);
        assert_eq!(counter.hear(ace & 7, Some(&option), MSS), 1.0);
        // nineteen marks, three bits say three
        let (ace, option) = mark(19, 1000);
        assert_eq!(counter.hear(ace & 7, Some(&option), 40 * MSS), 19.0);
        // an acknowledgement without option, then one with it that covers both
        let (ace, _) = mark(3, 1000);
        assert_eq!(counter.hear(ace & 7, None, 9 * MSS), 3.0);
        let (ace, option) = mark(2, 1000);
        assert_eq!(counter.hear(ace & 7, Some(&option), 9 * MSS), 2.0);
        // half a packet
        let (ace, option) = mark(1, 500);
        assert_eq!(counter.hear(ace & 7, Some(&option), 500), 0.5);
        assert_eq!(counter.delivered_ce(), 25.5);
        // the same again
        assert_eq!(counter.hear(ace & 7, Some(&option), 0), 0.0);
    }
}
