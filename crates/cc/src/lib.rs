//! The endpoints' algorithms, sans-I/O: time and acknowledgements come in, a window and a pacing interval come out.
//!
//! One trait ([`Controller`]), one file per controller, one line per controller in `kinds/mod.rs`. Nothing here asks for the
//! time, draws a random number or logs, and once it is made it does not allocate. Windows are in packets and fractional; the transport turns them into
//! bytes.

mod controller;
mod custom;
mod forward;
mod kinds;
mod parts;
mod properties;

pub use controller::{Ack, Controller, EcnResponse, Loss, Marks, PartialAck, PathFacts, Sent, Stamp, Timeout};
pub use custom::round_report::{RoundMeter, RoundReport};
pub use custom::{Custom, CustomKind, CustomParams, ParamTable, custom};
pub use kinds::*;
pub use parts::base_rtt::{BaseRtt, BaseRttSource};
pub use parts::slow_start::SlowStartKind;
pub use properties::{AlphaChoice, Describe, EcnFeedback, Properties, SawtoothCut};
