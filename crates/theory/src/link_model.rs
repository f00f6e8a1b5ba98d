//! Link models: how a queue responds to windows. The literature has several.

/// How a link's queue responds to windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum LinkModel {
    /// Sources send w / (d + q), every link of their path receives that rate after the delay to it, and p grows
    /// with y / c - 1, truncated at zero: eq. 1 to 3 of the two-way paper.
    Integrator,
    /// Packets in flight are the window, so data leave when acknowledgements arrive, and queues pass on what they did
    /// to the spacing of packets: the ACK clock of Jacobsson, Andrew, Tang, Johansson, Hjalmarsson and Low (2008), here
    /// for data and acknowledgements on any number of links.
    #[default]
    AckClocked,
    /// The joint link model of Tang, Jacobsson, Andrew and Low (2007): a link integrates w / (d + q) and the windows'
    /// change. It is the ack-clocked model with `1 / (1 - e^-sR)` approximated by `1 + 1 / sR`, which loses patterns
    /// shorter than a round trip. For small perturbations only.
    Joint,
}

impl LinkModel {
    /// As in results: `integrator`, `ack_clocked` or `joint`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integrator => "integrator",
            Self::AckClocked => "ack_clocked",
            Self::Joint => "joint",
        }
    }
}
