//! How fast one clock gains on another, from delays measured with both.
//!
//! Per window of time one reading is kept, that of the smallest round-trip time: its offset errs by no more than half of what the
//! round trip queued (the clock filter of NTP, RFC 5905, section 10). Slopes between all pairs of kept readings are put in
//! order (Theil 1950, Sen 1968): half of them lie between the first and the third quartile. Where these are near each other the
//! estimate moves as far as it must to lie between them; where they are not, or are beyond what clocks do, readings are of queues
//! that fill and empty, and the estimate is left alone. When the table is full, neighbours are merged and windows get twice as long, so it always
//! covers the whole connection and knows the drift ever better.
//!
//! A sender that holds a queue at a target bends that queue's delay to what it believes of the drift: a queue that grows looks
//! like a clock that gains. Its own sub-path then says what it believes, and the other one says the truth if that queue is let
//! alone, and as much too much as the first too little if somebody there errs alike. So both count, the other one twice: with
//! either, an error shrinks to a third at each estimate.
//!
//! Where both queues are held and their holders err in opposite directions, as two transfers between the same two hosts do, delays
//! cannot tell drift from a queue that moves from one link to the other. A pause can ([`drain`](crate::kinds::fast::drain)): while the sender
//! holds no queue its own sub-path shows the clocks alone, so readings of pauses count alone where there are any.

/// Windows kept; a power of two.
const WINDOWS: usize = 32;
/// The first windows' length, and the longest, in picoseconds: 1 s and 64 s.
const SHORTEST: f64 = 1e12;
const LONGEST: f64 = 64e12;
/// Windows without which there is no estimate.
const FEWEST: usize = 8;
/// The same, where each holds a pause.
const FEWEST_PAUSES: usize = 3;
/// Quartiles farther apart say nothing.
const NEAR: f64 = 100e-6;
/// No clock is taken to be worse (RFC 5905, section 7.2: MAXFREQ).
const MOST: f64 = 500e-6;

/// A sample: time of sending since the first one, forward delay by both clocks less that of the first, round-trip time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reading {
    pub(crate) at: f64,
    pub(crate) forward: f64,
    pub(crate) rtt: f64,
    /// Taken while the sender paused.
    pub(crate) paused: bool,
}

impl Reading {
    const NONE: Self = Self { at: 0.0, forward: 0.0, rtt: f64::INFINITY, paused: false };

    /// Whether the offset is surer by it.
    fn beats(&self, other: &Self) -> bool {
        if self.paused == other.paused { self.rtt < other.rtt } else { self.paused }
    }

    /// Forward and reverse delay without a drift of `rate`, each but for a constant.
    pub(crate) fn without(&self, rate: f64) -> (f64, f64) {
        let forward = self.forward - rate * self.at;
        (forward, self.rtt - forward)
    }

    /// The offset, of which the slope is the drift; the forward delay counts by the share `trust`, the reverse by the rest.
    fn offset(&self, trust: f64) -> f64 {
        trust * self.forward - (1.0 - trust) * (self.rtt - self.forward)
    }
}

/// The samples of smallest forward and of smallest reverse delay of a window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Low {
    forward: Reading,
    reverse: Reading,
}

impl Low {
    const NONE: Self = Self { forward: Reading { forward: f64::INFINITY, ..Reading::NONE }, reverse: Reading::NONE };

    fn hear(&mut self, reading: Reading, rate: f64) {
        let (f, r) = reading.without(rate);
        if f < self.forward.without(rate).0 {
            self.forward = reading;
        }
        if r < self.reverse.without(rate).1 {
            self.reverse = reading;
        }
    }

    /// As [`Reading::without`].
    pub(crate) fn without(&self, rate: f64) -> (f64, f64) {
        (self.forward.without(rate).0, self.reverse.without(rate).1)
    }
}

#[derive(Debug, Clone, Copy)]
struct Window {
    best: Reading,
    low: Low,
}

