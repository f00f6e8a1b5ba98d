//! A simulation that waits for somebody outside to decide: it runs to the next decision about one flow's window, stops
//! there, and goes on when it is told to.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use eddyline_cc::{
    Ack, Controller, ControllerParams, Custom, CustomParams, Loss, ParamTable, PathFacts, RoundMeter, RoundReport,
    Timeout,
};
use eddyline_scenario::Network;
use eddyline_units::Time;

use crate::engine::{ALWAYS, World};
use crate::run::{Options, Outcome, Progress, SimError};

/// Events between two looks at the observer.
const GLANCE: u64 = 1 << 14;

/// When somebody is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decisions {
    /// At the end of every round trip of the flow.
    Rounds,
    /// At these intervals from the flow's start on.
    Every(Time),
}

/// What the flow's controller and whoever decides have in common.
#[derive(Debug)]
struct Desk {
    window: f64,
    by_rounds: bool,
    meter: RoundMeter,
    /// A round trip has just ended.
    report: Option<RoundReport>,
    handshake: Option<Time>,
}

#[derive(Debug, Clone)]
struct Shared(Arc<Mutex<Desk>>);

impl Shared {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The controller that does as it is told: of its own it only starts over from one packet after a timeout (RFC 5681, 3.1),
/// and after idleness as RFC 5681, 4.1 has it.
#[derive(Debug)]
struct Puppet(Shared);

impl Controller for Puppet {
    fn on_handshake(&mut self, _now: Time, rtt: Time) {
        self.0.desk().handshake = Some(rtt);
    }

    fn on_ack(&mut self, ack: &Ack) {
        let mut desk = self.0.desk();
        let over = desk.meter.on_ack(ack);
        if over && desk.by_rounds {
            desk.report = Some(desk.meter.take(ack.now));
        }
    }

    fn on_loss(&mut self, _loss: &Loss) {
        self.0.desk().meter.on_loss();
    }

    fn on_ecn(&mut self, _mark: &Loss) {
        self.0.desk().meter.on_mark();
    }

    fn on_timeout(&mut self, _timeout: &Timeout) {
        let mut desk = self.0.desk();
        desk.meter.on_timeout();
        desk.window = 1.0;
    }

    fn on_idle(&mut self, restart_window: f64) {
        let mut desk = self.0.desk();
        desk.window = desk.window.min(restart_window.max(1.0));
    }

    fn window(&self) -> f64 {
        self.0.desk().window
    }
}

impl CustomParams for Shared {
    fn canonical(&self) -> ParamTable {
        ParamTable::new()
    }

    fn build(&self, facts: &PathFacts) -> Box<dyn Controller + Send> {
        self.desk().window = facts.initial_window.max(1.0);
        Box::new(Puppet(self.clone()))
    }
}

/// A simulation that runs from decision to decision.
///
/// The acknowledgement that ends a round trip is still answered under the old window; a decision holds from the next event
/// on.
pub struct Stepper {
    network: Network,
    world: World,
    flow: usize,
    decisions: Decisions,
    shared: Shared,
    due: Time,
}

impl Stepper {
    /// `network` at time zero; somebody decides about the flow with this place in it.
    ///
    /// # Errors
    /// As [`run`](crate::run()); [`SimError::UnknownEntity`] where there is no such flow.
    pub fn new(mut network: Network, flow: usize, decisions: Decisions, options: &Options) -> Result<Self, SimError> {
        let by_rounds = decisions == Decisions::Rounds;
        let desk = Desk { window: 1.0, by_rounds, meter: RoundMeter::default(), report: None, handshake: None };
        let shared = Shared(Arc::new(Mutex::new(desk)));
        let spec = network.flows.get_mut(flow).ok_or_else(|| SimError::UnknownEntity(flow.to_string()))?;
        spec.controller = Arc::new(ControllerParams::Custom(Custom::of("agent", Arc::new(shared.clone()))));
        let due = spec.start;
        let world = World::new(&network, options)?;
        Ok(Self { network, world, flow, decisions, shared, due })
    }

    /// Runs to the next decision, and gives what was seen since the one before; nothing at the end of the scenario, or once
    /// the flow has completed. `observe` is called now and then and may stop it.
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
        let (due, glances) = match self.decisions {
            Decisions::Rounds => (Time::MAX, ALWAYS),
            Decisions::Every(interval) => (self.due.saturating_add(interval), GLANCE - 1),
        };
        let shared = &self.shared;
        let (mut report, mut interrupted) = (None, false);
        let mut look = |progress: Progress| {
            if glances == ALWAYS {
                report = shared.desk().report.take();
                if report.is_some() {
                    return ControlFlow::Break(());
                }
            }
            if progress.events.is_multiple_of(GLANCE) && observe(progress).is_break() {
                interrupted = true;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        // that it stopped at a decision is no news
        let _: ControlFlow<()> = self.world.run(due.min(end), glances, &mut look);
        if interrupted {
            return Err(SimError::Interrupted);
        }
        self.due = due;
        if due <= end {
            report = Some(self.shared.desk().meter.take(due));
        }
        Ok(report)
    }

    /// The decision: how many packets may be in flight; at least one.
    pub fn decide(&mut self, window: f64) {
        if window.is_finite() {
            self.shared.desk().window = window.max(1.0);
        }
    }

    /// The window: what was decided last, unless a timeout or idleness has reduced it since.
    #[must_use]
    pub fn window(&self) -> f64 {
        self.shared.desk().window
    }

    /// The round-trip sample of the handshake.
    #[must_use]
    pub fn handshake_rtt(&self) -> Option<Time> {
        self.shared.desk().handshake
    }

    /// The flow has transferred all that it was to transfer.
    #[must_use]
    pub fn completed(&self) -> bool {
        self.world.flows()[self.flow].sender().completed_at.is_some()
    }

    /// Runs the rest without asking, and gives what [`run`](crate::run()) would have given.
    ///
    /// # Errors
    /// As [`run`](crate::run()).
    pub fn finish(mut self, observe: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<Outcome, SimError> {
        if self.world.run(self.network.duration, GLANCE - 1, observe).is_break() {
            return Err(SimError::Interrupted);
        }
        let (result, series, log) = self.world.finish(&self.network)?;
        Ok(Outcome { result, series, log })
    }
}
