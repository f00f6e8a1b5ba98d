//! Options of the fluid model.

use crate::fast::WindowLaw;
use crate::link_model::LinkModel;

/// When an [`AckClocked`](LinkModel::AckClocked) sender sends what its window allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sending {
    /// As configured for the flow: paced, or not.
    #[default]
    AsConfigured,
    /// At once: packets in flight equal the window.
    Window,
    /// No faster than w / RTT, RTT the last sample: as a paced sender.
    Paced,
}

/// Gain of the window law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gain {
    /// gamma a round-trip time, in 1/s: eq. 2.
    #[default]
    Continuous,
    /// -ln(1 - gamma) a round-trip time: the rate at which a round trip leaves the share 1 - gamma of a
    /// deviation, as an update a round trip does.
    Sampled,
}

/// The average round-trip time in the window law.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Filter {
    /// The last sample: eq. 2 as printed.
    #[default]
    None,
    /// The sender's filter. FAST's: each acknowledgement has the weight min(`filter_gain` / w, `filter_cap`). VFAST's: as below with
    /// its own psi, of the samples that `smoothing` selects, of round-trip times or of FAST's average (`mean_rtt`).
    Fast,
    /// VFAST's, eq. 4 of its paper: each acknowledgement has the weight `up` where the sample is above the average,
    /// `down` otherwise.
    Asymmetric {
        /// psi where the sample is larger, in (0, 1); 3/4 in the paper.
        up: f64,
        /// psi where it is not, in (0, 1); 1/2 in the paper.
        down: f64,
    },
}

/// The base round-trip times that senders assume.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum BaseRtts {
    /// As configured for the controller: the smallest sample so far, or propagation.
    #[default]
    AsConfigured,
    /// Propagation and the flow's own transmission times, so that q is queueing delay alone, as in the equations.
    Exact,
    /// One a flow of the network, in seconds, transmission times included: as in
    /// [`run_with_base_rtt`](crate::run_with_base_rtt).
    Given(Vec<f64>),
}

/// Options of [`dynamics`](super::dynamics).
#[derive(Debug, Clone, PartialEq)]
pub struct DynamicsOptions {
    /// The link model.
    pub link_model: LinkModel,
    /// When a sender sends what its window allows; [`AckClocked`](LinkModel::AckClocked) only.
    pub sending: Sending,
    /// Which window the law multiplies.
    pub law: WindowLaw,
    /// Gain of the window law.
    pub gain: Gain,
    /// The filter of round-trip times.
    pub filter: Filter,
    /// Base round-trip times.
    pub base_rtt: BaseRtts,
    /// Whether windows double each round trip while the queueing delay that the sender sees is below `mi_threshold`.
    pub start_up: bool,
    /// Whether the first data packet waits for a handshake, which takes a round trip.
    pub handshake: bool,
    /// Local error allowed in a step: relative for windows, relative to the round-trip time for queueing delays.
    pub tolerance: f64,
    /// Steps after which to give up.
    pub max_steps: u64,
}

impl DynamicsOptions {
    /// FAST's algorithm instead of eq. 2 of the two-way paper: the window at sending, and the published filter of
    /// round-trip times.
    #[must_use]
    pub fn algorithm() -> Self {
        Self { filter: Filter::Fast, law: WindowLaw::AtSending, ..Self::default() }
    }
}

impl Default for DynamicsOptions {
    fn default() -> Self {
        Self {
            link_model: LinkModel::default(),
            sending: Sending::default(),
            law: WindowLaw::default(),
            gain: Gain::default(),
            filter: Filter::default(),
            base_rtt: BaseRtts::default(),
            start_up: true,
            handshake: true,
            tolerance: 1e-6,
            max_steps: 20_000_000,
        }
    }
}
