//! Accurate ECN end to end: the marks that the queue sets against the CE count at the sender.
//!
//! Transfers are whole packets and run to completion, so that no mark is in flight: the two counts must agree.

use crate::scenarios;

use eddyline_scenario::result::RunResult;
use scenarios::{flow, flow_result, head, link, near, result_of};

/// 20 Mbit/s and 20 ms with step marking at `threshold` packets; `back` describes the return link.
fn path(threshold: u32, back: &str) -> String {
    format!(
        "[[link]]\nname = \"f\"\nrate = \"20 Mbit/s\"\ndelay = \"10 ms\"\n\
         queue = {{ kind = \"step\", threshold = \"{threshold} packets\" }}\n\
         [[link]]\nname = \"b\"\n{back}\n"
    )
}

const BACK: &str = "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"";

fn run(controller: &str, threshold: u32, tcp: &str, back: &str, more: &str) -> RunResult {
    let controller = format!("kind = \"{controller}\"");
    result_of(
        &(head(120.0, 0.0, 1)
            + &path(threshold, back)
            + &flow("x", &controller, "f", "b", &format!("size = \"20 MB\"\ntcp = {{ {tcp} }}\n{more}"))),
    )
}

/// Packets that the queue marked, and the CE packets that the sender counted.
fn counts(r: &RunResult) -> (f64, f64) {
    let x = flow_result(r, "x");
    assert!(x.completed_at_s.is_some(), "{x:?}");
    // no data is lost, so retransmissions, which are not ECN-capable, are spurious
    assert!(x.retransmits < Some(10), "{:?}", x.retransmits);
    (link(r, "f").marked.unwrap() as f64, x.delivered_ce.unwrap())
}

/// With every controller and ACK ratio each mark is counted exactly once.
#[test]
fn marks_are_conserved() {
    for controller in ["dctcp", "prague", "newreno"] {
        for feedback in ["true", "\"ace\"", "\"option\""] {
            for every in [1, 2, 5] {
                let tcp = format!("accurate_ecn = {feedback}, ack_every = {every}");
                let (made, counted) = counts(&run(controller, 20, &tcp, BACK, ""));
                assert!(made > 20.0 && counted == made, "{controller}, {tcp}: {made}, {counted}");
            }
        }
    }
    let without = run("dctcp", 20, "ecn = true", BACK, "");
    assert_eq!(flow_result(&without, "x").delivered_ce, None);
}

/// Lost acknowledgements lose no counts: ACE's three bits suffice while fewer than eight marks fall between two acknowledgements that
/// arrive. At 30 % loss seven in a row are lost once in 4,600, at 50 % once in 128, and the sender then assumes the largest count. The
/// option is exact at any loss.
#[test]
fn lost_acknowledgements() {
    for (loss, slack) in [(0.3, 0.05), (0.5, 1.5)] {
        let back = format!("{BACK}\nloss = {loss}");
        let (made, counted) = counts(&run("dctcp", 20, "accurate_ecn = \"option\"", &back, ""));
        assert!(made > 100.0 && counted == made, "{loss}: {made}, {counted}");
        let (made, counted) = counts(&run("dctcp", 20, "accurate_ecn = \"ace\"", &back, ""));
        assert!(counted >= made && counted <= (1.0 + slack) * made, "{loss}: {made}, {counted}");
    }
}

/// A queue that passes one acknowledgement in sixteen wraps the three bits: at first the sender assumes the largest count, which ends slow
/// start before the first mark; once thinning is the norm, it misses marks. With the option every mark is counted.
#[test]
fn thinned_acknowledgements() {
    let thin = "rate = \"80 kbit/s\"\ndelay = \"10 ms\"\nqueue = { kind = \"ack_decimation\", limit = \"50 packets\", \
                threshold = \"1 packets\", drop = { kind = \"every\", keep_one_in = 16 } }";
    let thinned = |feedback: &str| run("prague", 60, &format!("accurate_ecn = \"{feedback}\""), thin, "");
    let (ace, option) = (thinned("ace"), thinned("option"));
    for r in [&ace, &option] {
        assert!(link(r, "b").drops.ack.unwrap() > 15_000, "{:?}", link(r, "b"));
    }
    let (made, counted) = counts(&option);
    assert!(made > 500.0 && counted == made, "{made}, {counted}");
    let (made, counted) = counts(&ace);
    assert!(counted < 0.6 * made, "{made}, {counted}");
    assert!(flow_result(&option, "x").completed_at_s < flow_result(&ace, "x").completed_at_s);
    // a filter keeps acknowledgements whose flags differ, so few marks are ambiguous; only the first gaps are overestimated
    let filter = "rate = \"100 kbit/s\"\ndelay = \"10 ms\"\nqueue = { kind = \"ack_filter\", limit = \"50 packets\" }";
    for feedback in ["ace", "option"] {
        let r = run("dctcp", 20, &format!("accurate_ecn = \"{feedback}\""), filter, "");
        assert!(link(&r, "b").drops.ack.unwrap() > 1000);
        let (made, counted) = counts(&r);
        let max = if feedback == "option" { made } else { made + 16.0 };
        assert!(counted >= made && counted <= max, "{feedback}: {made}, {counted}");
    }
}

