//! Variation of a link during a run: rate, delay and loss by steps or a recording, outages, jitter, and a policer. Links without
//! variation have no cost.

mod changes;
mod conditions;
mod integral;
mod jitter;
mod link_rate;
mod link_variation;
mod mahimahi;
mod outages;
mod piece;
mod policer;
mod profiles;
mod propagation;
mod recording;
mod trace;
mod uptime;

pub use changes::ChangeParams;
pub use conditions::{Conditions, MAX_OUTAGES, unlisted_outages};
pub use jitter::{Jitter, JitterParams};
pub use link_rate::LinkRate;
pub use link_variation::Variation;
pub use outages::OutageParams;
pub use piece::Piece;
pub use policer::{Policer, PolicerParams};
pub use profiles::{PROFILES, Profile, ProfileInfo};
pub use propagation::Propagation;
pub use recording::{Recording, RecordingError, Row, Side};
pub use trace::{CsvTrace, LinkTrace, MahimahiTrace, PlainTrace};
