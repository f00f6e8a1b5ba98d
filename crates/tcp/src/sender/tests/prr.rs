//! Proportional rate reduction: the examples of RFC 9937, section 8.

use super::super::prr::{Delivery, Prr};
use super::{Bench, Sent, new, resent};

const TWENTY: &str = "initial_window = 20";

/// Twenty segments out, the first `lost` of them lost: what each acknowledgement of the others, then of the two that the first
/// of these releases, sends; window and flight in packets before it sends.
fn burst(tcp: &str, lost: u64) -> Vec<(Vec<Sent>, u64)> {
    let mut bench = Bench::open(tcp);
    bench.sent();
    bench.wait_until(200);
    let acknowledge = |end: u64| {
        bench.ack(0, &[(lost, end)]);
        (bench.numbers(), bench.pipe() / 1000)
    };
    (lost + 1..=22).map(acknowledge).collect()
}

/// Positions in the RFC's line of acknowledgements at which something is sent.
fn positions(all: &[(Vec<Sent>, u64)], first: u64) -> Vec<u64> {
    all.iter().zip(first..).filter(|((sent, _), _)| !sent.is_empty()).map(|(_, n)| n).collect()
}

/// Figure 1: one loss. Half a window of silence without PRR, every other acknowledgement with it; in flight at the end as
/// many as the threshold. One step differs from the figure: on acknowledgement 19 ten segments are in flight, which is the
/// threshold and not above it, so the steps of section 6.2 send nothing; the figure has that segment there, here it follows
/// acknowledgement 20.
#[test]
fn a_single_loss() {
    let silent = burst(TWENTY, 1);
    assert_eq!(positions(&silent, 1), [1, 2, 3, 13, 14, 15, 16, 17, 18, 19, 20, 21]);
    let spread = burst(&format!("{TWENTY}, prr = true"), 1);
    assert_eq!(positions(&spread, 1), [1, 2, 3, 5, 7, 9, 11, 13, 15, 17, 20, 21]);
    assert_eq!(spread[2].0, [resent(0)], "the third is the retransmission");
    assert!(spread.iter().all(|(sent, _)| sent.len() <= 1));
    let flights: Vec<u64> = spread.iter().map(|(_, flight)| *flight).collect();
    // the RFC's "cwnd" where something is sent, "inflight" where nothing is
    assert_eq!(flights, [20, 20, 19, 18, 18, 17, 17, 16, 16, 15, 15, 14, 14, 13, 13, 12, 12, 11, 10, 10, 10]);
    assert_eq!(silent.last().unwrap().1, 10);
}

/// The acknowledgement that ends recovery sends what the window allows.
#[test]
fn the_end_of_recovery() {
    for tcp in [TWENTY.to_owned(), format!("{TWENTY}, prr = true")] {
        let mut bench = Bench::open(&tcp);
        bench.wait_until(200);
        (2..=22).for_each(|end| bench.ack(0, &[(1, end)]));
        bench.sent();
        bench.ack(22, &[]);
        assert_eq!(bench.window(), 10.1, "half, and the first step of congestion avoidance");
        assert_eq!(bench.numbers().len(), 1, "{tcp}");
        assert_eq!(bench.pipe(), 10_000, "{tcp}");
    }
}

/// Figure 2: fifteen losses. Six retransmissions at once without PRR, one for each acknowledgement with it.
#[test]
fn a_burst_of_losses() {
    let counts = |tcp: &str| burst(tcp, 15).iter().take(5).map(|(sent, _)| sent.len()).collect::<Vec<_>>();
    assert_eq!(counts(TWENTY), [1, 1, 6, 1, 1]);
    assert_eq!(counts(&format!("{TWENTY}, prr = true")), [1, 1, 1, 1, 1]);
    let all = burst(&format!("{TWENTY}, prr = true"), 15);
    assert_eq!(all[2], (vec![resent(0)], 5), "cwnd 5, inflight 4");
    assert_eq!(all[4], (vec![resent(2)], 5));
}

