//! The endpoints' algorithms, sans-I/O: time and acknowledgements come in, a window and a pacing interval come out.
//!
//! One trait ([`Controller`]), one file per controller, one line per controller in `kinds.rs`. Nothing here asks for the
//! time, draws a random number, logs or allocates. Windows are in packets and fractional; the transport turns them into
//! bytes.

mod ack_backlog;
mod ageing;
mod backlog;
mod base_rtt;
mod bbr;
mod bbr3;
mod bic;
mod boxed;
mod byte_counting;
mod clock_drift;
mod compound;
mod controller;
mod copa;
mod cubic;
mod delay;
mod delivery_rate;
mod drain;
mod fast;
mod fast_options;
mod highspeed;
mod htcp;
mod hybla;
mod hystart;
mod illinois;
mod kinds;
mod ledbat;
mod newreno;
mod one_way;
mod rate_correction;
mod reno;
mod round_trips;
mod scalable;
mod slow_start;
mod smallest;
mod tahoe;
mod vegas;
mod veno;
mod westwood;
mod window_law;
mod windowed;
mod yeah;

pub use base_rtt::{BaseRtt, BaseRttSource};
pub use bbr::{Bbr, BbrParams};
pub use bbr3::{Bbr3, Bbr3Params};
pub use bic::{Bic, BicParams};
pub use compound::{Compound, CompoundParams};
pub use controller::{Ack, Controller, Loss, PartialAck, PathFacts, Sent, Stamp, Timeout};
pub use copa::{Copa, CopaParams};
pub use cubic::{Cubic, CubicParams, CubicProfile};
pub use delay::Delay;
pub use drain::{DrainChoice, DrainParams};
pub use fast::{Fast, FastParams, FastProfile};
pub use fast_options::DelayOptions;
pub use highspeed::{HighSpeed, HighSpeedParams};
pub use htcp::{HTcp, HTcpParams};
pub use hybla::{Hybla, HyblaParams};
pub use illinois::{Illinois, IllinoisParams};
pub use kinds::{AnyController, ControllerParams, KINDS, KindInfo};
pub use ledbat::{Ledbat, LedbatParams, LedbatProfile};
pub use newreno::{NewReno, NewRenoParams};
pub use rate_correction::RateCorrectionParams;
pub use reno::{Reno, RenoParams};
pub use scalable::{Scalable, ScalableParams};
pub use slow_start::SlowStartKind;
pub use tahoe::{Tahoe, TahoeParams};
pub use vegas::{Vegas, VegasParams};
pub use veno::{Veno, VenoParams};
pub use westwood::{Westwood, WestwoodParams};
pub use yeah::{Yeah, YeahParams};
