//! A log-linear histogram of durations.
//!
//! A quantile is the value of a rank, interpolated within the bucket of that rank and within the range of the values added. The
//! exact value is in the same bucket, so the error is at most the bucket's width, 1/128 of the value. Values that are all equal
//! give that value. Memory grows with the range of values, by 512 bytes an octave.

use eddyline_units::Time;

/// 128 buckets an octave, each as wide as 1/128 of the octave's lower end.
const BITS: u32 = 7;

/// Counters are allocated in multiples of this many.
const BLOCK: usize = 16;

/// Counts of durations in buckets.
#[derive(Debug, Clone)]
pub struct Histogram {
    /// Bucket of the first counter.
    first: usize,
    counts: Vec<u32>,
    /// A bucket for each time that its counter has overflowed.
    overflows: Vec<usize>,
    /// Values of zero. Packets that do not wait are many, and far from the others on a logarithmic scale.
    zeros: u64,
    /// Minimum of the other values added, in picoseconds; `u64::MAX` if there is none.
    min: u64,
    /// Maximum less minimum.
    span: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { first: 0, counts: Vec::new(), overflows: Vec::new(), zeros: 0, min: u64::MAX, span: 0 }
    }
}

const fn bucket(ps: u64) -> usize {
    // below 256 ps every value has its own bucket (shift 0)
    let octave = 63 - (ps | ((2 << BITS) - 1)).leading_zeros();
    let shift = octave - BITS;
    ((shift as usize) << BITS) + (ps >> shift) as usize
}

/// First and last value of a bucket.
const fn range(bucket: usize) -> (u64, u64) {
    let shift = (bucket >> BITS).saturating_sub(1);
    let low = ((bucket - (shift << BITS)) as u64) << shift;
    (low, low + ((1 << shift) - 1))
}

impl Histogram {
    /// Adds a value.
    #[inline(always)]
    pub fn add(&mut self, value: Time) {
        let ps = value.as_ps();
        // one comparison for both ends; zero is outside too
        if ps.wrapping_sub(self.min) > self.span {
            if ps == 0 {
                self.zeros += 1;
                return;
            }
            self.widen(ps);
        }
        let b = bucket(ps);
        let Some(count) = self.counts.get_mut(b.wrapping_sub(self.first)) else { return self.add_to(b, 1) };
        *count = count.wrapping_add(1);
        if *count == 0 {
            self.overflow(b);
        }
    }

    // separate functions, so that what each packet needs stays short
    #[cold]
    #[inline(never)]
    fn widen(&mut self, ps: u64) {
        let (min, max) = if self.is_empty() { (ps, ps) } else { (self.min.min(ps), self.max().max(ps)) };
        (self.min, self.span) = (min, max - min);
    }

    /// Whether no value but zeros has been added.
    fn is_empty(&self) -> bool {
        self.min == u64::MAX
    }

    /// Maximum of the values, in picoseconds; as the minimum if there is none.
    fn max(&self) -> u64 {
        self.min + self.span
    }

    #[cold]
    fn overflow(&mut self, b: usize) {
        self.overflows.push(b);
    }

    /// Adds `n` values to bucket `b`.
    #[cold]
    fn add_to(&mut self, b: usize, n: u32) {
        self.reach(b);
        let (sum, overflows) = self.counts[b - self.first].overflowing_add(n);
        self.counts[b - self.first] = sum;
        if overflows {
            self.overflow(b);
        }
    }

    /// Makes room for a counter of bucket `b`.
    fn reach(&mut self, b: usize) {
        let end = self.first + self.counts.len();
        if (self.first..end).contains(&b) {
            return;
        }
        let (from, to) = if self.counts.is_empty() { (b, b + 1) } else { (self.first.min(b), end.max(b + 1)) };
        let (from, to) = (from / BLOCK * BLOCK, to.next_multiple_of(BLOCK));
        let mut counts = Vec::with_capacity(to - from);
        counts.resize(if self.counts.is_empty() { 0 } else { self.first - from }, 0);
        counts.append(&mut self.counts);
        counts.resize(to - from, 0);
        (self.first, self.counts) = (from, counts);
    }

    /// Clears all counts, keeping the memory.
    pub fn clear(&mut self) {
        // many flows may clear the histogram that they share
        if self.zeros == 0 && self.is_empty() {
            return;
        }
        self.counts.fill(0);
        self.overflows.clear();
        (self.zeros, self.min, self.span) = (0, u64::MAX, 0);
    }

    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (i, c) in other.counts.iter().enumerate().filter(|(_, c)| **c > 0) {
            self.add_to(other.first + i, *c);
        }
        for b in &other.overflows {
            self.reach(*b);
            self.overflows.push(*b);
        }
        self.zeros += other.zeros;
        if !other.is_empty() {
            self.widen(other.min);
            self.widen(other.max());
        }
    }

    /// Buckets with values, in order, with their counts.
    fn buckets(&self) -> impl Iterator<Item = (usize, u64)> {
        let counters = self.counts.iter().zip(self.first..).map(|(c, b)| {
            let overflows = self.overflows.iter().filter(|o| **o == b).count() as u64;
            (b, u64::from(*c) + (overflows << 32))
        });
        std::iter::once((0, self.zeros)).chain(counters).filter(|(_, n)| *n > 0)
    }

    /// The `share` quantile in seconds (nearest rank), or `None` when empty.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let total: u64 = self.buckets().map(|(_, n)| n).sum();
        let rank = ((total as f64 * share).ceil() as u64).clamp(1, total.max(1));
        let mut before = 0;
        for (b, n) in self.buckets() {
            if before + n >= rank {
                return Some(self.interpolate(b, rank - before, n) / 1e12);
            }
            before += n;
        }
        None
    }

    /// The mean in seconds of the lowest `share` of the values, at least one, or `None` when empty. The values of a bucket are taken as
    /// equally spaced, so the error is at most half a bucket's width.
    #[must_use]
    pub fn trimmed_mean(&self, share: f64) -> Option<f64> {
        let total: u64 = self.buckets().map(|(_, n)| n).sum();
        let kept = ((total as f64 * share).floor() as u64).clamp(1, total.max(1));
        let (mut left, mut sum) = (kept, 0.0);
        for (b, n) in self.buckets() {
            let taken = n.min(left);
            // the mean of equally spaced values is that of the first and the last
            sum += taken as f64 * (self.interpolate(b, 1, n) + self.interpolate(b, taken, n)) / 2.0;
            left -= taken;
            if left == 0 {
                return Some(sum / kept as f64 / 1e12);
            }
        }
        None
    }

    /// The value with this rank among the `n` of bucket `b`, in picoseconds: they are taken as equally spaced, half a space from the
    /// bucket's ends, but minimum and maximum are where they are.
    fn interpolate(&self, b: usize, rank: u64, n: u64) -> f64 {
        if b == 0 {
            return 0.0;
        }
        let (low, high) = range(b);
        let before = if self.min >= low { 1.0 } else { 0.5 };
        let after = if self.max() <= high { 0.0 } else { 0.5 };
        let (low, high) = (low.max(self.min) as f64, high.min(self.max()) as f64);
        let spaces = n as f64 - before + after;
        if spaces > 0.0 { low + (high - low) * ((rank as f64 - before) / spaces) } else { low }
    }
}
