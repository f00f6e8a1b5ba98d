//! Sparse LU on a fixed pattern: links without a common flow have no entry.
//!
//! Minimum-degree ordering (Tinney and Walker 1967) of the symmetric pattern once, then as many numeric factorisations
//! as there are Newton steps. No pivoting: the diagonals of the matrices at hand are positive; iterative
//! refinement and a check of the residual detect when that is not accurate enough.

use std::collections::BTreeSet;

/// The positions of the entries of a matrix and its factors.
#[derive(Debug)]
pub(crate) struct Pattern {
    n: usize,
    /// Place of a row in elimination order.
    place: Vec<usize>,
    /// Row starts into `columns`, in elimination order, fill included.
    starts: Vec<usize>,
    columns: Vec<usize>,
    diagonal: Vec<usize>,
}

impl Pattern {
    /// Orders and fills the pattern in which the rows of each clique are coupled; `None` where the factors would hold
    /// more than `max_entries` entries.
    pub fn new<'a>(n: usize, cliques: impl Iterator<Item = &'a [usize]>, max_entries: usize) -> Option<Self> {
        let mut near: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
        for clique in cliques {
            for a in clique {
                near[*a].extend(clique.iter().copied().filter(|b| b != a));
            }
        }
        let mut place = vec![0; n];
        let mut waiting: BTreeSet<(usize, usize)> = near.iter().enumerate().map(|(v, s)| (s.len(), v)).collect();
        let mut order = Vec::with_capacity(n);
        let mut later: Vec<BTreeSet<usize>> = Vec::with_capacity(n);
        let mut entries = n;
        while let Some((_, v)) = waiting.pop_first() {
            let mine = std::mem::take(&mut near[v]);
            entries += 2 * mine.len();
            if entries > max_entries {
                return None;
            }
            for u in &mine {
                waiting.remove(&(near[*u].len(), *u));
                near[*u].remove(&v);
                near[*u].extend(mine.iter().copied().filter(|w| w != u));
                waiting.insert((near[*u].len(), *u));
            }
            place[v] = order.len();
            order.push(v);
            later.push(mine);
        }
        let mut rows: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
        for (i, mine) in later.iter().enumerate() {
            for u in mine {
                let j = place[*u];
                rows[i].push(j);
                rows[j].push(i);
            }
        }
        let (mut starts, mut columns, mut diagonal) = (vec![0], Vec::with_capacity(entries), Vec::with_capacity(n));
        for (i, row) in rows.iter_mut().enumerate() {
            row.sort_unstable();
            let at = row.partition_point(|j| *j < i);
            diagonal.push(columns.len() + at);
            columns.extend_from_slice(row);
            starts.push(columns.len());
        }
        Some(Self { n, place, starts, columns, diagonal })
    }

    /// Entries, fill included.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Where the entry of `row` and `column` is; both must be of one clique.
    pub fn position(&self, row: usize, column: usize) -> usize {
        let (i, j) = (self.place[row], self.place[column]);
        let range = self.starts[i]..self.starts[i + 1];
        self.starts[i] + self.columns[range].partition_point(|c| *c < j)
    }

    /// Solves A x = b for several b; `None` where elimination without pivoting is not accurate enough.
    pub fn solve(&self, values: &[f64], right: &[&[f64]]) -> Option<Vec<Vec<f64>>> {
        let lu = self.factor(values)?;
        right.iter().map(|b| self.solve_one(values, &lu, b)).collect()
    }

    fn factor(&self, values: &[f64]) -> Option<Vec<f64>> {
        let mut lu = values.to_vec();
        let mut work = vec![0.0; self.n];
        for i in 0..self.n {
            let (start, end) = (self.starts[i], self.starts[i + 1]);
            let mut largest = 0.0f64;
            for at in start..end {
                work[self.columns[at]] = lu[at];
                largest = largest.max(lu[at].abs());
            }
            for at in start..self.diagonal[i] {
                let k = self.columns[at];
                let factor = work[k] / lu[self.diagonal[k]];
                work[k] = factor;
                if factor != 0.0 {
                    for up in self.diagonal[k] + 1..self.starts[k + 1] {
                        work[self.columns[up]] -= factor * lu[up];
                    }
                }
            }
            for at in start..end {
                lu[at] = work[self.columns[at]];
            }
            let pivot = lu[self.diagonal[i]].abs();
            if !(pivot > 1e-15 * largest && pivot.is_finite()) {
                return None;
            }
        }
        Some(lu)
    }

    fn substitute(&self, lu: &[f64], x: &mut [f64]) {
        for i in 0..self.n {
            let mut sum = x[i];
            for at in self.starts[i]..self.diagonal[i] {
                sum -= lu[at] * x[self.columns[at]];
            }
            x[i] = sum;
        }
        for i in (0..self.n).rev() {
            let mut sum = x[i];
            for at in self.diagonal[i] + 1..self.starts[i + 1] {
                sum -= lu[at] * x[self.columns[at]];
            }
            x[i] = sum / lu[self.diagonal[i]];
        }
    }

    fn solve_one(&self, values: &[f64], lu: &[f64], right: &[f64]) -> Option<Vec<f64>> {
        let mut b = vec![0.0; self.n];
        for (row, value) in right.iter().enumerate() {
            b[self.place[row]] = *value;
        }
        let mut x = b.clone();
        self.substitute(lu, &mut x);
        let scale = b.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let mut left = f64::INFINITY;
        for _ in 0..3 {
            let mut rest = b.clone();
            for (i, rest) in rest.iter_mut().enumerate() {
                for at in self.starts[i]..self.starts[i + 1] {
                    *rest -= values[at] * x[self.columns[at]];
                }
            }
            left = rest.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            if left <= 1e-14 * scale {
                break;
            }
            self.substitute(lu, &mut rest);
            for (x, d) in x.iter_mut().zip(&rest) {
                *x += d;
            }
        }
        if !(left <= 1e-6 * scale && x.iter().all(|v| v.is_finite())) {
            return None;
        }
        Some(self.place.iter().map(|i| x[*i]).collect())
    }
}
