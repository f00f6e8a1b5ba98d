//! Flow-level simulation: Poisson arrivals, any size distribution, equilibrium rates in every state.
//!
//! No assumption but the separation of timescales: rates take their equilibrium values whenever a flow arrives or
//! leaves. All flows of a class have one rate, so a class has one clock: the bits that a flow present from the start would
//! have received. A flow that arrives at clock value v with z bits to send leaves at v + z, so departures are ordered in a
//! heap. An event costs a heap operation and the rates, whatever the number of flows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use eddyline_path::random::Stream;
use eddyline_path::traffic::SizeParams;
use eddyline_path::traffic::distributions::{LogNormal, exponential, pareto};

use super::sharing::{Full, Sharing};
use crate::equilibrium::{Problem, ProblemFlow};
use crate::error::TheoryError;

/// Batches from which confidence intervals are made.
const BATCHES: usize = 30;

/// Student's t for 95 % with one degree of freedom less than there are batches.
const STUDENT: f64 = 2.045;

/// Share of the arrivals before statistics begin.
const WARMUP: f64 = 0.1;

/// Limit on flows present at a time.
const MAX_FLOWS: usize = 50_000_000;

/// One class of dynamic flows.
#[derive(Debug, Clone)]
pub struct FlowClass {
    /// Names the random streams.
    pub name: String,
    /// Arrivals a second.
    pub rate_per_s: f64,
    /// Distribution of the payload.
    pub size: SizeParams,
    /// The sizes that a trace lists, in bytes.
    pub listed: Option<Arc<[u64]>>,
    /// Bits on the wire for a byte of payload.
    pub bits_per_byte: f64,
    /// alpha, packets and paths.
    pub flow: ProblemFlow,
}

impl FlowClass {
    /// 1/mu: mean bits on the wire of a transfer.
    #[must_use]
    pub fn mean_bits(&self) -> f64 {
        self.size.mean_bytes(self.listed.as_deref()) * self.bits_per_byte
    }
}

/// A mean with the half-width of its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half of the width.
    pub half_width: f64,
}

/// What a simulation measured, over time unless said otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulated {
    /// Share of time in which no link is full.
    pub idle: Estimate,
    /// For each link, the share of time in which it alone is full.
    pub alone: Vec<Estimate>,
    /// Share of time in which several links are full.
    pub several: Estimate,
    /// Mean number of flows of each class.
    pub flows: Vec<Estimate>,
    /// Mean time of transfer of each class in seconds, over those completed.
    pub transfer_s: Vec<Estimate>,
    /// Arrivals that were simulated, warmup included.
    pub arrivals: u64,
    /// Flows present at the end, by class.
    pub left: Vec<u64>,
    /// Simulated seconds.
    pub time_s: f64,
}

/// Simulates `arrivals` arrivals of `classes` with the permanent flows of `fixed`.
///
/// # Errors
/// [`TheoryError`] of the equilibria, and where the flows present pass fifty million.
pub fn simulate(fixed: &Problem, classes: &[FlowClass], arrivals: u64, seed: u64) -> Result<Simulated, TheoryError> {
    let sharing = Sharing::new(fixed.clone(), classes.iter().map(|c| c.flow.clone()).collect());
    run(sharing, fixed.capacity.len(), classes, arrivals, seed)
}

/// Flows of one class that are present, and its source.
struct Class<'a> {
    params: &'a FlowClass,
    gaps: Stream,
    sizes: Stream,
    listed: usize,
    next_arrival: f64,
    /// Bits that a flow present all the time would have got.
    clock: f64,
    /// Clock reading at the end, as an ordered integer, and time of arrival.
    present: BinaryHeap<Reverse<(u64, u64)>>,
}

