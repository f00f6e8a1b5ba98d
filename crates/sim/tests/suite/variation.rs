//! Links that vary during a run, against closed forms.

use crate::scenarios;

use eddyline_scenario::result::RunResult;
use eddyline_scenario::series::{LINK, Quantity};
use eddyline_sim::Options;
use scenarios::{flow_result, link, near, network, outcome, result_of};

/// A download whose first link has `more`.
fn download(duration_s: u32, warmup_s: u32, controller: &str, more: &str) -> String {
    format!(
        "duration = \"{duration_s} s\"\nwarmup = \"{warmup_s} s\"\n\
         [[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\nqueue = {{ kind = \"droptail\", limit = \"60 packets\" }}\n{more}\n\
         [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n\
         [[flow]]\nname = \"x\"\ncontroller = {{ kind = \"{controller}\" }}\ndata = [\"f\"]\nack = [\"b\"]\n"
    )
}

fn cross(kbps: u32, more: &str) -> String {
    format!(
        "duration = \"30 s\"\n[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n\
         queue = {{ kind = \"droptail\", limit = \"1000 packets\" }}\n{more}\n\
         [[traffic]]\nname = \"x\"\npath = [\"f\"]\nmodel = {{ kind = \"cbr\", rate = \"{kbps} kbit/s\" }}\n"
    )
}

fn traffic(result: &RunResult) -> &eddyline_scenario::result::TrafficResult {
    &result.traffic[0]
}

/// The utilisation of a busy link is 1 relative to its varying rate; each step takes effect at its time.
#[test]
fn a_flow_fills_a_link_whose_rate_steps() {
    let steps = "changes = [{ at = \"20 s\", rate = \"2 Mbit/s\" }, { at = \"40 s\", rate = \"18 Mbit/s\" }]";
    let r = result_of(&download(60, 5, "newreno", steps));
    let bits = 10.0 * 15.0 + 2.0 * 20.0 + 18.0 * 20.0;
    let u = link(&r, "f").utilisation.unwrap();
    assert!(u > 0.93 && u <= 1.0, "{u}");
    near(
        flow_result(&r, "x").throughput_bps.unwrap(),
        u * bits / 55.0 * 1e6,
        0.001,
        "throughput is utilisation times the mean rate",
    );
    let slow = result_of(&download(40, 25, "newreno", steps));
    near(flow_result(&slow, "x").throughput_bps.unwrap(), 2e6, 0.01, "after the first step");
}

/// Whether a wait exceeds one packet, and whether acknowledgements are compressed, is said by the rate that the link has: the same
/// packets, with any rate before the first step, give the same shares. The slow link before makes no difference in the window.
#[test]
fn bottleneck_and_compression_are_of_the_rate_of_the_time() {
    let share = |first: &str| {
        let step = "changes = [{ at = \"1 s\", rate = \"10 Mbit/s\" }]";
        let text = download(40, 20, "cubic", step).replacen("rate = \"10 Mbit/s\"", &format!("rate = \"{first}\""), 1);
        let text = text.replace("[[flow]]", "[[flow]]\nstart = \"2 s\"");
        let text = text.replace("name = \"b\"\nrate = \"10 Mbit/s\"", "name = \"b\"\nrate = \"50 Mbit/s\"");
        let r = result_of(&text);
        (link(&r, "f").bottleneck_share.unwrap(), flow_result(&r, "x").ack_compression.unwrap())
    };
    let steady = share("10 Mbit/s");
    assert!(steady.0 > 0.95, "{steady:?}");
    assert_eq!(steady.1, 0.0, "acknowledgements come a packet apart");
    assert_eq!(share("100 kbit/s"), steady);
    assert_eq!(share("1 Gbit/s"), steady);
}

