//! The documents of `theory` against closed forms: fairness, Vegas, Nyquist curves and margins, distributions.

use crate::common;

use std::f64::consts::PI;
use std::sync::Arc;

use common::{close, fast, fast_flow, fast_with_gamma, link, network};
use eddyline_cc::{BaseRttSource, ControllerParams, VegasParams};
use eddyline_path::loss::LossParams;
use eddyline_path::queue::{AckPriorityParams, DropTailParams, Limit, QueueParams};
use eddyline_path::traffic::TrafficParams;
use eddyline_scenario::Network;
use eddyline_scenario::network::{Flow, Traffic};
use eddyline_theory::population::{DuplexLoad, with_marginals};
use eddyline_theory::stability::single::SingleLoop;
use eddyline_theory::stability::{Complex, ComplexFunctions as _, Options};
use eddyline_theory::{
    LinkModel, TheoryError, dynamics, equilibria_document, fairness_document, nyquist_document, run,
    stability_document, vegas_document,
};
use eddyline_units::{Bytes, Rate, Time};

/// One duplex link with flows of these alphas each way.
fn duplex(forward: &[f64], backward: &[f64], c_f: u64, c_b: u64) -> Network {
    let there = forward.iter().enumerate().map(|(i, a)| fast_flow(&format!("f{i}"), *a, &[0], &[1]));
    let back = backward.iter().enumerate().map(|(i, a)| fast_flow(&format!("b{i}"), *a, &[1], &[0]));
    let flows = there.chain(back).collect();
    network(vec![link("forward", c_f, 10), link("backward", c_b, 10)], flows)
}

#[test]
fn the_ideal_of_one_link_each_way() {
    // one flow each way, no more: maximise a log x + b log y under P x + p y <= c and p x + P y <= c
    let net = duplex(&[100.0], &[30.0], 20_000_000, 10_000_000);
    let document = fairness_document(&net, 1.0).expect("solved");
    assert!(document.polished && document.residual < 1e-12);
    let worth: f64 = document.links.iter().map(|l| l.worth_packets).sum();
    close(worth, 130.0, 1e-9);
    let [x, y] = [0, 1].map(|i| document.flows[i].packets_per_s);
    // stationarity with both links' multipliers, mu = worth / capacity
    let mu = [document.links[0].worth_packets / 20e6, document.links[1].worth_packets / 10e6];
    close(100.0 / x, 8000.0 * mu[0] + 320.0 * mu[1], 1e-9);
    close(30.0 / y, 320.0 * mu[0] + 8000.0 * mu[1], 1e-9);
    close(document.links[0].utilisation, (8000.0 * x + 320.0 * y) / 20e6, 1e-12);
    let [comparison] = &document.equilibria[..] else { panic!("one equilibrium") };
    let rates = [comparison.flows[0].packets_per_s, comparison.flows[1].packets_per_s];
    let settled = equilibria_document(&net).expect("solved");
    assert_eq!(rates, [0, 1].map(|s| settled.equilibria[0].flows[s].packets_per_s));
    close(comparison.flows[0].of_ideal, rates[0] / x, 1e-15);
    close(comparison.throughput, (rates[0] + rates[1]) / (x + y), 1e-12);
    let gap = 100.0 * (x / rates[0]).ln() + 30.0 * (y / rates[1]).ln();
    close(comparison.utility_gap_packets.expect("proportional"), gap, 1e-9);
    close(comparison.efficiency, (-gap / 130.0).exp(), 1e-9);
    assert!(comparison.efficiency < 0.999);
    close(comparison.jain, 1.0, 1e-12);
    let shares = [x / 100.0, y / 30.0];
    let jain = (shares[0] + shares[1]).powi(2) / (2.0 * (shares[0].powi(2) + shares[1].powi(2)));
    close(document.jain_ideal, jain, 1e-12);
}

#[test]
fn fairness_is_of_fast_flows() {
    let mut net = duplex(&[100.0], &[30.0], 20_000_000, 10_000_000);
    net.flows[1].controller =
        std::sync::Arc::new(eddyline_cc::ControllerParams::NewReno(eddyline_cc::NewRenoParams::default()));
    let document = fairness_document(&net, 1.0).expect("solved");
    assert_eq!(document.flows.len(), 1);
    assert_eq!(document.notes, ["1 flow is not FAST and left out"]);
    net.flows.clear();
    assert_eq!(fairness_document(&net, 1.0), Err(TheoryError::NoFlow));
}

