//! The two ends of QUIC connections, by a stack that others wrote, noq-proto: what worlds `quic` and `kernel` have in common.
//!
//! The stack has no clock, socket or thread of its own: who uses this crate gives it times and datagrams, virtual or real, and all that is
//! random in it is drawn from the scenario's seed.

mod application;
pub mod approximations;
pub mod clock;
pub mod controller;
mod crypto;
mod host;
mod kinds;
mod observed;
mod pair;
pub mod settings;

// for its feature alone, see Cargo.toml
use tracing as _;

pub use crypto::{CERTIFICATE_BYTES, Crypto};
pub use host::{Datagram, Host};
pub use kinds::kinds;
pub use noq_proto::{ClientConfig, EcnCodepoint};
pub use observed::Observations;
pub use pair::{Pair, pair};

/// Name of the world that has nothing else.
pub const WORLD: &str = "quic";
