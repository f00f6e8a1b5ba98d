//! What the two buffers of an asymmetric link make of a download and an upload.
//!
//! "The paper" is Heusse, Brown, Schwengler, Duda, "A new look at bidirectional TCP connections over asymmetric links".
//! Its equations 1 to 5 (the pendulum of what is outstanding) are [`steady_state`] and [`case`], eq. 6 is [`rule_of_thumb`],
//! eq. 7 and 8 with the windows between them are [`estimate`]. Where the text allows two readings both are there, the
//! better one by default. Beyond it: buffers counted in packets or in ATM cells, several flows each way, unequal
//! round-trip times.
//!
//! Rates are bit/s, windows and queues bytes on the wire, times seconds. How far the estimate is off is measured in
//! docs/theory/buffer.md.

mod checked;
mod estimate;
mod link;
mod pendulum;
mod shares;

pub use estimate::{Estimate, Losses, Propagation, Readings, SawTooth, estimate};
pub use link::{Connections, Duplex, LinkDirection, Setting, Unit, rule_of_thumb};
pub use pendulum::{Case, SteadyState, case, download_queue, round_trip, steady_state, upload_queue};
pub use shares::{Shares, shares};
