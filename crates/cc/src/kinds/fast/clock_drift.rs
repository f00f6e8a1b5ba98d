//! Drift of one clock against another, estimated from delays measured with both.
//!
//! One reading is kept per window of time, that of the minimum round-trip time: the error of its offset is at most half of the
//! queueing in that round trip (the clock filter of NTP, RFC 5905, section 10). The slopes between all pairs of kept readings are
//! sorted (Theil 1950, Sen 1968): half of them lie between the first and the third quartile. If the quartiles are close, the
//! estimate is clamped to the range between them. If they are not, or exceed the drift of real clocks, the readings show queues
//! that fill and drain, and the estimate stays as it is. When the table is full, neighbours are merged and windows become twice as
//! long, so the table always covers the whole connection and the estimate improves over time.
//!
//! A sender that controls a queue to a target feeds its own estimate back into that queue's delay: a queue that grows looks like a
//! clock that gains. The sub-path with that queue then confirms the estimate whatever it is. The other sub-path shows the true
//! drift if nobody controls its queue, and an error of the opposite sign if a sender with the same error does. So both are used,
//! the other one with twice the weight: in either case an error shrinks to a third at each estimate.
//!
//! If both queues are controlled, by senders with opposite errors (two transfers between the same two hosts), delays cannot
//! distinguish drift from a queue that moves from one link to the other. A pause can ([`drain`](crate::kinds::fast::drain)): while
//! the sender has no packets queued, its own sub-path shows the clocks alone. So if there are readings from pauses, only those are
//! used.

/// Number of windows kept; a power of two.
const WINDOWS: usize = 32;
/// The first windows' length, and the longest, in picoseconds: 1 s and 64 s.
const MIN_WINDOW_LENGTH: f64 = 1e12;
const MAX_WINDOW_LENGTH: f64 = 64e12;
/// Minimum number of windows for an estimate.
const MIN_WINDOWS: usize = 8;
/// The same, if each window contains a pause.
const MIN_PAUSES: usize = 3;
/// Maximum distance of the quartiles for an estimate.
const NEAR: f64 = 100e-6;
/// Maximum drift of a clock (RFC 5905, section 7.2: MAXFREQ).
const MAX_DRIFT: f64 = 500e-6;

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

    /// Whether its offset is more accurate than the other's.
    fn beats(&self, other: &Self) -> bool {
        if self.paused == other.paused { self.rtt < other.rtt } else { self.paused }
    }

    /// Forward and reverse delay corrected for a drift of `rate`, each up to a constant.
    pub(crate) fn without(&self, rate: f64) -> (f64, f64) {
        let forward = self.forward - rate * self.at;
        (forward, self.rtt - forward)
    }

    /// The offset, whose slope is the drift; the forward delay has the weight `trust`, the reverse delay the rest.
    fn offset(&self, trust: f64) -> f64 {
        trust * self.forward - (1.0 - trust) * (self.rtt - self.forward)
    }
}

/// The samples of minimum forward and minimum reverse delay of a window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Low {
    forward: Reading,
    reverse: Reading,
}

impl Low {
    const NONE: Self = Self { forward: Reading { forward: f64::INFINITY, ..Reading::NONE }, reverse: Reading::NONE };

