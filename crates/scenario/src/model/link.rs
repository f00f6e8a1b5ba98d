//! Links and duplex access links as written.

use eddyline_path::loss::LossParams;
use eddyline_path::queue::QueueParams;
use eddyline_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::presets::Preset;

/// One direction of transmission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Name, unique in the file.
    pub name: String,
    /// Rate of transmission, 1 bit/s to 10 Tbit/s.
    #[schemars(extend("x-least" = "1 bit/s", "x-most" = "10 Tbit/s"))]
    pub rate: Rate,
    /// One-way propagation delay, 0 s to 1 h.
    #[schemars(extend("x-most" = "1 h"))]
    pub delay: Time,
    /// Queue in front of the link. Limits count waiting packets only, not the one in transmission.
    #[serde(default)]
    pub queue: QueueParams,
    /// Loss on the wire: a probability per packet in [0, 1), or a pattern.
    #[serde(default)]
    pub loss: LossParams,
}

/// An access link of a known kind; `down` is towards the subscriber, `up` away from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Duplex {
    /// Name, unique in the file; the two links are called `NAME/down` and `NAME/up`.
    pub name: String,
    /// Which kind of access link.
    pub preset: Preset,
    /// What differs from the preset towards the subscriber.
    #[serde(default, skip_serializing_if = "Direction::is_default")]
    pub down: Direction,
    /// What differs from the preset away from the subscriber.
    #[serde(default, skip_serializing_if = "Direction::is_default")]
    pub up: Direction,
}

/// What one direction does not take from its preset.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Direction {
    /// Rate of transmission instead of the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-least" = "1 bit/s", "x-most" = "10 Tbit/s"))]
    pub rate: Option<Rate>,
    /// One-way delay instead of the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-most" = "1 h"))]
    pub delay: Option<Time>,
    /// Queue instead of the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueParams>,
    /// Loss on the wire; presets have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<LossParams>,
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
            queue: given.queue.unwrap_or(preset.queue),
            loss: given.loss.unwrap_or_default(),
        })
    }
}

impl Direction {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
