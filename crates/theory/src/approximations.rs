//! Notes on what of a scenario the equilibrium does not model.

mod base_round_trips;

use eddyline_cc::{BaseRttSource, FastParams};
use eddyline_path::loss::{LossParams, LossPattern};
use eddyline_path::queue::{Limit, QueueParams};
use eddyline_path::traffic::TrafficParams;
use eddyline_scenario::Network;
use eddyline_scenario::network::{Application, Flow, Link, Traffic};
use eddyline_scenario::result::{FlowResult, LinkResult};

use crate::equilibrium::{Equilibria, Equilibrium};
use crate::model::{
    Model, acks_first, droptail_limit, handshake, loss_in_bursts, mean_rate, overlaps, propagation, transmission,
};
use crate::results::{acks_per_s, flow_results, link_results};

/// Names listed before "and n more".
const MAX_NAMES: usize = 5;

fn listed<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut shown = Vec::new();
    let mut more = 0;
    for name in names {
        if shown.len() < MAX_NAMES {
            shown.push(name);
        } else {
            more += 1;
        }
    }
    let plural = if shown.len() > 1 && !what.ends_with('s') { "s" } else { "" };
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!shown.is_empty()).then(|| format!("{what}{plural} {}{rest}", shown.join(", ")))
}

fn fast(flow: &Flow) -> Option<&FastParams> {
    flow.controller.fast_law()
}

/// All notes on the equilibrium `at`; `given_base_rtts` says that base round-trip times were given.
pub(crate) fn of(
    network: &Network,
    model: &Model,
    solved: &Equilibria,
    at: &Equilibrium,
    results: (&[FlowResult], &[LinkResult]),
    given_base_rtts: bool,
) -> Vec<String> {
    let mut notes = Vec::new();
    without_model(network, model, &mut notes);
    notes.extend(network.without_sockets());
    if solved.found.len() > 1 {
        notes.push(format!(
            "the network has several equilibria, {} were found; this is one of them, and which one senders settle in depends \
             on how they start",
            solved.found.len()
        ));
    }
    equations(network, model, at, results, given_base_rtts, &mut notes);
    notes
}

/// The same of the flows with a model alone, without given base round-trip times: what the equations leave out.
pub(crate) fn of_equations(network: &Network, model: &Model, at: &Equilibrium) -> Vec<String> {
    let (flows, links) = (flow_results(network, model, at, None), link_results(network, model, at));
    let mut notes = Vec::new();
    equations(network, model, at, (&flows, &links), false, &mut notes);
    notes
}

fn equations(
    network: &Network,
    model: &Model,
    at: &Equilibrium,
    (flows, links): (&[FlowResult], &[LinkResult]),
    given_base_rtts: bool,
    notes: &mut Vec<String>,
) {
    permanence(network, |s| model.place[s].is_some(), notes);
    notes.extend(varying(network));
    habits(network, |s| model.place[s].is_some(), notes);
    base_round_trips::notes(network, model, (!given_base_rtts).then_some(at), notes);
    limits(network, model, at, flows, notes);
    let placed = network.flows.iter().zip(&model.place).zip(flows);
    let acknowledged = placed.filter_map(|((f, place), result)| Some((f, (*place)?, result.rtt_s.mean?)));
    receivers(at, acknowledged, notes);
    if !given_base_rtts {
        let seen = |s: usize| at.delays[s] - model.problem.error_of(s);
        let placed = network.flows.iter().zip(&model.place).filter_map(|(f, place)| Some((f, fast(f)?, (*place)?)));
        own_transmission(network, placed.map(|(f, params, s)| (f, params.base_rtt, seen(s))), notes);
    }
    let crossed = crossed(network, |s| model.place[s].is_some());
    losses(network, model, &crossed, notes);
    queues(network, model, &with_traffic(network, crossed), links, notes);
}

/// Notes on the local stability of the FAST flows about `at`, to which all queues are FIFOs.
pub(crate) fn of_stability(network: &Network, model: &Model, at: &Equilibrium) -> Vec<String> {
    let mut notes = of_equations(network, model, at);
    acks_in_turn(network, &crossed(network, |s| model.place[s].is_some()), &mut notes);
    notes
}

