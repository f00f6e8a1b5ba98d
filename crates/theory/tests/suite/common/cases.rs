//! Random networks for tests of stability: scenarios that every world can run.

use std::sync::Arc;

use eddyline_cc::{BaseRttSource, ControllerParams, FastParams, FastProfile};
use eddyline_path::random::Stream;
use eddyline_scenario::Network;
use eddyline_scenario::network::{Flow, Link};
use eddyline_units::{Packets, Rate, Time};

use super::{below, between, fast, fast_flow, link, log_uniform, network};

/// What a case is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A duplex link with data one way: the letter's network, k_f from 0.1 to 10.
    OneWay,
    /// A duplex link with data both ways.
    BothWays,
    /// Three or four links, data and acknowledgements over one or two of them each.
    Several,
}

/// The case's network. Numbers are rounded to few digits, as in a scenario file.
pub fn draw(random: &mut Stream) -> (Kind, Network) {
    let kind = [Kind::OneWay, Kind::BothWays, Kind::Several][below(random, 3)];
    let first = log_uniform(random, 20e6, 200e6);
    let links: Vec<Link> = match kind {
        Kind::OneWay => {
            let back = first * 0.04 / log_uniform(random, 0.1, 10.0);
            vec![one_link(random, 0, first), one_link(random, 1, back)]
        }
        Kind::BothWays => {
            let back = first * log_uniform(random, 0.1, 10.0);
            vec![one_link(random, 0, first), one_link(random, 1, back)]
        }
        Kind::Several => (0..3 + below(random, 2))
            .map(|l| {
                let rate = log_uniform(random, 20e6, 200e6);
                one_link(random, l, rate)
            })
            .collect(),
    };
    let law = law(random);
    let separate = random.uniform() < 0.5;
    let count = match kind {
        Kind::OneWay => 1 + below(random, 4),
        Kind::BothWays => 2 + below(random, 3),
        Kind::Several => 2 + below(random, 4),
    };
    let mut flows: Vec<Flow> = (0..count)
        .map(|i| {
            let (data, ack) = match kind {
                Kind::OneWay => (vec![0], vec![1]),
                Kind::BothWays if i == 0 || (i > 1 && random.uniform() < 0.5) => (vec![0], vec![1]),
                Kind::BothWays => (vec![1], vec![0]),
                Kind::Several => {
                    let (out, back) = (1 + below(random, 2), 1 + below(random, 2));
                    let path = super::path(random, links.len(), out + back);
                    (path[..out].to_vec(), path[out..].to_vec())
                }
            };
            let mut flow = fast_flow(&format!("flow {}", i + 1), 1.0, &data, &ack);
            flow.header = 0;
            if separate {
                flow.access_data = micros(between(random, 0.0, 60e3));
            }
            flow
        })
        .collect();
    // the queue that all alphas together would make at the slowest link that carries data, against propagation
    let network_of = |flows: Vec<Flow>| network(links.clone(), flows);
    let propagation = |f: &Flow, n: &Network| n.propagation_rtt(f).as_secs_f64();
    let n = network_of(flows.clone());
    let mean = flows.iter().map(|f| propagation(f, &n)).sum::<f64>() / count as f64;
    let rate = |f: &Flow| {
        let slowest =
            |path: &[u32]| path.iter().map(|l| links[*l as usize].rate.as_bps() as f64).fold(f64::INFINITY, f64::min);
        (slowest(&f.data) / 8e3).min(slowest(&f.ack) / 320.0)
    };
    let slowest = flows.iter().map(rate).fold(f64::INFINITY, f64::min);
    let total = slowest * mean * log_uniform(random, 0.05, 4.0);
    let parts: Vec<f64> = flows.iter().map(|_| between(random, 0.5, 1.5)).collect();
    let sum: f64 = parts.iter().sum();
    for (flow, part) in flows.iter_mut().zip(parts) {
        let alpha = (total * part / sum).round().max(10.0);
        flow.controller = Arc::new(ControllerParams::Fast(FastParams { alpha: Packets::new(alpha), ..law.clone() }));
    }
    (kind, network_of(flows))
}

fn one_link(random: &mut Stream, l: usize, rate: f64) -> Link {
    let delay = micros(between(random, 1e3, 40e3));
    Link { rate: Rate::from_bps((rate / 1e3).round() as u64 * 1000), delay, ..link(&format!("link {}", l + 1), 1, 0) }
}

fn micros(value: f64) -> Time {
    Time::from_ps(value.round() as u64 * 1_000_000)
}

/// gamma from 0.1 to 1, once a round trip or, in the module's profile, once in 5 to 50 ms of every other round trip.
fn law(random: &mut Stream) -> FastParams {
    let known = fast(1.0, BaseRttSource::Known);
    let ControllerParams::Fast(law) = &*known else { unreachable!("it was made so") };
    let gamma = (between(random, 0.1, 1.0) * 1e3).round() / 1e3;
    let period = micros(log_uniform(random, 5e3, 50e3));
    if random.uniform() < 0.5 {
        FastParams { gamma, ..law.clone() }
    } else {
        FastParams { gamma, profile: FastProfile::Ns2, update_period: Some(period), ..law.clone() }
    }
}
