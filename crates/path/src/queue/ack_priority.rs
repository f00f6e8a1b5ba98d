//! Acknowledgements first: strict priority of acknowledgements and control packets over data.
//!
//! Whatever waits, an acknowledgement waits for other acknowledgements and for the one data packet in transmission.
//! Data are sent when no acknowledgement waits, so acknowledgements that fill the link starve them.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::discipline::{Discipline, LinkContext};
use super::limit::{Backlog, Limit};
use super::packet_fifo::PacketFifo;
use super::properties::{DelayBound, Describe, Properties};
use crate::ParamError;
use crate::{Class, Packet};

/// Parameters of `ack_priority`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AckPriorityParams {
    /// How much of both may wait besides the packet in transmission; where it is reached, an acknowledgement takes the
    /// place of the youngest data.
    #[serde(default)]
    pub limit: Limit,
    /// How much of it acknowledgements may take.
    #[serde(default)]
    pub ack_limit: Limit,
    /// How much of it data may take.
    #[serde(default)]
    pub data_limit: Limit,
}

impl Describe for AckPriorityParams {
    const PROPERTIES: Properties = Properties { delay_set_by: Some(DelayBound::Limit), ..Properties::BUFFER };

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

    /// Whether an acknowledgement of `size` bytes finds room once all data are gone.
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
