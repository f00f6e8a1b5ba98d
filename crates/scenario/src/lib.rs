//! The scenario file and the result: formats, validation, the indexed network. No behaviour.

pub mod network;
pub mod result;

pub use network::Network;
