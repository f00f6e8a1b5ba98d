//! Steps of a link's rate, delay or loss.

use eddyline_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::piece::Piece;

/// One step; keys left out do not change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeParams {
    /// When; after the previous change.
    pub at: Time,
    /// Rate from then on, 1 bit/s to 10 Tbit/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-minimum" = "1 bit/s", "x-maximum" = "10 Tbit/s"))]
    pub rate: Option<Rate>,
    /// One-way propagation delay from then on, 0 s to 1 h.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = "1 h"))]
    pub delay: Option<Time>,
    /// Probability from then on that a packet is lost, instead of the link's `loss`; in [0, 1], 1 for a link that is
    /// cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss: Option<f64>,
}

/// The pieces of a link of this rate and delay with `changes` in order of time.
pub(super) fn pieces(rate: Rate, delay: Time, changes: &[ChangeParams]) -> Vec<Piece> {
    let mut now = Piece { from: Time::ZERO, rate, delay, loss: None };
    let mut pieces = vec![now];
    for change in changes {
        now = Piece {
            from: change.at,
            rate: change.rate.unwrap_or(now.rate),
            delay: change.delay.unwrap_or(now.delay),
            loss: change.loss.or(now.loss),
        };
        if change.at == Time::ZERO {
            pieces.clear();
        }
        pieces.push(now);
    }
    pieces
}
