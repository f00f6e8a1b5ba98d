//! Eq. 7 and 8: both congestion windows, and the ratio of download to upload.

use serde::{Deserialize, Serialize};

use super::checked::positive;
use super::link::{Connections, LinkDirection, Setting, Unit};
use super::shares::{Shares, shares};
use crate::error::TheoryError;

/// The mean window of a sender on a path with room for `B* + P`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SawTooth {
    /// As printed before eq. 8: W where `B* + P > W` (no loss ever), else 3/4 of `B* + P`.
    #[default]
    AsPrinted,
    /// The smaller of W and 3/4 of `B* + P`: another model, which reduces windows that never have a loss.
    Smaller,
}

/// What is in flight on the link, P.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Propagation {
    /// `2 C tp / 8` bytes.
    #[default]
    Corrected,
    /// `2 C tp`: bits where bytes are meant.
    AsPrinted,
}

/// Synchronisation of losses of several flows in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Losses {
    /// All halve at every overflow: their sum is on average 3/4 of what fits. The paper's one flow.
    #[default]
    Together,
    /// One of n halves: the sum swings between `1 - 1/(2n)` and 1, on average `1 - 1/(4n)`.
    OneAtATime,
}

/// Interpretation of the paper's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Readings {
    /// The case before eq. 8.
    pub saw_tooth: SawTooth,
    /// P.
    pub propagation: Propagation,
    /// Several flows.
    pub losses: Losses,
}

/// Both windows and what follows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// cwnd_d: bytes of all downloads together.
    pub window_down: f64,
    /// cwnd_u: bytes of all uploads together.
    pub window_up: f64,
    /// B*_u (eq. 7): bytes of data that fit into the uplink's buffer besides the acknowledgements; 0 where these fill
    /// it.
    pub room_up: f64,
    /// The download's buffer or window is the limit, W, so that nothing of it is lost.
    pub down_limited_by_window: bool,
    /// The same of the uploads.
    pub up_limited_by_window: bool,
    /// Acknowledgements leave room for less than one packet: uploads starve, and the ratio is meaningless.
    pub up_starves: bool,
    /// r of eq. 8: `cwnd_d / cwnd_u`.
    pub ratio: f64,
    /// Rates with each direction's own round-trip time and both capacities kept: the left part of eq. 8.
    pub shares: Shares,
}

/// Eq. 7, the windows, eq. 8.
///
/// A buffer that counts packets or cells is filled by acknowledgements as by data: eq. 7 becomes
/// `B*_u = (B_u - a cwnd_d / (n p)) p / s` with s and a what a data packet (of p bytes) and an acknowledgement take of
/// it and n the packets for each acknowledgement. In bytes s = p and a / s = rho: eq. 7 itself.
///
/// # Errors
/// [`TheoryError::OutOfRange`].
pub fn estimate(setting: &Setting, readings: &Readings) -> Result<Estimate, TheoryError> {
    setting.check()?;
    let packet = setting.packet;
    let in_bytes = |direction: &LinkDirection, taken: f64| {
        (direction.buffer - taken).max(0.0) * packet / direction.unit.of(packet)
    };
    // acknowledgements in the downlink's buffer are neglected, as in the paper
    let room_down = in_bytes(&setting.link.down, 0.0);
    let (window_down, down_limited_by_window) = window(&setting.downloads, &setting.link.down, room_down, readings);
    let acks = window_down / packet / setting.acks_every;
    let room_up = in_bytes(&setting.link.up, acks * setting.link.up.unit.of(setting.ack));
    let (window_up, up_limited_by_window) = window(&setting.uploads, &setting.link.up, room_up, readings);
    positive("the room for uploads, buffer and path together,", window_up)?;
    Ok(Estimate {
        window_down,
        window_up,
        room_up,
        down_limited_by_window,
        up_limited_by_window,
        up_starves: room_up < packet,
        ratio: window_down / window_up,
        shares: shares(setting, window_down, window_up)?,
    })
}

/// The windows of all flows of one direction together, and whether W is their limit.
fn window(side: &Connections, direction: &LinkDirection, room: f64, readings: &Readings) -> (f64, bool) {
    let flows = f64::from(side.flows);
    let path = match readings.propagation {
        Propagation::Corrected => direction.rate_bps * side.base_rtt_s / 8.0,
        Propagation::AsPrinted => direction.rate_bps * side.base_rtt_s,
    };
    let (capacity, given) = (room + path, flows * side.window);
    let mean = match readings.losses {
        Losses::Together => 0.75,
        Losses::OneAtATime => 1.0 - 0.25 / flows,
    } * capacity;
    match readings.saw_tooth {
        SawTooth::AsPrinted if capacity > given => (given, true),
        SawTooth::AsPrinted => (mean, false),
        SawTooth::Smaller => (mean.min(given), given <= mean),
    }
}

impl Setting {
    /// The smallest uplink buffer, in its unit, that leaves room for `packets` data packets besides the acknowledgements of
    /// a download that fills the downlink's buffer and path (or its own window): with packets and delayed
    /// acknowledgements half the downlink's buffer and a bit, the paper's empirical rule.
    ///
    /// # Errors
    /// [`TheoryError::OutOfRange`].
    pub fn least_uplink(&self, packets: f64) -> Result<f64, TheoryError> {
        self.check()?;
        let down = &self.link.down;
        let capacity =
            down.buffer * self.packet / down.unit.of(self.packet) + down.rate_bps * self.downloads.base_rtt_s / 8.0;
        let outstanding = capacity.min(f64::from(self.downloads.flows) * self.downloads.window);
        let unit: Unit = self.link.up.unit;
        let acks = outstanding / self.packet / self.acks_every;
        Ok(acks * unit.of(self.ack) + packets * unit.of(self.packet))
    }
}