/// When retransmissions are acknowledged the bound allows one segment more for each (PRR-SSRB), up to the threshold.
#[test]
fn slow_start_in_recovery_up_to_the_threshold() {
    let mut bench = Bench::open(&format!("{TWENTY}, prr = true"));
    bench.wait_until(200);
    (16..=22).for_each(|end| bench.ack(0, &[(15, end)]));
    bench.sent();
    // 22 sent, 7 selectively acknowledged, 15 lost, 5 of these retransmitted
    assert_eq!(bench.pipe(), 5_000);
    let mut flights = Vec::new();
    for number in 1..=7 {
        bench.ack(number, &[(15, 22)]);
        flights.push((bench.numbers().len(), bench.pipe() / 1000));
    }
    assert_eq!(flights, [(2, 6), (2, 7), (2, 8), (2, 9), (2, 10), (1, 10), (1, 10)]);
}

/// After a mark the window is reduced in the same way (RFC 9937, 6: a step reduction from ECN).
#[test]
fn after_a_mark() {
    let mut bench = Bench::open(&format!("{TWENTY}, prr = true, ecn = true"));
    bench.sent();
    bench.wait_until(200);
    bench.ack_with(1, &[], |ack| ack.flags.set_ece(true));
    assert_eq!(bench.window(), 10.0);
    let mut sent = bench.numbers();
    let mut windows = vec![bench.sender.window_packets()];
    for number in 2..=20 {
        bench.ack(number, &[]);
        sent.extend(bench.numbers());
        assert!(bench.pipe() <= 1000 * (20 - number / 2), "{number}");
        windows.push(bench.sender.window_packets());
        assert_eq!(Some(&bench.sender.decisions().window), windows.last(), "{number}");
    }
    // cwnd = inflight + SndCnt (6.2): one packet less for every two that are acknowledged, not half of it at once
    let halving: Vec<f64> = (1..=18).map(|acked| f64::from(20 - acked / 2)).collect();
    assert_eq!(windows[..18], halving);
    assert_eq!(windows[18..], [10.0, 10.1], "the target, and growth from there after the round trip");
    let ten: Vec<Sent> = (20..30).map(new).collect();
    assert_eq!(sent, ten, "ten in the round trip of twenty acknowledgements");
}

/// A full NIC queue reduces the window without an acknowledgement: it is what is in flight until one comes.
#[test]
fn a_reduction_that_no_acknowledgement_caused() {
    let mut prr = Prr::new(1000);
    assert_eq!(prr.window(), None);
    prr.begin(10_000, 20_000, 30_000);
    assert_eq!((prr.limit(), prr.window()), (Some(u64::MAX), Some(20_000)));
    prr.on_ack(1_000, &Delivery { bytes: 1_000, in_flight: 19_000, safe: true });
    // 10 of 21 parts of what is delivered, in whole segments: one
    assert_eq!((prr.limit(), prr.window()), (Some(20_000), Some(20_000)));
    prr.on_sent(1_000);
    prr.on_ack(2_000, &Delivery { bytes: 1_000, in_flight: 19_000, safe: true });
    assert_eq!(prr.window(), Some(19_000));
    prr.on_ack(30_000, &Delivery { bytes: 19_000, in_flight: 9_000, safe: true });
    assert_eq!(prr.window(), None, "over");
}

/// An acknowledgement may show a loss and deliver nothing: a segment may be sent then, and later ones go by what is delivered.
#[test]
fn a_loss_without_delivery() {
    let mut prr = Prr::new(1000);
    prr.begin(10_000, 20_000, 30_000);
    let nothing = Delivery { bytes: 0, in_flight: 19_000, safe: false };
    prr.on_ack(1_000, &nothing);
    assert_eq!(prr.limit(), Some(20_000));
    prr.on_sent(1_000);
    // the next one that delivers nothing allows no more
    prr.on_ack(1_000, &Delivery { in_flight: 18_000, ..nothing });
    assert_eq!(prr.limit(), Some(20_000));
    // 10 of 22 parts of what is delivered, which is less than was sent
    prr.on_ack(1_000, &Delivery { bytes: 2_000, in_flight: 18_000, safe: false });
    assert_eq!(prr.limit(), Some(18_000));
}