    fn update(&mut self, reading: Reading, rate: f64) {
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

    fn update(&mut self, reading: Reading, rate: f64) {
        if reading.beats(&self.best) {
            self.best = reading;
        }
        self.low.update(reading, rate);
    }

    fn merge(&self, other: &Self, rate: f64) -> Self {
        let mut merged = *self;
        if other.best.beats(&merged.best) {
            merged.best = other.best;
        }
        merged.low.update(other.low.forward, rate);
        merged.low.update(other.low.reverse, rate);
        merged
    }
}

/// The estimator.
#[derive(Debug, Clone)]
pub(crate) struct Drift {
    windows: [Window; WINDOWS],
    kept: usize,
    present: Window,
    /// Length of a window, and the end of the current one.
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
            length: MIN_WINDOW_LENGTH,
            end: MIN_WINDOW_LENGTH,
            rate: 0.0,
        }
    }

    /// Seconds that the receiver's clock gains in a second of the sender's.
    pub(crate) const fn rate(&self) -> f64 {
        self.rate
    }

    /// The minimum delays of every window.
    pub(crate) fn lows(&self) -> impl Iterator<Item = &Low> {
        self.windows[..self.kept].iter().chain([&self.present]).filter(|w| w.best.rtt.is_finite()).map(|w| &w.low)
    }

    /// Takes a sample; returns whether a window ended with it.
    pub(crate) fn update(&mut self, reading: Reading) -> bool {
        let ended = reading.at >= self.end;
        if ended {
            self.keep();
            self.end = reading.at + self.length;
        }
        self.present.update(reading, self.rate);
        ended
    }

    fn keep(&mut self) {
        if self.present.best.rtt.is_infinite() {
            return;
        }
        if self.kept == WINDOWS {
            if self.length < MAX_WINDOW_LENGTH {
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

    /// Updates the estimate; `held` is the share of forward queueing in the delay that the sender reacts to.
    pub(crate) fn estimate(&mut self, held: f64) {
        let pauses = self.windows[..self.kept].iter().filter(|w| w.best.paused).count();
        let by_pauses = pauses >= MIN_PAUSES;
        if self.kept < MIN_WINDOWS && !by_pauses {
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
        if n < MIN_PAUSES {
            return;
        }
        slopes.sort_unstable_by(f64::total_cmp);
        let (low, high) = (slopes[n / 4], slopes[n - 1 - n / 4]);
        if high - low <= NEAR && low <= MAX_DRIFT && high >= -MAX_DRIFT {
            self.rate = self.rate.max(low).min(high).clamp(-MAX_DRIFT, MAX_DRIFT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample at a time in seconds, both delays in microseconds beyond the first ones.
    fn reading(at_s: f64, forward_us: f64, reverse_us: f64) -> Reading {
        Reading {
            at: at_s * 1e12,
            forward: forward_us * 1e6,
            rtt: 100e9 + (forward_us + reverse_us) * 1e6,
            paused: false,
        }
    }

    fn paused(at_s: f64, forward_us: f64) -> Reading {
        Reading { paused: true, ..reading(at_s, forward_us, 0.0) }
    }

    fn drift_of(readings: impl IntoIterator<Item = Reading>) -> Drift {
        let mut drift = Drift::new();
        for r in readings {
            drift.update(r);
        }
        drift
    }

    fn ppm(mut drift: Drift, held: f64) -> f64 {
        drift.estimate(held);
        drift.rate() * 1e6
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-6, "{a} and not {b}");
    }

    #[test]
    fn an_estimate_takes_eight_windows_that_have_ended() {
        let line = |windows: u32| (0..=windows).map(|i| f64::from(i) * 1.5).map(|s| reading(s, 50.0 * s, -50.0 * s));
        close(ppm(drift_of(line(7)), 0.5), 0.0);
        close(ppm(drift_of(line(8)), 0.5), 50.0);
    }

    #[test]
    fn both_delays_count_by_how_much_the_sender_controls() {
        // 30 ppm by the forward delays, 60 ppm by the reverse ones: 2/3 of the former where nothing is held, 1/3 where all is
        let samples = || (0..9).map(|i| f64::from(i) * 1.5).map(|s| reading(s, 30.0 * s, -60.0 * s));
        close(ppm(drift_of(samples()), 0.0), 40.0);
        close(ppm(drift_of(samples()), 1.0), 50.0);
    }

    #[test]
    fn the_estimate_goes_to_the_nearer_quartile() {
        // Five pauses at 0, 2, 4, 6, 8 s, of which four have ended. Slopes in ppm: 10 (0-2), 20 (0-4), 24 (0-6), 30 (2-4), 31 (2-6), 32 (4-6);
        // of six the second and the fifth are the quartiles: 20 and 31.
        let offsets = [0.0, 20.0, 80.0, 144.0, 0.0];
        let pauses = || offsets.iter().zip([0.0, 2.0, 4.0, 6.0, 8.0]).map(|(us, s)| paused(s, *us));
        close(ppm(drift_of(pauses()), 1.0), 20.0);
        let mut above = drift_of(pauses());
        above.rate = 100e-6;
        close(ppm(above, 1.0), 31.0);
        let mut between = drift_of(pauses());
        between.rate = 25e-6;
        close(ppm(between, 1.0), 25.0);
    }

    #[test]
    fn three_pauses_count_alone() {
        let mut samples: Vec<_> =
            (0..13).map(|i| f64::from(i) * 1.5).map(|s| reading(s, 50.0 * s, -50.0 * s)).collect();
        for i in [2, 5] {
            samples[i] = paused(samples[i].at / 1e12, 20.0 * samples[i].at / 1e12);
        }
        close(ppm(drift_of(samples.clone()), 1.0), 50.0);
        samples[9] = paused(samples[9].at / 1e12, 20.0 * samples[9].at / 1e12);
        close(ppm(drift_of(samples), 1.0), 20.0);
    }

    #[test]
    fn what_no_clock_does_is_not_taken() {
        let line = |slope: f64| (0..9).map(|i| f64::from(i) * 1.5).map(move |s| reading(s, slope * s, -slope * s));
        close(ppm(drift_of(line(499.0)), 0.5), 499.0);
        close(ppm(drift_of(line(-499.0)), 0.5), -499.0);
        close(ppm(drift_of(line(501.0)), 0.5), 0.0);
        close(ppm(drift_of(line(-501.0)), 0.5), 0.0);
        // quartiles further apart than 100 ppm: a queue that fills, then drains
        let queue = |us: f64| (0..9).map(f64::from).map(move |i| reading(i * 1.5, us * (4.0 - (i - 4.0).abs()), 0.0));
        close(ppm(drift_of(queue(200.0)), 1.0), 0.0);
    }

    #[test]
    fn a_window_keeps_the_least_round_trip_and_the_least_of_each_delay() {
        let drift = drift_of([reading(0.0, 5.0, 9.0), reading(0.2, 9.0, 3.0), reading(0.4, 7.0, 4.0)]);
        let low = *drift.lows().next().unwrap();
        let (forward, reverse) = low.without(0.0);
        close(forward / 1e6, 5.0);
        close(reverse / 1e6, 100e3 + 3.0);
        close(drift.present.best.at / 1e12, 0.4);
    }

    #[test]
    fn a_full_table_merges_neighbours_and_keeps_the_better() {
        let samples =
            |n: u32| (0..n).map(|i| reading(f64::from(i) * 1.5, f64::from(i), if i % 2 == 0 { 10.0 } else { 0.0 }));
        let before = drift_of(samples(33));
        assert_eq!((before.kept, before.length), (32, MIN_WINDOW_LENGTH));
        let after = drift_of(samples(34));
        assert_eq!((after.kept, after.length), (17, 2.0 * MIN_WINDOW_LENGTH));
        for (i, window) in after.windows[..16].iter().enumerate() {
            // the second of each pair has the shorter round trip, the first the lesser forward delay
            close(window.best.at / 1e12, 1.5 * (2 * i + 1) as f64);
            close(window.low.without(0.0).0 / 1e6, (2 * i) as f64);
        }
    }

    #[test]
    fn windows_of_64_seconds_slide() {
        let mut drift = Drift::new();
        drift.length = MAX_WINDOW_LENGTH;
        for i in 0..=WINDOWS + 2 {
            drift.update(reading(65.0 * i as f64, 0.0, 0.0));
        }
        assert_eq!((drift.kept, drift.length), (WINDOWS, MAX_WINDOW_LENGTH));
        close(drift.windows[0].best.at / 1e12, 65.0 * 2.0);
    }
}
