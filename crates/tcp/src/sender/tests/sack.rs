//! Recovery with SACK: losses of data sent during a recovery or after a timeout (RFC 5681, 4.3).

use super::super::episode::Episode;
use super::{Bench, new, resent};

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
    assert_eq!((bench.window(), bench.sender.recovery.episode()), (window.min(5.0) / 2.0, Episode::AfterTimeout));
    assert!(bench.numbers().contains(&resent(10)));
}
