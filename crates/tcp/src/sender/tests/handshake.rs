//! Opening a connection.

use super::*;

/// Windows after SYN-ACKs that answer a SYN retransmitted `times` times: the timer expires after 1, 3 and 7 s (RFC 6298).
fn window_after(times: u32) -> f64 {
    let mut bench = Bench::closed("", &BULK, &newreno());
    bench.wait_until(1000 * ((1 << times) - 1));
    let syns = bench.sent();
    assert_eq!(syns.len(), 1 + times as usize);
    let mut flags = SegmentFlags::default();
    flags.set_retransmission(times > 0);
    bench.sender.on_syn_ack(bench.now + RTT, bench.now, flags, &mut bench.wire);
    assert_eq!(bench.sent().len(), bench.window() as usize, "all of the window is sent");
    bench.window()
}

/// RFC 6928, 2: not for one SYN, which may be late only; Linux does the same.
#[test]
fn two_lost_syns_reduce_the_initial_window_and_one_does_not() {
    assert_eq!([0, 1, 2, 3].map(window_after), [10.0, 10.0, 1.0, 1.0]);
}
