//! `bottleneck_share`, against closed forms.

use crate::scenarios;

use std::sync::Arc;

use eddyline_path::variation::{Conditions, Recording};
use eddyline_sim::Options;
use scenarios::{duplex, flow, flow_result, head, link, network, outcome, result_of};

/// Bursts of forty packets of 120 us each: the backlog, including the rest of the packet in transmission, exceeds one packet until
/// the last one begins, 39 x 120 us = 4.68 ms. Sampling every 10 ms must not alias with bursts every 10 ms.
#[test]
fn samples_do_not_alias_with_periodic_bursts() {
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
        let share = link(&result_of(&text), "f").bottleneck_share.unwrap();
        // one sample in each of 10,000 intervals: at worst the variance of independent samples, four standard deviations
        let expected = 4_680.0 / every_us;
        let within = 4.0 * (expected * (1.0 - expected) / 1e4).sqrt();
        assert!((share - expected).abs() < within, "every {every_us} us: {share}, not {expected}");
    }
}

/// A shaper on a fast link is the bottleneck, not the line behind it, where packets wait for a transmission at most, however fast its own
/// link is. Twenty packets are never empty under CUBIC; CAKE, which keeps 5 ms, is at times, also with its link at the bandwidth (0.82).
#[test]
fn a_shaper_waits_at_its_own_rate() {
    for (shaper, at_least) in [
        (r#"{ kind = "tbf", rate = "10 Mbit/s", burst = "1500 B", limit = "20 packets" }"#, 0.97),
        (r#"{ kind = "cake", bandwidth = "10 Mbit/s" }"#, 0.8),
    ] {
        let text = head(30.0, 5.0, 1)
            + &format!(
                "[[link]]\nname = \"router\"\nrate = \"1 Gbit/s\"\ndelay = \"0 s\"\nqueue = {shaper}\n\
                 [[link]]\nname = \"line\"\nrate = \"20 Mbit/s\"\ndelay = \"10 ms\"\n\
                 [[link]]\nname = \"back\"\nrate = \"100 Mbit/s\"\ndelay = \"10 ms\"\n\
                 [[flow]]\nname = \"x\"\ncontroller = {{ kind = \"cubic\" }}\ndata = [\"router\", \"line\"]\nack = [\"back\"]\n"
            );
        let result = result_of(&text);
        let share = |name: &str| link(&result, name).bottleneck_share.unwrap();
        assert!(share("router") > at_least && share("line") < 0.02, "{shaper}: {} {}", share("router"), share("line"));
    }
}

/// A download and an upload, each behind the queue of its own direction. A queue that is fair to flows or that sends acknowledgements first
/// delays packets of the other direction's flow hardly: each link is the bottleneck of its own flow, whatever waits at the other. In one
/// FIFO each both flows wait at the slower link.
#[test]
fn a_flow_waits_in_its_own_queue() {
    for (down, up, both) in [
        ("fq_codel\"", "ack_priority\", limit = \"500 packets\"", true),
        ("drr\", limit = \"300 packets\"", "drr\", limit = \"300 packets\"", true),
        ("cake\"", "cake\"", true),
        ("sfq\"", "per_connection\", each = \"300 packets\"", true),
        ("droptail\", limit = \"300 packets\"", "droptail\", limit = \"300 packets\"", false),
    ] {
        let link_of = |name: &str, rate: u32, queue: &str| {
            format!(
                "[[link]]\nname = \"{name}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"10 ms\"\nqueue = {{ kind = \"{queue} }}\n"
            )
        };
        let text = head(20.0, 5.0, 1)
            + &link_of("f", 50, down)
            + &link_of("b", 10, up)
            + &flow("download", "kind = \"cubic\"", "f", "b", "")
            + &flow("upload", "kind = \"cubic\"", "b", "f", "");
        let result = result_of(&text);
        let share = |name| link(&result, name).bottleneck_share.unwrap();
        // CUBIC empties what CoDel and CAKE keep at times
        assert!(share("b") > 0.6, "{down}, {up}: {}", share("b"));
        assert_eq!(share("f") > 0.6, both, "{down}, {up}: {}", share("f"));
    }
}

/// On slow links a packet takes as long as the other link's queue. The download's data wait 57 to 119 ms at 2 Mbit/s, its acknowledgements
/// 64 ms at most for the rest of a packet of the upload at 192 kbit/s, and for nothing more of it where queues are served in turn by bytes.
#[test]
fn a_turn_is_not_counted_beside_the_packet_in_transmission() {
    for kind in [
        "drr\"",
        "per_connection\"",
        "sfq\", quantum = \"1500 B\"",
        "fq_codel\", target = \"200 ms\", interval = \"2 s\"",
        "cake\", rtt = \"4 s\"",
        "ack_priority\"",
    ] {
        let window = |bytes: u32| format!("receive_window = \"{bytes} B\"");
        let text = head(60.0, 20.0, 1)
            + &format!(
                "[[link]]\nname = \"f\"\nrate = \"2 Mbit/s\"\ndelay = \"20 ms\"\n\
                 [[link]]\nname = \"b\"\nrate = \"192 kbit/s\"\ndelay = \"20 ms\"\nqueue = {{ kind = \"{kind} }}\n"
            )
            + &flow("download", "kind = \"newreno\"", "f", "b", &window(41_000)).replace("1040 B", "1500 B")
            + &flow("upload", "kind = \"newreno\"", "b", "f", &window(20_000)).replace("1040 B", "1500 B");
        let result = result_of(&text);
        let share = |name| link(&result, name).bottleneck_share.unwrap();
        assert!(share("f") > 0.98 && share("b") > 0.98, "{kind}: {} {}", share("f"), share("b"));
    }
}

/// Fifty flows with windows of a packet or two, behind whose queue each waits for a turn of all others, also when nothing of its own waits:
/// that queue is the bottleneck, not the lightly loaded link of their acknowledgements.
#[test]
fn short_queues_of_many_flows_are_a_long_queue() {
    for (kind, window) in [("drr", 1500), ("sfq", 1500), ("per_connection", 1500), ("fq_codel", 3000), ("cake", 3000)] {
        let text = head(30.0, 5.0, 1)
            + &duplex(1e7, 2e6, 0.002).replacen("[[link]]", &format!("[[link]]\nqueue = {{ kind = \"{kind}\" }}"), 1)
            + "[[traffic]]\nname = \"t\"\nmodel = { kind = \"poisson\", rate = \"1 Mbit/s\" }\npacket = \"1500 B\"\npath = [\"b\"]\n"
            + &flow("x", "kind = \"reno\"", "f", "b", &format!("count = 50\nreceive_window = \"{window} B\""))
                .replace("1040 B", "1500 B");
        let result = result_of(&text);
        let share = |name| link(&result, name).bottleneck_share.unwrap();
        // CAKE serves a queue first that has just been at rest: some flow waits at the other link alone while anything waits there (0.25)
        let others = if kind == "cake" { 0.3 } else { 0.1 };
        assert!(share("f") > 0.9 && share("b") < others, "{kind}: {} {}", share("f"), share("b"));
    }
}

/// Acknowledgements of 40 bytes fill a link of 200 kbit/s: 19 of them wait 30 ms, less than the 60 ms that a packet of 1,500 bytes would
/// take. A flow that sends such packets, but not in the summary window, changes nothing.
#[test]
fn a_flow_that_does_not_send_hides_no_bottleneck() {
    let fast = r#"kind = "fast", alpha = "20 packets", base_rtt = "known""#;
    let shares = ["size = \"3000 B\"", "start = \"50 s\""].map(|upload| {
        let text = head(40.0, 20.0, 1)
            + &duplex(8e6, 2e5, 0.015)
            + &flow("download", fast, "f", "b", "").replace("1040 B", "1500 B")
            + &flow("upload", fast, "b", "f", upload).replace("1040 B", "1500 B");
        let result = result_of(&text);
        ["f", "b"].map(|name| link(&result, name).bottleneck_share.unwrap())
    });
    assert_eq!(shares, [[0.0, 1.0]; 2]);
}

/// A link whose recording ends without a rate transmits nothing any more: packets wait there as they do in an outage that lasts.
#[test]
fn a_link_that_is_dead_is_a_bottleneck() {
    let outage = "outages = [{ start = \"2 s\", length = \"18 s\" }]\ndelay";
    let links = duplex(6e6, 5e6, 0.01);
    let of = |links: &str| network(&(head(20.0, 0.0, 1) + links + &flow("x", "kind = \"cubic\"", "f", "b", "")));
    let mut dead = of(&links);
    let recording = Recording::csv("time_s,rate_bps\n0,6e6\n2,0\n", None).unwrap();
    let playing = Conditions::playing(dead.links[0].rate, dead.links[0].delay, &recording, false, &[]);
    dead.links[0].variation.conditions = Some(Arc::new(playing));
    for network in [of(&links.replacen("delay", outage, 1)), dead] {
        let share = link(&outcome(&network, &Options::default()).result, "f").bottleneck_share.unwrap();
        assert!(share > 0.99, "{share}");
    }
}

/// Percentiles stay within the extremes: a flow of one byte has one or two samples.
#[test]
fn percentiles_of_few_samples() {
    let text = head(2.0, 0.0, 1) + &duplex(1e7, 1e6, 0.02) + &flow("x", "kind = \"reno\"", "f", "b", "size = \"1 B\"");
    let result = result_of(&text);
    let rtt = flow_result(&result, "x").rtt_s;
    assert!(rtt.p50.unwrap() >= rtt.min.unwrap(), "{rtt:?}");
    assert!(rtt.p99.unwrap() >= rtt.p50.unwrap(), "{rtt:?}");
}
