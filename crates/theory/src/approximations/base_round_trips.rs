//! Notes on how senders come by the base round-trip time.

use eddyline_cc::{BaseRttSource, ControllerParams};
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
    let estimates = |f: &Flow| fast(f).is_some_and(|p| p.base_rtt == BaseRttSource::Estimated);
    let options = |f: &&Flow| f.controller.delay_options();
    let pausing = modelled().filter(|f| options(f).is_some_and(|o| o.drain || o.rate_correction));
    say(listed("flow", pausing.map(|f| f.name.as_str())), "pauses to let the queue run empty, which theory does not");
    let forgetful = modelled().filter(|f| options(f).is_some_and(|o| o.base_rtt_age.is_some()));
    say(
        listed("flow", forgetful.map(|f| f.name.as_str())),
        "forgets its base round-trip time and takes a queue that never empties for propagation; the equilibrium has the true one",
    );
    if let Some(at) = at {
        late(network, modelled, estimates, at, "the equilibrium", notes);
    }
}

/// Notes on every flow of `network` as a Vegas flow, in the equilibrium `at` of their upper thresholds.
pub(super) fn of_vegas(network: &Network, at: &Equilibrium, notes: &mut Vec<String>) {
    let estimates = |f: &Flow| vegas_source(f) == BaseRttSource::Estimated;
    late(network, || network.flows.iter(), estimates, at, "the band", notes);
}

/// Where a flow as a Vegas flow has the base round-trip time from: as its own controller says, if that has the parameter.
pub(super) fn vegas_source(flow: &Flow) -> BaseRttSource {
    match &*flow.controller {
        ControllerParams::Vegas(params) => params.base_rtt,
        _ => fast(flow).map_or(BaseRttSource::Estimated, |params| params.base_rtt),
    }
}

/// Notes on those flows that may take the queue of others for propagation.
fn late<'a, I: Iterator<Item = &'a Flow>>(
    network: &Network,
    flows: impl Fn() -> I,
    estimates: impl Fn(&Flow) -> bool,
    at: &Equilibrium,
    what: &str,
    notes: &mut Vec<String>,
) {
    let first = flows().map(|f| f.start).min().unwrap_or(Time::ZERO);
    let mut say = |who: Option<String>, why: &str| {
        notes.extend(who.map(|who| {
            format!("{who}: {why} the base round-trip time, so may take their queue for propagation; {what} has the true one")
        }));
    };
    let names = flows().filter(|f| f.start > first && estimates(f)).map(|f| f.name.as_str());
    say(listed("flow", names), "starts after others and estimates");
    let data = first_data(network, flows());
    // a flow's handshake is over before its own data
    let meets_a_queue = |f: &Flow| {
        arrivals(network, f).any(|(l, before)| at.bottlenecks[l] && f.start.saturating_add(before) > data[l])
    };
    let names = flows().filter(|f| f.start <= first && estimates(f) && meets_a_queue(f)).map(|f| f.name.as_str());
    say(listed("flow", names), "its handshake reaches a queue after the data of others, and it estimates");
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
