//! The complementarity problem and its solution.

use std::sync::Arc;

use crate::error::{TheoryError, Which};

/// FAST flows on links: find prices p with x = alpha / (q - e), A x <= c, p >= 0 and p . (c - A x) = 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Problem {
    /// Rate of each link in bit/s, above 0.
    pub capacity: Vec<f64>,
    /// Load on each link that does not respond to congestion, in bit/s; at least 0 and below the capacity of links that
    /// flows cross.
    pub unresponsive: Vec<f64>,
    /// The flows.
    pub flows: Vec<ProblemFlow>,
    /// How far each flow overestimates its base round-trip time, in seconds: it measures q - e. Empty stands for all zeros.
    pub base_rtt_error: Vec<f64>,
    /// Links that send acknowledgements before data. Empty stands for none.
    pub acks_first: Vec<bool>,
    /// w: weight of the queueing delay of its acknowledgements in what each flow measures. 1 is FAST as published,
    /// P- / P+ their share of the load, 0 ignores it. Empty stands for all ones.
    pub ack_wait: Vec<f64>,
    /// What reaches the links of each flow's data path, then those of its acknowledgements' path: packets, and
    /// acknowledgements, for each that it sends where none is lost. Empty stands for all ones, as does a flow's empty list.
    pub reaching: Vec<Arc<[f64]>>,
}

/// A FAST flow with its two sub-flows, data and acknowledgements.
#[derive(Debug, Clone, PartialEq)]
pub struct ProblemFlow {
    /// Packets to keep queued along the round trip, above 0.
    pub alpha: f64,
    /// Bits of a data packet on the wire, above 0: P+.
    pub packet_bits: f64,
    /// Bits of acknowledgement for each data packet, at least 0: P-, divided by the packets that one acknowledgement
    /// covers.
    pub ack_bits: f64,
    /// Links that data packets cross; at least one.
    pub data: Arc<[u32]>,
    /// Links that acknowledgements cross.
    pub ack: Arc<[u32]>,
}

/// Sizes of one flow; definitions and units as in [`ProblemFlow`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowRow {
    /// Packets to keep queued along the round trip, above 0.
    pub alpha: f64,
    /// Bits of a data packet on the wire, above 0.
    pub packet_bits: f64,
    /// Bits of acknowledgement for each data packet, at least 0.
    pub ack_bits: f64,
    /// How far the flow overestimates its base round-trip time, in seconds.
    pub base_rtt_error: f64,
}

/// All equilibria that were found.
#[derive(Debug, Clone, PartialEq)]
pub struct Equilibria {
    /// At least one. Those that may be stable (index not -1) come first; among them the one of highest throughput.
    pub found: Vec<Equilibrium>,
    /// Whether the rates x are unique: `Some(true)` if proved, `Some(false)` if several were found, `None` if one was
    /// found and uniqueness is not proved.
    pub unique: Option<bool>,
    /// How it was solved.
    pub method: Method,
    /// Whether every residual is below [`TOLERANCE`](super::TOLERANCE).
    pub converged: bool,
}

/// One equilibrium.
#[derive(Debug, Clone, PartialEq)]
pub struct Equilibrium {
    /// Each flow's x in packet/s.
    pub rates: Vec<f64>,
    /// Each flow's q in seconds: the queueing delay that it measures, of the round trip unless
    /// [`ack_wait`](Problem::ack_wait) differs.
    pub delays: Vec<f64>,
    /// Queueing delay of data packets in seconds; `None` where only the sum is determined.
    pub forward_delays: Vec<Option<f64>>,
    /// Queueing delay of acknowledgements in seconds; `None` where only the sum is determined.
    pub reverse_delays: Vec<Option<f64>>,
    /// Each link's p in seconds; `None` where only a sum over several links is determined.
    pub prices: Vec<Option<f64>>,
    /// Each link's load in bit/s, acknowledgements and unresponsive traffic included.
    pub loads: Vec<f64>,
    /// Links whose price is above zero, or undetermined.
    pub bottlenecks: Vec<bool>,
    /// Sign of the determinant of the active links' Jacobian A D G^T; with -1 the equilibrium is unstable under any
    /// fluid dynamics in which queues grow with excess load. `None` where it is zero, a saturated link has price zero, or
    /// the network is too large to compute it.
    pub index: Option<i8>,
    /// Largest relative violation of x (q - e) = alpha, feasibility and complementarity.
    pub residual: f64,
}

