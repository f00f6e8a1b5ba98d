//! Token bucket filter: a shaper that allows bursts.

use eddyline_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::discipline::{Discipline, LinkContext};
use super::limit::Limit;
use super::packet_fifo::PacketFifo;
use super::properties::{Describe, Properties};
use crate::Packet;
use crate::ParamError;
use crate::bucket::Bucket;
use crate::framing::{Framing, FramingParams};

/// Parameters of `tbf`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TbfParams {
    /// Token rate.
    #[schemars(extend("x-minimum" = "1 bit/s", "x-maximum" = "10 Tbit/s"))]
    pub rate: Rate,
    /// Size of the bucket, framing included; a larger packet can never be sent and is dropped on arrival.
    #[schemars(extend("x-minimum" = "1 B", "x-maximum" = "1 GB"))]
    pub burst: Bytes,
    /// Limit of the queue, without the packet in transmission.
    #[serde(default)]
    pub limit: Limit,
    /// Bytes on the wire beyond the packets' own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framing: Option<FramingParams>,
}

impl Describe for TbfParams {
    const PROPERTIES: Properties = Properties::BUFFER;

    fn refuses(&self, size: u64) -> Option<ParamError> {
        let line = self.framing.unwrap_or_default().numbers().line_bytes(u32::try_from(size).unwrap_or(u32::MAX));
        let message = || {
            let framed = if line == size { String::new() } else { format!(" ({line} B with framing)") };
            format!("{} lets no packet of {size} B{framed} through, which cross this link; at least that", self.burst)
        };
        (size > 0 && line > self.burst.get()).then(|| ParamError::new("burst", message()))
    }
}

/// A drop-tail queue behind a token bucket.
#[derive(Debug)]
pub struct Tbf<P> {
    bucket: Bucket,
    framing: Framing,
    limit: Limit,
    waiting: PacketFifo<P>,
}

impl<P: Packet> Tbf<P> {
    /// An empty queue with a full bucket.
    #[must_use]
    pub fn new(params: &TbfParams, _: &LinkContext<'_>) -> Self {
        Self {
            bucket: Bucket::new(params.rate, params.burst),
            framing: params.framing.unwrap_or_default().numbers(),
            limit: params.limit,
            waiting: PacketFifo::default(),
        }
    }

    fn line_bytes(&self, packet: &P) -> u64 {
        self.framing.line_bytes(packet.wire_bytes())
    }
}

impl<P: Packet> Discipline<P> for Tbf<P> {
    fn enqueue(&mut self, _now: Time, packet: P, _dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        let fits = self.waiting.admits(self.limit, u64::from(packet.wire_bytes()));
        if !fits || !self.bucket.holds(self.line_bytes(&packet)) {
            return Err(packet);
        }
        self.waiting.push(packet);
        Ok(())
    }

    fn dequeue(&mut self, now: Time, _dropped: &mut dyn FnMut(P)) -> Option<P> {
        let bytes = self.line_bytes(self.waiting.first()?);
        if self.bucket.consume(now, bytes) { self.waiting.pop() } else { None }
    }

    fn next_wake(&self) -> Option<Time> {
        Some(self.bucket.ready_at(self.line_bytes(self.waiting.first()?)))
    }

    fn shaped_wait(&self, now: Time) -> Time {
        let line = self.framing.mean_line_bytes(self.waiting.bytes(), self.waiting.packets());
        if line == 0 { Time::ZERO } else { self.bucket.ready_at(line).saturating_sub(now) }
    }

    fn packets(&self) -> u64 {
        self.waiting.packets()
    }

    fn bytes(&self) -> u64 {
        self.waiting.bytes()
    }

    fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        self.waiting.drain(taken);
    }
}
