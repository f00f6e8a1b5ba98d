//! The population of a scenario: which method applies, and its result by name.

use std::collections::BTreeMap;

use eddyline_path::traffic::SizeParams;
use eddyline_scenario::Network;
use eddyline_scenario::network::Flow;
use serde::Serialize;

use super::chain::{self, MAX_STATES};
use super::duplex::DuplexLoad;
use super::flow_level::{self, FlowClass};
use super::fluid_limit::{self, Source};
use super::reduction;
use super::sharing::Sharing;
use crate::approximations::of_population;
use crate::equilibrium::{Problem, ProblemFlow};
use crate::error::TheoryError;
use crate::model::{acks_first, counts_round_trips, links_alone};
use crate::packets::{self, bits};

/// Which method to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PopulationMethod {
    /// The Markov chain where it applies, otherwise the simulation.
    #[default]
    Auto,
    /// The simulation always.
    FlowLevel,
}

/// Options of [`population`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PopulationOptions {
    /// Which method to use.
    pub method: PopulationMethod,
    /// Relative error of mean numbers allowed for the truncation of the chain.
    pub tolerance: f64,
    /// Limit on states of the chain; loads that need more get the asymptotic solution.
    pub max_states: usize,
    /// Arrivals to simulate; `None`: two million if rates have a closed form, a hundred thousand otherwise.
    pub arrivals: Option<u64>,
    /// Whether to give the distributions of the numbers of flows.
    pub distribution: bool,
}

impl Default for PopulationOptions {
    fn default() -> Self {
        Self {
            method: PopulationMethod::Auto,
            tolerance: 1e-8,
            max_states: MAX_STATES,
            arrivals: None,
            distribution: false,
        }
    }
}

/// The stationary population of dynamic flows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Population {
    /// Whether their number stays finite: every link's load is below 1.
    pub stable: bool,
    /// Offered load of each link that flows cross: data and acknowledgements over what unresponsive traffic leaves.
    pub load: BTreeMap<String, f64>,
    /// Share of time in which no link is full; `None` where it is not known.
    pub idle: Option<f64>,
    /// Share of time in which each link alone is full, and under `both` what `several` says, unless a link has that
    /// name: with `idle` they sum to 1 then. Empty where it is not known.
    pub bottleneck: BTreeMap<String, f64>,
    /// Share of time in which several links are full; `None` where it is not known.
    pub several: Option<f64>,
    /// Mean number of flows of each `arrivals` table; `None` where it is not finite.
    pub mean_flows: BTreeMap<String, Option<f64>>,
    /// Mean time of transfer in seconds; `None` where it is not finite.
    pub mean_transfer_time_s: BTreeMap<String, Option<f64>>,
    /// Probability of 0, 1, 2, ... flows of each `arrivals` table, up to the last one above 1e-12; only where it was
    /// asked for and the chain gives it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub distribution: BTreeMap<String, Vec<f64>>,
    /// Flows a second by which an unstable population grows; empty where it is stable or not known.
    pub growth_per_s: BTreeMap<String, f64>,
    /// `chain`, `asymptotic`, `flow-level` or, where unstable, `fluid`.
    pub method: &'static str,
    /// Largest relative error of mean numbers: bound of the truncation (`chain`), estimate (`asymptotic`), half-width
    /// of the 95 % confidence interval (`flow-level`).
    pub error: Option<f64>,
    /// What the result leaves out.
    pub notes: Vec<String>,
}

impl Population {
    /// After the shares of the links.
    fn several_full(&mut self, share: f64) {
        self.several = Some(share);
        self.bottleneck.entry("both".to_owned()).or_insert(share);
    }
}

