//! The door: a network in, a result out.

use std::ops::ControlFlow;

use eddyline_scenario::Network;
use eddyline_scenario::result::RunResult;
use eddyline_scenario::series::Series;
use eddyline_units::Time;
use thiserror::Error;

use crate::engine::{SELDOM, World};
use crate::record::PacketLog;

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

/// Whose packets to log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogSelection {
    /// Everybody's.
    All,
    /// One flow's, link's or traffic's, by name.
    Entity(String),
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
    /// Nobody is called that.
    #[error("no flow, link or traffic is called {0:?}")]
    UnknownEntity(String),
    /// Memory would not hold them.
    #[error("the series would have {0} million rows; at most {most} million", most = crate::record::MOST_ROWS / 1_000_000)]
    TooManyRows(u128),
    /// Packets appeared or vanished: a defect of the simulator.
    #[error("internal error: packets not conserved: {0}")]
    NotConserved(String),
}

/// Runs `network` to its end; `observe` is called every 65,536 events with the progress and may stop it.
///
/// # Errors
/// [`SimError`].
pub fn run(
    network: &Network,
    options: &Options,
    observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Outcome, SimError> {
    let mut world = World::new(network, options)?;
    if world.run(network.duration, SELDOM, observe).is_break() {
        return Err(SimError::Interrupted);
    }
    let (result, series, log) = world.finish(network)?;
    Ok(Outcome { result, series, log })
}
