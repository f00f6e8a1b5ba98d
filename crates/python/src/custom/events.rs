//! Events of Python controllers: those of `eddyline_cc`, with times in seconds.

use eddyline_cc::{Ack, Loss, RoundReport, Sent, Timeout};
use eddyline_units::Time;
use pyo3::prelude::*;

/// Seconds of a time.
#[inline]
pub(super) fn seconds(time: Time) -> f64 {
    time.as_secs_f64()
}

/// Facts about the path that are known before the first packet.
#[pyclass(frozen, get_all, module = "eddyline._core")]
pub(crate) struct PathFacts {
    /// Payload bytes of a full segment.
    mss: u32,
    /// Data packets that one acknowledgement stands for.
    ack_ratio: u32,
    /// Initial window in packets.
    initial_window: f64,
    /// Propagation and access delay of the round trip in seconds, which a real sender cannot know; None where the
    /// world does not know it either.
    known_base_rtt: Option<f64>,
    /// Growth by what is acknowledged, in slow start at most so many packets an acknowledgement (RFC 3465; infinite in
    /// QUIC); None for growth by acknowledgement, which is the default.
    byte_counting: Option<f64>,
    /// Packets are paced whatever the controller wants.
    paced: bool,
}

impl PathFacts {
    pub(super) fn of(facts: &eddyline_cc::PathFacts) -> Self {
        Self {
            mss: facts.mss,
            ack_ratio: facts.ack_ratio,
            initial_window: facts.initial_window,
            known_base_rtt: facts.known_base_rtt.map(seconds),
            byte_counting: facts.byte_counting,
            paced: facts.paced,
        }
    }
}

/// An acknowledgement of new data.
#[pyclass(frozen, get_all, name = "Ack", module = "eddyline._core")]
pub(crate) struct PyAck {
    /// When it arrived, in seconds.
    now: f64,
    /// When the packet that caused it was sent, in seconds; with timestamps, the packet that it echoes: behind a gap, one from before it.
    sent_at: f64,
    /// When that packet reached the receiver, in seconds: `received_at - sent_at` is the forward delay, `now - received_at` that of the
    /// acknowledgement. With timestamps the latter is too long behind a gap and where packets overtake each other.
    received_at: f64,
    /// The round-trip sample in seconds. None where the acknowledgement gives none: without timestamps, if a
    /// retransmission caused it (Karn's algorithm); with them, if it acknowledges by SACK only (RFC 7323, 4.1);
    /// in QUIC, if all its packets were sent before one that was acknowledged earlier.
    rtt: Option<f64>,
    /// Packets newly acknowledged, cumulatively or selectively.
    acked: f64,
    /// Packets that it shows to be lost, and those that RACK's timer has found lost since the one before; in QUIC, all that were found lost
    /// since the one before.
    lost: f64,
    /// Packets in flight after it.
    in_flight: f64,
    /// What `on_sent` returned for the packet that caused it; the packets in flight then, where it returned None.
    stamp: f64,
    /// The window or the pacing rate, not the application or the receiver, held the sender back. False in TCP where only SACK acknowledges:
    /// windows do not grow on those (RFC 3042), until packets have been seen to overtake each other.
    cwnd_limited: bool,
    /// Loss recovery is under way.
    in_recovery: bool,
}

impl From<&Ack> for PyAck {
    fn from(ack: &Ack) -> Self {
        Self {
            now: seconds(ack.now),
            sent_at: seconds(ack.sent_at),
            received_at: seconds(ack.received_at),
            rtt: ack.rtt.map(seconds),
            acked: ack.acked,
            lost: ack.lost,
            in_flight: ack.in_flight,
            stamp: f64::from(ack.stamp.remembered),
            cwnd_limited: ack.cwnd_limited,
            in_recovery: ack.in_recovery,
        }
    }
}

/// A loss episode, or a congestion mark.
#[pyclass(frozen, get_all, name = "Loss", module = "eddyline._core")]
pub(crate) struct PyLoss {
    /// When it was noticed, in seconds.
    now: f64,
    /// Packets outstanding then (FlightSize of RFC 5681).
    flight_size: f64,
}

