//! How a link's queue answers to windows: the two models between which the literature is divided.

/// How a queue hears of windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum LinkModel {
    /// Sources send w / (d + q), every link of their path gets that rate after the delay to it, and p grows with y / c - 1,
    /// truncated at zero: eq. 1 to 3 of the two-way paper.
    Integrator,
    /// Packets in flight are the window, so data leave when acknowledgements arrive, which are delayed departures of the forward
    /// path: the joint link model of Tang, Jacobsson, Andrew and Low (2007), here for data and acknowledgements on any number
    /// of links.
    #[default]
    AckClocked,
}

impl LinkModel {
    /// As in results: `integrator` or `ack_clocked`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integrator => "integrator",
            Self::AckClocked => "ack_clocked",
        }
    }
}
