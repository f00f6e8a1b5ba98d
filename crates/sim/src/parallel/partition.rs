//! The domains of a network: parts that different threads can simulate.
//!
//! What occurs in one domain concerns another one propagation delay later at the earliest, the lookahead (Fujimoto, Parallel discrete event
//! simulation, CACM 33(10), 1990). Networks are cut behind links, where a packet has left a queue and is on its way. What reacts at once
//! stays together.

use std::collections::{BTreeMap, BTreeSet};

use eddyline_path::loss::LossParams;
use eddyline_scenario::Network;
use eddyline_scenario::network::{Flow, Link, LinkId};
use eddyline_units::Time;

use super::groups::Groups;
use super::growth::grow;
use crate::endpoint::TcpFlow;
use crate::simulation::{FirstHops, Paths};

/// Domains for each thread: more than one, so that loads can be balanced.
const DOMAINS_PER_THREAD: usize = 4;
/// Bytes of flows of a domain on one thread: they stay in a processor's last cache for a window, with links and packets.
const DOMAIN_BYTES: usize = 16 << 20;
/// At most so many domains for the sake of the cache: each takes memory of its own.
const MAX_DOMAINS_FOR_CACHE: usize = 32;
/// Lookaheads tried.
const LOOKAHEADS: usize = 8;
/// Seconds that an event takes, where the flows do not stay in a core's own cache (W5). Of this and the next three only the ratios matter.
const EVENT_S: f64 = 0.25e-6;
/// The same where they do.
const CACHED_EVENT_S: f64 = 0.04e-6;
/// Seconds that it takes to hand a packet over to another domain.
const CROSSING_S: f64 = 0.035e-6;
/// Seconds that a window costs beside its events.
const WINDOW_S: f64 = 15e-6;
/// Bytes of flows that stay in a core's own cache.
const CACHE_BYTES: usize = 2 << 20;
/// Bits of a packet, to estimate how many packets a link carries.
const PACKET_BITS: f64 = 12_000.0;

/// The domains.
#[derive(Debug)]
pub struct Partition {
    /// Domain of each link.
    pub of_link: Vec<u32>,
    /// What occurs in one domain concerns another at least this much later.
    pub lookahead: Time,
    /// Estimated packets a second of the links of each domain.
    pub loads: Vec<f64>,
}

/// Why a network should not be simulated by several threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Indivisible {
    /// Everything is behind links that cannot be cut, or there is one link each way.
    Whole,
    /// Delays are too short for the traffic there is, or one part has nearly all of it.
    NoGain,
}

/// The number of domains in which the state of `network` stays in the cache for a window; one if all of it does.
pub fn domains_for_cache(network: &Network) -> usize {
    (network.flows.len() * size_of::<TcpFlow>() / DOMAIN_BYTES).clamp(1, MAX_DOMAINS_FOR_CACHE)
}

