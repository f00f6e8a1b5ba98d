//! Networks and problems for the tests.

pub mod cases;

use std::sync::Arc;

use eddyline_cc::{BaseRttSource, ControllerParams, Delay, FastParams, FastProfile};
use eddyline_path::framing::Framing;
use eddyline_path::loss::LossParams;
use eddyline_path::queue::QueueParams;
use eddyline_path::random::Stream;
use eddyline_scenario::network::{Application, Flow, FlowTable, Link, TcpOptions};
use eddyline_scenario::{Format, Input, Network, load};
use eddyline_theory::equilibrium::{Problem, ProblemFlow};
use eddyline_units::{Packets, Rate, Time};
use serde_json::Value;

pub fn close(got: f64, wanted: f64, relative: f64) {
    let error = (got - wanted).abs();
    assert!(error <= relative * wanted.abs(), "got {got:e}, wanted {wanted:e}: {:e} relative", error / wanted.abs());
}

pub fn all_close(got: &[f64], wanted: &[f64], relative: f64) {
    assert_eq!(got.len(), wanted.len());
    got.iter().zip(wanted).for_each(|(g, w)| close(*g, *w, relative));
}

pub fn values(json: &str) -> Value {
    let mut file: Value = serde_json::from_str(json).expect("test data is JSON");
    file["values"].take()
}

pub fn number(v: &Value) -> f64 {
    v.as_f64().expect("a number")
}

pub fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().expect("a list").iter().map(number).collect()
}

pub fn flow(alpha: f64, packet_bits: f64, ack_bits: f64, data: &[u32], ack: &[u32]) -> ProblemFlow {
    ProblemFlow { alpha, packet_bits, ack_bits, data: data.into(), ack: ack.into() }
}

pub fn problem(capacity: &[f64], flows: Vec<ProblemFlow>) -> Problem {
    let unresponsive = vec![0.0; capacity.len()];
    Problem { capacity: capacity.to_vec(), unresponsive, flows, ..Problem::default() }
}

pub fn between(random: &mut Stream, low: f64, high: f64) -> f64 {
    low + (high - low) * random.uniform()
}

/// Log-uniform in [low, high).
pub fn log_uniform(random: &mut Stream, low: f64, high: f64) -> f64 {
    let u = random.uniform();
    low * libm::pow(high / low, u)
}

pub fn below(random: &mut Stream, n: usize) -> usize {
    (random.uniform() * n as f64) as usize
}

/// `count` different links below `links`.
pub fn path(random: &mut Stream, links: usize, count: usize) -> Vec<u32> {
    let mut all: Vec<u32> = (0..links as u32).collect();
    (0..count.min(links)).map(|_| all.remove(below(random, all.len()))).collect()
}

pub fn fast(alpha: f64, base_rtt: BaseRttSource) -> Arc<ControllerParams> {
    Arc::new(ControllerParams::Fast(FastParams {
        alpha: Packets::new(alpha),
        gamma: 0.5,
        profile: FastProfile::Clean,
        base_rtt,
        mi_threshold: Time::from_ps(750_000_000),
        update_period: None,
        filter_gain: 3.0,
        filter_cap: None,
        pacing_slack: Packets::new(1.0),
        loss_factor: 0.5,
        timeout_window: Packets::new(2.0),
        min_window: Packets::new(2.0),
        delay: Delay::RoundTrip,
        ack_alpha: None,
        base_rtt_age: None,
        drain: None,
        rate_correction: None,
    }))
}

/// FAST with this gamma.
pub fn fast_with_gamma(alpha: f64, gamma: f64) -> Arc<ControllerParams> {
    let known = fast(alpha, BaseRttSource::Estimated);
    let ControllerParams::Fast(params) = &*known else { unreachable!("`fast` returns FAST") };
    Arc::new(ControllerParams::Fast(FastParams { gamma, ..params.clone() }))
}

pub fn link(name: &str, bps: u64, delay_ms: u64) -> Link {
    Link {
        name: name.to_owned(),
        rate: Rate::from_bps(bps),
        delay: Time::from_ms(delay_ms),
        queue: QueueParams::default(),
        loss: LossParams::default(),
        corrupt: 0.0,
        framing: Framing::default(),
        variation: eddyline_path::variation::Variation::default(),
        reconstruct: None,
        medium: None,
    }
}

pub fn fast_flow(name: &str, alpha: f64, data: &[u32], ack: &[u32]) -> Flow {
    let table = FlowTable {
        controller: fast(alpha, BaseRttSource::Estimated),
        transport: None,
        data: data.into(),
        ack: ack.into(),
        host: 0,
        packet: 1000,
        header: 40,
        ack_packet: 40,
        access_data: Time::ZERO,
        access_ack: Time::ZERO,
        receive_window: None,
        tcp: default_tcp(),
        application: Application::Bulk,
        stop: None,
        size: None,
    };
    Flow { name: name.to_owned(), start: Time::ZERO, peer: None, table: table.into() }
}

/// The default TCP options.
fn default_tcp() -> TcpOptions {
    let text = "duration = \"1 s\"\n[[link]]\nname = \"l\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n[[flow]]\nname = \"f\"\n\
                controller = { kind = \"reno\" }\ndata = [\"l\"]\nack = [\"l\"]\n";
    let input = Input { text, format: Format::Toml, name: "default.toml", folder: None };
    let scenario = load(&input, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    scenario.network.flows[0].tcp
}

pub fn network(links: Vec<Link>, flows: Vec<Flow>) -> Network {
    Network {
        title: "a test".to_owned(),
        scenario_sha256: String::new(),
        duration: Time::from_ms(100_000),
        warmup: Time::from_ms(20_000),
        seed: 0,
        record_interval: Time::from_ms(100),
        links,
        flows,
        traffic: Vec::new(),
        probes: Vec::new(),
        arrivals: Vec::new(),
        media: Vec::new(),
        hosts: Vec::new(),
        groups: Vec::new(),
    }
}
