//! A simulation with an external decision maker: it runs to the next decision about one flow's window, stops there, and goes on
//! when the decision is made.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use eddyline_cc::{
    Ack, Controller, ControllerParams, Custom, CustomParams, DynController, Loss, LostBetween, ParamTable, PathFacts,
    RoundMeter, RoundReport, Timeout,
};
use eddyline_scenario::Network;
use eddyline_units::Time;

use super::error::SimError;
use super::event_loop::{EVERY_EVENT, Simulation, Stop};
use super::options::{Options, Progress};
use super::run::{Execution, Outcome};
use super::sorted_network::SortedNetwork;

/// Events between two calls of the observer.
const OBSERVER_INTERVAL: u64 = 1 << 14;

/// When decisions are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decisions {
    /// At the end of every round trip of the flow.
    Rounds,
    /// At these intervals from the flow's start on.
    Every(Time),
}

/// State shared by the flow's controller and the decision maker.
#[derive(Debug)]
struct ControlState {
    window: f64,
    /// The last decision, until the next event of the flow: a timer of the pacer before that does not know it, as it does not know what
    /// a registered controller decides.
    decided: Option<f64>,
    by_rounds: bool,
    meter: RoundMeter,
    lost_between: LostBetween,
    /// A round trip has just ended.
    report: Option<RoundReport>,
    handshake: Option<Time>,
}

#[derive(Debug, Clone)]
struct Shared(Arc<Mutex<ControlState>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, ControlState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A controller whose window is set from outside. By itself it only resets to one packet after a timeout (RFC 5681, 3.1), and
/// after idle periods (RFC 5681, 4.1).
#[derive(Debug)]
struct ExternalController(Shared);

impl ExternalController {
    /// What has been decided acts from now on.
    fn event(&self) -> MutexGuard<'_, ControlState> {
        let mut state = self.0.lock();
        if let Some(window) = state.decided.take() {
            state.window = window;
        }
        state
    }
}

impl Controller for ExternalController {
    fn on_handshake(&mut self, _now: Time, rtt: Time) {
        let mut state = self.event();
        state.handshake = Some(rtt);
    }

    fn on_data(&mut self, _now: Time) {
        drop(self.event());
    }

    fn on_ack(&mut self, ack: &Ack) {
        let mut state = self.event();
        let ack = &state.lost_between.told_with(ack);
        let round_ended = state.meter.on_ack(ack);
        if round_ended && state.by_rounds {
            state.report = Some(state.meter.take(ack.now));
        }
    }

    fn on_duplicate(&mut self, ack: &Ack) {
        self.event().meter.on_duplicate(ack);
    }

    fn on_lost(&mut self, packets: f64) {
        self.event().lost_between.add(packets);
    }

    fn on_loss(&mut self, _loss: &Loss) {
        self.event().meter.on_loss();
    }

    fn on_ecn(&mut self, _mark: &Loss) {
        self.event().meter.on_mark();
    }

    fn on_timeout(&mut self, _timeout: &Timeout) {
        let mut state = self.event();
        state.meter.on_timeout();
        state.window = 1.0;
    }

    fn on_idle(&mut self, restart_window: f64) {
        let mut state = self.event();
        state.window = state.window.min(restart_window.max(1.0));
    }

    fn window(&self) -> f64 {
        self.0.lock().window
    }
}

impl CustomParams for Shared {
    fn canonical(&self) -> ParamTable {
        ParamTable::new()
    }

    fn build(&self, facts: &PathFacts) -> Box<dyn DynController> {
        self.lock().window = facts.initial_window.max(1.0);
        Box::new(ExternalController(self.clone()))
    }
}

/// A simulation that runs from decision to decision.
///
/// The acknowledgement that ends a round trip is still processed with the old window; a decision applies from the flow's next event on.
pub struct Stepper {
    network: SortedNetwork<'static>,
    simulation: Simulation<'static>,
    flow: usize,
    decisions: Decisions,
    shared: Shared,
    due: Time,
}