impl Partition {
    /// Domains for `threads` threads; also if there is no gain, with `always`.
    ///
    /// # Errors
    /// Why there should be one thread.
    pub fn new(network: &Network, paths: &Paths, threads: usize, always: bool) -> Result<Self, Indivisible> {
        let traffic = Traffic::expected(network);
        let together = kept_together(network, paths);
        let total: f64 = traffic.of_link.iter().sum();
        let cached = network.flows.len() * size_of::<TcpFlow>() < CACHE_BYTES;
        let event_s = if cached { CACHED_EVENT_S } else { EVENT_S };
        let mut best: Option<(f64, Time, Groups)> = None;
        for lookahead in lookaheads(network) {
            let mut groups = together.clone();
            for (from, to) in traffic.between.keys() {
                if network.links[*from as usize].delay < lookahead {
                    groups.unite(*from, *to);
                }
            }
            let loads = groups.sums(&traffic.of_link);
            if loads.len() < 2 {
                continue;
            }
            let largest = loads.values().copied().fold(total / threads as f64, f64::max);
            let cost = largest * event_s + WINDOW_S / lookahead.as_secs_f64();
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, lookahead, groups));
            }
        }
        let (mut cost, lookahead, mut groups) = best.ok_or(Indivisible::Whole)?;
        let by_threads = if threads > 1 || always { threads * DOMAINS_PER_THREAD } else { 1 };
        let (of_link, loads) = grow(&mut groups, &traffic, by_threads.max(domains_for_cache(network)));
        // on one thread the gain is that of the cache, which is not estimated; windows must not cost much beside it
        let limit = if threads > 1 { 0.9 } else { 1.1 };
        if threads > 1 {
            cost += traffic.crossing(&of_link) / threads.min(loads.len()) as f64 * CROSSING_S;
        }
        if cost > limit * total * event_s && !always {
            return Err(Indivisible::NoGain);
        }
        Ok(Self { of_link, lookahead, loads })
    }

    /// The domain behind each hop of the paths.
    pub fn behind_hops(&self, network: &Network, paths: &Paths) -> Vec<u32> {
        let mut behind = vec![0; paths.layout.hops()];
        let mut path = |first: u32, links: &[LinkId], end: u32| {
            let next = links.iter().skip(1).chain([&end]);
            for (hop, link) in (first as usize..).zip(next) {
                behind[hop] = self.of_link[*link as usize];
            }
        };
        for ([data, ack], (there, back)) in round_trips(network, paths) {
            path(data, there, back[0]);
            path(ack, back, there[0]);
        }
        for (first, traffic) in paths.traffic.iter().zip(&network.traffic) {
            path(*first, &traffic.path, traffic.path[0]);
        }
        behind
    }
}

/// Packets a second that are expected, before anything is known of controllers: each flow has an equal share of its links.
#[derive(Debug)]
pub struct Traffic {
    /// Of each link.
    pub of_link: Vec<f64>,
    /// From one link to the link behind it, or from the last link of a path to the first of the way back.
    pub between: BTreeMap<(LinkId, LinkId), f64>,
}

impl Traffic {
    fn expected(network: &Network) -> Self {
        let mut users = vec![0.0_f64; network.links.len()];
        let mut counted: BTreeMap<(&[LinkId], &[LinkId]), f64> = BTreeMap::new();
        for flow in all_flows(network) {
            *counted.entry((&flow.data, &flow.ack)).or_default() += 1.0;
        }
        for probe in &network.probes {
            *counted.entry((&probe.data, &probe.ack)).or_default() += 1.0;
        }
        for traffic in &network.traffic {
            *counted.entry((&traffic.path, &[])).or_default() += 1.0;
        }
        for ((data, _), count) in &counted {
            data.iter().for_each(|l| users[*l as usize] += count);
        }
        let mut traffic = Self { of_link: vec![0.0; network.links.len()], between: BTreeMap::new() };
        for ((data, ack), count) in &counted {
            let share = |l: &LinkId| network.links[*l as usize].rate.as_bps() as f64 / users[*l as usize] / PACKET_BITS;
            let packets = count * data.iter().map(share).fold(f64::INFINITY, f64::min);
            let all: Vec<LinkId> = data.iter().chain(*ack).copied().collect();
            for (i, link) in all.iter().enumerate() {
                traffic.of_link[*link as usize] += packets;
                *traffic.between.entry((*link, all[(i + 1) % all.len()])).or_default() += packets;
            }
        }
        traffic
    }

    /// Packets a second that go to another domain.
    fn crossing(&self, domain: &[u32]) -> f64 {
        let crossing = self.between.iter().filter(|((from, to), _)| domain[*from as usize] != domain[*to as usize]);
        crossing.map(|(_, packets)| packets).sum()
    }
}

