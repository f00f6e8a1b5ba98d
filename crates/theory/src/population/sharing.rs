//! Rates in every state of the population, by equilibrium.

use std::collections::HashMap;

use crate::closed_form::BALANCED;
use crate::equilibrium::{Equilibrium, Problem, ProblemFlow, TOLERANCE, solve};
use crate::error::{TheoryError, Which};

/// Limit on cached states; beyond it the cache is cleared.
const MAX_CACHED: usize = 1 << 20;

/// Which links are saturated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Full {
    /// Nothing.
    None,
    /// One link.
    One(usize),
    /// Several links.
    Several,
}

/// Computes the rates.
pub(super) struct Sharing {
    kind: Kind,
    /// Bits of a data packet of each class.
    packet_bits: Vec<f64>,
}

enum Kind {
    Common(Common),
    Network(Box<General>),
}

/// All flows have the same queueing delay q, the largest that a link demands: x = alpha / q.
#[derive(Debug, Clone)]
pub(super) struct Common {
    /// For each link that may be full, its index and the delay that permanent flows demand.
    pub links: Vec<(usize, f64)>,
    /// For each of these, the delay that one flow of each class adds, in seconds.
    pub delay: Vec<Vec<f64>>,
    /// alpha P+ of each class: its bit/s at a delay of 1 s.
    pub bits: Vec<f64>,
}

struct General {
    /// Capacities, and the permanent flows.
    fixed: Problem,
    classes: Vec<ProblemFlow>,
    cache: HashMap<Vec<u32>, (Vec<f64>, Full)>,
}

impl Sharing {
    /// `classes` of dynamic flows, and the permanent flows of `fixed`.
    pub fn new(fixed: Problem, classes: Vec<ProblemFlow>) -> Self {
        let packet_bits = classes.iter().map(|c| c.packet_bits).collect();
        let kind = match Common::of(&fixed, &classes) {
            Some(common) => Kind::Common(common),
            None => Kind::Network(Box::new(General { fixed, classes, cache: HashMap::new() })),
        };
        Self { kind, packet_bits }
    }

    /// The same by the general solver, whatever the network.
    #[cfg(test)]
    pub fn general(fixed: Problem, classes: Vec<ProblemFlow>) -> Self {
        let packet_bits = classes.iter().map(|c| c.packet_bits).collect();
        Self { kind: Kind::Network(Box::new(General { fixed, classes, cache: HashMap::new() })), packet_bits }
    }

    /// The one-delay form, where the network has it.
    pub const fn common(&self) -> Option<&Common> {
        match &self.kind {
            Kind::Common(common) => Some(common),
            Kind::Network(_) => None,
        }
    }

    /// Sets each class's bit/s of data a flow, with `counts` flows of each; returns which links are saturated.
    pub fn rates(&mut self, counts: &[u32], rates: &mut [f64]) -> Result<Full, TheoryError> {
        match &mut self.kind {
            Kind::Common(common) => Ok(common.rates(counts, rates)),
            Kind::Network(general) => general.rates(counts, &self.packet_bits, rates),
        }
    }
}

