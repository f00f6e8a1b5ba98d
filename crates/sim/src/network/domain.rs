//! A part of a network: the links of one domain, and the packets that cross its border.
//!
//! A packet leaves a domain behind a link: it is in the pipe there when another simulation takes it over. Hops have the same numbers in all
//! domains.

use std::sync::Arc;

use eddyline_path::link::Origin;
use eddyline_units::Time;

use super::layout::{Layout, Plan};
use super::pipes::Pipes;
use super::{Hop, Net};
use crate::packet::{AckOptions, Packet, PacketSink as _, PiggybackedAck};

/// Sources from here on have no endpoint in a domain; what is above it is the number in the whole network.
pub const TRANSIT: u32 = 1 << 31;

/// A hop that packets of a domain never have.
const ELSEWHERE: Hop = Hop { link: u32::MAX, pipe: u32::MAX, full_time: Time::ZERO, full: 0, last: false };

/// Where the parts of a network are simulated.
#[derive(Debug)]
pub struct Domains {
    /// Domain of each link.
    pub of_link: Vec<u32>,
    /// Domain that packets are in behind each hop.
    pub behind_hop: Vec<u32>,
    /// Origin of the packets of each flow.
    pub origins: Arc<[Origin]>,
}

/// A pipe that leads out of a domain.
#[derive(Debug)]
pub(super) struct Exit {
    /// The domain that it leads to.
    domain: u32,
    /// Its number in the whole network.
    pipe: u32,
}

/// What a packet carries beside its fields.
#[derive(Debug)]
enum Cargo {
    Options(AckOptions),
    Ack(PiggybackedAck),
}

/// A packet that goes over to another domain.
#[derive(Debug)]
pub struct Crossing {
    /// The pipe's number in the whole network.
    pipe: u32,
    at: Time,
    /// The packet; its source has the number of the domain that it leaves.
    pub packet: Packet,
    cargo: Option<Box<Cargo>>,
}

impl Layout {
    /// The part of the layout that is in `domain`.
    pub fn part(&self, domains: &Domains, domain: u32) -> Plan {
        let owns = |link: u32| domains.of_link[link as usize] == domain;
        let enters = |hop: usize| domains.behind_hop[hop] == domain;
        let mut links: Vec<u32> = (0..domains.of_link.len() as u32).filter(|l| owns(*l)).collect();
        let owned = links.len();
        let mut local_link = vec![u32::MAX; domains.of_link.len()];
        for (link, local) in links.iter().zip(0..) {
            local_link[*link as usize] = local;
        }
        let mut arriving = vec![false; self.delays.len()];
        for (hop, _) in self.hops.iter().enumerate().filter(|(i, _)| enters(*i)) {
            arriving[self.hops[hop].pipe as usize] = true;
        }
        // in the order of the whole network, which decides between events at the same time
        let pipe_of: Vec<u32> = (0..self.delays.len() as u32).filter(|p| arriving[*p as usize]).collect();
        let mut local_pipe = vec![u32::MAX; self.delays.len()];
        let mut pipes = Pipes::of_part();
        for (pipe, local) in pipe_of.iter().zip(0..) {
            local_pipe[*pipe as usize] = local;
            pipes.add(self.delays[*pipe as usize]);
        }
        let mut exits: Vec<Exit> = Vec::new();
        let mut exit_of = std::collections::HashMap::new();
        let hops = self.hops.iter().enumerate().map(|(i, hop)| {
            let behind = domains.behind_hop[i];
            if !owns(hop.link) && behind != domain {
                return ELSEWHERE;
            }
            let link = &mut local_link[hop.link as usize];
            if *link == u32::MAX {
                // known here for what arrives from it
                *link = links.len() as u32;
                links.push(hop.link);
            }
            let pipe = if behind == domain {
                local_pipe[hop.pipe as usize]
            } else {
                *exit_of.entry((hop.pipe, behind)).or_insert_with(|| {
                    exits.push(Exit { domain: behind, pipe: hop.pipe });
                    pipes.add(self.delays[hop.pipe as usize]);
                    pipes.len() as u32 - 1
                })
            };
            Hop { link: *link, pipe, ..*hop }
        });
        let hops = hops.collect();
        let border = Some(Box::new(Border { exits, local_pipe, origins: Arc::clone(&domains.origins) }));
        Plan { links, owned, hops, pipes, border }
    }
}

/// The border of a domain.
#[derive(Debug)]
pub(super) struct Border {
    /// The last pipes of the domain.
    exits: Vec<Exit>,
    /// Numbers here of the pipes of the whole network.
    local_pipe: Vec<u32>,
    /// Origin of the packets of each flow of the whole network.
    origins: Arc<[Origin]>,
}

impl Border {
    /// Whether `pipe`, of so many, leads out of the domain.
    pub fn is_exit(&self, pipe: u32, pipes: usize) -> bool {
        pipe as usize + self.exits.len() >= pipes
    }

    /// Origin of the packets of a flow without endpoints here.
    pub fn origin(&self, source: u32) -> Option<Origin> {
        self.origins.get((source & !TRANSIT) as usize).copied()
    }
}

impl Net {
    /// Takes out the packets that have left the domain since the last call, with the domain that each goes to.
    pub fn take_crossings(&mut self, mut hand_over: impl FnMut(u32, Crossing)) {
        let Some(border) = self.border.take() else { return };
        let first = self.pipes.len() - border.exits.len();
        for (exit, pipe) in border.exits.iter().zip(first as u32..) {
            while let Some((at, mut packet)) = self.pipes.take_first(pipe) {
                let cargo = self.unload(&mut packet);
                self.counters.sent -= 1;
                hand_over(exit.domain, Crossing { pipe: exit.pipe, at, packet, cargo });
            }
        }
        self.border = Some(border);
    }

    /// A packet arrives from another domain, of source `flow` here.
    pub fn enter(&mut self, flow: u32, crossing: Crossing) {
        let Crossing { pipe, at, mut packet, cargo } = crossing;
        packet.flow = flow;
        match cargo.map(|cargo| *cargo) {
            Some(Cargo::Options(options)) => packet.extra = self.attach_options(options),
            Some(Cargo::Ack(ack)) => packet.metadata = packet.metadata.with_ack(self.attach_ack(ack)),
            None => {}
        }
        self.counters.sent += 1;
        let pipe = self.border.as_ref().map_or(pipe, |border| border.local_pipe[pipe as usize]);
        if self.pipes.push_arrival(pipe, at, packet) {
            self.schedule(pipe, at);
        }
    }

    /// Takes from a packet what is kept beside it.
    fn unload(&mut self, packet: &mut Packet) -> Option<Box<Cargo>> {
        if packet.has_options() {
            return Some(Box::new(Cargo::Options(self.detach_options(packet))));
        }
        self.detach_ack(packet).map(|ack| Box::new(Cargo::Ack(ack)))
    }
}
