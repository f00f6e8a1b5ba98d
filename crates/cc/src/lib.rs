//! The endpoints' algorithms, sans-I/O: time and acknowledgements come in, a window and a pacing interval come out.
//!
//! One trait ([`Controller`]), one file and one entry in `kinds/mod.rs` per controller. Controllers never read a clock, draw random
//! numbers, log, or allocate after their construction. Windows are fractional numbers of packets; the transport converts them to
//! bytes.

mod controller;
mod custom;
mod forward;
mod kinds;
mod parts;
mod properties;

pub use controller::{
    Ack, Controller, Decisions, EcnResponse, Loss, Marks, PartialAck, PathFacts, Sent, Stamp, Timeout,
};
pub use custom::lost_between::LostBetween;
pub use custom::registered::DynController;
pub use custom::round_report::{RoundMeter, RoundReport};
pub use custom::{Custom, CustomKind, CustomParams, ParamTable, custom};
pub use kinds::*;
pub use parts::base_rtt::{BaseRtt, BaseRttSource};
pub use parts::slow_start::SlowStartKind;
pub use properties::{AlphaChoice, Conflict, Describe, EcnFeedback, Properties, SawtoothCut};
