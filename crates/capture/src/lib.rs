//! Packet captures of runs: a file in pcapng format for each of the two hosts, as `tcpdump` would write on their interfaces.
//!
//! World `kernel` has real packets. World `sim` has none, so [`Segment`] makes IPv4 and TCP headers from what a simulated packet says.

mod addresses;
mod capture;
mod pcapng;
mod segment;

pub use addresses::{address, flow_of};
pub use capture::Capture;
pub use pcapng::Writer;
pub use segment::{Kind, Segment};

/// Bytes kept of each packet: headers with all options, as with `tcpdump -s`.
pub const SNAP: usize = 128;

/// Port of all receivers.
pub const PORT: u16 = 5_001;
