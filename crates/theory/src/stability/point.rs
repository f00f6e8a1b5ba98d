//! The operating point about which the equations are linearised.

use eddyline_cc::FastProfile;
use eddyline_scenario::Network;
use eddyline_scenario::network::Flow;

use crate::equilibrium::Equilibrium;
use crate::error::TheoryError;
use crate::fast::{WindowLaw, averaging_time, between_updates};
use crate::linear::null_space;
use crate::model::{counts_round_trips, modelled_flows};
use crate::packets::{ack_bits, ack_ratio, bits};

/// The time unit of gamma in eq. 2 of the two-way paper, which the paper does not give.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum UpdatePeriod {
    /// That of the flow's controller: `clean` once a round trip, or once `update_period` where that is longer,
    /// `ns2-1.1.3` every period of every other round trip.
    #[default]
    Controller,
    /// gamma once a round trip: kappa = gamma / R.
    RoundTrip,
    /// gamma once so many seconds: kappa = gamma / period.
    Seconds(f64),
}

/// One crossing of a flow's packets (or acknowledgements) through a link with a queue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// The link's index in [`OperatingPoint::links`].
    pub link: usize,
    /// Share of the link's capacity that the flow takes in this crossing: x b / c.
    pub share: f64,
    /// Seconds from the sender to the link's queue, all queueing on the way included: tau^f. The rest of the round trip,
    /// this link's own queue included, is tau^b.
    pub forward_s: f64,
}

/// A flow, or flows that differ only in their shares.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlowPoint {
    /// R: the whole round trip in seconds.
    pub rtt_s: f64,
    /// kappa: gain of the window law in 1/s.
    pub gain: f64,
    /// rho: the share of the round trip that the flow measures as queueing delay, q / R with the base round-trip time known. In
    /// equilibrium alpha / w.
    pub rho: f64,
    /// Time constant of the average round-trip time in the window law; zero without a filter.
    pub filter_s: f64,
    /// Age of the window that the law multiplies by d / (d + q): zero in eq. 2, R for [`WindowLaw::AtSending`].
    pub memory_s: f64,
    /// Whether it stands for several flows.
    pub several: bool,
    /// Links with a queue, in the order in which they are crossed.
    pub crossings: Vec<Crossing>,
}

impl FlowPoint {
    /// Decay rate in 1/s of a perturbation of the window that affects no queue: kappa rho, or its counterpart with memory.
    #[must_use]
    pub fn decay(&self) -> f64 {
        let (kappa, rho, memory) = (self.gain, self.rho, self.memory_s);
        if memory == 0.0 {
            return kappa * rho;
        }
        // kappa - y = kappa (1 - rho) e^(y T), whose left falls and whose right grows
        let (mut low, mut high) = (0.0, kappa);
        for _ in 0..200 {
            let y = 0.5 * (low + high);
            if kappa - y > kappa * (1.0 - rho) * libm::exp(y * memory) { low = y } else { high = y }
        }
        0.5 * (low + high)
    }
}

/// An equilibrium for linearisation: links with queues, flows with delays.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OperatingPoint {
    /// Links with a queue, by index in the network.
    pub links: Vec<usize>,
    /// Flows that cross at least one of them, merged where they differ only in their shares.
    pub flows: Vec<FlowPoint>,
    /// What of this network the linearisation leaves out.
    pub notes: Vec<String>,
}

