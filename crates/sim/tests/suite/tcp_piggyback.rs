//! Data in both directions of one connection, with piggybacked acknowledgements.

use crate::scenarios;

use eddyline_scenario::result::RunResult;
use eddyline_sim::{LogSelection, Options};
use scenarios::{duplex, flow, flow_result, head, link, near, network, outcome, result_of};

const NEWRENO: &str = "kind = \"newreno\"";

/// Two flows over `links`, one each way, sharing a connection or not.
fn both_ways(links: &str, controller: &str, more: [&str; 2], shared: bool) -> String {
    let piggyback = if shared { "piggyback = \"back\"\n" } else { "" };
    head(60.0, 20.0, 1)
        + links
        + &flow("there", controller, "f", "b", &format!("{piggyback}{}", more[0]))
        + &flow("back", controller, "b", "f", more[1])
}

fn buffered(mbps: f64, queue: &str) -> String {
    let link = |name: &str| {
        format!(
            "[[link]]\nname = \"{name}\"\nrate = \"{mbps} Mbit/s\"\ndelay = \"20 ms\"\nqueue = {{ kind = \"droptail\", limit = \"{queue}\" }}\n"
        )
    };
    link("f") + &link("b")
}

fn ack_share(r: &RunResult) -> f64 {
    link(r, "f").ack_utilisation.unwrap() + link(r, "b").ack_utilisation.unwrap()
}

/// On two connections, windows of N segments that start together stay clustered: a cycle takes N transmissions and one
/// propagation delay, during which the links carry only acknowledgements, one for two packets. On one connection each
/// acknowledgement is carried by the next data packet, which clocks both directions, and both links are full of data, of which
/// 1,000 of 1,040 bytes are payload.
#[test]
fn piggybacking_saves_all_pure_acknowledgements() {
    let n = 150.0;
    let cycle = n * 1040.0 * 8.0 / 10e6 + 0.020;
    let run = |shared| {
        let keys = format!("receive_window = \"{n} kB\"\ntcp = {{ ack_every = 2 }}");
        result_of(&both_ways(&duplex(10e6, 10e6, 0.040), NEWRENO, [&keys; 2], shared))
    };
    let full = 10e6 * 1_000.0 / 1_040.0;
    for (shared, goodput, share) in [(false, n * 8_000.0 / cycle, n * 320.0 / 10e6 / cycle), (true, full, 0.0)] {
        let r = run(shared);
        for name in ["there", "back"] {
            near(flow_result(&r, name).goodput_bps.unwrap(), goodput, 0.001, name);
        }
        assert!((ack_share(&r) - share).abs() < 2e-4, "{} instead of {share}", ack_share(&r));
    }
    // without delayed acknowledgements there is rarely a data packet to carry one
    let at_once = result_of(&both_ways(&duplex(10e6, 10e6, 0.040), NEWRENO, ["receive_window = \"150 kB\""; 2], true));
    assert!(ack_share(&at_once) > 0.06, "{}", ack_share(&at_once));
}

/// A direction with less data than the other sends pure acknowledgements as well; delayed ones wait for data to carry them.
#[test]
fn pure_acknowledgements_where_no_data_is_due() {
    // a kilobyte back every 10 ms, and one packet of the download each 0.832 ms
    let trickle = "application = { kind = \"bursts\", bytes = \"1000 B\", every = \"10 ms\" }\n";
    let run = |shared, tcp: &str| {
        let there = format!("receive_window = \"100 kB\"\ntcp = {{ {tcp} }}");
        result_of(&both_ways(
            &duplex(10e6, 10e6, 0.040),
            NEWRENO,
            [&there, &format!("{trickle}tcp = {{ {tcp} }}")],
            shared,
        ))
    };
    let acks_a_second = |r: &RunResult, l: &str| link(r, l).ack_utilisation.unwrap() * 10e6 / 320.0;
    for (tcp, per_ack) in [("", 1.0), ("ack_every = 2", 2.0)] {
        let (separate, shared) = (run(false, tcp), run(true, tcp));
        let download = |r: &RunResult| flow_result(r, "there").packets_per_s.unwrap();
        near(acks_a_second(&separate, "b"), download(&separate) / per_ack, 0.01, tcp);
        // each packet back carries at most one: a hundred per second
        let saved = download(&shared) / per_ack - acks_a_second(&shared, "b");
        assert!((-1.0..=101.0).contains(&saved), "{tcp}: {saved}");
        // data on the way back is acknowledged at once or, delayed, by the download's data, which is always being sent
        let max = if tcp.is_empty() { acks_a_second(&separate, "f") + 1.0 } else { 0.0 };
        assert!(acks_a_second(&shared, "f") <= max, "{tcp}: {}", acks_a_second(&shared, "f"));
        assert_eq!(
            flow_result(&shared, "back").delivered_bytes,
            flow_result(&separate, "back").delivered_bytes,
            "{tcp}"
        );
    }
}