/// Notes on every flow of `network` as a Vegas flow, in the equilibrium `at` of their upper thresholds.
pub(crate) fn of_vegas(network: &Network, model: &Model, at: &Equilibrium) -> Vec<String> {
    let mut notes = Vec::new();
    permanence(network, |_| true, &mut notes);
    habits(network, |_| true, &mut notes);
    base_round_trips::of_vegas(network, at, &mut notes);
    let own = network.flows.iter().enumerate().map(|(s, f)| (f, base_round_trips::vegas_source(f), at.delays[s]));
    own_transmission(network, own, &mut notes);
    let round_trips = network.flows.iter().enumerate().map(|(s, f)| (f, s, propagation(network, f) + at.delays[s]));
    receivers(at, round_trips, &mut notes);
    let narrow = network.flows.iter().enumerate().filter(|(s, f)| {
        let window = at.rates[*s] * (propagation(network, f) + at.delays[*s]);
        f.receive_window.is_some_and(|w| window * f64::from(f.mss()) > w as f64)
    });
    let narrow = listed("flow", narrow.map(|(_, f)| f.name.as_str()));
    notes.extend(
        narrow.map(|who| format!("{who}: the receive window is below the window at the upper threshold, not honoured")),
    );
    let crossed = crossed(network, |_| true);
    let used = network.links.iter().zip(&crossed).filter(|(_, crossed)| **crossed).map(|(link, _)| link);
    if let Some(which) = listed("link", used.filter(|link| loses(link)).map(|link| link.name.as_str())) {
        notes.push(format!("{which}: loss is not modelled"));
    }
    traffic_losses(network, &mut notes);
    acks_in_turn(network, &crossed, &mut notes);
    queues(network, model, &with_traffic(network, crossed), &link_results(network, model, at), &mut notes);
    notes
}

/// Notes on the dynamics of the FAST flows, which `followed` says of each flow.
pub(crate) fn of_dynamics(network: &Network, followed: impl Fn(usize) -> bool, notes: &mut Vec<String>) {
    habits(network, &followed, notes);
    let crossed = crossed(network, followed);
    fast_losses(network, &crossed, notes);
    traffic_losses(network, notes);
    acks_in_turn(network, &crossed, notes);
    let used = with_traffic(network, crossed);
    disciplines(network, &used, notes);
    link_features(network, |l| used[l], notes);
}

/// Notes on the population of flows that come and go, and on the permanent ones beside them.
pub(crate) fn of_population(network: &Network, notes: &mut Vec<String>) {
    let coming = || network.arrivals.iter().map(|a| (a.name.as_str(), &a.flow));
    let all = || coming().chain(network.flows.iter().map(|f| (f.name.as_str(), f)));
    habits_of(all, notes);
    let mut used = vec![false; network.links.len()];
    all().for_each(|(_, flow)| cross(flow, &mut used));
    losses_of_delay(network, &used, notes);
    traffic_losses(network, notes);
    let used = with_traffic(network, used);
    disciplines(network, &used, notes);
    link_features(network, |l| used[l], notes);
    let narrow = all().filter(|(_, flow)| flow.receive_window.is_some()).map(|(name, _)| name);
    notes.extend(listed("flow", narrow).map(|who| format!("{who}: the receive window is not modelled")));
    let short = network.links.iter().enumerate().filter(|(l, link)| {
        let mut across = all().filter(|(_, flow)| flow.data.contains(&(*l as u32)));
        across.any(|(_, flow)| {
            let alpha = fast(flow).map_or(0.0, |p| p.alpha.get());
            match droptail_limit(&link.queue) {
                Some(Limit::Packets(n)) => (n as f64) < alpha,
                Some(Limit::Bytes(n)) => (n as f64) < alpha * f64::from(flow.packet),
                _ => false,
            }
        })
    });
    if let Some(which) = listed("link", short.map(|(_, link)| link.name.as_str())) {
        notes.push(format!("{which}: the queue holds less than the alpha of one flow; losses are not modelled"));
    }
}

