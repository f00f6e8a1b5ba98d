//! Problems with many flows: routes in flat arrays, without an allocation per flow.

use super::problem::{FlowRow, Problem, check_flow, check_links};
use crate::error::TheoryError;

/// FAST flows in flat arrays, for networks of up to millions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlowTable {
    pub(super) alpha: Vec<f64>,
    pub(super) packet_bits: Vec<f64>,
    pub(super) ack_bits: Vec<f64>,
    pub(super) error: Vec<f64>,
    /// Start and end of each flow's acknowledgement path in `links`.
    pub(super) cuts: Vec<[u32; 2]>,
    /// Data path of the first flow, its acknowledgements' path, those of the second, and so on.
    pub(super) links: Vec<u32>,
}

impl FlowTable {
    /// A table with room for `flows` whose round trips cross `crossings` links in all.
    #[must_use]
    pub fn with_capacity(flows: usize, crossings: usize) -> Self {
        let column = || Vec::with_capacity(flows);
        Self {
            alpha: column(),
            packet_bits: column(),
            ack_bits: column(),
            error: column(),
            cuts: Vec::with_capacity(flows),
            links: Vec::with_capacity(crossings),
        }
    }

    /// Adds a flow; its data cross `data`, its acknowledgements `ack`.
    pub fn push(&mut self, row: FlowRow, data: &[u32], ack: &[u32]) {
        self.alpha.push(row.alpha);
        self.packet_bits.push(row.packet_bits);
        self.ack_bits.push(row.ack_bits);
        self.error.push(row.base_rtt_error);
        self.links.extend_from_slice(data);
        let middle = self.links.len() as u32;
        self.links.extend_from_slice(ack);
        self.cuts.push([middle, self.links.len() as u32]);
    }

    /// Number of flows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.alpha.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.alpha.is_empty()
    }

    /// The links that data and acknowledgements of flow `s` cross.
    #[must_use]
    pub fn paths(&self, s: usize) -> (&[u32], &[u32]) {
        let start = if s == 0 { 0 } else { self.cuts[s - 1][1] as usize };
        let [middle, end] = self.cuts[s].map(|at| at as usize);
        (&self.links[start..middle], &self.links[middle..end])
    }

    /// The sizes of flow `s`.
    #[must_use]
    pub fn row(&self, s: usize) -> FlowRow {
        FlowRow {
            alpha: self.alpha[s],
            packet_bits: self.packet_bits[s],
            ack_bits: self.ack_bits[s],
            base_rtt_error: self.error[s],
        }
    }
}

/// [`Problem`] with its flows in flat arrays.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LargeProblem {
    /// Rate of each link in bit/s, above 0.
    pub capacity: Vec<f64>,
    /// Load on each link that does not respond to congestion, in bit/s.
    pub unresponsive: Vec<f64>,
    /// The flows.
    pub flows: FlowTable,
}

impl LargeProblem {
    pub(super) fn check(&self) -> Result<(), TheoryError> {
        check_links(&self.capacity, &self.unresponsive)?;
        if self.flows.links.len() > u32::MAX as usize {
            let value = self.flows.links.len() as f64;
            let what = "the sum of the flows' path lengths".to_owned();
            return Err(TheoryError::OutOfRange { what, value, allowed: "below 2^32" });
        }
        for s in 0..self.flows.len() {
            let (data, ack) = self.flows.paths(s);
            check_flow(s, self.flows.row(s), data, ack, (&self.capacity, &self.unresponsive))?;
        }
        Ok(())
    }
}

impl From<&Problem> for LargeProblem {
    fn from(problem: &Problem) -> Self {
        let crossings = problem.flows.iter().map(|f| f.data.len() + f.ack.len()).sum();
        let mut flows = FlowTable::with_capacity(problem.flows.len(), crossings);
        for (s, f) in problem.flows.iter().enumerate() {
            let row = FlowRow {
                alpha: f.alpha,
                packet_bits: f.packet_bits,
                ack_bits: f.ack_bits,
                base_rtt_error: problem.error_of(s),
            };
            flows.push(row, &f.data, &f.ack);
        }
        Self { capacity: problem.capacity.clone(), unresponsive: problem.unresponsive.clone(), flows }
    }
}
