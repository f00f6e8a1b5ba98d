//! Accurate ECN and the controllers that need it: DCTCP and Prague, Vegas under REM's price.

use crate::scenarios;

use eddyline_scenario::result::{FlowResult, RunResult};
use scenarios::{flow, flow_result, head, link, near, result_of};

const ACCURATE: &str = "tcp = { accurate_ecn = true }";

/// A queue that marks with a probability that grows from 0 to 1 between two lengths of the instantaneous queue.
fn ramp(from: u32, to: u32) -> String {
    format!(
        "{{ kind = \"red\", min_threshold = \"{from} packets\", max_threshold = \"{to} packets\", max_p = 1.0, weight = 1.0, \
         ecn = true, limit = \"1000 packets\" }}"
    )
}

fn path(rate_mbps: f64, rtt_ms: f64, queue: &str) -> String {
    format!(
        "[[link]]\nname = \"f\"\nrate = \"{rate_mbps} Mbit/s\"\ndelay = \"{half} ms\"\nqueue = {queue}\n\
         [[link]]\nname = \"b\"\nrate = \"{rate_mbps} Mbit/s\"\ndelay = \"{half} ms\"\n",
        half = rtt_ms / 2.0
    )
}

/// No feedback is lost with delayed acknowledgements: with one and two segments per acknowledgement the window is the same
/// both for a sender that uses the fraction of marks and for one that halves once per round trip, as with RFC 3168.
#[test]
fn every_mark_is_reported() {
    let run = |controller: &str, tcp: &str| {
        result_of(
            &(head(120.0, 40.0, 1)
                + &path(20.0, 40.0, "{ kind = \"pie\", ecn = true, limit = \"1000 packets\" }")
                + &flow("x", controller, "f", "b", &format!("tcp = {{ {tcp} }}"))),
        )
    };
    let windows = |controller: &str, tcps: &[&str]| {
        let all: Vec<f64> =
            tcps.iter().map(|t| flow_result(&run(controller, t), "x").window_packets.mean.unwrap()).collect();
        for w in &all[1..] {
            near(*w, all[0], 0.05, &format!("{controller}, {tcps:?}: {all:?}"));
        }
    };
    windows("kind = \"dctcp\"", &["accurate_ecn = true", "accurate_ecn = true, ack_every = 2"]);
    // a mark causes the same reduction whether it is counted or echoed
    windows("kind = \"newreno\"", &["ecn = true", "accurate_ecn = true"]);
}

/// Behind a step, where the marks of a slow start follow one another, an acknowledgement of two packets may cover the last of them and the first
/// packet after the reduction: one reduction for all of them, as with CWR.
#[test]
fn marks_of_a_window_reduce_once_when_they_are_counted() {
    for threshold in [10, 13, 16, 20, 30, 50] {
        let queue = format!("{{ kind = \"step\", threshold = \"{threshold} packets\", limit = \"400 packets\" }}");
        let goodput = |tcp: &str| {
            let tcp = format!("tcp = {{ {tcp}, ack_every = 2, ack_timer = \"40 ms\" }}");
            let text =
                head(20.0, 0.0, 1) + &path(20.0, 40.0, &queue) + &flow("x", "kind = \"newreno\"", "f", "b", &tcp);
            flow_result(&result_of(&text), "x").goodput_bps.unwrap()
        };
        let echoed = goodput("ecn = true");
        for counted in ["accurate_ecn = \"ace\"", "accurate_ecn = \"option\""] {
            // a second reduction costs 5 % of these 20 s
            near(goodput(counted), echoed, 0.005, &format!("{threshold}, {counted}"));
        }
    }
}

/// REM marks packets independently with a nearly constant probability p. A reduction takes p / 2 of the window W on average and
/// comes with the first mark after the previous reduction's round trip, so reductions are 1 + 1 / (W p) round trips apart; a round trip
/// adds one packet, or 1 - p for Prague. So c = W p solves c^2 = 2 (1 + c): 1 + sqrt(3). The literature's 2 / p is for evenly spaced marks.
#[test]
fn window_at_random_marks() {
    let rem = "{ kind = \"rem\", target = \"20 packets\", limit = \"1000 packets\" }";
    for kind in ["dctcp", "prague"] {
        let r = result_of(
            &(head(200.0, 50.0, 1)
                + &path(50.0, 40.0, rem)
                + &flow("x", &format!("kind = \"{kind}\""), "f", "b", ACCURATE)),
        );
        let (x, f) = (flow_result(&r, "x"), link(&r, "f"));
        assert!(f.utilisation.unwrap() > 0.98, "{kind}: {f:?}");
        let p = f.marked.unwrap() as f64 / r.counters.data_packets_delivered.unwrap() as f64;
        let g = 1.0 - p;
        let c = g + (g * g + 2.0 * g).sqrt();
        near(x.window_packets.mean.unwrap() * p, c, 0.1, kind);
    }
}