/// How an equilibrium was computed, from the most specialised method to the most general.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// All flows of a component share one queueing delay: eq. 4-6 of the two-way paper.
    ClosedForm,
    /// The same with base round-trip times in error: one equation in one unknown for each link.
    CommonDelay,
    /// Newton's method on every set of active links.
    Enumeration,
    /// A primal-dual interior-point method, then Newton's method on the links that it found active.
    InteriorPoint,
    /// The same from many starting points, in search of several equilibria; some may have been missed.
    MultiStart,
    /// A smoothing Newton method with iterative linear algebra, for networks too large for elimination.
    SmoothingNewton,
}

impl Method {
    /// As in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClosedForm => "closed form",
            Self::CommonDelay => "common queueing delay",
            Self::Enumeration => "enumeration of active sets",
            Self::InteriorPoint => "interior point",
            Self::MultiStart => "multi-start search",
            Self::SmoothingNewton => "smoothing Newton",
        }
    }
}

impl Problem {
    /// A flow's error of base round-trip time in seconds.
    #[must_use]
    pub fn error_of(&self, flow: usize) -> f64 {
        self.base_rtt_error.get(flow).copied().unwrap_or(0.0)
    }

    /// The weight of the acknowledgements' queueing delay in what a flow measures.
    #[must_use]
    pub fn ack_wait_of(&self, flow: usize) -> f64 {
        self.ack_wait.get(flow).copied().unwrap_or(1.0)
    }

    /// The share of a flow's packets that reach each link of its round trip; empty for all ones.
    pub(crate) fn reaching_of(&self, flow: usize) -> &[f64] {
        self.reaching.get(flow).map_or(&[], |shares| shares)
    }

    /// Each link on a flow's round trip, with the bits that a packet puts on it: data first, acknowledgements then.
    pub(crate) fn crossings(&self, flow: usize) -> impl Iterator<Item = (usize, f64)> {
        let (f, shares) = (&self.flows[flow], self.reaching_of(flow));
        let data = f.data.iter().map(|l| (*l as usize, f.packet_bits));
        let all = data.chain(f.ack.iter().map(|l| (*l as usize, f.ack_bits)));
        all.enumerate().map(|(at, (l, bits))| (l, shares.get(at).map_or(bits, |share| bits * share)))
    }

    /// Whether some flow's delay is not the sum of its links' prices, or its load not the same on all links of a path: the
    /// solver for large networks assumes both.
    pub(super) fn is_special(&self) -> bool {
        self.ack_wait.iter().any(|w| *w != 1.0)
            || self.ack_priority().contains(&true)
            || self.reaching.iter().any(|shares| !shares.is_empty())
    }

    /// Links on which acknowledgements take capacity but have no queueing delay: those that send them first and carry data.
    /// Without data such a link is a FIFO of acknowledgements.
    #[must_use]
    pub fn ack_priority(&self) -> Vec<bool> {
        let mut ack_priority = vec![false; self.capacity.len()];
        if self.acks_first.contains(&true) {
            for l in self.flows.iter().flat_map(|f| f.data.iter()).map(|l| *l as usize) {
                ack_priority[l] = self.acks_first.get(l).copied().unwrap_or(false);
            }
        }
        ack_priority
    }

