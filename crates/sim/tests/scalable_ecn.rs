//! Accurate ECN and the controllers that need it: DCTCP and Prague, Vegas under REM's price.

mod scenarios;

use eddyline_scenario::result::{FlowResult, RunResult};
use scenarios::{answer, flow, head, link, near, of};

const ACCURATE: &str = "tcp = { accurate_ecn = true }";

/// Marks with a probability that grows from none to one between two lengths of the queue as it is at the moment.
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

/// Every mark arrives: with one and two segments per acknowledgement the sender that goes by the share of marks has the
/// same window, and one that goes by their presence halves once a round trip as with RFC 3168.
#[test]
fn no_mark_is_lost_on_the_way_back() {
    let run = |controller: &str, tcp: &str| {
        answer(
            &(head(120.0, 40.0, 1)
                + &path(20.0, 40.0, "{ kind = \"pie\", ecn = true, limit = \"1000 packets\" }")
                + &flow("x", controller, "f", "b", &format!("tcp = {{ {tcp} }}"))),
        )
    };
    let windows = |controller: &str, tcps: &[&str]| {
        let all: Vec<f64> = tcps.iter().map(|t| of(&run(controller, t), "x").window_packets.mean.unwrap()).collect();
        for w in &all[1..] {
            near(*w, all[0], 0.05, &format!("{controller}, {tcps:?}: {all:?}"));
        }
    };
    windows("kind = \"dctcp\"", &["accurate_ecn = true", "accurate_ecn = true, ack_every = 2"]);
    // what a mark takes is the same whether it is counted or echoed
    windows("kind = \"newreno\"", &["ecn = true", "accurate_ecn = true"]);
}

/// REM marks each packet by itself with a probability p that hardly changes. A reduction takes p / 2 of the window W on average and
/// comes with the first mark of a round trip that follows the last one's, so 1 + 1 / (W p) round trips lie between two; a round trip
/// adds a packet, Prague's 1 - p. So c = W p solves c^2 = 2 (1 + c): 1 + sqrt(3). The literature's 2 / p has evenly spaced marks.
#[test]
fn window_at_random_marks() {
    let rem = "{ kind = \"rem\", target = \"20 packets\", limit = \"1000 packets\" }";
    for kind in ["dctcp", "prague"] {
        let r = answer(
            &(head(200.0, 50.0, 1)
                + &path(50.0, 40.0, rem)
                + &flow("x", &format!("kind = \"{kind}\""), "f", "b", ACCURATE)),
        );
        let (x, f) = (of(&r, "x"), link(&r, "f"));
        assert!(f.utilisation.unwrap() > 0.98, "{kind}: {f:?}");
        let p = f.marked.unwrap() as f64 / r.counters.data_packets_delivered.unwrap() as f64;
        let g = 1.0 - p;
        let c = g + (g * g + 2.0 * g).sqrt();
        near(x.window_packets.mean.unwrap() * p, c, 0.1, kind);
    }
}

/// On a queue that marks by one rule the share of marks stays near the little that a large window needs: DCTCP gives up little at a
/// time and leaves nothing unused, where who halves at each mark runs the queue empty.
#[test]
fn small_steps_need_no_queue() {
    let used = |kind: &str| {
        let text = head(100.0, 40.0, 1)
            + &path(50.0, 40.0, &ramp(5, 40))
            + &flow("x", &format!("kind = \"{kind}\""), "f", "b", ACCURATE);
        let r = answer(&text);
        assert!(of(&r, "x").retransmits.unwrap() < 500, "{kind}");
        (link(&r, "f").utilisation.unwrap(), link(&r, "f").queue_packets.max.unwrap())
    };
    for kind in ["dctcp", "prague"] {
        let (share, queue) = used(kind);
        assert!(share > 0.97 && queue < 40.0, "{kind}: {share}, {queue}");
    }
    assert!(used("newreno").0 < 0.9, "{:?}", used("newreno"));
}

/// Prague behind DualPI2: queues of a millisecond where a classic flow has tens; both classes share alike (RFC 9332, 2.1 wants roughly
/// equal rates; at 20 to 25 ms, where Prague goes by its virtual round-trip time).
#[test]
fn prague_beside_a_classic_flow() {
    let text = head(180.0, 60.0, 1)
        + &path(40.0, 20.0, "{ kind = \"dualpi2\" }")
        + &flow("prague", "kind = \"prague\"", "f", "b", ACCURATE)
        + &flow("classic", "kind = \"cubic\"", "f", "b", "tcp = { ecn = true }");
    let r = answer(&text);
    let (prague, classic) = (of(&r, "prague"), of(&r, "classic"));
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
fn short_round_trips_are_alike_to_prague() {
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
        let r = answer(&text);
        of(&r, "near").goodput_bps.unwrap() / of(&r, "far").goodput_bps.unwrap()
    };
    let prague = ratio("prague");
    assert!((0.7..1.4).contains(&prague), "{prague}");
    let dctcp = ratio("dctcp");
    assert!(dctcp > 1.5 * prague, "{dctcp} and {prague}");
}

