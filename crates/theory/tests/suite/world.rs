//! World `theory`: a scenario in, the common result type out.

use crate::common;

use std::sync::Arc;

use common::{all_close, between, close, fast, fast_flow, link, log_uniform, network, numbers, values};
use eddyline_cc::{BaseRttSource, ControllerParams, Delay, FastParams};
use eddyline_path::framing::Encapsulation;
use eddyline_path::link::ReconstructParams;
use eddyline_path::loss::{LossParams, LossPattern};
use eddyline_path::queue::{CodelParams, DropTailParams, Limit, QueueParams};
use eddyline_path::random::Stream;
use eddyline_path::traffic::{CbrParams, PoissonParams, TrafficParams};
use eddyline_path::variation::{Conditions, JitterParams, OutageParams, PolicerParams};
use eddyline_scenario::Network;
use eddyline_scenario::network::{Group, Medium, Traffic};
use eddyline_scenario::result::RunResult;
use eddyline_scenario::series::{LINK, Quantity};
use eddyline_theory::closed_form::{Direction, DuplexFlow, data_utilisation};
use eddyline_theory::{
    TheoryError, dynamics, equilibria, equilibria_document, modelled_flows, run, run_beside_dynamics, run_with_base_rtt,
};
use eddyline_units::{Bytes, Packets, Rate, Time};

/// Example 3 of the two-way paper.
fn example_3() -> Network {
    network(
        vec![link("forward", 100_000_000, 10), link("backward", 10_000_000, 10)],
        vec![fast_flow("flow 1", 100.0, &[0], &[1]), fast_flow("flow 2", 30.0, &[1], &[0])],
    )
}

fn cbr(name: &str, bps: u64, path: &[u32]) -> Traffic {
    Traffic {
        name: name.to_owned(),
        path: path.into(),
        host: 0,
        packet: 1000,
        model: TrafficParams::Cbr(CbrParams { rate: Rate::from_bps(bps) }),
        start: Time::ZERO,
        stop: None,
        trace: None,
    }
}

