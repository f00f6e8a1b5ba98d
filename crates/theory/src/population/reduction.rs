//! The population of one duplex link reduced to n + m.
//!
//! Both directions' flows complete at the same rate each, so given their sum k = n + m the share of forward flows is
//! close to normal about p = lambda_F / (lambda_F + lambda_B) with variance p (1 - p) / k, whatever that rate is. While
//! l_F is full, the work f_F = (n + b m) / c_F is served at a constant rate; likewise f_B. So the slow variable is the
//! linear function of n and m that follows max(f_F, f_B) on the average: its drift and diffusion, averaged over the
//! split, make a birth-death chain in k. That chain determines where the two-dimensional one is truncated, and replaces
//! it where it would be too large: its error vanishes as the load goes to 1.

use super::distribution::Stationary;
use super::duplex::DuplexLoad;
use crate::closed_form::{Bottleneck, Division, division};

/// Levels below which the binomial distribution is summed; a normal one is integrated above.
const MAX_SUMMED: u64 = 200;

/// One step covers one in this many levels.
const STEP: u64 = 20_000;

/// Limit on levels.
const MAX_LEVEL: f64 = 1e15;

/// Averages over the split on one level.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    /// Work that arrives over work that is served.
    ratio: f64,
    /// Diffusion of the work along k, relative to that of jumps of k by one.
    spread: f64,
    /// Probability that l_F alone is full.
    forward: f64,
    /// Probability that both are.
    both: f64,
}

impl Level {
    fn between(&self, other: &Self, t: f64) -> Self {
        let between = |a: f64, b: f64| a + t * (b - a);
        Self {
            ratio: between(self.ratio, other.ratio),
            spread: between(self.spread, other.spread),
            forward: between(self.forward, other.forward),
            both: between(self.both, other.both),
        }
    }

    /// Change of the logarithm of the probability from one level to the next.
    fn slope(&self) -> f64 {
        libm::log(self.ratio) / self.spread
    }
}

/// The level beyond which the error of E\[n + m\] is below `tolerance` relative; `None` where it is above `max_level`.
pub(super) fn top(load: &DuplexLoad, tolerance: f64, max_level: u32) -> Option<u32> {
    let mut averages = Averages::new(load);
    let (mut weight, mut moment) = (1.0f64, 0.0f64);
    for k in 1..=u64::from(max_level) {
        let ratio = libm::exp(averages.at(k).slope());
        weight *= ratio;
        let level = k as f64;
        moment += level * weight;
        if ratio < 1.0 {
            let behind = ratio / (1.0 - ratio);
            if weight * behind * (level + 1.0 + behind) < tolerance * moment {
                return Some(k as u32);
            }
        }
        if weight > 1e200 {
            weight /= 1e200;
            moment /= 1e200;
        }
    }
    None
}

/// The stationary distribution of the averaged chain, for a stable load; the error is an estimate.
#[must_use]
pub fn asymptotic(load: &DuplexLoad) -> Option<Stationary> {
    let share = share(load);
    let mut averages = Averages::new(load);
    // weights relative to the largest so far; sums over blocks of `step` levels about `level`
    let (mut level, mut step, mut log) = (0u64, 1u64, 0.0f64);
    let (mut scale, mut total, mut moment, mut forward, mut both) = (0.0f64, 1.0f64, 0.0, 0.0, 0.0);
    let mut idle = 1.0;
    loop {
        let next_step = (level / STEP).max(1);
        let next = level + step / 2 + next_step.div_ceil(2).max(1);
        let distance = (next - level) as f64;
        let average = averages.at(level + (next - level).div_ceil(2));
        let slope = average.slope();
        log += distance * slope;
        (level, step) = (next, next_step);
        if log > scale + 200.0 {
            let down = libm::exp(scale - log);
            for sum in [&mut total, &mut moment, &mut forward, &mut both, &mut idle] {
                *sum *= down;
            }
            scale = log;
        }
        let here = averages.at(level);
        let weight = libm::exp(log - scale) * step as f64 / here.spread;
        total += weight;
        moment += weight * level as f64;
        forward += weight * here.forward;
        both += weight * here.both;
        if slope < 0.0 && weight / step as f64 * level as f64 / -slope < 1e-13 * moment {
            break;
        }
        if level as f64 > MAX_LEVEL {
            return None;
        }
    }
    let (forward, both, idle, mean) = (forward / total, both / total, idle / total, moment / total);
    Some(Stationary {
        idle,
        forward,
        backward: (1.0 - idle - forward - both).max(0.0),
        both,
        mean_forward: share * mean,
        mean_backward: (1.0 - share) * mean,
        // the split is binomial in the limit of many flows each way
        error: 0.6 / (mean * share.min(1.0 - share)).sqrt(),
        states: 0,
    })
}

/// The limit of E\[n + m\] (1 - rho)^2 as rho, the load of both links alike, goes to 1.
///
/// Near the dividing line the rate of completion falls short of its maximum by a share proportional to |n - theta m| /
/// k, which has mean sqrt(2 p (1 - p) / (pi k)) times a slope; the population settles where that shortfall makes up for
/// 1 - rho. In closed form (c_F + c_B)^2 (c_F - b c_B) (c_B - b c_F) / (2 pi (c_F c_B (1 + b))^2): 2 / pi for equal
/// links and b = 0.
#[must_use]
pub fn balanced_limit(load: &DuplexLoad) -> f64 {
    let p = share(load);
    // max(f_F, f_B) = mean + |difference| / 2, per flow and share of forward flows; the mean's odd part averages out
    let [on_f, on_b] = load.seconds_per_bit(p, 1.0 - p);
    let slope_f = (1.0 - load.b) / load.c_f;
    let slope_b = -(1.0 - load.b) / load.c_b;
    let bend = (slope_f - slope_b).abs() / 2.0 / on_f.max(on_b);
    2.0 / core::f64::consts::PI * p * (1.0 - p) * bend * bend
}