/// Every document says of the same equilibrium what world `theory` says of it.
#[test]
fn what_is_not_modelled_is_noted_by_all() {
    let mut net = duplex(&[100.0], &[30.0], 20_000_000, 5_000_000);
    net.links[0].queue = serde_json::from_value(serde_json::json!({"kind": "codel"})).expect("a queue");
    net.links[0].loss = LossParams::Independent(0.01);
    net.links[0].framing.overhead = Bytes::new(8);
    net.links[1].queue = QueueParams::DropTail(DropTailParams { limit: Limit::Packets(20) });
    net.flows[0].receive_window = Some(30_000);
    (net.flows[1].start, net.flows[1].stop) = (net.duration - Time::from_ms(2), Some(net.duration - Time::from_ms(1)));
    let all = run(&net).expect("solved").approximations;
    for text in ["loss is not", "FIFO queue without", "framing", "overflow", "receive window", "stops before", "starts"]
    {
        assert!(all.iter().any(|n| n.contains(text)), "{text}: {all:?}");
    }
    assert_eq!(equilibria_document(&net).expect("solved").notes, all);
    assert_eq!(fairness_document(&net, 1.0).expect("solved").notes, all);
    let judged = |net: &Network| {
        stability_document(net, LinkModel::Integrator, &Options { margins: false, ..Options::default() })
            .expect("judged")
            .notes
    };
    let notes = judged(&net);
    assert!(all.iter().all(|note| notes.contains(note)), "{notes:?}");
    // of Vegas whatever the controller is; nothing of FAST
    let vegas = vegas_document(&net, &[(100.0, 100.0), (30.0, 30.0)]).expect("solved").notes;
    for text in ["loss is not", "FIFO queue without", "framing", "overflow", "receive window", "stops before", "starts"]
    {
        assert!(vegas.iter().any(|n| n.contains(text)), "{text}: {vegas:?}");
    }
    assert!(!vegas.iter().any(|n| n.contains("FAST")), "{vegas:?}");
    // acknowledgements first, and not
    let mut first = duplex(&[100.0], &[30.0], 20_000_000, 10_000_000);
    first.links.iter_mut().for_each(|l| l.queue = QueueParams::AckPriority(AckPriorityParams::default()));
    assert!(equilibria_document(&first).expect("solved").notes.is_empty());
    assert!(fairness_document(&first, 1.0).expect("solved").notes.is_empty());
    let followed = dynamics(&first, &Default::default()).expect("followed").notes;
    let vegas = vegas_document(&first, &[(10.0, 20.0); 2]).expect("solved").notes;
    for notes in [judged(&first), followed, vegas] {
        assert!(notes.iter().any(|n| n.ends_with("acknowledgements do not go first, the queue is taken as a FIFO")));
    }
}

/// What senders do not know of their base round-trip time is said of the band as of the equilibrium, of whatever is taken for Vegas.
#[test]
fn what_vegas_takes_for_propagation_is_said() {
    let vegas = |base_rtt| Arc::new(ControllerParams::Vegas(VegasParams { base_rtt, ..VegasParams::default() }));
    let notes = |changed: &dyn Fn(&mut Flow)| {
        let links = vec![link("access", 1_000_000_000, 100), link("f", 80_000_000, 10), link("b", 80_000_000, 10)];
        let mut net = network(links, ["first", "second"].map(|name| fast_flow(name, 50.0, &[1], &[2])).into());
        net.flows.iter_mut().for_each(|flow| flow.controller = vegas(BaseRttSource::Estimated));
        changed(&mut net.flows[1]);
        vegas_document(&net, &[(2.0, 4.0); 2]).expect("solved").notes
    };
    assert!(notes(&|_| ()).is_empty());
    let late = |flow: &mut Flow| flow.start = Time::from_ms(5000);
    for (text, found) in [
        ("starts after others and estimates", notes(&late)),
        ("its handshake reaches a queue", notes(&|flow| flow.data = [0, 1].into())),
        ("an acknowledgement is for several packets", notes(&|flow| flow.tcp.ack_every = 40)),
    ] {
        assert!(found.len() == 1 && found[0].starts_with(&format!("flow second: {text}")), "{text}: {found:?}");
    }
    // its own packet's transmission, beside a queue of four packets
    let fast = fast(50.0, BaseRttSource::Known);
    for controller in [vegas(BaseRttSource::Known), fast] {
        let known = notes(&|flow| {
            late(flow);
            flow.controller = Arc::clone(&controller);
        });
        assert!(known.len() == 1 && known[0].contains("takes propagation for its base round-trip time"), "{known:?}");
    }
}

