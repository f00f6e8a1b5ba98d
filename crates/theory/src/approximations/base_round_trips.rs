//! Notes on how FAST senders come by the base round-trip time.

use eddyline_cc::BaseRttSource;
use eddyline_scenario::Network;
use eddyline_scenario::network::Flow;
use eddyline_units::Time;

use super::{fast, listed};
use crate::equilibrium::Equilibrium;
use crate::model::Model;

/// Notes on it; `at` is none if the senders' estimates are given.
pub(super) fn notes(network: &Network, model: &Model, at: Option<&Equilibrium>, notes: &mut Vec<String>) {
    let modelled = || network.flows.iter().zip(&model.place).filter(|(_, p)| p.is_some()).map(|(f, _)| f);
    let mut say = |who: Option<String>, what: &str| notes.extend(who.map(|who| format!("{who}: {what}")));
    let first = modelled().map(|f| f.start).min().unwrap_or(Time::ZERO);
    let estimates = |f: &Flow| fast(f).is_some_and(|p| p.base_rtt == BaseRttSource::Estimated);
    let options = |f: &&Flow| f.controller.delay_options();
    let pausing = modelled().filter(|f| options(f).is_some_and(|o| o.drain || o.rate_correction));
    say(listed("flow", pausing.map(|f| f.name.as_str())), "pauses to let the queue run empty, which theory does not");
    let forgetful = modelled().filter(|f| options(f).is_some_and(|o| o.base_rtt_age.is_some()));
    say(
        listed("flow", forgetful.map(|f| f.name.as_str())),
        "forgets its base round-trip time and takes a queue that never empties for propagation; the equilibrium has the true one",
    );
    let Some(at) = at else { return };
    let names = modelled().filter(|f| f.start > first && estimates(f)).map(|f| f.name.as_str());
    say(
        listed("flow", names),
        "starts after others and estimates the base round-trip time, so may take their queue for propagation; the \
         equilibrium has the true one",
    );
    let data = first_data(network, modelled());
    // a flow's handshake is over before its own data
    let meets_a_queue = |f: &Flow| {
        arrivals(network, f).any(|(l, before)| at.bottlenecks[l] && f.start.saturating_add(before) > data[l])
    };
    let late = |f: &&Flow| f.start <= first && estimates(f) && meets_a_queue(f);
    say(
        listed("flow", modelled().filter(late).map(|f| f.name.as_str())),
        "its handshake reaches a queue after the data of others, and it estimates the base round-trip time, so may take their queue \
         for propagation; the equilibrium has the true one",
    );
}

/// When each link gets the first packet of any of these flows that is not of a handshake.
fn first_data<'a>(network: &Network, flows: impl Iterator<Item = &'a Flow>) -> Vec<Time> {
    let mut first = vec![Time::MAX; network.links.len()];
    for flow in flows {
        let begin = flow.start.saturating_add(network.propagation_rtt(flow));
        for (l, before) in arrivals(network, flow) {
            first[l] = first[l].min(begin.saturating_add(before));
        }
    }
    first
}

/// The links of a flow's round trip, each with the propagation delay before it; access delays are at the receiver's and the sender's end.
fn arrivals<'a>(network: &'a Network, flow: &'a Flow) -> impl Iterator<Item = (usize, Time)> + 'a {
    flow.data.iter().chain(&*flow.ack).enumerate().scan(Time::ZERO, |before, (hop, l)| {
        if hop == flow.data.len() {
            *before = before.saturating_add(flow.access_data);
        }
        let (at, l) = (*before, *l as usize);
        *before = at.saturating_add(network.links[l].delay);
        Some((l, at))
    })
}