impl OperatingPoint {
    /// `network` in the equilibrium `at` (flows in the order of [`modelled_flows`]).
    ///
    /// # Errors
    /// [`TheoryError::OutOfRange`] where the update period is not above zero, [`TheoryError::NotConverged`] where the
    /// prices that `at` leaves open cannot be chosen.
    pub fn new(network: &Network, at: &Equilibrium, period: UpdatePeriod, filter: bool) -> Result<Self, TheoryError> {
        if let UpdatePeriod::Seconds(value) = period
            && !(value > 0.0 && value.is_finite())
        {
            let what = "the update period in seconds".to_owned();
            return Err(TheoryError::OutOfRange { what, value, allowed: "above 0 and finite" });
        }
        let flows = network.flows.iter().map(|f| (f.name.as_str(), &*f.controller));
        counts_round_trips(flows, "stability")?;
        let modelled = modelled_flows(network);
        let prices = prices(network, &modelled, at)?;
        let used = |l: usize| modelled.iter().any(|s| crosses(&network.flows[*s], l));
        let links: Vec<usize> = (0..network.links.len()).filter(|l| at.bottlenecks[*l] && used(*l)).collect();
        let mut place = vec![None; network.links.len()];
        links.iter().enumerate().for_each(|(i, l)| place[*l] = Some(i));
        let mut point = Self { links, ..Self::default() };
        for (i, s) in modelled.iter().enumerate() {
            let flow = point_of(network, &network.flows[*s], at.rates[i], &prices, &place, period, filter);
            point.add(flow);
        }
        point.notes = notes(network, &modelled, &point);
        Ok(point)
    }

    /// The same with another window law.
    #[must_use]
    pub fn with_law(mut self, law: WindowLaw) -> Self {
        for flow in &mut self.flows {
            flow.memory_s = match law {
                WindowLaw::Present => 0.0,
                WindowLaw::AtSending => flow.rtt_s,
            };
        }
        self
    }

    /// Adds a flow, or merges it with one that differs only in its shares.
    ///
    /// The sum of such flows obeys the equations of one; their differences decay on their own, at kappa rho.
    pub fn add(&mut self, flow: FlowPoint) {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs().max(b.abs());
        let alike = |a: &FlowPoint| {
            near(a.rtt_s, flow.rtt_s)
                && near(a.gain, flow.gain)
                && near(a.rho, flow.rho)
                && near(a.filter_s, flow.filter_s)
                && near(a.memory_s, flow.memory_s)
                && a.crossings.len() == flow.crossings.len()
                && a.crossings
                    .iter()
                    .zip(&flow.crossings)
                    .all(|(a, b)| a.link == b.link && (a.forward_s - b.forward_s).abs() <= 1e-12 * flow.rtt_s)
        };
        match self.flows.iter_mut().find(|a| alike(a)) {
            _ if flow.crossings.is_empty() => {}
            Some(known) => {
                known.crossings.iter_mut().zip(&flow.crossings).for_each(|(a, b)| a.share += b.share);
                known.several = true;
            }
            None => self.flows.push(flow),
        }
    }

    /// Dimension of the price changes that leave all delays unchanged: above zero only if links are exactly balanced.
    #[must_use]
    pub fn undetermined(&self) -> usize {
        let rows = self.flows.iter().map(|f| {
            let mut row = vec![0.0; self.links.len()];
            f.crossings.iter().for_each(|c| row[c.link] += 1.0);
            row
        });
        null_space(self.links.len(), rows).len()
    }

    /// The shortest and the longest round trip; `None` if no flow crosses a queue.
    #[must_use]
    pub fn round_trips(&self) -> Option<(f64, f64)> {
        let all = || self.flows.iter().map(|f| f.rtt_s);
        Some((all().reduce(f64::min)?, all().reduce(f64::max)?))
    }
}

fn crosses(flow: &Flow, l: usize) -> bool {
    flow.data.iter().chain(flow.ack.iter()).any(|k| *k as usize == l)
}

