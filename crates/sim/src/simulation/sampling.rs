//! Samples of the waits at links, from which bottlenecks are told.

use std::mem;

use eddyline_path::link::Origin;
use eddyline_scenario::Network;
use eddyline_units::Time;

use super::share::{Share, flow_origin};
use crate::meter::{BottleneckSampler, Direction, SampleTimes, Visit};
use crate::network::{Net, WaitingPlace};
use crate::packet::{Packet, PacketKind};

/// What becomes of the samples of a simulation.
#[derive(Debug)]
pub enum Sampling {
    /// There are none.
    Off,
    /// They are judged at once.
    Judged(Box<Judged>),
    /// Those of the simulation's own links are kept, to be judged with those of other parts.
    Kept(Box<Kept>),
}

#[derive(Debug)]
pub struct Judged {
    sampler: BottleneckSampler,
    places: Vec<WaitingPlace>,
    /// Room for the waits of one sample.
    waits: Vec<Time>,
}

#[derive(Debug)]
pub struct Kept {
    times: SampleTimes,
    places: Vec<WaitingPlace>,
    /// Sample after sample.
    waits: Vec<Time>,
}

impl Sampling {
    /// Judged, if there is a sampler; `net` has all of `network`.
    pub fn judged(sampler: Option<BottleneckSampler>, network: &Network, share: &Share, net: &Net) -> Self {
        sampler.map_or(Self::Off, |sampler| {
            let places = places(sampler.visits(), network, share, net);
            let waits = Vec::with_capacity(places.len());
            Self::Judged(Box::new(Judged { sampler, places, waits }))
        })
    }

    /// Kept, if there is a sampler; `net` has `share` of `network`.
    pub fn kept(sampler: Option<&BottleneckSampler>, network: &Network, share: &Share, net: &Net) -> Self {
        sampler.map_or(Self::Off, |sampler| {
            let places = places(sampler.visits(), network, share, net);
            Self::Kept(Box::new(Kept { times: sampler.times().clone(), places, waits: Vec::new() }))
        })
    }

    /// When the next sample is due.
    pub fn next(&self) -> Time {
        match self {
            Self::Off => Time::MAX,
            Self::Judged(judged) => judged.sampler.times().next(),
            Self::Kept(kept) => kept.times.next(),
        }
    }

    /// Takes the sample that is due.
    pub fn sample(&mut self, now: Time, net: &Net) {
        match self {
            Self::Off => {}
            Self::Judged(judged) => {
                judged.waits.clear();
                judged.waits.extend(judged.places.iter().map(|place| net.wait(now, place)));
                judged.sampler.sample(&judged.waits);
            }
            Self::Kept(kept) => {
                kept.waits.extend(kept.places.iter().map(|place| net.wait(now, place)));
                kept.times.advance();
            }
        }
    }

    /// Takes out what was kept since the last call, sample after sample.
    pub fn take_kept(&mut self) -> Vec<Time> {
        if let Self::Kept(kept) = self { mem::take(&mut kept.waits) } else { Vec::new() }
    }

    /// The sampler, with what was judged.
    pub fn into_sampler(self) -> Option<BottleneckSampler> {
        if let Self::Judged(judged) = self { Some(judged.sampler) } else { None }
    }
}

/// Those of `visits` that are to links of `net`: their places in `visits`, and the numbers of the links there.
pub fn own_visits<'a>(visits: &'a [Visit], net: &'a Net) -> impl Iterator<Item = (u32, u32, &'a Visit)> {
    let own = |(visit, place): (&'a Visit, u32)| {
        let link = net.own_links().binary_search(&visit.link).ok()?;
        Some((place, link as u32, visit))
    };
    visits.iter().zip(0..).filter_map(own)
}

/// Where packets wait of those `visits` that are to links of `net`, which has `share` of `network`.
fn places(visits: &[Visit], network: &Network, share: &Share, net: &Net) -> Vec<WaitingPlace> {
    let place = |(_, link, visit): (u32, u32, &Visit)| {
        let of = visit.direction.map(|direction| {
            let flow = visit.flow.map(|place| &network.flows[place as usize]);
            let (kind, bytes) = match direction {
                Direction::Data => (PacketKind::Data, flow.map_or(0, |flow| flow.packet)),
                Direction::Acks => (PacketKind::Ack, flow.map_or(0, |flow| flow.ack_packet)),
            };
            let number = visit.flow.map_or(0, |place| share.number_of_flow(place));
            let packet = Packet { flow: number, bytes, kind, ..Packet::default() };
            let source = visit.flow.map_or_else(Origin::default, |place| flow_origin(network, place));
            (packet.origin(source), packet)
        });
        WaitingPlace { link, of }
    };
    own_visits(visits, net).map(place).collect()
}
