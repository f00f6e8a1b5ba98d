//! Which links are bottlenecks: those where packets of at least one flow wait longest on its path, sampled once in each cell of a
//! grid. The time within the cell is uniformly random, so that no period of the network can alias with the grid.

use std::collections::{HashMap, HashSet};

use eddyline_path::Class;
use eddyline_path::queue::WaitDependsOn;
use eddyline_path::random::Stream;
use eddyline_path::variation::LinkRate;
use eddyline_scenario::Network;
use eddyline_units::Time;

/// Networks with more links are not sampled.
const MAX_LINKS: usize = 1_000;
/// Link visits that all samples together may cost.
const BUDGET: usize = 20_000_000;
/// How many others a visit costs whose wait depends on the packet.
const COST_OF_OWN: usize = 16;

/// What packets of a flow are, as far as waits differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    Data,
    Acks,
}

/// Where packets wait, and which, if the wait depends on that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Visit {
    /// Place of the link in the network.
    pub link: u32,
    /// What they are.
    pub direction: Option<Direction>,
    /// Place of their flow in the network.
    pub flow: Option<u32>,
}

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

/// A link with the longest wait on a path, and above the transmission times of which sizes of packets that wait is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Mark {
    link: u32,
    above: [bool; 3],
}

/// Samples taken so far.
#[derive(Debug)]
pub struct BottleneckSampler {
    visits: Vec<Visit>,
    /// Distinct paths, data and acknowledgement links together, by place in `visits`.
    paths: Vec<Vec<u32>>,
    /// Of each link the bytes on the line of the largest packet that may cross it, by [`Class`].
    largest: Vec<[u64; 3]>,
    rates: Vec<LinkRate>,
    /// What was marked in each run of equal samples, one run after the other: at most a mark for each link visit of [`BUDGET`].
    marks: Vec<Mark>,
    /// The end of each run in `marks`, and how many samples it has.
    runs: Vec<(usize, u64)>,
    samples: u64,
    times: SampleTimes,
    /// Room for the marks of one sample.
    room: Vec<Mark>,
}

/// What the samples of a run say.
#[derive(Debug)]
pub struct Bottlenecks {
    /// Of each link the share of the samples in which it was a bottleneck; nothing without samples.
    pub shares: Option<Vec<f64>>,
    /// Spacing of the grid.
    pub grid: Time,
    /// How often the set of bottlenecks changed between samples that had one.
    pub switches: u64,
}

impl BottleneckSampler {
    /// A sampler for `network`, unless it has too many links or no flow.
    pub fn new(network: &Network) -> Option<Self> {
        if network.links.len() > MAX_LINKS || network.flows.len() + network.arrivals.len() == 0 {
            return None;
        }
        let depends_on = |link: u32| network.links[link as usize].queue.wait_depends_on();
        let (mut places, mut visits) = (HashMap::new(), Vec::new());
        let (mut seen, mut paths) = (HashSet::new(), Vec::new());
        let mut largest = vec![[0; 3]; network.links.len()];
        let mut crosses = |link: u32, class: Class, bytes: u32| {
            let largest: &mut u64 = &mut largest[link as usize][class as usize];
            *largest = (*largest).max(network.links[link as usize].framing.line_bytes(bytes));
        };
        let mut previous = None;
        let flows = network.flows.iter().zip(0..).map(|(flow, place)| (flow, Some(place)));
        // flows that begin during the run have no place yet
        for (f, place) in flows.chain(network.arrivals.iter().map(|a| (&a.flow, None))) {
            // flows of one table share their paths; compare those first
            let own = f.data.iter().chain(f.ack.iter()).any(|link| depends_on(*link) == WaitDependsOn::Flow);
            let key = (f.data.as_ptr(), f.ack.as_ptr(), f.packet, place.filter(|_| own));
            if previous == Some(key) {
                continue;
            }
            previous = Some(key);
            let mut path = Vec::new();
            let both = [
                (&f.data, Direction::Data, Class::Data, f.packet),
                (&f.ack, Direction::Acks, Class::Ack, f.ack_packet),
            ];
            for (links, direction, class, bytes) in both {
                for link in links.iter() {
                    crosses(*link, class, bytes);
                    let (direction, flow) = match (depends_on(*link), place) {
                        (WaitDependsOn::Class, _) => (Some(direction), None),
                        (WaitDependsOn::Flow, Some(place)) => (Some(direction), Some(place)),
                        (WaitDependsOn::Nothing, _) | (WaitDependsOn::Flow, None) => (None, None),
                    };
                    let visit = Visit { link: *link, direction, flow };
                    path.push(*places.entry(visit).or_insert_with(|| {
                        visits.push(visit);
                        visits.len() as u32 - 1
                    }));
                }
            }
            path.sort_unstable();
            path.dedup();
            if seen.insert(path.clone()) {
                paths.push(path);
            }
        }
        for t in &network.traffic {
            t.path.iter().for_each(|l| crosses(*l, Class::Cross, t.packet));
        }
        let own = visits.iter().filter(|visit: &&Visit| visit.direction.is_some()).count();
        let steps = paths.iter().map(Vec::len).sum::<usize>() + COST_OF_OWN * own;
        let samples = (BUDGET / steps.max(1)).clamp(100, 10_000) as u64;
        let grid = Time::from_ps(((network.duration - network.warmup).as_ps() / samples).max(1));
        let rates = network.links.iter().map(|link| link.context(0).rate_over_time()).collect();
        let times = SampleTimes::new(network.warmup, grid);
        Some(Self {
            visits,
            paths,
            largest,
            rates,
            marks: Vec::new(),
            runs: Vec::new(),
            samples: 0,
            times,
            room: Vec::new(),
        })
    }

