//! The complementarity problem as a user states it, and its solution.

use std::sync::Arc;

use crate::error::TheoryError;

/// FAST flows on links: find prices p with x = alpha / (q - e), A x <= c, p >= 0 and p . (c - A x) = 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Problem {
    /// Rate of each link in bit/s, above 0.
    pub capacity: Vec<f64>,
    /// Load on each link that does not respond to congestion, in bit/s; at least 0 and below the capacity of links that flows
    /// cross.
    pub unresponsive: Vec<f64>,
    /// The flows.
    pub flows: Vec<ProblemFlow>,
    /// How far each flow overestimates its base round-trip time, in seconds: it sees q - e. Empty stands for all zeros.
    pub base_rtt_error: Vec<f64>,
}

/// A FAST flow with its two sub-flows, data and acknowledgements.
#[derive(Debug, Clone, PartialEq)]
pub struct ProblemFlow {
    /// Packets to keep queued along the round trip, above 0.
    pub alpha: f64,
    /// Bits of a data packet on the wire, above 0: P+.
    pub packet_bits: f64,
    /// Bits of acknowledgement for each data packet, at least 0: P-, divided by the packets that one acknowledgement covers.
    pub ack_bits: f64,
    /// Links that data packets cross; at least one.
    pub data: Arc<[u32]>,
    /// Links that acknowledgements cross.
    pub ack: Arc<[u32]>,
}

/// All equilibria that were found.
#[derive(Debug, Clone, PartialEq)]
pub struct Equilibria {
    /// At least one; those that no fluid dynamics contradicts come first, among them the one of highest throughput.
    pub found: Vec<Equilibrium>,
    /// Whether the rates x are unique: `Some(true)` by proof, `Some(false)` where several were found, `None` where one was found
    /// and nothing proves that there is no other.
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
    /// Each flow's q in seconds: queueing delay of the whole round trip.
    pub delays: Vec<f64>,
    /// The part of q that data packets wait, in seconds; `None` where only the sum is determined.
    pub forward_delays: Vec<Option<f64>>,
    /// The part of q that acknowledgements wait, in seconds; `None` where only the sum is determined.
    pub reverse_delays: Vec<Option<f64>>,
    /// Each link's p in seconds; `None` where only a sum over several links is determined.
    pub prices: Vec<Option<f64>>,
    /// Each link's load in bit/s, acknowledgements and unresponsive traffic included.
    pub loads: Vec<f64>,
    /// Links whose price is above zero, or undetermined.
    pub bottlenecks: Vec<bool>,
    /// Sign of the determinant of the active links' Jacobian A D G^T; -1 means that no fluid dynamics in which queues grow
    /// with excess load can stay there. `None` where it is zero, a full link has no price, or the network is too large to say.
    pub index: Option<i8>,
    /// Largest relative violation of x (q - e) = alpha, feasibility and complementarity.
    pub residual: f64,
}

/// How an equilibrium was found, from the most special to the most general.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// All flows of a connected part share one queueing delay: eq. 4-6 of the two-way paper.
    ClosedForm,
    /// The same with base round-trip times in error: one equation in one unknown for each link.
    CommonDelay,
    /// Newton's method on every set of active links.
    Enumeration,
    /// A primal-dual interior-point method, then Newton's method on the links that it found active.
    InteriorPoint,
}

impl Method {
    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClosedForm => "closed form",
            Self::CommonDelay => "common queueing delay",
            Self::Enumeration => "enumeration of active sets",
            Self::InteriorPoint => "interior point",
        }
    }
}

impl Problem {
    /// A flow's error of base round-trip time in seconds.
    #[must_use]
    pub fn error_of(&self, flow: usize) -> f64 {
        self.base_rtt_error.get(flow).copied().unwrap_or(0.0)
    }

    pub(super) fn check(&self) -> Result<(), TheoryError> {
        let links = self.capacity.len();
        if self.unresponsive.len() != links {
            let given = self.unresponsive.len();
            return Err(TheoryError::Length { what: "unresponsive loads", given, wanted: links });
        }
        let flows = self.flows.len();
        if !self.base_rtt_error.is_empty() && self.base_rtt_error.len() != flows {
            let given = self.base_rtt_error.len();
            return Err(TheoryError::Length { what: "base round-trip times", given, wanted: flows });
        }
        let within = |holds: bool, what: &dyn Fn() -> String, value: f64, allowed: &'static str| {
            if holds && value.is_finite() {
                Ok(())
            } else {
                Err(TheoryError::OutOfRange { what: what(), value, allowed })
            }
        };
        for (l, (c, b)) in self.capacity.iter().zip(&self.unresponsive).enumerate() {
            within(*c > 0.0, &|| format!("the rate of link {l}"), *c, "above 0 and finite")?;
            within(*b >= 0.0, &|| format!("the unresponsive load of link {l}"), *b, "at least 0 and finite")?;
        }
        for (s, flow) in self.flows.iter().enumerate() {
            within(flow.alpha > 0.0, &|| format!("alpha of flow {s}"), flow.alpha, "above 0 and finite")?;
            let bits = flow.packet_bits;
            within(bits > 0.0, &|| format!("the packet of flow {s}"), bits, "above 0 and finite")?;
            within(
                flow.ack_bits >= 0.0,
                &|| format!("the acknowledgement of flow {s}"),
                flow.ack_bits,
                "at least 0 and finite",
            )?;
            within(
                true,
                &|| format!("the base round-trip time error of flow {s}"),
                self.error_of(s),
                "a finite number of seconds",
            )?;
            if flow.data.is_empty() {
                let what = "links on a data path";
                return Err(TheoryError::Length { what, given: 0, wanted: 1 });
            }
            for l in flow.data.iter().chain(flow.ack.iter()).map(|l| *l as usize) {
                within(l < links, &|| format!("a link of flow {s}"), l as f64, "the number of a link")?;
                let (load_bps, capacity_bps) = (self.unresponsive[l], self.capacity[l]);
                if load_bps >= capacity_bps {
                    return Err(TheoryError::Overload { link: format!("number {l}"), load_bps, capacity_bps });
                }
            }
        }
        Ok(())
    }
}