impl Common {
    /// Leaves out links that another link always saturates before. The form holds if all flows cross the others equally
    /// often.
    fn of(fixed: &Problem, classes: &[ProblemFlow]) -> Option<Self> {
        let all: Vec<&ProblemFlow> = fixed.flows.iter().chain(classes).collect();
        let links = fixed.capacity.len();
        let left: Vec<f64> = fixed.capacity.iter().zip(&fixed.unresponsive).map(|(c, b)| c - b).collect();
        // queueing delay in seconds that a flow demands on each link, and how often it crosses it
        let mut demand = vec![vec![0.0; links]; all.len()];
        let mut times = vec![vec![0u32; links]; all.len()];
        for (s, flow) in all.iter().enumerate() {
            for (path, bits) in [(&flow.data, flow.packet_bits), (&flow.ack, flow.ack_bits)] {
                for l in path.iter().map(|l| *l as usize) {
                    demand[s][l] += flow.alpha * bits / left[l];
                    times[s][l] += 1;
                }
            }
        }
        let crossed = |l: usize| times.iter().any(|t| t[l] > 0);
        let below = |l: usize, other: usize| {
            let less = |s: usize| demand[s][l] < demand[s][other] * (1.0 - BALANCED) || times[s][l] == 0;
            l != other && crossed(other) && (0..all.len()).all(less)
        };
        let kept: Vec<usize> = (0..links).filter(|l| crossed(*l) && !(0..links).any(|o| below(*l, o))).collect();
        let crosses = |path: fn(&ProblemFlow) -> &[u32], l: usize| all.iter().any(|f| path(f).contains(&(l as u32)));
        let ahead =
            |l: &usize| fixed.acks_first.get(*l) == Some(&true) && crosses(|f| &f.data, *l) && crosses(|f| &f.ack, *l);
        // acknowledgements that go first do not have the delay of the data
        if kept.iter().any(ahead) {
            return None;
        }
        if kept.is_empty() || !times.iter().all(|t| kept.iter().all(|l| t[*l] > 0 && t[*l] == times[0][*l])) {
            return None;
        }
        let first = fixed.flows.len();
        let standing = |l: usize| demand[..first].iter().map(|a| a[l]).sum::<f64>();
        Some(Self {
            links: kept.iter().map(|l| (*l, standing(*l))).collect(),
            delay: kept.iter().map(|l| demand[first..].iter().map(|a| a[*l]).collect()).collect(),
            bits: classes.iter().map(|c| c.alpha * c.packet_bits).collect(),
        })
    }

    fn rates(&self, counts: &[u32], rates: &mut [f64]) -> Full {
        let (mut delay, mut full) = (0.0f64, Full::None);
        for ((link, standing), delays) in self.links.iter().zip(&self.delay) {
            let demanded = delays.iter().zip(counts).fold(*standing, |sum, (d, n)| sum + d * f64::from(*n));
            if demanded > delay * (1.0 + BALANCED) {
                (delay, full) = (demanded, Full::One(*link));
            } else if demanded > 0.0 && demanded >= delay * (1.0 - BALANCED) {
                full = Full::Several;
            }
        }
        for (rate, bits) in rates.iter_mut().zip(&self.bits) {
            *rate = if delay > 0.0 { bits / delay } else { 0.0 };
        }
        full
    }
}

impl General {
    fn rates(&mut self, counts: &[u32], packet_bits: &[f64], rates: &mut [f64]) -> Result<Full, TheoryError> {
        if let Some((known, full)) = self.cache.get(counts) {
            rates.copy_from_slice(known);
            return Ok(*full);
        }
        let mut present: Vec<(Option<usize>, ProblemFlow)> =
            self.fixed.flows.iter().map(|f| (None, f.clone())).collect();
        for (c, count) in counts.iter().enumerate().filter(|(_, n)| **n > 0) {
            // flows of one class have one rate each: together they are one flow with the sum of their alphas
            let class = &self.classes[c];
            present.push((Some(c), ProblemFlow { alpha: class.alpha * f64::from(*count), ..class.clone() }));
        }
        let at = self.settled(&mut present, counts)?;
        rates.fill(0.0);
        for ((class, _), x) in present.iter().zip(&at.rates) {
            if let Some(c) = class {
                rates[*c] = x * packet_bits[*c] / f64::from(counts[*c]);
            }
        }
        let mut full = at.bottlenecks.iter().enumerate().filter(|(_, full)| **full).map(|(l, _)| l);
        let full = match (full.next(), full.next()) {
            (None, _) => Full::None,
            (Some(l), None) => Full::One(l),
            _ => Full::Several,
        };
        if self.cache.len() >= MAX_CACHED {
            self.cache.clear();
        }
        self.cache.insert(counts.to_vec(), (rates.to_vec(), full));
        Ok(full)
    }

