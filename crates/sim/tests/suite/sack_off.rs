//! Without SACK: controllers that measure the delivery rate, and losses repaired by the retransmission timer.

use crate::scenarios;

use eddyline_scenario::result::FlowResult;
use scenarios::{flow, flow_result, head, mean, near, result_of};

fn run(kind: &str, sack: bool, limit: u32) -> FlowResult {
    let text = head(120.0, 0.0, 1)
        + &format!(
            "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n\
             queue = {{ kind = \"droptail\", limit = \"{limit} packets\" }}\n\
             [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n"
        )
        + &flow("x", &format!("kind = \"{kind}\""), "f", "b", &format!("tcp = {{ sack = {sack} }}"))
            .replace("1040 B", "1500 B");
    flow_result(&result_of(&text), "x").clone()
}

fn goodput(kind: &str, sack: bool, limit: u32) -> f64 {
    run(kind, sack, limit).goodput_bps.unwrap()
}

/// Duplicate ACKs count as deliveries, so a loss without SACK does not lower the delivery rate. The remaining difference is the repair
/// of one hole per round trip (RFC 6582).
#[test]
fn duplicates_count_as_delivered() {
    for (kind, limit, share) in
        [("bbr", 15, 0.95), ("bbr", 40, 0.99), ("bbr", 100, 0.99), ("bbr3", 40, 0.99), ("bbr3", 100, 0.99)]
    {
        let (with, without) = (goodput(kind, true, limit), goodput(kind, false, limit));
        assert!(with > 9.4e6, "{kind}, {limit} packets: {with}");
        assert!(without > share * with, "{kind}, {limit} packets: {without} without SACK, {with} with it");
    }
}

/// With less than a bandwidth-delay product of buffer (33 packets) every probe of `bbr3` loses one packet of five for a round trip or two.
/// Repairing so many holes takes a second, during which new data goes on: at least four fifths of the link are used, with
/// far fewer timeouts than the sixty probes. Repair by the timer would give 5.3 to 5.5 Mbit/s with some fifty timeouts; lowering
/// the short-term bounds at every hole would reduce the pacing rate to a packet per round trip.
#[test]
fn probes_into_short_buffers() {
    for limit in [5, 10, 15, 20, 25, 30] {
        let flow = run("bbr3", false, limit);
        let (rate, timeouts) = (flow.goodput_bps.unwrap(), flow.timeouts.unwrap());
        assert!(rate > 8e6 && timeouts <= 5, "{limit} packets: {rate} bit/s, {timeouts} timeouts");
    }
}

/// The fourth scenario of the VFAST paper with losses repaired by the timer, as in the ns-2 module without SACK. One loss in n
/// packets makes the run deterministic; ten values of n average out phase locking. An independent program of the module's rules gives
/// 54.85 Mbit/s on average; single n differ by up to 3 Mbit/s with the phase.
#[test]
fn losses_repaired_by_the_timer() {
    let rates = [8600, 8900, 9200, 9500, 9800, 10100, 10400, 10700, 11000, 11300].map(|every| {
        let link = |name: &str, loss: &str| {
            format!("[[link]]\nname = \"{name}\"\nrate = \"100 Mbit/s\"\ndelay = \"20 ms\"\n{loss}\n")
        };
        let more = "header = \"40 B\"\naccess_delay = { data = \"5 ms\", ack = \"5 ms\" }\n\
                    tcp = { initial_window = 2, sack = false, fast_retransmit = false, min_rto = \"134 ms\" }";
        let text = head(40.0, 10.0, 1)
            + &link("f", &format!("loss = {{ kind = \"periodic\", every = {every} }}"))
            + &link("b", "")
            + &flow("x", "kind = \"fast\", alpha = \"200 packets\", profile = \"ns2-1.1.3\"", "f", "b", more);
        flow_result(&result_of(&text), "x").goodput_bps.unwrap()
    });
    near(mean(&rates).0, 54.85e6, 0.015, "mean of ten");
}