impl From<&Loss> for PyLoss {
    fn from(loss: &Loss) -> Self {
        Self { now: seconds(loss.now), flight_size: loss.flight_size }
    }
}

/// The retransmission timer expired.
#[pyclass(frozen, get_all, name = "Timeout", module = "eddyline._core")]
pub(crate) struct PyTimeout {
    /// When it expired, in seconds.
    now: f64,
    /// Packets outstanding then (FlightSize of RFC 5681).
    flight_size: f64,
    /// It had expired before without new data acknowledged in between.
    repeated: bool,
}

impl From<&Timeout> for PyTimeout {
    fn from(timeout: &Timeout) -> Self {
        Self { now: seconds(timeout.now), flight_size: timeout.flight_size, repeated: timeout.repeated }
    }
}

/// A data packet is about to leave.
#[pyclass(frozen, get_all, name = "Sent", module = "eddyline._core")]
pub(crate) struct PySent {
    /// When it leaves, in seconds.
    now: f64,
    /// Packets in flight, this one included.
    in_flight: f64,
    /// The window or the pacing rate, not the application or the receiver, held the sender back before.
    cwnd_limited: bool,
}

impl From<&Sent> for PySent {
    fn from(sent: &Sent) -> Self {
        Self { now: seconds(sent.now), in_flight: sent.in_flight, cwnd_limited: sent.cwnd_limited }
    }
}

/// A round trip, or the time from one decision to the next.
#[pyclass(frozen, get_all, name = "Round", module = "eddyline._core")]
pub(crate) struct PyRound {
    /// When it began, in seconds; the first one begins as the SYN is sent, after a lost SYN as the first acknowledged packet is.
    began: f64,
    /// When it ended, in seconds.
    now: f64,
    /// Acknowledgements of new data.
    acks: u32,
    /// Packets acknowledged.
    acked: f64,
    /// Packets that acknowledgements show to be lost; not what a timeout retransmits, which may have arrived.
    lost: f64,
    /// Packets in flight after its last acknowledgement, before what that lets out; without one, as in the round before.
    in_flight: f64,
    /// The first round-trip sample in seconds; None if no acknowledgement had a sample.
    first_rtt: Option<f64>,
    /// The last round-trip sample in seconds; None if no acknowledgement had a sample.
    last_rtt: Option<f64>,
    /// The smallest round-trip sample in seconds; None if no acknowledgement had a sample.
    min_rtt: Option<f64>,
    /// The mean of the round-trip samples in seconds; None if no acknowledgement had a sample.
    mean_rtt: Option<f64>,
    /// Mean delay of the data packets to the receiver in seconds, without acknowledgements that echo a packet again and have no sample,
    /// as those behind a gap with timestamps; None if there was no other, never in `on_round`.
    forward_delay: Option<f64>,
    /// Mean delay of their acknowledgements in seconds, the receiver's own delay included, without the same ones; None where
    /// `forward_delay` is.
    reverse_delay: Option<f64>,
    /// Loss episodes that began.
    losses: u32,
    /// Calls of `on_ecn`: for marks at most one per window of data, however many packets they are, and as many for a full NIC queue
    /// with `local = "cwr"`.
    marks: u32,
    /// Timeouts.
    timeouts: u32,
    /// As in `Ack`, at its last acknowledgement; false without one.
    cwnd_limited: bool,
    /// Loss recovery was under way at its last acknowledgement; false without one.
    in_recovery: bool,
}

impl From<&RoundReport> for PyRound {
    fn from(report: &RoundReport) -> Self {
        Self {
            began: seconds(report.began),
            now: seconds(report.now),
            acks: report.acks,
            acked: report.acked,
            lost: report.lost,
            in_flight: report.in_flight,
            first_rtt: report.first_rtt.map(seconds),
            last_rtt: report.last_rtt.map(seconds),
            min_rtt: report.min_rtt.map(seconds),
            mean_rtt: report.mean_rtt.map(seconds),
            forward_delay: report.forward_delay.map(seconds),
            reverse_delay: report.reverse_delay.map(seconds),
            losses: report.losses,
            marks: report.marks,
            timeouts: report.timeouts,
            cwnd_limited: report.cwnd_limited,
            in_recovery: report.in_recovery,
        }
    }
}
