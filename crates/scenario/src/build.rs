//! Conversion of a valid file to an indexed network: names resolved, `count` expanded, defaults filled in.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::{self, ApplicationParams, File};
use crate::network::{
    Application, Arrivals, Flow, FlowTable, Group, Link, LinkId, Medium, Network, Probe, TcpOptions, Traffic,
};
use eddyline_path::random::Stream;
use eddyline_path::traffic::Trace;
use eddyline_path::variation::{Conditions, Recording, Variation};
use eddyline_units::Time;

/// The network of a file in which every name is known.
pub(crate) fn network(
    file: &File,
    sha256: String,
    traces: &[Option<Arc<Trace>>],
    sizes: &[Option<Arc<[u64]>>],
    recordings: &[Option<Arc<Recording>>],
) -> Network {
    let made = file.duplex.iter().flat_map(model::Duplex::directions);
    let mut media = Vec::new();
    let all = file.link.iter().cloned().chain(made).zip(recordings);
    let links: Vec<Link> = all.map(|(l, recording)| link(l, recording.as_deref(), file.seed, &mut media)).collect();
    let ids: HashMap<&str, LinkId> = links.iter().zip(0..).map(|(l, id)| (l.name.as_str(), id)).collect();
    let path = |names: &[String]| names.iter().map(|n| ids[n.as_str()]).collect::<Arc<[LinkId]>>();
    let mut hosts = Hosts::default();
    let mut flows = Vec::with_capacity(file.flow.iter().map(|f| f.count as usize).sum());
    let mut groups = Vec::new();
    for table in &file.flow {
        let one = flow(table, path(&table.data), path(&table.ack), &mut hosts);
        let jitter = |name: &str| match table.start_jitter.as_ps() {
            0 => Time::ZERO,
            ps => Time::from_ps(Stream::new(file.seed, name, "start").below(ps)),
        };
        match table.count {
            0 => continue,
            1 => {
                flows.push(Flow { start: table.start + jitter(&table.name), ..one });
                continue;
            }
            _ => {}
        }
        groups.push(Group { name: table.name.clone(), first: flows.len(), count: table.count as usize });
        flows.extend((0..table.count).map(|i| {
            let name = format!("{}[{i}]", table.name);
            let start = table.start + table.stagger * u64::from(i) + jitter(&name);
            Flow { name, start, ..one.clone() }
        }));
    }
    pair(file, &mut flows);
    let traffic = file.traffic.iter().enumerate().map(|(i, t)| Traffic {
        name: t.name.clone(),
        path: path(&t.path),
        host: hosts.place(t.host.as_ref(), &t.name),
        packet: small(t.packet.get()),
        model: t.model.clone(),
        start: t.start,
        stop: t.stop,
        trace: traces.get(i).cloned().flatten(),
    });
    let traffic: Vec<Traffic> = traffic.collect();
    let arrivals = file.arrivals.iter().enumerate().map(|(i, a)| Arrivals {
        name: a.name.clone(),
        rate_per_s: a.rate.get(),
        size: a.size.clone(),
        listed: sizes.get(i).cloned().flatten(),
        flow: flow(&a.each(), path(&a.data), path(&a.ack), &mut hosts),
    });
    let arrivals: Vec<Arrivals> = arrivals.collect();
    let probes = file.probe.iter().map(|p| Probe {
        name: p.name.clone(),
        data: path(&p.data),
        ack: path(&p.ack),
        host: hosts.place(p.host.as_ref(), &p.name),
        every: p.every,
        request: small(p.request.get()),
        response: small(p.response.get()),
        start: p.start,
    });
    let probes: Vec<Probe> = probes.collect();
    let thousandth = Time::from_ps((file.duration.as_ps() / 1000).max(1));
    Network {
        title: file.title.clone().unwrap_or_default(),
        scenario_sha256: sha256,
        duration: file.duration,
        warmup: file.warmup,
        seed: file.seed,
        record_interval: file.record.interval.unwrap_or(thousandth),
        flows,
        traffic,
        arrivals,
        probes,
        groups,
        media,
        hosts: hosts.names,
        links,
    }
}

