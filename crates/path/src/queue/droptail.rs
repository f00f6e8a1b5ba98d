//! First in, first out; what does not fit is dropped on arrival.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;

use eddyline_units::{Bytes, Packets, Quantity, QuantityError, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Discipline, Site};
use crate::Packet;

/// How much may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Limit {
    /// Any amount.
    #[default]
    Unlimited,
    /// A number of packets.
    Packets(u64),
    /// A number of bytes.
    Bytes(u64),
}

impl Limit {
    /// Whether a packet of `size` bytes may join `packets` waiting packets of `bytes` bytes.
    #[inline]
    #[must_use]
    pub const fn admits(self, packets: u64, bytes: u64, size: u64) -> bool {
        match self {
            Self::Unlimited => true,
            Self::Packets(n) => packets < n,
            Self::Bytes(n) => bytes + size <= n,
        }
    }

    fn parse(text: &str) -> Result<Self, QuantityError> {
        if text.trim() == "unlimited" {
            return Ok(Self::Unlimited);
        }
        let whole = |p: Packets| {
            let n = p.get().round();
            if n > 1e15 { Err(QuantityError::TooLarge { most: "1e15 packets".to_owned() }) } else { Ok(n as u64) }
        };
        match Packets::parse(text) {
            Ok(p) => whole(p).map(Self::Packets),
            Err(_) => Bytes::parse(text).map(|b| Self::Bytes(b.get())).map_err(|e| match e {
                QuantityError::UnknownUnit { given, allowed } => {
                    QuantityError::UnknownUnit { given, allowed: format!("packets, {allowed}, or the word unlimited") }
                }
                QuantityError::NoUnit { allowed } => {
                    QuantityError::NoUnit { allowed: format!("packets, {allowed}, or the word unlimited") }
                }
                other => other,
            }),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlimited => f.write_str("unlimited"),
            Self::Packets(n) => write!(f, "{n} packets"),
            Self::Bytes(n) => write!(f, "{n} B"),
        }
    }
}

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(d)?;
        let limit = Self::parse(&text).map_err(de::Error::custom)?;
        if matches!(limit, Self::Packets(0) | Self::Bytes(0)) {
            return Err(de::Error::custom("at least one packet must fit"));
        }
        Ok(limit)
    }
}

impl JsonSchema for Limit {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "format": "queue-limit",
            "description": "\"50 packets\", \"75000 B\" or \"unlimited\"; counts waiting packets, not the one in transmission",
            "examples": ["50 packets", "75000 B", "unlimited"],
        })
    }
}

/// Parameters of `droptail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DropTailParams {
    /// How much may wait besides the packet in transmission.
    #[serde(default)]
    pub limit: Limit,
}

/// A drop-tail queue.
#[derive(Debug)]
pub struct DropTail<P> {
    limit: Limit,
    waiting: VecDeque<P>,
    bytes: u64,
}

impl<P: Packet> DropTail<P> {
    /// An empty queue.
    #[must_use]
    pub fn new(params: &DropTailParams, _: &Site<'_>) -> Self {
        Self { limit: params.limit, waiting: VecDeque::new(), bytes: 0 }
    }
}

impl<P: Packet> Discipline<P> for DropTail<P> {
    const PASSES_WHEN_IDLE: bool = true;

    fn enqueue(&mut self, _now: Time, packet: P, _dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        let size = u64::from(packet.wire_bytes());
        if !self.limit.admits(self.waiting.len() as u64, self.bytes, size) {
            return Err(packet);
        }
        self.bytes += size;
        self.waiting.push_back(packet);
        Ok(())
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut dyn FnMut(P)) -> Option<P> {
        let packet = self.waiting.pop_front()?;
        self.bytes -= u64::from(packet.wire_bytes());
        Some(packet)
    }

    fn packets(&self) -> u64 {
        self.waiting.len() as u64
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
    fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        self.waiting.drain(..).for_each(taken);
        self.bytes = 0;
    }
}
