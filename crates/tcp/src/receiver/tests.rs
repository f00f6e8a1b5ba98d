//! A receiver driven by hand-made segments of 1,000 bytes, one per millisecond unless stated.

use eddyline_units::Time;

use super::Receiver;
use crate::accecn_option::AccEcnOption;
use crate::ecn::Ecn;
use crate::segment::{AckOptions, DataSegment, SegmentFlags};
use crate::test_config::config;

/// Segment `number` as it arrives at `ms`, half a round trip of 100 ms after it was sent.
fn arriving(ms: u64, number: u64) -> DataSegment {
    DataSegment {
        seq: number * 1000,
        payload: 1000,
        fin: false,
        sent_at: Time::from_ms(ms - 50),
        stamp: 0.0,
        flags: SegmentFlags::default(),
        ack_ratio: 0,
    }
}

/// A receiver under test.
struct Bench(Receiver);

impl Bench {
    fn new(options: &str) -> Self {
        Self(Receiver::new(&config(options)))
    }

    /// Segment `number` arrives at `ms`; returns what is acknowledged at once: the next segment expected, and the echoed time of
    /// transmission in milliseconds.
    fn segment(&mut self, ms: u64, number: u64) -> Option<(u64, u64)> {
        let reaction = self.0.on_segment(Time::from_ms(ms), arriving(ms, number));
        reaction.ack_now.then(|| self.acknowledge())
    }

    fn acknowledge(&mut self) -> (u64, u64) {
        self.0.acknowledge();
        (self.0.next() / 1000, self.0.echo().sent_at.as_ps() / Time::from_ms(1).as_ps())
    }

    /// Which of the segments from `first` on, one a millisecond from `ms` on, are acknowledged at once.
    fn acknowledged(&mut self, ms: u64, first: u64, n: u64) -> Vec<u64> {
        (0..n).filter(|i| self.segment(ms + i, first + i).is_some()).map(|i| first + i).collect()
    }
}

#[test]
fn quick_at_the_start_then_every_second() {
    let mut bench = Bench::new("ack_every = 2, quick_acks = 5");
    assert_eq!(bench.acknowledged(100, 0, 12), [0, 1, 2, 3, 4, 6, 8, 10]);
    // after a pause of more than a second again; 11 was delayed
    assert_eq!(bench.acknowledge().0, 12);
    assert_eq!(bench.acknowledged(1200, 12, 9), [12, 13, 14, 15, 16, 18, 20]);
    // after a shorter one not
    assert_eq!(bench.acknowledged(2200, 21, 6), [22, 24, 26]);
    // a needless retransmission
    assert_eq!(bench.acknowledged(2210, 5, 1), [5]);
    assert_eq!(bench.acknowledged(2211, 27, 8), [27, 28, 29, 30, 32, 34]);
    let mut plain = Bench::new("ack_every = 2");
    assert_eq!(plain.acknowledged(100, 0, 6), [1, 3, 5]);
}

/// Stretch acknowledgements: one in eight segments, or when the timer expires.
#[test]
fn an_acknowledgement_for_every_n_or_after_the_timer() {
    let mut bench = Bench::new("ack_every = 8, ack_timer = 10");
    assert_eq!(bench.acknowledged(100, 0, 20), [7, 15]);
    assert_eq!(bench.0.due(), Time::from_ms(116 + 10), "since the first unacknowledged segment");
    // by time alone
    let mut bench = Bench::new("ack_every = 1000000, ack_timer = 40");
    assert!(bench.acknowledged(100, 0, 30).is_empty());
    assert_eq!(bench.0.due(), Time::from_ms(140));
}

/// The examples of RFC 7323, 4.3: delayed acknowledgements echo the earliest segment, a gap keeps what was echoed before it,
/// and the segment that fills it is echoed.
#[test]
fn timestamps_echo_the_first_segment() {
    let mut bench = Bench::new("ack_every = 2, timestamps = true");
    assert_eq!(bench.segment(100, 0), None);
    assert_eq!(bench.segment(110, 1), Some((2, 50)), "the earlier of two");
    assert_eq!(bench.segment(120, 2), None);
    assert_eq!(bench.segment(130, 3), Some((4, 70)));
    // 4 is lost
    assert_eq!(bench.segment(150, 5), Some((4, 70)));
    assert_eq!(bench.segment(160, 6), Some((4, 70)));
    assert_eq!(bench.segment(260, 4), Some((7, 210)), "what filled the gap");
    assert_eq!(bench.segment(270, 7), None);
    assert_eq!(bench.acknowledge(), (8, 220));
    // an old segment that arrives late changes nothing
    assert_eq!(bench.segment(230, 7), Some((8, 220)));
    let mut without = Bench::new("ack_every = 2");
    without.segment(100, 0);
    assert_eq!(without.segment(110, 1), Some((2, 60)), "the later of two");
}

/// RFC 2883, section 4: a segment that arrived before is reported in the first block of one acknowledgement.
#[test]
fn a_duplicate_segment_is_reported_once() {
    let mut bench = Bench::new("rack = true");
    let blocks = |bench: &mut Bench, ms, number| {
        let segment = arriving(ms, number);
        bench.0.on_segment(Time::from_ms(ms), segment);
        bench.0.acknowledge().blocks.map(|b| b.map(|(start, end)| (start / 1000, end / 1000)))
    };
    assert_eq!(blocks(&mut bench, 100, 0), None);
    assert_eq!(blocks(&mut bench, 101, 0), Some([(0, 1), (0, 0), (0, 0)]));
    assert_eq!(blocks(&mut bench, 102, 2), Some([(2, 3), (0, 0), (0, 0)]));
    assert_eq!(blocks(&mut bench, 103, 2), Some([(2, 3), (2, 3), (0, 0)]), "above the gap: its own block follows");
    assert_eq!(blocks(&mut bench, 104, 4), Some([(4, 5), (2, 3), (0, 0)]));
    assert_eq!(blocks(&mut bench, 105, 1), Some([(4, 5), (0, 0), (0, 0)]));
}

