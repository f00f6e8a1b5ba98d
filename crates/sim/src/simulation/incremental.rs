//! A simulation that is run piece by piece, for programs that show it while it runs.

use std::ops::ControlFlow;

use eddyline_scenario::Network;
use eddyline_scenario::series::Series;
use eddyline_units::Time;

use super::error::SimError;
use super::event_loop::{OBSERVER_MASK, Simulation};
use super::options::{Options, Progress};
use super::run::{Execution, Outcome};
use super::sorted_network::SortedNetwork;
use crate::endpoint::{FlowState, RecoveryState};
use crate::meter::PacketLog;

/// A simulation that stops at times of the caller's choice. The pieces have no effect on the result.
pub struct Incremental {
    network: SortedNetwork<'static>,
    simulation: Simulation<'static>,
    now: Time,
}

impl Incremental {
    /// `network` at time zero.
    ///
    /// # Errors
    /// As [`run`](crate::run()).
    pub fn new(network: &Network, options: &Options) -> Result<Self, SimError> {
        let network = SortedNetwork::of(network).into_owned();
        let simulation = Simulation::new(&network, options, None)?;
        Ok(Self { network, simulation, now: Time::ZERO })
    }

    /// The time that it has reached.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Runs to `to`, at most to the end of the scenario; `observe` is called periodically and may interrupt it.
    ///
    /// # Errors
    /// [`SimError::Interrupted`], after which it may be called again; [`SimError::OutOfMemory`].
    pub fn advance(&mut self, to: Time, observe: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<(), SimError> {
        let to = to.min(self.network.duration);
        if to < self.now {
            return Ok(());
        }
        if let ControlFlow::Break(stop) = self.simulation.run(to, OBSERVER_MASK, observe) {
            return Err(self.simulation.error(stop, &self.network));
        }
        self.now = to;
        Ok(())
    }

    /// The state of the flow with index `flow` in the file now.
    #[must_use]
    pub fn flow(&self, flow: usize) -> Option<(FlowState, RecoveryState)> {
        let (flows, index) = (self.simulation.flows(), self.network.flow_of_file(flow)?);
        Some((flows.state(index), flows.recovery(index)))
    }

    /// The series so far, if they are recorded.
    #[must_use]
    pub fn series(&self) -> Option<&Series> {
        self.simulation.series()
    }

    /// The packet events since the last call, if they are logged and no sink gets them; the outcome has those after the last call.
    pub fn take_log(&mut self) -> Option<PacketLog> {
        self.simulation.take_log()
    }

    /// Runs to the end and returns the outcome.
    ///
    /// # Errors
    /// As [`run`](crate::run()).
    pub fn finish(mut self, observe: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<Outcome, SimError> {
        self.advance(self.network.duration, observe)?;
        let (result, series, log) = self.simulation.finish(&self.network)?;
        Ok(Outcome { result, series, log, execution: Execution::ONE })
    }
}
