//! The flows of a network.

use std::{iter, vec};

use eddyline_units::Time;

use super::{DuplexConnection, Endpoint, Flow, FlowSetup, FlowState, RecoveryState, TcpFlow, Transport};
use crate::meter::FlowMeter;
use crate::packet::{Packet, PacketKind, PacketSink};

/// Flows in order, all of the same transport.
// TCP flows are in the list itself: where one is follows from its number, so that it can be loaded ahead without a look at a pointer
#[derive(Debug, Default)]
pub struct Flows {
    /// Those over TCP.
    tcp: Vec<TcpFlow>,
    /// Those over another transport; one of the lists is empty.
    other: Vec<Box<dyn Endpoint>>,
}

/// Flows by value, in order.
pub type OwnedFlows = iter::Chain<
    iter::Map<vec::IntoIter<TcpFlow>, fn(TcpFlow) -> Flow>,
    iter::Map<vec::IntoIter<Box<dyn Endpoint>>, fn(Box<dyn Endpoint>) -> Flow>,
>;

impl Flows {
    /// No flows yet, with room for `n` over TCP unless there is another `transport`.
    pub fn with_capacity(n: usize, transport: Option<&dyn Transport>) -> Self {
        Self { tcp: Vec::with_capacity(if transport.is_some() { 0 } else { n }), other: Vec::new() }
    }

    /// Adds a flow that has not started.
    pub fn push(&mut self, setup: FlowSetup<'_>, transport: Option<&dyn Transport>) {
        match transport {
            Some(transport) => self.other.push(transport.endpoint(setup)),
            None => self.tcp.push(TcpFlow::new(setup)),
        }
    }

    /// Number of flows.
    #[inline]
    pub fn len(&self) -> usize {
        self.tcp.len() + self.other.len()
    }

    /// A flow, if it is a TCP connection with data one way.
    #[inline(always)]
    pub fn one_way_tcp(&mut self, index: usize) -> Option<&mut TcpFlow> {
        self.tcp.get_mut(index).filter(|flow| flow.peer().is_none())
    }

    /// Prefetches into the cache what the arrival of a packet of `kind` will touch of a flow, if there is that flow. A timer touches what an
    /// acknowledgement does.
    #[inline]
    pub fn prefetch(&self, index: usize, kind: PacketKind) {
        if let Some(flow) = self.tcp.get(index) {
            flow.prefetch(kind);
        }
    }

    /// As [`Endpoint::next_timer`].
    pub fn next_timer(&self, index: usize) -> Time {
        match self.tcp.get(index) {
            Some(tcp) => tcp.next_timer(),
            None => self.other[index].next_timer(),
        }
    }

    /// As [`Endpoint::on_timer`].
    pub fn on_timer(&mut self, now: Time, index: usize, sink: &mut impl PacketSink) {
        if let Some(mut connection) = self.duplex(index) {
            connection.on_timer(now, sink);
        } else if let Some(tcp) = self.tcp.get_mut(index) {
            tcp.run_timers(now, sink);
        } else {
            self.other[index].on_timer(now, sink);
        }
    }

    /// As [`Endpoint::on_packet`].
    pub fn on_packet(&mut self, now: Time, packet: &Packet, sink: &mut impl PacketSink) {
        let index = packet.flow as usize;
        if let Some(mut connection) = self.duplex(index) {
            connection.on_packet(now, packet, sink);
        } else if let Some(tcp) = self.tcp.get_mut(index) {
            tcp.take_packet(now, packet, sink);
        } else {
            self.other[index].on_packet(now, packet, sink);
        }
    }

    /// Both flows of a duplex connection.
    fn duplex(&mut self, index: usize) -> Option<DuplexConnection<'_>> {
        let peer = self.peer(index)?;
        let [flow, peer] = self.tcp.get_disjoint_mut([index, peer]).ok()?;
        Some(DuplexConnection { flow, peer })
    }

    /// The flow with the other direction of the same connection.
    pub fn peer(&self, index: usize) -> Option<usize> {
        self.tcp.get(index)?.peer().map(|peer| peer as usize)
    }

    /// Packets that have arrived at all receivers.
    pub fn arrived_packets(&self) -> u64 {
        (0..self.len()).map(|index| self.meter(index).arrived_packets()).sum()
    }

    /// As [`Endpoint::meter`].
    pub fn meter(&self, index: usize) -> &FlowMeter {
        match self.tcp.get(index) {
            Some(tcp) => tcp.meter(),
            None => self.other[index].meter(),
        }
    }

    /// As [`Endpoint::meter`].
    pub fn meter_mut(&mut self, index: usize) -> &mut FlowMeter {
        match self.tcp.get_mut(index) {
            Some(tcp) => tcp.meter_mut(),
            None => self.other[index].meter_mut(),
        }
    }

    /// As [`Endpoint::state`].
    pub fn state(&self, index: usize) -> FlowState {
        match self.tcp.get(index) {
            Some(tcp) => tcp.state(),
            None => self.other[index].state(),
        }
    }

    /// As [`Endpoint::recovery`].
    pub fn recovery(&self, index: usize) -> RecoveryState {
        match self.tcp.get(index) {
            Some(tcp) => tcp.recovery(),
            None => self.other[index].recovery(),
        }
    }
}

impl IntoIterator for Flows {
    type Item = Flow;
    type IntoIter = OwnedFlows;

    fn into_iter(self) -> OwnedFlows {
        let tcp: fn(TcpFlow) -> Flow = Flow::tcp;
        let other: fn(Box<dyn Endpoint>) -> Flow = Flow::Other;
        self.tcp.into_iter().map(tcp).chain(self.other.into_iter().map(other))
    }
}