/// RFC 5690, 4.3 and 4.6: as many together as the sender asks for; of what is out of order the first three at once, the rest
/// like everything else, but at once what fills a gap.
#[test]
fn acknowledges_as_few_as_the_sender_asks_for() {
    let mut bench = Bench::new("ack_congestion_control = true");
    let mut arrive = |ms, number, ratio| {
        let segment = DataSegment { ack_ratio: ratio, ..arriving(ms, number) };
        let reaction = bench.0.on_segment(Time::from_ms(ms), segment);
        reaction.ack_now.then(|| bench.acknowledge().0)
    };
    let two: Vec<_> = (0..6).map(|i| arrive(100 + i, i, 2)).collect();
    assert_eq!(two, [None, Some(2), None, Some(4), None, Some(6)]);
    let four: Vec<_> = (6..14).map(|i| arrive(100 + i, i, 4)).collect();
    assert_eq!(four, [None, None, None, Some(10), None, None, None, Some(14)]);
    // 14 is lost
    let out_of_order: Vec<_> = (15..26).map(|i| arrive(100 + i, i, 4).is_some()).collect();
    assert_eq!(out_of_order, [true, true, true, false, false, false, true, false, false, false, true]);
    assert_eq!(arrive(126, 14, 4), Some(26), "what fills the gap");
    assert_eq!((27..31).map(|i| arrive(100 + i, i - 1, 4)).collect::<Vec<_>>(), [None, None, None, Some(30)]);
    // a ratio of two holds nothing back
    assert!((32..38).all(|i| arrive(100 + i, i, 2).is_some()));
}

/// RFC 9768, 3.2.3.3: every acknowledgement after a change of a count carries the option; beside timestamps it replaces the third
/// block.
#[test]
fn accecn_option_and_sack_blocks_share_the_option_space() {
    let arrive = |bench: &mut Bench, number, ecn| -> AckOptions {
        let mut segment = arriving(100 + number, number);
        segment.flags.set_ecn(ecn);
        bench.0.on_segment(Time::from_ms(100 + number), segment);
        bench.0.acknowledge()
    };
    for (timestamps, blocks) in [(false, 3), (true, 2)] {
        let mut bench = Bench::new(&format!("accurate_ecn = option, timestamps = {timestamps}"));
        let mut syn = SegmentFlags::default();
        syn.set_ace(0b111);
        bench.0.on_syn(Time::ZERO, Time::ZERO, syn);
        let first = arrive(&mut bench, 0, Ecn::Ect0);
        assert_eq!((first.blocks, first.wire_bytes()), (None, 8));
        [2, 4].into_iter().for_each(|n| _ = arrive(&mut bench, n, Ecn::Ce));
        let third = arrive(&mut bench, 6, Ecn::Ce);
        assert_eq!(third.blocks.unwrap().iter().filter(|b| b.1 > 0).count(), blocks, "timestamps {timestamps}");
        assert_eq!(third.accecn.unwrap().marked_since(&AccEcnOption::default()), Some(3000));
        // a retransmission is Not-ECT: no count changes, and all blocks fit
        let not_ect = arrive(&mut bench, 8, Ecn::NotEct);
        assert_eq!((not_ect.wire_bytes(), not_ect.blocks.unwrap().iter().filter(|b| b.1 > 0).count()), (0, 3));
    }
    let mut plain = Bench::new("accurate_ecn = true");
    let mut syn = SegmentFlags::default();
    syn.set_ace(0b111);
    plain.0.on_syn(Time::ZERO, Time::ZERO, syn);
    assert!(arrive(&mut plain, 0, Ecn::Ce).is_empty());
}

/// What the application has, and which segments bring something new.
#[test]
fn delivered_bytes_and_new_data() {
    let mut bench = Bench::new("");
    let mut arrive = |ms, number| {
        let reaction = bench.0.on_segment(Time::from_ms(ms), arriving(ms, number));
        (reaction.new_data, bench.0.delivered())
    };
    assert_eq!(arrive(100, 0), (true, 1000));
    assert_eq!(arrive(102, 2), (true, 1000));
    assert_eq!(arrive(103, 2), (false, 1000));
    assert_eq!(arrive(104, 1), (true, 3000));
    assert_eq!(arrive(105, 1), (false, 3000));
}

/// With timestamps, what arrives beyond a gap at the very start echoes the SYN (RFC 7323, 4.3).
#[test]
fn the_syn_is_echoed_until_data_arrive_in_order() {
    let mut bench = Bench::new("timestamps = true");
    bench.0.on_syn(Time::from_ms(20), Time::from_ms(3), SegmentFlags::default());
    bench.0.on_segment(Time::from_ms(60), arriving(60, 1));
    let echo = bench.0.echo();
    assert_eq!((echo.sent_at, echo.received_at), (Time::from_ms(3), Time::from_ms(20)));
    // a SYN that comes late is not echoed
    bench.0.on_segment(Time::from_ms(70), arriving(65, 0));
    bench.0.on_syn(Time::from_ms(80), Time::from_ms(4), SegmentFlags::default());
    assert_eq!(bench.0.echo().sent_at, Time::from_ms(15));
}
