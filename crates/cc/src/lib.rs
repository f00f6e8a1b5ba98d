//! The endpoints' algorithms, sans-I/O: time and acknowledgements come in, a window and a pacing interval come out.
//!
//! One trait ([`Controller`]), one file per controller, one line per controller in `kinds.rs`. Nothing here asks for the
//! time, draws a random number, logs or allocates. Windows are in packets and fractional; the transport turns them into
//! bytes.

mod base_rtt;
mod byte_counting;
mod controller;
mod fast;
mod hystart;
mod kinds;
mod newreno;
mod reno;
mod slow_start;

pub use base_rtt::{BaseRtt, BaseRttSource};
pub use controller::{Ack, Controller, Loss, PartialAck, PathFacts, Sent, Stamp, Timeout};
pub use fast::{Fast, FastParams, FastProfile};
pub use kinds::{AnyController, ControllerParams, KINDS, KindInfo};
pub use newreno::{NewReno, NewRenoParams};
pub use reno::{Reno, RenoParams};
pub use slow_start::SlowStartKind;
