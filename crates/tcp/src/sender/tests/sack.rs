//! Recovery with SACK: losses of data sent during a recovery or after a timeout (RFC 5681, 4.3).

use eddyline_units::Time;

use super::super::episode::Episode;
use super::{BULK, Bench, new, newreno, resent};
use crate::config::{Application, Transfer};

/// Of ten segments 0 is lost, and of those sent during its recovery 10. What was outstanding when the window was halved is one event, 10
/// is the next.
#[test]
fn new_data_lost_in_a_recovery_is_a_second_event() {
    for options in ["", "rack = true"] {
        let mut bench = Bench::open(options);
        bench.sent();
        bench.wait_until(200);
        bench.ack(0, &[(1, 4)]);
        assert_eq!((bench.numbers(), bench.window()), (vec![resent(0)], 5.0), "{options}");
        bench.wait_until(210);
        bench.ack(0, &[(1, 9)]);
        bench.ack(0, &[(1, 10)]);
        assert_eq!(bench.numbers(), [new(10), new(11), new(12), new(13)], "{options}");
        bench.wait_until(310);
        bench.ack(0, &[(11, 14), (1, 10)]);
        assert!(bench.numbers().contains(&resent(10)), "{options}");
        assert_eq!(bench.window(), 2.5, "{options}");
        bench.ack(0, &[(11, 14), (1, 10)]);
        assert_eq!(bench.window(), 2.5, "once per event; {options}");
    }
}

/// After a timeout no recovery begins before all that was outstanding then is acknowledged (RFC 6675, 5.1), but the window is reduced.
#[test]
fn new_data_lost_after_a_timeout_is_a_second_event() {
    let mut bench = Bench::open("");
    bench.wait_until(450);
    assert_eq!(bench.sender.counters().timeouts, 1);
    for number in [1, 2, 3, 4, 9] {
        bench.ack(number, &[]);
    }
    assert!(bench.numbers().ends_with(&[new(10), new(11), new(12), new(13)]));
    let window = bench.window();
    bench.ack(9, &[(11, 14)]);
    assert_eq!((bench.window(), bench.sender.tx.recovery.episode()), (window.min(5.0) / 2.0, Episode::AfterTimeout));
    assert!(bench.numbers().contains(&resent(10)));
}

/// RFC 6675, 5, step 1: the third duplicate acknowledgement begins the recovery, even if the segments above the hole are too small for
/// IsLost. Segments of 100 bytes, every 10 ms; the first is lost.
#[test]
fn three_duplicates_of_small_segments_begin_a_recovery() {
    let messages = Transfer { application: Application::Bursts { bytes: 100, every: Time::from_ms(10) }, ..BULK };
    let mut bench = Bench::open_with("", &messages, &newreno());
    for duplicates in 1..=3 {
        bench.wait_until(200 + 10 * duplicates);
        bench.sent();
        bench.ack_bytes(0, &[(100, 100 + 100 * duplicates)]);
        let again: Vec<_> = bench.sent().iter().map(|s| (s.seq, s.payload)).collect();
        assert_eq!(again, if duplicates == 3 { vec![(0, 100)] } else { vec![] }, "{duplicates}");
    }
    assert_eq!(bench.sender.tx.recovery.episode(), Episode::Recovery);
}

/// RFC 6675, 4, rule 3 of NextSeg: 0 and 8 of the last ten segments are lost. One segment above 8 does not make it lost, but in the
/// recovery of 0 there is nothing else to send. With more data that comes first.
#[test]
fn with_nothing_else_to_send_a_hole_counts_as_lost() {
    for (segments, then) in
        [(10, vec![resent(8)]), (11, vec![new(10), resent(8)]), (30, vec![new(10), new(11), new(12)])]
    {
        let burst = Application::Bursts { bytes: segments * 1000, every: Time::SECOND * 10 };
        let mut bench = Bench::open_with("", &Transfer { application: burst, ..BULK }, &newreno());
        bench.sent();
        bench.wait_until(200);
        bench.ack(0, &[(1, 4)]);
        assert_eq!(bench.numbers(), [resent(0)]);
        // within the window of five: 0, 4 to 9 are in flight
        bench.ack(0, &[(1, 5)]);
        bench.ack(0, &[(1, 6)]);
        assert_eq!(bench.numbers(), []);
        bench.ack(0, &[(9, 10), (1, 8)]);
        assert_eq!(bench.numbers(), then, "{segments}");
    }
}
