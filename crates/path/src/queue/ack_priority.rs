//! Acknowledgements first: strict priority of acknowledgements and control packets over data.
//!
//! An acknowledgement waits only for other acknowledgements and for the packet in transmission. Data are sent when no
//! acknowledgement waits, so acknowledgements that saturate the link starve data.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::discipline::{Discipline, LinkContext};
use super::limit::{Backlog, Limit};
use super::packet_fifo::PacketFifo;
use super::properties::{DelayBound, Describe, Properties, WaitDependsOn};
use crate::ParamError;
use crate::{Class, Packet};

/// Parameters of `ack_priority`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AckPriorityParams {
    /// Limit of both queues together, without the packet in transmission; when it is reached, an arriving acknowledgement replaces
    /// the newest data packets.
    #[serde(default)]
    pub limit: Limit,
    /// Limit of acknowledgements.
    #[serde(default)]
    pub ack_limit: Limit,
    /// Limit of data.
    #[serde(default)]
    pub data_limit: Limit,
}

impl Describe for AckPriorityParams {
    const PROPERTIES: Properties = Properties { delay_set_by: Some(DelayBound::Limit), ..Properties::BUFFER };
    const WAIT_DEPENDS_ON: WaitDependsOn = WaitDependsOn::Class;

    fn refuses(&self, size: u64) -> Option<ParamError> {
        self.data_limit.refuses(size).map(|why| ParamError::new("data_limit", why))
    }
}

/// Two drop-tail queues, the second served when the first is empty.
#[derive(Debug)]
pub struct AckPriority<P> {
    params: AckPriorityParams,
    acks: PacketFifo<P>,
    data: PacketFifo<P>,
    all: Backlog,
}

impl<P: Packet> AckPriority<P> {
    /// An empty queue.
    #[must_use]
    pub fn new(params: &AckPriorityParams, _: &LinkContext<'_>) -> Self {
        Self { params: *params, acks: PacketFifo::default(), data: PacketFifo::default(), all: Backlog::EMPTY }
    }

    fn admits(&self, size: u64) -> bool {
        self.params.limit.admits(&self.all, size)
    }

    /// Whether an acknowledgement of `size` bytes would fit without any data.
    fn admits_ack(&self, size: u64) -> bool {
        self.acks.admits(self.params.ack_limit, size) && self.acks.admits(self.params.limit, size)
    }
}

impl<P: Packet> Discipline<P> for AckPriority<P> {
    const PASSES_WHEN_IDLE: bool = true;

    fn enqueue(&mut self, _now: Time, packet: P, dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        let size = u64::from(packet.wire_bytes());
        if packet.class() == Class::Ack {
            if !self.admits_ack(size) {
                return Err(packet);
            }
            while !self.admits(size) {
                match self.data.pop_youngest() {
                    Some(youngest) => {
                        self.all.remove(u64::from(youngest.wire_bytes()));
                        dropped(youngest);
                    }
                    None => break,
                }
            }
            self.acks.push(packet);
        } else {
            if !self.admits(size) || !self.data.admits(self.params.data_limit, size) {
                return Err(packet);
            }
            self.data.push(packet);
        }
        self.all.add(size);
        Ok(())
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut dyn FnMut(P)) -> Option<P> {
        let packet = self.acks.pop().or_else(|| self.data.pop())?;
        self.all.remove(u64::from(packet.wire_bytes()));
        Some(packet)
    }

    fn bytes_before(&self, packet: &P) -> u64 {
        if packet.class() == Class::Ack { self.acks.bytes() } else { self.all.bytes }
    }

    fn packets(&self) -> u64 {
        self.all.packets
    }

    fn bytes(&self) -> u64 {
        self.all.bytes
    }

    fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        self.acks.drain(taken);
        self.data.drain(taken);
        self.all = Backlog::EMPTY;
    }
}
