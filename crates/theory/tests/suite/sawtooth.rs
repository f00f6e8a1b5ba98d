//! DCTCP's saw-tooth against the equations that it solves and their approximations.

use crate::common;

use common::close;
use eddyline_theory::TheoryError;
use eddyline_theory::sawtooth::{Cut, min_threshold, sawtooth};

#[test]
fn by_its_equations() {
    for (flows, pipe, threshold) in
        [(1.0, 83.0, 40.0), (2.0, 83.0, 40.0), (40.0, 83.0, 40.0), (1.0, 1e6, 1e5), (10.0, 500.0, 0.0)]
    {
        let s = sawtooth(Cut::ByShare, flows, pipe, threshold).expect("a saw-tooth");
        close(s.window, (pipe + threshold) / flows, 1e-12);
        // packets of the last round trip over those of the period
        let packets = |from: f64, to: f64| (to * to - from * from) / 2.0;
        let top = s.window + 1.0;
        close(s.alpha, packets(s.window, top) / packets(top * (1.0 - s.alpha / 2.0), top), 1e-9);
        close(s.amplitude, flows * s.period_round_trips, 1e-12);
        close(s.period_round_trips, top * s.alpha / 2.0, 1e-12);
        close(s.queue_max, threshold + flows, 1e-12);
        close(s.queue_min, (s.queue_max - s.amplitude).max(0.0), 1e-9);
        assert!(s.utilisation <= 1.0 && (s.utilisation == 1.0 || s.queue_min == 0.0), "{s:?}");
    }
    // the paper's Figure 12: 10 Gbit/s, 100 us, K = 40, two flows of 1500 bytes
    let s = sawtooth(Cut::ByShare, 2.0, 250.0 / 3.0, 40.0).expect("a saw-tooth");
    close(s.amplitude, 0.5 * (2.0f64 * 2.0 * (250.0 / 3.0 + 40.0)).sqrt(), 0.03);
    close(s.alpha, (2.0 / s.window).sqrt(), 0.03);
}

/// The integral of windows over round trips that a pipe makes longer, by sum.
#[test]
fn a_link_that_becomes_idle() {
    for (cut, flows, pipe, threshold) in
        [(Cut::Half, 1.0, 500.0, 30.0), (Cut::Half, 5.0, 500.0, 100.0), (Cut::ByShare, 40.0, 300.0, 5.0)]
    {
        let s = sawtooth(cut, flows, pipe, threshold).expect("a saw-tooth");
        let top = flows * (s.window + 1.0);
        let steps = 100_000;
        let windows = (0..steps).map(|i| top - s.amplitude * (f64::from(i) + 0.5) / f64::from(steps));
        let (sent, time) = windows.fold((0.0, 0.0), |(sent, time), w| (sent + w, time + w.max(pipe)));
        assert!(s.utilisation < 1.0);
        close(s.utilisation, sent / time, 1e-8);
        close(s.period_packets, time / f64::from(steps) * s.period_round_trips, 1e-8);
    }
    // half of the top fills the pipe
    let s = sawtooth(Cut::Half, 1.0, 100.0, 101.0).expect("a saw-tooth");
    assert_eq!((s.queue_min, s.utilisation), (1.0, 1.0));
}

/// Enough for any number of flows, but for 1.8 % of the pipe and 0.03 % of the link.
#[test]
fn the_minimum_threshold() {
    for pipe in [100.0, 1000.0, 10_000.0] {
        let threshold = min_threshold(pipe);
        for flows in (1u32..).map(f64::from).take_while(|n| (pipe + threshold) / n >= 1.0) {
            let s = sawtooth(Cut::ByShare, flows, pipe, threshold).expect("a saw-tooth");
            assert!(s.queue_max - s.amplitude > -0.018 * pipe, "{pipe}, {flows}: {s:?}");
            assert!(s.utilisation > 0.9997, "{pipe}, {flows}: {s:?}");
        }
    }
}

#[test]
fn arguments_out_of_range_are_errors() {
    for (flows, pipe, threshold) in [
        (0.5, 10.0, 10.0),
        (f64::NAN, 10.0, 10.0),
        (1.0, 0.0, 10.0),
        (1.0, f64::INFINITY, 10.0),
        (1.0, 10.0, -1.0),
        (1.0, 10.0, f64::NAN),
        (30.0, 10.0, 10.0),
    ] {
        let refused = sawtooth(Cut::ByShare, flows, pipe, threshold);
        assert!(matches!(refused, Err(TheoryError::OutOfRange { .. })), "{refused:?}");
    }
}
