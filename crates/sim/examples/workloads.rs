//! Benchmark workloads without the front: `workloads W1 [seconds]`.
use eddyline_cc::*;
use eddyline_scenario::network::*;
use eddyline_units::*;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

fn fast(alpha: f64) -> Arc<ControllerParams> {
    Arc::new(serde_json::from_str(&format!(r#"{{"kind":"fast","alpha":"{alpha} packets"}}"#)).unwrap())
}
fn other(k: &str) -> Arc<ControllerParams> {
    Arc::new(serde_json::from_str(&format!(r#"{{"kind":"{k}"}}"#)).unwrap())
}
fn link(name: &str, rate: u64, delay: Time, limit: &str) -> Link {
    Link {
        name: name.into(),
        rate: Rate::from_bps(rate),
        delay,
        queue: serde_json::from_str(&format!(r#"{{"kind":"droptail","limit":"{limit}"}}"#)).unwrap(),
        loss: Default::default(),
    }
}
fn flow(i: usize, c: Arc<ControllerParams>, data: &[u32], ack: &[u32], packet: u32) -> Flow {
    Flow {
        name: format!("f{i}"),
        controller: c,
        data: data.into(),
        ack: ack.into(),
        packet,
        header: 40,
        ack_packet: 40,
        access_data: Time::ZERO,
        access_ack: Time::ZERO,
        receive_window: None,
        tcp: TcpOptions {
            sack: true,
            initial_window: 10,
            min_rto: Time::from_ms(200),
            ack_every: 1,
            ack_timer: Time::from_ms(200),
            ecn: false,
            pacing: Pacing::Controller,
        },
        application: Application::Bulk,
        start: Time::ZERO,
        stop: None,
        size: None,
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (links, flows, secs) = match a[1].as_str() {
        "W1" => (
            vec![
                link("f", 100_000_000, Time::from_ms(10), "unlimited"),
                link("b", 100_000_000, Time::from_ms(10), "unlimited"),
            ],
            vec![
                flow(0, fast(300.), &[0], &[1], 1040),
                flow(1, fast(200.), &[0], &[1], 1040),
                flow(2, fast(100.), &[1], &[0], 1040),
            ],
            1000,
        ),
        "W2" => (
            vec![
                link("f", 1_000_000_000, Time::from_ms(90), "10000 packets"),
                link("b", 1_000_000_000, Time::from_ms(90), "10000 packets"),
            ],
            vec![flow(0, fast(2000.), &[0], &[1], 1500)],
            300,
        ),
        "W2R" => (
            vec![
                link("f", 1_000_000_000, Time::from_ms(90), "10000 packets"),
                link("b", 1_000_000_000, Time::from_ms(90), "10000 packets"),
            ],
            vec![flow(0, other("newreno"), &[0], &[1], 1500)],
            300,
        ),
        "W4" => (
            vec![
                link("f", 10_000_000_000, Time::from_ms(10), "20000 packets"),
                link("b", 10_000_000_000, Time::from_ms(10), "20000 packets"),
            ],
            (0..1000)
                .map(|i| {
                    let mut f = flow(i, fast(10.), &[0], &[1], 1500);
                    f.start = Time::from_ms(i as u64);
                    f
                })
                .collect(),
            10,
        ),
        "W5" => (
            (0..1000).map(|i| link(&format!("l{i}"), 100_000_000, Time::from_ms(5), "unlimited")).collect(),
            (0..100_000)
                .map(|i| {
                    let t = (i / 100) as u32;
                    let d: Vec<u32> = (0..4).map(|k| (t + k) % 1000).collect();
                    let k: Vec<u32> = (0..4).map(|k| (t + 996 + k) % 1000).collect();
                    let mut f = flow(i, fast(5.), &d, &k, 1500);
                    f.start = Time::from_ps(i as u64 * 10_000_000);
                    f
                })
                .collect(),
            10,
        ),
        _ => panic!(),
    };
    let secs = a.get(2).map_or(secs, |s| s.parse().unwrap());
    let n = Network {
        title: a[1].clone(),
        scenario_sha256: String::new(),
        duration: Time::SECOND * secs,
        warmup: Time::SECOND * (secs / 2),
        seed: 1,
        record_interval: Time::SECOND,
        links,
        flows,
        traffic: vec![],
        groups: vec![],
    };
    let t = Instant::now();
    let o = eddyline_sim::run(&n, &Default::default(), &mut |_| ControlFlow::Continue(())).unwrap();
    let e = t.elapsed().as_secs_f64();
    let c = o.result.counters;
    println!(
        "{}: {:?} {:.3} s, {:.2} M data packets/s, {:.1} ns/event, {:.2} events/data",
        a[1],
        c,
        e,
        c.data_packets_delivered.unwrap() as f64 / e / 1e6,
        e * 1e9 / c.events.unwrap() as f64,
        c.events.unwrap() as f64 / c.data_packets_delivered.unwrap() as f64
    );
    for f in o.result.flows.iter().take(4) {
        println!(
            "{} {:?} pk/s rtt {:?} w {:?} q {:?} retx {:?} to {:?} base {:?}",
            f.name,
            f.packets_per_s,
            f.rtt_s,
            f.window_packets,
            f.queueing_delay_s,
            f.retransmits,
            f.timeouts,
            f.base_rtt_s
        );
    }
    for l in o.result.links.iter().take(2) {
        println!(
            "{} util {:?} q {:?} {:?} drops {:?} share {:?}",
            l.name, l.utilisation, l.queue_packets, l.queueing_delay_s, l.drops, l.bottleneck_share
        );
    }
}