/// Links that `counted` flows cross.
fn crossed(network: &Network, counted: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut crossed = vec![false; network.links.len()];
    for (_, flow) in network.flows.iter().enumerate().filter(|(s, _)| counted(*s)) {
        cross(flow, &mut crossed);
    }
    crossed
}

fn cross(flow: &Flow, crossed: &mut [bool]) {
    flow.data.iter().chain(flow.ack.iter()).for_each(|l| crossed[*l as usize] = true);
}

/// Traffic whose mean rate the equilibrium counts.
fn counted_traffic(network: &Network) -> impl Iterator<Item = &Traffic> {
    network.traffic.iter().filter(|t| overlaps(t, network) && mean_rate(t).is_some())
}

/// The same with those that unresponsive traffic crosses.
fn with_traffic(network: &Network, mut crossed: Vec<bool>) -> Vec<bool> {
    counted_traffic(network).flat_map(|t| t.path.iter()).for_each(|l| crossed[*l as usize] = true);
    crossed
}

/// A note on links that send acknowledgements first, where they are taken to do no such thing.
fn acks_in_turn(network: &Network, crossed: &[bool], notes: &mut Vec<String>) {
    let links = network.links.iter().zip(crossed).filter(|(link, crossed)| **crossed && acks_first(link));
    if let Some(which) = listed("link", links.map(|(link, _)| link.name.as_str())) {
        notes.push(format!("{which}: acknowledgements do not go first, the queue is taken as a FIFO"));
    }
}

/// Flows and traffic without a model.
pub(crate) fn without_model(network: &Network, model: &Model, notes: &mut Vec<String>) {
    let mut kinds: Vec<&str> = Vec::new();
    let flows = || network.flows.iter().zip(model.place.iter().zip(&model.responses));
    let bursts = |flow: &Flow| loss_in_bursts(network, flow);
    for (flow, (place, response)) in flows() {
        let unknown = place.is_none() && response.is_none() && bursts(flow).is_none();
        if unknown && !kinds.contains(&flow.controller.name()) {
            kinds.push(flow.controller.name());
        }
    }
    let bursty =
        || flows().filter_map(|(f, (place, r))| Some((f, bursts(f)?)).filter(|_| place.is_none() && r.is_none()));
    let mut means: Vec<f64> = bursty().map(|(_, mean)| mean).collect();
    means.sort_by(f64::total_cmp);
    means.dedup();
    for mean in means {
        let who = bursty().filter(|(_, other)| *other == mean).map(|(f, _)| f.name.as_str());
        if let Some(who) = listed("flow", who) {
            notes.push(format!(
                "{who}: losses in bursts have no response function (independent ones have: loss = {mean:.2e} is as many in the mean); \
                 null, and so is what shares a link with them, directly or by way of others"
            ));
        }
    }
    for kind in kinds {
        let left = flows().filter(|(f, (place, r))| {
            place.is_none() && r.is_none() && bursts(f).is_none() && f.controller.name() == kind
        });
        if let Some(who) = listed("flow", left.map(|(f, _)| f.name.as_str())) {
            notes.push(format!(
                "theory has no model of {kind}: {who} read null, and so does what shares a link with them, directly or by way of \
                 others"
            ));
        }
    }
    let crowded = flows().filter(|(_, (place, r))| place.is_none() && r.is_some()).map(|(f, _)| f.name.as_str());
    if let Some(who) = listed("flow", crowded) {
        notes.push(format!(
            "{who}: the loss given on the path would let windows grow until a link is full where no queue of others keeps them \
             smaller; in a full link the queue's own losses decide, and theory has no model of those, so they read null, and so does \
             what shares a link with them, directly or by way of others"
        ));
    }
    for (flow, (place, response)) in flows() {
        if let (Some(_), Some(r)) = (place, response) {
            notes.push(format!(
                "flow {}: by response function, not from a model of its dynamics: a window of {:.1} packets at the loss given, \
                 {}, over the round-trip time of equilibrium; no timeouts, no loss in queues",
                flow.name, r.window, r.loss
            ));
        }
    }
    if let Some(who) = listed("arrivals", network.arrivals.iter().map(|a| a.name.as_str())) {
        notes.push(format!("{who}: the equilibrium is of flows that stay; those that come and go are left out, and what shares a link with them reads null"));
    }
    if let Some(who) = listed("probe", network.probes.iter().map(|p| p.name.as_str())) {
        notes.push(format!("{who}: the equilibrium is of flows, what latency probes send is left out"));
    }
    let unknown = network.traffic.iter().filter(|t| mean_rate(t).is_none()).map(|t| t.name.as_str());
    if let Some(who) = listed("traffic", unknown) {
        notes.push(format!("theory does not know the mean rate of {who}: ignored; links crossed read null"));
    }
}

