//! Westwood+ on acknowledgements made by hand.

mod bench;

use bench::{Bench, close};
use eddyline_cc::Controller as _;

/// After a loss: bandwidth times RTTmin. A window of 160 at 160 ms over a base of 100 ms is 1,000 packet/s: 100 packets.
#[test]
fn the_window_after_a_loss_is_bandwidth_times_base() {
    let mut b = Bench::new("westwood", "", 100.0);
    for _ in 0..4 {
        b.round(100.0);
    }
    close(b.c.window(), 160.0, 0.0);
    // sixty round trips of a steady stream: both filters have settled
    let packet = bench::ms(1.0);
    let rtt = bench::ms(160.0);
    b.now += rtt;
    for _ in 0..9_600 {
        let sent = b.now + packet - rtt;
        b.c.on_ack(&eddyline_cc::Ack {
            now: b.now + packet,
            sent_at: sent,
            received_at: sent,
            rtt: Some(rtt),
            acked: 1.0,
            lost: 0.0,
            in_flight: 160.0,
            stamp: eddyline_cc::Stamp::default(),
            cwnd_limited: false,
            in_recovery: false,
        });
        b.now += packet;
    }
    close(b.lose(), 100.0, 2.0);
    assert_eq!(b.c.base_rtt(), Some(bench::ms(100.0)));
    close(b.time_out(), 1.0, 0.0);
    close(b.c.slow_start_threshold().unwrap(), 100.0, 2.0);
}

/// Before any sample of the bandwidth it halves.
#[test]
fn halves_before_it_knows() {
    let mut b = Bench::new("westwood", r#", "min_sample": "10 s""#, 100.0);
    close(b.lose(), 5.0, 0.0);
}