impl<'a> Class<'a> {
    fn new(params: &'a FlowClass, seed: u64) -> Self {
        let mut class = Self {
            params,
            gaps: Stream::new(seed, &params.name, "arrival"),
            sizes: Stream::new(seed, &params.name, "size"),
            listed: 0,
            next_arrival: f64::INFINITY,
            clock: 0.0,
            present: BinaryHeap::new(),
        };
        class.next_arrival = class.gap();
        class
    }

    fn gap(&mut self) -> f64 {
        let rate = self.params.rate_per_s;
        if rate > 0.0 { exponential(&mut self.gaps, 1.0 / rate) } else { f64::INFINITY }
    }

    /// Bits on the wire of the next transfer.
    fn bits(&mut self) -> f64 {
        let bytes = match &self.params.size {
            SizeParams::Exponential { mean } => exponential(&mut self.sizes, mean.get() as f64),
            SizeParams::Pareto { mean, shape } => pareto(&mut self.sizes, mean.get() as f64, *shape),
            SizeParams::Lognormal { mean, sigma } => {
                let mu = libm::log(mean.get() as f64) - sigma * sigma / 2.0;
                LogNormal { mu, sigma: *sigma }.sample(&mut self.sizes)
            }
            SizeParams::Fixed { size } => size.get() as f64,
            SizeParams::Trace { .. } => {
                let sizes = self.params.listed.as_deref().unwrap_or(&[1]);
                let size = sizes[self.listed % sizes.len()];
                self.listed += 1;
                size as f64
            }
        };
        bytes * self.params.bits_per_byte
    }

    /// Seconds until the next flow completes.
    fn until_completion(&self, rate: f64) -> f64 {
        match self.present.peek() {
            Some(Reverse((end, _))) => ((f64::from_bits(*end) - self.clock) / rate).max(0.0),
            None => f64::INFINITY,
        }
    }
}

/// Sums over one batch.
#[derive(Debug, Clone)]
struct Batch {
    time: f64,
    idle: f64,
    alone: Vec<f64>,
    several: f64,
    flows: Vec<f64>,
    completed: Vec<f64>,
    transfer: Vec<f64>,
}

impl Batch {
    fn new(links: usize, classes: usize) -> Self {
        let (alone, zeros) = (vec![0.0; links], vec![0.0; classes]);
        Self {
            time: 0.0,
            idle: 0.0,
            alone,
            several: 0.0,
            flows: zeros.clone(),
            completed: zeros.clone(),
            transfer: zeros,
        }
    }
}

/// The next event.
#[derive(Debug, Clone, Copy)]
struct Next {
    /// Seconds until then.
    after: f64,
    class: usize,
    leaves: bool,
}

/// State of the simulation.
struct State<'a> {
    classes: Vec<Class<'a>>,
    counts: Vec<u32>,
    rates: Vec<f64>,
    now: f64,
}

impl State<'_> {
    /// `None` if there are no more events.
    fn next(&self) -> Option<Next> {
        let mut next = Next { after: f64::INFINITY, class: 0, leaves: false };
        for (c, class) in self.classes.iter().enumerate() {
            let until = class.next_arrival - self.now;
            if until < next.after {
                next = Next { after: until, class: c, leaves: false };
            }
            let until = class.until_completion(self.rates[c]);
            if until < next.after {
                next = Next { after: until, class: c, leaves: true };
            }
        }
        next.after.is_finite().then_some(next)
    }

    /// Advances time between events.
    fn pass(&mut self, step: f64, full: Full, batch: &mut Batch) {
        self.now += step;
        batch.time += step;
        match full {
            Full::None => batch.idle += step,
            Full::One(l) => batch.alone[l] += step,
            Full::Several => batch.several += step,
        }
        for (c, class) in self.classes.iter_mut().enumerate() {
            class.clock += self.rates[c] * step;
            batch.flows[c] += f64::from(self.counts[c]) * step;
        }
    }

    fn leave(&mut self, c: usize, batch: &mut Batch) {
        let class = &mut self.classes[c];
        if let Some(Reverse((end, since))) = class.present.pop() {
            class.clock = f64::from_bits(end);
            self.counts[c] -= 1;
            batch.completed[c] += 1.0;
            batch.transfer[c] += self.now - f64::from_bits(since);
        }
        if class.present.is_empty() {
            class.clock = 0.0;
        }
    }

    fn arrive(&mut self, c: usize) -> Result<(), TheoryError> {
        let class = &mut self.classes[c];
        let end = class.clock + class.bits();
        // positive numbers order as their bits do
        class.present.push(Reverse((end.to_bits(), self.now.to_bits())));
        class.next_arrival += class.gap();
        self.counts[c] += 1;
        if class.present.len() > MAX_FLOWS {
            let what = format!("the number of flows of {}", class.params.name);
            return Err(TheoryError::OutOfRange { what, value: MAX_FLOWS as f64, allowed: "smaller" });
        }
        Ok(())
    }
}

