//! The trait, and the events it hears.

use eddyline_units::Time;

/// What a controller may know of its path before the first packet.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PathFacts {
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Bytes of a full data packet on the wire.
    pub packet_bytes: u32,
    /// Bytes of an acknowledgement on the wire.
    pub ack_bytes: u32,
    /// Data packets that one acknowledgement stands for.
    pub ack_ratio: u32,
    /// Initial window in packets (RFC 6928, or as configured).
    pub initial_window: f64,
    /// Propagation and access delay of both sub-paths, where the experiment gives it away (`base_rtt = "known"`).
    pub known_base_rtt: Option<Time>,
    /// Growth by what is acknowledged, in slow start at most so many packets per acknowledgement (the L of RFC 3465).
    pub byte_counting: Option<f64>,
    /// Packets are paced whatever the controller wants.
    pub paced: bool,
}

/// A packet is about to leave.
#[derive(Debug, Clone, Copy)]
pub struct Sent {
    /// When.
    pub now: Time,
    /// Packets in flight, this one included.
    pub in_flight: f64,
    /// Window or pacing, not the application or the receiver, held the sender back before.
    pub cwnd_limited: bool,
}

/// What rides on a packet from its sending to its acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stamp {
    /// One number, whatever the controller wants to remember of that moment: the packets in flight (FAST), a snapshot's number
    /// (delivery rates), or what a controller of one's own returns.
    pub remembered: f32,
}

/// An acknowledgement of new data arrived.
#[derive(Debug, Clone, Copy)]
pub struct Ack {
    /// When it arrived.
    pub now: Time,
    /// When the packet that caused it was sent.
    pub sent_at: Time,
    /// When that packet reached the receiver, by the receiver's clock: `received_at - sent_at` is the forward delay,
    /// `now - received_at` the reverse one, the receiver's own delay included, both but for what the clocks differ by.
    pub received_at: Time,
    /// The round-trip sample; none from a retransmitted packet (Karn).
    pub rtt: Option<Time>,
    /// Packets newly acknowledged, cumulatively or selectively.
    pub acked: f64,
    /// Packets that were found lost by it.
    pub lost: f64,
    /// Packets in flight after this acknowledgement.
    pub in_flight: f64,
    /// What rode on the packet that caused it.
    pub stamp: Stamp,
    /// The window, not the application or the receiver, held the sender back.
    pub cwnd_limited: bool,
    /// Loss recovery is under way.
    pub in_recovery: bool,
}

/// Loss was detected by duplicate acknowledgements or SACK: once an episode.
#[derive(Debug, Clone, Copy)]
pub struct Loss {
    /// When it was detected.
    pub now: Time,
    /// Packets outstanding then (FlightSize of RFC 5681).
    pub flight_size: f64,
}

/// What accurate ECN says of the packets that an acknowledgement covers (RFC 9768).
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

/// What a controller makes of marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EcnResponse {
    /// The same as of a loss, once a round trip (RFC 3168): a mark and a loss of one round trip are one reason.
    AsLoss,
    /// It goes by the share that is marked, and by losses apart from that; packets are ECT(0).
    ByShare,
    /// The same with packets that are ECT(1), for queues of low latency (RFC 9331).
    LowLatency,
}

/// The retransmission timer expired.
#[derive(Debug, Clone, Copy)]
pub struct Timeout {
    /// When.
    pub now: Time,
    /// Packets outstanding then (FlightSize of RFC 5681).
    pub flight_size: f64,
    /// The timer had expired before without new data acknowledged in between.
    pub repeated: bool,
}

/// What a sender without SACK does with an acknowledgement of a part of what was outstanding when loss was detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartialAck {
    /// Leave recovery (Reno, RFC 5681).
    Leave,
    /// Retransmit the next hole and stay (NewReno, RFC 6582).
    Stay,
    /// The same, and holes at and beyond the recovery point begin the next recovery without the timer (RFC 6582, 4): for algorithms whose
    /// window does not follow losses, which have more to lose by a timeout than by one hole a round trip.
    Persist,
}

