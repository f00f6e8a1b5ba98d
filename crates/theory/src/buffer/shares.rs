//! Rates of given windows on both directions at once.

use serde::Serialize;

use super::checked::positive;
use super::link::Setting;
use crate::equilibrium::common_delay::saturating_delay;
use crate::error::TheoryError;

/// Rates, and the delay that they take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Shares {
    /// Downloads: bit/s of data packets on the wire.
    pub download_bps: f64,
    /// Uploads: the same.
    pub upload_bps: f64,
    /// Queueing of both directions together that every round trip sees, in seconds.
    pub queueing_delay_s: f64,
    /// Share of the downlink in use, acknowledgements included.
    pub utilisation_down: f64,
    /// Share of the uplink in use, acknowledgements included.
    pub utilisation_up: f64,
}

/// `T_x = cwnd_x / RTT_x` with `RTT_x = base_x + q`, q the smallest delay at which neither direction is
/// overloaded, acknowledgements included.
///
/// This is eq. 1 to 5 with propagation, acknowledgements and unequal round-trip times: every packet and its
/// acknowledgement see both queues once, so q is the same for all flows, and the direction that demands the
/// larger q is saturated.
///
/// # Errors
/// [`TheoryError::OutOfRange`].
pub fn shares(setting: &Setting, window_down: f64, window_up: f64) -> Result<Shares, TheoryError> {
    setting.check()?;
    positive("the downloads' window", window_down)?;
    positive("the uploads' window", window_up)?;
    let (base_down, base_up) = (setting.downloads.base_rtt_s, setting.uploads.base_rtt_s);
    let acks = setting.ack / (setting.packet * setting.acks_every);
    let full = |rate: f64, of_down: f64, of_up: f64| {
        saturating_delay(&[
            (8.0 * window_down * of_down / rate, 1.0, -base_down),
            (8.0 * window_up * of_up / rate, 1.0, -base_up),
        ])
    };
    let (c_d, c_u) = (setting.link.down.rate_bps, setting.link.up.rate_bps);
    let q = full(c_d, 1.0, acks).max(full(c_u, acks, 1.0));
    let (download, upload) = (8.0 * window_down / (base_down + q), 8.0 * window_up / (base_up + q));
    Ok(Shares {
        download_bps: download,
        upload_bps: upload,
        queueing_delay_s: q,
        utilisation_down: (download + acks * upload) / c_d,
        utilisation_up: (upload + acks * download) / c_u,
    })
}
