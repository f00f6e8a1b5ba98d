//! ECN end to end: from the mark in the queue to the reduction of the window.

use crate::scenarios;

use eddyline_scenario::result::RunResult;
use eddyline_scenario::series::{FLOW, Quantity};
use eddyline_sim::Options;
use scenarios::{flow, flow_result, head, link, mean, near, network, outcome, result_of};

/// One flow over 10 Mbit/s and 100 ms with CoDel, whose marks are further apart than a round trip.
fn codel(tcp: &str, controller: &str) -> String {
    head(300.0, 60.0, 1)
        + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\nqueue = { kind = \"codel\" }\n\
           [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\nqueue = { kind = \"codel\" }\n"
        + &flow("x", controller, "f", "b", &format!("tcp = {{ {tcp} }}"))
}

fn through_codel(tcp: &str, controller: &str) -> RunResult {
    result_of(&codel(tcp, controller))
}

const NEWRENO: &str = "kind = \"newreno\"";

/// Nothing is dropped or retransmitted, and acknowledgements are not marked.
#[test]
fn marks_instead_of_losses() {
    for controller in [NEWRENO, "kind = \"reno\"", "kind = \"fast\", alpha = \"100 packets\""] {
        let marked = through_codel("ecn = true", controller);
        let f = link(&marked, "f");
        assert!(f.marked.unwrap() > 20, "{controller}: {f:?}");
        assert_eq!(f.drops.data, Some(0), "{controller}");
        assert_eq!(
            (flow_result(&marked, "x").retransmits, flow_result(&marked, "x").timeouts),
            (Some(0), Some(0)),
            "{controller}"
        );
        assert_eq!(link(&marked, "b").marked, Some(0), "{controller}");
        let dropped = through_codel("", controller);
        assert!(flow_result(&dropped, "x").retransmits.unwrap() > 20, "{controller}");
        assert_eq!(link(&dropped, "f").marked, Some(0), "{controller}");
    }
}

/// A window of additive increase that halves after every n packets has the mean sqrt(3 n / 2) over round trips (Mathis et al.
/// 1997), whether it halves for a loss or for a mark. CoDel marks a second packet while the first mark's echo is in flight; in the
/// same window it causes no second reduction, so reductions are counted, not marks. The queueing delay's share of the round trip
/// shifts the mean over time by less than the 3 % allowed.
#[test]
fn a_mark_halves_as_a_loss_does() {
    let (text, options) = (codel("ecn = true", NEWRENO), Options { series: true, ..Options::default() });
    let o = outcome(&network(&text.replace("seed", "record = { interval = \"10 ms\" }\nseed")), &options);
    let (x, f) = (flow_result(&o.result, "x"), link(&o.result, "f"));
    let windows: Vec<f64> =
        o.series.as_ref().unwrap().of(FLOW, 0, Quantity::CwndPackets).into_iter().map(|(_, w)| w).collect();
    let halvings: Vec<f64> = windows.windows(2).filter(|w| w[1] < 0.9 * w[0]).map(|w| w[1] / w[0]).collect();
    assert!(halvings.iter().all(|h| (h - 0.5).abs() < 0.02), "{halvings:?}");
    let marks = f.marked.unwrap() as usize;
    assert!(
        halvings.len() >= 20 && (halvings.len()..=3 * halvings.len()).contains(&marks),
        "{marks}, {}",
        halvings.len()
    );
    let packets = o.result.counters.data_packets_delivered.unwrap() as f64;
    near(x.window_packets.mean.unwrap(), (1.5 * packets / halvings.len() as f64).sqrt(), 0.03, "mean window");
}

/// Ten flows through RED: with ECN the throughput is similar, and only overflows are retransmitted.
#[test]
fn many_flows_through_red() {
    let run = |ecn: bool| {
        let text = head(120.0, 20.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"20 Mbit/s\"\ndelay = \"20 ms\"\n\
               queue = { kind = \"red\", min_threshold = \"10 packets\", max_threshold = \"60 packets\", ecn = true }\n\
               [[link]]\nname = \"b\"\nrate = \"20 Mbit/s\"\ndelay = \"20 ms\"\n"
            + &flow("x", NEWRENO, "f", "b", &format!("count = 10\nstagger = \"37 ms\"\ntcp = {{ ecn = {ecn} }}"));
        result_of(&text)
    };
    let (with, without) = (run(true), run(false));
    let sum = |r: &RunResult| r.flows.iter().map(|f| f.retransmits.unwrap()).sum::<u64>();
    assert!(sum(&with) * 10 < sum(&without), "{} and {}", sum(&with), sum(&without));
    let used = |r: &RunResult| link(r, "f").utilisation.unwrap();
    assert!(used(&with) > used(&without) - 0.05, "{} and {}", used(&with), used(&without));
    let goodputs: Vec<f64> = with.flows.iter().map(|f| f.goodput_bps.unwrap()).collect();
    let (share, _) = mean(&goodputs);
    assert!(goodputs.iter().all(|g| (g / share - 1.0).abs() < 0.3), "{goodputs:?}");
}

/// In one queue, only the flow with ECN is marked; the other's packets are dropped.
#[test]
fn only_ecn_flows_are_marked() {
    let text = head(60.0, 10.0, 1)
        + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\nqueue = { kind = \"codel\" }\n\
           [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n"
        + &flow("ecn", NEWRENO, "f", "b", "tcp = { ecn = true }")
        + &flow("no ecn", NEWRENO, "f", "b", "");
    let r = result_of(&text);
    assert_eq!(flow_result(&r, "ecn").retransmits, Some(0));
    assert!(flow_result(&r, "no ecn").retransmits.unwrap() > 5);
    assert!(link(&r, "f").marked.unwrap() > 5);
}
