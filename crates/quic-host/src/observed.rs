//! A controller under observation: what the stack tells it is counted on the way, because the stack itself does not say.

use std::any::Any;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use eddyline_cc::{Controller as _, EcnResponse};
use eddyline_quic_cc::noq::NoqController;
use eddyline_units::Time;
use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

use crate::kinds::Factory;

/// Bytes of a datagram that are no data: short header with connection ID, header of a STREAM frame, tag.
const OVERHEAD: usize = 35;

/// What one side of a connection tells its controller. Only the side's own thread writes.
#[derive(Debug, Default)]
pub struct Observations {
    in_flight: AtomicU64,
    acked: AtomicU64,
    window: AtomicU64,
    /// The controller's own window in packets, and base round-trip time in picoseconds, if it is one of ours.
    packets: AtomicU64,
    base_ps: AtomicU64,
    /// Slow-start threshold in bytes, if it has one; infinite before the first loss.
    threshold: AtomicU64,
    recovering: AtomicBool,
    /// The window is full; the controller learns it with its next event.
    full: AtomicBool,
    /// The pacer has held data back; the controller learns it with its next event.
    paced: AtomicBool,
    /// These and what is in flight fill the window.
    filling: AtomicBool,
    /// Bytes that the application has handed over and that wait to be sent, or sent again: an estimate, from the sizes of datagrams.
    unsent: AtomicU64,
    /// Where it has more than the stack took, bytes of data that flow control lets be in flight; else zero.
    more: AtomicU64,
    pacing: AtomicU64,
    sample_ns: AtomicU64,
    samples: AtomicU64,
    /// Those of them that the handshake gave.
    handshake_samples: AtomicU64,
    smoothed_ns: AtomicU64,
    lost_packets: AtomicU64,
    persistent: AtomicU64,
    low_latency: AtomicBool,
    failure: OnceLock<String>,
}

fn add(to: &AtomicU64, n: u64) {
    to.store(to.load(Relaxed).wrapping_add(n), Relaxed);
}

impl Observations {
    /// Whether the controller, once it is made, is one of L4S (RFC 9331), whose packets are ECT(1).
    pub fn is_low_latency(&self) -> bool {
        self.low_latency.load(Relaxed)
    }

    /// Bytes in flight.
    pub fn in_flight(&self) -> u64 {
        self.in_flight.load(Relaxed)
    }

    /// Bytes of all packets acknowledged so far.
    pub fn acked(&self) -> u64 {
        self.acked.load(Relaxed)
    }

    /// The congestion window in bytes, as the stack has it.
    pub fn window(&self) -> u64 {
        self.window.load(Relaxed)
    }

    /// Whether the window has no room for another datagram of so many bytes, although there is data: the stack, asked for one, would
    /// say so to the controller and do nothing else. It need not be asked then.
    pub fn holds_back(&self, datagram: u16) -> bool {
        let full = self.in_flight() + u64::from(datagram) > self.window();
        if full {
            self.full.store(true, Relaxed);
        }
        full
    }

    /// The pacer has held data back. A window that they and what is in flight do not fill is not what limits the sender (RFC 9002, 7.8),
    /// unless the controller's rate takes longer than half as long again as a round trip for a window: then it is the rate.
    pub fn note_paced(&self, datagram: u16) {
        let payload = f64::from(datagram) - OVERHEAD as f64;
        let offered = match self.more.load(Relaxed) {
            0 => self.in_flight() + self.unsent.load(Relaxed),
            data => (data as f64 * f64::from(datagram) / payload) as u64,
        };
        let by_rate = || {
            let (rate, rtt) = self.pacing_rate().zip(self.smoothed())?;
            Some(self.window() as f64 / rate as f64 > 1.5 * rtt.as_secs_f64())
        };
        let fills = offered.saturating_add(datagram.into()) > self.window();
        self.filling.store(fills || by_rate().unwrap_or(false), Relaxed);
        self.paced.store(true, Relaxed);
    }

    /// If the application has more than the stack took, bytes of data that flow control lets be in flight.
    pub fn note_more(&self, allowed: Option<u64>) {
        self.more.store(allowed.unwrap_or(0), Relaxed);
    }

    /// The application has handed over so many bytes.
    pub fn note_written(&self, bytes: u64) {
        add(&self.unsent, bytes);
    }

    /// The application has handed over all that the stack takes: so many bytes wait or are in flight.
    pub fn note_unacknowledged(&self, bytes: u64) {
        self.unsent.store(bytes.saturating_sub(self.in_flight()), Relaxed);
    }

    /// A datagram with data is sent.
    pub fn note_sent(&self, datagram: usize) {
        let unsent = self.unsent.load(Relaxed);
        self.unsent.store(unsent.saturating_sub(datagram.saturating_sub(OVERHEAD) as u64), Relaxed);
    }

