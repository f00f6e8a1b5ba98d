//! When packets are sent if pacing is on and the controller has only a window.

use eddyline_cc::{Controller as _, Loss};
use eddyline_units::Time;

use super::{Bench, RTT};

/// Times of the first `n` packets after `bench.now`, in microseconds after it.
fn departures(bench: &mut Bench, n: usize) -> Vec<u64> {
    let begun = bench.now;
    let mut at = Vec::new();
    while at.len() < n {
        bench.now = bench.sender.next_timer();
        bench.sender.on_timer(bench.now, &mut bench.wire);
        at.extend(bench.sent().iter().map(|_| (bench.now - begun).as_ps() / 1_000_000));
    }
    at
}

/// Twice the window per round trip in slow start, 1.2 times in congestion avoidance.
#[test]
fn paces_as_linux_does() {
    let mut bench = Bench::open("pacing = true");
    assert_eq!(bench.sent().len(), 2, "the first, and one for a lateness of one interval");
    // a window of 10, a smoothed round trip of 100 ms
    assert_eq!(departures(&mut bench, 8), [5_000, 10_000, 15_000, 20_000, 25_000, 30_000, 35_000, 40_000]);
    bench.sender.tx.congestion.controller_mut().on_loss(&Loss { now: bench.now, flight_size: 20.0 });
    assert_eq!(bench.window(), 10.0);
    let interval = bench.sender.pacing_interval().unwrap();
    assert_eq!(interval, Time::from_ps(RTT.as_ps() / 12));
}

#[test]
fn the_gains_are_parameters() {
    for (gain, first, later) in [("slow_start = 4", 2_500, 8_333), ("avoidance = 1.0", 5_000, 10_000)] {
        let mut bench = Bench::open(&format!("pacing = true, pacing_gain.{gain}"));
        bench.sent();
        assert_eq!(departures(&mut bench, 1), [first]);
        bench.sender.tx.congestion.controller_mut().on_loss(&Loss { now: bench.now, flight_size: 20.0 });
        assert_eq!(bench.sender.pacing_interval().unwrap().as_ps() / 1_000_000, later);
    }
}
