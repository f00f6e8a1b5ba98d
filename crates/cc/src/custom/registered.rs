//! A registered controller next to the built-in ones. It is behind a pointer to a trait, and costs the built-in ones nothing.

use std::fmt;

use crate::controller::{Ack, Controller, Decisions, Sent, Stamp};
use crate::forward::{forward_decisions, forward_events};

/// A controller behind a pointer; every controller that is `Send` is one. An acknowledgement costs one virtual call.
pub trait DynController: Controller + Send {
    /// [`Controller::on_ack`], and the decisions after it.
    fn decide_on_ack(&mut self, ack: &Ack, decisions: &mut Decisions);

    /// All decisions.
    fn decisions(&self) -> Decisions;
}

impl<C: Controller + Send> DynController for C {
    fn decide_on_ack(&mut self, ack: &Ack, decisions: &mut Decisions) {
        self.on_ack(ack);
        *decisions = Decisions::of(self);
    }

    fn decisions(&self) -> Decisions {
        Decisions::of(self)
    }
}

/// A registered controller.
pub struct Registered {
    controller: Box<dyn DynController>,
    /// It had something to do for packets so far.
    uses_sent: bool,
}

impl Registered {
    pub(crate) fn new(controller: Box<dyn DynController>) -> Box<Self> {
        let uses_sent = controller.uses_sent();
        Box::new(Self { controller, uses_sent })
    }

    /// [`Controller::on_ack`], and the decisions after it.
    #[inline(never)]
    pub(crate) fn decide_on_ack(&mut self, ack: Ack, decisions: &mut Decisions) {
        self.controller.decide_on_ack(&ack, decisions);
    }

    /// All decisions.
    pub(crate) fn decisions(&self) -> Decisions {
        self.controller.decisions()
    }

    #[inline(never)]
    fn sent(&mut self, sent: Sent) -> Stamp {
        let stamp = self.controller.on_sent(&sent);
        self.uses_sent = self.controller.uses_sent();
        stamp
    }

    #[cold]
    #[inline(never)]
    fn event<T>(&mut self, event: impl FnOnce(&mut dyn DynController) -> T) -> T {
        event(&mut *self.controller)
    }
}

impl fmt::Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registered").field("decisions", &self.decisions()).finish_non_exhaustive()
    }
}

macro_rules! to_inner {
    ($self:ident, [$($reference:ident)?] $c:ident => $call:expr) => {{
        // a copy, so that built-in controllers can keep the event in registers
        $(let $reference = &{ *$reference };)?
        $self.event(move |$c| $call)
    }};
}

macro_rules! of_inner {
    ($self:ident, [] $c:ident => $call:expr) => {{
        let $c = &*$self.controller;
        $call
    }};
}

impl Controller for Registered {
    #[inline]
    fn on_sent(&mut self, sent: &Sent) -> Stamp {
        if self.uses_sent { self.sent(*sent) } else { Stamp { remembered: sent.in_flight as f32 } }
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        // a copy, as above
        let ack = *ack;
        self.event(move |c| c.on_ack(&ack));
    }
    // the default stamp is for the inner controller too
    fn uses_sent(&self) -> bool {
        true
    }
    fn decides_on_sent(&self) -> bool {
        self.uses_sent && self.controller.decides_on_sent()
    }

    forward_events!(to_inner);
    forward_decisions!(of_inner);
}
