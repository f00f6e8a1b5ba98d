//! Which of the two hosts each flow sends from, and which thread serves each link.
//!
//! Links of opposite directions are independent of each other, and a thread serves each direction; if a link carries packets of
//! both, one thread serves all links.

use eddyline_scenario::Network;
use eddyline_scenario::sides::Sides;

/// Where flows and links are placed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// Host that each flow's sender is on; its receiver is on the other.
    pub sender: Vec<usize>,
    /// Thread that serves each link.
    pub lane: Vec<usize>,
    /// Number of threads, one or two.
    pub lanes: usize,
}

impl Placement {
    /// The placement of a network's flows and links.
    #[must_use]
    pub fn of(network: &Network) -> Self {
        let Sides { senders: sender, links } = Sides::of(network);
        match links {
            Some(lane) => Self { sender, lane, lanes: 2 },
            None => Self { sender, lane: vec![0; network.links.len()], lanes: 1 },
        }
    }
}
