//! The link, its buffers and its flows.

use serde::{Deserialize, Serialize};

use super::checked::{at_least_one, not_negative, positive};
use crate::error::TheoryError;

/// What a buffer counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Bytes on the wire.
    Bytes,
    /// Packets, whatever their size.
    Packets,
    /// ATM cells of 48 bytes of an AAL5 frame: the packet, an 8-byte trailer, padding (ITU-T I.363.5).
    Cells,
}

impl Unit {
    /// What a packet of `bytes` takes of such a buffer.
    #[must_use]
    pub fn of(self, bytes: f64) -> f64 {
        match self {
            Self::Bytes => bytes,
            Self::Packets => 1.0,
            Self::Cells => libm::ceil((bytes + 8.0) / 48.0),
        }
    }
}

/// One direction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkDirection {
    /// C: rate in bit/s.
    pub rate_bps: f64,
    /// B: size of the buffer, in `unit`.
    pub buffer: f64,
    /// What the buffer counts.
    pub unit: Unit,
}

/// Both directions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Duplex {
    /// Towards the subscriber.
    pub down: LinkDirection,
    /// Away from the subscriber.
    pub up: LinkDirection,
}

/// Flows whose data goes one way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connections {
    /// How many.
    pub flows: u32,
    /// W: TCP buffer (receive window) of each in bytes.
    pub window: f64,
    /// Round-trip time without queueing in seconds; the paper's 2 tp.
    pub base_rtt_s: f64,
}

/// A link and its flows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// The link.
    pub link: Duplex,
    /// Downloads.
    pub downloads: Connections,
    /// Uploads.
    pub uploads: Connections,
    /// A full data packet in bytes.
    pub packet: f64,
    /// An acknowledgement in bytes.
    pub ack: f64,
    /// Data packets for each acknowledgement: 2 where they are delayed, else 1.
    pub acks_every: f64,
}

impl Setting {
    /// Checks the ranges of all values.
    pub(super) fn check(&self) -> Result<(), TheoryError> {
        for (name, direction) in [("downlink", self.link.down), ("uplink", self.link.up)] {
            positive(&format!("the {name}'s rate"), direction.rate_bps)?;
            positive(&format!("the {name}'s buffer"), direction.buffer)?;
        }
        for (name, side) in [("downloads", self.downloads), ("uploads", self.uploads)] {
            at_least_one(&format!("the number of {name}"), f64::from(side.flows))?;
            positive(&format!("the window of {name}"), side.window)?;
            not_negative(&format!("the base round-trip time of {name}"), side.base_rtt_s)?;
        }
        positive("the size of a packet", self.packet)?;
        not_negative("the size of an acknowledgement", self.ack)?;
        at_least_one("the number of packets for each acknowledgement", self.acks_every)?;
        Ok(())
    }
}

/// Eq. 6: packets of `mtu` bytes that keep a link of `rate_bps` busy under one flow of round-trip time `rtt_s` (2 tp).
///
/// The paper calls 9,000 B up and 75,000 B down the buffers of this rule for 300 ms; for 192 kbit/s it gives 7,200 B.
///
/// # Errors
/// [`TheoryError::OutOfRange`].
pub fn rule_of_thumb(rtt_s: f64, rate_bps: f64, mtu: f64) -> Result<f64, TheoryError> {
    let bits = not_negative("the round-trip time", rtt_s)? * positive("the rate", rate_bps)?;
    Ok(bits / (8.0 * positive("the size of a packet", mtu)?))
}