    pub(crate) fn check(&self) -> Result<(), TheoryError> {
        check_links(&self.capacity, &self.unresponsive)?;
        let flows = self.flows.len();
        if !self.base_rtt_error.is_empty() && self.base_rtt_error.len() != flows {
            let given = self.base_rtt_error.len();
            return Err(TheoryError::Length { what: "base round-trip times", given, wanted: flows });
        }
        if !self.acks_first.is_empty() && self.acks_first.len() != self.capacity.len() {
            let (given, wanted) = (self.acks_first.len(), self.capacity.len());
            return Err(TheoryError::Length { what: "links that send acknowledgements first", given, wanted });
        }
        if !self.ack_wait.is_empty() && self.ack_wait.len() != flows {
            let given = self.ack_wait.len();
            return Err(TheoryError::Length {
                what: "weights of acknowledgements' queueing delay",
                given,
                wanted: flows,
            });
        }
        if !self.reaching.is_empty() && self.reaching.len() != flows {
            let given = self.reaching.len();
            return Err(TheoryError::Length { what: "flows with shares that reach links", given, wanted: flows });
        }
        for (s, f) in self.flows.iter().enumerate() {
            let (shares, wanted) = (self.reaching_of(s), f.data.len() + f.ack.len());
            if !shares.is_empty() && shares.len() != wanted {
                return Err(TheoryError::Length { what: "shares that reach links", given: shares.len(), wanted });
            }
            for share in shares {
                let what = || format!("a share of the packets of flow {s}");
                within((0.0..=1.0).contains(share), *share, what, "from 0 to 1")?;
            }
        }
        for (s, wait) in self.ack_wait.iter().enumerate() {
            let what = || format!("the weight of acknowledgements' queueing delay for flow {s}");
            within(*wait >= 0.0, *wait, what, "at least 0 and finite")?;
        }
        for (s, f) in self.flows.iter().enumerate() {
            let row = FlowRow {
                alpha: f.alpha,
                packet_bits: f.packet_bits,
                ack_bits: f.ack_bits,
                base_rtt_error: self.error_of(s),
            };
            check_flow(s, row, &f.data, &f.ack, (&self.capacity, &self.unresponsive))?;
        }
        Ok(())
    }
}

fn within(holds: bool, value: f64, what: impl Fn() -> String, allowed: &'static str) -> Result<(), TheoryError> {
    if holds && value.is_finite() { Ok(()) } else { Err(TheoryError::OutOfRange { what: what(), value, allowed }) }
}

/// Checks the links.
pub(super) fn check_links(capacity: &[f64], unresponsive: &[f64]) -> Result<(), TheoryError> {
    if unresponsive.len() != capacity.len() {
        let (given, wanted) = (unresponsive.len(), capacity.len());
        return Err(TheoryError::Length { what: "unresponsive loads", given, wanted });
    }
    for (l, (c, b)) in capacity.iter().zip(unresponsive).enumerate() {
        within(*c > 0.0, *c, || format!("the rate of link {l}"), "above 0 and finite")?;
        within(*b >= 0.0, *b, || format!("the unresponsive load of link {l}"), "at least 0 and finite")?;
    }
    Ok(())
}

/// Checks flow `s`; `links` are capacities and unresponsive loads.
pub(super) fn check_flow(
    s: usize,
    row: FlowRow,
    data: &[u32],
    ack: &[u32],
    links: (&[f64], &[f64]),
) -> Result<(), TheoryError> {
    let (capacity, unresponsive) = links;
    within(row.alpha > 0.0, row.alpha, || format!("alpha of flow {s}"), "above 0 and finite")?;
    within(row.packet_bits > 0.0, row.packet_bits, || format!("the packet of flow {s}"), "above 0 and finite")?;
    let what = || format!("the acknowledgement of flow {s}");
    within(row.ack_bits >= 0.0, row.ack_bits, what, "at least 0 and finite")?;
    let what = || format!("the base round-trip time error of flow {s}");
    within(true, row.base_rtt_error, what, "a finite number of seconds")?;
    if data.is_empty() {
        return Err(TheoryError::NoPath { flow: s });
    }
    for l in data.iter().chain(ack).map(|l| *l as usize) {
        within(l < capacity.len(), l as f64, || format!("a link of flow {s}"), "the number of a link")?;
        let (load_bps, capacity_bps) = (unresponsive[l], capacity[l]);
        if load_bps >= capacity_bps {
            return Err(TheoryError::Overload { link: Which::Number(l), load_bps, capacity_bps });
        }
    }
    Ok(())
}
