//! All equilibria of a small component: Newton's method on every possible set of active links.
//!
//! Sets of links with linearly dependent columns of G are left out: fewer links give the same delays. The index theorem
//! checks that none was missed: if every saturated link has a price above zero, the signs of det(A D G^T)
//! over the active links sum to one over all equilibria (Kojima and Saigal 1979, degree of the natural map), so their
//! number is odd.

use super::newton::{self, violation};
use super::reduce::Component;
use super::system::System;
use super::uniqueness::rank;

/// Random numbers for starting points, the same in every run.
#[derive(Debug)]
pub(super) struct Starts(u64);

impl Starts {
    pub const fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    /// Uniform in (0, 1]: splitmix64 (Steele, Lea and Flood 2014).
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((z ^ (z >> 31)) >> 11) + 1) as f64 / 9_007_199_254_740_992.0
    }
}

/// An equilibrium of a component, with the sign of its Jacobian's determinant.
#[derive(Debug, Clone)]
pub(super) struct Solution {
    pub pi: Vec<f64>,
    pub index: Option<i8>,
}

/// Whether enumeration is fast enough.
pub(super) fn affordable(component: &Component) -> bool {
    let n = component.links.len();
    let couplings: usize = component.classes.iter().map(|c| c.entries.len() * c.entries.len()).sum();
    n <= 8 && (couplings + n * n * n) << n <= 2_000_000
}

/// Every equilibrium found.
pub(super) fn solve(system: &System, component: &Component) -> Vec<Solution> {
    let n = component.links.len();
    let mut starts = Starts::new();
    let sets: Vec<Vec<bool>> = (0..1usize << n)
        .map(|bits| (0..n).map(|l| bits >> l & 1 == 1).collect::<Vec<bool>>())
        .filter(|set| independent(component, set))
        .collect();
    let mut found: Vec<Solution> = Vec::new();
    // more starting points only if the indices show that an equilibrium is missing
    for effort in [4, 24] {
        for set in &sets {
            for attempt in 0..effort {
                let start: Vec<f64> = (0..n)
                    .map(|_| {
                        if attempt == 0 {
                            1.0
                        } else {
                            let u = starts.uniform();
                            u * u
                        }
                    })
                    .collect();
                let Some(mut pi) = newton::solve(system, component, set, &start, false) else { continue };
                if pi.iter().any(|p| *p < -1e-12) {
                    continue;
                }
                for p in &mut pi {
                    *p = p.max(0.0);
                }
                if violation(component, &pi) < 1e-10 {
                    add(system, component, pi, &mut found);
                }
                if set.iter().filter(|on| **on).count() <= 1 {
                    break;
                }
            }
        }
        let sum: Option<i32> = found.iter().map(|f| f.index.map(i32::from)).sum();
        if sum.is_none_or(|sum| sum == 1) && !found.is_empty() {
            break;
        }
    }
    found
}

fn independent(component: &Component, set: &[bool]) -> bool {
    let places: Vec<usize> = (0..set.len()).filter(|l| set[*l]).collect();
    let rows = component.classes.iter().map(|class| {
        let mut row = vec![0.0; places.len()];
        for e in &class.entries {
            if let Some(at) = places.iter().position(|l| *l == e.link) {
                row[at] = e.delay / component.scale[e.link];
            }
        }
        row
    });
    rank(places.len(), rows) == places.len()
}

/// Adds an equilibrium unless one with the same rates is known.
pub(super) fn add(system: &System, component: &Component, pi: Vec<f64>, found: &mut Vec<Solution>) {
    let margins = component.margins(&pi);
    let known = found.iter().any(|f| {
        let others = component.margins(&f.pi);
        margins.iter().zip(&others).all(|(a, b)| (a - b).abs() <= 1e-8 * a.max(*b))
    });
    if !known {
        let index = index(system, component, &pi, &margins);
        found.push(Solution { pi, index });
    }
}

/// Sign of det(A D G^T) over the active links, `None` where a saturated link has price zero.
pub(super) fn index(system: &System, component: &Component, pi: &[f64], margins: &[f64]) -> Option<i8> {
    let rates: Vec<f64> = margins.iter().map(|r| 1.0 / r).collect();
    let loads = component.loads(&rates);
    let active: Vec<bool> = pi.iter().map(|p| *p > 0.0).collect();
    if loads.iter().zip(&active).any(|(load, on)| !on && *load >= 1.0 - super::TIGHT) {
        return None;
    }
    let weights: Vec<f64> = rates.iter().map(|y| y * y).collect();
    system.sign(&weights, &active)
}