/// Notes on flows and traffic that are there for a part of the time.
fn permanence(network: &Network, counted: impl Fn(usize) -> bool, notes: &mut Vec<String>) {
    let counted = || network.flows.iter().enumerate().filter(|(s, _)| counted(*s)).map(|(_, f)| f);
    let mut say = |who: Option<String>, what: &str| notes.extend(who.map(|who| format!("{who}: {what}")));
    let sized = counted().filter(|f| f.size.is_some()).map(|f| f.name.as_str());
    say(listed("flow", sized), "ends with its size, the equilibrium has the flow there for ever");
    let ending = counted().filter(|f| f.stop.is_some_and(|stop| stop < network.duration)).map(|f| f.name.as_str());
    say(listed("flow", ending), "stops before the end, the equilibrium has the flow there for ever");
    let late = counted().filter(|f| f.start > network.warmup).map(|f| f.name.as_str());
    say(listed("flow", late), "starts after the warmup, the equilibrium has the flow there all the time");
    let part = |t: &&Traffic| {
        overlaps(t, network)
            && (t.start > network.warmup || t.stop.is_some_and(|stop| stop < network.duration))
            && mean_rate(t).is_some()
    };
    let names = network.traffic.iter().filter(part).map(|t| t.name.as_str());
    say(
        listed("traffic", names),
        "sends during a part of the window only, the equilibrium has the mean rate there all the time",
    );
}

/// A note on traffic that is more than a constant load.
fn varying(network: &Network) -> Option<String> {
    let varies =
        |t: &&Traffic| overlaps(t, network) && mean_rate(t).is_some() && !matches!(t.model, TrafficParams::Cbr(_));
    let who = listed("traffic", network.traffic.iter().filter(varies).map(|t| t.name.as_str()))?;
    Some(format!("{who}: the mean rate counts, without the queues that packets and bursts of it make"))
}

/// Notes on what flows do that no model has.
fn habits(network: &Network, counted: impl Fn(usize) -> bool, notes: &mut Vec<String>) {
    let flows = || network.flows.iter().enumerate().filter(|(s, _)| counted(*s)).map(|(_, f)| (f.name.as_str(), f));
    habits_of(flows, notes);
}

/// The same of flows with these names.
fn habits_of<'a, I: Iterator<Item = (&'a str, &'a Flow)>>(flows: impl Fn() -> I, notes: &mut Vec<String>) {
    let mut say = |who: Option<String>, what: &str| notes.extend(who.map(|who| format!("{who}: {what}")));
    let of = |does: fn(&Flow) -> bool| flows().filter(move |(_, flow)| does(flow)).map(|(name, _)| name);
    let bursts = of(|f| f.application != Application::Bulk);
    say(listed("flow", bursts), "bursts are not honoured, theory lets the application send all it can");
    let riding = of(|f| f.peer.is_some());
    say(listed("flow", riding), "acknowledgements ride on data, theory sends each on its own");
    let fewer = of(|f| f.tcp.ack_congestion_control);
    say(
        listed("flow", fewer),
        "congestion control of acknowledgements is not modelled, theory has them at `ack_every`",
    );
}

