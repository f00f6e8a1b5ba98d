//! The controller trait and its events.

use eddyline_units::Time;

/// What a controller is told about its path before the first packet.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PathFacts {
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Bytes of a full data packet on the wire.
    pub packet_bytes: u32,
    /// Bytes of an acknowledgement on the wire.
    pub ack_bytes: u32,
    /// Data packets per acknowledgement.
    pub ack_ratio: u32,
    /// Initial window in packets (RFC 6928, or as configured).
    pub initial_window: f64,
    /// Propagation and access delay of both sub-paths, for `base_rtt = "known"`.
    pub known_base_rtt: Option<Time>,
    /// Appropriate byte counting: the maximum growth per acknowledgement in slow start, in packets (the L of RFC 3465).
    pub byte_counting: Option<f64>,
    /// Packets are paced regardless of the controller.
    pub paced: bool,
}

/// A packet is about to be sent.
#[derive(Debug, Clone, Copy)]
pub struct Sent {
    /// When.
    pub now: Time,
    /// Packets in flight, this one included.
    pub in_flight: f64,
    /// The sender was limited by the window or by pacing, not by the application or the receiver.
    pub cwnd_limited: bool,
    /// The application had no more data just before this packet. Of a burst that it then writes only the first packet says so. A
    /// receive window or a full NIC queue is no want of data.
    pub app_limited: bool,
}

impl Sent {
    /// Nothing else is in flight.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.in_flight <= 1.5
    }

    /// An application that had nothing to send has data again, and nothing is in flight.
    #[must_use]
    pub fn restarts(&self) -> bool {
        self.app_limited && self.is_alone()
    }
}

/// Data that a controller attaches to a packet when it is sent and gets back with its acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stamp {
    /// A number of the controller's choice: the packets in flight (FAST), the number of a snapshot (delivery rates).
    pub remembered: f32,
}

/// An acknowledgement of new data arrived.
#[derive(Debug, Clone, Copy)]
pub struct Ack {
    /// When it arrived.
    pub now: Time,
    /// When the packet that caused it was sent; with timestamps, the packet that it echoes: behind a gap, one from before it (RFC 7323, 4.3).
    pub sent_at: Time,
    /// When that packet reached the receiver, by the receiver's clock: `received_at - sent_at` is the forward delay,
    /// `now - received_at` the reverse delay including the receiver's own delay, each up to the offset of the clocks. With timestamps
    /// the latter is too long behind a gap and where packets overtake each other: the packet that is echoed had arrived before.
    pub received_at: Time,
    /// The round-trip sample; none from a retransmitted packet (Karn).
    pub rtt: Option<Time>,
    /// Packets newly acknowledged, cumulatively or selectively.
    pub acked: f64,
    /// Packets that it reports lost. Over QUIC those that were found lost since the one before: the stack looks for losses after it.
    pub lost: f64,
    /// Packets in flight after this acknowledgement.
    pub in_flight: f64,
    /// Stamp of the packet that caused it, behind a gap too.
    pub stamp: Stamp,
    /// The sender was limited by the window or by pacing, not by the application or the receiver. False in TCP where only SACK
    /// acknowledges: windows do not grow on those (RFC 3042), until packets have been seen to overtake each other.
    pub cwnd_limited: bool,
    /// Loss recovery is under way.
    pub in_recovery: bool,
}

/// Loss was detected by duplicate acknowledgements or SACK; one event per loss episode.
#[derive(Debug, Clone, Copy)]
pub struct Loss {
    /// When it was detected.
    pub now: Time,
    /// Packets outstanding then (FlightSize of RFC 5681).
    pub flight_size: f64,
}

/// Accurate ECN feedback for the packets that an acknowledgement covers (RFC 9768).
#[derive(Debug, Clone, Copy)]
pub struct Marks {
    /// When it arrived.
    pub now: Time,
    /// When the packet that caused it was sent.
    pub sent_at: Time,
    /// Packets newly acknowledged, cumulatively or selectively.
    pub acked: f64,
    /// Packets that are newly reported as marked.
    pub marked: f64,
}

/// How a controller reacts to marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EcnResponse {
    /// As to a loss, once a round trip (RFC 3168): a mark and a loss in one round trip cause a single reduction.
    AsLoss,
    /// By the share of marked packets, and separately to losses; packets are ECT(0).
    ByShare,
    /// The same with ECT(1) packets, for low-latency queues (RFC 9331).
    LowLatency,
}

/// The retransmission timer expired.
#[derive(Debug, Clone, Copy)]
pub struct Timeout {
    /// When.
    pub now: Time,
    /// Packets outstanding then (FlightSize of RFC 5681).
    pub flight_size: f64,
    /// The timer has expired before, and no new data was acknowledged since.
    pub repeated: bool,
}

/// Reaction of a sender without SACK to an acknowledgement of part of the data outstanding when loss was detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartialAck {
    /// Leave recovery (Reno, RFC 5681).
    Leave,
    /// Retransmit the next hole and stay (NewReno, RFC 6582).
    Stay,
    /// The same, and holes at or beyond the recovery point begin the next recovery without a timeout (RFC 6582, 4): for algorithms
    /// whose window does not depend on losses, to which a timeout costs more than a recovery of one hole a round trip.
    Persist,
}

/// What a controller allows until the next event.
#[derive(Debug, Clone, Copy, Default)]
pub struct Decisions {
    /// [`Controller::window`].
    pub window: f64,
    /// [`Controller::flight_limit`], without and with pacing.
    pub flight_limits: [f64; 2],
    /// [`Controller::pacing_interval`].
    pub pacing_interval: Option<Time>,
    /// [`Controller::base_rtt`].
    pub base_rtt: Option<Time>,
}

