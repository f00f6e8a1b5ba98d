//! Recovery without SACK: what duplicates tell of segments that were sent during recovery (RFC 6582, 3.2 and 4).

use eddyline_cc::PartialAck;

use super::super::Episode;
use super::{Bench, MSS, again, new};

/// NewReno's windows, and no wait for the timer where recovery ends at a hole.
fn persistent(tcp: &str) -> Bench {
    let mut bench = Bench::open(tcp);
    bench.sender.partial_ack = PartialAck::Persist;
    bench
}

/// Of ten segments 0 and 5 are lost, and of those that recovery sends 12, which is the first after the recovery point. The
/// acknowledgement of 0 has arrived, 5 has been sent again, and `early` duplicates told of segments behind 12.
fn recovering(early: usize) -> Bench {
    let mut bench = persistent("sack = false");
    bench.sent();
    bench.wait_until(200);
    for _ in 0..8 {
        bench.ack(0, &[]);
    }
    // the first two duplicates let out 10 and 11 (RFC 3042); half a window later each one a new segment
    assert_eq!(bench.numbers(), [new(10), new(11), again(0), new(12)]);
    bench.wait_until(300);
    bench.ack(0, &[]);
    bench.ack(0, &[]);
    bench.ack(5, &[]);
    assert_eq!(bench.numbers(), [new(13), new(14), again(5), new(15)]);
    bench.wait_until(400);
    for _ in 0..early {
        bench.ack(5, &[]);
    }
    assert_eq!(bench.numbers().len(), early, "each lets out a segment");
    bench
}

/// The acknowledgement that ends recovery covers all up to the recovery point and no more, and so will those that follow.
#[test]
fn a_hole_at_the_recovery_point_waits_for_no_timer() {
    let mut bench = recovering(2);
    bench.ack(12, &[]);
    assert_eq!((bench.sender.episode, bench.sender.duplicates), (Episode::None, 2), "13 and 14 have arrived");
    assert_eq!(bench.numbers(), [new(18)], "12 and 15 to 17 may be on their way");
    bench.ack(12, &[]);
    assert_eq!(bench.numbers().first(), Some(&again(12)), "the third duplicate");
    assert_eq!(bench.sender.timeouts, 0);
}

/// Where three of them came early, the next recovery begins at once.
#[test]
fn early_duplicates_begin_the_next_recovery() {
    let mut bench = recovering(3);
    let window = bench.window();
    bench.ack(12, &[]);
    assert_eq!(bench.numbers().first(), Some(&again(12)));
    assert_eq!(bench.window(), (window / 2.0).max(2.0), "a loss of the next window is a second reason");
}

/// Only what recovery lost comes early: an acknowledgement of everything leaves no duplicates behind.
#[test]
fn duplicates_that_are_acknowledged_are_forgotten() {
    let mut bench = recovering(3);
    let next = bench.sender.nxt / MSS;
    bench.ack(next, &[]);
    assert_eq!((bench.sender.duplicates, bench.sender.duplicate_bytes), (0, 0));
}

/// After a timeout everything is sent again. Where most of it had arrived the acknowledgement of the hole jumps, and duplicates
/// that follow are of needless retransmissions; where it advances by four segments at most they tell of a loss (4.1).
#[test]
fn duplicates_after_a_timeout() {
    for (first, expected) in [(6, None), (4, Some(again(10)))] {
        let mut bench = persistent("sack = false, limited_transmit = false");
        bench.sent();
        bench.wait_until(450);
        assert_eq!(bench.sender.timeouts, 1);
        assert_eq!(bench.numbers(), [again(0)]);
        bench.ack(10 - first, &[]);
        bench.sent();
        bench.ack(10, &[]);
        assert_eq!(bench.sender.episode, Episode::None, "all that was out is acknowledged");
        bench.sent();
        for _ in 0..3 {
            bench.ack(10, &[]);
        }
        assert_eq!(bench.numbers().into_iter().find(|(_, again)| *again), expected, "by {first} segments");
    }
}

/// NewReno itself waits for the timer there (RFC 6582, 3.2 step 2).
#[test]
fn others_wait_for_the_timer() {
    let mut bench = recovering(3);
    bench.sender.partial_ack = PartialAck::Stay;
    bench.ack(12, &[]);
    bench.sent();
    for _ in 0..4 {
        bench.ack(12, &[]);
    }
    assert!(bench.numbers().iter().all(|(_, again)| !again));
    bench.wait_until(1_000);
    assert_eq!((bench.numbers().first(), bench.sender.timeouts), (Some(&again(12)), 1));
}
