//! Explicit congestion notification from a queue that marks to a window that halves.

mod scenarios;

use eddyline_scenario::result::RunResult;
use eddyline_scenario::series::{FLOW, Quantity};
use eddyline_sim::Options;
use scenarios::{answer, flow, head, link, mean, near, network, of, outcome};

/// One flow over 10 Mbit/s and 100 ms with CoDel, whose marks are further apart than a round trip.
fn codel(tcp: &str, controller: &str) -> String {
    head(300.0, 60.0, 1)
        + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\nqueue = { kind = \"codel\" }\n\
           [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\nqueue = { kind = \"codel\" }\n"
        + &flow("x", controller, "f", "b", &format!("tcp = {{ {tcp} }}"))
}

fn through_codel(tcp: &str, controller: &str) -> RunResult {
    answer(&codel(tcp, controller))
}

const NEWRENO: &str = "kind = \"newreno\"";

/// Nothing is dropped, nothing is sent again, and acknowledgements are not marked.
#[test]
fn marks_instead_of_losses() {
    for controller in [NEWRENO, "kind = \"reno\"", "kind = \"fast\", alpha = \"100 packets\""] {
        let marked = through_codel("ecn = true", controller);
        let f = link(&marked, "f");
        assert!(f.marked.unwrap() > 20, "{controller}: {f:?}");
        assert_eq!(f.drops.data, Some(0), "{controller}");
        assert_eq!((of(&marked, "x").retransmits, of(&marked, "x").timeouts), (Some(0), Some(0)), "{controller}");
        assert_eq!(link(&marked, "b").marked, Some(0), "{controller}");
        let dropped = through_codel("", controller);
        assert!(of(&dropped, "x").retransmits.unwrap() > 20, "{controller}");
        assert_eq!(link(&dropped, "f").marked, Some(0), "{controller}");
    }
}

/// A window of additive increase that halves after every n packets has the mean sqrt(3 n / 2) over round trips (Mathis et al.
/// 1997), whether it halves for a loss or for a mark. CoDel marks a second packet while the first mark is on its way back, which
/// is the same window and no second reason, so the halvings are counted and not the marks. The queue's share of the round trip
/// moves the mean over time by less than the 3 % allowed.
#[test]
fn a_mark_halves_as_a_loss_does() {
    let (text, options) = (codel("ecn = true", NEWRENO), Options { series: true, ..Options::default() });
    let o = outcome(&network(&text.replace("seed", "record = { interval = \"10 ms\" }\nseed")), &options);
    let (x, f) = (of(&o.result, "x"), link(&o.result, "f"));
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

/// Ten flows through RED: with ECN about as much goes through, and only what overflows is sent again.
#[test]
fn many_flows_through_red() {
    let run = |ecn: bool| {
        let text = head(120.0, 20.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"20 Mbit/s\"\ndelay = \"20 ms\"\n\
               queue = { kind = \"red\", min_threshold = \"10 packets\", max_threshold = \"60 packets\", ecn = true }\n\
               [[link]]\nname = \"b\"\nrate = \"20 Mbit/s\"\ndelay = \"20 ms\"\n"
            + &flow("x", NEWRENO, "f", "b", &format!("count = 10\nstagger = \"37 ms\"\ntcp = {{ ecn = {ecn} }}"));
        answer(&text)
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

/// A flow that does not ask for ECN is not marked by a queue that could, one beside it that does is.
#[test]
fn only_who_asks() {
    let text = head(60.0, 10.0, 1)
        + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\nqueue = { kind = \"codel\" }\n\
           [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n"
        + &flow("asks", NEWRENO, "f", "b", "tcp = { ecn = true }")
        + &flow("does not", NEWRENO, "f", "b", "");
    let r = answer(&text);
    assert_eq!(of(&r, "asks").retransmits, Some(0));
    assert!(of(&r, "does not").retransmits.unwrap() > 5);
    assert!(link(&r, "f").marked.unwrap() > 5);
}
