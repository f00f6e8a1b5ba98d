//! The indexed network: what every world works on. Names are resolved, `count` is expanded, defaults are filled in.

mod tcp;

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use eddyline_cc::{ControllerParams, PathFacts};
use eddyline_path::framing::Framing;
use eddyline_path::link::ReconstructParams;
use eddyline_path::loss::LossParams;
use eddyline_path::queue::{LinkContext, QueueParams};
use eddyline_path::traffic::{SizeParams, Trace, TrafficParams};
use eddyline_path::variation::Variation;
use eddyline_units::{Rate, Time};

pub use crate::model::Transport;
pub use tcp::{AccurateEcn, Local, Pacing, PacingGain, PartialAckTimer, TcpOptions, TimestampClock};

/// A link's place in [`Network::links`].
pub type LinkId = u32;

/// A scenario, ready to be run by a world.
#[derive(Debug, Clone)]
pub struct Network {
    /// Title, or the file's name.
    pub title: String,
    /// SHA-256 of the canonical JSON, in hexadecimal.
    pub scenario_sha256: String,
    /// Simulated time.
    pub duration: Time,
    /// Summaries begin here.
    pub warmup: Time,
    /// Seed of all random streams.
    pub seed: u64,
    /// Spacing of series where they are asked for.
    pub record_interval: Time,
    /// Directed links.
    pub links: Vec<Link>,
    /// Half-duplex media that links share.
    pub media: Vec<Medium>,
    /// Names of the subscribers' hosts.
    pub hosts: Vec<String>,
    /// Flows, `count` expanded, in file order.
    pub flows: Vec<Flow>,
    /// Unresponsive traffic.
    pub traffic: Vec<Traffic>,
    /// Flows that arrive at random and leave.
    pub arrivals: Vec<Arrivals>,
    /// Latency probes.
    pub probes: Vec<Probe>,
    /// Tables with `count` above one.
    pub groups: Vec<Group>,
}

/// One direction of transmission.
#[derive(Debug, Clone)]
pub struct Link {
    /// Unique name.
    pub name: String,
    /// Rate of transmission.
    pub rate: Rate,
    /// One-way propagation delay.
    pub delay: Time,
    /// Queue discipline.
    pub queue: QueueParams,
    /// Loss on the wire.
    pub loss: LossParams,
    /// Probability that a packet is damaged on the wire.
    pub corrupt: f64,
    /// Bytes on the wire beyond the packets' own.
    pub framing: Framing,
    /// ACK reconstruction at its far end.
    pub reconstruct: Option<ReconstructParams>,
    /// Place in [`Network::media`] of the medium that it shares.
    pub medium: Option<u32>,
    /// Its variation over time.
    pub variation: Variation,
}

impl Link {
    /// How long a packet of `bytes` takes to be transmitted at the constant rate, which a varying link need not have.
    #[must_use]
    pub fn transmission_time(&self, bytes: u32) -> Time {
        self.rate.transmission_time(self.framing.line_bytes(bytes))
    }

    /// How long a packet of `bytes` takes whose transmission starts at `now`, outages included; [`Time::MAX`] if it never ends.
    #[must_use]
    pub fn transmission_time_at(&self, bytes: u32, now: Time) -> Time {
        let Some(conditions) = &self.variation.conditions else { return self.transmission_time(bytes) };
        match conditions.end(now, self.framing.line_bytes(bytes)) {
            Time::MAX => Time::MAX,
            end => end - now,
        }
    }

    /// How long a packet of `bytes` takes at the highest rate from `from` to `to`.
    #[must_use]
    pub fn min_transmission_time(&self, bytes: u32, from: Time, to: Time) -> Time {
        let highest = self.variation.conditions.as_ref().map(|c| c.max_rate(from, to));
        let rate = highest.filter(|rate| rate.as_bps() > 0).unwrap_or(self.rate);
        rate.transmission_time(self.framing.line_bytes(bytes))
    }

    /// Bits that it could transmit between two times.
    #[must_use]
    pub fn capacity_bits(&self, from: Time, to: Time) -> f64 {
        self.context(0).rate_over_time().bits(from, to)
    }

    /// What its queue is told about it, in a run with this seed.
    #[must_use]
    pub fn context(&self, seed: u64) -> LinkContext<'_> {
        let conditions = self.variation.conditions.as_ref();
        LinkContext { rate: self.rate, conditions, framing: self.framing, seed, name: &self.name }
    }
}

/// A half-duplex medium: only one of its links transmits at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Medium {
    /// Its name.
    pub name: String,
    /// Idle time when the transmitting link changes.
    pub turnaround: Time,
}

/// One sender and its receiver. It has the fields of its table too; to change one gives the flow a table of its own.
#[derive(Debug, Clone)]
pub struct Flow {
    /// Unique name, `NAME[3]` where the table has a count.
    pub name: String,
    /// When the flow starts.
    pub start: Time,
    /// Place in [`Network::flows`] of the flow that goes the other way on the same connection.
    pub peer: Option<u32>,
    /// What it shares with the other flows of its table.
    pub table: Arc<FlowTable>,
}

impl Deref for Flow {
    type Target = FlowTable;

    fn deref(&self) -> &FlowTable {
        &self.table
    }
}

impl DerefMut for Flow {
    fn deref_mut(&mut self) -> &mut FlowTable {
        Arc::make_mut(&mut self.table)
    }
}

