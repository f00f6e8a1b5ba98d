//! FAST that counts one way, packet by packet: closed forms of two full links, clocks that nobody synchronised, fewer
//! acknowledgements.

mod scenarios;

use eddyline_sim::Options;
use scenarios::{answer, duplex, flow, head, near, network, of, outcome};

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

/// P x + A y = c, A x + P y = c': where both links are full alphas share nothing.
fn both_full(c: f64, d: f64) -> [f64; 2] {
    let determinant = DATA * DATA - ACK * ACK;
    [(DATA * c - ACK * d) / determinant, (DATA * d - ACK * c) / determinant]
}

/// Whole packets leave a packet of alpha open, which moves no rate here: both links are full.
#[test]
fn both_links_fill_at_rest() {
    let want = both_full(100e6, 10e6);
    for delay in ["forward", "weighted"] {
        let result = answer(&example_3(40.0, &format!(", delay = \"{delay}\", drain = false"), 0.0));
        for (name, want) in ["1", "2"].iter().zip(want) {
            near(of(&result, name).packets_per_s.unwrap(), want, 0.002, delay);
        }
        for link in &result.links {
            near(link.utilisation.unwrap(), 1.0, 0.002, delay);
        }
    }
}

/// Clocks 3 s apart, 100 ppm either way: what pauses cost, two round trips of 70 ms in 10 s, and half of that again.
#[test]
fn clocks_apart_change_no_rate() {
    let want = both_full(100e6, 10e6);
    for ppm in [100.0, -100.0] {
        for delay in ["forward", "weighted"] {
            let result = answer(&example_3(120.0, &format!(", delay = \"{delay}\""), ppm));
            for (name, want) in ["1", "2"].iter().zip(want) {
                near(of(&result, name).packets_per_s.unwrap(), want, 0.021, delay);
            }
        }
    }
}

/// The clock's offset is nobody's business: with it or without, the same packets at the same times.
#[test]
fn an_offset_changes_nothing_at_all() {
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

/// 100 Mbit/s of data, 1 Mbit/s for their acknowledgements: with five of them queued the data have their link, and a ratio of at
/// least 3.85 packets an acknowledgement is what that takes.
#[test]
fn acknowledgements_by_delay_leave_the_data_their_link() {
    let fast = "kind = \"fast\", alpha = \"100 packets\", delay = \"forward\", ack_alpha = \"5 packets\"";
    let text = head(60.0, 30.0, 1)
        + &duplex(100e6, 1e6, 0.02)
        + &flow("1", fast, "f", "b", "tcp = { timestamps = true, initial_window = 2 }");
    let result = answer(&text);
    near(result.links[0].data_utilisation.unwrap(), 1.0, 0.02, "the way out");
    let queued = result.links[1].queue_packets.mean.unwrap();
    assert!((3.0..20.0).contains(&queued), "five acknowledgements at rest, more after each pause: {queued}");
    assert_eq!(result.links[1].drops.ack, Some(0));
}