pub(super) fn run(
    mut sharing: Sharing,
    links: usize,
    params: &[FlowClass],
    arrivals: u64,
    seed: u64,
) -> Result<Simulated, TheoryError> {
    let mut state = State {
        classes: params.iter().map(|p| Class::new(p, seed)).collect(),
        counts: vec![0; params.len()],
        rates: vec![0.0; params.len()],
        now: 0.0,
    };
    let warmup = (arrivals as f64 * WARMUP) as u64;
    let in_batch = ((arrivals - warmup) / BATCHES as u64).max(1);
    let mut batches = Vec::with_capacity(BATCHES + 1);
    let mut batch = Batch::new(links, params.len());
    let mut arrived = 0u64;
    while arrived < arrivals {
        let full = sharing.rates(&state.counts, &mut state.rates)?;
        let Some(next) = state.next() else { break };
        state.pass(next.after.max(0.0), full, &mut batch);
        if next.leaves {
            state.leave(next.class, &mut batch);
            continue;
        }
        state.arrive(next.class)?;
        arrived += 1;
        if arrived == warmup {
            batch = Batch::new(links, params.len());
        } else if arrived > warmup && (arrived - warmup).is_multiple_of(in_batch) {
            batches.push(core::mem::replace(&mut batch, Batch::new(links, params.len())));
        }
    }
    let of = |part: &dyn Fn(&Batch) -> f64, whole: &dyn Fn(&Batch) -> f64| estimate(&batches, part, whole);
    let over_time = |part: &dyn Fn(&Batch) -> f64| of(part, &|b| b.time);
    let every = 0..params.len();
    Ok(Simulated {
        idle: over_time(&|b| b.idle),
        alone: (0..links).map(|l| over_time(&|b| b.alone[l])).collect(),
        several: over_time(&|b| b.several),
        flows: every.clone().map(|c| over_time(&|b| b.flows[c])).collect(),
        transfer_s: every.map(|c| of(&|b| b.transfer[c], &|b| b.completed[c])).collect(),
        arrivals: arrived,
        left: state.counts.iter().map(|n| u64::from(*n)).collect(),
        time_s: state.now,
    })
}

/// The ratio of two sums with its confidence interval: the batches' ratios vary about it.
fn estimate(batches: &[Batch], part: &dyn Fn(&Batch) -> f64, whole: &dyn Fn(&Batch) -> f64) -> Estimate {
    let n = batches.len() as f64;
    let total: f64 = batches.iter().map(whole).sum();
    if total <= 0.0 || n < 2.0 {
        return Estimate { mean: 0.0, half_width: f64::INFINITY };
    }
    let mean = batches.iter().map(part).sum::<f64>() / total;
    // residuals of the ratio estimator
    let residual = |b: &Batch| (part(b) - mean * whole(b)) / (total / n);
    let squares: f64 = batches.iter().map(|b| residual(b) * residual(b)).sum();
    Estimate { mean, half_width: STUDENT * (squares / (n - 1.0) / n).sqrt() }
}
