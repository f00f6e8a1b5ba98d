//! Which links are bottlenecks: those with the longest wait on the path of at least one flow, sampled once in each cell of a
//! grid. The time within the cell is uniformly random, so that no period of the network can alias with the grid.

use std::collections::HashSet;

use eddyline_path::random::Stream;
use eddyline_path::variation::LinkRate;
use eddyline_scenario::Network;
use eddyline_units::Time;

/// Networks with more links are not sampled.
const MAX_LINKS: usize = 1_000;
/// Link visits that all samples together may cost.
const BUDGET: usize = 20_000_000;

/// When samples are taken.
#[derive(Debug, Clone)]
pub struct SampleTimes {
    grid: Time,
    /// Where the cell of the next sample begins.
    cell: Time,
    next: Time,
    random: Stream,
}

impl SampleTimes {
    /// One in each cell of `grid` after `from`.
    fn new(from: Time, grid: Time) -> Self {
        // independent of the scenario's seed: the times of sampling are no part of the simulated randomness
        let mut random = Stream::new(0, "bottlenecks", "moments of sampling");
        let next = within(from, grid, &mut random);
        Self { grid, cell: from, next, random }
    }

    /// When the next sample is due.
    pub fn next(&self) -> Time {
        self.next
    }

    /// The next sample has been taken.
    pub fn advance(&mut self) {
        self.cell += self.grid;
        self.next = within(self.cell, self.grid, &mut self.random);
    }
}

/// Samples taken so far.
#[derive(Debug)]
pub struct BottleneckSampler {
    /// Distinct paths, data and acknowledgement links together.
    paths: Vec<Vec<u32>>,
    /// Of each link the bytes on the line of the largest packet that crosses it: only waits above its transmission time count.
    one_packet: Vec<u64>,
    rates: Vec<LinkRate>,
    hits: Vec<u64>,
    samples: u64,
    times: SampleTimes,
    last: Vec<u32>,
    switches: u64,
}

impl BottleneckSampler {
    /// A sampler for `network`, unless it has too many links or no flow.
    pub fn new(network: &Network) -> Option<Self> {
        if network.links.len() > MAX_LINKS || network.flows.len() + network.arrivals.len() == 0 {
            return None;
        }
        let (mut seen, mut paths) = (HashSet::new(), Vec::new());
        let mut one_packet = vec![0; network.links.len()];
        let mut crosses = |link: u32, bytes: u32| {
            let largest: &mut u64 = &mut one_packet[link as usize];
            *largest = (*largest).max(network.links[link as usize].framing.line_bytes(bytes));
        };
        let mut previous = None;
        for f in network.flows.iter().chain(network.arrivals.iter().map(|a| &a.flow)) {
            // flows of one table share their paths; compare those first
            let key = (f.data.as_ptr(), f.ack.as_ptr(), f.packet);
            if previous == Some(key) {
                continue;
            }
            previous = Some(key);
            for (links, bytes) in [(&f.data, f.packet), (&f.ack, f.ack_packet)] {
                links.iter().for_each(|l| crosses(*l, bytes));
            }
            let mut path: Vec<u32> = f.data.iter().chain(f.ack.iter()).copied().collect();
            path.sort_unstable();
            path.dedup();
            if seen.insert(path.clone()) {
                paths.push(path);
            }
        }
        for t in &network.traffic {
            t.path.iter().for_each(|l| crosses(*l, t.packet));
        }
        let visits: usize = paths.iter().map(Vec::len).sum();
        let samples = (BUDGET / visits.max(1)).clamp(100, 10_000) as u64;
        let grid = Time::from_ps(((network.duration - network.warmup).as_ps() / samples).max(1));
        let hits = vec![0; network.links.len()];
        let rates = network.links.iter().map(|link| link.context(0).rate_over_time()).collect();
        let times = SampleTimes::new(network.warmup, grid);
        Some(Self { paths, one_packet, rates, hits, samples: 0, times, last: Vec::new(), switches: 0 })
    }

    /// When samples are due, from the next on.
    pub fn times(&self) -> &SampleTimes {
        &self.times
    }

    /// Takes a sample; `waits` are the waits at all links of the network.
    pub fn sample(&mut self, waits: &[Time]) {
        let now = self.times.next();
        self.times.advance();
        self.samples += 1;
        let mut marked: Vec<u32> = Vec::new();
        for path in &self.paths {
            let waits = || path.iter().map(|l| (waits[*l as usize], *l));
            let longest = waits().map(|(wait, _)| wait).max().unwrap_or(Time::ZERO);
            // links with equal waits are all bottlenecks
            let one_packet = |l: u32| self.rates[l as usize].end(now, self.one_packet[l as usize]).saturating_sub(now);
            marked.extend(waits().filter(|(w, l)| *w == longest && *w > one_packet(*l)).map(|(_, l)| l));
        }
        marked.sort_unstable();
        marked.dedup();
        for l in &marked {
            self.hits[*l as usize] += 1;
        }
        if !marked.is_empty() {
            self.switches += u64::from(!self.last.is_empty() && self.last != marked);
            self.last = marked;
        }
    }

    /// Share of the samples in which `link` was a bottleneck.
    pub fn share(&self, link: usize) -> Option<f64> {
        (self.samples > 0).then(|| self.hits[link] as f64 / self.samples as f64)
    }

    /// Spacing of the grid, and how often the set of bottlenecks changed between samples that had one.
    pub fn grid(&self) -> (Time, u64) {
        (self.times.grid, self.switches)
    }
}

/// A time within a cell: after its start, at its end at the latest.
fn within(cell: Time, grid: Time, random: &mut Stream) -> Time {
    cell + Time::from_ps(1 + random.below(grid.as_ps()))
}
