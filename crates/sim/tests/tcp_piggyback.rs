//! Data both ways on one connection: acknowledgements ride on it.

mod scenarios;

use eddyline_scenario::result::RunResult;
use eddyline_sim::{LogSelection, Options};
use scenarios::{answer, duplex, flow, head, link, near, network, of, outcome};

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

/// Windows of N segments that begin together cross each other in one piece for ever: a cycle takes N transmissions and one
/// propagation, in which the links are silent but for acknowledgements, one for two packets. On one connection each
/// acknowledgement waits for a packet to ride on, the next to leave: that is the clock of both directions, and both links are
/// full of data, of which 1,000 of 1,040 bytes are payload.
#[test]
fn no_bit_for_acknowledgements() {
    let n = 150.0;
    let cycle = n * 1040.0 * 8.0 / 10e6 + 0.020;
    let run = |shared| {
        let keys = format!("receive_window = \"{n} kB\"\ntcp = {{ ack_every = 2 }}");
        answer(&both_ways(&duplex(10e6, 10e6, 0.040), NEWRENO, [&keys; 2], shared))
    };
    let full = 10e6 * 1_000.0 / 1_040.0;
    for (shared, goodput, share) in [(false, n * 8_000.0 / cycle, n * 320.0 / 10e6 / cycle), (true, full, 0.0)] {
        let r = run(shared);
        for name in ["there", "back"] {
            near(of(&r, name).goodput_bps.unwrap(), goodput, 0.001, name);
        }
        assert!((ack_share(&r) - share).abs() < 2e-4, "{} instead of {share}", ack_share(&r));
    }
    // Where each packet is acknowledged at once there is seldom one that leaves at that moment.
    let at_once = answer(&both_ways(&duplex(10e6, 10e6, 0.040), NEWRENO, ["receive_window = \"150 kB\""; 2], true));
    assert!(ack_share(&at_once) > 0.06, "{}", ack_share(&at_once));
}

/// A direction with less data than the other sends pure acknowledgements for the rest; delayed ones wait for data to ride on.
#[test]
fn pure_acknowledgements_where_no_data_is_due() {
    // a kilobyte back every 10 ms, and one packet of the download each 0.832 ms
    let trickle = "application = { kind = \"bursts\", bytes = \"1000 B\", every = \"10 ms\" }\n";
    let run = |shared, tcp: &str| {
        let there = format!("receive_window = \"100 kB\"\ntcp = {{ {tcp} }}");
        answer(&both_ways(
            &duplex(10e6, 10e6, 0.040),
            NEWRENO,
            [&there, &format!("{trickle}tcp = {{ {tcp} }}")],
            shared,
        ))
    };
    let acks_a_second = |r: &RunResult, l: &str| link(r, l).ack_utilisation.unwrap() * 10e6 / 320.0;
    for (tcp, per_ack) in [("", 1.0), ("ack_every = 2", 2.0)] {
        let (apart, shared) = (run(false, tcp), run(true, tcp));
        let download = |r: &RunResult| of(r, "there").packets_per_s.unwrap();
        near(acks_a_second(&apart, "b"), download(&apart) / per_ack, 0.01, tcp);
        // each packet back takes one along at most: a hundred a second
        let saved = download(&shared) / per_ack - acks_a_second(&shared, "b");
        assert!((-1.0..=101.0).contains(&saved), "{tcp}: {saved}");
        // what goes back is acknowledged at once or, delayed, by the download's data, which leaves all the time
        let most = if tcp.is_empty() { acks_a_second(&apart, "f") + 1.0 } else { 0.0 };
        assert!(acks_a_second(&shared, "f") <= most, "{tcp}: {}", acks_a_second(&shared, "f"));
        assert_eq!(of(&shared, "back").delivered_bytes, of(&apart, "back").delivered_bytes, "{tcp}");
    }
}

/// When the other direction has nothing left everything is as if it had never been.
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
            assert_eq!(of(&r, "there").delivered_bytes, Some(3_000_000), "{tcp}, {loss}: {r:?}");
            assert_eq!(of(&r, "back").delivered_bytes, Some(300_000), "{tcp}, {loss}: {r:?}");
            assert!(of(&r, "there").completed_at_s.is_some() && of(&r, "back").completed_at_s.is_some());
            let n = r.counters;
            assert_eq!(n.packets_in_flight, Some(0));
            assert_eq!(n.packets_sent.unwrap(), n.packets_delivered.unwrap() + n.packets_dropped.unwrap());
        }
    }
}

/// Through drop-tail queues with losses and delayed acknowledgements: two thirds of those that would go by themselves ride, and
/// what they do not compress or hold up leaves a quarter more for data.
#[test]
fn two_downloads_meet() {
    let run = |shared| {
        let keys = ["tcp = { ack_every = 2 }", "tcp = { ack_every = 2 }\nstart = \"1 s\""];
        let r = answer(&both_ways(&buffered(10.0, "60 packets"), NEWRENO, keys, shared));
        let data = link(&r, "f").data_utilisation.unwrap() + link(&r, "b").data_utilisation.unwrap();
        (data, ack_share(&r))
    };
    let (apart, together) = (run(false), run(true));
    // forty bytes for two packets of 1,040
    near(apart.1, apart.0 / 52.0, 0.05, "acknowledgements apart");
    assert!(together.1 < 0.4 * apart.1, "{together:?} {apart:?}");
    assert!(together.0 > 1.2 * apart.0, "{together:?} {apart:?}");
}

/// The same from either end: which of the two tables names the other does not matter.
#[test]
fn either_may_name_the_other() {
    let one = both_ways(&buffered(5.0, "40 packets"), NEWRENO, [""; 2], true);
    let other = both_ways(&buffered(5.0, "40 packets"), NEWRENO, ["", "piggyback = \"there\""], false);
    let both = both_ways(&buffered(5.0, "40 packets"), NEWRENO, ["", "piggyback = \"there\""], true);
    let r = answer(&one);
    for text in [other, both] {
        assert_eq!(answer(&text).flows, r.flows);
    }
}
