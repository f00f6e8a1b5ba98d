//! Stationary distribution of a sparse Markov chain on a strip of the plane, by state reduction.
//!
//! Eliminating state s sends every transition i -> s -> j directly from i to j. In the form of Grassmann, Taksar and
//! Heyman (Operations Research 33, 1985) the pivot is the sum of the rates that leave s, so nothing is ever subtracted
//! and every probability, however small, has a small relative error. Nested dissection (George, SIAM J. Numer.
//! Anal. 10, 1973) keeps fill low: a row of states across the strip, or along it, separates what lies on its two sides;
//! each separator is eliminated in a dense front after both sides. No pivoting is needed and none takes place.

/// Transitions of a state: up to four neighbours with their rates.
pub(super) trait Chain {
    /// Number of states.
    fn len(&self) -> usize;
    /// Coordinates in which every transition changes each by one.
    fn place(&self, state: usize) -> (i32, i32);
    /// Calls `visit(other, rate there, rate back)` for every neighbour.
    fn neighbours(&self, state: usize, visit: &mut dyn FnMut(usize, f64, f64));
}

/// Boxes of at most this many states are eliminated without further dissection.
const LEAF: usize = 40;

/// Pivots of one panel of a blocked elimination.
const PANEL: usize = 16;

/// Not in the current front.
const NONE: u32 = u32::MAX;

/// Eliminated.
const GONE: u32 = u32::MAX - 1;

/// Above this, probabilities found so far are scaled down.
const LARGE: f64 = 1e150;

/// Multipliers of an eliminated front.
struct Eliminated {
    /// States of the front, those eliminated first.
    states: Vec<u32>,
    /// How many were eliminated.
    pivots: usize,
    /// For each pivot, the multipliers of all states behind it in the front.
    multipliers: Vec<f64>,
}

/// Rates among the boundary states of a box whose interior is eliminated.
struct Boundary {
    states: Vec<u32>,
    rates: Vec<f64>,
}

struct Dissection<'a, C: Chain> {
    chain: &'a C,
    /// Index of each state in the current front.
    slot: Vec<u32>,
    fronts: Vec<Eliminated>,
}

/// The stationary distribution of an irreducible chain.
pub(super) fn stationary<C: Chain>(chain: &C) -> Vec<f64> {
    // the first state, mostly the likeliest, last: probabilities then go down from it, and may underflow
    let states: Vec<u32> = (0..chain.len() as u32).rev().collect();
    let mut work = Dissection { chain, slot: vec![NONE; chain.len()], fronts: Vec::new() };
    work.dissect(states);
    let mut probability = vec![0.0; chain.len()];
    let fronts = work.fronts;
    // the state that remains at the end
    if let Some(last) = fronts.last().and_then(|f| f.states.last()) {
        probability[*last as usize] = 1.0;
    }
    for front in fronts.iter().rev() {
        let size = front.states.len();
        let mut end = front.multipliers.len();
        for p in (0..front.pivots).rev() {
            let start = end - (size - 1 - p);
            let behind = front.states[p + 1..].iter().zip(&front.multipliers[start..end]);
            let sum: f64 = behind.map(|(s, l)| probability[*s as usize] * l).sum();
            probability[front.states[p] as usize] = sum;
            if sum > LARGE {
                probability.iter_mut().for_each(|p| *p /= LARGE);
            }
            end = start;
        }
    }
    let sum: f64 = probability.iter().sum();
    probability.iter_mut().for_each(|p| *p /= sum);
    probability
}

