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
/// excess is dropped; with control at most one in thirty (twenty-five at an eighth), and the queueing delay is at most half, on the slowest
/// two thirds. The data rate falls by 2 and 4 %, and by a quarter where one acknowledgement covers more than thirty segments: the ratio
/// decreases once a round trip there, and doubles after a loss.
#[test]
fn the_ratio_follows_the_return_link() {
    for (acks, price, part, one_in) in [(300.0, 0.02, 0.5, 30.0), (150.0, 0.04, 0.5, 25.0), (75.0, 0.25, 0.65, 30.0)] {
        let delayed = download(acks, TEN, ", ack_every = 2");
        let controlled = download(acks, TEN, CONTROLLED);
        near(share_dropped(&delayed), 1.0 - acks / 1_202.0, 0.05, "dropped without");
        assert!(share_dropped(&controlled) < 1.0 / one_in, "{acks}: {}", share_dropped(&controlled));
        let wait = |r: &RunResult| flow_result(r, "x").reverse_queueing_delay_s.unwrap();
        assert!(wait(&controlled) < part * wait(&delayed), "{acks}: {} {}", wait(&controlled), wait(&delayed));
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

/// Acknowledgements are lost for a moment, and more than ten seconds later the ratio is two again, whatever the window: the acknowledgement
/// that is on its way when a lower ratio is asked for may cover as many segments as the higher one allowed.
#[test]
fn the_ratio_returns_after_a_lost_acknowledgement() {
    for segments in [20, 29, 41, 59, 80] {
        let text = head(60.0, 40.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"100 Mbit/s\"\ndelay = \"50 ms\"\n"
            + "[[link]]\nname = \"b\"\nrate = \"100 Mbit/s\"\ndelay = \"50 ms\"\n\
               changes = [{ at = \"3 s\", loss = 0.3 }, { at = \"3.3 s\", loss = 0.0 }]\n"
            + &flow(
                "x",
                "kind = \"newreno\"",
                "f",
                "b",
                &format!("receive_window = \"{} B\"\ntcp = {{ ack_congestion_control = true }}", segments * 1000),
            );
        let r = result_of(&text);
        assert!(link(&r, "b").lost.unwrap() > 0, "{segments}: nothing was lost");
        let acks = link(&r, "b").ack_utilisation.unwrap() * 100e6 / 320.0;
        near(acks, flow_result(&r, "x").packets_per_s.unwrap() / 2.0, 0.06, &format!("acknowledgements, {segments}"));
    }
}
