//! A controller that is not built in, beside those that are: its answers are kept where they can be read without a call, so
//! that it costs the others nothing.

use std::fmt;

use eddyline_units::Time;

use crate::controller::{Controller, EcnResponse, PartialAck};
use crate::forward::forward_events;

/// What a controller answers until the next event.
#[derive(Debug, Clone, Copy)]
struct Answers {
    window: f64,
    /// Unpaced, paced.
    flight_limits: [f64; 2],
    pacing_interval: Option<Time>,
    slow_start_threshold: Option<f64>,
    base_rtt: Option<Time>,
    ack_ratio: Option<u32>,
    partial_ack: PartialAck,
}

impl Answers {
    fn of(controller: &dyn Controller) -> Self {
        Self {
            window: controller.window(),
            flight_limits: [controller.flight_limit(false), controller.flight_limit(true)],
            pacing_interval: controller.pacing_interval(),
            slow_start_threshold: controller.slow_start_threshold(),
            base_rtt: controller.base_rtt(),
            ack_ratio: controller.ack_ratio(),
            partial_ack: controller.partial_ack(),
        }
    }
}

/// Somebody's controller with its latest answers.
pub struct Registered {
    controller: Box<dyn Controller + Send>,
    answers: Answers,
}

impl Registered {
    pub(crate) fn new(controller: Box<dyn Controller + Send>) -> Box<Self> {
        let answers = Answers::of(&*controller);
        Box::new(Self { controller, answers })
    }

    #[cold]
    #[inline(never)]
    fn after<T>(&mut self, event: impl FnOnce(&mut dyn Controller) -> T) -> T {
        let answer = event(&mut *self.controller);
        self.answers = Answers::of(&*self.controller);
        answer
    }
}

impl fmt::Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registered").field("answers", &self.answers).finish_non_exhaustive()
    }
}

macro_rules! then_remember {
    ($self:ident, [$($reference:ident)?] $c:ident => $call:expr) => {{
        // a copy of its own: the event need not be in memory for the sake of the other kinds
        $(let $reference = &{ *$reference };)?
        $self.after(move |$c| $call)
    }};
}

impl Controller for Registered {
    forward_events!(then_remember);

    #[inline]
    fn window(&self) -> f64 {
        self.answers.window
    }
    #[inline]
    fn flight_limit(&self, paced: bool) -> f64 {
        self.answers.flight_limits[usize::from(paced)]
    }
    #[inline]
    fn pacing_interval(&self) -> Option<Time> {
        self.answers.pacing_interval
    }
    fn slow_start_threshold(&self) -> Option<f64> {
        self.answers.slow_start_threshold
    }
    fn base_rtt(&self) -> Option<Time> {
        self.answers.base_rtt
    }
    fn ack_ratio(&self) -> Option<u32> {
        self.answers.ack_ratio
    }
    fn retransmission_timeout(&self, least: Time) -> Option<Time> {
        self.controller.retransmission_timeout(least)
    }
    fn partial_ack(&self) -> PartialAck {
        self.answers.partial_ack
    }
    fn ecn_response(&self) -> EcnResponse {
        self.controller.ecn_response()
    }
}
