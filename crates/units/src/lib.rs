//! Quantities with units: integer time, rate and bytes, and packet counts.
//!
//! A quantity is written as a number, a space and a unit (`"20 ms"`, `"1.5 Mbit/s"`); it parses exactly, in integer
//! arithmetic, and rounds to the nearest base unit. A bare number is never a quantity.

mod parse;
mod quantity;
mod types;
mod unit;

pub use parse::{Decimal, QuantityError, number_and_unit};
pub use quantity::Quantity;
pub use types::{Bytes, Cells, Frequency, Packets, Percent, Rate, Time};
pub use unit::Unit;