/// The population of the flows of `network.arrivals`.
///
/// Unresponsive traffic has its mean rate; permanent flows share links with the dynamic ones.
///
/// # Errors
/// [`TheoryError`] where there are no arrivals, a controller has no model, unresponsive traffic fills a link, or the
/// equilibrium of a state is not found. An unstable population is no error.
pub fn population(network: &Network, options: &PopulationOptions) -> Result<Population, TheoryError> {
    if network.arrivals.is_empty() {
        return Err(TheoryError::NoArrivals);
    }
    let mut notes = Vec::new();
    let fixed = fixed(network, &mut notes)?;
    of_population(network, &mut notes);
    let classes = network.arrivals.iter().map(class).collect::<Result<Vec<FlowClass>, TheoryError>>()?;
    let names: Vec<&str> = network.arrivals.iter().map(|a| a.name.as_str()).collect();
    remaining(network, &fixed, &classes)?;
    let load = loads(&fixed, &classes);
    let by_name = network.links.iter().zip(&load).filter(|(_, load)| **load > 0.0);
    let mut population = Population {
        stable: load.iter().all(|rho| *rho < 1.0),
        load: by_name.map(|(l, load)| (l.name.clone(), *load)).collect(),
        idle: None,
        bottleneck: BTreeMap::new(),
        several: None,
        mean_flows: BTreeMap::new(),
        mean_transfer_time_s: BTreeMap::new(),
        distribution: BTreeMap::new(),
        growth_per_s: BTreeMap::new(),
        method: "fluid",
        error: None,
        notes,
    };
    if !population.stable {
        unstable(network, &fixed, &classes, &mut population);
        return Ok(population);
    }
    let duplex = if options.method == PopulationMethod::Auto { one_duplex_link(&fixed, &classes) } else { None };
    match duplex {
        Some((load, links)) => by_chain(network, &load, links, options, &mut population)?,
        None => simulated(network, &fixed, &classes, options, &mut population)?,
    }
    for name in names {
        population.mean_flows.entry(name.to_owned()).or_insert(None);
        population.mean_transfer_time_s.entry(name.to_owned()).or_insert(None);
    }
    Ok(population)
}

fn problem_flow(name: &str, flow: &Flow) -> Result<ProblemFlow, TheoryError> {
    let Some(fast) = flow.controller.fast_law() else {
        return Err(TheoryError::NoModel { who: name.to_owned(), controller: flow.controller.name().to_owned() });
    };
    counts_round_trips([(name, &*flow.controller)], "the population of flows")?;
    Ok(packets::problem_flow(flow, fast.alpha.get()))
}

fn class(arrivals: &eddyline_scenario::network::Arrivals) -> Result<FlowClass, TheoryError> {
    let flow = &arrivals.flow;
    Ok(FlowClass {
        name: arrivals.name.clone(),
        rate_per_s: arrivals.rate_per_s,
        size: arrivals.size.clone(),
        listed: arrivals.listed.clone(),
        bits_per_byte: bits(flow.packet) / f64::from(flow.mss()),
        flow: problem_flow(&arrivals.name, flow)?,
    })
}

/// Links with unresponsive traffic, and the permanent flows.
fn fixed(network: &Network, notes: &mut Vec<String>) -> Result<Problem, TheoryError> {
    let mut problem = links_alone(network, notes);
    if network.links.iter().any(acks_first) {
        problem.acks_first = network.links.iter().map(acks_first).collect();
    }
    for flow in &network.flows {
        problem.flows.push(problem_flow(&flow.name, flow)?);
        if flow.size.is_some() || flow.stop.is_some() {
            notes.push(format!("{}: taken to be there all the time", flow.name));
        }
    }
    Ok(problem)
}

/// Checks that unresponsive traffic leaves capacity on all links that flows cross.
fn remaining(network: &Network, fixed: &Problem, classes: &[FlowClass]) -> Result<(), TheoryError> {
    for flow in fixed.flows.iter().chain(classes.iter().map(|c| &c.flow)) {
        for l in flow.data.iter().chain(flow.ack.iter()).map(|l| *l as usize) {
            let (load_bps, capacity_bps) = (fixed.unresponsive[l], fixed.capacity[l]);
            if load_bps >= capacity_bps {
                return Err(TheoryError::Overload {
                    link: network.links[l].name.as_str().into(),
                    load_bps,
                    capacity_bps,
                });
            }
        }
    }
    Ok(())
}

