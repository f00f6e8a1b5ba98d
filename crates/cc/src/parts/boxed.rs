//! A controller with much state, kept apart: every flow has room for the largest kind.

use eddyline_units::Time;

use crate::controller::{Ack, Controller, EcnResponse, Loss, Marks, PartialAck, Sent, Stamp, Timeout};

/// A controller behind a pointer.
#[derive(Debug, Clone)]
pub struct Boxed<C>(pub(crate) Box<C>);

impl<C: Controller> Controller for Boxed<C> {
    fn on_handshake(&mut self, now: Time, rtt: Time) {
        self.0.on_handshake(now, rtt);
    }
    #[inline]
    fn on_sent(&mut self, sent: &Sent) -> Stamp {
        self.0.on_sent(sent)
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.0.on_ack(ack);
    }
    fn on_duplicate(&mut self, ack: &Ack) {
        self.0.on_duplicate(ack);
    }
    fn on_loss(&mut self, loss: &Loss) {
        self.0.on_loss(loss);
    }
    fn on_recovered(&mut self, now: Time) {
        self.0.on_recovered(now);
    }
    fn on_timeout(&mut self, timeout: &Timeout) {
        self.0.on_timeout(timeout);
    }
    fn on_timeout_recovered(&mut self) {
        self.0.on_timeout_recovered();
    }
    fn on_ecn(&mut self, mark: &Loss) {
        self.0.on_ecn(mark);
    }
    fn on_marks(&mut self, marks: &Marks) {
        self.0.on_marks(marks);
    }
    fn ecn_response(&self) -> EcnResponse {
        self.0.ecn_response()
    }
    fn on_spurious_timeout(&mut self, window: f64) {
        self.0.on_spurious_timeout(window);
    }
    fn on_idle(&mut self, restart_window: f64) {
        self.0.on_idle(restart_window);
    }
    #[inline]
    fn window(&self) -> f64 {
        self.0.window()
    }
    #[inline]
    fn flight_limit(&self, paced: bool) -> f64 {
        self.0.flight_limit(paced)
    }
    #[inline]
    fn pacing_interval(&self) -> Option<Time> {
        self.0.pacing_interval()
    }
    fn slow_start_threshold(&self) -> Option<f64> {
        self.0.slow_start_threshold()
    }
    fn base_rtt(&self) -> Option<Time> {
        self.0.base_rtt()
    }
    fn ack_ratio(&self) -> Option<u32> {
        self.0.ack_ratio()
    }
    fn retransmission_timeout(&self, least: Time) -> Option<Time> {
        self.0.retransmission_timeout(least)
    }
    fn partial_ack(&self) -> PartialAck {
        self.0.partial_ack()
    }
}
