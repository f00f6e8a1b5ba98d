//! Windows of time that all threads simulate together, and what is between two of them.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{mem, thread};

use eddyline_scenario::Network;
use eddyline_units::Time;

use super::balance::{assign, imbalance};
use super::barrier::Barrier;
use super::domains::{Places, Whole, lock};
use super::partition::Partition;
use super::samples::Samples;
use crate::network::Crossing;
use crate::simulation::{Measurement, OBSERVER_MASK, Progress, Scaling, Simulation};

/// Every so many windows the loads of threads are looked at.
const REVIEW: u64 = 64;
/// Domains change threads if the thread with most events has so many times the mean.
const MAX_IMBALANCE: f64 = 1.1;

/// What the thread does that started the others.
struct Leader<'a> {
    observe: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
    /// Events of each domain when loads were looked at last.
    reviewed: Vec<u64>,
    /// Events of all when progress was reported last.
    reported: u64,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Complete,
    Interrupted,
    /// There may have been more packets than the memory budget allows.
    OutOfMemory,
}

/// The domains, and what threads share.
#[derive(Debug)]
pub struct Windows {
    duration: Time,
    warmup: Time,
    lookahead: Time,
    max_packets: u64,
    domains: Vec<Domain>,
    parts: Vec<Mutex<Simulation<'static>>>,
    places: Places,
    barrier: Barrier,
    threads: Mutex<Vec<Vec<usize>>>,
    /// When the next measurement is due.
    hold: AtomicU64,
    /// The most packets that there may have been in the network in this window.
    packets: AtomicU64,
    count: AtomicU64,
    /// The end of the last window.
    reached: AtomicU64,
    end: Mutex<Option<End>>,
    stopped: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    measurement: Mutex<Measurement>,
    samples: Mutex<Samples>,
    scaling: Mutex<Option<Scaling>>,
}

/// What a run leaves.
#[derive(Debug)]
pub struct Ended {
    pub parts: Vec<Simulation<'static>>,
    pub measurement: Measurement,
    pub samples: Samples,
}

/// What other threads see of a domain.
#[derive(Debug)]
struct Domain {
    /// When its next event is due.
    next: AtomicU64,
    /// Events so far, and those of the last window.
    events: AtomicU64,
    last_events: AtomicU64,
    /// Packets that have entered it in this window. Their sources have their places in the network.
    inbox: Mutex<Vec<Crossing>>,
}

/// The part of time that is simulated next.
#[derive(Debug, Clone, Copy)]
struct Window {
    /// Its last moment.
    end: Time,
    /// It ends with a measurement, before the timers of that moment.
    measures: bool,
}

