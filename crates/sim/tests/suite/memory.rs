//! A run ends at its memory budget.

use crate::scenarios;

use std::ops::ControlFlow;

use eddyline_sim::{Options, SimError, run};

/// 16 MiB are 65,536 packets.
const BUDGET: Options = Options {
    series: false,
    packet_log: None,
    log_sink: None,
    qlog: None,
    general_queues: false,
    memory: Some(16 << 20),
    interruption: None,
    threads: 1,
    divide_always: false,
    measure_scaling: false,
};

fn end(text: &str) -> Result<u64, SimError> {
    end_within(text, &BUDGET)
}

fn end_within(text: &str, budget: &Options) -> Result<u64, SimError> {
    let outcome = run(&scenarios::network(text), budget, &mut |_| ControlFlow::Continue(()));
    outcome.map(|o| o.result.counters.packets_sent.unwrap_or(0))
}

/// A window beyond any network ends the run at once and is named, with the flow and the queue that holds its packets.
#[test]
fn a_window_beyond_any_network_ends_the_run() {
    for more in ["", "tcp = { pacing = true }", "tcp = { timestamps = true, rack = true, frto = true }"] {
        let fast = "kind = \"fast\", alpha = \"10 packets\", min_window = \"9e15 packets\"";
        let text = scenarios::head(10.0, 0.0, 1)
            + &scenarios::duplex(10e6, 10e6, 0.02)
            + &scenarios::flow("small", "kind = \"reno\"", "f", "b", "receive_window = \"64 KiB\"")
            + &scenarios::flow("large", fast, "f", "b", more);
        let error = end(&text).unwrap_err().to_string();
        for part in ["out of memory: at 0.", "link \"f\"", "queue.limit is unlimited", "\"large\"", "fast"] {
            assert!(error.contains(part), "{part:?} missing with {more:?}: {error}");
        }
    }
}

/// The same where a queue with a limit drops what the window allows: the network is never full, and no time passes.
#[test]
fn a_window_beyond_any_network_ends_the_run_where_its_packets_are_dropped() {
    for more in ["", "tcp = { pacing = true }"] {
        let fast = "kind = \"fast\", alpha = \"10 packets\", min_window = \"9e15 packets\"";
        let queue = "queue = { kind = \"droptail\", limit = \"50 packets\" }";
        let text = scenarios::head(10.0, 0.0, 1)
            + &scenarios::duplex(10e6, 10e6, 0.02).replacen("[[link]]", &format!("[[link]]\n{queue}"), 1)
            + &scenarios::flow("large", fast, "f", "b", more);
        let error = end(&text).unwrap_err().to_string();
        for part in
            ["out of memory: at 0.", "dropped within a millisecond", "whose queue.limit is 50", "\"large\"", "fast"]
        {
            assert!(error.contains(part), "{part:?} missing with {more:?}: {error}");
        }
    }
}

/// Traffic above the rate of an unlimited queue ends the run when the queue holds the budget, not before.
#[test]
fn the_budget_counts_packets_in_the_network() {
    let overload = |seconds: f64| {
        scenarios::head(seconds, 0.0, 1)
            + &scenarios::duplex(1e6, 1e6, 0.02)
            + "[[traffic]]\nname = \"t\"\npath = [\"f\"]\npacket = \"100 B\"\nmodel = { kind = \"cbr\", rate = \"17 Mbit/s\" }\n"
    };
    // 20,000 packets a second more than leave, so 65,536 after 3.28 s; the first at time zero
    assert_eq!(end(&overload(3.2)), Ok(68_001));
    let error = end(&overload(20.0)).unwrap_err().to_string();
    assert!(error.contains("out of memory") && error.contains("link \"f\""), "{error}");
}

/// The error states the budget as it was given.
#[test]
fn the_budget_is_stated() {
    let text = scenarios::head(20.0, 0.0, 1)
        + &scenarios::duplex(1e6, 1e6, 0.02)
        + "[[traffic]]\nname = \"t\"\npath = [\"f\"]\npacket = \"100 B\"\nmodel = { kind = \"cbr\", rate = \"17 Mbit/s\" }\n";
    for (memory, stated) in [
        (1_000, "the 1 kB of the run"),
        (150_000, "the 150 kB of the run"),
        (1_000_000, "the 1 MB of the run"),
        (1_500_000, "1.5 MB"),
        (10_000_000, "the 10 MB"),
    ] {
        let error = end_within(&text, &Options { memory: Some(memory), ..BUDGET }).unwrap_err().to_string();
        assert!(error.contains(stated), "{error}");
    }
}

/// Where many small transfers fill the network, they are named, and no flow that has sent next to nothing is.
#[test]
fn transfers_that_arrive_are_named() {
    let text = scenarios::head(20.0, 0.0, 1)
        + &scenarios::duplex(1e6, 1e6, 0.02)
        + &scenarios::flow("idle", "kind = \"reno\"", "f", "b", "receive_window = \"8 KiB\"")
        + "[[arrivals]]\nname = \"web\"\nrate = \"20000 /s\"\nsize = { kind = \"exponential\", mean = \"20 kB\" }\n\
           controller = { kind = \"reno\" }\ndata = [\"f\"]\nack = [\"b\"]\n";
    let error = end(&text).unwrap_err().to_string();
    assert!(error.contains("\"web\" arrive 20000 times a second"), "{error}");
    assert!(error.contains("no flow has more than") && !error.contains("\"idle\""), "{error}");
}
