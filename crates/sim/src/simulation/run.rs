//! Running a scenario from its start to its end.

use std::ops::ControlFlow;

use eddyline_scenario::result::RunResult;
use eddyline_scenario::series::Series;
use eddyline_units::Time;

use super::error::SimError;
use super::event_loop::{OBSERVER_MASK, Simulation, TRANSPORT_OBSERVER_MASK};
use super::options::{Options, Progress};
use super::scaling::Scaling;
use super::sorted_network::SortedNetwork;
use crate::endpoint::Transport;
use crate::meter::PacketLog;

/// Results of a run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Summaries.
    pub result: RunResult,
    /// Series, if `Options::series` is set.
    pub series: Option<Series>,
    /// Packet events, if `Options::packet_log` is set and `Options::log_sink` is not.
    pub log: Option<PacketLog>,
    /// How it was executed.
    pub execution: Execution,
}

/// How a run was executed, which has no effect on its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Execution {
    /// Threads used.
    pub threads: usize,
    /// Parts of the network that were simulated apart.
    pub domains: usize,
    /// What occurs in one part concerns another at least this much later.
    pub lookahead: Time,
    /// Windows of time that the threads simulated together.
    pub windows: u64,
    /// What more processors would do, if that was asked for.
    pub scaling: Option<Scaling>,
    /// Why there was one thread where more were asked for.
    pub one_because: Option<&'static str>,
}

impl Execution {
    /// On one thread.
    pub const ONE: Self =
        Self { threads: 1, domains: 1, lookahead: Time::MAX, windows: 1, scaling: None, one_because: None };
}

/// Runs `network` over TCP on one thread.
///
/// # Errors
/// [`SimError`].
pub fn run_whole(
    network: &SortedNetwork<'_>,
    options: &Options,
    observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Outcome, SimError> {
    simulate(network, options, None, observe)
}

/// As [`run`](crate::run()), over another transport, on one thread. Its flows have the places of the sorted network.
///
/// # Errors
/// [`SimError`].
pub fn run_over(
    network: &SortedNetwork<'_>,
    options: &Options,
    transport: &dyn Transport,
    observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Outcome, SimError> {
    simulate(network, options, Some(transport), observe)
}

fn simulate(
    network: &SortedNetwork<'_>,
    options: &Options,
    transport: Option<&dyn Transport>,
    observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Outcome, SimError> {
    let mask = if transport.is_some() { TRANSPORT_OBSERVER_MASK } else { OBSERVER_MASK };
    let mut simulation = Simulation::new(network, options, transport)?;
    if let ControlFlow::Break(stop) = simulation.run(network.duration, mask, observe) {
        return Err(simulation.error(stop, network));
    }
    let (result, series, log) = simulation.finish(network)?;
    Ok(Outcome { result, series, log, execution: Execution::ONE })
}