fn link(link: model::Link, recording: Option<&Recording>, seed: u64, media: &mut Vec<Medium>) -> Link {
    let variation = variation(&link, recording, seed);
    let medium = link.medium.map(|m| {
        let place = media.iter().position(|known| known.name == m.name()).unwrap_or_else(|| {
            media.push(Medium { name: m.name().to_owned(), turnaround: Time::ZERO });
            media.len() - 1
        });
        // the same wherever it is given
        media[place].turnaround = m.turnaround().unwrap_or(media[place].turnaround);
        place as u32
    });
    Link {
        name: link.name,
        rate: link.rate,
        delay: link.delay,
        queue: link.queue,
        loss: link.loss,
        corrupt: link.corrupt.unwrap_or_default(),
        framing: link.framing.unwrap_or_default().numbers(),
        reconstruct: link.reconstruct,
        medium,
        variation,
    }
}

fn variation(link: &model::Link, recording: Option<&Recording>, seed: u64) -> Variation {
    let (rate, delay, outages) = (link.rate, link.delay, &link.outages);
    let made = link.trace.as_ref().and_then(|t| t.made(rate, delay, seed, &link.name));
    let conditions = match (recording.or(made.as_ref()), &link.trace) {
        (Some(recording), Some(trace)) => Some(Conditions::playing(rate, delay, recording, trace.repeats(), outages)),
        _ if link.changes.is_empty() && outages.is_empty() => None,
        _ => Some(Conditions::stepping(rate, delay, &link.changes, outages)),
    };
    Variation {
        conditions: conditions.map(Arc::new),
        jitter: link.jitter,
        reorder: link.reorder,
        policer: link.policer,
    }
}

/// Links the two flows of a connection to each other.
fn pair(file: &File, flows: &mut [Flow]) {
    let place = |name: &str| flows.iter().position(|f| f.name == name);
    let named = file.flow.iter().filter_map(|f| place(&f.name).zip(place(f.piggyback.as_deref()?)));
    for (one, other) in named.collect::<Vec<_>>() {
        flows[one].peer = Some(other as u32);
        flows[other].peer = Some(one as u32);
    }
}

/// Hosts by name, in order of appearance.
#[derive(Default)]
struct Hosts {
    names: Vec<String>,
    places: HashMap<String, u32>,
}

impl Hosts {
    /// The place of the host called `given`, or like its `table`.
    fn place(&mut self, given: Option<&String>, table: &String) -> u32 {
        let name = given.unwrap_or(table);
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = self.names.len() as u32;
        self.names.push(name.clone());
        self.places.insert(name.clone(), place);
        place
    }
}

fn flow(table: &model::Flow, data: Arc<[LinkId]>, ack: Arc<[LinkId]>, hosts: &mut Hosts) -> Flow {
    let shared = FlowTable {
        controller: Arc::new(table.controller.clone()),
        transport: table.transport,
        data,
        ack,
        host: hosts.place(table.host.as_ref(), &table.name),
        packet: small(table.packet.get()),
        header: small(table.header.get()),
        ack_packet: small(table.ack_packet.get()),
        access_data: table.access_delay.data,
        access_ack: table.access_delay.ack,
        receive_window: table.receive_window.map(|w| w.get()),
        tcp: TcpOptions::of(&table.tcp, table.delayed_ack, &table.controller),
        application: match table.application {
            ApplicationParams::Bulk => Application::Bulk,
            ApplicationParams::Objects { bytes } => Application::Objects { bytes: bytes.get() },
            ApplicationParams::Bursts { bytes, every } => Application::Bursts { bytes: bytes.get(), every },
        },
        stop: table.stop,
        size: table.size.map(|s| s.get()),
    };
    Flow { name: table.name.clone(), start: table.start, peer: None, table: Arc::new(shared) }
}

/// Packet sizes: the schema keeps them below 1 GB.
fn small(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