/// Offered load of each link: bits of data and acknowledgements a second over what unresponsive traffic leaves.
fn loads(fixed: &Problem, classes: &[FlowClass]) -> Vec<f64> {
    let mut bits = vec![0.0; fixed.capacity.len()];
    for class in classes {
        let data = class.rate_per_s * class.mean_bits();
        class.flow.data.iter().for_each(|l| bits[*l as usize] += data);
        class.flow.ack.iter().for_each(|l| bits[*l as usize] += data * class.flow.ack_bits / class.flow.packet_bits);
    }
    let left = fixed.capacity.iter().zip(&fixed.unresponsive).map(|(c, b)| c - b);
    bits.into_iter().zip(left).map(|(bits, left)| if bits > 0.0 { bits / left } else { 0.0 }).collect()
}

/// The arrivals as the model of Section 6 of the two-way paper, with its two links; `None` if it does not apply.
fn one_duplex_link(fixed: &Problem, classes: &[FlowClass]) -> Option<(DuplexLoad, [usize; 2])> {
    let (first, others) = classes.split_first()?;
    let exponential = classes.iter().all(|c| matches!(c.size, SizeParams::Exponential { .. }));
    let ([f], [b]) = (&*first.flow.data, &*first.flow.ack) else { return None };
    if !exponential || !fixed.flows.is_empty() || others.len() > 1 || f == b {
        return None;
    }
    if let Some(other) = others.first() {
        let alike = other.flow.alpha == first.flow.alpha
            && other.flow.packet_bits == first.flow.packet_bits
            && other.flow.ack_bits == first.flow.ack_bits
            && other.mean_bits() == first.mean_bits();
        if !alike || *other.flow.data != [*b] || *other.flow.ack != [*f] {
            return None;
        }
    }
    // not where acknowledgements go first on a link that may be full
    Sharing::new(fixed.clone(), classes.iter().map(|c| c.flow.clone()).collect()).common()?;
    let links = [*f as usize, *b as usize];
    let left = |l: usize| fixed.capacity[l] - fixed.unresponsive[l];
    let load = DuplexLoad {
        lambda_f: first.rate_per_s,
        lambda_b: others.first().map_or(0.0, |c| c.rate_per_s),
        mean_bits: first.mean_bits(),
        c_f: left(links[0]),
        c_b: left(links[1]),
        b: first.flow.ack_bits / first.flow.packet_bits,
    };
    Some((load, links))
}

fn by_chain(
    network: &Network,
    load: &DuplexLoad,
    links: [usize; 2],
    options: &PopulationOptions,
    population: &mut Population,
) -> Result<(), TheoryError> {
    let exact = chain::with_marginals(load, options.tolerance, options.max_states)?;
    population.method = if exact.is_some() { "chain" } else { "asymptotic" };
    if let Some((_, marginals)) = exact.as_ref().filter(|_| options.distribution) {
        for (arrivals, of) in network.arrivals.iter().zip([&marginals.forward, &marginals.backward]) {
            population.distribution.insert(arrivals.name.clone(), of.clone());
        }
    }
    let found = exact.map(|e| e.0).or_else(|| reduction::asymptotic(load));
    let Some(found) = found else {
        population.notes.push("the load is too close to 1 for any method: means are not known".to_owned());
        return Ok(());
    };
    if found.states == 0 {
        population
            .notes
            .push("asymptotic for loads close to 1; the error is an estimate, shares are rougher".to_owned());
    }
    population.idle = Some(found.idle);
    for (l, share) in links.into_iter().zip([found.forward, found.backward]) {
        population.bottleneck.insert(network.links[l].name.clone(), share);
    }
    population.several_full(found.both);
    population.error = Some(found.error);
    let means = [found.mean_forward, found.mean_backward];
    for ((arrivals, mean), time) in network.arrivals.iter().zip(means).zip(found.transfer_times(load)) {
        population.mean_flows.insert(arrivals.name.clone(), Some(mean));
        population.mean_transfer_time_s.insert(arrivals.name.clone(), time);
    }
    Ok(())
}