impl Stepper {
    /// `network` at time zero, with decisions about the window of the flow with index `flow`.
    ///
    /// # Errors
    /// As [`run`](crate::run()); [`SimError::UnknownEntity`] if there is no such flow.
    pub fn new(mut network: Network, flow: usize, decisions: Decisions, options: &Options) -> Result<Self, SimError> {
        let by_rounds = decisions == Decisions::Rounds;
        let spec = network.flows.get_mut(flow).ok_or_else(|| SimError::UnknownEntity(flow.to_string()))?;
        let due = spec.start;
        let meter = RoundMeter::since(due);
        let lost_between = LostBetween::default();
        let state =
            ControlState { window: 1.0, decided: None, by_rounds, meter, lost_between, report: None, handshake: None };
        let shared = Shared(Arc::new(Mutex::new(state)));
        spec.controller = Arc::new(ControllerParams::Custom(Custom::of("agent", Arc::new(shared.clone()))));
        let network = SortedNetwork::of(&network).into_owned();
        let simulation = Simulation::new(&network, options, None)?;
        let flow = network.flow_of_file(flow).ok_or_else(|| SimError::UnknownEntity(flow.to_string()))?;
        Ok(Self { network, simulation, flow, decisions, shared, due })
    }

    /// Runs to the next decision and returns the report since the previous one; `None` at the end of the scenario or once the flow
    /// has completed. `observe` is called periodically and may interrupt the run.
    ///
    /// # Errors
    /// [`SimError::Interrupted`]; it may be called again then.
    pub fn advance(
        &mut self,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Option<RoundReport>, SimError> {
        if self.completed() {
            return Ok(None);
        }
        let end = self.network.duration;
        let (due, mask) = match self.decisions {
            Decisions::Rounds => (Time::MAX, EVERY_EVENT),
            Decisions::Every(interval) => (self.due.saturating_add(interval), OBSERVER_INTERVAL - 1),
        };
        let shared = &self.shared;
        let (mut report, mut interrupted) = (None, false);
        let mut observer = |progress: Progress| {
            if mask == EVERY_EVENT {
                report = shared.lock().report.take();
                if report.is_some() {
                    return ControlFlow::Break(());
                }
            }
            if progress.events.is_multiple_of(OBSERVER_INTERVAL) && observe(progress).is_break() {
                interrupted = true;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        // stopping at a decision is not an interruption
        if let ControlFlow::Break(stop @ Stop::Memory(_)) = self.simulation.run(due.min(end), mask, &mut observer) {
            return Err(self.simulation.error(stop, &self.network));
        }
        if interrupted {
            return Err(SimError::Interrupted);
        }
        self.due = due;
        if due <= end {
            report = Some(self.shared.lock().meter.take(due));
        }
        Ok(report)
    }

    /// Sets the window in packets, at least one.
    pub fn decide(&mut self, window: f64) {
        if window.is_finite() {
            self.shared.lock().decided = Some(window.max(1.0));
        }
    }

    /// The window: the last decision, which acts from the flow's next event on, unless a timeout or idle period has reduced it since.
    #[must_use]
    pub fn window(&self) -> f64 {
        let state = self.shared.lock();
        state.decided.unwrap_or(state.window)
    }

    /// The round-trip sample of the handshake.
    #[must_use]
    pub fn handshake_rtt(&self) -> Option<Time> {
        self.shared.lock().handshake
    }

    /// Whether the flow has completed its transfer.
    #[must_use]
    pub fn completed(&self) -> bool {
        self.simulation.flows().state(self.flow).completed_at.is_some()
    }

    /// Runs to the end without further decisions and returns the outcome of the run.
    ///
    /// # Errors
    /// As [`run`](crate::run()).
    pub fn finish(mut self, observe: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<Outcome, SimError> {
        if let ControlFlow::Break(stop) = self.simulation.run(self.network.duration, OBSERVER_INTERVAL - 1, observe) {
            return Err(self.simulation.error(stop, &self.network));
        }
        let (result, series, log) = self.simulation.finish(&self.network)?;
        Ok(Outcome { result, series, log, execution: Execution::ONE })
    }
}
