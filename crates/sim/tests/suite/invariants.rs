//! Invariants of every run, on random scenarios: conservation, queues within their limits, delivery in order and complete,
//! and identical results of both kinds of link. `EDDYLINE_CASES` sets the number of scenarios.

use crate::drawn_scenarios;
use crate::scenarios;

use drawn_scenarios::draw;
use eddyline_cc::KINDS as CONTROLLERS;
use eddyline_path::queue::Limit;
use eddyline_scenario::Network;
use eddyline_sim::Options;
use scenarios::{network, outcome};

fn number_of_cases(usual: u64) -> u64 {
    std::env::var("EDDYLINE_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(usual)
}

/// The scenarios of `n` seeds that the loader accepts; it rejects a byte limit below the largest packet.
fn drawn(n: u64) -> impl Iterator<Item = (u64, String, Network)> {
    (0..n).filter_map(|seed| {
        let text = draw(seed);
        let input =
            eddyline_scenario::Input { text: &text, format: eddyline_scenario::Format::Toml, name: "t", folder: None };
        eddyline_scenario::load(&input, &[]).ok().map(|s| (seed, text, s.network))
    })
}

#[test]
fn every_run_conserves_and_both_kinds_of_link_agree() {
    let (mut cases, mut damaged_packets) = (0, 0);
    for (seed, text, network) in drawn(number_of_cases(400)) {
        cases += 1;
        let fast = outcome(&network, &Options::default()).result;
        let n = fast.counters;
        let accounted = n.packets_delivered.unwrap() + n.packets_dropped.unwrap() + n.packets_in_flight.unwrap();
        assert_eq!(n.packets_sent, Some(accounted), "{seed}: {text}");
        let per_link: u64 = fast
            .links
            .iter()
            .map(|l| l.lost.unwrap() + l.drops.data.unwrap() + l.drops.ack.unwrap() + l.drops.cross.unwrap())
            .sum();
        // a damaged packet is dropped at the end of its path, unless it is lost, dropped or damaged again before
        let damaged = fast.links.iter().filter_map(|l| l.corrupted).sum::<u64>();
        let dropped = n.packets_dropped.unwrap();
        assert!((per_link..=per_link + damaged).contains(&dropped), "{seed}: {per_link}, {damaged}, {dropped}");
        damaged_packets += dropped - per_link;
        for (l, spec) in fast.links.iter().zip(&network.links) {
            let (packets, bytes) = (l.queue_packets.max.unwrap(), l.queue_bytes.max.unwrap());
            match spec.queue.limit() {
                Limit::Packets(max) => assert!(packets <= max as f64, "{seed}: {l:?}"),
                Limit::Bytes(max) => assert!(bytes <= max as f64, "{seed}: {l:?}"),
                Limit::Cells(max) => assert!(bytes <= 48.0 * max as f64, "{seed}: {l:?}"),
                Limit::Unlimited => {}
            }
            assert!(
                l.queue_packets.mean.unwrap() <= packets + 1e-9 && l.queue_packets.mean.unwrap() >= 0.0,
                "{seed}: {l:?}"
            );
        }
        for (f, spec) in fast.flows.iter().zip(&network.flows) {
            let delivered = f.delivered_bytes.unwrap();
            assert!(spec.size.is_none_or(|size| delivered <= size), "{seed}: {f:?}");
            if f.completed_at_s.is_some() && spec.stop.is_none() {
                assert_eq!(Some(delivered), spec.size, "{seed}: {f:?}");
            }
            // while PRR reduces the window it is what may be in flight, a segment at least
            let floor: f64 = if spec.controller.fast_law().is_some() && !spec.tcp.prr { 2.0 } else { 1.0 };
            assert!(
                f.window_packets.min.is_none_or(|w| w >= floor.min(f64::from(spec.tcp.initial_window))),
                "{seed}: {f:?}"
            );
            // out-of-order data received before the warm-up ends counts as goodput once a retransmission fills the gap after it
            let ordered = f.retransmits == Some(0);
            // the payload of a packet that is arriving as the warm-up ends counts in full, its bits in part
            let end = f.completed_at_s.unwrap_or(network.duration.as_secs_f64());
            let alive = end - network.warmup.max(spec.start).as_secs_f64();
            let partial = f64::from(spec.packet) * 8.0 / alive;
            let most = |throughput: f64| throughput * (1.0 + 1e-12) + partial;
            assert!(!ordered || f.goodput_bps.is_none_or(|g| g <= most(f.throughput_bps.unwrap())), "{seed}: {f:?}");
        }
        let mut general = outcome(&network, &Options { general_queues: true, ..Options::default() }).result;
        general.counters.events = n.events;
        assert_eq!(fast, general, "{seed}: {text}");
    }
    assert!(cases > 100, "the loader rejects most draws");
    assert!(damaged_packets > 100, "{damaged_packets} damaged packets");
}

#[test]
fn recording_changes_nothing() {
    for (seed, _, network) in drawn(number_of_cases(40)) {
        let plain = outcome(&network, &Options::default()).result;
        let options = Options { series: true, packet_log: Some(eddyline_sim::LogSelection::All), ..Options::default() };
        let recorded = outcome(&network, &options);
        assert_eq!(plain, recorded.result, "{seed}");
        let log = recorded.log.unwrap();
        assert!(log.time_s.is_sorted(), "{seed}: events in time order");
        let sends = log.event.iter().filter(|e| **e == eddyline_sim::LogEvent::Send as u8).count();
        assert_eq!(Some(sends as u64), plain.counters.packets_sent, "{seed}");
    }
}

/// One megabyte through 30 % loss both ways, within two hours of simulated time.
#[test]
fn every_transfer_completes_under_heavy_loss() {
    for kind in CONTROLLERS {
        // the options act independently of the window law, so only these kinds run all of them
        let options = if ["reno", "newreno", "fast"].contains(&kind.name) { 6 } else { 2 };
        for tcp in
            ["", "sack = false", "prr = true", "rack = true", "frto = true", "rack = true, prr = true, frto = true"]
                .into_iter()
                .take(options)
        {
            for seed in 0..4 {
                let controller = kind.example.replace("\": ", "\" = ");
                let text = format!(
                    "duration = \"2 h\"\nseed = {seed}\n\
                     [[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nloss = 0.3\n\
                     [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nloss = 0.3\n\
                     [[flow]]\nname = \"x\"\ncontroller = {controller}\ndata = [\"f\"]\nack = [\"b\"]\n\
                     size = \"1 MB\"\ntcp = {{ {tcp} }}\n"
                );
                let r = outcome(&network(&text), &Options::default()).result;
                let x = &r.flows[0];
                assert_eq!(x.delivered_bytes, Some(1_000_000), "{}, {tcp}, seed {seed}: {x:?}", kind.name);
                assert!(x.completed_at_s.is_some(), "{}, {tcp}, seed {seed}: {x:?}", kind.name);
            }
        }
    }
}