fn simulated(
    network: &Network,
    fixed: &Problem,
    classes: &[FlowClass],
    options: &PopulationOptions,
    population: &mut Population,
) -> Result<(), TheoryError> {
    let sharing = Sharing::new(fixed.clone(), classes.iter().map(|c| c.flow.clone()).collect());
    let arrivals = options.arrivals.unwrap_or(if sharing.common().is_some() { 2_000_000 } else { 100_000 });
    if sharing.common().is_none() {
        population.notes.push(
            "stability is that of each link's load; for networks this is necessary, not proved to suffice".into(),
        );
    }
    let name = |l: usize| network.links.get(l).map(|link| link.name.as_str());
    let found = flow_level::run(sharing, network.links.len(), classes, arrivals, network.seed)
        .map_err(|e| e.named(|_| None, name))?;
    population.method = "flow-level";
    population.idle = Some(found.idle.mean);
    let mut crossed = vec![false; network.links.len()];
    for flow in fixed.flows.iter().chain(classes.iter().map(|c| &c.flow)) {
        flow.data.iter().chain(flow.ack.iter()).for_each(|l| crossed[*l as usize] = true);
    }
    for (l, link) in network.links.iter().enumerate().filter(|(l, _)| crossed[*l]) {
        population.bottleneck.insert(link.name.clone(), found.alone[l].mean);
    }
    population.several_full(found.several.mean);
    let mut error = 0.0f64;
    for (c, class) in classes.iter().enumerate() {
        let (mean, time) = (found.flows[c], found.transfer_s[c]);
        if mean.mean > 0.0 {
            error = error.max(mean.half_width / mean.mean);
        }
        population.mean_flows.insert(class.name.clone(), Some(mean.mean));
        population.mean_transfer_time_s.insert(class.name.clone(), (time.mean > 0.0).then_some(time.mean));
    }
    population.error = error.is_finite().then_some(error);
    if classes.iter().any(|c| matches!(c.size, SizeParams::Pareto { shape, .. } if shape <= 2.0)) {
        population
            .notes
            .push("sizes without a variance: means settle slowly and the confidence interval is too narrow".into());
    }
    Ok(())
}

/// An unstable population: its growth if known, no means.
fn unstable(network: &Network, fixed: &Problem, classes: &[FlowClass], population: &mut Population) {
    for class in classes {
        population.mean_flows.insert(class.name.clone(), None);
        population.mean_transfer_time_s.insert(class.name.clone(), None);
    }
    let exponential = classes.iter().all(|c| matches!(c.size, SizeParams::Exponential { .. }));
    let sharing = Sharing::new(fixed.clone(), classes.iter().map(|c| c.flow.clone()).collect());
    let Some(common) = sharing.common().filter(|_| exponential) else {
        population.notes.push(
            "unstable: the fluid limit is known for exponential sizes and flows that share the queues of all full links"
                .into(),
        );
        return;
    };
    let sources: Vec<Source> =
        classes.iter().map(|c| Source { lambda: c.rate_per_s, mean_bits: c.mean_bits() }).collect();
    let Some((growth, full)) = fluid_limit::growth(common, &sources) else {
        population.notes.push("load 1: the population grows without bound, but less than in proportion to time".into());
        return;
    };
    population.growth_per_s = classes.iter().map(|c| c.name.clone()).zip(growth).collect();
    population.idle = Some(0.0);
    // the paper's fraction for n / m -> theta: it has no limit, its mean is one half each by symmetry of the
    // fluctuations
    let each = 1.0 / full.len().max(1) as f64;
    for (at, (l, _)) in common.links.iter().enumerate() {
        population.bottleneck.insert(network.links[*l].name.clone(), if full.contains(&at) { each } else { 0.0 });
    }
    population.several_full(0.0);
    if full.len() > 1 {
        population.notes.push(
            "several links are full almost all the time: which of them exactly changes ever more slowly, so the shares have no \
             limit and the ones given are means"
                .into(),
        );
    }
}
