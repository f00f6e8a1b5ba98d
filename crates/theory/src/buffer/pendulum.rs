//! Eq. 1 to 5: the data pendulum, in which queue the outstanding data of a download and an upload are.
//!
//! Propagation and the size of acknowledgements are neglected, as in the paper.

use serde::Serialize;

use super::checked::{not_negative, positive};
use crate::closed_form::BALANCED;
use crate::error::TheoryError;

/// The three cases after eq. 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Case {
    /// 1: the downlink queue is empty; the uplink is saturated.
    DownEmpty,
    /// 2: the uplink queue is empty; the downlink is saturated.
    UpEmpty,
    /// 3: both are full, which takes windows in proportion to capacities.
    BothBusy,
}

/// Eq. 1: the round-trip time of both connections when `d_d` and `d_u` bytes are queued, in seconds.
#[must_use]
pub fn round_trip(d_d: f64, d_u: f64, c_d: f64, c_u: f64) -> f64 {
    8.0 * d_d / c_d + 8.0 * d_u / c_u
}

/// Eq. 2: bytes of the download queued at the downlink when its acknowledgements queue behind `d_u` bytes of the
/// upload.
///
/// Holds while the downlink is busy: only then do acknowledgements come in proportion to `c_d`.
#[must_use]
pub fn download_queue(cwnd_d: f64, d_u: f64, c_d: f64, c_u: f64) -> f64 {
    cwnd_d - d_u * c_d / c_u
}

/// Eq. 2 for the upload.
#[must_use]
pub fn upload_queue(cwnd_u: f64, d_d: f64, c_d: f64, c_u: f64) -> f64 {
    download_queue(cwnd_u, d_d, c_u, c_d)
}

/// Condition 5: queueing is on the side of the connection that has more outstanding in time, `cwnd_d / c_d` against
/// `cwnd_u / c_u`.
///
/// The paper's step to eq. 5 divides by `cwnd_u`; without an upload (0) it is case 2.
#[must_use]
pub fn case(cwnd_d: f64, cwnd_u: f64, c_d: f64, c_u: f64) -> Case {
    let (down, up) = (cwnd_d / c_d, cwnd_u / c_u);
    if (down - up).abs() <= BALANCED * down.max(up) {
        Case::BothBusy
    } else if down < up {
        Case::DownEmpty
    } else {
        Case::UpEmpty
    }
}

/// The steady state of two windows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SteadyState {
    /// Which of the three cases.
    pub case: Case,
    /// Round-trip time in seconds.
    pub rtt_s: f64,
    /// Bytes queued at the downlink; in case 3 any split will do, this is the even one (in time).
    pub queue_down: f64,
    /// Bytes queued at the uplink.
    pub queue_up: f64,
    /// Share of the downlink in use.
    pub utilisation_down: f64,
    /// Share of the uplink in use.
    pub utilisation_up: f64,
}

/// Eq. 3 and 4 with their conditions: eq. 3 needs a busy downlink, eq. 4 a busy uplink, so the round-trip time is the
/// larger of `8 cwnd_d / c_d` and `8 cwnd_u / c_u`. They agree in case 3 only.
///
/// # Errors
/// [`TheoryError::OutOfRange`].
pub fn steady_state(cwnd_d: f64, cwnd_u: f64, c_d: f64, c_u: f64) -> Result<SteadyState, TheoryError> {
    not_negative("the upload's window", cwnd_u)?;
    positive("the download's window", cwnd_d)?;
    positive("the downlink's rate", c_d)?;
    positive("the uplink's rate", c_u)?;
    let (down, up) = (8.0 * cwnd_d / c_d, 8.0 * cwnd_u / c_u);
    let (case, rtt_s) = (case(cwnd_d, cwnd_u, c_d, c_u), down.max(up));
    let share = match case {
        Case::DownEmpty => 0.0,
        Case::UpEmpty => 1.0,
        Case::BothBusy => 0.5,
    };
    Ok(SteadyState {
        case,
        rtt_s,
        queue_down: share * rtt_s * c_d / 8.0,
        queue_up: (1.0 - share) * rtt_s * c_u / 8.0,
        utilisation_down: down / rtt_s,
        utilisation_up: up / rtt_s,
    })
}