/// A large window needs a small fraction of marks: DCTCP's reductions are small and keep the link busy, while a sender that halves at
/// each mark empties the queue.
#[test]
fn small_steps_need_no_queue() {
    let used = |kind: &str| {
        let text = head(100.0, 40.0, 1)
            + &path(50.0, 40.0, &ramp(5, 40))
            + &flow("x", &format!("kind = \"{kind}\""), "f", "b", ACCURATE);
        let r = result_of(&text);
        assert!(flow_result(&r, "x").retransmits.unwrap() < 500, "{kind}");
        (link(&r, "f").utilisation.unwrap(), link(&r, "f").queue_packets.max.unwrap())
    };
    for kind in ["dctcp", "prague"] {
        let (share, queue) = used(kind);
        assert!(share > 0.97 && queue < 40.0, "{kind}: {share}, {queue}");
    }
    assert!(used("newreno").0 < 0.9, "{:?}", used("newreno"));
}

/// Prague through DualPI2: queueing delay of a millisecond where a classic flow has tens; both classes get similar rates (RFC 9332, 2.1
/// requires roughly equal rates; at 20 to 25 ms, where Prague uses its virtual round-trip time).
#[test]
fn prague_shares_with_a_classic_flow() {
    let text = head(180.0, 60.0, 1)
        + &path(40.0, 20.0, "{ kind = \"dualpi2\" }")
        + &flow("prague", "kind = \"prague\"", "f", "b", ACCURATE)
        + &flow("classic", "kind = \"cubic\"", "f", "b", "tcp = { ecn = true }");
    let r = result_of(&text);
    let (prague, classic) = (flow_result(&r, "prague"), flow_result(&r, "classic"));
    assert_eq!(prague.retransmits, Some(0));
    let ratio = prague.goodput_bps.unwrap() / classic.goodput_bps.unwrap();
    assert!((0.5..2.0).contains(&ratio), "{ratio}");
    assert!(link(&r, "f").utilisation.unwrap() > 0.97);
    let waits = [prague, classic].map(|f| f.forward_queueing_delay_s.unwrap());
    assert!(waits[0] < 2e-3 && waits[1] > 5.0 * waits[0], "{waits:?}");
}

/// The rate at evenly spaced marks, (1 - p) / p packets in half a virtual round trip: the same for all round trips below 25 ms, which
/// DCTCP's is not. Two flows of one kind with 5 and 20 ms behind one queue see the same marks.
#[test]
fn pragues_rate_is_independent_of_short_round_trips() {
    let ratio = |kind: &str| {
        let text = head(120.0, 40.0, 1)
            + &path(40.0, 5.0, "{ kind = \"dualpi2\" }")
            + &flow("near", &format!("kind = \"{kind}\""), "f", "b", ACCURATE)
            + &flow(
                "far",
                &format!("kind = \"{kind}\""),
                "f",
                "b",
                &format!("{ACCURATE}\naccess_delay = {{ data = \"7.5 ms\", ack = \"7.5 ms\" }}"),
            );
        let r = result_of(&text);
        flow_result(&r, "near").goodput_bps.unwrap() / flow_result(&r, "far").goodput_bps.unwrap()
    };
    let prague = ratio("prague");
    assert!((0.7..1.4).contains(&prague), "{prague}");
    let dctcp = ratio("dctcp");
    assert!(dctcp > 1.5 * prague, "{dctcp} and {prague}");
}

/// Losses still count with ECN: at 1 % of random loss DCTCP is Reno, marked or not (RFC 8257, 3.5).
#[test]
fn losses_are_handled_beside_marks() {
    let run = |controller: &str, queue: &str| -> RunResult {
        let lossy = path(20.0, 40.0, queue).replacen("delay", "loss = 0.01\ndelay", 1);
        result_of(&(head(200.0, 20.0, 1) + &lossy + &flow("x", controller, "f", "b", ACCURATE)))
    };
    let window = |r: &RunResult| flow_result(r, "x").window_packets.mean.unwrap();
    let plain = window(&run("kind = \"newreno\"", "{ kind = \"droptail\" }"));
    for kind in ["dctcp", "prague"] {
        let marked = run(&format!("kind = \"{kind}\""), &ramp(3, 100));
        near(window(&marked), plain, 0.1, kind);
    }
}