impl Windows {
    /// `parts` at time zero.
    pub fn new(
        network: &Network,
        parts: Vec<Simulation<'static>>,
        measurement: Measurement,
        samples: Samples,
        partition: &Partition,
        threads: usize,
    ) -> Self {
        let domain = |part: &Simulation<'_>| Domain {
            next: AtomicU64::new(part.next_event().as_ps()),
            events: AtomicU64::new(0),
            last_events: AtomicU64::new(0),
            inbox: Mutex::default(),
        };
        Self {
            duration: network.duration,
            warmup: network.warmup,
            lookahead: partition.lookahead,
            max_packets: parts.first().map_or(u64::MAX, |part| part.net().max_packets),
            domains: parts.iter().map(domain).collect(),
            places: Places::new(&parts, network.flows.len(), network.links.len()),
            parts: parts.into_iter().map(Mutex::new).collect(),
            barrier: Barrier::new(threads),
            threads: Mutex::new(assign(&partition.loads, threads)),
            hold: AtomicU64::new(measurement.next().as_ps()),
            packets: AtomicU64::new(0),
            count: AtomicU64::new(0),
            reached: AtomicU64::new(0),
            end: Mutex::new(None),
            stopped: AtomicBool::new(false),
            panic: Mutex::new(None),
            measurement: Mutex::new(measurement),
            samples: Mutex::new(samples),
            scaling: Mutex::new(None),
        }
    }

    /// Whether to count what more processors would do.
    pub fn measure_scaling(&mut self, wanted: bool) {
        *held(&self.scaling) = wanted.then(Scaling::default);
    }

    /// What more processors would do, if that was counted.
    pub fn scaling(&self) -> Option<Scaling> {
        *held(&self.scaling)
    }

    /// Windows simulated.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// The simulations of all domains, and what was measured.
    pub fn finish(self) -> Ended {
        Ended {
            parts: self.parts.into_iter().map(owned).collect(),
            measurement: owned(self.measurement),
            samples: owned(self.samples),
        }
    }

    /// Runs to the end; this thread is one of those that simulate, and calls `observe`.
    pub fn run(&mut self, observe: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> End {
        let windows = &*self;
        let threads = held(&windows.threads).len();
        thread::scope(|scope| {
            for thread in 1..threads {
                scope.spawn(move || windows.work(thread, None));
            }
            windows.work(0, Some(Leader { observe, reviewed: vec![0; windows.domains.len()], reported: 0 }));
        });
        if let Some(panic) = held(&self.panic).take() {
            panic::resume_unwind(panic);
        }
        held(&self.end).unwrap_or(End::Complete)
    }

    /// The next window; the same for all threads.
    fn next_window(&self) -> Option<Window> {
        let next = self.domains.iter().map(|d| d.next.load(Ordering::Acquire)).min().unwrap_or(u64::MAX);
        let measurement = Time::from_ps(self.hold.load(Ordering::Acquire));
        let last = Time::from_ps(next.saturating_add(self.lookahead.as_ps() - 1)).min(self.duration);
        if measurement <= last {
            return Some(Window { end: measurement, measures: true });
        }
        (next <= self.duration.as_ps()).then_some(Window { end: last, measures: false })
    }

    /// Simulates the domains of one thread, window by window.
    fn work(&self, thread: usize, mut leader: Option<Leader<'_>>) {
        let mut domains = held(&self.threads)[thread].clone();
        let mut round = 0;
        while let Some(window) = self.next_window() {
            self.guard(|| domains.iter().for_each(|domain| self.simulate(*domain, window, leader.as_mut())));
            self.barrier.wait();
            if let Some(leader) = &mut leader {
                self.guard(|| self.review(window, leader));
                if window.measures && !self.begins_summary(window) {
                    self.guard(|| self.measure(window.end));
                }
            }
            self.guard(|| domains.iter().for_each(|domain| self.receive(*domain)));
            self.barrier.wait();
            if self.stopped.load(Ordering::Acquire) {
                return;
            }
            if self.begins_summary(window) {
                if leader.is_some() {
                    self.guard(|| self.measure(window.end));
                }
                self.barrier.wait();
            }
            round += 1;
            if round % REVIEW == 0 {
                domains.clone_from(&held(&self.threads)[thread]);
            }
        }
    }

    /// Whether the summary window begins after this one, when packets that are arriving are counted in part: wherever they are going.
    fn begins_summary(&self, window: Window) -> bool {
        window.measures && window.end == self.warmup
    }

    /// A panic ends the run on all threads.
    fn guard(&self, work: impl FnOnce()) {
        if let Err(panic) = panic::catch_unwind(AssertUnwindSafe(work)) {
            *held(&self.panic) = Some(panic);
            self.stopped.store(true, Ordering::Release);
        }
    }

    /// Simulates a domain to the end of the window, and hands over what has left it. The leader reports progress meanwhile: a window may
    /// be long.
    fn simulate(&self, domain: usize, window: Window, mut leader: Option<&mut Leader<'_>>) {
        let mut observe = |_| {
            if let Some(leader) = &mut leader {
                self.report(leader);
            }
            if self.stopped.load(Ordering::Acquire) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut part = lock(&self.parts[domain]);
        let (packets, sent) = (part.net().packets(), part.net().counters.sent);
        if window.measures {
            part.schedule_measurement(window.end);
        }
        // it stops at the end of the window, at the measurement, with all others or because of its memory, which is looked at below
        let _: ControlFlow<_> = part.run(window.end, OBSERVER_MASK, &mut observe);
        part.schedule_measurement(Time::MAX);
        let most = packets + part.net().counters.sent - sent;
        self.packets.fetch_add(most, Ordering::AcqRel);
        let before = self.domains[domain].events.swap(part.events(), Ordering::AcqRel);
        self.domains[domain].last_events.store(part.events() - before, Ordering::Release);
        let (net, share) = part.net_and_share();
        net.take_crossings(|to, mut crossing| {
            crossing.packet.flow = share.place_of_flow(crossing.packet.flow);
            held(&self.domains[to as usize].inbox).push(crossing);
        });
    }

    /// Takes in what other domains have handed over.
    fn receive(&self, domain: usize) {
        let mut part = lock(&self.parts[domain]);
        let (net, share) = part.net_and_share();
        for crossing in mem::take(&mut *held(&self.domains[domain].inbox)) {
            let flow = share.number_of_flow(crossing.packet.flow);
            net.enter(flow, crossing);
        }
        self.domains[domain].next.store(part.next_event().as_ps(), Ordering::Release);
    }

    /// Reports progress as of the last window: all domains have come so far.
    fn report(&self, leader: &mut Leader<'_>) {
        let now = Time::from_ps(self.reached.load(Ordering::Acquire));
        let progress = Progress { now, duration: self.duration, events: leader.reported };
        if (leader.observe)(progress).is_break() {
            self.stop(End::Interrupted);
        }
    }

    /// After a window: whether memory is exceeded, progress, and the loads of threads.
    fn review(&self, window: Window, leader: &mut Leader<'_>) {
        if self.packets.swap(0, Ordering::AcqRel) > self.max_packets {
            return self.stop(End::OutOfMemory);
        }
        held(&self.samples).judge(window.end, |domain| lock(&self.parts[domain]).take_samples());
        if let Some(scaling) = &mut *held(&self.scaling) {
            let events = self.domains.iter().map(|d| d.last_events.load(Ordering::Acquire));
            scaling.add(&events.collect::<Vec<_>>());
        }
        self.reached.store(window.end.as_ps(), Ordering::Release);
        let count = self.count.fetch_add(1, Ordering::AcqRel);
        let events = || self.domains.iter().map(|d| d.events.load(Ordering::Acquire));
        let sum = events().sum::<u64>();
        if count == 0 || sum - leader.reported > OBSERVER_MASK {
            leader.reported = sum;
            self.report(leader);
        }
        if !count.is_multiple_of(REVIEW) {
            return;
        }
        let loads: Vec<f64> = events().zip(&leader.reviewed).map(|(now, before)| (now - before) as f64).collect();
        let mut threads = held(&self.threads);
        if imbalance(&loads, &threads) > MAX_IMBALANCE {
            let assigned = assign(&loads, threads.len());
            *threads = assigned;
        }
        leader.reviewed = events().collect();
    }

    fn stop(&self, end: End) {
        *held(&self.end) = Some(end);
        self.stopped.store(true, Ordering::Release);
    }

    /// Makes the measurements that are due.
    fn measure(&self, now: Time) {
        let mut measurement = held(&self.measurement);
        measurement.measure(now, &mut Whole::lock(&self.parts, &self.places));
        self.hold.store(measurement.next().as_ps(), Ordering::Release);
    }
}

fn owned<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
