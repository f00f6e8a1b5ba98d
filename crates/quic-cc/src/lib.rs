#![doc = include_str!("../README.md")]

#[cfg(any(feature = "noq", feature = "quinn"))]
mod adapter;
mod bridge;
mod clock;
mod config;
#[cfg(feature = "noq")]
pub mod noq;
#[cfg(feature = "quinn")]
pub mod quinn;
mod receipts;
mod round_trip_time;
mod schema;
mod sent_packets;
mod text;

pub use bridge::{Bridge, Decisions, LostPackets};
pub use config::{Config, Error};
pub use eddyline_cc as cc;
pub use eddyline_units as units;
pub use receipts::{PacketTag, Receipts};
