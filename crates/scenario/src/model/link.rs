//! Links and duplex access links as written.

use eddyline_path::framing::FramingParams;
use eddyline_path::link::ReconstructParams;
use eddyline_path::loss::LossParams;
use eddyline_path::queue::QueueParams;
use eddyline_path::variation::{ChangeParams, JitterParams, LinkTrace, OutageParams, PolicerParams};
use eddyline_units::{Rate, Time};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::presets::Preset;

/// One direction of transmission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = rate_or_trace)]
pub struct Link {
    /// Name, unique in the file.
    pub name: String,
    /// Rate of transmission, 1 bit/s to 10 Tbit/s. Required, except beside a trace from a file with rates: then the default is the mean of
    /// those rates over the file.
    #[schemars(extend("x-minimum" = "1 bit/s", "x-maximum" = "10 Tbit/s"))]
    pub rate: Rate,
    /// One-way propagation delay, 0 s to 1 h.
    #[schemars(extend("x-maximum" = "1 h"))]
    pub delay: Time,
    /// Queue in front of the link. Limits count waiting packets only, not the one in transmission.
    #[serde(default)]
    pub queue: QueueParams,
    /// Loss on the wire: a probability per packet in [0, 1), or a pattern.
    #[serde(default)]
    pub loss: LossParams,
    /// Corruption: probability, in [0, 1), that a packet is damaged on the wire. It travels on and is dropped where its path ends, by the
    /// checksum or, in world `quic`, by the AEAD of the packet. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub corrupt: Option<f64>,
    /// Bytes on the wire beyond the packets' own: an encapsulation by its name, or its parameters. They lengthen transmission and count
    /// for utilisation; limits and queue statistics are in the packets' own bytes. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framing: Option<FramingParams>,
    /// ACK reconstruction at the far end of the link: an acknowledgement that covers several missing ones is preceded by reconstructed
    /// ones, evenly spaced (RFC 3449, section 5.3.1). Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconstruct: Option<ReconstructParams>,
    /// Half-duplex medium that the link shares with every other link that names it: one transmits at a time. Default: a
    /// medium of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub medium: Option<MediumParams>,
    /// Steps of rate, delay and loss, in order of time. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ChangeParams>,
    /// Intervals in which nothing is transmitted. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outages: Vec<OutageParams>,
    /// Recording of rate, delay and loss that the link plays, from a file or made from the seed. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<LinkTrace>,
    /// Random delay on top of the propagation delay. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<JitterParams>,
    /// Packets may overtake earlier ones when jitter, a change or a recording reduces the delay; else they arrive in order.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("default" = false))]
    pub reorder: bool,
    /// Policer before the queue: drops traffic above its rate, counted among the queue's drops. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policer: Option<PolicerParams>,
}

/// States in the schema that a rate may be missing beside a trace.
fn rate_or_trace(schema: &mut Schema) {
    if let Some(Json::Array(required)) = schema.get_mut("required") {
        required.retain(|key| key != "rate");
    }
    schema.insert("if".to_owned(), json!({ "not": { "required": ["trace"] } }));
    schema.insert("then".to_owned(), json!({ "required": ["rate"] }));
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(b: &bool) -> bool {
    !*b
}

/// A half-duplex medium as written: a name, or a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MediumParams {
    /// Its name.
    Name(String),
    /// Its name and turnaround time.
    Table(MediumTable),
}

/// A half-duplex medium.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MediumTable {
    /// Name; links that name the same medium share it.
    pub name: String,
    /// Turnaround time: the pause before a transmission if another link transmitted last. If several links give it, the values must be
    /// equal. Default: 0 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = "1 h"))]
    pub turnaround: Option<Time>,
}

impl MediumParams {
    /// The medium's name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Table(table) => &table.name,
        }
    }

    /// The turnaround time, if given.
    #[must_use]
    pub const fn turnaround(&self) -> Option<Time> {
        match self {
            Self::Name(_) => None,
            Self::Table(table) => table.turnaround,
        }
    }
}

/// An access link of a known kind; `down` is towards the subscriber, `up` away from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Duplex {
    /// Name, unique in the file; the two links are called `NAME/down` and `NAME/up`.
    pub name: String,
    /// Kind of access link.
    pub preset: Preset,
    /// Changes to the preset towards the subscriber.
    #[serde(default, skip_serializing_if = "Direction::is_default")]
    pub down: Direction,
    /// Changes to the preset away from the subscriber.
    #[serde(default, skip_serializing_if = "Direction::is_default")]
    pub up: Direction,
}

/// Changes to one direction of a preset.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Direction {
    /// Rate of transmission instead of the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-minimum" = "1 bit/s", "x-maximum" = "10 Tbit/s"))]
    pub rate: Option<Rate>,
    /// One-way delay instead of the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = "1 h"))]
    pub delay: Option<Time>,
    /// Queue instead of the preset's, whose limit follows a changed rate: a full queue takes as long to drain as the preset's. A drop-tail
    /// queue without a limit has the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueParams>,
    /// Loss on the link; presets have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<LossParams>,
    /// Corruption: probability, in [0, 1), that a packet is damaged on the wire. It travels on and is dropped where its path ends, by the
    /// checksum or, in world `quic`, by the AEAD of the packet. Presets have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub corrupt: Option<f64>,
    /// Bytes on the wire beyond the packets' own; presets have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framing: Option<FramingParams>,
    /// ACK reconstruction at the far end; presets have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconstruct: Option<ReconstructParams>,
    /// Half-duplex medium shared with every link that names it; presets have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub medium: Option<MediumParams>,
    /// Steps of rate, delay and loss, in order of time. Presets have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ChangeParams>,
    /// Intervals in which nothing is transmitted. Presets have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outages: Vec<OutageParams>,
    /// Recording of rate, delay and loss that the link plays, from a file or made from the seed. Presets have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<LinkTrace>,
    /// Random delay on top of the propagation delay. Presets have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<JitterParams>,
    /// Packets may overtake earlier ones when jitter, a change or a recording reduces the delay; else they arrive in order.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("default" = false))]
    pub reorder: bool,
    /// Policer before the queue: drops traffic above its rate, counted among the queue's drops. Presets have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policer: Option<PolicerParams>,
}

impl Duplex {
    /// The two links that it makes, down and up.
    #[must_use]
    pub fn directions(&self) -> [Link; 2] {
        let info = self.preset.info();
        [("down", &self.down, info.down), ("up", &self.up, info.up)].map(|(way, given, preset)| Link {
            name: format!("{}/{way}", self.name),
            rate: given.rate.unwrap_or(preset.rate),
            delay: given.delay.unwrap_or(preset.delay),
            queue: given.queue.unwrap_or_else(|| preset.queue_at(given.rate.unwrap_or(preset.rate))),
            loss: given.loss.unwrap_or_default(),
            corrupt: given.corrupt,
            framing: given.framing,
            reconstruct: given.reconstruct,
            medium: given.medium.clone(),
            changes: given.changes.clone(),
            outages: given.outages.clone(),
            trace: given.trace.clone(),
            jitter: given.jitter,
            reorder: given.reorder,
            policer: given.policer,
        })
    }

    /// Writes out the queues that follow a changed rate, for the canonical form.
    pub(crate) fn write_out_scaled_queues(&mut self) {
        let info = self.preset.info();
        for (direction, preset) in [(&mut self.down, info.down), (&mut self.up, info.up)] {
            if let (Some(rate), None) = (direction.rate, direction.queue) {
                direction.queue = Some(preset.queue_at(rate));
            }
        }
    }
}

impl Direction {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
