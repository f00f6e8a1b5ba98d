//! Westwood+ on synthetic acknowledgements.

use crate::bench;

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
    steady(&mut b, 160.0, 1.0);
    close(b.lose(), 100.0, 2.0);
    assert_eq!(b.c.base_rtt(), Some(bench::ms(100.0)));
    close(b.time_out(), 1.0, 0.0);
    close(b.c.slow_start_threshold().unwrap(), 100.0, 2.0);
}

/// 120 round trips of a steady stream, a packet every so often: both filters have settled.
fn steady(b: &mut Bench, rtt_ms: f64, packet_ms: f64) {
    let (rtt, packet) = (bench::ms(rtt_ms), bench::ms(packet_ms));
    b.now += rtt;
    for _ in 0..(120.0 * rtt_ms / packet_ms) as u32 {
        let sent = b.now + packet - rtt;
        b.c.on_ack(&eddyline_cc::Ack {
            now: b.now + packet,
            sent_at: sent,
            received_at: sent,
            rtt: Some(rtt),
            acked: 1.0,
            lost: 0.0,
            in_flight: rtt_ms / packet_ms,
            stamp: eddyline_cc::Stamp::default(),
            cwnd_limited: true,
            in_recovery: false,
        });
        b.now += packet;
    }
}

/// By a clock of whole milliseconds RTTmin is one, up or down: 10 packets a millisecond times 100.6 ms are 1,010 packets by
/// it and 1,006 without, times 100.4 ms 1,000 and 1,004.
#[test]
fn rtt_in_whole_clock_ticks() {
    for (base, by_ticks) in [(100.6, 1010.0), (100.4, 1000.0)] {
        for (more, expected) in [("", 10.0 * base), (r#", "tick": "1 ms""#, by_ticks)] {
            let mut b = Bench::new("westwood", more, base);
            b.in_avoidance(4000.0, base);
            steady(&mut b, 160.0, 0.1);
            close(b.lose(), expected, 1.0);
        }
    }
}

/// Before any sample of the bandwidth it halves.
#[test]
fn halves_before_the_first_bandwidth_sample() {
    let mut b = Bench::new("westwood", r#", "min_sample": "10 s""#, 100.0);
    close(b.lose(), 5.0, 0.0);
}