impl Window {
    const NONE: Self = Self { best: Reading::NONE, low: Low::NONE };

    fn hear(&mut self, reading: Reading, rate: f64) {
        if reading.beats(&self.best) {
            self.best = reading;
        }
        self.low.hear(reading, rate);
    }

    fn merge(&self, other: &Self, rate: f64) -> Self {
        let mut merged = *self;
        if other.best.beats(&merged.best) {
            merged.best = other.best;
        }
        merged.low.hear(other.low.forward, rate);
        merged.low.hear(other.low.reverse, rate);
        merged
    }
}

/// The estimator.
#[derive(Debug, Clone)]
pub(crate) struct Drift {
    windows: [Window; WINDOWS],
    kept: usize,
    present: Window,
    /// Length of a window, and when the present one ends.
    length: f64,
    end: f64,
    rate: f64,
}

impl Drift {
    pub(crate) const fn new() -> Self {
        Self {
            windows: [Window::NONE; WINDOWS],
            kept: 0,
            present: Window::NONE,
            length: SHORTEST,
            end: SHORTEST,
            rate: 0.0,
        }
    }

    /// Seconds that the receiver's clock gains in a second of the sender's.
    pub(crate) const fn rate(&self) -> f64 {
        self.rate
    }

    /// The smallest delays of every window.
    pub(crate) fn lows(&self) -> impl Iterator<Item = &Low> {
        self.windows[..self.kept].iter().chain([&self.present]).filter(|w| w.best.rtt.is_finite()).map(|w| &w.low)
    }

    /// Hears a sample; tells whether a window ended with it.
    pub(crate) fn hear(&mut self, reading: Reading) -> bool {
        let ended = reading.at >= self.end;
        if ended {
            self.keep();
            self.end = reading.at + self.length;
        }
        self.present.hear(reading, self.rate);
        ended
    }

    fn keep(&mut self) {
        if self.present.best.rtt.is_infinite() {
            return;
        }
        if self.kept == WINDOWS {
            if self.length < LONGEST {
                for i in 0..WINDOWS / 2 {
                    self.windows[i] = self.windows[2 * i].merge(&self.windows[2 * i + 1], self.rate);
                }
                self.kept = WINDOWS / 2;
                self.length *= 2.0;
            } else {
                self.windows.copy_within(1.., 0);
                self.kept -= 1;
            }
        }
        self.windows[self.kept] = std::mem::replace(&mut self.present, Window::NONE);
        self.kept += 1;
    }

    /// Estimates anew; `held` is the share of forward queueing in what the sender acts on.
    pub(crate) fn estimate(&mut self, held: f64) {
        let pauses = self.windows[..self.kept].iter().filter(|w| w.best.paused).count();
        let by_pauses = pauses >= FEWEST_PAUSES;
        if self.kept < FEWEST && !by_pauses {
            return;
        }
        let trust = if by_pauses { held } else { 2.0 / 3.0 - held / 3.0 };
        let mut slopes = [0.0; WINDOWS * (WINDOWS - 1) / 2];
        let mut n = 0;
        for (i, a) in self.windows[..self.kept].iter().enumerate().filter(|(_, w)| w.best.paused || !by_pauses) {
            for b in self.windows[i + 1..self.kept].iter().filter(|w| w.best.paused || !by_pauses) {
                let time = b.best.at - a.best.at;
                if time > 0.0 {
                    slopes[n] = (b.best.offset(trust) - a.best.offset(trust)) / time;
                    n += 1;
                }
            }
        }
        let slopes = &mut slopes[..n];
        if n < FEWEST_PAUSES {
            return;
        }
        slopes.sort_unstable_by(f64::total_cmp);
        let (low, high) = (slopes[n / 4], slopes[n - 1 - n / 4]);
        if high - low <= NEAR && low <= MOST && high >= -MOST {
            self.rate = self.rate.max(low).min(high).clamp(-MOST, MOST);
        }
    }
}
