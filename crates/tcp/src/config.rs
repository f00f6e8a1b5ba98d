//! Configuration of a connection.

use eddyline_units::Time;

/// TCP configuration of a connection; sender and receiver use the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Config {
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Receive window in payload bytes; none: unlimited.
    pub receive_window: Option<u64>,
    /// Selective acknowledgement (RFC 2018, RFC 6675).
    pub sack: bool,
    /// Initial window in packets (RFC 6928).
    pub initial_window: u32,
    /// The retransmission timeout exceeds the smoothed round-trip time by this much or more.
    pub min_rto: Time,
    /// Data segments, of any size, per acknowledgement.
    pub ack_every: u32,
    /// Longest delay of a delayed acknowledgement.
    pub ack_timer: Time,
    /// Acknowledgements that are not delayed: at the start, after a pause and after a spurious retransmission.
    pub quick_acks: u32,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: bool,
    /// Accurate ECN feedback (RFC 9768); needs `ecn`.
    pub accurate_ecn: AccurateEcn,
    /// Limited transmit (RFC 3042).
    pub limited_transmit: bool,
    /// Fast retransmit (RFC 5681, 3.2).
    pub fast_retransmit: bool,
    /// Which partial acknowledgements restart the retransmission timer; none: as suits the controller.
    pub partial_ack_timer: Option<PartialAckTimer>,
    /// Timestamps (RFC 7323).
    pub timestamps: bool,
    /// The receiver's clock; none: the same as the sender's.
    pub timestamp_clock: Option<TimestampClock>,
    /// Proportional rate reduction (RFC 9937); needs `sack`.
    pub prr: bool,
    /// RACK-TLP (RFC 8985) with DSACK (RFC 2883); needs `sack`.
    pub rack: bool,
    /// F-RTO (RFC 5682) with the Eifel response (RFC 4015).
    pub frto: bool,
    /// The timeout exceeds every round-trip sample by `min_rto`, not only the one that each round trip has for RFC 6298; with RACK those of
    /// SACK too, which restart the timer of a retransmission that was sent after them.
    pub rto_every_ack: bool,
    /// Congestion control of acknowledgements (RFC 5690); `ack_every` is the initial ratio.
    pub ack_congestion_control: bool,
    /// The congestion controller chooses how many segments are acknowledged together.
    pub controller_ack_ratio: bool,
    /// Reaction of the sender when its NIC queue is full.
    pub local: LocalCongestion,
    /// Whether packets are paced.
    pub pacing: Pacing,
    /// Pacing rate where the controller has none.
    pub pacing_gain: PacingGain,
}

/// Accurate ECN feedback (RFC 9768).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AccurateEcn {
    /// Nothing.
    #[default]
    Off,
    /// The ACE field: three bits of a count of marked packets.
    Ace,
    /// The ACE field and the AccECN option's byte counts.
    Option,
}

/// Which partial acknowledgements of a recovery without SACK restart the retransmission timer (RFC 3782, 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartialAckTimer {
    /// The first: after many losses the timer expires, and slow start repairs the rest.
    Impatient,
    /// Each: one segment per round trip is repaired, however many were lost.
    SlowButSteady,
}

/// Reaction of a sender when the queue of its network interface is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LocalCongestion {
    /// Nothing: the packet is dropped there, and lost like any other.
    #[default]
    Drop,
    /// The sender keeps the packet and reduces its window at most once per window, as Linux did up to 3.5.
    Cwr,
    /// The sender keeps the packet until the queue has room; the window does not change.
    Backpressure,
}

/// Whether packets are paced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pacing {
    /// Always.
    On,
    /// Never.
    Off,
    /// If the controller paces.
    Controller,
}

/// Pacing rate of window-based controllers in windows per smoothed round-trip time, as in Linux.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PacingGain {
    /// While the window is below half of ssthresh.
    pub slow_start: f64,
    /// At all other times.
    pub avoidance: f64,
}

/// How a receiver's clock differs from the sender's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimestampClock {
    /// Offset at time zero.
    pub ahead: Time,
    /// Drift in microseconds per second.
    pub drift_ppm: f64,
    /// Granularity of its readings; zero: exact.
    pub tick: Time,
}

impl TimestampClock {
    /// Its reading at `now`.
    #[must_use]
    pub fn read(&self, now: Time) -> Time {
        let gained = (now.as_ps() as f64 * self.drift_ppm * 1e-6) as i64;
        let reading = now.saturating_add(self.ahead).as_ps().saturating_add_signed(gained);
        let tick = self.tick.as_ps().max(1);
        Time::from_ps(reading / tick * tick)
    }
}

/// What the application transfers, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// How data is offered.
    pub application: Application,
    /// When the connection is opened.
    pub start: Time,
    /// When the application stops sending; none: never.
    pub stop: Option<Time>,
    /// Payload bytes; none: unlimited.
    pub size: Option<u64>,
}

/// How the sending application offers data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Application {
    /// As fast as the transport takes it.
    Bulk,
    /// `bytes` at once, every `every`.
    Bursts {
        /// Payload bytes of one burst.
        bytes: u64,
        /// From the start of one burst to the next.
        every: Time,
    },
    /// `bytes`, and as many again when all of them are acknowledged.
    Objects {
        /// Payload bytes of one object.
        bytes: u64,
    },
}
