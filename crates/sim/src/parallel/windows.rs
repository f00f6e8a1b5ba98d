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
use crate::simulation::{Measurement, Progress, Scaling, Simulation};

/// Every so many windows progress is reported and loads are looked at.
const REVIEW: u64 = 64;
/// Domains change threads if the thread with most events has so many times the mean.
const MAX_IMBALANCE: f64 = 1.1;

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
                scope.spawn(move || windows.work(thread, &mut |_| {}));
            }
            let mut loads = vec![0; windows.domains.len()];
            windows.work(0, &mut |window| windows.review(window, &mut loads, observe));
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

    /// Simulates the domains of one thread, window by window; `between` is called when all have simulated one and packets are not
    /// exchanged yet.
    fn work(&self, thread: usize, between: &mut dyn FnMut(Window)) {
        let mut domains = held(&self.threads)[thread].clone();
        let mut round = 0;
        while let Some(window) = self.next_window() {
            self.guard(|| domains.iter().for_each(|domain| self.simulate(*domain, window)));
            self.barrier.wait();
            if thread == 0 {
                self.guard(|| between(window));
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
                if thread == 0 {
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

    /// Simulates a domain to the end of the window, and hands over what has left it.
    fn simulate(&self, domain: usize, window: Window) {
        let mut part = lock(&self.parts[domain]);
        let (packets, sent) = (part.net().packets(), part.net().counters.sent);
        if window.measures {
            part.schedule_measurement(window.end);
        }
        // it stops at the end of the window, at the measurement or because of its memory, which is looked at below
        let _: ControlFlow<_> = part.run(window.end, u64::MAX, &mut |_| ControlFlow::Continue(()));
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

    /// After a window: whether memory is exceeded, progress, and the loads of threads.
    fn review(&self, window: Window, before: &mut [u64], observe: &mut dyn FnMut(Progress) -> ControlFlow<()>) {
        if self.packets.swap(0, Ordering::AcqRel) > self.max_packets {
            return self.stop(End::OutOfMemory);
        }
        held(&self.samples).judge(window.end, |domain| lock(&self.parts[domain]).take_samples());
        if let Some(scaling) = &mut *held(&self.scaling) {
            let events = self.domains.iter().map(|d| d.last_events.load(Ordering::Acquire));
            scaling.add(&events.collect::<Vec<_>>());
        }
        let count = self.count.fetch_add(1, Ordering::AcqRel);
        if !count.is_multiple_of(REVIEW) {
            return;
        }
        let events: Vec<u64> = self.domains.iter().map(|d| d.events.load(Ordering::Acquire)).collect();
        let progress = Progress { now: window.end, duration: self.duration, events: events.iter().sum() };
        if observe(progress).is_break() {
            return self.stop(End::Interrupted);
        }
        let loads: Vec<f64> = events.iter().zip(&*before).map(|(now, before)| (now - before) as f64).collect();
        let mut threads = held(&self.threads);
        if imbalance(&loads, &threads) > MAX_IMBALANCE {
            let assigned = assign(&loads, threads.len());
            *threads = assigned;
        }
        before.copy_from_slice(&events);
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
