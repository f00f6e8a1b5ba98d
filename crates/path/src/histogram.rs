//! A log-linear histogram of durations: the relative error of a percentile is at most 1/32, and percentiles are within the range of
//! values added; memory grows with that range.

use eddyline_units::Time;

/// Sixteen buckets an octave, each as wide as 1/16 of the octave's lower end, so the error of its middle is at most 1/32.
const BITS: u32 = 5;

/// Counts of durations in buckets.
#[derive(Debug, Clone, Default)]
pub struct Histogram {
    /// Bucket of the first counter.
    first: usize,
    counts: Vec<u64>,
    total: u64,
    /// Minimum and maximum of the values added, in picoseconds.
    range: Option<(u64, u64)>,
}

const fn bucket(ps: u64) -> usize {
    let octave = 63 - (ps | ((1 << BITS) - 1)).leading_zeros();
    let shift = octave - (BITS - 1);
    // below 32 ps every value has its own bucket (shift 0)
    ((shift as usize) << BITS) + (ps >> shift) as usize
}

/// Middle of a bucket.
const fn middle(bucket: usize) -> f64 {
    let shift = (bucket >> BITS) as u32;
    // within an octave the leading bit is part of the low bits, so only the upper half of each 32 is used beyond the
    // first
    let low = ((bucket & ((1 << BITS) - 1)) as u64) << shift;
    low as f64 + ((1u64 << shift) - 1) as f64 / 2.0
}

impl Histogram {
    /// Adds a value.
    #[inline]
    pub fn add(&mut self, value: Time) {
        let b = bucket(value.as_ps());
        self.total += 1;
        self.widen(value.as_ps(), value.as_ps());
        match self.counts.get_mut(b.wrapping_sub(self.first)) {
            Some(c) => *c += 1,
            None => self.grow(b, 1),
        }
    }

    #[inline]
    fn widen(&mut self, min: u64, max: u64) {
        self.range = Some(self.range.map_or((min, max), |(low, high)| (low.min(min), high.max(max))));
    }

    #[cold]
    fn grow(&mut self, b: usize, by: u64) {
        if self.counts.is_empty() {
            self.first = b;
        }
        if b < self.first {
            let missing = self.first - b;
            self.counts.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = b;
        }
        if b - self.first >= self.counts.len() {
            self.counts.resize(b - self.first + 1, 0);
        }
        self.counts[b - self.first] += by;
    }

    /// Clears all counts, keeping the memory.
    pub fn clear(&mut self) {
        self.counts.iter_mut().for_each(|c| *c = 0);
        self.total = 0;
        self.range = None;
    }

    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (i, c) in other.counts.iter().enumerate().filter(|(_, c)| **c > 0) {
            self.grow(other.first + i, *c);
        }
        self.total += other.total;
        if let Some((min, max)) = other.range {
            self.widen(min, max);
        }
    }

    /// The `share` quantile in seconds (nearest rank), within the range of values added, or `None` when empty.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let (min, max) = self.range?;
        let rank = ((self.total as f64 * share).ceil() as u64).clamp(1, self.total.max(1));
        let mut seen = 0;
        for (i, c) in self.counts.iter().enumerate() {
            seen += c;
            if *c > 0 && seen >= rank {
                return Some(middle(self.first + i).clamp(min as f64, max as f64) / 1e12);
            }
        }
        None
    }
}