/// The delays of links that can be cut: at most [`LOOKAHEADS`] of them, the longest first.
fn lookaheads(network: &Network) -> Vec<Time> {
    let delays: BTreeSet<Time> = network.links.iter().filter(|l| can_be_cut(l)).map(|l| l.delay).collect();
    let longest_first: Vec<Time> = delays.into_iter().rev().collect();
    let step = longest_first.len().div_ceil(LOOKAHEADS).max(1);
    longest_first.chunks(step).filter_map(|chunk| chunk.last().copied()).collect()
}

/// Whether packets behind this link can be in another domain: they all arrive there, a constant delay later.
fn can_be_cut(link: &Link) -> bool {
    let keeps = matches!(link.loss, LossParams::Independent(p) if p <= 0.0) && link.corrupt <= 0.0;
    keeps
        && link.delay > Time::ZERO
        && link.variation.is_steady()
        && link.reconstruct.is_none()
        && link.medium.is_none()
}

/// The links that are in one domain whatever the lookahead is.
fn kept_together(network: &Network, paths: &Paths) -> Groups {
    let mut groups = Groups::new(network.links.len());
    let mut media: BTreeMap<u32, LinkId> = BTreeMap::new();
    for (link, place) in network.links.iter().zip(0..) {
        if let Some(medium) = link.medium {
            groups.unite(*media.entry(medium).or_insert(place), place);
        }
    }
    // packets that leave the same hop arrive in the same domain
    let mut behind: BTreeMap<u32, LinkId> = BTreeMap::new();
    for ([data, ack], (there, back)) in round_trips(network, paths) {
        groups.unite(*behind.entry(data).or_insert(back[0]), back[0]);
        groups.unite(*behind.entry(ack).or_insert(there[0]), there[0]);
        for (i, link) in there.iter().chain(back).enumerate() {
            if !can_be_cut(&network.links[*link as usize]) {
                groups.unite(*link, *there.iter().chain(back).cycle().nth(i + 1).unwrap_or(link));
            }
        }
    }
    for flow in network.flows.iter().filter(|f| reacts_at_both_ends(f)) {
        groups.unite(flow.data[0], flow.ack[0]);
        if let Some(peer) = flow.peer {
            groups.unite(flow.data[0], network.flows[peer as usize].data[0]);
        }
    }
    for (first, traffic) in paths.traffic.iter().zip(&network.traffic) {
        groups.unite_all(traffic.path.iter());
        groups.unite(*behind.entry(*first).or_insert(traffic.path[0]), traffic.path[0]);
    }
    for probe in &network.probes {
        groups.unite_all(probe.data.iter().chain(probe.ack.iter()));
    }
    // their slots are numbered together
    groups.unite_all(network.arrivals.iter().flat_map(|a| a.flow.data.iter().chain(a.flow.ack.iter())));
    groups
}

/// Whether sender and receiver of a flow have timers, or data both ways: their timers are one source of events.
fn reacts_at_both_ends(flow: &Flow) -> bool {
    let tcp = &flow.tcp;
    flow.peer.is_some() || tcp.ack_every > 1 || tcp.ack_congestion_control || tcp.ack_ratio_by_controller
}

fn all_flows(network: &Network) -> impl Iterator<Item = &Flow> {
    network.flows.iter().chain(network.arrivals.iter().map(|a| &a.flow))
}

/// First hops and links of the paths of all flows and probes.
fn round_trips<'a>(
    network: &'a Network,
    paths: &'a Paths,
) -> impl Iterator<Item = (FirstHops, (&'a [LinkId], &'a [LinkId]))> {
    let flows = network.flows.iter().zip(&paths.flows);
    let arrivals = network.arrivals.iter().map(|a| &a.flow).zip(&paths.arrivals);
    let flows = flows.chain(arrivals).map(|(f, hops)| (*hops, (&*f.data, &*f.ack)));
    flows.chain(network.probes.iter().zip(&paths.probes).map(|(p, hops)| (*hops, (&*p.data, &*p.ack))))
}
