//! The maximum over a window of a counter (round trips, cycles).

/// A maximum over the last `length` counts, by the three best candidates (Nichols's filter).
#[derive(Debug, Clone, Copy)]
pub(crate) struct WindowedMax {
    length: u64,
    /// Best, second and third best of later times: (count, value).
    best: [(u64, f64); 3],
}

impl WindowedMax {
    pub(crate) fn new(length: u64) -> Self {
        Self { length, best: [(0, 0.0); 3] }
    }

    /// The maximum.
    #[inline]
    pub(crate) fn get(&self) -> f64 {
        self.best[0].1
    }

    /// Takes a value at a count.
    #[inline]
    pub(crate) fn update(&mut self, count: u64, value: f64) {
        let new = (count, value);
        if value >= self.best[0].1 || count - self.best[2].0 > self.length {
            self.best = [new; 3];
            return;
        }
        if value >= self.best[1].1 {
            self.best = [self.best[0], new, new];
        } else if value >= self.best[2].1 {
            self.best[2] = new;
        }
        let age = count - self.best[0].0;
        if age > self.length {
            // the best has expired: the others move up
            self.best = [self.best[1], self.best[2], new];
            if count - self.best[0].0 > self.length {
                self.best = [self.best[1], self.best[2], new];
            }
        } else if self.best[1].0 == self.best[0].0 && 4 * age > self.length {
            // a quarter of the window without a second best: take it from the second quarter
            self.best[1] = new;
            self.best[2] = new;
        } else if self.best[2].0 == self.best[1].0 && 2 * age > self.length {
            self.best[2] = new;
        }
    }

    /// Changes the length of the window.
    pub(crate) fn set_length(&mut self, length: u64) {
        self.length = length;
    }
}
