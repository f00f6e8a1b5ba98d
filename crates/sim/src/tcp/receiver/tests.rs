//! A receiver against segments made by hand: 1,000 bytes each, one a millisecond unless said.

use eddyline_path::Ecn;
use eddyline_scenario::network::TcpOptions;
use eddyline_scenario::{Format, Input, load};
use eddyline_units::Time;

use super::Receiver;
use crate::engine::{Aside, Flags, Kind, Packet};
use crate::tcp::MarkedBytes;

fn options(tcp: &str) -> TcpOptions {
    let text = format!(
        "duration = \"1 s\"\n[[link]]\nname = \"l\"\nrate = \"1 Gbit/s\"\ndelay = \"50 ms\"\n\
         [[flow]]\nname = \"f\"\ndata = [\"l\"]\nack = [\"l\"]\ncontroller = {{ kind = \"reno\" }}\ntcp = {{ {tcp} }}\n"
    );
    let input = Input { text: &text, format: Format::Toml, name: "receiver.toml", folder: None };
    load(&input, &[]).unwrap_or_else(|e| panic!("{e}")).network.flows[0].tcp
}

/// Segment `number` as it arrives at `ms`.
fn arriving(ms: u64, number: u64) -> Packet {
    Packet {
        seq: number * 1000,
        sent_at: Time::from_ms(ms - 50),
        aside: Aside::default(),
        waited: Time::ZERO,
        flow: 0,
        bytes: 1040,
        extra: 1000,
        stamp: 0.0,
        hop: 0,
        generation: 0,
        kind: Kind::Data,
        flags: Flags::default(),
    }
}

/// A receiver and when it acknowledged.
struct Bench(Receiver);

impl Bench {
    fn new(tcp: &str) -> Self {
        Self(Receiver::new(&options(tcp)))
    }

    /// Segment `number` arrives at `ms`, half a round trip of 100 ms after it was sent. Gives what is acknowledged at once:
    /// the next segment expected, and the time of sending that is echoed, in milliseconds.
    fn segment(&mut self, ms: u64, number: u64) -> Option<(u64, u64)> {
        let reaction = self.0.on_segment(Time::from_ms(ms), &arriving(ms, number), 1000, false);
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
    // after a pause of more than a second again; 11 waited for its timer
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

/// One acknowledgement in eight, and one that the timer sends: stretch acknowledgements, by number and by time.
#[test]
fn an_acknowledgement_for_every_n_or_after_the_timer() {
    let mut bench = Bench::new("ack_every = 8, ack_timer = \"10 ms\"");
    assert_eq!(bench.acknowledged(100, 0, 20), [7, 15]);
    assert_eq!(bench.0.due(), Time::from_ms(116 + 10), "since the first that waits");
    // by time alone
    let mut bench = Bench::new("ack_every = 1000000, ack_timer = \"40 ms\"");
    assert!(bench.acknowledged(100, 0, 30).is_empty());
    assert_eq!(bench.0.due(), Time::from_ms(140));
}

/// The examples of RFC 7323, 4.3: delayed acknowledgements echo the earliest segment, a gap keeps what was echoed before it,
/// and the segment that fills it is echoed.
#[test]
fn what_timestamps_echo() {
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
    // a segment of old that arrives late turns nothing back
    assert_eq!(bench.segment(230, 7), Some((8, 220)));
    let mut without = Bench::new("ack_every = 2");
    without.segment(100, 0);
    assert_eq!(without.segment(110, 1), Some((2, 60)), "the later of two");
}

/// RFC 2883, section 4: a segment that arrived before is reported in the first block of one acknowledgement.
#[test]
fn what_arrived_twice_is_reported_once() {
    let mut bench = Bench::new("rack = true");
    let blocks = |bench: &mut Bench, ms, number| {
        let packet = arriving(ms, number);
        bench.0.on_segment(Time::from_ms(ms), &packet, 1000, false);
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
fn as_few_acknowledgements_as_the_sender_asks_for() {
    let mut bench = Bench::new("ack_congestion_control = true");
    let mut segment = |ms, number, ratio| {
        let packet = Packet { aside: Aside::ack_ratio(ratio), ..arriving(ms, number) };
        let reaction = bench.0.on_segment(Time::from_ms(ms), &packet, 1000, false);
        reaction.ack_now.then(|| bench.acknowledge().0)
    };
    let two: Vec<_> = (0..6).map(|i| segment(100 + i, i, 2)).collect();
    assert_eq!(two, [None, Some(2), None, Some(4), None, Some(6)]);
    let four: Vec<_> = (6..14).map(|i| segment(100 + i, i, 4)).collect();
    assert_eq!(four, [None, None, None, Some(10), None, None, None, Some(14)]);
    // 14 is lost
    let early: Vec<_> = (15..26).map(|i| segment(100 + i, i, 4).is_some()).collect();
    assert_eq!(early, [true, true, true, false, false, false, true, false, false, false, true]);
    assert_eq!(segment(126, 14, 4), Some(26), "what fills the gap");
    assert_eq!((27..31).map(|i| segment(100 + i, i - 1, 4)).collect::<Vec<_>>(), [None, None, None, Some(30)]);
    // a ratio of two holds nothing back
    assert!((32..38).all(|i| segment(100 + i, i, 2).is_some()));
}

/// RFC 9768, 3.2.3.3: the option stands on every acknowledgement that has a count to tell of, and beside timestamps the third block
/// goes for it.
#[test]
fn the_option_and_blocks_share_the_room() {
    let arrive = |bench: &mut Bench, number, ecn| {
        let mut packet = arriving(100 + number, number);
        packet.flags.set_ecn(ecn);
        bench.0.on_segment(Time::from_ms(100 + number), &packet, 1000, false);
        bench.0.acknowledge()
    };
    for (timestamps, blocks) in [(false, 3), (true, 2)] {
        let mut bench = Bench::new(&format!("accurate_ecn = \"option\", timestamps = {timestamps}"));
        let mut syn = Flags::default();
        syn.set_ace(0b111);
        bench.0.on_syn(syn);
        let first = arrive(&mut bench, 0, Ecn::Ect0);
        assert_eq!((first.blocks, first.wire_bytes()), (None, 8));
        [2, 4].into_iter().for_each(|n| _ = arrive(&mut bench, n, Ecn::Ce));
        let third = arrive(&mut bench, 6, Ecn::Ce);
        assert_eq!(third.blocks.unwrap().iter().filter(|b| b.1 > 0).count(), blocks, "timestamps {timestamps}");
        assert_eq!(third.marked_bytes.unwrap().marked_since(&MarkedBytes::default()), Some(3000));
        // sent again, so not ECN-capable: nothing to tell, and room for all blocks
        let again = arrive(&mut bench, 8, Ecn::NotCapable);
        assert_eq!((again.wire_bytes(), again.blocks.unwrap().iter().filter(|b| b.1 > 0).count()), (0, 3));
    }
    let mut plain = Bench::new("accurate_ecn = true");
    let mut syn = Flags::default();
    syn.set_ace(0b111);
    plain.0.on_syn(syn);
    assert!(arrive(&mut plain, 0, Ecn::Ce).is_empty());
}