/// A day on slow links with framing, bursts of losses and outages that never repeat together: the work is bounded by the packets.
#[test]
fn a_day_of_outages_takes_no_more_events_than_its_packets() {
    let r = result_of(
        "duration = \"1 d\"\n\
         [[link]]\nname = \"f\"\nrate = \"2376 bit/s\"\ndelay = \"10 ms\"\nframing = { overhead = \"30 kB\" }\n\
         loss = { kind = \"gilbert-elliott\", p = 0.01, r = 0.1 }\n\
         [[link]]\nname = \"b\"\nrate = \"491 bit/s\"\ndelay = \"10 ms\"\noutages = [\
         { start = \"1 s\", length = \"40 ms\", every = \"99.9983 ms\" }, { start = \"0 s\", length = \"30 ms\", every = \"100.0003 ms\" }]\n\
         [[flow]]\nname = \"x\"\ncontroller = { kind = \"cubic\" }\ntcp = { pacing = true }\ndata = [\"f\"]\nack = [\"b\"]\n",
    );
    let (events, sent) = (r.counters.events.unwrap(), r.counters.packets_sent.unwrap());
    assert!(sent > 100 && events < 10 * sent, "{events} events for {sent} packets");
}

/// A route change by half the delay up or down changes the minimum round-trip time by as much.
#[test]
fn a_route_change_moves_the_round_trip() {
    for (delay, rtt_ms) in [("30 ms", 50.0), ("10 ms", 30.0)] {
        let text = download(40, 20, "newreno", &format!("changes = [{{ at = \"10 s\", delay = \"{delay}\" }}]"));
        // a window that leaves no queue
        let r = result_of(&(text + "receive_window = \"12 kB\"\n"));
        // transmission of a packet and of its acknowledgement
        near(flow_result(&r, "x").rtt_s.min.unwrap(), rtt_ms / 1e3 + 1.2e-3 + 0.032e-3, 1e-6, delay);
    }
}

/// Packets sent before a change to a shorter route are overtaken only with `reorder`.
#[test]
fn a_shorter_route_reorders_only_if_allowed() {
    let change = "changes = [{ at = \"10 s\", delay = \"1 ms\" }]\nloss = 0.0\nreorder = ";
    let resent = |reorder: &str| {
        let text = download(12, 5, "newreno", &format!("{change}{reorder}")).replace("60 packets", "1000 packets");
        flow_result(&result_of(&(text + "receive_window = \"100 kB\"\n")), "x").retransmits.unwrap()
    };
    assert_eq!(resent("false"), 0);
    assert!(resent("true") > 0);
}

/// Nothing departs during an outage; the queue holds the arrivals, and all of them depart afterwards.
#[test]
fn an_outage_queues_the_arrivals() {
    let r = result_of(&cross(2_000, "outages = [{ start = \"10 s\", length = \"2 s\" }]"));
    let x = traffic(&r);
    assert_eq!(x.packets_dropped, Some(0));
    let link = link(&r, "f");
    // 2 s of 2 Mbit/s in packets of 1,500 bytes, one of them in transmission
    near(link.queue_packets.max.unwrap(), 2.0 * 2e6 / 12_000.0, 0.01, "queue");
    // the capacity is 28 s of the rate
    near(link.utilisation.unwrap(), 2e6 * 30.0 / (10e6 * 28.0), 0.01, "utilisation");
    // a triangle: 2 s for the first packet; the backlog shrinks by 8 for every 10 arrivals
    let waited = 0.5 * 2.0 * (2.0 + 2.0 * 2.0 / 8.0) / 30.0;
    near(link.queueing_delay_s.mean.unwrap(), waited, 0.01, "wait");
}

/// A policed flow gets the policer's rate, less the loss in recoveries; the link is never full.
#[test]
fn a_policer_limits_a_flow_to_its_rate() {
    let more = "policer = { rate = \"4 Mbit/s\", burst = \"60 kB\" }";
    let plain = result_of(&cross(9_000, more));
    let x = traffic(&plain);
    let passed = x.packets_sent.unwrap() - x.packets_dropped.unwrap();
    near(passed as f64 * 12_000.0, 4e6 * 30.0 + 480_000.0, 0.001, "rate and burst");
    assert_eq!(link(&plain, "f").drops.cross, x.packets_dropped);
    assert_eq!(link(&plain, "f").queue_packets.max, Some(0.0), "nothing waits behind it");
    let r = result_of(&download(40, 5, "newreno", more));
    let got = flow_result(&r, "x").throughput_bps.unwrap();
    assert!(got > 0.7 * 4e6 && got < 1.001 * 4e6, "{got}");
}

