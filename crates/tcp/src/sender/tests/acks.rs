//! What acknowledgements release, and what they measure.

use eddyline_units::Time;

use super::{Bench, new, resent};
use crate::sender::scoreboard::Scoreboard;

/// Ten segments out, one acknowledged, then duplicates.
fn duplicates(tcp: &str, sack: bool) -> Vec<Vec<super::Sent>> {
    let mut bench = Bench::open(tcp);
    bench.sent();
    bench.wait_until(200);
    bench.ack(1, &[]);
    bench.sent();
    let block = |end| if sack { vec![(2, end)] } else { vec![] };
    (3..=5)
        .map(|end| {
            bench.ack(1, &block(end));
            bench.numbers()
        })
        .collect()
}

#[test]
fn limited_transmit_sends_two_new_segments() {
    for (tcp, sack) in [("", true), ("sack = false", false)] {
        assert_eq!(duplicates(tcp, sack), [vec![new(12)], vec![new(13)], vec![resent(1)]], "sack {sack}");
    }
    for (tcp, sack) in [("limited_transmit = false", true), ("limited_transmit = false, sack = false", false)] {
        assert_eq!(duplicates(tcp, sack), [vec![], vec![], vec![resent(1)]], "sack {sack}");
    }
}

/// Everything but the first segment is lost, and the timer retransmits it.
fn after_a_retransmission(tcp: &str) -> (Option<Time>, Option<Time>) {
    let mut bench = Bench::open(tcp);
    bench.sent();
    bench.wait_until(250);
    bench.ack_with(1, &[], |ack| ack.sent_at = Time::from_ms(100));
    assert_eq!(bench.sender.last_rtt(), Some(Time::from_ms(150)));
    bench.wait_until(900);
    assert!(bench.sent().iter().any(|s| s.seq == 1000 && s.flags.retransmission()));
    bench.ack_with(2, &[], |ack| {
        ack.sent_at = Time::from_ms(780);
        ack.flags.set_retransmission(true);
    });
    (bench.sender.last_rtt(), bench.sender.srtt())
}

/// Karn's rule takes no sample from the acknowledgement of a retransmission; a timestamp identifies the packet that caused the acknowledgement.
#[test]
fn timestamps_measure_retransmissions() {
    let karn = after_a_retransmission("");
    assert_eq!(karn.0, Some(Time::from_ms(150)));
    let stamped = after_a_retransmission("timestamps = true");
    assert_eq!(stamped.0, Some(Time::from_ms(120)));
    assert_ne!(stamped.1, karn.1, "the timer uses the samples too");
}

/// The first copy was late, not lost: its acknowledgement gives a sample without timestamps too, as it echoes which copy caused it.
/// Karn's rule would take none.
#[test]
fn a_late_original_is_measured() {
    let mut bench = Bench::open("");
    bench.sent();
    bench.wait_until(500);
    assert_eq!((bench.sender.counters().timeouts, bench.sender.last_rtt()), (1, None));
    assert_eq!(bench.numbers(), [resent(0)]);
    bench.ack_with(1, &[], |ack| ack.sent_at = Time::from_ms(100));
    assert_eq!(bench.sender.last_rtt(), Some(Time::from_ms(400)));
    // 7/8 of 100 ms and 1/8 of 400 ms
    assert_eq!(bench.sender.srtt(), Some(Time::from_ps(137_500_000_000)));
}

/// An acknowledgement that advances nothing gives no sample with timestamps (RFC 7323, 4.1), with SACK news it does without.
#[test]
fn timestamps_measure_only_what_advances() {
    for (tcp, expected) in [("", 60), ("timestamps = true", 100)] {
        let mut bench = Bench::open(tcp);
        bench.wait_until(200);
        bench.ack(1, &[]);
        bench.ack_with(1, &[(2, 3)], |ack| ack.sent_at = Time::from_ms(140));
        assert_eq!(bench.sender.last_rtt(), Some(Time::from_ms(expected)), "{tcp}");
    }
}

/// With timestamps it gives no sample, and ends the back-off all the same.
#[test]
fn sack_of_a_first_copy_ends_the_back_off() {
    for tcp in ["", "timestamps = true"] {
        let mut bench = Bench::open(tcp);
        bench.wait_until(1_000);
        assert_eq!(bench.sender.counters().timeouts, 2, "{tcp}");
        let backed_off = bench.sender.tx.rto.timeout();
        bench.ack_with(0, &[(2, 3)], |ack| ack.sent_at = Time::from_ms(900));
        let timeout = bench.sender.tx.rto.timeout();
        assert!(timeout.saturating_mul(2) <= backed_off, "{tcp}: {timeout:?} after {backed_off:?}");
    }
}

#[test]
fn retransmissions_are_no_first_copies() {
    let mut board = Scoreboard::new(false);
    board.begin_episode(0);
    board.lose_below(4_000);
    board.retransmitted(Time::ZERO, 0, 2_000);
    board.sack(1_000, 2_000);
    assert_eq!(board.sacked_first_copies(9_000), 0);
    board.sack(1_000, 3_500);
    assert_eq!(board.sacked_first_copies(9_000), 1_500);
}
