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
    /// Data packets per acknowledgement.
    ack_ratio: u32,
    /// Initial window in packets.
    initial_window: f64,
    /// Propagation and access delay of the round trip in seconds: unknown to a real sender, for experiments.
    known_base_rtt: Option<f64>,
    /// Growth by what is acknowledged, at most so many packets per acknowledgement in slow start (RFC 3465), or None.
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
    now: f64,
    sent_at: f64,
    received_at: f64,
    rtt: Option<f64>,
    acked: f64,
    lost: f64,
    in_flight: f64,
    stamp: f64,
    cwnd_limited: bool,
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
    now: f64,
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
    now: f64,
    flight_size: f64,
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
    now: f64,
    in_flight: f64,
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
    began: f64,
    now: f64,
    acks: u32,
    acked: f64,
    lost: f64,
    in_flight: f64,
    first_rtt: Option<f64>,
    last_rtt: Option<f64>,
    min_rtt: Option<f64>,
    mean_rtt: Option<f64>,
    forward_delay: Option<f64>,
    reverse_delay: Option<f64>,
    losses: u32,
    marks: u32,
    timeouts: u32,
    cwnd_limited: bool,
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