/// Burst loss has the chain's loss ratio and burst length, measured with packets at a constant rate.
#[test]
fn bursts_of_loss_reach_traffic() {
    let r = result_of(&cross(9_000, "loss = { kind = \"gilbert-elliott\", p = 0.01, r = 0.2 }"));
    // 22,500 packets; the correlation 0.79 makes the variance 8.5 times as large: 4 standard errors
    let lost = traffic(&r).packets_dropped.unwrap() as f64 / traffic(&r).packets_sent.unwrap() as f64;
    assert!((lost - 0.01 / 0.21).abs() < 0.0165, "{lost}");
}

/// Mean delay, and the mean absolute difference of successive packets' delays: 2 sd / sqrt(pi) where these are independent.
#[test]
fn jitter_reaches_traffic() {
    let r = result_of(&cross(2_000, "jitter = { kind = \"normal\", sd = \"1 ms\", mean = \"10 ms\" }\nreorder = true"));
    near(traffic(&r).one_way_delay_s.mean.unwrap(), 0.020 + 0.0012 + 0.010, 0.003, "mean delay");
    let still = result_of(&cross(2_000, "jitter = { kind = \"normal\", sd = \"0 s\", mean = \"10 ms\" }"));
    near(traffic(&still).one_way_delay_s.p99.unwrap(), 0.0312, 0.04, "no spread");
    let (a, b) = (traffic(&r).one_way_delay_s.p99.unwrap(), 0.0312 + 2.326e-3);
    near(a, b, 0.04, "the 99th percentile, within a bin of the histogram");
}

/// A profile's mean rate is the link's rate: a flow that fills the link gets it.
#[test]
fn profiles_are_filled() {
    for profile in ["lte", "starlink", "cable", "wifi"] {
        let text = format!("trace = {{ kind = \"{profile}\" }}");
        let r = result_of(&cross(20_000, &text).replace("30 s", "120 s"));
        let x = link(&r, "f");
        assert!(x.utilisation.unwrap() > 0.97, "{profile}: {x:?}");
        let sent = traffic(&r).packets_sent.unwrap() - link(&r, "f").drops.cross.unwrap();
        // the backlog at the end is 1,000 packets of 100,000
        near(sent as f64 * 12_000.0, 10e6 * 120.0, 0.03, profile);
    }
}

/// A packet that an outage holds counts as it is transmitted, in part: not as a whole where its transmission starts.
#[test]
fn departures_count_as_they_are_transmitted() {
    // 8 packets of 12,000 bit in 8 s, and an outage from 2.5 s to 6.5 s: the third is transmitted from 2 s to 7 s
    let text = cross(12, "outages = [{ start = \"2500 ms\", length = \"4 s\" }]")
        .replace("10 Mbit/s", "12 kbit/s")
        .replace("30 s", "10 s")
        + "[record]\ninterval = \"1 s\"\n";
    let departures = |text: &str| {
        let o = outcome(&network(text), &Options { series: true, ..Options::default() });
        o.series.unwrap().of(LINK, 0, Quantity::DepartureBps).iter().map(|(_, bps)| bps.round()).collect::<Vec<_>>()
    };
    let wanted = [12e3, 12e3, 6e3, 0.0, 0.0, 0.0, 6e3, 12e3, 12e3, 12e3];
    assert_eq!(departures(&text), wanted);
    // as many bytes again on the wire, at twice the rate
    let framed = text.replace("12 kbit/s\"\ndelay", "24 kbit/s\"\ndelay");
    let framed = framed.replace("outages", "framing = { overhead = \"1500 B\" }\noutages");
    assert_eq!(departures(&framed), wanted);
}

/// A policed drop-tail link gives the same results with and without an event per departure.
#[test]
fn both_kinds_of_link_agree() {
    let n = network(&download(20, 2, "cubic", "policer = { rate = \"4 Mbit/s\", burst = \"60 kB\" }\nloss = 0.001"));
    let run = |general_queues| outcome(&n, &Options { general_queues, series: true, ..Options::default() });
    let (a, b) = (run(false), run(true));
    assert_eq!((&a.result.flows, &a.result.links, &a.series), (&b.result.flows, &b.result.links, &b.series));
}
