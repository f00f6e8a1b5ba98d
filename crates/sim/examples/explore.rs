//! exploratory
use eddyline_cc::*;
use eddyline_path::random::Stream;
use eddyline_scenario::network::*;
use eddyline_units::*;
use std::ops::ControlFlow;
use std::sync::Arc;
fn fast(alpha: f64, extra: &str) -> Arc<ControllerParams> {
    Arc::new(serde_json::from_str(&format!(r#"{{"kind":"fast","alpha":"{alpha} packets"{extra}}}"#)).unwrap())
}
fn link(name: &str, rate: u64, delay: Time) -> Link {
    Link { name: name.into(), rate: Rate::from_bps(rate), delay, queue: Default::default(), loss: Default::default() }
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
            pacing: if std::env::var("ACK").is_ok() { Pacing::Off } else { Pacing::Controller },
        },
        application: Application::Bulk,
        start: Time::ZERO,
        stop: None,
        size: None,
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let rounds: f64 = a.get(1).map_or(60.0, |s| s.parse().unwrap());
    let extra = a.get(2).cloned().unwrap_or(r#","base_rtt":"known""#.into());
    let verbose = a.len() > 3;
    let mut s = Stream::new(7, "cases", "explore");
    let mut worst = vec![];
    let lg = |s: &mut Stream, lo: f64, hi: f64| lo * (hi / lo).powf(s.uniform());
    let mut n = 0;
    while n < 200 {
        let c_f = lg(&mut s, 1e6, 500e6).round();
        let asym = lg(&mut s, 1.0, 100.0);
        let c_b = if s.uniform() < 0.5 { c_f / asym } else { c_f * asym }.round();
        let d = lg(&mut s, 2e-3, 0.2);
        let nf = 1 + (s.uniform() * 3.0) as usize;
        let nb = (s.uniform() * 3.0) as usize;
        let alphas: Vec<f64> = (0..nf + nb).map(|_| lg(&mut s, 20.0, 500.0).round()).collect();
        if !(1e6..=500e6).contains(&c_b) {
            continue;
        }
        let (p, k) = (1040.0 * 8.0, 320.0);
        let sf: f64 = alphas[..nf].iter().sum();
        let sb: f64 = alphas[nf..].iter().sum();
        let (lf, lb) = ((sf * p + sb * k) / c_f, (sb * p + sf * k) / c_b);
        if (lf / lb).ln().abs() < 0.2 {
            continue;
        }
        n += 1;
        let q = lf.max(lb);
        let rtt = d + q;
        let dur = rounds * rtt;
        let half = Time::from_secs_f64(d / 2.0);
        let mut flows = vec![];
        for (i, al) in alphas.iter().enumerate() {
            let (x, y) = if i < nf { (0, 1) } else { (1, 0) };
            flows.push(flow(i, fast(*al, &extra), &[x], &[y], 1040));
        }
        let net = Network {
            title: String::new(),
            scenario_sha256: String::new(),
            duration: Time::from_secs_f64(dur),
            warmup: Time::from_secs_f64(dur / 2.0),
            seed: 1,
            record_interval: Time::SECOND,
            links: vec![link("f", c_f as u64, half), link("b", c_b as u64, half)],
            flows,
            traffic: vec![],
            groups: vec![],
        };
        let o = eddyline_sim::run(&net, &Default::default(), &mut |_| ControlFlow::Continue(())).unwrap();
        let dev = o
            .result
            .flows
            .iter()
            .zip(&alphas)
            .map(|(f, al)| f.packets_per_s.unwrap_or(0.0) / (al / q) - 1.0)
            .fold(0.0f64, |m, d| if d.abs() > m.abs() { d } else { m });
        worst.push(dev.abs());

        if verbose && dev.abs() > 0.01 {
            println!(
                "{dev:+.4} cF {c_f:.3e} cB {c_b:.3e} d {:.1}ms q {:.2}ms alphas {alphas:?} nf {nf} lf/lb {:.2} conv {:.3} devs {:?}",
                d * 1e3,
                q * 1e3,
                lf / lb,
                q / rtt,
                o.result
                    .flows
                    .iter()
                    .zip(&alphas)
                    .map(|(f, al)| ((f.packets_per_s.unwrap_or(0.0) / (al / q) - 1.0) * 1e4).round() / 1e4)
                    .collect::<Vec<_>>()
            );
        }
    }
    worst.sort_by(|a, b| a.total_cmp(b));
    println!(
        "median {:.5} p90 {:.5} p95 {:.5} p98 {:.5} max {:.5}; within 1%: {}",
        worst[100],
        worst[180],
        worst[190],
        worst[196],
        worst[199],
        worst.iter().filter(|w| **w < 0.01).count()
    );
}
