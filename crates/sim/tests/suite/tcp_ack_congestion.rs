//! Congestion control of acknowledgements (RFC 5690) on a return link that is too slow for them.

use crate::scenarios;

use eddyline_scenario::result::RunResult;
use scenarios::{flow, flow_result, head, link, near, result_of};

/// 20 Mbit/s of data, which are 2,404 segments a second; the return link carries `acks` acknowledgements a second.
fn download(acks: f64, queue: &str, tcp: &str) -> RunResult {
    let text = head(120.0, 20.0, 1)
        + "[[link]]\nname = \"f\"\nrate = \"20 Mbit/s\"\ndelay = \"20 ms\"\nqueue = { kind = \"droptail\", limit = \"200 packets\" }\n"
        + &format!(
            "[[link]]\nname = \"b\"\nrate = \"{:.0} bit/s\"\ndelay = \"20 ms\"\nqueue = {{ {queue} }}\n",
            acks * 320.0
        )
        + &flow("x", "kind = \"newreno\"", "f", "b", &format!("tcp = {{ byte_counting = 2, pacing = true{tcp} }}"));
    result_of(&text)
}

const TEN: &str = "kind = \"droptail\", limit = \"10 packets\"";
const CONTROLLED: &str = ", ack_congestion_control = true";

/// Acknowledgements that the return link dropped, per acknowledgement that it was offered in the whole run.
fn share_dropped(r: &RunResult) -> f64 {
    let dropped = link(r, "b").drops.ack.unwrap() as f64;
    let n = r.counters;
    let data = n.data_packets_delivered.unwrap() + link(r, "f").drops.data.unwrap();
    dropped / (n.packets_sent.unwrap() - data) as f64
}

/// If the return link can carry an acknowledgement per two segments nothing changes.
#[test]
fn without_congestion_it_equals_delayed_acknowledgements() {
    let controlled = download(4_000.0, TEN, CONTROLLED);
    let delayed = download(4_000.0, TEN, ", ack_every = 2");
    assert_eq!(link(&controlled, "b").drops.ack, Some(0));
    // duplicates in recovery are acknowledged one by one
    let acks = link(&controlled, "b").ack_utilisation.unwrap() * 4_000.0;
    near(acks, flow_result(&controlled, "x").packets_per_s.unwrap() / 2.0, 0.02, "acknowledgements");
    assert_eq!(flow_result(&controlled, "x").delivered_bytes, flow_result(&delayed, "x").delivered_bytes);
}

/// A return link with a quarter, an eighth, a sixteenth of the capacity for one acknowledgement per two segments: without control the
/// excess is dropped; with control at most one in thirty, and the queueing delay is at most half. The data rate falls by 2 %, and
/// by an eighth where one acknowledgement covers more than thirty segments.
#[test]
fn the_ratio_follows_the_return_link() {
    for (acks, price) in [(300.0, 0.02), (150.0, 0.02), (75.0, 0.125)] {
        let delayed = download(acks, TEN, ", ack_every = 2");
        let controlled = download(acks, TEN, CONTROLLED);
        near(share_dropped(&delayed), 1.0 - acks / 1_202.0, 0.05, "dropped without");
        assert!(share_dropped(&controlled) < 1.0 / 30.0, "{acks}: {}", share_dropped(&controlled));
        let wait = |r: &RunResult| flow_result(r, "x").reverse_queueing_delay_s.unwrap();
        assert!(wait(&controlled) < 0.5 * wait(&delayed), "{acks}: {} {}", wait(&controlled), wait(&delayed));
        let goodput = |r: &RunResult| flow_result(r, "x").goodput_bps.unwrap();
        let lost = 1.0 - goodput(&controlled) / goodput(&delayed);
        assert!(lost < price, "{acks}: {lost}");
    }
}

/// A queue that marks: with ECN on, acknowledgements under congestion control are ECN-capable, and none is dropped.
#[test]
fn marked_acknowledgements() {
    let codel = "kind = \"codel\", target = \"10 ms\"";
    let r = download(300.0, codel, &format!("{CONTROLLED}, ecn = true"));
    let b = link(&r, "b");
    assert!(b.marked.unwrap() > 5, "{b:?}");
    assert_eq!(b.drops.ack, Some(0), "{b:?}");
    assert!(flow_result(&r, "x").retransmits.unwrap() > 0, "the data's drop-tail queue does not mark");
    let without = download(300.0, codel, CONTROLLED);
    assert_eq!(link(&without, "b").marked, Some(0));
    assert!(link(&without, "b").drops.ack.unwrap() > 5);
}