#[test]
fn vegas_between_its_thresholds() {
    // one link of 1,000 packets a second is full: two flows share it as their backlogs, anywhere between 2 : 4 and 4 :
    // 2
    let mut net = duplex(&[100.0, 7.0], &[], 8_000_000, 80_000_000);
    let document = vegas_document(&net, &[(2.0, 4.0); 2]).expect("solved");
    assert!(document.exact);
    for flow in &document.flows {
        close(flow.least_packets_per_s, 1000.0 / 3.0, 1e-9);
        close(flow.most_packets_per_s, 2000.0 / 3.0, 1e-9);
        close(flow.at_alpha_packets_per_s, 500.0, 1e-9);
        close(flow.at_beta_packets_per_s, 500.0, 1e-9);
    }
    close(document.links[0].at_alpha_queueing_delay_s.expect("known"), 4.0 / 1000.0, 1e-9);
    close(document.links[0].at_beta_queueing_delay_s.expect("known"), 8.0 / 1000.0, 1e-9);
    assert!(matches!(vegas_document(&net, &[(2.0, 1.0); 2]), Err(TheoryError::OutOfRange { .. })));
    assert!(matches!(vegas_document(&net, &[(0.0, 1.0); 2]), Err(TheoryError::OutOfRange { .. })));
    assert!(matches!(vegas_document(&net, &[(2.0, 4.0)]), Err(TheoryError::Length { .. })));
    // half of the link gone to traffic that does not respond
    net.traffic.push(Traffic {
        name: "cbr".to_owned(),
        path: [0u32][..].into(),
        host: 0,
        model: serde_json::from_value::<TrafficParams>(serde_json::json!({"kind": "cbr", "rate": "4 Mbit/s"}))
            .expect("a model"),
        packet: 1000,
        start: Time::ZERO,
        stop: None,
        trace: None,
    });
    let half = vegas_document(&net, &[(2.0, 4.0); 2]).expect("solved");
    close(half.flows[0].at_alpha_packets_per_s, 250.0, 1e-9);
    assert!(half.notes[0].contains("cbr"));
    net.links[0].rate = Rate::from_bps(3_000_000);
    assert!(matches!(vegas_document(&net, &[(2.0, 4.0); 2]), Err(TheoryError::Overload { .. })));
    net.flows.clear();
    assert_eq!(vegas_document(&net, &[]), Err(TheoryError::NoFlow));
}

/// One flow on one link, in seconds: its loop, its round trip.
fn one(alpha: f64, gamma: f64) -> (Network, SingleLoop, f64) {
    let mut flow = fast_flow("one", alpha, &[0], &[1]);
    flow.controller = fast_with_gamma(alpha, gamma);
    let net = network(vec![link("there", 8_000_000, 20), link("back", 1_000_000_000, 20)], vec![flow]);
    let q = alpha * 1e-3;
    let round = 0.04 + 1e-3 + 320.0 / 1e9 + q;
    (net, SingleLoop::new(gamma, q / round), round)
}

#[test]
fn nyquist_curve_of_one_loop() {
    let (net, open, round) = one(20.0, 0.5);
    let document = nyquist_document(&net, LinkModel::Integrator, &Options::default()).expect("an equilibrium");
    let [curve] = &document.loci[..] else { panic!("one queue") };
    assert!(curve.omega_rad_s.len() > 200);
    for ((omega, re), im) in curve.omega_rad_s.iter().zip(&curve.re).zip(&curve.im) {
        let wanted = open.open_loop(Complex::new(0.0, omega * round));
        assert!((Complex::new(*re, *im) - wanted).modulus() <= 1e-9 * wanted.modulus(), "at {omega}");
    }
    assert!(curve.omega_rad_s.windows(2).all(|w| w[0] < w[1]));
    let empty = network(vec![link("l", 8_000_000, 10)], Vec::new());
    assert!(nyquist_document(&empty, LinkModel::Integrator, &Options::default()).expect("nothing").loci.is_empty());
}

#[test]
fn margins_are_where_the_curve_crosses() {
    let (net, open, round) = one(20.0, 0.5);
    let judged = stability_document(&net, LinkModel::Integrator, &Options::default()).expect("judged");
    assert!(judged.stable);
    let (gain, at) = (judged.gain_margin.expect("finite"), judged.gain_margin_at_rad_s.expect("finite"));
    let there = open.open_loop(Complex::new(0.0, at * round));
    close(there.re, -1.0 / gain, 1e-6);
    assert!(there.im.abs() < 1e-6);
    let (delay, at) = (judged.delay_margin_s.expect("finite"), judged.delay_margin_at_rad_s.expect("finite"));
    close(at * round, open.crossover(), 1e-6);
    close(at * delay, open.phase_margin(), 1e-6);
    let there = open.open_loop(Complex::new(0.0, at * round));
    close(there.argument() + PI, at * delay, 1e-6);
}

#[test]
fn one_direction_alone_is_a_processor_sharing_queue() {
    // files of 1 Mbit at 0.6 a second on 1 Mbit/s, acknowledgements of no size: P(n) = (1 - rho) rho^n
    let load = DuplexLoad { lambda_f: 0.6, lambda_b: 0.0, mean_bits: 1e6, c_f: 1e6, c_b: 1e6, b: 0.0 };
    let (found, marginals) = with_marginals(&load, 1e-8, 100_000).expect("stable").expect("small");
    close(found.mean_forward, 1.5, 1e-7);
    for (n, p) in marginals.forward.iter().take(30).enumerate() {
        close(*p, 0.4 * libm::pow(0.6, n as f64), 1e-6);
    }
    assert_eq!(marginals.backward, [1.0]);
    let both = DuplexLoad { lambda_f: 0.3, lambda_b: 0.4, c_b: 2e6, b: 0.04, ..load };
    let (found, marginals) = with_marginals(&both, 1e-8, 100_000).expect("stable").expect("small");
    for (of, mean) in [(&marginals.forward, found.mean_forward), (&marginals.backward, found.mean_backward)] {
        close(of.iter().sum(), 1.0, 1e-9);
        close(of.iter().enumerate().map(|(n, p)| n as f64 * p).sum(), mean, 1e-8);
    }
}
