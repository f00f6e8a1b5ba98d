//! The interface in C: what crosses it, and the names of the functions. `include/eddyline_controller.h` says the same in C.
//!
//! Every type has the same layout on all targets, 32-bit ones included: a WebAssembly module reads the same bytes.

use std::mem::offset_of;

pub use crate::time::{MaybeTime, Time};

/// Version of this interface. A library of another version is not loaded.
pub const VERSION: u32 = 1;

/// What is known about the path before the first packet.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(8))]
pub struct Path {
    /// Initial window in packets (RFC 6928, or as configured).
    pub initial_window: f64,
    /// Appropriate byte counting: the maximum growth per acknowledgement in slow start, in packets (the L of RFC 3465); NaN where
    /// it is off.
    pub byte_counting: f64,
    /// Propagation and access delay of the round trip: unknown to a real sender, for experiments.
    pub known_base_rtt: MaybeTime,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Bytes of a full data packet on the wire.
    pub packet_bytes: u32,
    /// Bytes of an acknowledgement on the wire.
    pub ack_bytes: u32,
    /// Data packets per acknowledgement.
    pub ack_ratio: u32,
    /// Packets are paced regardless of the controller.
    pub paced: bool,
}

/// The handshake gave a first round-trip sample.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(8))]
pub struct Handshake {
    /// When.
    pub now: Time,
    /// The sample.
    pub rtt: Time,
}

/// A data packet is about to be sent.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(8))]
pub struct Sent {
    /// When.
    pub now: Time,
    /// Packets in flight, this one included.
    pub in_flight: f64,
    /// The sender was limited by the window or by pacing, not by the application or the receiver.
    pub cwnd_limited: bool,
}

/// An acknowledgement of new data arrived.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(8))]
pub struct Ack {
    /// When it arrived.
    pub now: Time,
    /// When the packet that caused it was sent; with timestamps, the packet that it echoes: behind a gap, one from before it (RFC 7323, 4.3).
    pub sent_at: Time,
    /// When that packet reached the receiver, by the receiver's clock: `received_at - sent_at` is the forward delay,
    /// `now - received_at` the reverse delay including the receiver's own delay; with timestamps that is too long behind a gap and where
    /// packets overtake each other.
    pub received_at: Time,
    /// The round-trip sample; none from a retransmitted packet (Karn).
    pub rtt: MaybeTime,
    /// Packets newly acknowledged, cumulatively or selectively.
    pub acked: f64,
    /// Packets that it reports lost, and those that RACK's timer has found lost since the one before.
    pub lost: f64,
    /// Packets in flight after this acknowledgement.
    pub in_flight: f64,
    /// Stamp of the packet that caused it, behind a gap too.
    pub stamp: f32,
    /// The sender was limited by the window or by pacing, not by the application or the receiver. False in TCP where only SACK
    /// acknowledges: windows do not grow on those (RFC 3042), until packets have been seen to overtake each other.
    pub cwnd_limited: bool,
    /// Loss recovery is under way.
    pub in_recovery: bool,
}

/// A loss episode, or an echoed mark.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(8))]
pub struct Loss {
    /// When it was detected.
    pub now: Time,
    /// Packets outstanding then (FlightSize of RFC 5681).
    pub flight_size: f64,
}

/// Accurate ECN feedback for the packets that an acknowledgement covers (RFC 9768).
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(8))]
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

/// The retransmission timer expired.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(8))]
pub struct Timeout {
    /// When.
    pub now: Time,
    /// Packets outstanding then (FlightSize of RFC 5681).
    pub flight_size: f64,
    /// The timer has expired before, and no new data was acknowledged since.
    pub repeated: bool,
}

/// The loss episode is over.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(8))]
pub struct Recovered {
    /// When.
    pub now: Time,
}

/// A window that an event allows: after a spurious timeout what the packets in flight allow (RFC 4015, 3.2), after idle time the
/// restart window (RFC 5681, 4.1), one where lost SYNs reduce the initial window (RFC 5681, 3.1).
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(8))]
pub struct Allowed {
    /// In packets.
    pub window: f64,
}