    /// The congestion window in packets of `datagram` bytes.
    pub fn window_packets(&self, datagram: f64) -> f64 {
        let own = f64::from_bits(self.packets.load(Relaxed));
        if own > 0.0 { own } else { self.window() as f64 / datagram }
    }

    /// Why the controller has failed, if it has.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// The controller's estimate of the round-trip time without queueing.
    pub fn base_rtt(&self) -> Option<Time> {
        Some(self.base_ps.load(Relaxed)).filter(|ps| *ps > 0).map(Time::from_ps)
    }

    /// The window in packets of `datagram` bytes at which slow start ends, if the controller has one.
    pub fn slow_start_threshold(&self, datagram: f64) -> Option<f64> {
        Some(f64::from_bits(self.threshold.load(Relaxed))).filter(|bytes| *bytes > 0.0).map(|bytes| bytes / datagram)
    }

    /// Whether losses are being repaired; known of our controllers only.
    pub fn in_recovery(&self) -> bool {
        self.recovering.load(Relaxed)
    }

    /// The controller's pacing rate in bytes a second, if it has one.
    pub fn pacing_rate(&self) -> Option<u64> {
        Some(self.pacing.load(Relaxed)).filter(|rate| *rate > 0)
    }

    /// The last round-trip sample and the number of samples so far.
    pub fn sample(&self) -> (Duration, u64) {
        (Duration::from_nanos(self.sample_ns.load(Relaxed)), self.samples.load(Relaxed))
    }

    /// The last round-trip sample since the handshake, if there is one.
    pub fn data_sample(&self) -> Option<Duration> {
        let (sample, samples) = self.sample();
        (samples > self.handshake_samples.load(Relaxed)).then_some(sample)
    }

    /// The connection is established: no packet of data was sent before.
    pub(crate) fn note_established(&self) {
        self.handshake_samples.store(self.samples.load(Relaxed), Relaxed);
    }

    /// The smoothed round-trip time (RFC 9002, 5.3); none before the first sample.
    pub fn smoothed(&self) -> Option<Duration> {
        Some(self.smoothed_ns.load(Relaxed)).filter(|ns| *ns > 0).map(Duration::from_nanos)
    }

    /// The stack's smoothed round-trip time after an event. Controllers are shown that of before it, and before the first sample the
    /// stack's initial guess.
    pub(crate) fn note_smoothed(&self, rtt: Duration) {
        if self.samples.load(Relaxed) > 0 {
            self.smoothed_ns.store(rtt.as_nanos() as u64, Relaxed);
        }
    }

    /// Packets declared lost.
    pub fn lost_packets(&self) -> u64 {
        self.lost_packets.load(Relaxed)
    }

    /// Episodes of persistent congestion (RFC 9002, 7.6).
    pub fn persistent_congestion(&self) -> u64 {
        self.persistent.load(Relaxed)
    }
}

/// Makes controllers under observation.
pub struct ObservedFactory {
    inner: Factory,
    observations: Arc<Observations>,
}

impl ObservedFactory {
    pub fn new(inner: Factory, observations: Arc<Observations>) -> Arc<Self> {
        Arc::new(Self { inner, observations })
    }
}

impl ControllerFactory for ObservedFactory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let mut inner = Inner::new(|| Arc::clone(&self.inner).build(now, current_mtu));
        if let Inner::Own(own) = &mut inner {
            let low_latency = own.bridge().controller().ecn_response() == EcnResponse::LowLatency;
            self.observations.low_latency.store(low_latency, Relaxed);
        }
        let mut observed = Observed { inner, seen: Arc::clone(&self.observations), batch: None };
        observed.note_decisions();
        Box::new(observed)
    }
}

/// One of our controllers, which tells more, or one of the stack's.
#[derive(Debug)]
enum Inner {
    Own(Box<NoqController>),
    Stack(Box<dyn Controller>),
}

impl Inner {
    fn new(make: impl Fn() -> Box<dyn Controller>) -> Self {
        // looking into a controller uses it up, so one of the stack's is made again
        make().into_any().downcast().map_or_else(|_| Self::Stack(make()), Self::Own)
    }
}

impl Deref for Inner {
    type Target = dyn Controller;
    fn deref(&self) -> &Self::Target {
        match self {
            Self::Own(own) => &**own,
            Self::Stack(stack) => &**stack,
        }
    }
}

impl DerefMut for Inner {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Own(own) => &mut **own,
            Self::Stack(stack) => &mut **stack,
        }
    }
}

#[derive(Debug)]
struct Observed {
    inner: Inner,
    seen: Arc<Observations>,
    /// Number and round-trip time of the newest packet in the current batch of acknowledgements.
    batch: Option<(u64, Duration)>,
}