/// Prices, the undetermined ones chosen as equal as the flows' delays allow.
pub(crate) fn prices(network: &Network, modelled: &[usize], at: &Equilibrium) -> Result<Vec<f64>, TheoryError> {
    let mut prices: Vec<f64> = at.prices.iter().map(|p| p.unwrap_or(0.0)).collect();
    let open: Vec<bool> = at.prices.iter().map(Option::is_none).collect();
    if !open.contains(&true) {
        return Ok(prices);
    }
    let path = |s: &usize| network.flows[*s].data.iter().chain(network.flows[*s].ack.iter()).map(|l| *l as usize);
    // Kaczmarz's method converges to the solution closest to the starting point
    let mut worst = f64::INFINITY;
    for _ in 0..2_000 {
        worst = 0.0;
        for (i, s) in modelled.iter().enumerate() {
            let times = path(s).filter(|l| open[*l]).count();
            if times == 0 {
                continue;
            }
            let error = at.delays[i] - path(s).map(|l| prices[l]).sum::<f64>();
            worst = f64::max(worst, error.abs() / at.delays[i]);
            let step = error / times as f64;
            for l in path(s).filter(|l| open[*l]) {
                prices[l] = (prices[l] + step).max(0.0);
            }
        }
        if worst < 1e-14 {
            break;
        }
    }
    if worst > 1e-9 {
        return Err(TheoryError::NotConverged(format!("{worst:e} in the prices that the equilibrium leaves open")));
    }
    Ok(prices)
}

fn point_of(
    network: &Network,
    flow: &Flow,
    rate: f64,
    prices: &[f64],
    place: &[Option<usize>],
    period: UpdatePeriod,
    filter: bool,
) -> FlowPoint {
    let data = (&flow.data, flow.packet, bits(flow.packet), flow.access_data);
    let ack = (&flow.ack, flow.ack_packet, ack_bits(flow), flow.access_ack);
    let mut crossings = Vec::new();
    let mut at_s = 0.0;
    for (path, bytes, bits, access) in [data, ack] {
        for l in path.iter().map(|l| *l as usize) {
            let link = &network.links[l];
            if let Some(i) = place[l] {
                let share = rate * bits / link.rate.as_bps() as f64;
                crossings.push(Crossing { link: i, share, forward_s: at_s });
            }
            at_s += prices[l];
            at_s += link.rate.transmission_time(u64::from(bytes)).as_secs_f64() + link.delay.as_secs_f64();
        }
        // the uncongested access follows the last link, as in the packet simulator
        at_s += access.as_secs_f64();
    }
    let (alpha, gain, filter_s) = controller(flow, at_s, rate, period);
    // in equilibrium w - alpha = w d / R for any d that the sender assumes
    let rho = alpha / (rate * at_s);
    FlowPoint {
        rtt_s: at_s,
        gain,
        rho,
        filter_s: if filter { filter_s } else { 0.0 },
        crossings,
        ..FlowPoint::default()
    }
}

/// alpha, kappa and the time constant of the average.
pub(super) fn controller(flow: &Flow, rtt: f64, rate: f64, period: UpdatePeriod) -> (f64, f64, f64) {
    let params = &flow.controller;
    let Some(fast) = params.fast_law() else { return (0.0, 0.0, 0.0) };
    let between = match period {
        UpdatePeriod::RoundTrip => rtt,
        UpdatePeriod::Seconds(s) => s,
        UpdatePeriod::Controller => between_updates(fast, rtt),
    };
    (fast.alpha.get(), fast.gamma / between, averaging_time(params, fast, rtt, rate, rate / ack_ratio(flow)))
}

fn notes(network: &Network, modelled: &[usize], point: &OperatingPoint) -> Vec<String> {
    let mut notes = Vec::new();
    if modelled.len() < network.flows.len() {
        notes.push("flows without a model are left out".to_owned());
    }
    if !network.traffic.is_empty() {
        notes.push("unresponsive traffic is a constant load, also behind queues that it shares".to_owned());
    }
    let undetermined = point.undetermined();
    if undetermined > 0 {
        notes.push(format!(
            "{undetermined} of the queues' differences settle nowhere in particular: links are exactly balanced; the split is \
             taken as even"
        ));
    }
    let ns2 = |s: &usize| network.flows[*s].controller.fast_law().is_some_and(|fast| fast.profile == FastProfile::Ns2);
    if modelled.iter().any(ns2) {
        notes.push("updates that rest every other round trip are taken at their mean gain".to_owned());
    }
    notes
}
