//! Virtual time: the next event, packets on their way, links.

mod cross;
mod net;
mod packet;
mod tournament;
mod world;

pub use net::Net;
pub use packet::{Flags, Kind, Packet};
pub use world::World;
