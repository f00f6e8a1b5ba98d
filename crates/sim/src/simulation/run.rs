//! Running a scenario from its start to its end.

use std::ops::ControlFlow;

use eddyline_scenario::Network;
use eddyline_scenario::result::RunResult;
use eddyline_scenario::series::Series;
use eddyline_units::Time;
use thiserror::Error;

use super::event_loop::{OBSERVER_INTERVAL, Simulation};
use super::series_recorder::MAX_ROWS;
use crate::endpoint::Transport;
use crate::meter::{LogSelection, PacketLog};

/// What to record besides the summaries, and how to run.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Record series at the network's interval.
    pub series: bool,
    /// Record packet events.
    pub packet_log: Option<LogSelection>,
    /// Simulate every queue with an event per departure, also where the departure is known at arrival. Slower, same
    /// answer; for tests.
    pub general_queues: bool,
}

/// How far a run is.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Virtual time.
    pub now: Time,
    /// Where it ends.
    pub duration: Time,
    /// Events so far.
    pub events: u64,
}

/// All that a run gives.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Summaries.
    pub result: RunResult,
    /// Series, if asked for.
    pub series: Option<Series>,
    /// Packet events, if asked for.
    pub log: Option<PacketLog>,
}

/// Why a run gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SimError {
    /// The observer stopped it.
    #[error("interrupted")]
    Interrupted,
    /// There is no flow, link or traffic of this name.
    #[error("no flow, link or traffic is called {0:?}")]
    UnknownEntity(String),
    /// The series would need too much memory.
    #[error("the series would have {0} million rows; at most {max} million", max = MAX_ROWS / 1_000_000)]
    TooManyRows(u128),
    /// Packets appeared or vanished: a defect of the simulator.
    #[error("internal error: packets not conserved: {0}")]
    NotConserved(String),
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
    simulate(network, options, None, observe)
}

/// As [`run`], over another transport.
///
/// # Errors
/// [`SimError`].
pub fn run_over(
    network: &Network,
    options: &Options,
    transport: &dyn Transport,
    observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Outcome, SimError> {
    simulate(network, options, Some(transport), observe)
}

fn simulate(
    network: &Network,
    options: &Options,
    transport: Option<&dyn Transport>,
    observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Outcome, SimError> {
    let mut simulation = Simulation::new(network, options, transport)?;
    if simulation.run(network.duration, OBSERVER_INTERVAL, observe).is_break() {
        return Err(SimError::Interrupted);
    }
    let (result, series, log) = simulation.finish(network)?;
    Ok(Outcome { result, series, log })
}
