//! One direction of transmission: a queue, a transmitter and their counters.
//!
//! [`FifoLink`] is a drop-tail link whose departures are known on arrival, so virtual time needs no event per
//! departure. [`StoreLink`] takes any queue discipline and serves virtual and real time. Their results are bitwise identical.
//! [`Medium`] contains links of the second kind that transmit one at a time.

mod fifo;
mod medium;
mod meter;
mod reconstruct;
mod reservations;
mod store;

pub use fifo::{Departure, FifoLink};
pub use medium::Medium;
pub use meter::Meter;
pub use reconstruct::{AckReconstructor, Acknowledges, ReconstructParams, Released};
pub use reservations::Reservations;
pub use store::{Origin, StoreLink};