fn limits(network: &Network, model: &Model, at: &Equilibrium, flows: &[FlowResult], notes: &mut Vec<String>) {
    let who = |holds: &dyn Fn(usize, &Flow, usize, &FastParams) -> bool| {
        let names = network.flows.iter().zip(&model.place).enumerate().filter_map(|(i, (f, place))| {
            let (place, params) = ((*place)?, fast(f)?);
            flows[i].window_packets.mean?; // nothing is said of what reads null
            holds(i, f, place, params).then_some(f.name.as_str())
        });
        listed("flow", names)
    };
    let window = |i: usize| flows[i].window_packets.mean.unwrap_or_default();
    let narrow = who(&|i, f, _, _| f.receive_window.is_some_and(|w| window(i) * f64::from(f.mss()) > w as f64));
    notes.extend(
        narrow.map(|who| format!("{who}: the receive window is below the window of equilibrium, not honoured")),
    );
    let held = network.flows.iter().zip(&model.place).enumerate().filter(|(i, (f, place))| {
        place.is_some()
            && fast(f).is_none()
            && f.receive_window.is_some_and(|w| window(*i) * f64::from(f.mss()) > w as f64)
    });
    let held = listed("flow", held.map(|(_, (f, _))| f.name.as_str()));
    notes.extend(
        held.map(|who| format!("{who}: the receive window is below the window of the response function, not honoured")),
    );
    let small = who(&|i, _, _, p| window(i) < p.min_window.get().max(1.0));
    notes.extend(small.map(|who| format!("{who}: the window of equilibrium is below min_window, not honoured")));
    let seen = |s: usize| at.delays[s] - model.problem.error_of(s);
    let quick = who(&|_, _, s, p| seen(s) < p.mi_threshold.as_secs_f64());
    notes.extend(quick.map(|who| {
        format!(
            "{who}: sees less queueing in equilibrium than mi_threshold, below which FAST keeps growing without its law; not \
             modelled"
        )
    }));
}

/// A note on receivers that wait for several packets before they acknowledge them: for n - 1 intervals of the flow. Each flow is given with
/// its place in `at` and its round-trip time.
fn receivers<'a>(at: &Equilibrium, flows: impl Iterator<Item = (&'a Flow, usize, f64)>, notes: &mut Vec<String>) {
    let waits = |flow: &Flow, s: usize| 1.0 / acks_per_s(flow, at, s) - 1.0 / at.rates[s];
    let names = flows.filter(|(f, s, round_trip)| waits(f, *s) > 0.03 * round_trip).map(|(f, ..)| f.name.as_str());
    if let Some(who) = listed("flow", names) {
        notes.push(format!(
            "{who}: an acknowledgement is for several packets, which wait at the receiver for the last of them, more than 3 % of the \
             round trip here; the equations do not have it: it adds to round-trip times and windows, and senders that take it for \
             queueing keep less in queues"
        ));
    }
}

