//! Virtual time: the next event, packets on their way, links.

mod cross;
mod guests;
mod net;
mod packet;
mod tournament;
mod world;

pub use net::{Layout, Net};
pub use packet::{Aside, Flags, Kind, Packet};
pub use world::{ALWAYS, SELDOM, World};
