//! Accurate ECN from the queue that marks to the sender that counts: what the one made the other hears of.
//!
//! Flows are of whole packets and run to their end, so that no mark is on its way: the two counts must agree.

mod scenarios;

use eddyline_scenario::result::RunResult;
use scenarios::{answer, flow, head, link, near, of};

/// 20 Mbit/s and 20 ms with step marking at `threshold` packets, and a way back of its own.
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
    answer(
        &(head(120.0, 0.0, 1)
            + &path(threshold, back)
            + &flow("x", &controller, "f", "b", &format!("size = \"20 MB\"\ntcp = {{ {tcp} }}\n{more}"))),
    )
}

/// Packets that the queue marked, and those that the sender heard of.
fn counts(r: &RunResult) -> (f64, f64) {
    let x = of(r, "x");
    assert!(x.completed_at_s.is_some(), "{x:?}");
    // nothing is lost on the way there: what is sent again, and not ECN-capable, is needless
    assert!(x.retransmits < Some(10), "{:?}", x.retransmits);
    (link(r, "f").marked.unwrap() as f64, x.delivered_ce.unwrap())
}

/// Whoever sends, however acknowledgements are put together: every mark is heard of, once.
#[test]
fn marks_are_conserved() {
    for controller in ["dctcp", "prague", "newreno"] {
        for feedback in ["true", "\"ace\"", "\"option\""] {
            for every in [1, 2, 5] {
                let tcp = format!("accurate_ecn = {feedback}, ack_every = {every}");
                let (made, heard) = counts(&run(controller, 20, &tcp, BACK, ""));
                assert!(made > 20.0 && heard == made, "{controller}, {tcp}: {made}, {heard}");
            }
        }
    }
    let without = run("dctcp", 20, "ecn = true", BACK, "");
    assert_eq!(of(&without, "x").delivered_ce, None);
}

/// Lost acknowledgements take no counts with them: three bits suffice while fewer than eight marks are between two that arrive; at a
/// loss of 30 % seven in a row are lost once in 4,600, at 50 % once in 128, and then the worst is taken for true. The option does not care.
#[test]
fn lost_acknowledgements() {
    for (loss, slack) in [(0.3, 0.05), (0.5, 1.5)] {
        let back = format!("{BACK}\nloss = {loss}");
        let (made, heard) = counts(&run("dctcp", 20, "accurate_ecn = \"option\"", &back, ""));
        assert!(made > 100.0 && heard == made, "{loss}: {made}, {heard}");
        let (made, heard) = counts(&run("dctcp", 20, "accurate_ecn = \"ace\"", &back, ""));
        assert!(heard >= made && heard <= (1.0 + slack) * made, "{loss}: {made}, {heard}");
    }
}

/// A queue that lets one acknowledgement in sixteen through makes the three bits go round: at first leaps are taken for the worst, which
/// ends slow start before there is a mark, and once they are usual, marks are missed. With the option every one is heard of.
#[test]
fn thinned_acknowledgements() {
    let thin = "rate = \"80 kbit/s\"\ndelay = \"10 ms\"\nqueue = { kind = \"ack_decimation\", limit = \"50 packets\", \
                threshold = \"1 packets\", drop = { kind = \"every\", keep_one_in = 16 } }";
    let thinned = |feedback: &str| run("prague", 60, &format!("accurate_ecn = \"{feedback}\""), thin, "");
    let (ace, option) = (thinned("ace"), thinned("option"));
    for r in [&ace, &option] {
        assert!(link(r, "b").drops.ack.unwrap() > 15_000, "{:?}", link(r, "b"));
    }
    let (made, heard) = counts(&option);
    assert!(made > 500.0 && heard == made, "{made}, {heard}");
    let (made, heard) = counts(&ace);
    assert!(heard < 0.6 * made, "{made}, {heard}");
    assert!(of(&option, "x").completed_at_s < of(&ace, "x").completed_at_s);
    // a filter leaves acknowledgements with other flags alone, so marks are told apart; only its first leaps are taken for the worst
    let filter = "rate = \"100 kbit/s\"\ndelay = \"10 ms\"\nqueue = { kind = \"ack_filter\", limit = \"50 packets\" }";
    for feedback in ["ace", "option"] {
        let r = run("dctcp", 20, &format!("accurate_ecn = \"{feedback}\""), filter, "");
        assert!(link(&r, "b").drops.ack.unwrap() > 1000);
        let (made, heard) = counts(&r);
        let most = if feedback == "option" { made } else { made + 16.0 };
        assert!(heard >= made && heard <= most, "{feedback}: {made}, {heard}");
    }
}

/// Acknowledgements that overtake each other on the way back: those of the past are not heard.
#[test]
fn reordered_acknowledgements() {
    let back = format!("{BACK}\njitter = {{ kind = \"exponential\", mean = \"1 ms\" }}\nreorder = true");
    for feedback in ["ace", "option"] {
        let r = run("dctcp", 20, &format!("accurate_ecn = \"{feedback}\""), &back, "");
        let (made, heard) = counts(&r);
        assert!(made > 100.0 && heard == made, "{feedback}: {made}, {heard}");
    }
}

/// Data the other way bunches the acknowledgements; their counts are the same.
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
        let r = answer(&text);
        assert!(of(&r, "x").ack_compression.unwrap() > 0.5, "{:?}", of(&r, "x").ack_compression);
        let (made, heard) = counts(&r);
        // the upload's queue drops some, and three bits have to take the worst for true
        let most = if feedback == "option" { made } else { 1.5 * made };
        assert!(heard >= made && heard <= most, "{controller}, {feedback}: {made}, {heard}");
    }
}

/// Acknowledgements of eight segments and more are no reason to take every packet for marked.
#[test]
fn stretch_acknowledgements() {
    for feedback in ["ace", "option"] {
        let alone = run("dctcp", 20, &format!("accurate_ecn = \"{feedback}\""), BACK, "");
        for every in [8, 16] {
            let tcp = format!("accurate_ecn = \"{feedback}\", ack_every = {every}, ack_timer = \"5 ms\"");
            let r = run("dctcp", 20, &tcp, BACK, "");
            let (made, heard) = counts(&r);
            assert!(heard == made, "{tcp}: {made}, {heard}");
            near(of(&r, "x").completed_at_s.unwrap(), of(&alone, "x").completed_at_s.unwrap(), 0.05, &tcp);
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
        b.ack_utilisation.unwrap() / of(&r, "x").packets_per_s.unwrap()
    };
    // SYN-ACK and FIN's acknowledgement have none: 2 of 20,000
    near(used("option", "") / used("ace", ""), 48.0 / 40.0, 1e-3, "bytes");
    // 48 bytes with AAL5's trailer are more than a cell's
    let atm = "\nframing = { overhead = \"8 B\", linklayer = \"atm\" }";
    near(used("option", atm) / used("ace", atm), 2.0, 1e-3, "cells");
}
