//! Opening a connection.

use super::*;

/// The window after a SYN-ACK that answers a SYN retransmitted `times` times: the timer expires after 1, 3 and 7 s (RFC 6298).
fn window_after(options: &str, times: u32) -> f64 {
    let mut bench = Bench::closed(options, &BULK, &newreno());
    bench.wait_until(1000 * ((1 << times) - 1));
    let syns = bench.sent();
    assert_eq!(syns.len(), 1 + times as usize);
    let mut flags = SegmentFlags::default();
    flags.set_retransmission(times > 0);
    bench.sender.on_syn_ack(bench.now + RTT, bench.now, flags, &mut bench.wire);
    assert_eq!(bench.sent().len(), bench.window() as usize, "all of the window is sent");
    bench.window()
}

/// RFC 5681, 3.1, for the windows that it allows; for larger ones RFC 6928, 2: one SYN may be late only.
#[test]
fn lost_syns_reduce_the_initial_window() {
    for (initial, after) in [(2, [2.0, 1.0, 1.0, 1.0]), (4, [4.0, 1.0, 1.0, 1.0]), (10, [10.0, 10.0, 1.0, 1.0])] {
        let options = format!("initial_window = {initial}");
        assert_eq!([0, 1, 2, 3].map(|times| window_after(&options, times)), after, "{initial}");
    }
}
