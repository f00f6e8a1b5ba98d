//! One run on several threads, with the bytes that one thread gives.
//!
//! The network is divided into domains ([`partition`]). All threads simulate their domains through the same window of time, as long as the
//! lookahead, then exchange the packets that have left one domain for another ([`windows`]). Within a domain events have the order
//! that they have in the whole network; events of different domains in one window do not concern each other.

mod balance;
mod barrier;
mod domains;
mod groups;
mod growth;
mod partition;
mod samples;
mod scaling;
mod windows;

use std::num::NonZero;
use std::ops::ControlFlow;
use std::thread;

use eddyline_cc::ControllerParams;

pub use self::partition::domains_for_cache;
use self::partition::{Indivisible, Partition};
use self::samples::Samples;
use self::windows::{End, Ended, Windows};
use crate::simulation::{Execution, Measurement, Options, Outcome, Paths, Progress, SimError, SortedNetwork, ending};

/// What became of a run on several threads.
#[derive(Debug)]
pub enum Run {
    /// It is done.
    Done(Box<Outcome>),
    /// One thread should do it, and why.
    NotDivided(&'static str),
}

/// Runs `network` on the threads that `options` ask for, where that pays; on one thread, a large network domain after domain.
///
/// # Errors
/// As [`run`](crate::run()).
pub fn run(
    network: &SortedNetwork<'_>,
    options: &Options,
    observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Run, SimError> {
    if options.packet_log.is_some() || options.qlog.is_some() {
        return Ok(Run::NotDivided("packet logs and traces are written in order of time, by one thread"));
    }
    let flows = network.flows.iter().chain(network.arrivals.iter().map(|a| &a.flow));
    if flows.into_iter().any(|f| matches!(*f.controller, ControllerParams::Custom(_))) {
        return Ok(Run::NotDivided("controllers from files run on one thread"));
    }
    let paths = Paths::new(network);
    let threads = options.threads.max(1);
    let partition = match Partition::new(network, &paths, threads, options.divide_always) {
        Ok(partition) => partition,
        Err(Indivisible::Whole) => {
            return Ok(Run::NotDivided("the network has no parts that react to each other with a delay"));
        }
        Err(Indivisible::NoGain) => {
            return Ok(Run::NotDivided(
                "most of the traffic is in one part of the network, or delays are too short for its traffic",
            ));
        }
    };
    // more threads than processors would only wait for each other
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = threads.min(partition.loads.len()).min(processors);
    if partition.loads.len() < 2 {
        return Ok(Run::NotDivided("the network has no parts that react to each other with a delay"));
    }
    let measurement = Measurement::new(network, options)?;
    let mut samples = Samples::new(network);
    let parts = domains::build(network, options, &paths, &partition, samples.sampler());
    samples.set_domains(&parts);
    let mut windows = Windows::new(network, parts, measurement, samples, &partition, threads);
    windows.measure_scaling(options.measure_scaling);
    match windows.run(observe) {
        End::Complete => {}
        End::Interrupted => return Err(SimError::Interrupted),
        // one thread says at which event, and where the packets are
        End::OutOfMemory => {
            return Ok(Run::NotDivided("the packets in the network came close to the memory of the run"));
        }
    }
    let execution = Execution {
        threads,
        domains: partition.loads.len(),
        lookahead: partition.lookahead,
        windows: windows.count(),
        scaling: windows.scaling(),
        one_because: None,
    };
    let Ended { mut parts, measurement, samples } = windows.finish();
    let result = ending::finish(network, &mut parts, samples.sampler())?;
    let series = measurement.finish();
    Ok(Run::Done(Box::new(Outcome { result, series, log: None, execution })))
}
