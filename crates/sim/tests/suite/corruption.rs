//! Links that damage packets: by how many, what that is to TCP, and what it is to the links behind.

use crate::scenarios;

use eddyline_scenario::result::RunResult;
use scenarios::{head, result_of};

/// Unresponsive traffic of 8 Mbit/s over two links, of which the first has this impairment.
fn through_two_links(impairment: &str) -> RunResult {
    let link = |name: &str, more: &str| {
        format!("[[link]]\nname = \"{name}\"\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n{more}\n")
    };
    let text = head(200.0, 0.0, 1)
        + &link("one", impairment)
        + &link("two", "")
        + "[[traffic]]\nname = \"x\"\npath = [\"one\", \"two\"]\nmodel = { kind = \"cbr\", rate = \"8 Mbit/s\" }\n";
    result_of(&text)
}

/// A damaged packet uses all links of its path, a lost one those up to where it is lost; neither arrives. The shares are binomial: four
/// standard deviations.
#[test]
fn damaged_packets_travel_to_the_end_of_their_path() {
    let p = 0.1;
    let (damaged, lost) = (through_two_links(&format!("corrupt = {p}")), through_two_links(&format!("loss = {p}")));
    let traffic = |result: &RunResult| result.traffic[0].clone();
    let sent = traffic(&damaged).packets_sent.unwrap() as f64;
    let within = 4.0 * (p * (1.0 - p) / sent).sqrt();
    let near = |what: &str, got: f64, want: f64| assert!((got - want).abs() < within, "{what}: {got} against {want}");
    let count = damaged.links[0].corrupted.expect("a count");
    near("share damaged", count as f64 / sent, p);
    for result in [&damaged, &lost] {
        near("share missing", traffic(result).loss_ratio.unwrap(), p);
        near("first link", result.links[0].utilisation.unwrap(), 0.8);
    }
    near("second link, damaged", damaged.links[1].utilisation.unwrap(), 0.8);
    near("second link, lost", lost.links[1].utilisation.unwrap() / 0.8, 1.0 - p);
    assert_eq!((damaged.links[0].lost, damaged.links[1].corrupted, lost.links[0].corrupted), (Some(0), None, None));
    // those on their way at the end are counted by the link, and not yet dropped
    let counters = &damaged.counters;
    let waiting = counters.packets_in_flight.unwrap();
    assert!((count - waiting..=count).contains(&counters.packets_dropped.unwrap()), "{counters:?}");
    assert_eq!(traffic(&damaged).packets_dropped, counters.packets_dropped);
}

/// Reno's mean window at random corruption is that at random loss of the same probability: 1.31 over its root (Ott, Kemperman and Mathis
/// 1996), within 8 %, as `reno.rs` has it.
#[test]
fn corruption_is_loss_to_tcp() {
    let p = 1e-3f64;
    let windows = (0..20).map(|seed| {
        let text = head(230.0, 30.0, seed)
            + &format!("[[link]]\nname = \"f\"\nrate = \"10 Gbit/s\"\ndelay = \"40 ms\"\ncorrupt = {p}\n")
            + "[[link]]\nname = \"b\"\nrate = \"10 Gbit/s\"\ndelay = \"40 ms\"\n"
            + &scenarios::flow("x", "kind = \"newreno\"", "f", "b", "");
        scenarios::flow_result(&result_of(&text), "x").window_packets.mean.unwrap()
    });
    let (window, error) = scenarios::mean(&windows.collect::<Vec<_>>());
    let expected = 1.31 / p.sqrt();
    assert!((window - expected).abs() < 0.08 * expected + 2.0 * error, "{window} ± {error}, {expected}");
}
