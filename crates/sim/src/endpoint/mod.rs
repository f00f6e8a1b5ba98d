//! The endpoints of flows, which react to packets and timers.
//!
//! TCP flows are called statically ([`TcpFlow`]); any other transport implements [`Endpoint`] and costs one indirection per
//! packet. Endpoints send packets to the [`PacketSink`] that they are given and do not depend on the network.

mod duplex_connection;
mod flows;
mod tcp_config;
mod tcp_flow;

use std::fmt::Debug;

use eddyline_cc::PathFacts;
use eddyline_scenario::network::Flow as FlowSpec;
use eddyline_units::Time;

use duplex_connection::DuplexConnection;
pub use flows::{Flows, OwnedFlows};
pub use tcp_flow::TcpFlow;

use crate::meter::FlowMeter;
use crate::packet::{Packet, PacketSink};

/// Both endpoints of a flow, driven by packets and timers.
pub trait Endpoint: Debug + Send {
    /// When [`on_timer`](Self::on_timer) is due, or [`Time::MAX`].
    fn next_timer(&self) -> Time;

    /// Handles the timers that are due, if any.
    fn on_timer(&mut self, now: Time, sink: &mut dyn PacketSink);

    /// A packet of the flow arrived at one of its endpoints.
    fn on_packet(&mut self, now: Time, packet: &Packet, sink: &mut dyn PacketSink);

    /// The flow's counters.
    fn meter(&self) -> &FlowMeter;

    /// As [`meter`](Self::meter).
    fn meter_mut(&mut self) -> &mut FlowMeter;

    /// The transport's state now.
    fn state(&self) -> FlowState;

    /// Why its controller, one from a file, has failed, if it has.
    fn failure(&self) -> Option<String> {
        None
    }

    /// The state of loss recovery now, for traces.
    fn recovery(&self) -> RecoveryState {
        RecoveryState::default()
    }
}

/// State of a flow's transport, for series and summaries.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FlowState {
    /// Congestion window in packets.
    pub cwnd_packets: f64,
    /// Packets estimated to be in flight.
    pub in_flight_packets: f64,
    /// The last round-trip sample of data.
    pub last_rtt: Option<Time>,
    /// The smoothed round-trip time.
    pub srtt: Option<Time>,
    /// Pacing rate in bits on the wire per second.
    pub pacing_bps: Option<f64>,
    /// Payload bytes given to the application.
    pub delivered_bytes: u64,
    /// Packets retransmitted.
    pub retransmits: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// When the flow completed.
    pub completed_at: Option<Time>,
    /// Packets that the sender's NIC queue refused, if the sender detects that.
    pub nic_refusals: Option<u64>,
    /// Packets reported as CE-marked by accurate ECN.
    pub delivered_ce: Option<f64>,
}

/// State of a flow's loss recovery.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RecoveryState {
    /// The window in packets at which slow start ends, for controllers that have one; infinite before the first loss.
    pub slow_start_threshold: Option<f64>,
    /// Losses are being repaired, other than after a timeout.
    pub in_progress: bool,
    /// Everything below this sequence number is acknowledged, for transports that number packets by their data.
    pub acknowledged: Option<u64>,
}

/// Where a flow's packets enter the network, and what follows from its paths.
#[derive(Debug, Clone)]
pub struct FlowPath {
    /// First hop of data packets.
    pub data_hop: u32,
    /// First hop of acknowledgements.
    pub ack_hop: u32,
    /// Facts about the path for the congestion controller.
    pub facts: PathFacts,
    /// Half the transmission time of a full data packet on the slowest data link, at the highest rate that it has in the summary
    /// window: the limit of ACK compression.
    pub half_transmission: Time,
}

/// Parameters of a new flow.
#[derive(Debug)]
pub struct FlowSetup<'a> {
    /// The flow in the scenario.
    pub spec: &'a FlowSpec,
    /// Its paths.
    pub path: &'a FlowPath,
    /// Its number, for [`Packet::flow`].
    pub number: u32,
    /// Which of the flows with this number it is, for [`Packet::generation`].
    pub generation: u16,
    /// Its number among the flows of its table of arrivals, if it is dynamic.
    pub arrival: Option<u64>,
    /// Its counters.
    pub meter: FlowMeter,
}

/// A transport other than TCP: makes the endpoints of the flows that it serves.
pub trait Transport: Sync {
    /// The endpoints of a flow.
    fn endpoint(&self, setup: FlowSetup<'_>) -> Box<dyn Endpoint>;

    /// Whether its endpoints want packets that a link has damaged too ([`PacketFlags::corrupted`](crate::PacketFlags::corrupted)). Default: a
    /// checksum drops them.
    fn detects_corruption(&self) -> bool {
        false
    }
}

/// A flow's endpoints, of a flow by itself.
#[derive(Debug)]
pub enum Flow {
    /// A TCP connection, or one direction of a connection with data both ways.
    Tcp(Box<TcpFlow>),
    /// Another transport.
    Other(Box<dyn Endpoint>),
}

impl Flow {
    /// A flow that has not started; over TCP unless there is another `transport`.
    pub fn new(setup: FlowSetup<'_>, transport: Option<&dyn Transport>) -> Self {
        match transport {
            Some(transport) => Self::Other(transport.endpoint(setup)),
            None => Self::tcp(TcpFlow::new(setup)),
        }
    }

    /// A flow over TCP.
    pub fn tcp(flow: TcpFlow) -> Self {
        Self::Tcp(Box::new(flow))
    }

    /// As [`Endpoint::next_timer`].
    #[inline]
    pub fn next_timer(&self) -> Time {
        match self {
            Self::Tcp(tcp) => tcp.next_timer(),
            Self::Other(other) => other.next_timer(),
        }
    }

    /// As [`Endpoint::on_timer`].
    pub fn on_timer(&mut self, now: Time, sink: &mut impl PacketSink) {
        match self {
            Self::Tcp(tcp) => tcp.run_timers(now, sink),
            Self::Other(other) => other.on_timer(now, sink),
        }
    }

    /// As [`Endpoint::on_packet`].
    pub fn on_packet(&mut self, now: Time, packet: &Packet, sink: &mut impl PacketSink) {
        match self {
            Self::Tcp(tcp) => tcp.take_packet(now, packet, sink),
            Self::Other(other) => other.on_packet(now, packet, sink),
        }
    }

    /// As [`Endpoint::meter`].
    pub fn meter(&self) -> &FlowMeter {
        match self {
            Self::Tcp(tcp) => tcp.meter(),
            Self::Other(other) => other.meter(),
        }
    }

    /// As [`Endpoint::meter`].
    pub fn meter_mut(&mut self) -> &mut FlowMeter {
        match self {
            Self::Tcp(tcp) => tcp.meter_mut(),
            Self::Other(other) => other.meter_mut(),
        }
    }

    /// As [`Endpoint::state`].
    pub fn state(&self) -> FlowState {
        match self {
            Self::Tcp(tcp) => tcp.state(),
            Self::Other(other) => other.state(),
        }
    }

    /// As [`Endpoint::failure`].
    pub fn failure(&self) -> Option<String> {
        match self {
            Self::Tcp(tcp) => tcp.failure(),
            Self::Other(other) => other.failure(),
        }
    }

    /// Takes over the receiver of the same flow over TCP, which was simulated elsewhere.
    pub fn join(&mut self, receiver: Self) {
        if let (Self::Tcp(flow), Self::Tcp(receiver)) = (self, receiver) {
            flow.join(*receiver);
        }
    }
}