/// A mark excuses no loss: at 1 % of random loss DCTCP is Reno, marked or not (RFC 8257, 3.5).
#[test]
fn losses_count_beside_marks() {
    let run = |controller: &str, queue: &str| -> RunResult {
        let lossy = path(20.0, 40.0, queue).replacen("delay", "loss = 0.01\ndelay", 1);
        answer(&(head(200.0, 20.0, 1) + &lossy + &flow("x", controller, "f", "b", ACCURATE)))
    };
    let window = |r: &RunResult| of(r, "x").window_packets.mean.unwrap();
    let plain = window(&run("kind = \"newreno\"", "{ kind = \"droptail\" }"));
    for kind in ["dctcp", "prague"] {
        let marked = run(&format!("kind = \"{kind}\""), &ramp(3, 100));
        near(window(&marked), plain, 0.1, kind);
    }
}

/// Vegas that takes REM's price for its signal needs no base round-trip time: a flow that comes late to a full path gets its share,
/// and the queue stays at REM's target, where Vegas by delay takes the queue for propagation.
#[test]
fn vegas_with_the_price_of_marks() {
    let rem = "{ kind = \"rem\", target = \"5 packets\", phi = 1.004, gamma = 0.02, alpha = 0.1, period = \"10 ms\", limit = \"1000 packets\" }";
    let run = |controller: &str, queue: &str| {
        let text = head(300.0, 150.0, 1)
            + &path(10.0, 40.0, queue)
            + &flow("x", controller, "f", "b", &format!("{ACCURATE}\ncount = 4\nstagger = \"20 s\""));
        answer(&text)
    };
    let jain = |r: &RunResult| r.groups[0].jain_index.unwrap();
    let cured = run(
        "kind = \"vegas\", alpha = \"8 packets\", beta = \"10 packets\", price = { kind = \"marks\", phi = 1.004 }",
        rem,
    );
    let by_delay = run("kind = \"vegas\", alpha = \"8 packets\", beta = \"10 packets\"", "{ kind = \"droptail\" }");
    assert!(jain(&cured) > 0.95 && jain(&by_delay) < 0.95);
    assert!(link(&cured, "f").utilisation.unwrap() > 0.95);
    // four flows that want 8 to 10 packets each keep more where they do not know the path; REM's target is 5
    let queues = [&cured, &by_delay].map(|r| link(r, "f").queue_packets.mean.unwrap());
    assert!(queues[0] < 20.0 && queues[1] > 40.0, "{queues:?}");
}

/// The coupling of DualPI2 with k = 2 (RFC 9332, 2.1 and appendix A): L is marked with k p', C with p'^2, so a classic window is
/// 1.22 / p' and a scalable one 2 to 2.7 over 2 p', about as much; rates go as round trips then, of which Prague's is never below 25 ms. For
/// some flows of each kind that holds within a quarter, whether the classic ones are dropped from or marked; one alone in C makes a queue
/// that swings, and the pair is within a factor of two only (the test above).
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
        let r = answer(
            &(head(45.0, 15.0, 1)
                + &path(mbps, rtt_ms, "{ kind = \"dualpi2\" }")
                + &flows("scalable", "prague", scalable, "accurate_ecn = \"option\"")
                + &flows("classic", "cubic", classic, &format!("ecn = {ecn}"))),
        );
        let of = |name: &str| r.flows.iter().filter(|f| f.name.starts_with(name)).collect::<Vec<_>>();
        let mean = |name: &str, what: fn(&FlowResult) -> Option<f64>| {
            let values: Vec<f64> = of(name).into_iter().map(|f| what(f).unwrap()).collect();
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

/// One queue with step marking: from 25 ms on Prague has some three quarters of what DCTCP has, as packets that are marked do not let its
/// window grow and those of the other come in bursts; below, Prague goes by its virtual round-trip time, grows by `(rtt / 25 ms)^2` of
/// what DCTCP does and is left with little.
#[test]
fn prague_beside_dctcp() {
    let ratio = |rtt_ms: f64| {
        let flows = |kind: &str| {
            flow(kind, &format!("kind = \"{kind}\""), "f", "b", &format!("count = 2\nstagger = \"500 ms\"\n{ACCURATE}"))
        };
        let r = answer(
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
