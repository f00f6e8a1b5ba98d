//! From the indexed network to idle links, pipes and paths.

use std::collections::HashMap;

use eddyline_path::corruption::Corruption;
use eddyline_path::link::{AckReconstructor, FifoLink, Medium, Meter, Origin, Reservations, StoreLink};
use eddyline_path::loss::Loss;
use eddyline_path::queue::QueueParams;
use eddyline_path::variation::{Policer, Propagation};
use eddyline_scenario::Network;
use eddyline_scenario::network::Local;
use eddyline_units::Time;

use super::attachments::Attachments;
use super::domain::Border;
use super::pipes::Pipes;
use super::{EventQueue, Hop, Link, LinkOptions, Net, PacketCounters, Shared, Transmitter};
use crate::meter::PacketLogger;

/// Hops and pipes, as paths are laid out.
#[derive(Debug, Default)]
pub struct Layout {
    pub(super) hops: Vec<Hop>,
    /// Delay of each pipe.
    pub(super) delays: Vec<Time>,
    pipe_of: HashMap<(u32, Time), u32>,
    path_of: HashMap<(Vec<u32>, Time, u32), u32>,
}

/// What a [`Net`] is made of.
#[derive(Debug)]
pub struct Plan {
    /// Its links, by their places in the network; from the place `owned` on, those of other domains from which packets arrive.
    pub(super) links: Vec<u32>,
    pub(super) owned: usize,
    pub(super) hops: Vec<Hop>,
    pub(super) pipes: Pipes,
    pub(super) border: Option<Box<Border>>,
}

impl Layout {
    /// Number of hops of all paths.
    pub fn hops(&self) -> usize {
        self.hops.len()
    }

    /// All of the network.
    pub fn whole(&self, network: &Network) -> Plan {
        let links = network.links.len();
        let mut pipes = Pipes::default();
        self.delays.iter().for_each(|delay| pipes.add(*delay));
        Plan { links: (0..links as u32).collect(), owned: links, hops: self.hops.clone(), pipes, border: None }
    }

    /// Lays out a path for packets of `full` bytes with `access` delay at its end; returns its first hop.
    pub fn path(&mut self, network: &Network, links: &[u32], access: Time, full: u32) -> u32 {
        let key = (links.to_vec(), access, full);
        if let Some(first) = self.path_of.get(&key) {
            return *first;
        }
        let first = self.hops.len() as u32;
        for (i, l) in links.iter().enumerate() {
            let link = &network.links[*l as usize];
            let last = i + 1 == links.len();
            let extra = if last { access } else { Time::ZERO };
            let next = self.delays.len() as u32;
            let pipe = *self.pipe_of.entry((*l, extra)).or_insert(next);
            if pipe == next {
                self.delays.push(link.delay.saturating_add(extra));
            }
            let full_time = link.transmission_time(full);
            self.hops.push(Hop { link: *l, pipe, full_time, full, last });
        }
        self.path_of.insert(key, first);
        first
    }
}

/// Whether `link` is a NIC queue that senders query, and so must know departures in advance.
fn is_nic_queue(network: &Network, link: u32) -> bool {
    let dynamic = network.arrivals.iter().map(|a| &a.flow);
    network.flows.iter().chain(dynamic).any(|f| f.tcp.local != Local::Drop && f.data.first() == Some(&link))
}

impl Net {
    /// The links of `plan`, idle. Packets of source `i` come from the `i`th of `origins`.
    pub fn new(
        network: &Network,
        plan: Plan,
        origins: Vec<Origin>,
        general_queues: bool,
        logger: Option<Box<PacketLogger>>,
    ) -> Self {
        let shared =
            |m: &eddyline_scenario::network::Medium| Shared { medium: Medium::new(m.turnaround), links: Vec::new() };
        let mut media: Vec<Shared> = network.media.iter().map(shared).collect();
        let (mut reconstructing, mut departing, mut link_options) = (Vec::new(), Vec::new(), Vec::new());
        let links = plan.links.iter().zip(0..).map(|(place, index)| {
            let l = &network.links[*place as usize];
            let meter = Meter::new(network.warmup, network.duration);
            let store = |meter| StoreLink::new(&l.queue, &l.context(network.seed), meter);
            let transmitter = match (l.medium, l.queue) {
                // a link of another domain: nothing is queued here
                _ if index as usize >= plan.owned => Transmitter::Fifo(Box::new(FifoLink::new(l.queue.limit(), meter))),
                (Some(medium), _) => {
                    let shared = &mut media[medium as usize];
                    shared.links.push(index);
                    Transmitter::Shared { medium, member: shared.medium.join(store(meter)) as u32 }
                }
                // a reconstructor releases packets in order of time only if departures are events
                (None, QueueParams::DropTail(p))
                    if l.reconstruct.is_none()
                        && l.variation.is_steady()
                        && (!general_queues || is_nic_queue(network, *place)) =>
                {
                    let fifo = Box::new(FifoLink::new(p.limit, meter));
                    let plain =
                        logger.is_none() && l.framing.is_none() && l.variation.policer.is_none() && l.corrupt <= 0.0;
                    if plain { Transmitter::Fifo(fifo) } else { Transmitter::FramedFifo(fifo) }
                }
                (None, _) => Transmitter::Store(Box::new(store(meter))),
            };
            let loss = Loss::new(l.loss, network.seed, &l.name);
            let reconstructor = l.reconstruct.map(|params| {
                reconstructing.push(index);
                Box::new((AckReconstructor::new(params), reconstructing.len() as u32 - 1))
            });
            let departures = departing.len() as u32;
            let is_event = match &transmitter {
                Transmitter::Fifo(_) | Transmitter::FramedFifo(_) => false,
                Transmitter::Store(_) => true,
                Transmitter::Shared { medium, .. } => media[*medium as usize].links == [index],
            };
            if is_event {
                departing.push(index);
            }
            let policer = l.variation.policer.map(|p| Box::new(Policer::new(p)));
            let propagation = Propagation::new(&l.variation, l.delay, network.seed, &l.name);
            let propagation = propagation.map(|p| Box::new((p, l.delay)));
            link_options.push(LinkOptions {
                framing: l.framing,
                departures,
                reconstructor,
                policer,
                propagation,
                corruption: Corruption::new(l.corrupt, network.seed, &l.name).map(Box::new),
                corrupted: 0,
                reservations: Reservations::default(),
            });
            Link { transmitter, rate: l.rate, loss, lost: 0 }
        });
        let links: Vec<Link> = links.collect();
        let events = EventQueue::new(departing.len() + plan.pipes.len() + reconstructing.len());
        let mut pipes = plan.pipes;
        for hop in plan.hops.iter().filter(|hop| !hop.last || logger.is_some()) {
            pipes.set_indirect(hop.pipe);
        }
        let mut own_links = plan.links;
        own_links.truncate(plan.owned);
        Self {
            links,
            own_links,
            link_options,
            media,
            pipes,
            last_pipe: 0,
            hops: plan.hops,
            origins,
            border: plan.border,
            reconstructing,
            departing,
            events,
            cross_dropped: Vec::new(),
            discarded: Vec::new(),
            counters: PacketCounters::default(),
            max_packets: u64::MAX,
            drops_until: Time::ZERO,
            counted_from: PacketCounters::default(),
            excess_drops: None,
            interruption: None,
            is_interrupted: false,
            attachments: Attachments::default(),
            delivers_corrupted: false,
            logger,
        }
    }
}
