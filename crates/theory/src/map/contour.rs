//! The boundary between cells of different verdicts, as polylines through points on the edges between cells.
//!
//! Marching squares: each square of four neighbouring cells is crossed where two of its edges (or four) have cells of
//! different verdicts at their endpoints. Where it is four, the verdict in the middle of the square says which belong
//! together.

use std::collections::BTreeMap;

/// Cells in rows of `columns`, each with its verdict; `None` where there is none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Verdicts<'a> {
    pub columns: usize,
    pub of: &'a [Option<bool>],
}

/// A point needed to draw the boundary; cells by column and row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sample {
    /// The edge from a cell to the next in its row.
    Along(usize, usize),
    /// The edge from a cell to the next in its column.
    Across(usize, usize),
    /// The middle of the square of which a cell is the first.
    Middle(usize, usize),
}

/// The result at a [`Sample`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Located {
    /// Where on the edge the verdict changes.
    Point([f64; 2]),
    /// The verdict in the middle, where there is one.
    Verdict(Option<bool>),
}

impl Verdicts<'_> {
    fn rows(&self) -> usize {
        self.of.len() / self.columns
    }

    fn at(&self, i: usize, j: usize) -> Option<bool> {
        self.of[j * self.columns + i]
    }

    fn differ(&self, a: (usize, usize), b: (usize, usize)) -> bool {
        matches!((self.at(a.0, a.1), self.at(b.0, b.1)), (Some(a), Some(b)) if a != b)
    }

    /// Edges of the square whose first cell is (i, j) where the verdict changes, going round.
    fn changes(&self, i: usize, j: usize) -> Vec<Sample> {
        let edges = [
            (Sample::Along(i, j), (i, j), (i + 1, j)),
            (Sample::Across(i + 1, j), (i + 1, j), (i + 1, j + 1)),
            (Sample::Along(i, j + 1), (i, j + 1), (i + 1, j + 1)),
            (Sample::Across(i, j), (i, j), (i, j + 1)),
        ];
        edges.into_iter().filter(|(_, a, b)| self.differ(*a, *b)).map(|(sample, ..)| sample).collect()
    }

    fn squares(&self) -> impl Iterator<Item = (usize, usize)> {
        let (columns, rows) = (self.columns, self.rows());
        (1..rows).flat_map(move |j| (1..columns).map(move |i| (i - 1, j - 1)))
    }

    /// All samples needed, in order.
    pub fn samples(&self) -> Vec<Sample> {
        let (columns, rows) = (self.columns, self.rows());
        let mut samples = Vec::new();
        for j in 0..rows {
            for i in 0..columns {
                if i + 1 < columns && self.differ((i, j), (i + 1, j)) {
                    samples.push(Sample::Along(i, j));
                }
                if j + 1 < rows && self.differ((i, j), (i, j + 1)) {
                    samples.push(Sample::Across(i, j));
                }
            }
        }
        let saddles = self.squares().filter(|(i, j)| self.changes(*i, *j).len() == 4);
        samples.extend(saddles.map(|(i, j)| Sample::Middle(i, j)));
        samples
    }

    /// The boundary as polylines; a closed one ends at its start.
    pub fn polylines(&self, found: &BTreeMap<Sample, Located>) -> Vec<Vec<[f64; 2]>> {
        let mut segments: Vec<[Sample; 2]> = Vec::new();
        for (i, j) in self.squares() {
            match self.changes(i, j)[..] {
                [a, b] => segments.push([a, b]),
                [below, right, above, left] => {
                    // the corner (i, j) is cut off from the middle where their verdicts differ
                    let middle = match found.get(&Sample::Middle(i, j)) {
                        Some(Located::Verdict(v)) => *v,
                        _ => None,
                    };
                    if middle == self.at(i, j) {
                        segments.extend([[below, right], [above, left]]);
                    } else {
                        segments.extend([[below, left], [right, above]]);
                    }
                }
                // next to a cell without a verdict an edge may stand alone
                _ => {}
            }
        }
        let point = |sample: &Sample| match found.get(sample) {
            Some(Located::Point(at)) => Some(*at),
            _ => None,
        };
        joined(&segments).iter().map(|line| line.iter().filter_map(point).collect()).collect()
    }
}

/// Joins segments into polylines. Each sample is the end of at most two segments, since an edge has two squares.
fn joined(segments: &[[Sample; 2]]) -> Vec<Vec<Sample>> {
    let mut endpoints: BTreeMap<Sample, Vec<usize>> = BTreeMap::new();
    for (s, segment) in segments.iter().enumerate() {
        segment.iter().for_each(|sample| endpoints.entry(*sample).or_default().push(s));
    }
    let mut used = vec![false; segments.len()];
    let mut polylines = Vec::new();
    let open = |sample: &Sample| endpoints[sample].len() == 1;
    // open polylines first, from their endpoints; the rest are loops
    let starts = endpoints.keys().filter(|s| open(s)).chain(endpoints.keys());
    for start in starts {
        let mut line = vec![*start];
        let mut at = *start;
        while let Some(next) = endpoints[&at].iter().copied().find(|s| !used[*s]) {
            used[next] = true;
            at = if segments[next][0] == at { segments[next][1] } else { segments[next][0] };
            line.push(at);
        }
        if line.len() > 1 {
            polylines.push(line);
        }
    }
    polylines
}
