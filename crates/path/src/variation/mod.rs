//! What changes on a link while a run goes on: rate, delay and loss by a plan or a recording, outages, jitter, and a
//! policer that drops what is above its rate. A link without any of them pays for none.

mod changes;
mod conditions;
mod integral;
mod jitter;
mod mahimahi;
mod outages;
mod policer;
mod profiles;
mod propagation;
mod recording;
mod trace;
mod uptime;

use std::sync::Arc;

pub use changes::ChangeParams;
pub use conditions::{Conditions, Piece};
pub use jitter::{Jitter, JitterParams};
pub use outages::OutageParams;
pub use policer::{Policer, PolicerParams};
pub use profiles::{PROFILES, Profile, ProfileInfo};
pub use propagation::Propagation;
pub use recording::{Recording, RecordingError, Row, Side};
pub use trace::{CsvTrace, LinkTrace, MahimahiTrace, PlainTrace};

/// What one link has of it.
#[derive(Debug, Clone, Default)]
pub struct Variation {
    /// Rate, delay and loss over time, outages included.
    pub conditions: Option<Arc<Conditions>>,
    /// Random delay on top of the propagation delay.
    pub jitter: Option<JitterParams>,
    /// Packets may overtake each other where delay falls.
    pub reorder: bool,
    /// Drops above a rate, before the queue.
    pub policer: Option<PolicerParams>,
}

impl Variation {
    /// Nothing varies behind the transmitter or in it.
    #[must_use]
    pub const fn is_steady(&self) -> bool {
        self.conditions.is_none() && self.jitter.is_none()
    }
}
