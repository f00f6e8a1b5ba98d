//! FAST with one-way delay at packet level: closed forms of two full links, unsynchronised clocks, ACK congestion control.

use crate::scenarios;

use eddyline_sim::Options;
use scenarios::{duplex, flow, flow_result, head, near, network, outcome, result_of};

const DATA: f64 = 8320.0;
const ACK: f64 = 320.0;

/// Example 3 of the two-way paper, `more` after the controllers' alphas, the receivers' clocks gaining `ppm` forward and losing
/// as much backward.
fn example_3(seconds: f64, more: &str, ppm: f64) -> String {
    let tcp = |ppm: f64| {
        let clock = format!("timestamp_clock = {{ ahead = \"3 s\", drift_ppm = {ppm:?} }}");
        format!(
            "tcp = {{ timestamps = true, initial_window = 2{} }}",
            if ppm == 0.0 { String::new() } else { format!(", {clock}") }
        )
    };
    let fast = |alpha: u32| format!("kind = \"fast\", alpha = \"{alpha} packets\"{more}");
    head(seconds, seconds / 2.0, 1)
        + &duplex(100e6, 10e6, 0.02)
        + &flow("1", &fast(100), "f", "b", &tcp(ppm))
        + &flow("2", &fast(30), "b", "f", &tcp(-ppm))
}

/// P x + A y = c, A x + P y = c': if both links are full the rates do not depend on the alphas.
fn both_full(c: f64, d: f64) -> [f64; 2] {
    let determinant = DATA * DATA - ACK * ACK;
    [(DATA * c - ACK * d) / determinant, (DATA * d - ACK * c) / determinant]
}

/// The equilibrium with both links full.
#[test]
fn both_links_are_full_in_equilibrium() {
    let want = both_full(100e6, 10e6);
    for delay in ["forward", "weighted"] {
        let result = result_of(&example_3(40.0, &format!(", delay = \"{delay}\", drain = false"), 0.0));
        for (name, want) in ["1", "2"].iter().zip(want) {
            near(flow_result(&result, name).packets_per_s.unwrap(), want, 0.002, delay);
        }
        for link in &result.links {
            near(link.utilisation.unwrap(), 1.0, 0.002, delay);
        }
    }
}

/// Clocks with an offset of 3 s and a drift of 100 ppm: the rates change by no more than the drain pauses cost, two round trips of 70 ms
/// in 10 s, and half as much for the drift.
#[test]
fn clock_offset_and_drift_change_no_rate() {
    let want = both_full(100e6, 10e6);
    for ppm in [100.0, -100.0] {
        for delay in ["forward", "weighted"] {
            let result = result_of(&example_3(120.0, &format!(", delay = \"{delay}\""), ppm));
            for (name, want) in ["1", "2"].iter().zip(want) {
                near(flow_result(&result, name).packets_per_s.unwrap(), want, 0.021, delay);
            }
        }
    }
}

/// A clock offset alone changes nothing: the same packets at the same times.
#[test]
fn a_clock_offset_changes_nothing() {
    let run = |ahead: &str| {
        let text = example_3(10.0, ", delay = \"forward\"", 0.0);
        let text = text
            .replace("timestamps = true", &format!("timestamps = true, timestamp_clock = {{ ahead = \"{ahead}\" }}"));
        outcome(&network(&text), &Options::default()).result
    };
    let (near, far) = (run("0 s"), run("3000 s"));
    assert_eq!(near.flows, far.flows);
    assert_eq!(near.counters, far.counters);
}

/// 100 Mbit/s of data, 1 Mbit/s for their acknowledgements: with `ack_alpha` of five the data fill their link, which needs at least 3.85
/// packets per acknowledgement, on short and on long paths: the ratio follows the queue, and the queue the ratio, a round trip later.
/// Pauses cost a fiftieth at 80 ms each way, and what is queued after them is less than a tenth of a round trip's acknowledgements.
#[test]
fn ack_alpha_keeps_the_data_link_full() {
    let fast = "kind = \"fast\", alpha = \"100 packets\", gamma = 0.1, delay = \"forward\", ack_alpha = \"5 packets\"";
    for delay_s in [0.005, 0.02, 0.08] {
        let text = head(100.0, 40.0, 1)
            + &duplex(100e6, 1e6, delay_s)
            + &flow("1", fast, "f", "b", "tcp = { timestamps = true, initial_window = 2 }");
        let result = result_of(&text);
        near(result.links[0].data_utilisation.unwrap(), 1.0, 0.03, "data link");
        let queued = result.links[1].queue_packets.mean.unwrap();
        let round_trip = 2.0 * delay_s * 1e6 / ACK;
        assert!((3.0..5.0 + 0.1 * round_trip).contains(&queued), "{queued} of {round_trip} at {delay_s}");
        assert_eq!(result.links[1].drops.ack, Some(0));
    }
}
