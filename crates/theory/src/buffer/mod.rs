//! Buffers of an asymmetric link with downloads and uploads.
//!
//! "The paper" is Heusse, Brown, Schwengler, Duda, "A new look at bidirectional TCP connections over asymmetric links".
//! Its equations 1 to 5 (the data pendulum) are [`steady_state`] and [`case`], eq. 6 is [`rule_of_thumb`],
//! eq. 7 and 8 with the windows between them are [`estimate`]. Where the text can be read in two ways, both are
//! available, the better one by default. Extensions: buffers counted in packets or in ATM cells, several flows each way, unequal
//! round-trip times.
//!
//! Rates are bit/s, windows and queues bytes on the wire, times seconds. docs/theory/buffer.md has the error
//! of the estimate.

mod checked;
mod estimate;
mod link;
mod pendulum;
mod shares;

pub use estimate::{Estimate, Losses, Propagation, Readings, SawTooth, estimate};
pub use link::{Connections, Duplex, LinkDirection, Setting, Unit, rule_of_thumb};
pub use pendulum::{Case, SteadyState, case, download_queue, round_trip, steady_state, upload_queue};
pub use shares::{Shares, shares};