impl Decisions {
    /// Those of `controller` now.
    #[inline(always)]
    #[must_use]
    pub fn of(controller: &impl Controller) -> Self {
        Self {
            window: controller.window(),
            flight_limits: [controller.flight_limit(false), controller.flight_limit(true)],
            pacing_interval: controller.pacing_interval(),
            base_rtt: controller.base_rtt(),
        }
    }
}

/// A congestion controller.
///
/// Windows are in packets. An implementation must keep [`window`](Self::window) finite and at least one. Decisions may change with
/// events only: the caller may keep them until the next event.
pub trait Controller {
    /// The handshake gave a first round-trip sample.
    fn on_handshake(&mut self, _now: Time, _rtt: Time) {}

    /// The application has given data to send after a pause: at a time of its own, or once its last object was acknowledged, after
    /// [`on_ack`](Self::on_ack). Called before [`on_idle`](Self::on_idle), if that applies. In a TCP sender only.
    fn on_data(&mut self, _now: Time) {}

    /// A data packet is sent; the stamp returned comes back with its acknowledgement.
    fn on_sent(&mut self, sent: &Sent) -> Stamp {
        Stamp { remembered: sent.in_flight as f32 }
    }

    /// New data was acknowledged.
    fn on_ack(&mut self, ack: &Ack);

    /// Without SACK: a duplicate acknowledgement, which means that one unknown packet was delivered. The same packet is part of `acked`
    /// when an acknowledgement covers it. It has no round-trip sample and no valid stamp. Only algorithms that measure the delivery
    /// rate use it.
    fn on_duplicate(&mut self, _ack: &Ack) {}

    /// Packets were found lost by something else than an acknowledgement of new data: by RACK's timer (RFC 8985, 6.3), after
    /// [`on_loss`](Self::on_loss) where an episode begins. No [`Ack::lost`] has them.
    fn on_lost(&mut self, _packets: f64) {}

    /// A loss episode begins.
    fn on_loss(&mut self, loss: &Loss);

    /// The loss episode is over: all data outstanding at its start is acknowledged.
    fn on_recovered(&mut self, _now: Time) {}

    /// The retransmission timer expired.
    fn on_timeout(&mut self, timeout: &Timeout);

    /// All data outstanding when the timer expired is acknowledged.
    fn on_timeout_recovered(&mut self) {}

    /// An ECN mark was echoed; at most once a round trip. By default the same as a loss (RFC 3168, 6.1.2).
    fn on_ecn(&mut self, mark: &Loss) {
        self.on_loss(mark);
    }

    /// Accurate ECN feedback, called before [`on_ecn`](Self::on_ecn) and [`on_ack`](Self::on_ack) for the same acknowledgement.
    /// [`on_ecn`](Self::on_ecn) follows if packets were marked, but only once a round trip if it reduced the window.
    fn on_marks(&mut self, _marks: &Marks) {}

    /// How this algorithm reacts to marks; constant over the connection.
    fn ecn_response(&self) -> EcnResponse {
        EcnResponse::AsLoss
    }

    /// The last timeout was spurious: the packets were late, not lost (RFC 5682). The packets in flight allow a window of `window`
    /// (RFC 4015, 3.2). By default ignored: the algorithm continues as after a genuine timeout.
    fn on_spurious_timeout(&mut self, _window: f64) {}

    /// Nothing was sent for longer than the retransmission timeout: the window may be at most `restart_window`
    /// (RFC 5681, 4.1). Also called with 1 where lost SYNs reduce the initial window to one segment (RFC 5681, 3.1; RFC 6928, 2).
    fn on_idle(&mut self, restart_window: f64);

    /// The congestion window.
    fn window(&self) -> f64;

    /// Maximum number of packets in flight, with or without pacing; the window unless the algorithm allows some slack for pacing. At least
    /// one packet may always be in flight, unless this is zero: then nothing more is sent.
    fn flight_limit(&self, _paced: bool) -> f64 {
        self.window()
    }

    /// Time between packets, if this algorithm paces.
    fn pacing_interval(&self) -> Option<Time> {
        None
    }

    /// The window at which slow start ends, for algorithms that have one.
    fn slow_start_threshold(&self) -> Option<f64> {
        None
    }

    /// The estimate of the round-trip time without queueing.
    fn base_rtt(&self) -> Option<Time> {
        None
    }

    /// Data packets that the receiver is to acknowledge together (RFC 5690, 4.2), for algorithms that set it.
    fn ack_ratio(&self) -> Option<u32> {
        None
    }

    /// The retransmission timeout before back-off, for algorithms with an estimator of their own; `min_rto` is the sender's minimum
    /// (RFC 6298, 2.4). None: the sender's estimator.
    fn retransmission_timeout(&self, _min_rto: Time) -> Option<Time> {
        None
    }

    /// Whether [`on_sent`](Self::on_sent) does anything but return the default stamp, or the stamp is read. Registered controllers are
    /// not called for every packet once it is false, built-in ones never.
    fn uses_sent(&self) -> bool {
        true
    }

    /// Whether [`on_sent`](Self::on_sent) may change decisions. Once false, it remains so.
    fn decides_on_sent(&self) -> bool {
        self.uses_sent()
    }

    /// Why this controller has failed, if it has; only controllers from files can. [`flight_limit`](Self::flight_limit) is zero from then on, so that nothing
    /// new is sent.
    fn failure(&self) -> Option<&str> {
        None
    }

    /// The window in recovery is the algorithm's own business, so that proportional rate reduction (RFC 9937) does not apply; constant
    /// over the connection.
    fn controls_recovery(&self) -> bool {
        false
    }

    /// Recovery without SACK; constant over the connection.
    fn partial_ack(&self) -> PartialAck {
        PartialAck::Stay
    }
}
