//! Real connections: a sender and a receiver for each flow.

mod application;
mod connection;
mod info;
mod options;

pub use connection::{can_write, receive, send};
pub use info::{TcpInfo, kernel_is_since};
pub use options::has_congestion_control;