/// Averages by level: computed where they are needed and interpolated between levels that differ by less than a
/// percent.
struct Averages<'a> {
    load: &'a DuplexLoad,
    low: (u64, Level),
    high: (u64, Level),
}

impl<'a> Averages<'a> {
    fn new(load: &'a DuplexLoad) -> Self {
        Self { load, low: (0, Level::default()), high: (0, Level::default()) }
    }

    /// For levels in rising order, one back at most.
    fn at(&mut self, k: u64) -> Level {
        if k <= MAX_SUMMED {
            return average(self.load, &binomial(self.load, k), k as f64);
        }
        while k > self.high.0 {
            if self.high.0 == 0 {
                self.high = (MAX_SUMMED, average(self.load, &normal(self.load, MAX_SUMMED as f64), MAX_SUMMED as f64));
            }
            let next = self.high.0 + (self.high.0 / 128).max(1);
            self.low = core::mem::replace(
                &mut self.high,
                (next, average(self.load, &normal(self.load, next as f64), next as f64)),
            );
        }
        let t = k.saturating_sub(self.low.0) as f64 / (self.high.0 - self.low.0) as f64;
        self.low.1.between(&self.high.1, t)
    }
}

/// What the integral of the autocovariance of |x| is to the variance of |x|, for an Ornstein-Uhlenbeck process x of
/// relaxation time 1: sum of c_j^2 / j over sum of c_j^2, c_j the Hermite coefficients of |x|, j = 2, 4, ...
const KINK_MEMORY: f64 = 0.46;

fn average(load: &DuplexLoad, split: &[(f64, f64)], k: f64) -> Level {
    let p = share(load);
    let work = |share: f64| {
        let [f, b] = load.seconds_per_bit(share, 1.0 - share);
        f.max(b)
    };
    let mut level = Level::default();
    for (share, weight) in split {
        match load.bottleneck(*share, 1.0 - share) {
            Bottleneck::Forward => level.forward += weight,
            Bottleneck::Both => level.both += weight,
            Bottleneck::Backward => {}
        }
    }
    let on_f = level.forward + level.both / 2.0;
    let slope = (1.0 - load.b) * (on_f / load.c_f - (1.0 - on_f) / load.c_b);
    // the work of a flow forward and backward in the linear function
    let here = work(p);
    let (of_n, of_m) = (here + slope * (1.0 - p), here - slope * p);
    let (mut served, mut rest, mut squares) = (0.0, 0.0, 0.0);
    for (share, weight) in split {
        let linear = here + slope * (share - p);
        let excess = work(*share) - linear;
        served += weight * linear / (linear + excess);
        rest += weight * excess;
        squares += weight * excess * excess;
    }
    level.ratio = (load.lambda_f + load.lambda_b) * here * load.mean_bits / served;
    level.spread =
        (p * of_n * of_n + (1.0 - p) * of_m * of_m + KINK_MEMORY * k * (squares - rest * rest)) / (here * here);
    level
}

/// The share of arrivals that is forward.
fn share(load: &DuplexLoad) -> f64 {
    load.lambda_f / (load.lambda_f + load.lambda_b)
}

/// Shares of forward flows among k with their probabilities.
fn binomial(load: &DuplexLoad, k: u64) -> Vec<(f64, f64)> {
    let p = share(load);
    // from the mode outwards, so that nothing underflows that matters
    let mode = ((k + 1) as f64 * p).min(k as f64) as u64;
    let mut split = Vec::new();
    let mut weight = 1.0;
    for n in mode..=k {
        split.push((n as f64 / k as f64, weight));
        weight *= (k - n) as f64 / (n + 1) as f64 * (p / (1.0 - p));
        if weight < 1e-30 {
            break;
        }
    }
    let mut weight = 1.0;
    for n in (1..=mode).rev() {
        weight *= n as f64 / (k - n + 1) as f64 * ((1.0 - p) / p);
        if weight < 1e-30 {
            break;
        }
        split.push(((n - 1) as f64 / k as f64, weight));
    }
    normalised(split)
}

/// The same for large k: nodes of Simpson's rule on the two sides of the dividing line, where integrands have a kink.
fn normal(load: &DuplexLoad, k: f64) -> Vec<(f64, f64)> {
    const REACH: f64 = 8.0;
    const PIECES: usize = 200;
    let p = share(load);
    let sd = (p * (1.0 - p) / k).sqrt();
    if sd == 0.0 {
        return vec![(p, 1.0)];
    }
    // the share of forward flows at which both are asked for the same delay
    let line = match division(load.b, load.c_f, load.c_b) {
        Division::Above(theta) | Division::Below(theta) => theta / (1.0 + theta),
        Division::AlwaysForward | Division::AlwaysBackward | Division::AlwaysBoth => 2.0,
    };
    let kink = ((line - p) / sd).clamp(-REACH, REACH);
    let mut split = Vec::with_capacity(2 * PIECES + 2);
    for (from, to) in [(-REACH, kink), (kink, REACH)] {
        let h = (to - from) / PIECES as f64;
        if h <= 0.0 {
            continue;
        }
        for i in 0..=PIECES {
            let z = from + h * i as f64;
            let coefficient = if i == 0 || i == PIECES { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
            split.push(((p + sd * z).clamp(0.0, 1.0), coefficient * h * libm::exp(-0.5 * z * z)));
        }
    }
    normalised(split)
}

fn normalised(mut split: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let total: f64 = split.iter().map(|s| s.1).sum();
    split.iter_mut().for_each(|s| s.1 /= total);
    split
}