impl<C: Chain> Dissection<'_, C> {
    /// Eliminates all of `states`, which have no transitions to other states than those of earlier separators.
    fn dissect(&mut self, states: Vec<u32>) -> Boundary {
        if states.len() <= LEAF {
            return self.front(states, &[]);
        }
        let (mut low, mut high) = ((i32::MAX, i32::MAX), (i32::MIN, i32::MIN));
        for s in &states {
            let (u, v) = self.chain.place(*s as usize);
            low = (low.0.min(u), low.1.min(v));
            high = (high.0.max(u), high.1.max(v));
        }
        let across = high.0 - low.0 >= high.1 - low.1;
        let middle = if across { low.0 + (high.0 - low.0) / 2 } else { low.1 + (high.1 - low.1) / 2 };
        let (mut low_side, mut high_side, mut separator) = (Vec::new(), Vec::new(), Vec::new());
        for s in states {
            let (u, v) = self.chain.place(s as usize);
            match (if across { u } else { v }).cmp(&middle) {
                core::cmp::Ordering::Less => low_side.push(s),
                core::cmp::Ordering::Equal => separator.push(s),
                core::cmp::Ordering::Greater => high_side.push(s),
            }
        }
        let mut boundaries = Vec::new();
        for side in [low_side, high_side] {
            if !side.is_empty() {
                boundaries.push(self.dissect(side));
            }
        }
        self.front(separator, &boundaries)
    }

    /// Eliminates `pivots`, which have transitions to each other, to the boundaries of what lies on their two sides, and to
    /// states of earlier separators.
    fn front(&mut self, pivots: Vec<u32>, boundaries: &[Boundary]) -> Boundary {
        let count = pivots.len();
        let mut states = pivots;
        for (i, s) in states.iter().enumerate() {
            self.slot[*s as usize] = i as u32;
        }
        let slot = &mut self.slot;
        for boundary in boundaries {
            boundary.states.iter().for_each(|s| join(slot, &mut states, *s));
        }
        for i in 0..count {
            self.chain.neighbours(states[i] as usize, &mut |other, _, _| {
                if slot[other] != GONE {
                    join(slot, &mut states, other as u32);
                }
            });
        }
        let size = states.len();
        let mut rates = vec![0.0; size * size];
        for boundary in boundaries {
            let width = boundary.states.len();
            for (i, from) in boundary.states.iter().enumerate() {
                let row = slot[*from as usize] as usize * size;
                for (to, rate) in boundary.states.iter().zip(&boundary.rates[i * width..(i + 1) * width]) {
                    rates[row + slot[*to as usize] as usize] += rate;
                }
            }
        }
        for i in 0..count {
            self.chain.neighbours(states[i] as usize, &mut |other, there, back| {
                let j = slot[other];
                if j != GONE {
                    let j = j as usize;
                    rates[i * size + j] += there;
                    // between two pivots the other one brings its own
                    if j >= count {
                        rates[j * size + i] += back;
                    }
                }
            });
        }
        for (i, s) in states.iter().enumerate() {
            slot[*s as usize] = if i < count { GONE } else { NONE };
        }
        // the last state of all has nothing to go to
        let pivots = if size == count { count - 1 } else { count };
        eliminate(&mut rates, size, pivots);
        let mut multipliers = Vec::with_capacity(pivots * size - pivots * (pivots + 1) / 2);
        for p in 0..pivots {
            multipliers.extend((p + 1..size).map(|i| rates[i * size + p]));
        }
        let width = size - count;
        let rest = (count..size).flat_map(|i| rates[i * size + count..(i + 1) * size].iter().copied());
        let boundary =
            Boundary { states: states[count..].to_vec(), rates: if width > 0 { rest.collect() } else { Vec::new() } };
        self.fronts.push(Eliminated { states, pivots, multipliers });
        boundary
    }
}

fn join(slot: &mut [u32], states: &mut Vec<u32>, s: u32) {
    if slot[s as usize] == NONE {
        slot[s as usize] = states.len() as u32;
        states.push(s);
    }
}

/// Eliminates the first `pivots` of `size` states of a dense matrix of rates, row by row; the diagonal is ignored.
///
/// Afterwards column p holds, below the diagonal, what each later state contributes to the probability of p.
fn eliminate(rates: &mut [f64], size: usize, pivots: usize) {
    let mut inverse = [0.0; PANEL];
    for start in (0..pivots).step_by(PANEL) {
        let end = (start + PANEL).min(pivots);
        for p in start..end {
            let (upper, lower) = rates.split_at_mut((p + 1) * size);
            let pivot = &upper[p * size..];
            let leaving: f64 = pivot[p + 1..].iter().sum();
            inverse[p - start] = 1.0 / leaving;
            for row in lower.chunks_exact_mut(size).take(end - p - 1) {
                row[p] /= leaving;
                let l = row[p];
                row[p + 1..].iter_mut().zip(&pivot[p + 1..]).for_each(|(r, u)| *r += l * u);
            }
        }
        let (panel, rest) = rates.split_at_mut(end * size);
        let panel = &panel[start * size..];
        for row in rest.chunks_exact_mut(size) {
            apply(row, panel, &inverse, size, start, end);
        }
    }
}

/// Brings one row up to date with a panel of pivots.
fn apply(row: &mut [f64], panel: &[f64], inverse: &[f64; PANEL], size: usize, start: usize, end: usize) {
    for p in start..end {
        let mut value = row[p];
        for q in start..p {
            value += row[q] * panel[(q - start) * size + p];
        }
        row[p] = value * inverse[p - start];
    }
    let (factors, row) = row[start..].split_at_mut(end - start);
    let pivot = |p: usize| &panel[p * size + end..(p + 1) * size];
    let mut p = 0;
    // four at a time: the row is loaded and stored once for four products
    while p + 4 <= factors.len() {
        let [a, b, c, d] = [factors[p], factors[p + 1], factors[p + 2], factors[p + 3]];
        let with = pivot(p).iter().zip(pivot(p + 1)).zip(pivot(p + 2)).zip(pivot(p + 3));
        row.iter_mut().zip(with).for_each(|(r, (((u, v), w), x))| *r += (a * u + b * v) + (c * w + d * x));
        p += 4;
    }
    for (p, l) in factors.iter().enumerate().skip(p) {
        row.iter_mut().zip(pivot(p)).for_each(|(r, u)| *r += l * u);
    }
}
