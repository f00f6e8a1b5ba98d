//! Cumulative uptime of a link with outages, in closed form once they repeat.

use eddyline_units::Time;

use super::outages::OutageParams;

/// Maximum number of times between outages that are listed.
const MAX_LISTED: u64 = 1 << 18;

/// A time without an outage, in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    from: u64,
    length: u64,
    /// Time up before it.
    before: u64,
}

/// From `begin` on all outages repeat together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cycle {
    begin: u64,
    length: u64,
    /// Time up before `begin`, and in each cycle.
    before: u64,
    up: u64,
}

/// Cumulative uptime and its inverse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Uptime {
    /// In order of time; those of the first cycle are the last.
    spans: Vec<Span>,
    cycle: Option<Cycle>,
}

/// Whether a link with these outages is out at `now`, and until when that holds.
pub(super) fn outage(outages: &[OutageParams], now: Time) -> (bool, Time) {
    let all = outages.iter().map(|o| o.at(now));
    all.fold((false, Time::MAX), |(out, until), (o, u)| match (out, o) {
        (true, true) => (true, until.max(u)),
        (true, false) => (true, until),
        (false, true) => (true, u),
        (false, false) => (false, until.min(u)),
    })
}

pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Uptime {
    /// With `outages`; `None` if too many occur before they repeat.
    pub fn between(outages: &[OutageParams]) -> Option<Self> {
        let mut begin = 0u64;
        let mut length: Option<u64> = None;
        for o in outages {
            let Some(every) = o.every.map(|e| e.as_ps().max(1)) else {
                begin = begin.max(o.start.as_ps().checked_add(o.length.as_ps())?);
                continue;
            };
            begin = begin.max(o.start.as_ps());
            length = Some(length.map_or(Some(every), |l| (l / gcd(l, every)).checked_mul(every))?);
        }
        let end = begin.checked_add(length.unwrap_or(0))?;
        let passing = |o: &OutageParams| o.every.map_or(1, |e| end.saturating_sub(o.start.as_ps()) / e.as_ps().max(1));
        if outages.iter().map(passing).fold(0, u64::saturating_add) > MAX_LISTED {
            return None;
        }
        let mut found = Self { spans: Vec::new(), cycle: None };
        found.list(outages, 0, begin);
        let before = found.sum();
        match length {
            Some(length) => {
                found.list(outages, begin, end);
                found.cycle = Some(Cycle { begin, length, before, up: found.sum() - before });
            }
            None => found.list(outages, begin, u64::MAX),
        }
        Some(found)
    }

    /// Without any outage.
    pub fn always() -> Self {
        Self { spans: vec![Span { from: 0, length: u64::MAX, before: 0 }], cycle: None }
    }

    /// Lists the spans between two moments.
    fn list(&mut self, outages: &[OutageParams], from: u64, to: u64) {
        let mut now = from;
        while now < to {
            let (out, until) = outage(outages, Time::from_ps(now));
            let until = until.as_ps().min(to);
            if !out {
                self.spans.push(Span { from: now, length: until - now, before: self.sum() });
            }
            now = until;
        }
    }

    fn sum(&self) -> u64 {
        self.spans.last().map_or(0, |s| s.before + s.length)
    }

    /// From when on outages repeat, and their period; `None` if they end.
    pub fn cycle(&self) -> (u64, Option<u64>) {
        match self.cycle {
            Some(c) => (c.begin, Some(c.length)),
            None => (self.spans.last().map_or(0, |s| s.from), None),
        }
    }

    /// Uptime until `at` in picoseconds.
    pub fn until(&self, at: u64) -> u64 {
        let (mut at, mut cycles) = (at, 0);
        if let Some(c) = self.cycle.filter(|c| at >= c.begin) {
            cycles = (at - c.begin) / c.length * c.up;
            at = c.begin + (at - c.begin) % c.length;
        }
        let Some(place) = self.spans.partition_point(|s| s.from <= at).checked_sub(1) else { return cycles };
        let span = &self.spans[place];
        cycles + span.before + (at - span.from).min(span.length)
    }

    /// The time at which the uptime reaches `up`, within the span in which it first reaches `within`, which is at most one less: `within`
    /// is `up` rounded up where `up` is rounded down.
    pub fn moment(&self, up: u64, within: u64) -> Option<u64> {
        let (mut shift, mut less) = (0, 0);
        if let Some(c) = self.cycle.filter(|c| within > c.before) {
            let cycles = (within - c.before - 1).checked_div(c.up)?;
            (shift, less) = (cycles.checked_mul(c.length)?, cycles * c.up);
        }
        let (up, within) = (up - less, within - less);
        let span = self.spans.get(self.spans.partition_point(|s| s.before < within).checked_sub(1)?)?;
        span.from.checked_add(up - span.before)?.checked_add(shift)
    }
}
