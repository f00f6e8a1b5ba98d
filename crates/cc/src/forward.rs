//! Implementations of [`Controller`](crate::Controller)'s methods for types that forward them to an inner controller.
//!
//! The macros take the name of a macro that makes the call: `inner!(self, [ack] c => c.on_ack(ack))` evaluates the call
//! with `c` bound to the controller inside. The list in brackets names the arguments that are references.

/// The event handlers that are called for every packet, and whether they need to be.
macro_rules! forward_packet_events {
    ($inner:ident) => {
        // these are called most often: a function call would have to write the event to memory first
        #[inline(always)]
        fn on_sent(&mut self, sent: &$crate::controller::Sent) -> $crate::controller::Stamp {
            $inner!(self, [sent] c => c.on_sent(&{ *sent }))
        }
        #[inline(always)]
        fn on_ack(&mut self, ack: &$crate::controller::Ack) {
            $inner!(self, [ack] c => c.on_ack(ack))
        }
        fn uses_sent(&self) -> bool {
            $inner!(self, [] c => c.uses_sent())
        }
        fn decides_on_sent(&self) -> bool {
            $inner!(self, [] c => c.decides_on_sent())
        }
    };
}

/// The other event handlers.
macro_rules! forward_events {
    ($inner:ident) => {
        #[inline]
        fn on_handshake(&mut self, now: eddyline_units::Time, rtt: eddyline_units::Time) {
            $inner!(self, [] c => c.on_handshake(now, rtt))
        }
        fn on_data(&mut self, now: eddyline_units::Time) {
            $inner!(self, [] c => c.on_data(now))
        }
        #[inline]
        fn on_duplicate(&mut self, ack: &$crate::controller::Ack) {
            $inner!(self, [ack] c => c.on_duplicate(ack))
        }
        fn on_lost(&mut self, packets: f64) {
            $inner!(self, [] c => c.on_lost(packets))
        }
        #[inline]
        fn on_loss(&mut self, loss: &$crate::controller::Loss) {
            $inner!(self, [loss] c => c.on_loss(loss))
        }
        #[inline]
        fn on_recovered(&mut self, now: eddyline_units::Time) {
            $inner!(self, [] c => c.on_recovered(now))
        }
        #[inline]
        fn on_timeout(&mut self, timeout: &$crate::controller::Timeout) {
            $inner!(self, [timeout] c => c.on_timeout(timeout))
        }
        #[inline]
        fn on_timeout_recovered(&mut self) {
            $inner!(self, [] c => c.on_timeout_recovered())
        }
        #[inline]
        fn on_ecn(&mut self, mark: &$crate::controller::Loss) {
            $inner!(self, [mark] c => c.on_ecn(mark))
        }
        fn on_marks(&mut self, marks: &$crate::controller::Marks) {
            $inner!(self, [marks] c => c.on_marks(marks))
        }
        #[inline]
        fn on_spurious_timeout(&mut self, window: f64) {
            $inner!(self, [] c => c.on_spurious_timeout(window))
        }
        #[inline]
        fn on_idle(&mut self, restart_window: f64) {
            $inner!(self, [] c => c.on_idle(restart_window))
        }
    };
}

/// The decisions.
macro_rules! forward_decisions {
    ($inner:ident) => {
        #[inline]
        fn window(&self) -> f64 {
            $inner!(self, [] c => c.window())
        }
        #[inline]
        fn flight_limit(&self, paced: bool) -> f64 {
            $inner!(self, [] c => c.flight_limit(paced))
        }
        #[inline]
        fn pacing_interval(&self) -> Option<eddyline_units::Time> {
            $inner!(self, [] c => c.pacing_interval())
        }
        #[inline]
        fn slow_start_threshold(&self) -> Option<f64> {
            $inner!(self, [] c => c.slow_start_threshold())
        }
        #[inline]
        fn base_rtt(&self) -> Option<eddyline_units::Time> {
            $inner!(self, [] c => c.base_rtt())
        }
        #[inline]
        fn ack_ratio(&self) -> Option<u32> {
            $inner!(self, [] c => c.ack_ratio())
        }
        #[inline]
        fn retransmission_timeout(&self, min_rto: eddyline_units::Time) -> Option<eddyline_units::Time> {
            $inner!(self, [] c => c.retransmission_timeout(min_rto))
        }
        fn controls_recovery(&self) -> bool {
            $inner!(self, [] c => c.controls_recovery())
        }
        #[inline]
        fn partial_ack(&self) -> $crate::controller::PartialAck {
            $inner!(self, [] c => c.partial_ack())
        }
        fn ecn_response(&self) -> $crate::controller::EcnResponse {
            $inner!(self, [] c => c.ecn_response())
        }
        fn failure(&self) -> Option<&str> {
            $inner!(self, [] c => c.failure())
        }
    };
}

pub(crate) use {forward_decisions, forward_events, forward_packet_events};
