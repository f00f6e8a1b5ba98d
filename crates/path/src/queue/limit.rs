//! Limit and backlog of a queue.

use std::borrow::Cow;
use std::fmt;

use eddyline_units::{Bytes, Cells, Packets, Quantity, QuantityError};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// ATM cells that a packet of `bytes` fills: AAL5 adds a trailer of 8 bytes and pads to whole payloads of 48 (ITU-T
/// I.363.5).
#[inline]
#[must_use]
pub const fn atm_cells(bytes: u64) -> u64 {
    bytes.saturating_add(8).div_ceil(48)
}

/// The content of a queue, in every unit that a limit may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Packets.
    pub packets: u64,
    /// Bytes on the wire.
    pub bytes: u64,
    /// ATM cells; cells are not shared between packets.
    pub cells: u64,
}

impl Backlog {
    /// Nothing.
    pub const EMPTY: Self = Self { packets: 0, bytes: 0, cells: 0 };

    /// A packet of `size` bytes joins.
    #[inline]
    pub const fn add(&mut self, size: u64) {
        self.packets += 1;
        self.bytes += size;
        self.cells += atm_cells(size);
    }

    /// The sum of this and another.
    #[must_use]
    pub const fn with(&self, other: &Self) -> Self {
        Self { packets: self.packets + other.packets, bytes: self.bytes + other.bytes, cells: self.cells + other.cells }
    }

    /// A packet of `size` bytes leaves.
    #[inline]
    pub const fn remove(&mut self, size: u64) {
        self.packets -= 1;
        self.bytes -= size;
        self.cells -= atm_cells(size);
    }
}

/// Limit of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Limit {
    /// Any amount.
    #[default]
    Unlimited,
    /// A number of packets.
    Packets(u64),
    /// A number of bytes.
    Bytes(u64),
    /// A number of ATM cells.
    Cells(u64),
}

impl Limit {
    /// Whether a packet of `size` bytes fits besides the backlog.
    #[inline]
    #[must_use]
    pub const fn admits(self, waiting: &Backlog, size: u64) -> bool {
        match self {
            Self::Unlimited => true,
            Self::Packets(n) => waiting.packets < n,
            Self::Bytes(n) => waiting.bytes + size <= n,
            Self::Cells(n) => waiting.cells + atm_cells(size) <= n,
        }
    }

    /// Whether the backlog is within the limit.
    #[inline]
    #[must_use]
    pub const fn holds(self, waiting: &Backlog) -> bool {
        match self {
            Self::Unlimited => true,
            Self::Packets(n) => waiting.packets <= n,
            Self::Bytes(n) => waiting.bytes <= n,
            Self::Cells(n) => waiting.cells <= n,
        }
    }

    /// Why no packet of `size` bytes can ever fit, if that is so.
    #[must_use]
    pub fn refuses(self, size: u64) -> Option<String> {
        (!self.admits(&Backlog::EMPTY, size))
            .then(|| format!("{self} holds no packet of {size} B, which cross this link"))
    }

    fn parse(text: &str) -> Result<Self, QuantityError> {
        if text.trim() == "unlimited" {
            return Ok(Self::Unlimited);
        }
        let whole = |n: f64, unit: &str| {
            let n = n.round();
            if n > 1e15 { Err(QuantityError::TooLarge { max: format!("1e15 {unit}") }) } else { Ok(n as u64) }
        };
        if let Ok(p) = Packets::parse(text) {
            return whole(p.get(), "packets").map(Self::Packets);
        }
        if let Ok(c) = Cells::parse(text) {
            return whole(c.get(), "cells").map(Self::Cells);
        }
        let more = |allowed: String| format!("packets, cells, {allowed}, a time, BDP, or the word unlimited");
        Bytes::parse(text).map(|b| Self::Bytes(b.get())).map_err(|e| match e {
            QuantityError::UnknownUnit { given, allowed } => {
                QuantityError::UnknownUnit { given, allowed: more(allowed) }
            }
            QuantityError::NoUnit { allowed } => QuantityError::NoUnit { allowed: more(allowed) },
            other => other,
        })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlimited => f.write_str("unlimited"),
            Self::Packets(n) => write!(f, "{n} packets"),
            Self::Bytes(n) => write!(f, "{n} B"),
            Self::Cells(n) => write!(f, "{n} cells"),
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
        // one cell holds packets of 40 bytes, acknowledgements among them
        if matches!(limit, Self::Packets(0) | Self::Bytes(0) | Self::Cells(0)) {
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
            "description": "\"50 packets\", \"75000 B\", \"200 cells\" or \"unlimited\"; counts waiting packets, not the one in \
                            transmission; a packet fills ceil((bytes + 8) / 48) cells (AAL5). \"50 ms\" is what the link transmits \
                            in that time, \"1 BDP\" its rate times the longest base RTT of the flows whose data crosses it, \
                            \"1 BDP of NAME\" that flow's, \"1 BDP of 40 ms\" the given one; both become bytes",
            "examples": ["50 packets", "75000 B", "50 ms", "1 BDP", "200 cells", "unlimited"],
        })
    }
}
