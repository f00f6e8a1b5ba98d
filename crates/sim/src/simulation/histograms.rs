//! Which flows count their round-trip samples together.

use eddyline_scenario::Network;

use crate::meter::{RttHistogram, SharedHistogram};

/// In runs of more flows, those of a table with `count` above 1 have one histogram of round-trip times together.
const MAX_HISTOGRAMS: usize = 10_000;

/// The histograms of the flows of a simulation.
#[derive(Debug)]
pub struct Histograms {
    /// First flow and flow after the last of each table, in order.
    tables: Vec<(usize, usize, RttHistogram)>,
}

impl Histograms {
    /// Histograms for the flows of `network`.
    pub fn new(network: &Network) -> Self {
        let groups = if network.flows.len() > MAX_HISTOGRAMS { network.groups.as_slice() } else { &[] };
        let shared = || RttHistogram::Shared(SharedHistogram::default());
        let mut tables: Vec<_> = groups.iter().map(|g| (g.first, g.first + g.count, shared())).collect();
        tables.sort_unstable_by_key(|(first, ..)| *first);
        Self { tables }
    }

    /// The histogram of the flow at `place`.
    pub fn of_flow(&self, place: usize) -> RttHistogram {
        let table = self.tables.partition_point(|(first, ..)| *first <= place).checked_sub(1);
        match table.map(|table| &self.tables[table]) {
            Some((_, end, shared)) if place < *end => shared.clone(),
            _ => RttHistogram::Own(Box::default()),
        }
    }
}
