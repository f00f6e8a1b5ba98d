//! Which recording a link plays, as written in a scenario.

use eddyline_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::profiles::Profile;
use super::recording::{Recording, RecordingError, Side};

/// A recording to play: from a file, or made by a profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum LinkTrace {
    /// A file with columns `time_s`, `rate_bps`, `delay_s`, `loss`.
    Csv(CsvTrace),
    /// A packet-delivery trace of mahimahi.
    Mahimahi(MahimahiTrace),
    /// Synthetic: a phone on LTE, whose rate fades within seconds.
    Lte(PlainTrace),
    /// Synthetic: a low-orbit satellite terminal, whose path changes every 15 s.
    Starlink(PlainTrace),
    /// Synthetic: cable shared with the neighbours, whose rate changes slowly.
    Cable(PlainTrace),
    /// Synthetic: Wi-Fi, whose rate jumps between those of the standard.
    Wifi(PlainTrace),
}

/// A file with named columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CsvTrace {
    /// The file, relative to the scenario's folder.
    pub file: String,
    /// Which columns of a file that holds both directions: those that begin with `down_` or `up_`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Side>,
    /// After its end it begins again; else its last line holds.
    #[serde(default = "yes")]
    pub repeat: bool,
}

/// A packet-delivery trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MahimahiTrace {
    /// The file, relative to the scenario's folder.
    pub file: String,
}

/// A profile: the link's `rate` is its mean, the link's `delay` its least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlainTrace {}

const fn yes() -> bool {
    true
}

impl LinkTrace {
    /// The file that it names.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Csv(p) => Some(&p.file),
            Self::Mahimahi(p) => Some(&p.file),
            _ => None,
        }
    }

    /// The profile that it is.
    #[must_use]
    pub const fn profile(&self) -> Option<Profile> {
        match self {
            Self::Csv(_) | Self::Mahimahi(_) => None,
            Self::Lte(_) => Some(Profile::Lte),
            Self::Starlink(_) => Some(Profile::Starlink),
            Self::Cable(_) => Some(Profile::Cable),
            Self::Wifi(_) => Some(Profile::Wifi),
        }
    }

    /// Whether it begins again after its end.
    #[must_use]
    pub const fn repeats(&self) -> bool {
        match self {
            Self::Csv(p) => p.repeat,
            _ => true,
        }
    }

    /// Reads the text of its file.
    ///
    /// # Errors
    /// What is wrong, with the line.
    pub fn read(&self, text: &str) -> Result<Recording, RecordingError> {
        match self {
            Self::Csv(p) => Recording::csv(text, p.direction),
            _ => Recording::mahimahi(text),
        }
    }

    /// The recording that its profile makes for the link called `name`, if it is one.
    #[must_use]
    pub fn made(&self, rate: Rate, delay: Time, seed: u64, name: &str) -> Option<Recording> {
        Some(self.profile()?.recording(rate, delay, seed, name))
    }
}