/// Acknowledgements reordered on the return link: counts on old ones are ignored. One that overtakes others delivers more than seven
/// packets. Three bits are then taken for the largest count where one for two to four packets is usual (RFC 9768, A.2.1).
#[test]
fn reordered_acknowledgements() {
    let back = format!("{BACK}\njitter = {{ kind = \"exponential\", mean = \"1 ms\" }}\nreorder = true");
    let counts = |feedback: &str, every: u32| {
        let timer = if every < 8 { "" } else { ", ack_timer = \"5 ms\"" };
        counts(&run("dctcp", 20, &format!("accurate_ecn = \"{feedback}\", ack_every = {every}{timer}"), &back, ""))
    };
    for every in [1, 2, 3, 4, 5, 6, 8, 16] {
        let (made, counted) = counts("option", every);
        assert!(made > 100.0 && counted == made, "option, {every}: {made}, {counted}");
        let (made, counted) = counts("ace", every);
        let range = match every {
            2 => 1.05..1.3,
            3 => 2.0..4.0,
            4 => 1.0..1.1,
            _ => 1.0..1.0 + f64::EPSILON,
        };
        assert!(made > 100.0 && range.contains(&(counted / made)), "ace, {every}: {made}, {counted}");
    }
}

/// Data in the other direction compresses the acknowledgements; the counts stay the same.
#[test]
fn compressed_acknowledgements() {
    for (controller, feedback) in [("dctcp", "ace"), ("dctcp", "option"), ("prague", "ace"), ("prague", "option")] {
        let text = head(120.0, 0.0, 1)
            + &path(
                20,
                "rate = \"2 Mbit/s\"\ndelay = \"10 ms\"\nqueue = { kind = \"droptail\", limit = \"40 packets\" }",
            )
            + &flow(
                "x",
                &format!("kind = \"{controller}\""),
                "f",
                "b",
                &format!("size = \"10 MB\"\ntcp = {{ accurate_ecn = \"{feedback}\" }}"),
            )
            + &flow("up", "kind = \"newreno\"", "b", "f", "");
        let r = result_of(&text);
        assert!(flow_result(&r, "x").ack_compression.unwrap() > 0.5, "{:?}", flow_result(&r, "x").ack_compression);
        let (made, counted) = counts(&r);
        // the upload's queue drops some acknowledgements, so three bits overestimate
        let max = if feedback == "option" { made } else { 1.5 * made };
        assert!(counted >= made && counted <= max, "{controller}, {feedback}: {made}, {counted}");
    }
}

/// An acknowledgement of eight or more segments does not make the sender assume that every packet was marked.
#[test]
fn stretch_acknowledgements() {
    for feedback in ["ace", "option"] {
        let alone = run("dctcp", 20, &format!("accurate_ecn = \"{feedback}\""), BACK, "");
        for every in [8, 16] {
            let tcp = format!("accurate_ecn = \"{feedback}\", ack_every = {every}, ack_timer = \"5 ms\"");
            let r = run("dctcp", 20, &tcp, BACK, "");
            let (made, counted) = counts(&r);
            assert!(counted == made, "{tcp}: {made}, {counted}");
            near(
                flow_result(&r, "x").completed_at_s.unwrap(),
                flow_result(&alone, "x").completed_at_s.unwrap(),
                0.05,
                &tcp,
            );
        }
    }
}

/// The option's eight bytes on a link that carries acknowledgements only; on ATM they make two cells of one.
#[test]
fn the_option_on_the_wire() {
    let used = |feedback: &str, framing: &str| {
        let back = format!("rate = \"4 Mbit/s\"\ndelay = \"10 ms\"{framing}");
        let r = run("dctcp", 20, &format!("accurate_ecn = \"{feedback}\""), &back, "");
        let b = link(&r, "b");
        b.ack_utilisation.unwrap() / flow_result(&r, "x").packets_per_s.unwrap()
    };
    // SYN-ACK and FIN's acknowledgement have none: 2 of 20,000
    near(used("option", "") / used("ace", ""), 48.0 / 40.0, 1e-3, "bytes");
    // 48 bytes and AAL5's trailer exceed one cell
    let atm = "\nframing = { overhead = \"8 B\", linklayer = \"atm\" }";
    near(used("option", atm) / used("ace", atm), 2.0, 1e-3, "cells");
}