impl Observed {
    /// The controller, told first that the window was full, or that the pacer held data back, if so.
    fn current(&mut self) -> &mut Inner {
        if self.seen.full.load(Relaxed) {
            self.seen.full.store(false, Relaxed);
            self.inner.on_cwnd_limited();
        }
        if self.seen.paced.load(Relaxed) {
            self.seen.paced.store(false, Relaxed);
            if let Inner::Own(own) = &mut self.inner {
                own.on_paced(self.seen.filling.load(Relaxed));
            }
        }
        &mut self.inner
    }

    fn note_decisions(&mut self) {
        let metrics = self.inner.metrics();
        let mut threshold =
            metrics.ssthresh.map_or(0.0, |bytes| if bytes == u64::MAX { f64::INFINITY } else { bytes as f64 });
        if let Inner::Own(own) = &mut self.inner {
            let bridge = own.bridge();
            self.seen.recovering.store(bridge.in_recovery(), Relaxed);
            let controller = bridge.controller();
            if controller.slow_start_threshold().is_some_and(f64::is_infinite) {
                threshold = f64::INFINITY;
            }
            self.seen.packets.store(controller.window().to_bits(), Relaxed);
            if let Some(failure) = controller.failure() {
                self.seen.failure.get_or_init(|| failure.to_owned());
            }
            self.seen.base_ps.store(controller.base_rtt().map_or(0, Time::as_ps), Relaxed);
        }
        self.seen.threshold.store(threshold.to_bits(), Relaxed);
        self.seen.window.store(self.inner.window(), Relaxed);
        self.seen.pacing.store(metrics.pacing_rate.unwrap_or(0), Relaxed);
    }
}

impl Controller for Observed {
    fn on_sent(&mut self, now: Instant, bytes: u64, largest_pn: u64) {
        self.current().on_sent(now, bytes, largest_pn);
    }

    fn on_packet_sent(&mut self, now: Instant, bytes: u16, pn: u64) {
        add(&self.seen.in_flight, bytes.into());
        self.current().on_packet_sent(now, bytes, pn);
    }

    fn on_cwnd_limited(&mut self) {
        self.inner.on_cwnd_limited();
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, pn: u64, app_limited: bool, rtt: &RttEstimator) {
        add(&self.seen.acked, bytes);
        if self.batch.is_none_or(|(newest, _)| newest < pn) {
            self.batch = Some((pn, now.saturating_duration_since(sent)));
        }
        self.current().on_ack(now, sent, bytes, pn, app_limited, rtt);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest_packet_num_acked: Option<u64>) {
        self.seen.in_flight.store(in_flight, Relaxed);
        if app_limited {
            self.seen.unsent.store(0, Relaxed);
        }
        // RFC 9002, 5.1: a sample only if the largest acknowledged packet is newly acknowledged
        if let Some((_, rtt)) = self.batch.take().filter(|(pn, _)| largest_packet_num_acked == Some(*pn)) {
            self.seen.sample_ns.store(rtt.as_nanos() as u64, Relaxed);
            add(&self.seen.samples, 1);
        }
        self.current().on_end_acks(now, in_flight, app_limited, largest_packet_num_acked);
        // flow control holds data back, which the stack calls limited by the application: the window is not used, but there are data
        if app_limited
            && self.seen.more.load(Relaxed) > 0
            && let Inner::Own(own) = &mut self.inner
        {
            own.on_paced(false);
        }
        self.note_decisions();
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        is_ecn: bool,
        lost_bytes: u64,
        largest_lost_pn: u64,
    ) {
        let in_flight = self.seen.in_flight();
        self.seen.in_flight.store(in_flight.saturating_sub(lost_bytes), Relaxed);
        add(&self.seen.persistent, u64::from(is_persistent_congestion));
        self.current().on_congestion_event(now, sent, is_persistent_congestion, is_ecn, lost_bytes, largest_lost_pn);
        self.note_decisions();
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, pn: u64, now: Instant) {
        // packets of acknowledgements only have no bytes in flight, and nothing of them is sent again (RFC 9002, section 2)
        add(&self.seen.lost_packets, u64::from(lost_bytes > 0));
        add(&self.seen.unsent, u64::from(lost_bytes).saturating_sub(OVERHEAD as u64));
        self.current().on_packet_lost(lost_bytes, pn, now);
    }

    fn on_spurious_congestion_event(&mut self) {
        self.current().on_spurious_congestion_event();
        self.note_decisions();
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.current().on_mtu_update(new_mtu);
        self.note_decisions();
    }

    fn on_ack_frequency_update(&mut self, ack_eliciting_threshold: u64, requested_max_ack_delay: Duration) {
        self.current().on_ack_frequency_update(ack_eliciting_threshold, requested_max_ack_delay);
    }

    fn window(&self) -> u64 {
        self.inner.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        self.inner.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self { inner: Inner::new(|| self.inner.clone_box()), seen: Arc::clone(&self.seen), batch: self.batch })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