    /// When samples are due, from the next on.
    pub fn times(&self) -> &SampleTimes {
        &self.times
    }

    /// Where packets wait.
    pub fn visits(&self) -> &[Visit] {
        &self.visits
    }

    /// Takes a sample; `waits` are those of the visits.
    pub fn sample(&mut self, waits: &[Time]) {
        let now = self.times.next();
        self.times.advance();
        self.samples += 1;
        let marks = &mut self.room;
        marks.clear();
        for path in &self.paths {
            let waits = || path.iter().map(|visit| (waits[*visit as usize], self.visits[*visit as usize].link));
            let longest = waits().map(|(wait, _)| wait).max().unwrap_or(Time::ZERO);
            // links with equal waits are all bottlenecks
            for (wait, link) in waits().filter(|(wait, _)| *wait == longest && *wait > Time::ZERO) {
                let place = link as usize;
                let above = |bytes| {
                    if bytes == 0 {
                        return true;
                    }
                    let end = self.rates[place].end(now, bytes);
                    // on a link that transmits no more both are without end
                    end == Time::MAX || wait > end - now
                };
                marks.push(Mark { link, above: self.largest[place].map(above) });
            }
        }
        marks.sort_unstable();
        marks.dedup();
        let before = self.runs.len().checked_sub(2).map_or(0, |run| self.runs[run].0);
        match self.runs.last_mut() {
            Some((_, samples)) if self.marks[before..] == *marks => *samples += 1,
            _ => {
                self.marks.extend_from_slice(marks);
                self.runs.push((self.marks.len(), 1));
            }
        }
    }

    /// What the samples say, if the links have transmitted these classes of packets in the summary window: a wait counts above the
    /// transmission time of the largest of them, so that a flow that does not send then hides no queue of acknowledgements.
    pub fn judge(&self, transmitted: &[[bool; 3]]) -> Bottlenecks {
        let is_bottleneck = |mark: &&Mark| {
            let classes = transmitted[mark.link as usize];
            let stalled = classes == [false; 3];
            mark.above.iter().zip(classes).all(|(above, crosses)| *above || !(crosses || stalled))
        };
        let mut hits = vec![0; transmitted.len()];
        let (mut switches, mut from, mut last) = (0, 0, Vec::new());
        for (end, samples) in &self.runs {
            let marks = self.marks[from..*end].iter().filter(is_bottleneck);
            let mut links: Vec<u32> = marks.map(|mark| mark.link).collect();
            // one of several flows is enough
            links.dedup();
            from = *end;
            links.iter().for_each(|link| hits[*link as usize] += samples);
            if !links.is_empty() {
                switches += u64::from(!last.is_empty() && last != links);
                last = links;
            }
        }
        let share = |hits| hits as f64 / self.samples as f64;
        let shares = (self.samples > 0).then(|| hits.into_iter().map(|hits: u64| share(hits)).collect());
        Bottlenecks { shares, grid: self.times.grid, switches }
    }
}

/// A time within a cell: after its start, at its end at the latest.
fn within(cell: Time, grid: Time, random: &mut Stream) -> Time {
    cell + Time::from_ps(1 + random.below(grid.as_ps()))
}
