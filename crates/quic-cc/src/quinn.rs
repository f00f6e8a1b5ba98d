//! Controllers for [quinn](https://docs.rs/quinn) (feature `quinn`).
//!
//! ```
//! use std::sync::Arc;
//!
//! let mut transport = quinn_proto::TransportConfig::default();
//! transport.congestion_controller_factory(Arc::new(eddyline_quic_cc::quinn::factory("fast(alpha = 20)")?));
//! # Ok::<(), eddyline_quic_cc::Error>(())
//! ```
//!
//! quinn's pacer ignores the controller's pacing rate: it sends 1.25 windows per smoothed round-trip time. Controllers that live by their
//! rate (BBR) hold more packets in flight than they mean to; the crate's front page lists this and what quinn's trait does not say.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

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
/// The text is wrong, or quinn cannot do what it asks for.
pub fn factory(text: &str) -> Result<Factory, Error> {
    Factory::new(text.parse::<Config>()?)
}

impl Factory {
    /// Controllers of this configuration.
    ///
    /// # Errors
    /// quinn cannot do what it asks for.
    pub fn new(config: impl Into<Config>) -> Result<Self, Error> {
        let config = config.into();
        config.check("quinn")?;
        Ok(Self { config })
    }
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(QuinnController { adapter: Adapter::new(&self.config, now, current_mtu), mtu: current_mtu.max(1) })
    }
}

/// A controller behind quinn's trait.
#[derive(Debug, Clone)]
pub struct QuinnController {
    adapter: Adapter,
    mtu: u16,
}

impl QuinnController {
    /// The controller within.
    pub fn bridge(&mut self) -> &Bridge {
        self.adapter.bridge()
    }

    /// The same, from a copy such as `connection.congestion_state()` gives by `clone_box` and `into_any`.
    #[must_use]
    pub fn into_bridge(self) -> Bridge {
        self.adapter.into_bridge()
    }
}

impl Controller for QuinnController {
    fn on_sent(&mut self, now: Instant, bytes: u64, _last_packet_number: u64) {
        // quinn reports a batch of datagrams at once: all are full but the last
        let mtu = u64::from(self.mtu);
        self.adapter.notify_and_update(|b| {
            let mut left = bytes;
            while left > 0 {
                let packet = left.min(mtu);
                b.on_packet_sent(now, packet, None);
                left -= packet;
            }
            b.on_datagram_sent();
        });
    }

    fn on_ack(&mut self, _now: Instant, sent: Instant, bytes: u64, _app_limited: bool, _rtt: &RttEstimator) {
        self.adapter.notify(|b| b.on_packet_acked(sent, bytes, None));
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, _largest: Option<u64>) {
        self.adapter.notify_and_update(|b| b.on_acks_end(now, in_flight, app_limited));
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent_congestion: bool, lost_bytes: u64) {
        // no bytes are lost by a mark
        if lost_bytes == 0 {
            return self.adapter.notify_and_update(|b| b.on_ecn(now, sent, None));
        }
        let lost = LostPackets { now, newest_sent: sent, bytes: lost_bytes, persistent: is_persistent_congestion };
        self.adapter.notify_and_update(|b| b.on_lost(&lost));
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.mtu = new_mtu.max(1);
        self.adapter.notify_and_update(|b| b.on_mtu_update(new_mtu));
    }

    fn window(&self) -> u64 {
        // quinn stops one byte below the window, RFC 9002 (7) at it
        self.adapter.decisions().window.saturating_add(1)
    }

    fn metrics(&self) -> ControllerMetrics {
        let decisions = self.adapter.decisions();
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = decisions.window;
        metrics.ssthresh = decisions.slow_start_threshold;
        // in bits a second here
        metrics.pacing_rate = decisions.pacing_rate.map(|bytes| bytes.saturating_mul(8));
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.adapter.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
