//! The share of time as the bottleneck, against closed forms.

mod scenarios;

use scenarios::{answer, duplex, flow, head, link, of};

/// Forty packets of 120 us each come at once, every so often: the backlog, what is left of the packet in transmission included, is above one packet until the last one begins,
/// 39 x 120 us = 4.68 ms. A grid of 10 ms must not see what happens every 10 ms always in the same place.
#[test]
fn a_period_does_not_hide_in_the_grid() {
    for every_us in [5_000.0f64, 10_000.0, 10_100.0, 20_000.0] {
        let text = head(100.0, 0.0, 1)
            + &duplex(1e8, 1e8, 0.002)
            + &flow(
                "x",
                "kind = \"reno\"",
                "f",
                "b",
                &format!(
                    "header = \"40 B\"\napplication = {{ kind = \"bursts\", bytes = \"58400 B\", every = \"{every_us} us\" }}\n\
                     tcp = {{ initial_window = 100 }}"
                ),
            )
            .replace("1040 B", "1500 B");
        let share = link(&answer(&text), "f").bottleneck_share.unwrap();
        // one sample in each of 10,000 cells: at worst as spread as independent ones, four standard deviations
        let expected = 4_680.0 / every_us;
        let within = 4.0 * (expected * (1.0 - expected) / 1e4).sqrt();
        assert!((share - expected).abs() < within, "every {every_us} us: {share}, not {expected}");
    }
}

/// Percentiles stay within the extremes: a flow of one byte has one or two samples.
#[test]
fn percentiles_of_few_samples() {
    let text = head(2.0, 0.0, 1) + &duplex(1e7, 1e6, 0.02) + &flow("x", "kind = \"reno\"", "f", "b", "size = \"1 B\"");
    let result = answer(&text);
    let rtt = of(&result, "x").rtt_s;
    assert!(rtt.p50.unwrap() >= rtt.min.unwrap(), "{rtt:?}");
    assert!(rtt.p99.unwrap() >= rtt.p50.unwrap(), "{rtt:?}");
}
