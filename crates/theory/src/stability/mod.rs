//! Local stability of FAST about an equilibrium of any network, with exact delays.

mod complex;
mod count;
mod model;
mod point;
mod roots;
mod spectral;

pub use complex::Complex;
pub use count::zeros_right_of;
pub use model::{Characteristic, LinkModel};
pub use point::{Crossing, FlowPoint, OperatingPoint, UpdatePeriod};
pub use roots::{Root, Roots, newton, rightmost};
