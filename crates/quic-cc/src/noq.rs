//! Controllers for [noq](https://docs.rs/noq) (feature `noq`).
//!
//! ```
//! use std::sync::Arc;
//!
//! let mut transport = noq_proto::TransportConfig::default();
//! transport.congestion_controller_factory(Arc::new(eddyline_quic_cc::noq::factory("fast(alpha = 20)")?));
//! # Ok::<(), eddyline_quic_cc::Error>(())
//! ```
//!
//! noq's pacer obeys the controller's pacing rate; for controllers that do not pace it sends 1.25 windows per smoothed round-trip time.
//! The crate's front page lists what noq's trait does not say.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

use crate::adapter::Adapter;
use crate::bridge::{Bridge, LostPackets};
use crate::config::{Config, Error};

/// Makes a controller for each path.
#[derive(Debug, Clone)]
pub struct Factory {
    config: Config,
}

/// Controllers of a kind, `kind` or `kind(parameter = value, ...)`.
///
/// # Errors
/// The text is wrong, or noq cannot do what it asks for.
pub fn factory(text: &str) -> Result<Factory, Error> {
    Factory::new(text.parse::<Config>()?)
}

impl Factory {
    /// Controllers of this configuration.
    ///
    /// # Errors
    /// noq cannot do what it asks for.
    pub fn new(config: impl Into<Config>) -> Result<Self, Error> {
        let config = config.into();
        config.check("noq")?;
        Ok(Self { config })
    }
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(NoqController(Adapter::new(&self.config, now, current_mtu)))
    }
}

/// A controller behind noq's trait.
#[derive(Debug, Clone)]
pub struct NoqController(Adapter);

impl NoqController {
    /// The controller within.
    pub fn bridge(&mut self) -> &Bridge {
        self.0.bridge()
    }

    /// The same, from a copy such as `connection.congestion_state(path)` gives by `clone_box` and `into_any`.
    #[must_use]
    pub fn into_bridge(self) -> Bridge {
        self.0.into_bridge()
    }

    /// The stack's pacer, or flow control, held data back, which noq's trait does not say; the next packets are not limited by the application.
    /// `fills_window` says whether these, with what is in flight, would have filled the window. Without this call they are taken to.
    pub fn on_paced(&mut self, fills_window: bool) {
        self.0.notify(|b| b.on_paced(fills_window));
    }
}

impl Controller for NoqController {
    fn on_sent(&mut self, _now: Instant, _bytes: u64, _largest_pn: u64) {
        self.0.notify(Bridge::on_datagram_sent);
    }

    fn on_packet_sent(&mut self, now: Instant, bytes: u16, pn: u64) {
        self.0.notify_and_update(|b| b.on_packet_sent(now, bytes.into(), Some(pn)));
    }

    fn on_cwnd_limited(&mut self) {
        self.0.notify(Bridge::on_cwnd_limited);
    }

    fn on_ack(&mut self, _now: Instant, sent: Instant, bytes: u64, pn: u64, _app_limited: bool, _rtt: &RttEstimator) {
        self.0.notify(|b| b.on_packet_acked(sent, bytes, Some(pn)));
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, _largest: Option<u64>) {
        self.0.notify_and_update(|b| b.on_acks_end(now, in_flight, app_limited));
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        is_ecn: bool,
        lost_bytes: u64,
        _largest_lost_pn: u64,
    ) {
        if is_ecn {
            return self.0.notify_and_update(|b| b.on_ecn(now, sent, None));
        }
        let lost = LostPackets { now, newest_sent: sent, bytes: lost_bytes, persistent: is_persistent_congestion };
        self.0.notify_and_update(|b| b.on_lost(&lost));
    }

    fn on_spurious_congestion_event(&mut self) {
        self.0.notify_and_update(Bridge::on_spurious_loss);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.0.notify_and_update(|b| b.on_mtu_update(new_mtu));
    }

    fn window(&self) -> u64 {
        self.0.decisions().window
    }

    fn metrics(&self) -> ControllerMetrics {
        let decisions = self.0.decisions();
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = decisions.window;
        metrics.ssthresh = decisions.slow_start_threshold;
        metrics.pacing_rate = decisions.pacing_rate;
        metrics.send_quantum = decisions.send_quantum;
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.0.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