fn reno() -> Arc<ControllerParams> {
    Arc::new(serde_json::from_str(r#"{"kind": "reno"}"#).expect("reno has defaults"))
}

fn assert_approximation(result: &RunResult, text: &str) {
    assert!(result.approximations.iter().any(|a| a.contains(text)), "no {text:?} in {:?}", result.approximations);
}

#[test]
fn every_number_of_example_3() {
    let v = &values(include_str!("data/two_way_examples.json"))["3"];
    let r = run(&example_3()).expect("answered");
    assert_eq!((r.world.as_str(), r.approximations.len()), ("theory", 0));
    let x: Vec<f64> = r.flows.iter().map(|f| f.packets_per_s.expect("known")).collect();
    all_close(&x, &numbers(&v["x"]), 1e-9);
    let windows: Vec<f64> = r.flows.iter().map(|f| f.window_packets.mean.expect("known")).collect();
    all_close(&windows, &numbers(&v["w"]), 1e-9);
    let (q, f, b) = (0.0272, &r.flows[0], &r.links[1]);
    close(f.throughput_bps.expect("known"), x[0] * 8000.0, 1e-12);
    close(f.goodput_bps.expect("known"), x[0] * 7680.0, 1e-12);
    close(f.base_rtt_s.expect("known"), 0.02, 1e-12);
    close(f.queueing_delay_s.expect("known"), q, 1e-9);
    assert_eq!(f.forward_queueing_delay_s, Some(0.0));
    close(f.reverse_queueing_delay_s.expect("known"), q, 1e-9);
    // propagation, queueing, a data packet at 100 Mbit/s, an acknowledgement at 10 Mbit/s
    close(f.rtt_s.mean.expect("known"), 0.02 + q + 8e-5 + 3.2e-5, 1e-9);
    assert_eq!((f.rtt_s.min, f.ack_compression, f.delivered_bytes, f.timeouts), (None, None, None, None));
    close(b.utilisation.expect("known"), 1.0, 1e-9);
    close(b.data_utilisation.expect("known"), 0.8823529411764706, 1e-9);
    close(b.goodput_utilisation.expect("known"), 0.8823529411764706 * 0.96, 1e-9);
    close(b.ack_utilisation.expect("known"), 1.0 - 0.8823529411764706, 1e-9);
    close(b.queueing_delay_s.mean.expect("known"), q, 1e-9);
    // 100 acknowledgements and 30 data packets wait: the alphas
    close(b.queue_packets.mean.expect("known"), 130.0, 1e-9);
    close(b.queue_bytes.mean.expect("known"), 100.0 * 40.0 + 30.0 * 1000.0, 1e-9);
    assert_eq!((b.bottleneck, r.links[0].bottleneck), (Some(true), Some(false)));
    assert_eq!((b.bottleneck_share, r.links[0].queue_packets.mean), (None, Some(0.0)));
    close(r.links[0].utilisation.expect("known"), 0.29764705882352943, 1e-9);
    let note = r.theory.expect("a note");
    assert_eq!(note.method, "closed form");
    assert!(note.residual.expect("known") < 1e-12);
    assert_eq!(note.prices_s[0], Some(0.0));
}

#[test]
fn exact_balance_leaves_the_delays_undetermined() {
    let balanced = network(
        vec![link("forward", 10_000_000, 1), link("backward", 10_000_000, 1)],
        vec![fast_flow("flow 1", 30.0, &[0], &[1]), fast_flow("flow 2", 30.0, &[1], &[0])],
    );
    let r = run(&balanced).expect("answered");
    for f in &r.flows {
        close(f.packets_per_s.expect("known"), 1201.923076923077, 1e-9);
        close(f.queueing_delay_s.expect("known"), 0.02496, 1e-9);
        assert_eq!((f.forward_queueing_delay_s, f.reverse_queueing_delay_s), (None, None));
    }
    for l in &r.links {
        assert_eq!((l.bottleneck, l.queueing_delay_s.mean, l.queue_packets.mean), (Some(true), None, None));
        close(l.utilisation.expect("known"), 1.0, 1e-9);
    }
    assert_eq!(r.theory.expect("a note").prices_s, [None, None]);
}

#[test]
fn utilisation_is_that_of_equations_8_and_9() {
    let mut random = Stream::new(1, "utilisation", "test");
    for _ in 0..100 {
        let (cf, cb) = (log_uniform(&mut random, 1e6, 1e9) as u64, log_uniform(&mut random, 1e6, 1e9) as u64);
        let (mut flows, mut duplex) = (Vec::new(), Vec::new());
        for i in 0..5 {
            let forward = random.uniform() < 0.5;
            let (data, ack) = if forward { (0, 1) } else { (1, 0) };
            let alpha = log_uniform(&mut random, 10.0, 1000.0);
            let mut flow = fast_flow(&format!("{i}"), alpha, &[data], &[ack]);
            flow.packet = between(&mut random, 100.0, 1500.0) as u32;
            flow.tcp.ack_every = 1 + i % 2;
            duplex.push(DuplexFlow {
                alpha,
                packet_bits: 8.0 * f64::from(flow.packet),
                ack_bits: 320.0 / f64::from(flow.tcp.ack_every),
                direction: if forward { Direction::Forward } else { Direction::Backward },
            });
            flows.push(flow);
        }
        let r = run(&network(vec![link("f", cf, 1), link("b", cb, 1)], flows)).expect("answered");
        let got: Vec<f64> = r.links.iter().map(|l| l.data_utilisation.expect("known")).collect();
        all_close(&got, &data_utilisation(&duplex, cf as f64, cb as f64), 1e-9);
    }
}

#[test]
fn a_late_joiner_that_mistakes_the_queue_for_propagation() {
    let mut late = network(
        vec![link("forward", 100_000_000, 10), link("backward", 100_000_000, 10)],
        vec![fast_flow("first", 200.0, &[0], &[1]), fast_flow("second", 200.0, &[0], &[1])],
    );
    late.flows[1].start = Time::SECOND;
    let honest = run(&late).expect("answered");
    assert_approximation(&honest, "flow second: starts after others and estimates the base round-trip time");
    // minimum samples: propagation and transmission, for the second the first's queue too
    let own = 8e-5 + 3.2e-6;
    let r = run_with_base_rtt(&late, &[0.02 + own, 0.02 + own + 0.016]).expect("answered");
    let shares: Vec<f64> = r.flows.iter().map(|f| f.packets_per_s.expect("known") / 12_500.0).collect();
    all_close(&shares, &[0.381_966_011_250_105_1, 0.618_033_988_749_894_9], 1e-9);
    let second = &r.flows[1];
    close(second.base_rtt_s.expect("given"), 0.036 + own, 1e-12);
    // x RTT, the same as alpha + x baseRTT
    let product = second.packets_per_s.expect("known") * second.rtt_s.mean.expect("known");
    close(second.window_packets.mean.expect("known"), product, 1e-9);
    assert!(r.approximations.is_empty());
    assert!(matches!(run_with_base_rtt(&late, &[0.02]), Err(TheoryError::Length { .. })));
    assert!(matches!(run_with_base_rtt(&late, &[0.02, f64::NAN]), Err(TheoryError::OutOfRange { .. })));
}

#[test]
fn flows_without_a_model_are_null() {
    let mut mixed = example_3();
    mixed.links.push(link("elsewhere", 1_000_000, 1));
    mixed.flows.push(fast_flow("other", 1.0, &[2], &[0]));
    mixed.flows[2].controller = reno();
    assert_eq!(modelled_flows(&mixed), [0, 1]);
    let r = run(&mixed).expect("answered");
    assert_approximation(&r, "no model of reno: flow other");
    let other = &r.flows[2];
    assert_eq!((other.controller.as_str(), other.packets_per_s, other.rtt_s.mean), ("reno", None, None));
    // its acknowledgements cross the first link, the first two flows that one and the second: nothing is known of any
    assert!(r.flows.iter().all(|f| f.packets_per_s.is_none()));
    assert!(r.links.iter().all(|l| l.utilisation.is_none() && l.bottleneck.is_none()));
    assert!(r.theory.expect("a note").prices_s.iter().all(Option::is_none));
    // on links of its own it does not affect the others
    mixed.links.push(link("and back", 1_000_000, 1));
    mixed.flows[2].ack = vec![3].into();
    let r = run(&mixed).expect("answered");
    close(r.flows[0].packets_per_s.expect("known"), 3676.470588235294, 1e-9);
    assert_eq!((r.links[2].utilisation, r.links[2].bottleneck), (None, None));
    assert!(r.links[0].utilisation.is_some() && r.links[1].utilisation.is_some());
    let document = equilibria_document(&mixed).expect("answered");
    assert_eq!(document.unique, None);
    assert!(document.notes.iter().any(|n| n.contains("no model of reno: flow other")), "{:?}", document.notes);
    let [at] = &document.equilibria[..] else { panic!("one equilibrium") };
    assert_eq!((at.flows.len(), at.links[0].bottleneck, at.links[2].utilisation), (2, Some(false), None));
    assert_eq!(equilibria(&mixed).expect("solved").found[0].rates.len(), 2);

    mixed.flows.iter_mut().for_each(|f| f.controller = reno());
    let r = run(&mixed).expect("answered");
    assert!(r.flows.iter().all(|f| f.packets_per_s.is_none()));
    assert!(r.links.iter().all(|l| l.utilisation.is_none()));
    assert_eq!(r.theory.expect("a note").residual, None);
    assert!(matches!(equilibria_document(&mixed), Err(TheoryError::NoModel { .. })));
}

/// Where nothing is known of any flow, the cause is named, and not a flow that theory has a model of.
#[test]
fn what_hides_all_flows_is_named() {
    let mut net = example_3();
    net.flows.push(fast_flow("other", 1.0, &[0], &[1]));
    net.flows[2].controller = reno();
    let refused = |net: &Network| equilibria_document(net).expect_err("nothing is known").to_string();
    assert_eq!(refused(&net), "theory has no model of reno, which other uses");
    let read = run(&net).expect("answered");
    assert!(!read.approximations.iter().any(|a| a.contains("min_window")), "{:?}", read.approximations);
    net.links[0].loss = LossParams::Independent(1e-7);
    // FAST gives way in a drop-tail queue
    assert!(equilibria_document(&net).is_ok());
    net.links[0].queue = QueueParams::Codel(CodelParams::default());
    assert!(
        refused(&net).starts_with("the loss given on the path of other would let its window grow"),
        "{}",
        refused(&net)
    );
    net.flows.pop();
    net.traffic.push(cbr("film", 1_000, &[0, 1]));
    net.traffic[0].model =
        serde_json::from_str(r#"{"kind": "trace", "file": "film.dat"}"#).expect("the rest has defaults");
    assert_eq!(refused(&net), "theory does not know the mean rate of film, and so nothing of the flows on its links");
}

#[test]
fn constant_traffic_takes_its_share_or_too_much() {
    let mut busy = example_3();
    busy.traffic.push(cbr("film", 1_305_440, &[1]));
    let r = run(&busy).expect("answered");
    let x: Vec<f64> = r.flows.iter().map(|f| f.packets_per_s.expect("known")).collect();
    all_close(&x, &numbers(&values(include_str!("data/vbr_theory.json"))["x"]), 1e-9);
    close(r.links[1].utilisation.expect("known"), 1.0, 1e-9);
    let sum = r.links[1].data_utilisation.expect("known") + r.links[1].ack_utilisation.expect("known");
    close(sum, 1.0 - 0.130_544, 1e-9);

    assert!(!r.approximations.iter().any(|a| a.contains("traffic")), "{r:?}");
    busy.traffic[0].model = TrafficParams::Poisson(PoissonParams { rate: Rate::from_bps(1_305_440) });
    let random = run(&busy).expect("answered");
    assert_eq!(random.links[1].utilisation, r.links[1].utilisation);
    assert_approximation(&random, "traffic film: the mean rate counts, without the queues");

    busy.traffic[0].start = Time::from_ms(50_000);
    assert_approximation(&run(&busy).expect("answered"), "traffic film: sends during a part of the window only");
    busy.traffic[0].stop = Some(Time::from_ms(60_000));
    busy.traffic[0].model = TrafficParams::Cbr(CbrParams { rate: Rate::from_bps(10_000_000) });
    let error = run(&busy).expect_err("no equilibrium");
    assert!(error.to_string().contains("link backward"), "{error}");
    // over before the summary begins
    (busy.traffic[0].start, busy.traffic[0].stop) = (Time::ZERO, Some(Time::from_ms(1000)));
    close(run(&busy).expect("answered").flows[0].packets_per_s.expect("known"), 3676.470588235294, 1e-9);

    let mut flood = network(vec![link("only", 1_000_000, 1)], Vec::new());
    flood.traffic.push(cbr("flood", 2_000_000, &[0]));
    let r = run(&flood).expect("answered");
    assert_approximation(&r, "link only: traffic offers");
    assert_eq!((r.links[0].utilisation, r.links[0].queue_packets.mean), (Some(1.0), None));
}

/// 12 Mbit/s for a tenth of a second have no equilibrium on 10, and dynamics that need none: the queue grows by what exceeds
/// the link's rate and is emptied again.
#[test]
fn dynamics_need_no_equilibrium() {
    let mut burst = network(
        vec![link("up", 10_000_000, 10), link("down", 10_000_000, 10)],
        vec![fast_flow("steady", 30.0, &[0], &[1])],
    );
    (burst.duration, burst.warmup) = (Time::from_ms(20_000), Time::from_ms(2_000));
    let mut traffic = cbr("burst", 12_000_000, &[0]);
    (traffic.start, traffic.stop) = (Time::from_ms(8_000), Some(Time::from_ms(8_100)));
    burst.traffic.push(traffic);
    assert!(matches!(run(&burst), Err(TheoryError::Overload { .. })));
    let r = run_beside_dynamics(&burst, None).expect("without values");
    assert_eq!((r.flows[0].packets_per_s, r.links[0].utilisation, r.links.len()), (None, None, 2));
    assert_approximation(&r, "there is no equilibrium; what the equilibrium would say reads null");
    let d = dynamics(&burst, &Default::default()).expect("followed");
    // all that arrives in the burst above the link's rate waits, and what the flow sends meanwhile
    let queue = d.series.of(LINK, 0, Quantity::QueueBytes);
    let at = |t: f64| queue.iter().find(|row| (row.0 - t).abs() < 1e-9).expect("recorded").1;
    let grown = at(8.1) - at(8.0);
    assert!(grown > 0.1 * 2e6 / 8.0 && grown < 0.1 * 12e6 / 8.0, "{grown}");
    close(at(20.0), 30_000.0, 0.05);
    // where there is one it is that of the run
    burst.traffic.clear();
    assert_eq!(run_beside_dynamics(&burst, None), run(&burst));
}

#[test]
fn features_that_are_not_modelled_are_reported() {
    let mut asked = example_3();
    asked.flows[0].size = Some(1_000_000);
    asked.flows[1].stop = Some(Time::from_ms(50_000));
    asked.flows[0].receive_window = Some(64_000);
    asked.links[0].loss = LossParams::Independent(0.01);
    asked.links[1].queue = QueueParams::DropTail(DropTailParams { limit: Limit::Packets(100) });
    let r = run(&asked).expect("answered");
    assert_approximation(&r, "flow flow 1: ends with its size, the equilibrium has");
    assert_approximation(&r, "flow flow 2: stops before the end, the equilibrium has");
    assert_approximation(&r, "flow flow 1: the receive window is below");
    assert_approximation(&r, "link forward: loss is not modelled");
    assert_approximation(
        &r,
        "link backward: the queue of equilibrium, 130.0 packets, would overflow its limit of 100 packets",
    );
    asked.links[1].queue = QueueParams::DropTail(DropTailParams { limit: Limit::Packets(130) });
    let quiet = run(&asked).expect("answered");
    assert!(!quiet.approximations.iter().any(|a| a.contains("overflow")));

    let mut quick = network(
        vec![link("f", 10_000_000_000, 10), link("b", 10_000_000_000, 10)],
        vec![fast_flow("quick", 100.0, &[0], &[1])],
    );
    assert_approximation(
        &run(&quick).expect("answered"),
        "flow quick: sees less queueing in equilibrium than mi_threshold",
    );
    quick.flows[0].controller = fast(1.0, BaseRttSource::Known);
    assert_approximation(&run(&quick).expect("answered"), "sees its own transmission times as queueing");
}

/// Full links and equal rates are at most 1, whatever is rounded on the way.
#[test]
fn shares_are_at_most_one() {
    for mbps in 1..=200 {
        let flows = (0..3).map(|i| fast_flow(&format!("{i}"), 10.0, &[0], &[1])).collect();
        let net = network(vec![link("f", mbps * 1_000_003, 10), link("b", 1_000_000_000, 10)], flows);
        let r = run(&net).expect("answered");
        let full = equilibria_document(&net).expect("solved").equilibria[0].links[0].utilisation;
        for share in [full, r.links[0].utilisation, r.links[0].data_utilisation] {
            let share = share.expect("known");
            assert!(share <= 1.0 && share > 1.0 - 1e-12, "{mbps}: {share}");
        }
    }
}

/// A flow behind 100 ms of access reaches the link of a flow of 4 ms, started together, when that has had its queue for long.
#[test]
fn a_handshake_that_comes_to_a_queue_is_reported() {
    let says = |access_ms: u64, near_ms: u64| {
        let links = vec![link("access", 1_000_000_000, access_ms), link("f", 20_000_000, 1), link("b", 20_000_000, 1)];
        let mut flows = vec![fast_flow("near", 50.0, &[1], &[2]), fast_flow("far", 50.0, &[0, 1], &[2])];
        flows[0].access_data = Time::from_ms(near_ms);
        let notes = run(&network(links, flows)).expect("answered").approximations;
        notes.into_iter().find(|n| n.contains("its handshake reaches a queue"))
    };
    assert!(says(100, 0).is_some_and(|note| note.starts_with("flow far: ")));
    // data of the near flow come to its link after 2 ms
    assert!(says(3, 0).is_some());
    assert_eq!(says(1, 0), None);
    // and 300 ms later where its receiver is that far away
    assert_eq!(says(100, 300), None);
}

/// Of 1,250 packets/s every 40th is acknowledged, 31 ms after the first of them came: a round trip of 0.1 s has a third of it.
#[test]
fn receivers_that_wait_are_reported() {
    let net = |ack_every: u32, ack_alpha: Option<f64>| {
        let mut flow = fast_flow("thinned", 100.0, &[0], &[1]);
        flow.tcp.ack_every = ack_every;
        let ControllerParams::Fast(params) = &*flow.controller else { unreachable!("it is") };
        let (delay, ack_alpha) = (Delay::Weighted, ack_alpha.map(Packets::new));
        if ack_alpha.is_some() {
            flow.controller = Arc::new(ControllerParams::Fast(FastParams { delay, ack_alpha, ..params.clone() }));
        }
        network(
            vec![link("f", 10_000_000, 10), link("b", if ack_alpha.is_some() { 20_000 } else { 10_000_000 }, 10)],
            vec![flow],
        )
    };
    let says =
        |net: &Network| run(net).expect("answered").approximations.iter().any(|n| n.contains("the last of them"));
    assert!(says(&net(40, None)));
    assert!(says(&net(5, None)));
    // 1 of 1,250 is below 3 % of 0.1 s
    assert!(!says(&net(2, None)));
    assert!(!says(&net(1, None)));
    // 62 acknowledgements a second fit on 20 kbit/s
    assert!(says(&net(1, Some(5.0))));
}

#[test]
fn a_base_from_the_small_packets_of_the_handshake_is_reported() {
    // 8 ms of data on each of three links, and 80 ms of queue
    let slow = |alpha: f64| {
        let links = ["a", "b", "c"].map(|name| link(name, 1_000_000, 1)).into_iter().chain([link("d", 1_000_000, 1)]);
        network(links.collect(), vec![fast_flow("slow", alpha, &[0, 1, 2], &[3])])
    };
    let r = run(&slow(10.0)).expect("answered");
    assert_approximation(&r, "flow slow: has its base round-trip time from the small packets of the handshake");
    // the window of the equations: no transmission times
    let f = &r.flows[0];
    let (x, q) = (f.packets_per_s.expect("known"), f.queueing_delay_s.expect("known"));
    close(f.window_packets.mean.expect("known"), x * (f.base_rtt_s.expect("known") + q), 1e-12);
    let own = 3.0 * 8e-3 + 320e-6;
    close(f.rtt_s.mean.expect("known"), f.base_rtt_s.expect("known") + q + own, 1e-12);
    // beliefs that contain them: nothing is left out, and the window is the rate times the round-trip time
    let believed = run_with_base_rtt(&slow(10.0), &[0.004 + own]).expect("answered");
    let f = &believed.flows[0];
    close(f.window_packets.mean.expect("known"), x * f.rtt_s.mean.expect("known"), 1e-12);
    let quiet = |r: &RunResult| !r.approximations.iter().any(|a| a.contains("handshake"));
    assert!(quiet(&believed), "{:?}", believed.approximations);
    // 24 ms are below 3 % of the round trip with 1,000 packets queued
    assert!(quiet(&run(&slow(1000.0)).expect("answered")));
}

#[test]
fn varying_links_are_reported() {
    let mut asked = example_3();
    let quiet = run(&asked).expect("answered");
    assert!(!quiet.approximations.iter().any(|a| a.contains("jitter") || a.contains("outages")));
    let outages = [OutageParams { start: Time::SECOND, length: Time::SECOND, every: None }];
    let link = &mut asked.links[0];
    link.variation.conditions = Some(Arc::new(Conditions::stepping(link.rate, link.delay, &[], &outages)));
    link.variation.jitter = Some(JitterParams::Exponential { mean: Time::from_ms(1), correlation: Time::ZERO });
    link.variation.policer = Some(PolicerParams { rate: link.rate, burst: Bytes::new(100_000) });
    asked.links[1].loss = LossParams::Pattern(LossPattern::GilbertElliott { p: 0.001, r: 0.1, good: 0.0, bad: 1.0 });
    let r = run(&asked).expect("answered");
    assert_approximation(&r, "link forward: changes, outages and traces are not modelled");
    assert_approximation(&r, "link forward: jitter is not modelled");
    assert_approximation(&r, "link forward: the policer is not modelled");
    assert_approximation(&r, "link backward: loss in bursts is not modelled");
    assert_eq!((&r.flows, &r.links), (&quiet.flows, &quiet.links), "all else is as without");
}

#[test]
fn groups_sum_their_flows() {
    let flows = (0..8).map(|i| fast_flow(&format!("many[{i}]"), 10.0 + f64::from(i), &[0], &[1])).collect();
    let mut many = network(vec![link("f", 10_000_000, 10), link("b", 10_000_000, 10)], flows);
    many.groups.push(Group { name: "many".to_owned(), first: 0, count: 8 });
    let r = run(&many).expect("answered");
    let g = &r.groups[0];
    close(g.throughput_bps.expect("known"), 10e6, 1e-9);
    close(g.goodput_bps.sum.expect("known"), 9.6e6, 1e-9);
    close(g.packets_per_s.expect("known"), 1250.0, 1e-9);
    close(g.rtt_s.mean.expect("known"), r.flows[0].rtt_s.mean.expect("known"), 1e-9);
    let jain = 108.0 * 108.0 / (8.0 * (10..18).map(|a| f64::from(a * a)).sum::<f64>());
    close(g.jain_index.expect("known"), jain, 1e-9);
    assert_eq!((g.count, g.completed), (8, None));
    let text = serde_json::to_string(&r).expect("plain numbers");
    assert!(text.contains(r#""world":"theory""#) && text.contains(r#""events":null"#));
}

#[test]
fn several_equilibria_are_reported() {
    let links = vec![link("a", 10_000_000, 1), link("b", 3_600_000, 1)];
    let flows = vec![fast_flow("one", 50.0, &[0, 1], &[0]), fast_flow("two", 50.0, &[0], &[1])];
    let r = run(&network(links, flows)).expect("answered");
    assert_approximation(&r, "the network has several equilibria, 3 were found");
    assert_eq!(r.theory.expect("a note").method, "enumeration of active sets");
}

#[test]
fn a_hundred_thousand_flows_are_solved_quickly() {
    let over = |first: u32| -> Vec<u32> { (0..4).map(|i| (first + i) % 1000).collect() };
    let flows = (0..100_000u32).map(|i| {
        let mut flow = fast_flow("", 5.0, &over(i % 1000), &over((i + 996) % 1000));
        flow.name = format!("ring[{i}]");
        flow
    });
    let links = (0..1000).map(|l| link(&format!("{l}"), 100_000_000, 1)).collect();
    let ring = network(links, flows.collect());
    let begun = std::time::Instant::now();
    let r = run(&ring).expect("answered");
    println!("{:?}, {:?}", begun.elapsed(), r.approximations);
    close(r.flows[0].packets_per_s.expect("known"), 100e6 / (400.0 * 8320.0), 1e-9);
}

/// Framing, media and reconstruction do not change the equilibrium, and are listed as approximations.
#[test]
fn link_options_are_approximations() {
    let plain = run(&example_3()).unwrap();
    let mut network = example_3();
    network.links[0].framing = Encapsulation::PppoeLlcsnap.info().framing;
    network.media.push(Medium { name: "air".to_owned(), turnaround: Time::ZERO });
    network.links.iter_mut().for_each(|l| l.medium = Some(0));
    network.links[1].reconstruct = Some(ReconstructParams { every: Bytes::new(2000), hold: Time::ZERO });
    let answer = run(&network).unwrap();
    assert_approximation(&answer, "link forward: framing is not modelled");
    assert_approximation(&answer, "link backward: the reconstruction of acknowledgements is not modelled");
    assert_approximation(&answer, "links forward, backward: the half-duplex medium is not modelled");
    assert_eq!(answer.flows[0].throughput_bps, plain.flows[0].throughput_bps);
    assert_eq!(answer.approximations.len(), plain.approximations.len() + 3);
}

#[test]
fn thinned_acknowledgements() {
    let mut net = network(
        vec![link("there", 8_000_000, 10), link("back", 8_000_000, 10)],
        vec![fast_flow("one", 20.0, &[0], &[1]), fast_flow("other", 20.0, &[1], &[0])],
    );
    assert_eq!(run(&net).expect("equilibrium").approximations, Vec::<String>::new());
    (net.flows[0].peer, net.flows[1].peer) = (Some(1), Some(0));
    net.flows[1].tcp.ack_congestion_control = true;
    let answer = run(&net).expect("equilibrium");
    assert_approximation(&answer, "flows one, other: acknowledgements ride on data");
    assert_approximation(&answer, "flow other: congestion control of acknowledgements");
    assert_eq!(answer.approximations.len(), 2);
}

/// What theory leaves out of a link counts where only traffic crosses it too: links behind have their load from it.
#[test]
fn links_of_traffic_alone_are_reported() {
    let mut net = example_3();
    net.links.push(link("edge", 100_000_000, 1));
    net.traffic.push(cbr("film", 1_000_000, &[2, 1]));
    let quiet = run(&net).expect("answered");
    assert!(!quiet.approximations.iter().any(|a| a.contains("edge")), "{:?}", quiet.approximations);
    let edge = &mut net.links[2];
    edge.variation.policer = Some(PolicerParams { rate: Rate::from_bps(500_000), burst: Bytes::new(15_000) });
    edge.loss = LossParams::Independent(0.5);
    edge.queue = serde_json::from_str(r#"{"kind": "fq_codel"}"#).expect("the rest has defaults");
    let policer = "link edge: the policer is not modelled";
    let loss = "link edge: traffic's losses are not modelled, links behind are taken to get all of it";
    let r = run(&net).expect("answered");
    assert_approximation(&r, policer);
    assert_approximation(&r, loss);
    assert_approximation(&r, "link edge: taken as a FIFO queue without limit");
    let shaper = "link edge: the rate of the queue's own shaper is not modelled, flows get the link's";
    assert!(!r.approximations.iter().any(|a| a.contains("shaper")), "{:?}", r.approximations);
    for (queue, said) in [
        (r#"{"kind": "tbf", "rate": "5 Mbit/s", "burst": "3 kB"}"#, true),
        (r#"{"kind": "cake", "bandwidth": "5 Mbit/s"}"#, true),
        (r#"{"kind": "tbf", "rate": "100 Mbit/s", "burst": "3 kB"}"#, false),
        (r#"{"kind": "cake", "bandwidth": "100 Mbit/s", "framing": "docsis"}"#, true),
        (r#"{"kind": "cake", "bandwidth": "100 Mbit/s"}"#, false),
        (r#"{"kind": "cake"}"#, false),
    ] {
        let mut net = net.clone();
        net.links[2].queue = serde_json::from_str(queue).expect("the rest has defaults");
        let answer = run(&net).expect("answered");
        assert_eq!(answer.approximations.iter().any(|a| a == shaper), said, "{queue}: {:?}", answer.approximations);
    }
    let document = equilibria_document(&net).expect("answered");
    assert!(document.notes.iter().any(|note| note.starts_with(policer)), "{:?}", document.notes);
    assert_eq!(
        (&r.flows, r.links[1].utilisation),
        (&quiet.flows, quiet.links[1].utilisation),
        "all else is as without"
    );

    // damaged packets go on to the end of their path
    let lost = std::mem::replace(&mut net.links[2].loss, LossParams::Independent(0.0));
    net.links[2].corrupt = 0.5;
    assert!(!run(&net).expect("answered").approximations.iter().any(|a| a.contains("traffic's losses")));
    (net.links[2].loss, net.links[2].corrupt) = (lost, 0.0);

    // nothing gets its load from the last link of a path, and traffic that is over is not counted at all
    net.traffic[0].path = vec![1, 2].into();
    assert!(!run(&net).expect("answered").approximations.iter().any(|a| a.contains("losses are not modelled, links")));
    net.traffic[0].stop = Some(Time::from_ms(1));
    assert!(!run(&net).expect("answered").approximations.iter().any(|a| a.contains("edge")));

    // without flows
    net.flows.clear();
    net.traffic[0].stop = None;
    assert_approximation(&run(&net).expect("answered"), policer);
}
