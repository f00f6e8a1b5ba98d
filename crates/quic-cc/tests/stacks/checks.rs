//! What must hold with every stack. Links of 10 Mbit/s and 20 ms each way: 41 packets of 1,200 bytes fill them.

use std::sync::Arc;
use std::time::Duration;

use eddyline_quic_cc::cc::KINDS;
use eddyline_quic_cc::{Config, Receipts};

use super::stack;
use super::transfer::Transfer;
use crate::link::Link;

const RATE: f64 = 10e6;
const DELAY: Duration = Duration::from_millis(20);

fn link(buffer: usize) -> Link {
    Link::new(RATE, DELAY, buffer)
}

fn transfer(config: Config, up: Link, bytes: u64) -> Transfer {
    let mut transport = stack::transport();
    transport.congestion_controller_factory(Arc::new(stack::factory(config)));
    Transfer::new(transport, up, link(10_000), bytes)
}

/// Mean queue and goodput over some seconds after the start.
fn measure(transfer: &mut Transfer, seconds: u64) -> (f64, f64) {
    transfer.run(Duration::from_secs(10));
    transfer.up.take_mean_queue();
    let before = transfer.received;
    transfer.run(Duration::from_secs(seconds));
    (transfer.up.take_mean_queue(), (transfer.received - before) as f64 * 8.0 / seconds as f64)
}

#[test]
fn fast_keeps_alpha_packets_queued() {
    for alpha in [10.0, 40.0] {
        let config: Config = format!("fast(alpha = {alpha})").parse().unwrap();
        let mut transfer = transfer(config, link(1000), u64::MAX);
        let (queue, goodput) = measure(&mut transfer, 10);
        assert!((queue - alpha).abs() < 2.0, "alpha {alpha}: {queue:.1} packets queued");
        assert!(goodput > 0.94 * RATE, "{goodput:.0} bit/s");
        assert_eq!(transfer.up.drops, 0);
    }
}

#[test]
fn forward_delay_needs_and_uses_receipts() {
    let config: Config = "fast(alpha = 20, delay = forward)".parse().unwrap();
    let receipts = Receipts::new();
    let mut transfer = transfer(config.receipts(receipts.clone()), link(1000), u64::MAX);
    transfer.record(receipts);
    let (queue, _) = measure(&mut transfer, 8);
    assert!((queue - 20.0).abs() < 3.0, "{queue:.1} packets queued");
}

#[test]
fn every_kind_transfers_through_losses() {
    for kind in KINDS {
        let params: eddyline_quic_cc::cc::ControllerParams = serde_json::from_str(kind.example).unwrap();
        let mut up = link(50);
        up.lose_every = Some(997);
        let mut transfer = transfer(Config::new(params), up, 5_000_000);
        transfer.run(Duration::from_secs(60));
        assert!(transfer.finished, "{}: {} bytes after 60 s", kind.name, transfer.received);
        assert_eq!(transfer.received, 5_000_000);
    }
}

#[test]
fn marks_hold_the_queue_at_the_threshold() {
    let receipts = Receipts::new();
    let config = "dctcp".parse::<Config>().unwrap().receipts(receipts.clone());
    let mut up = link(1000);
    up.mark_from = 20;
    let mut transfer = transfer(config, up, u64::MAX);
    transfer.record(receipts);
    let (queue, goodput) = measure(&mut transfer, 10);
    assert!((10.0..24.0).contains(&queue), "{queue:.1} packets queued");
    assert!(goodput > 0.9 * RATE, "{goodput:.0} bit/s");
    assert_eq!(transfer.up.drops, 0, "marks instead of losses");
}

#[test]
fn marks_without_counts_are_as_losses() {
    let mut up = link(1000);
    up.mark_from = 40;
    let mut transfer = transfer("newreno".parse().unwrap(), up, u64::MAX);
    let (queue, goodput) = measure(&mut transfer, 10);
    assert!(queue < 41.0, "{queue:.1} packets queued");
    assert!(goodput > 0.9 * RATE, "{goodput:.0} bit/s");
    assert_eq!(transfer.up.drops, 0);
}
