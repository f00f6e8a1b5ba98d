//! The two-way paper's Section 3: one bottleneck of a two-way network as a network of one-way flows.

use eddyline_scenario::Network;

use super::point::{Crossing, FlowPoint, OperatingPoint, UpdatePeriod, controller};
use crate::equilibrium::{Problem, ProblemFlow, solve};
use crate::error::TheoryError;
use crate::model::modelled_flows;
use crate::packets::{ack_bits, bits};

/// A network of one-way flows that models a two-way one.
#[derive(Debug, Clone, PartialEq)]
pub struct OneWay {
    /// One link; flows whose data was on it keep their packets, the others have the size of their acknowledgements.
    pub problem: Problem,
    /// Its own equilibrium with the delays of the two-way network. Only alpha, sizes and propagation are those of that
    /// network.
    pub point: OperatingPoint,
}

/// The flows of `network` that cross `link` as one-way flows over that link alone (Section 3: s in F+ with packets P+,
/// s in F- with packets P-, alpha as it was).
///
/// Local dynamics are the same if only `link` has a queue, but not if another link has one: at exact balance the loop gain
/// of the two-way network is twice that of this one.
///
/// # Errors
/// [`TheoryError::OutOfRange`] where a flow crosses `link` other than once: the paper's mapping is for one duplex link.
pub fn one_way(network: &Network, link: usize, period: UpdatePeriod, filter: bool) -> Result<OneWay, TheoryError> {
    let capacity = network.links[link].rate.as_bps() as f64;
    let mut problem = Problem { capacity: vec![capacity], unresponsive: vec![0.0], ..Problem::default() };
    let flows = modelled_flows(network);
    // seconds to the link and of the round trip, without queueing
    let mut delays = Vec::with_capacity(flows.len());
    for flow in flows.iter().map(|s| &network.flows[*s]) {
        let data = (&flow.data, flow.packet, bits(flow.packet), flow.access_data);
        let ack = (&flow.ack, flow.ack_packet, ack_bits(flow), flow.access_ack);
        let (mut at_s, mut here) = (0.0, Vec::new());
        for (path, bytes, bits, access) in [data, ack] {
            for l in path.iter().map(|l| *l as usize) {
                if l == link {
                    here.push((at_s, bits));
                }
                let spec = &network.links[l];
                at_s += spec.rate.transmission_time(u64::from(bytes)).as_secs_f64() + spec.delay.as_secs_f64();
            }
            at_s += access.as_secs_f64();
        }
        let [(forward, packet_bits)] = here[..] else {
            return Err(TheoryError::OutOfRange {
                what: format!("how often flow {} crosses link {}", flow.name, network.links[link].name),
                value: here.len() as f64,
                allowed: "1",
            });
        };
        delays.push((forward, at_s));
        let (alpha, ..) = controller(flow, 1.0, 1.0, period);
        problem.flows.push(ProblemFlow { alpha, packet_bits, ack_bits: 0.0, data: [0].into(), ack: [].into() });
    }
    let mut point = OperatingPoint { links: vec![0], ..OperatingPoint::default() };
    if !flows.is_empty() {
        let at = solve(&problem)?.found.remove(0);
        for (i, s) in flows.iter().enumerate() {
            let (forward_s, around) = delays[i];
            let (rate, rtt_s) = (at.rates[i], around + at.delays[i]);
            let (alpha, gain, filter_s) = controller(&network.flows[*s], rtt_s, rate, period);
            let share = rate * problem.flows[i].packet_bits / capacity;
            let crossings = vec![Crossing { link: 0, share, forward_s }];
            let filter_s = if filter { filter_s } else { 0.0 };
            point.add(FlowPoint {
                rtt_s,
                gain,
                rho: alpha / (rate * rtt_s),
                filter_s,
                crossings,
                ..FlowPoint::default()
            });
        }
    }
    Ok(OneWay { problem, point })
}
