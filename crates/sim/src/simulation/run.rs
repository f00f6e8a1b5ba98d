//! Running a scenario from its start to its end.

use std::ops::ControlFlow;

use eddyline_scenario::Network;
use eddyline_scenario::result::RunResult;
use eddyline_scenario::series::Series;

use super::error::SimError;
use super::event_loop::{OBSERVER_MASK, Simulation};
use super::options::{Options, Progress};
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
    /// Packet events, if `Options::packet_log` is set.
    pub log: Option<PacketLog>,
}

/// Runs `network` over TCP to its end; `observe` is called every 65,536 events with the progress and may stop it.
///
/// # Errors
/// [`SimError`].
pub fn run(
    network: &Network,
    options: &Options,
    observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Outcome, SimError> {
    simulate(&SortedNetwork::of(network), options, None, observe)
}

/// As [`run`], over another transport. Its flows have the places of the sorted network.
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
    let mut simulation = Simulation::new(network, options, transport)?;
    if let ControlFlow::Break(stop) = simulation.run(network.duration, OBSERVER_MASK, observe) {
        return Err(simulation.error(stop, network));
    }
    let (result, series, log) = simulation.finish(network)?;
    Ok(Outcome { result, series, log })
}