/// Vegas with REM's price as its signal needs no base round-trip time: a flow that joins a full path gets its share, and the queue
/// stays at REM's target, while delay-based Vegas takes the standing queue for propagation delay.
#[test]
fn vegas_with_the_price_of_marks() {
    let rem = "{ kind = \"rem\", target = \"5 packets\", phi = 1.004, gamma = 0.02, alpha = 0.1, period = \"10 ms\", limit = \"1000 packets\" }";
    let run = |controller: &str, queue: &str| {
        let text = head(300.0, 150.0, 1)
            + &path(10.0, 40.0, queue)
            + &flow("x", controller, "f", "b", &format!("{ACCURATE}\ncount = 4\nstagger = \"20 s\""));
        result_of(&text)
    };
    let jain = |r: &RunResult| r.groups[0].jain_index.unwrap();
    let cured = run(
        "kind = \"vegas\", alpha = \"8 packets\", beta = \"10 packets\", price = { kind = \"marks\", phi = 1.004 }",
        rem,
    );
    let by_delay = run("kind = \"vegas\", alpha = \"8 packets\", beta = \"10 packets\"", "{ kind = \"droptail\" }");
    assert!(jain(&cured) > 0.95 && jain(&by_delay) < 0.95);
    assert!(link(&cured, "f").utilisation.unwrap() > 0.95);
    // four flows with 8 to 10 packets each keep more if their base RTT is overestimated; REM's target is 5
    let queues = [&cured, &by_delay].map(|r| link(r, "f").queue_packets.mean.unwrap());
    assert!(queues[0] < 20.0 && queues[1] > 40.0, "{queues:?}");
}

/// The coupling of DualPI2 with k = 2 (RFC 9332, 2.1 and appendix A): L is marked with k p', C with p'^2, so a classic window is
/// 1.22 / p' and a scalable one 2 to 2.7 over 2 p', about as much; rates are then inversely proportional to round trips, of which Prague's is at least 25 ms. With
/// some flows of each kind this holds within a quarter, whether the classic packets are dropped or marked. A single classic flow makes the
/// C queue oscillate, so the pair is within a factor of two only (the test above).
#[test]
fn coupled_fairness() {
    let run = |mbps: f64, rtt_ms: f64, scalable: u32, classic: u32, ecn: bool| {
        let flows = |name: &str, kind: &str, n: u32, tcp: &str| {
            flow(
                name,
                &format!("kind = \"{kind}\""),
                "f",
                "b",
                &format!("count = {n}\nstagger = \"300 ms\"\ntcp = {{ {tcp} }}"),
            )
            .replace("1040 B", "1500 B")
        };
        let r = result_of(
            &(head(45.0, 15.0, 1)
                + &path(mbps, rtt_ms, "{ kind = \"dualpi2\" }")
                + &flows("scalable", "prague", scalable, "accurate_ecn = \"option\"")
                + &flows("classic", "cubic", classic, &format!("ecn = {ecn}"))),
        );
        let group = |name: &str| r.flows.iter().filter(|f| f.name.starts_with(name)).collect::<Vec<_>>();
        let mean = |name: &str, what: fn(&FlowResult) -> Option<f64>| {
            let values: Vec<f64> = group(name).into_iter().map(|f| what(f).unwrap()).collect();
            values.iter().sum::<f64>() / values.len() as f64
        };
        let rates = mean("scalable", |f| f.goodput_bps) / mean("classic", |f| f.goodput_bps);
        let waits = ["scalable", "classic"].map(|n| 1e3 * mean(n, |f| f.forward_queueing_delay_s));
        assert!(link(&r, "f").utilisation.unwrap() > 0.99);
        assert!(waits[0] < 1.2 && (12.0..17.0).contains(&waits[1]), "{waits:?}");
        (rates, (rtt_ms + waits[1]) / (rtt_ms + waits[0]).max(25.0))
    };
    for (mbps, rtt_ms, scalable, classic, ecn) in [
        (40.0, 5.0, 3, 3, true),
        (40.0, 10.0, 1, 5, false),
        (40.0, 20.0, 3, 3, true),
        (40.0, 40.0, 3, 3, false),
        (100.0, 20.0, 3, 3, true),
    ] {
        let (rates, round_trips) = run(mbps, rtt_ms, scalable, classic, ecn);
        near(rates, round_trips, 0.25, &format!("{mbps} Mbit/s, {rtt_ms} ms, {scalable} and {classic}"));
    }
}

/// One queue with step marking: from 25 ms on Prague gets some three quarters of DCTCP's rate, as marked packets do not increase its window
/// and DCTCP's packets come in bursts. Below 25 ms Prague uses its virtual round-trip time, grows by `(rtt / 25 ms)^2` of DCTCP's increase,
/// and gets little.
#[test]
fn prague_shares_with_dctcp() {
    let ratio = |rtt_ms: f64| {
        let flows = |kind: &str| {
            flow(kind, &format!("kind = \"{kind}\""), "f", "b", &format!("count = 2\nstagger = \"500 ms\"\n{ACCURATE}"))
        };
        let r = result_of(
            &(head(50.0, 20.0, 1)
                + &path(40.0, rtt_ms, "{ kind = \"step\", threshold = \"30 packets\" }")
                + &flows("prague")
                + &flows("dctcp")),
        );
        let sum =
            |kind: &str| r.flows.iter().filter(|f| f.controller == kind).map(|f| f.goodput_bps.unwrap()).sum::<f64>();
        sum("prague") / sum("dctcp")
    };
    let (near, far) = (ratio(5.0), ratio(40.0));
    assert!(near < 0.3 && (0.6..1.0).contains(&far), "{near}, {far}");
}