/// Once one direction has finished, the other continues as a connection of its own.
#[test]
fn transfers_of_different_length_complete() {
    for tcp in [
        "",
        "sack = false",
        "ack_every = 2",
        "ecn = true, rack = true, prr = true, timestamps = true",
        "ack_congestion_control = true",
    ] {
        for (seed, loss) in [(1, "0.0"), (2, "0.02"), (3, "0.1")] {
            let links = buffered(10.0, "30 packets").replace("delay", &format!("loss = {loss}\ndelay"));
            let keys = |size: &str| format!("size = \"{size}\"\ntcp = {{ {tcp} }}");
            let text = both_ways(&links, NEWRENO, [&keys("3 MB"), &keys("300 kB")], true)
                .replace("duration = \"60 s\"", "duration = \"600 s\"")
                .replace("seed = 1", &format!("seed = {seed}"));
            let o = outcome(&network(&text), &Options { packet_log: Some(LogSelection::All), ..Options::default() });
            let r = o.result;
            assert_eq!(flow_result(&r, "there").delivered_bytes, Some(3_000_000), "{tcp}, {loss}: {r:?}");
            assert_eq!(flow_result(&r, "back").delivered_bytes, Some(300_000), "{tcp}, {loss}: {r:?}");
            assert!(
                flow_result(&r, "there").completed_at_s.is_some() && flow_result(&r, "back").completed_at_s.is_some()
            );
            let n = r.counters;
            assert_eq!(n.packets_in_flight, Some(0));
            assert_eq!(n.packets_sent.unwrap(), n.packets_delivered.unwrap() + n.packets_dropped.unwrap());
        }
    }
}

/// Through drop-tail queues with losses and delayed acknowledgements: two thirds of the acknowledgements are piggybacked, and
/// the data throughput rises by a fifth or more.
#[test]
fn piggybacking_helps_opposite_transfers() {
    let run = |shared| {
        let keys = ["tcp = { ack_every = 2 }", "tcp = { ack_every = 2 }\nstart = \"1 s\""];
        let r = result_of(&both_ways(&buffered(10.0, "60 packets"), NEWRENO, keys, shared));
        let data = link(&r, "f").data_utilisation.unwrap() + link(&r, "b").data_utilisation.unwrap();
        (data, ack_share(&r))
    };
    let (separate, together) = (run(false), run(true));
    // forty bytes for two packets of 1,040
    near(separate.1, separate.0 / 52.0, 0.05, "acknowledgements separate");
    assert!(together.1 < 0.4 * separate.1, "{together:?} {separate:?}");
    assert!(together.0 > 1.2 * separate.0, "{together:?} {separate:?}");
}

/// `piggyback` may be given in either of the two tables or in both.
#[test]
fn either_table_may_name_the_other() {
    let one = both_ways(&buffered(5.0, "40 packets"), NEWRENO, [""; 2], true);
    let other = both_ways(&buffered(5.0, "40 packets"), NEWRENO, ["", "piggyback = \"there\""], false);
    let both = both_ways(&buffered(5.0, "40 packets"), NEWRENO, ["", "piggyback = \"there\""], true);
    let r = result_of(&one);
    for text in [other, both] {
        assert_eq!(result_of(&text).flows, r.flows);
    }
}