/// A congestion controller.
///
/// Windows are in packets. An implementation must keep [`window`](Self::window) finite and at least one. What it answers may
/// change with events only: an answer holds until the next one.
pub trait Controller {
    /// The handshake gave a first round-trip sample.
    fn on_handshake(&mut self, _now: Time, _rtt: Time) {}

    /// A data packet leaves; what is returned comes back with its acknowledgement.
    fn on_sent(&mut self, sent: &Sent) -> Stamp {
        Stamp { remembered: sent.in_flight as f32 }
    }

    /// New data was acknowledged.
    fn on_ack(&mut self, ack: &Ack);

    /// Without SACK: a duplicate acknowledgement, which stands for one packet that was delivered, nobody knows which. The same
    /// packet is part of `acked` when an acknowledgement covers it. It has no round-trip sample, and what rode on packets says
    /// nothing. Only algorithms that measure the rate of delivery need to hear of it.
    fn on_duplicate(&mut self, _ack: &Ack) {}

    /// A loss episode begins.
    fn on_loss(&mut self, loss: &Loss);

    /// The loss episode is over: all that was outstanding at its start is acknowledged.
    fn on_recovered(&mut self, _now: Time) {}

    /// The retransmission timer expired.
    fn on_timeout(&mut self, timeout: &Timeout);

    /// All that was outstanding when the timer expired is acknowledged.
    fn on_timeout_recovered(&mut self) {}

    /// An ECN mark was echoed: at most once a round trip. As loss unless the algorithm says otherwise (RFC 3168, 6.1.2).
    fn on_ecn(&mut self, mark: &Loss) {
        self.on_loss(mark);
    }

    /// Accurate ECN feedback, before [`on_ecn`](Self::on_ecn) and [`on_ack`](Self::on_ack) hear of the same acknowledgement.
    /// [`on_ecn`](Self::on_ecn) is called when some were marked, and not again in the round trip if it reduced the window.
    fn on_marks(&mut self, _marks: &Marks) {}

    /// What this algorithm makes of marks; the same from the first packet to the last.
    fn ecn_response(&self) -> EcnResponse {
        EcnResponse::AsLoss
    }

    /// The last timeout was spurious: what it took for lost was late (RFC 5682). What is in flight allows a window of
    /// `window` (RFC 4015, 3.2). Without a body of its own the algorithm goes on as after a true one.
    fn on_spurious_timeout(&mut self, _window: f64) {}

    /// Nothing was sent for longer than the retransmission timeout: the window may be at most `restart_window`
    /// (RFC 5681, 4.1).
    fn on_idle(&mut self, restart_window: f64);

    /// The congestion window.
    fn window(&self) -> f64;

    /// Most packets that may be in flight, given that packets are paced or not; the window unless pacing wants slack.
    fn flight_limit(&self, _paced: bool) -> f64 {
        self.window()
    }

    /// Time from one packet to the next if this algorithm paces.
    fn pacing_interval(&self) -> Option<Time> {
        None
    }

    /// The window at which slow start ends, for algorithms that have one.
    fn slow_start_threshold(&self) -> Option<f64> {
        None
    }

    /// The belief about the round-trip time without queueing.
    fn base_rtt(&self) -> Option<Time> {
        None
    }

    /// Data packets that the receiver is to acknowledge together (RFC 5690, 4.2), from algorithms that have an opinion.
    fn ack_ratio(&self) -> Option<u32> {
        None
    }

    /// The retransmission timeout before backing off, where the algorithm has an estimate of its own; `least` is the
    /// sender's least one (RFC 6298, 2.4). None: the sender's.
    fn retransmission_timeout(&self, _least: Time) -> Option<Time> {
        None
    }

    /// Recovery without SACK; the same from the first packet to the last.
    fn partial_ack(&self) -> PartialAck {
        PartialAck::Stay
    }
}
