//! The start of a connection as seen on the wire: HyStart++ and pacing.

use crate::scenarios;

use eddyline_scenario::result::RunResult;
use scenarios::{duplex, flow, flow_result, head, link, near, result_of};

/// Bandwidth-delay product of 100 Mbit/s and 40 ms, in packets.
const PIPE: f64 = 100e6 * 0.040 / 8320.0;

/// Ten seconds on that path with a buffer of `buffer` packets.
fn start(controller: &str, buffer: u32) -> RunResult {
    let text = head(10.0, 0.0, 1)
        + &format!(
            "[[link]]\nname = \"f\"\nrate = \"100 Mbit/s\"\ndelay = \"20 ms\"\n\
             queue = {{ kind = \"droptail\", limit = \"{buffer} packets\" }}\n\
             [[link]]\nname = \"b\"\nrate = \"100 Mbit/s\"\ndelay = \"20 ms\"\n"
        )
        + &flow("x", controller, "f", "b", "size = \"40 MB\"");
    result_of(&text)
}

/// Doubling every round trip, the window reaches twice the capacity of pipe and buffer when the first loss is detected, so that
/// capacity is lost once. Growing by a quarter per round trip, it overshoots by half at most: RFC 9406, section 5, reports half the
/// retransmissions too. HyStart++ detects the queue one round after it grew, at a window of 1,280; if the buffer holds the five
/// rounds of growth by a quarter, a factor of three, nothing is lost. The transfer completes no later.
#[test]
fn hystart_leaves_before_the_buffer_is_full() {
    for kind in ["reno", "newreno"] {
        for (buffer, share) in [(480, 0.55), (4_800, 0.0)] {
            let standard = start(&format!("kind = \"{kind}\""), buffer);
            let hystart = start(&format!("kind = \"{kind}\", slow_start = \"hystart++\""), buffer);
            let (s, c) = (flow_result(&standard, "x"), flow_result(&hystart, "x"));
            let room = PIPE + f64::from(buffer);
            near(s.retransmits.unwrap() as f64, room, 0.02, "lost by standard slow start");
            near(s.window_packets.max.unwrap(), 2.0 * room, 0.02, "largest window");
            let lost = c.retransmits.unwrap() as f64 / room;
            assert!(lost <= share, "{kind}, {buffer}: {lost}");
            assert!(c.completed_at_s.unwrap() < s.completed_at_s.unwrap() * 1.02, "{kind}, {buffer}: {c:?} {s:?}");
        }
    }
}