/// Notes on flows whose own transmission times count beside the delay that they see, by the shares below. Each flow is given with the source
/// of its base round-trip time and that delay.
fn own_transmission<'a>(
    network: &Network,
    flows: impl Iterator<Item = (&'a Flow, BaseRttSource, f64)>,
    notes: &mut Vec<String>,
) {
    let counts = |f: &Flow, source: BaseRttSource, queueing: f64| match source {
        BaseRttSource::Known => transmission(network, f) > 0.01 * queueing,
        // one packet is always in transmission, of the alphas: what matters is that the round trip is another
        BaseRttSource::Estimated => {
            let own = transmission(network, f);
            own - handshake(network, f) > 0.03 * (propagation(network, f) + queueing + own)
        }
    };
    let (known, estimated): (Vec<_>, Vec<_>) = flows
        .filter(|(f, source, queueing)| counts(f, *source, *queueing))
        .partition(|(_, source, _)| *source == BaseRttSource::Known);
    let names = |of: &[(&'a Flow, BaseRttSource, f64)]| listed("flow", of.iter().map(|(f, ..)| f.name.as_str()));
    if let Some(who) = names(&known) {
        notes.push(format!(
            "{who}: takes propagation for its base round-trip time, so a sender sees its own transmission times as queueing, more \
             than 1 % of it here; the equations do not know them"
        ));
    }
    if let Some(who) = names(&estimated) {
        notes.push(format!(
            "{who}: has its base round-trip time from the small packets of the handshake, so a sender sees what its data take \
             longer to be transmitted as queueing; the equations do not know it, and the mean RTT contains it once more, more than \
             3 % of it here"
        ));
    }
}

fn loses(link: &Link) -> bool {
    drops(link) || link.corrupt > 0.0
}

fn drops(link: &Link) -> bool {
    !matches!(link.loss, LossParams::Independent(p) if p <= 0.0)
}

/// A note on loss on the `crossed` links that FAST flows cross.
fn fast_losses(network: &Network, crossed: &[bool], notes: &mut Vec<String>) {
    let mut by_delay = vec![false; crossed.len()];
    for flow in network.flows.iter().filter(|f| fast(f).is_some()) {
        flow.data.iter().chain(flow.ack.iter()).for_each(|l| by_delay[*l as usize] = crossed[*l as usize]);
    }
    losses_of_delay(network, &by_delay, notes);
}

/// A note on loss on links that flows cross whose equilibrium is of delay.
fn losses_of_delay(network: &Network, by_delay: &[bool], notes: &mut Vec<String>) {
    let links = network.links.iter().zip(by_delay).filter(|(link, by_delay)| **by_delay && loses(link));
    if let Some(which) = listed("link", links.map(|(link, _)| link.name.as_str())) {
        notes.push(format!("{which}: loss is not modelled for FAST, whose equilibrium is of delay"));
    }
}

/// A note on links that lose packets of traffic before others, which get their load from it. Damaged packets go on to the end of their
/// path and load all of it.
pub(crate) fn traffic_losses(network: &Network, notes: &mut Vec<String>) {
    let mut before = vec![false; network.links.len()];
    for path in counted_traffic(network).filter_map(|t| t.path.split_last()) {
        path.1.iter().for_each(|l| before[*l as usize] = true);
    }
    let links = network.links.iter().zip(before).filter(|(link, before)| *before && drops(link));
    if let Some(which) = listed("link", links.map(|(link, _)| link.name.as_str())) {
        notes.push(format!("{which}: traffic's losses are not modelled, links behind are taken to get all of it"));
    }
}

fn losses(network: &Network, model: &Model, crossed: &[bool], notes: &mut Vec<String>) {
    fast_losses(network, crossed, notes);
    traffic_losses(network, notes);
    let mut by_acks = vec![false; crossed.len()];
    for (flow, _) in network.flows.iter().zip(&model.place).filter(|(f, place)| place.is_some() && fast(f).is_none()) {
        flow.ack.iter().for_each(|l| by_acks[*l as usize] = true);
    }
    let links = network.links.iter().zip(by_acks).filter(|(link, by_acks)| *by_acks && loses(link));
    if let Some(which) = listed("link", links.map(|(link, _)| link.name.as_str())) {
        notes.push(format!(
            "{which}: what is lost there of acknowledgements is not carried further, but windows of response functions grow as if \
             all arrived"
        ));
    }
}

/// A note on disciplines that are no drop-tail queue, on the `crossed` links.
fn disciplines(network: &Network, crossed: &[bool], notes: &mut Vec<String>) {
    let others = network.links.iter().zip(crossed).filter(|(link, _)| droptail_limit(&link.queue).is_none());
    if let Some(which) = listed("link", others.filter(|(_, crossed)| **crossed).map(|(link, _)| link.name.as_str())) {
        notes.push(format!("{which}: taken as a FIFO queue without limit"));
    }
    let shaped = network.links.iter().zip(crossed).filter(|(link, crossed)| **crossed && is_shaped(link));
    if let Some(which) = listed("link", shaped.map(|(link, _)| link.name.as_str())) {
        notes.push(format!("{which}: the rate of the queue's own shaper is not modelled, flows get the link's"));
    }
}

/// Whether its queue sends at a rate of its own below the link's; one that counts framing may, at a rate above.
fn is_shaped(link: &Link) -> bool {
    match &link.queue {
        QueueParams::Tbf(tbf) => tbf.rate < link.rate,
        QueueParams::Cake(cake) => cake.bandwidth.is_some_and(|rate| rate < link.rate || cake.framing.is_some()),
        _ => false,
    }
}

fn queues(network: &Network, model: &Model, crossed: &[bool], links: &[LinkResult], notes: &mut Vec<String>) {
    disciplines(network, crossed, notes);
    link_features(network, |l| crossed[l], notes);
    let offered = &model.problem.unresponsive;
    for (l, link) in network.links.iter().enumerate() {
        if offered[l] > model.problem.capacity[l] {
            notes.push(format!(
                "link {}: traffic offers {} bit/s, more than the link carries; links behind it are taken to get all of it",
                link.name, offered[l]
            ));
        }
        let (waiting, unit, limit, in_bytes) = match droptail_limit(&link.queue) {
            Some(Limit::Packets(n)) => (links[l].queue_packets.mean, "packets", n as f64, false),
            Some(Limit::Bytes(n)) => (links[l].queue_bytes.mean, "B", n as f64, true),
            _ => continue,
        };
        // the tolerance avoids false alarms from rounding at a limit of exactly the alphas
        if let Some(mean) = waiting.filter(|mean| *mean > limit * (1.0 + 1e-9)) {
            notes.push(format!(
                "link {}: the queue of equilibrium, {mean:.1} {unit}, would overflow its limit of {limit} {unit}; losses are not \
                 modelled",
                link.name
            ));
        } else if let Some(mean) =
            waiting.filter(|mean| *mean > 0.0 && *mean + peaks(network, model, l, in_bytes) > limit)
        {
            notes.push(format!(
                "link {}: the queue of equilibrium, {mean:.1} {unit}, would overflow its limit of {limit} {unit} while windows at \
                 given loss are above their mean; losses are not modelled",
                link.name
            ));
        }
    }
}

/// By how much windows at given loss exceed their mean before a loss, a third of a saw-tooth's, summed over those that send data over
/// link `l`.
fn peaks(network: &Network, model: &Model, l: usize, in_bytes: bool) -> f64 {
    let flows = network.flows.iter().zip(model.place.iter().zip(&model.responses));
    let windows = flows.filter_map(|(flow, (place, response))| {
        let response = response.as_ref().filter(|_| place.is_some() && flow.data.contains(&(l as u32)))?;
        Some(response.window * if in_bytes { f64::from(flow.packet) } else { 1.0 })
    });
    windows.sum::<f64>() / 3.0
}

/// Features of the `used` links that theory does not model: framing, ACK reconstruction, shared media, variation.
pub(crate) fn link_features(network: &Network, used: impl Fn(usize) -> bool, notes: &mut Vec<String>) {
    let on = |has: fn(&Link) -> bool| {
        let links = network.links.iter().enumerate().filter(|(l, link)| used(*l) && has(link));
        listed("link", links.map(|(_, link)| link.name.as_str()))
    };
    if let Some(which) = on(|link| !link.framing.is_none()) {
        notes.push(format!("{which}: framing is not modelled, packets take their own bytes alone"));
    }
    if let Some(which) = on(|link| link.reconstruct.is_some()) {
        notes.push(format!("{which}: the reconstruction of acknowledgements is not modelled"));
    }
    if let Some(which) = on(|link| link.medium.is_some()) {
        notes.push(format!(
            "{which}: the half-duplex medium is not modelled, each transmits at its rate whatever the others do"
        ));
    }
    if let Some(which) = on(|link| link.variation.conditions.is_some()) {
        notes.push(format!(
            "{which}: changes, outages and traces are not modelled, theory has the rate, delay and loss given for the link all \
             the time"
        ));
    }
    if let Some(which) = on(|link| link.variation.jitter.is_some()) {
        notes.push(format!("{which}: jitter is not modelled, neither its mean delay nor reordering"));
    }
    if let Some(which) = on(|link| link.variation.policer.is_some()) {
        notes.push(format!("{which}: the policer is not modelled, the link's rate alone limits"));
    }
    if let Some(which) = on(|link| matches!(link.loss, LossParams::Pattern(LossPattern::GilbertElliott { .. }))) {
        notes.push(format!("{which}: loss in bursts is not modelled, theory has no loss there"));
    }
}
