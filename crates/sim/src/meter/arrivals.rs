//! Counters of a table of arrivals.

use eddyline_path::histogram::Histogram;
use eddyline_scenario::result::{ArrivalsResult, CompletionResult, SizeClassResult};
use eddyline_units::Time;

/// Size classes end below these many bytes; the last has no end.
const BOUNDS: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];

/// Completion times of the transfers of a size class.
#[derive(Debug, Clone, Default)]
struct Times {
    sum: u128,
    count: u64,
    histogram: Histogram,
}

impl Times {
    fn add(&mut self, time: Time) {
        self.sum += u128::from(time.as_ps());
        self.count += 1;
        self.histogram.add(time);
    }

    fn result(&self) -> CompletionResult {
        CompletionResult {
            mean: (self.count > 0).then(|| self.sum as f64 / self.count as f64 / 1e12),
            p50: self.histogram.quantile(0.5),
            p90: self.histogram.quantile(0.9),
            p99: self.histogram.quantile(0.99),
        }
    }
}

/// Counters of one table.
#[derive(Debug)]
pub struct ArrivalsMeter {
    from: Time,
    to: Time,
    arrived: u64,
    completed: u64,
    present: u64,
    since: Time,
    /// Integral of the number present over the window, in flow picoseconds.
    presence: u128,
    retransmits: u64,
    timeouts: u64,
    delivered: u64,
    /// Of transfers that completed in the window.
    all: Times,
    by_size: [Times; BOUNDS.len() + 1],
}

impl ArrivalsMeter {
    /// Summaries over `[from, to]`.
    pub fn new(from: Time, to: Time) -> Self {
        Self {
            from,
            to,
            arrived: 0,
            completed: 0,
            present: 0,
            since: Time::ZERO,
            presence: 0,
            retransmits: 0,
            timeouts: 0,
            delivered: 0,
            all: Times::default(),
            by_size: Default::default(),
        }
    }

    fn advance(&mut self, now: Time) {
        self.presence += self.presence_until(now);
        self.since = now;
    }

    fn presence_until(&self, now: Time) -> u128 {
        let span = now.min(self.to).saturating_sub(self.since.max(self.from));
        u128::from(span.as_ps()) * u128::from(self.present)
    }

    /// A flow arrives.
    pub fn on_arrival(&mut self, now: Time) {
        self.advance(now);
        self.arrived += 1;
        self.present += 1;
    }

    /// A flow of `size` bytes completes after `time`.
    pub fn on_completion(&mut self, now: Time, size: u64, time: Time, retransmits: u64, timeouts: u64) {
        self.advance(now);
        self.completed += 1;
        self.present -= 1;
        self.delivered += size;
        self.retransmits += retransmits;
        self.timeouts += timeouts;
        if now >= self.from {
            self.all.add(time);
            self.by_size[BOUNDS.partition_point(|b| *b <= size)].add(time);
        }
    }

    /// The result over the summary window, where flows that started at `present` are unfinished.
    pub fn result(
        &self,
        now: Time,
        name: &str,
        controller: &str,
        present: impl Iterator<Item = Time>,
    ) -> ArrivalsResult {
        let window = self.to.saturating_sub(self.from).as_ps() as f64;
        let class = |(i, times): (usize, &Times)| SizeClassResult {
            from_bytes: if i == 0 { 1 } else { BOUNDS[i - 1] },
            below_bytes: BOUNDS.get(i).copied(),
            completed: times.count,
            completion_s: times.result(),
        };
        let completion_s = self.all.result();
        let older = |than: f64| present.filter(|start| now.saturating_sub(*start).as_secs_f64() > than).count() as u64;
        ArrivalsResult {
            name: name.to_owned(),
            controller: controller.to_owned(),
            arrived: Some(self.arrived),
            completed: Some(self.completed),
            mean_present: (window > 0.0).then(|| (self.presence + self.presence_until(now)) as f64 / window),
            overdue: completion_s.p99.map(older),
            completion_s,
            by_size: self.by_size.iter().enumerate().filter(|(_, t)| t.count > 0).map(class).collect(),
            delivered_bytes: Some(self.delivered),
            retransmits: Some(self.retransmits),
            timeouts: Some(self.timeouts),
            failure: None,
        }
    }
}