/// All of the initial window but its first packet queues; paced at two windows per round trip, none does.
#[test]
fn pacing_removes_the_initial_burst() {
    let waiting = |tcp: &str| {
        let text = head(2.0, 0.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\n\
               [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\n"
            + &flow(
                "x",
                "kind = \"reno\"",
                "f",
                "b",
                &format!("size = \"32 kB\"\ntcp = {{ initial_window = 32, {tcp} }}"),
            );
        let r = result_of(&text);
        (link(&r, "f").queue_packets.max.unwrap(), flow_result(&r, "x").completed_at_s.unwrap())
    };
    // the FIN waits too
    assert_eq!(waiting("pacing = false").0, 32.0);
    let (max, completed) = waiting("pacing = true");
    assert!(max <= 2.0, "{max}: at most two at once, and the FIN");
    // 30 intervals of 100 ms / 64 after the first two
    let interval = 0.1 / 64.0;
    near(completed, 0.1 + 30.0 * interval + 0.1, 0.01, "completion");
}

/// Paced at 1.2 windows a round trip in congestion avoidance, a flow still fills the link.
#[test]
fn paced_newreno_fills_the_link() {
    for tcp in ["pacing = true", "pacing = true, pacing_gain = { slow_start = 2.0, avoidance = 1.0 }"] {
        let text = head(120.0, 20.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"20 Mbit/s\"\ndelay = \"40 ms\"\nqueue = { kind = \"droptail\", limit = \"193 packets\" }\n\
               [[link]]\nname = \"b\"\nrate = \"20 Mbit/s\"\ndelay = \"40 ms\"\n"
            + &flow("x", "kind = \"newreno\"", "f", "b", &format!("tcp = {{ {tcp} }}"));
        let r = result_of(&text);
        assert!(link(&r, "f").utilisation.unwrap() > 0.97, "{tcp}: {:?}", link(&r, "f"));
    }
}

/// An application that writes bursts fills the pipe in their second round trips: Startup ends, and the pacing rate is the link's.
#[test]
fn bbr_leaves_startup_in_bursts() {
    for kind in ["bbr", "bbr3"] {
        let queue = "queue = { kind = \"droptail\", limit = \"60 packets\" }\ndelay";
        let bursts = "application = { kind = \"bursts\", bytes = \"200 kB\", every = \"1 s\" }";
        let text = head(60.0, 10.0, 1)
            + &duplex(10e6, 10e6, 0.04).replacen("delay", queue, 1)
            + &flow("x", &format!("kind = \"{kind}\""), "f", "b", bursts);
        let x = flow_result(&result_of(&text), "x").clone();
        assert!(x.retransmits.unwrap() < 200, "{kind}: {:?}", x.retransmits);
        assert!(x.queueing_delay_s.unwrap() < 0.02, "{kind}: {:?}", x.queueing_delay_s);
    }
}

/// A frame of 21 packets every 17 ms over 12 ms: waiting for the pacer is no reason for a window to grow beyond what is used.
/// Without pacing it is 45 packets, two frames and a packet more than limited it.
#[test]
fn windows_stay_near_what_an_application_uses() {
    let of = |kind: &str, tcp: &str| {
        let frames = format!("application = {{ kind = \"bursts\", bytes = \"31250 B\", every = \"16667 us\" }}\n{tcp}");
        let other =
            "[[traffic]]\nname = \"other\"\npath = [\"f\"]\nmodel = { kind = \"poisson\", rate = \"19 Mbit/s\" }\n";
        let queue = "queue = { kind = \"fq_codel\" }\ndelay";
        let text = head(60.0, 10.0, 1)
            + &duplex(40e6, 40e6, 0.006).replacen("delay", queue, 1)
            + other
            + &flow("x", &format!("kind = \"{kind}\""), "f", "b", &frames);
        flow_result(&result_of(&text), "x").window_packets.max.unwrap()
    };
    let unpaced = of("cubic", "");
    for (kind, tcp) in [("cubic", "tcp = { pacing = true }"), ("newreno", "tcp = { pacing = true }"), ("prague", "")] {
        let max = of(kind, tcp);
        assert!((0.5 * unpaced..1.5 * unpaced).contains(&max), "{kind}: {max}, unpaced {unpaced}");
    }
}

/// The last packets of a burst of slow start wait for the whole burst, here for half a round trip of 600 ms: for longer than a timeout
/// that follows the first packet of each burst allows. Linux, whose timer takes every sample, has no timeout on this path, and 36.03 Mbit/s.
#[test]
fn a_long_burst_of_slow_start_may_time_out() {
    let of = |tcp: &str| {
        let text = head(20.0, 0.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"50 Mbit/s\"\ndelay = \"300 ms\"\n\
               queue = { kind = \"droptail\", limit = \"300 ms\" }\n\
               [[link]]\nname = \"b\"\nrate = \"50 Mbit/s\"\ndelay = \"300 ms\"\n"
            + &flow("x", "kind = \"reno\"", "f", "b", &format!("tcp = {{ prr = true, rack = true{tcp} }}"))
                .replace("1040 B", "1500 B");
        let result = result_of(&text);
        let flow = flow_result(&result, "x");
        (flow.timeouts.unwrap(), flow.goodput_bps.unwrap())
    };
    assert_eq!(of("").0, 1, "one sample a round trip");
    let (timeouts, goodput) = of(", rto_every_ack = true");
    assert_eq!(timeouts, 0);
    near(goodput, 36.03e6, 0.01, "goodput");
}

/// A packet is lost while slow start fills a buffer of 1.2 s: what is behind the hole takes longer than the timer of its retransmission, which each
/// report of it starts anew. Linux has no timeout here, and sends one packet again.
#[test]
fn a_loss_while_a_deep_buffer_fills_does_not_time_out() {
    let of = |lost_at: u64, tcp: &str| {
        let (from, to) = (1000 * lost_at, 1000 * lost_at + 1200);
        let changes = format!(
            "changes = [{{ at = \"{from} us\", loss = 0.9999999 }}, {{ at = \"{to} us\", loss = 0.0 }}]\ndelay"
        );
        let queue = "queue = { kind = \"droptail\", limit = \"1000 packets\" }\ndelay";
        let link = duplex(10e6, 10e6, 0.02).replacen("delay", queue, 1).replacen("delay", &changes, 1);
        let text = head(3.0, 0.0, 1)
            + &link
            + &flow("x", "kind = \"newreno\"", "f", "b", &format!("tcp = {{ prr = true, rack = true{tcp} }}"))
                .replace("1040 B", "1500 B");
        let result = result_of(&text);
        let flow = flow_result(&result, "x");
        (flow.retransmits.unwrap(), flow.timeouts.unwrap())
    };
    for lost_at in [400, 500, 600] {
        assert!(of(lost_at, "").1 > 0, "one sample a round trip: {lost_at}");
        for tcp in [", rto_every_ack = true", ", rto_every_ack = true, timestamps = true"] {
            assert_eq!(of(lost_at, tcp), (1, 0), "retransmissions and timeouts: {lost_at} {tcp}");
        }
    }
}