    /// The equilibrium of the flows `present`, without those that stand still: where acknowledgements go first and fill a link
    /// alone, the data behind them wait.
    fn settled(
        &self,
        present: &mut Vec<(Option<usize>, ProblemFlow)>,
        counts: &[u32],
    ) -> Result<Equilibrium, TheoryError> {
        let mut filled: Vec<usize> = Vec::new();
        loop {
            let flows = present.iter().map(|(_, flow)| flow.clone()).collect();
            let problem = Problem { flows, ..self.fixed.clone() };
            let starved = match solve(&problem) {
                Err(TheoryError::Starved { link: Which::Number(l) }) => l,
                Err(other) => return Err(other),
                Ok(solved) => {
                    let Some(at) = solved.found.into_iter().next().filter(|at| at.residual <= TOLERANCE) else {
                        return Err(TheoryError::NotConverged(format!("above {TOLERANCE:e} with {counts:?} flows")));
                    };
                    return match filled.into_iter().find(|l| !at.bottlenecks[*l]) {
                        Some(l) => Err(TheoryError::Starved { link: Which::Number(l) }),
                        None => Ok(at),
                    };
                }
            };
            let before = present.len();
            present.retain(|(_, flow)| !flow.data.contains(&(starved as u32)));
            if present.len() == before {
                return Err(TheoryError::Starved { link: Which::Number(starved) });
            }
            filled.push(starved);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Full, Sharing};
    use crate::equilibrium::{Problem, ProblemFlow};

    fn flow(alpha: f64, packet_bits: f64, data: &[u32], ack: &[u32]) -> ProblemFlow {
        ProblemFlow { alpha, packet_bits, ack_bits: 320.0, data: data.into(), ack: ack.into() }
    }

    #[test]
    fn one_delay_and_the_general_solver_agree() {
        // links 2 and 3 never fill; one flow never leaves, 0.3 Mbit/s do not respond
        let fixed = Problem {
            capacity: vec![1e6, 2e6, 1e9, 5e8],
            unresponsive: vec![0.0, 0.3e6, 0.0, 0.0],
            flows: vec![flow(5.0, 4000.0, &[0], &[1])],
            ..Problem::default()
        };
        let classes =
            vec![flow(10.0, 8000.0, &[2, 0], &[1]), flow(20.0, 8000.0, &[1], &[0, 3]), flow(3.0, 12_000.0, &[0], &[1])];
        let mut common = Sharing::new(fixed.clone(), classes.clone());
        let mut general = Sharing::general(fixed, classes);
        assert!(common.common().is_some());
        for counts in [[0, 0, 0], [1, 0, 0], [0, 1, 0], [3, 8, 0], [5, 1, 9], [40, 70, 2]] {
            let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
            let full = common.rates(&counts, &mut a).expect("shared");
            assert_eq!(full, general.rates(&counts, &mut b).expect("shared"), "{counts:?}");
            assert_ne!(full, Full::None);
            for ((x, y), _) in a.iter().zip(b).zip(counts).filter(|(_, n)| *n > 0) {
                assert!((x / y - 1.0).abs() < 1e-9, "{counts:?}: {a:?} {b:?}");
            }
        }
    }

    #[test]
    fn paths_that_differ_need_the_solver() {
        let fixed = Problem { capacity: vec![1e6, 2e6, 1e6], unresponsive: vec![0.0; 3], ..Problem::default() };
        let disjoint = vec![flow(10.0, 8000.0, &[0], &[1]), flow(10.0, 8000.0, &[2], &[1])];
        assert!(Sharing::new(fixed.clone(), disjoint).common().is_none());
        // a link of one's own that is wide enough does not matter
        let wide = Problem { capacity: vec![1e6, 2e6, 1e7], ..fixed };
        let access = vec![flow(10.0, 8000.0, &[2, 0], &[1]), flow(10.0, 8000.0, &[1], &[0])];
        assert!(Sharing::new(wide, access).common().is_some());
    }
}
