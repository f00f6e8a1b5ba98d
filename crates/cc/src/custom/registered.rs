//! A registered controller next to the built-in ones: its decisions are cached, so that reading them needs no virtual call and
//! costs the built-in controllers nothing.

use std::fmt;

use eddyline_units::Time;

use crate::controller::{Ack, Controller, EcnResponse, PartialAck, Sent, Stamp};
use crate::forward::forward_events;

/// A registered controller's decisions, valid until the next event.
#[derive(Debug, Clone, Copy)]
pub struct RegisteredDecisions {
    window: f64,
    /// Unpaced, paced.
    flight_limits: [f64; 2],
    pacing_interval: Option<Time>,
    slow_start_threshold: Option<f64>,
    base_rtt: Option<Time>,
    ack_ratio: Option<u32>,
    partial_ack: PartialAck,
    uses_sent: bool,
}

impl RegisteredDecisions {
    #[inline]
    fn of(controller: &impl Controller) -> Self {
        Self {
            window: controller.window(),
            flight_limits: [controller.flight_limit(false), controller.flight_limit(true)],
            pacing_interval: controller.pacing_interval(),
            slow_start_threshold: controller.slow_start_threshold(),
            base_rtt: controller.base_rtt(),
            ack_ratio: controller.ack_ratio(),
            partial_ack: controller.partial_ack(),
            uses_sent: controller.uses_sent(),
        }
    }
}

/// A controller behind a pointer; every controller that is `Send` is one. An acknowledgement costs one virtual call.
pub trait DynController: Controller + Send {
    /// All decisions.
    fn decisions(&self) -> RegisteredDecisions;

    /// [`Controller::on_ack`], and the decisions after it.
    fn decide_on_ack(&mut self, ack: &Ack, decisions: &mut RegisteredDecisions);
}

impl<C: Controller + Send> DynController for C {
    fn decisions(&self) -> RegisteredDecisions {
        RegisteredDecisions::of(self)
    }

    fn decide_on_ack(&mut self, ack: &Ack, decisions: &mut RegisteredDecisions) {
        self.on_ack(ack);
        *decisions = RegisteredDecisions::of(self);
    }
}

/// A registered controller with its latest decisions.
pub struct Registered {
    controller: Box<dyn DynController>,
    decisions: RegisteredDecisions,
}

impl Registered {
    pub(crate) fn new(controller: Box<dyn DynController>) -> Box<Self> {
        let decisions = controller.decisions();
        Box::new(Self { controller, decisions })
    }

    #[inline(never)]
    fn ack(&mut self, ack: Ack) {
        self.controller.decide_on_ack(&ack, &mut self.decisions);
    }

    #[cold]
    #[inline(never)]
    fn after<T>(&mut self, event: impl FnOnce(&mut dyn DynController) -> T) -> T {
        let result = event(&mut *self.controller);
        self.decisions = self.controller.decisions();
        result
    }
}

impl fmt::Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registered").field("decisions", &self.decisions).finish_non_exhaustive()
    }
}

macro_rules! then_cache {
    ($self:ident, [$($reference:ident)?] $c:ident => $call:expr) => {{
        // a copy, so that built-in controllers can keep the event in registers
        $(let $reference = &{ *$reference };)?
        $self.after(move |$c| $call)
    }};
}

impl Controller for Registered {
    #[inline]
    fn on_sent(&mut self, sent: &Sent) -> Stamp {
        if !self.decisions.uses_sent {
            return Stamp { remembered: sent.in_flight as f32 };
        }
        let sent = *sent;
        self.after(move |c| c.on_sent(&sent))
    }
    // a copy, so that built-in controllers can keep the event in registers
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.ack(*ack);
    }

    forward_events!(then_cache);

    #[inline]
    fn window(&self) -> f64 {
        self.decisions.window
    }
    #[inline]
    fn flight_limit(&self, paced: bool) -> f64 {
        self.decisions.flight_limits[usize::from(paced)]
    }
    #[inline]
    fn pacing_interval(&self) -> Option<Time> {
        self.decisions.pacing_interval
    }
    fn slow_start_threshold(&self) -> Option<f64> {
        self.decisions.slow_start_threshold
    }
    fn base_rtt(&self) -> Option<Time> {
        self.decisions.base_rtt
    }
    fn ack_ratio(&self) -> Option<u32> {
        self.decisions.ack_ratio
    }
    fn retransmission_timeout(&self, min_rto: Time) -> Option<Time> {
        self.controller.retransmission_timeout(min_rto)
    }
    fn partial_ack(&self) -> PartialAck {
        self.decisions.partial_ack
    }
    fn failure(&self) -> Option<&str> {
        self.controller.failure()
    }
    fn ecn_response(&self) -> EcnResponse {
        self.controller.ecn_response()
    }
}
