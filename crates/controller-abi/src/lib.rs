//! Congestion controllers for [Eddyline](https://github.com/eddyline/eddyline) in a library of their own.
//!
//! A type implements [`Controller`], and [`export!`] makes the crate a plugin: a `cdylib` for the machine that it is built on, or a
//! WebAssembly module. `eddyline run scenario.toml --controllers target/release/libmine.so` loads it.
//!
//! ```
//! use eddyline_controller::{Ack, Controller, Loss, Parameter, Params, Path, Timeout};
//!
//! /// A window that never changes.
//! struct Fixed {
//!     window: f64,
//! }
//!
//! impl Controller for Fixed {
//!     const NAME: &'static str = "fixed";
//!     const SUMMARY: &'static str = "a window that never changes";
//!     const PARAMETERS: &'static [Parameter] =
//!         &[Parameter::number("window", 10.0).range(1.0, 1e6).about("The window in packets.")];
//!
//!     fn new(params: &Params, _path: &Path) -> Result<Self, String> {
//!         Ok(Self { window: params.number("window") })
//!     }
//!
//!     fn on_ack(&mut self, _ack: &Ack) {}
//!     fn on_loss(&mut self, _loss: &Loss) {}
//!     fn on_timeout(&mut self, _timeout: &Timeout) {}
//!
//!     fn window(&self) -> f64 {
//!         self.window
//!     }
//! }
//!
//! eddyline_controller::export!(Fixed);
//! # fn main() {}
//! ```
//!
//! The interface between the library and Eddyline is plain C ([`abi`], `include/eddyline_controller.h`), so that compilers and
//! languages need not be the same on both sides. It has a version, [`abi::VERSION`]; Eddyline refuses a library of another one.
//!
//! Controllers must be deterministic: no clock but the time of the events, no generator of random numbers without a fixed seed. A
//! panic stops its flow with its message and harms nothing else.

pub mod abi;
mod controller;
mod export;
mod json;
mod parameters;
mod time;

pub use abi::{Ack, Loss, Marks, Path, Sent, Timeout};
pub use controller::{Controller, EcnResponse, PartialAck, Stamp};
pub use parameters::{Parameter, Params};
pub use time::{MaybeTime, Time};

#[doc(hidden)]
pub use export::glue;