/// What a controller decides; valid until the next event.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(8))]
pub struct Decisions {
    /// The congestion window in packets: finite, at least 1.
    pub window: f64,
    /// Maximum number of packets in flight without pacing, and with it; the window if NaN.
    pub flight_limits: [f64; 2],
    /// The window at which slow start ends; NaN for none.
    pub slow_start_threshold: f64,
    /// Time between packets; none where the algorithm does not pace.
    pub pacing_interval: MaybeTime,
    /// The estimate of the round-trip time without queueing.
    pub base_rtt: MaybeTime,
    /// Answer to `eddyline_on_sent`: comes back with the acknowledgement of the packet.
    pub stamp: f32,
    /// Data packets that the receiver is to acknowledge together (RFC 5690, 4.2); 0 for no opinion.
    pub ack_ratio: u32,
    /// Partial acknowledgement without SACK: 0 leave recovery (Reno), 1 stay (NewReno), 2 persist: stay, and later holes begin the next
    /// recovery without a timeout (not TCP's persist timer). Read after `eddyline_new` only.
    pub partial_ack: u32,
    /// Reaction to marks: 0 as to a loss, 1 by their share, 2 the same with ECT(1). Read after `eddyline_new` only.
    pub ecn_response: u32,
}

impl Decisions {
    /// A window alone.
    #[must_use]
    pub const fn window(window: f64) -> Self {
        Self {
            window,
            flight_limits: [f64::NAN; 2],
            slow_start_threshold: f64::NAN,
            pacing_interval: MaybeTime::NONE,
            base_rtt: MaybeTime::NONE,
            stamp: 0.0,
            ack_ratio: 0,
            partial_ack: 1,
            ecn_response: 0,
        }
    }
}

// The same on every target, and what the header says.
const _: () = {
    assert!(size_of::<Path>() == 48 && offset_of!(Path, mss) == 24 && offset_of!(Path, paced) == 40);
    assert!(size_of::<Ack>() == 64 && offset_of!(Ack, stamp) == 56 && offset_of!(Ack, in_recovery) == 61);
    assert!(size_of::<Sent>() == 24 && size_of::<Timeout>() == 24 && size_of::<Marks>() == 32);
    assert!(size_of::<Decisions>() == 64 && offset_of!(Decisions, stamp) == 48 && align_of::<Decisions>() == 8);
};

/// The event handler succeeded; the decisions are written.
pub const HANDLED: i32 = 0;
/// It failed; `eddyline_fault` says why. No handler of this flow is called again.
pub const FAILED: i32 = 1;
/// It does nothing and need not be called again for this flow; nothing is written. The default applies.
pub const UNUSED: i32 = 2;

/// Names of the functions of a library. Event handlers that may be missing are in [`OPTIONAL`](symbols::OPTIONAL).
pub mod symbols {
    /// `uint32_t (void)`: [`VERSION`](super::VERSION).
    pub const VERSION: &str = "eddyline_abi_version";
    /// `const char *(void)`: the description, JSON.
    pub const DESCRIPTION: &str = "eddyline_description";
    /// `void *(const char *parameters, const Path *, Decisions *)`: the state of a flow, or null.
    pub const NEW: &str = "eddyline_new";
    /// `void (void *state)`.
    pub const FREE: &str = "eddyline_free";
    /// `const char *(void)`: why the last call on this thread failed.
    pub const FAULT: &str = "eddyline_fault";
    /// `void *(size_t)`: memory for what the host writes; WebAssembly modules only.
    pub const ALLOCATE: &str = "eddyline_allocate";
    /// The event handlers, `int32_t (void *state, const EVENT *, Decisions *)`.
    pub const HANDLERS: [&str; 12] = [
        "eddyline_on_ack",
        "eddyline_on_loss",
        "eddyline_on_timeout",
        "eddyline_on_sent",
        "eddyline_on_handshake",
        "eddyline_on_duplicate",
        "eddyline_on_recovered",
        "eddyline_on_timeout_recovered",
        "eddyline_on_ecn",
        "eddyline_on_marks",
        "eddyline_on_spurious_timeout",
        "eddyline_on_idle",
    ];
    /// Handlers from this one on may be missing.
    pub const OPTIONAL: usize = 3;
}
