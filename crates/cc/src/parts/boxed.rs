//! A controller with much state, behind a pointer: every flow has room for the largest kind.

use crate::controller::Controller;
use crate::forward::{forward_decisions, forward_events, forward_packet_events};

/// A controller behind a pointer.
#[derive(Debug, Clone)]
pub struct Boxed<C>(pub(crate) Box<C>);

macro_rules! in_box {
    ($self:ident, [$($reference:ident)?] $c:ident => $call:expr) => {{
        let Self($c) = $self;
        $call
    }};
}

impl<C: Controller> Controller for Boxed<C> {
    forward_packet_events!(in_box);
    forward_events!(in_box);
    forward_decisions!(in_box);
}
