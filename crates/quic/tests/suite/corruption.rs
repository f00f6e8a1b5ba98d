//! Links damage packets: TLS and the null session find it, the stack drops them, transfers complete.

use crate::networks;
use crate::tls;

use std::ops::ControlFlow;

use eddyline_quic::Crypto;
use eddyline_scenario::result::RunResult;
use eddyline_sim::Options;
use networks::{bottleneck, controllers, network};

/// A transfer of `megabytes` over links that both damage packets with this probability.
fn transfer(controller: &str, megabytes: u64, corrupt: f64, seed: u64, crypto: &Crypto) -> RunResult {
    let text = bottleneck(3600.0, controller, 60, &format!("size = \"{megabytes} MB\""));
    let text = format!("seed = {seed}\n{}", text.replace("delay =", &format!("corrupt = {corrupt}\ndelay =")));
    eddyline_quic::run_with(&network(&text), &Options::default(), crypto.clone(), &mut |_| ControlFlow::Continue(()))
        .unwrap_or_else(|e| panic!("{e}"))
        .result
}

/// One in a hundred, under TLS and every controller: what is damaged forward counts as lost, and nothing else is.
#[test]
fn damaged_packets_are_as_lost_ones() {
    let crypto = tls::crypto();
    for controller in controllers() {
        let result = transfer(&controller, 5, 0.01, 0, &crypto);
        let (flow, damaged) = (&result.flows[0], result.links[0].corrupted.expect("a count"));
        assert_eq!(flow.delivered_bytes, Some(5_000_000), "{controller}: {:?}", result.approximations);
        assert!(flow.completed_at_s.is_some(), "{controller}");
        assert_eq!(result.links[0].lost, Some(0), "{controller}");
        // the last may be damaged where nothing is left to be sent, and late acknowledgements look like losses
        let gone = damaged + result.links[0].drops.data.expect("a count");
        assert!(damaged > 20 && flow.retransmits.is_some_and(|n| n + 3 > gone), "{controller}: {gone} gone, {flow:?}");
    }
}

/// Heavy damage, from the first packet on: of each datagram any bit, headers that are not protected too.
#[test]
fn connections_survive_heavy_damage_or_say_why() {
    let mut completed = 0;
    for seed in 0..60 {
        let result = transfer("kind = \"cubic\"", 1, 0.3, seed, &Crypto::null());
        let flow = &result.flows[0];
        let failed = result.approximations.iter().any(|note| note.contains("connection was lost"));
        assert!(flow.completed_at_s.is_some() != failed, "{seed}: {flow:?} {:?}", result.approximations);
        completed += usize::from(!failed);
    }
    assert!(completed >= 57, "{completed} of 60");
}

/// The share that is damaged is the link's probability, within four standard deviations.
#[test]
fn the_share_of_damaged_packets_is_the_probability() {
    let result = transfer("kind = \"fast\", alpha = \"20 packets\"", 40, 0.01, 1, &Crypto::null());
    let sent = result.counters.packets_sent.expect("a count") as f64;
    let damaged: u64 = result.links.iter().filter_map(|link| link.corrupted).sum();
    let deviation = (sent * 0.01 * 0.99).sqrt();
    assert!((damaged as f64 - 0.01 * sent).abs() < 4.0 * deviation, "{damaged} of {sent}");
    assert_eq!(result.counters.packets_dropped, Some(damaged), "nothing else is dropped");
}