/// What the flows of one table have in common.
#[derive(Debug, Clone)]
pub struct FlowTable {
    /// Congestion controller.
    pub controller: Arc<ControllerParams>,
    /// Transport protocol, if the file asks for one.
    pub transport: Option<Transport>,
    /// Links that data packets cross, in order; at least one.
    pub data: Arc<[LinkId]>,
    /// Links that acknowledgements cross, in order; at least one.
    pub ack: Arc<[LinkId]>,
    /// Place in [`Network::hosts`] of the subscriber's host.
    pub host: u32,
    /// Bytes of a full data packet on the wire.
    pub packet: u32,
    /// Bytes of it that are not payload; below `packet`.
    pub header: u32,
    /// Bytes of an acknowledgement, SYN, SYN-ACK or FIN on the wire.
    pub ack_packet: u32,
    /// Delay of the uncongested access on the data path.
    pub access_data: Time,
    /// Delay of the uncongested access on the acknowledgement path.
    pub access_ack: Time,
    /// Receive window in payload bytes.
    pub receive_window: Option<u64>,
    /// TCP options.
    pub tcp: TcpOptions,
    /// What the application offers.
    pub application: Application,
    /// When the application stops sending.
    pub stop: Option<Time>,
    /// Payload bytes to transfer.
    pub size: Option<u64>,
}

/// How the sending application offers data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Application {
    /// As fast as the transport takes it.
    Bulk,
    /// `bytes` at once, every `every`.
    Bursts {
        /// Payload bytes of one burst.
        bytes: u64,
        /// From the start of one burst to the next.
        every: Time,
    },
    /// `bytes`, and the same again when all of them are acknowledged.
    Objects {
        /// Payload bytes of one object.
        bytes: u64,
    },
}

/// Unresponsive traffic on a path.
#[derive(Debug, Clone)]
pub struct Traffic {
    /// Unique name.
    pub name: String,
    /// Links crossed, in order.
    pub path: Arc<[LinkId]>,
    /// Place in [`Network::hosts`] of the subscriber's host.
    pub host: u32,
    /// Largest packet on the wire; the packet size of models that have one size.
    pub packet: u32,
    /// Model with parameters.
    pub model: TrafficParams,
    /// First moment of traffic.
    pub start: Time,
    /// Last moment of traffic.
    pub stop: Option<Time>,
    /// The trace that the model plays; shared by all traffic that names it.
    pub trace: Option<Arc<Trace>>,
}

/// Bytes of a probe's SYN and SYN-ACK on the wire.
pub const PROBE_SYN: u64 = 40;

/// Latency probes: connections of small requests at regular intervals.
#[derive(Debug, Clone)]
pub struct Probe {
    /// Unique name.
    pub name: String,
    /// Links that requests cross, in order.
    pub data: Arc<[LinkId]>,
    /// Links that responses cross, in order.
    pub ack: Arc<[LinkId]>,
    /// Place in [`Network::hosts`] of the subscriber's host.
    pub host: u32,
    /// Time between the starts of successive connections.
    pub every: Time,
    /// Bytes of a request on the wire.
    pub request: u32,
    /// Bytes of a response on the wire.
    pub response: u32,
    /// Start of the first connection.
    pub start: Time,
}

/// Flows that arrive as a Poisson process and leave when their transfer is done.
#[derive(Debug, Clone)]
pub struct Arrivals {
    /// Unique name.
    pub name: String,
    /// Mean number of arrivals a second.
    pub rate_per_s: f64,
    /// Distribution of the transfers' payload.
    pub size: SizeParams,
    /// The sizes of the file that `size` names, in bytes.
    pub listed: Option<Arc<[u64]>>,
    /// Template of each flow: paths, packets, controller; its name, times and size are not used.
    pub flow: Flow,
}

impl Arrivals {
    /// Mean payload of a transfer in bytes.
    #[must_use]
    pub fn mean_bytes(&self) -> f64 {
        self.size.mean_bytes(self.listed.as_deref())
    }
}

/// Flows of one table with `count` above one.
#[derive(Debug, Clone)]
pub struct Group {
    /// The table's name.
    pub name: String,
    /// First flow's place in [`Network::flows`].
    pub first: usize,
    /// How many.
    pub count: usize,
}

impl FlowTable {
    /// Payload bytes of a full segment.
    #[must_use]
    pub const fn mss(&self) -> u32 {
        self.packet - self.header
    }
}

impl Network {
    /// Propagation and access delay of a flow's round trip, without any transmission time.
    #[must_use]
    pub fn propagation_rtt(&self, flow: &Flow) -> Time {
        let links = flow.data.iter().chain(flow.ack.iter());
        links.fold(flow.access_data + flow.access_ack, |sum, l| sum + self.links[*l as usize].delay)
    }

    /// What the flow's controller is told before the first packet.
    #[must_use]
    pub fn path_facts(&self, flow: &Flow) -> PathFacts {
        PathFacts {
            mss: flow.mss(),
            packet_bytes: flow.packet,
            ack_bytes: flow.ack_packet,
            ack_ratio: flow.tcp.ack_every,
            initial_window: f64::from(flow.tcp.initial_window),
            known_base_rtt: Some(self.propagation_rtt(flow)),
            byte_counting: flow.tcp.byte_counting.map(f64::from),
            paced: flow.tcp.pacing == Pacing::On,
        }
    }

    /// What the worlds without real sockets say of socket buffers, if a flow's are given.
    #[must_use]
    pub fn without_sockets(&self) -> Option<String> {
        let mut flows = self.flows.iter().chain(self.arrivals.iter().map(|a| &a.flow));
        flows.any(|f| f.tcp.has_socket_buffers()).then(|| {
            "tcp.send_buffer and tcp.receive_buffer are those of world kernel: here the send buffer is unlimited, and a receiver offers \
             receive_window"
                .to_owned()
        })
    }
}
