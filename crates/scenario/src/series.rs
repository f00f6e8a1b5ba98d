//! Time series at a fixed interval, as columns: what worlds with a time axis add to a result.
//!
//! The doc comments of [`Quantity`] are the descriptions of its JSON Schema ([`schema`]) and of the reference made from it.

use schemars::{JsonSchema, schema_for};
use serde_json::Value as Json;

/// The JSON Schema of [`Quantity`]: name, description, unit (`x-unit`) and kind of entity (`x-of`) of each quantity.
#[must_use]
pub fn schema() -> Json {
    schema_for!(Quantity).to_value()
}

/// Quantity of a series. Instantaneous values are sampled at the end of each interval; rates and counts cover the interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[repr(u8)]
pub enum Quantity {
    /// Congestion window (cwnd); while PRR reduces it, what may be in flight (RFC 9937, 6.2).
    #[schemars(extend("x-of" = "flow", "x-unit" = "packets"))]
    CwndPackets,
    /// Packets in flight: sent, and neither acknowledged nor deemed lost.
    #[schemars(extend("x-of" = "flow", "x-unit" = "packets"))]
    InFlightPackets,
    /// Latest round-trip time sample of data; no row before the first one. That of the handshake is in `srtt_s`, and in the result.
    #[schemars(extend("x-of" = "flow", "x-unit" = "s"))]
    RttS,
    /// Smoothed round-trip time (RFC 6298); no row before the first sample.
    #[schemars(extend("x-of" = "flow", "x-unit" = "s"))]
    SrttS,
    /// Rate of data packets that arrived at the receiver during the interval, headers included.
    #[schemars(extend("x-of" = "flow", "x-unit" = "bit/s"))]
    ThroughputBps,
    /// Rate of payload delivered in order during the interval.
    #[schemars(extend("x-of" = "flow", "x-unit" = "bit/s"))]
    GoodputBps,
    /// Pacing rate; no row while packets are not paced.
    #[schemars(extend("x-of" = "flow", "x-unit" = "bit/s"))]
    PacingBps,
    /// Packets waiting in the queue, the one in transmission excluded.
    #[schemars(extend("x-of" = "link", "x-unit" = "packets"))]
    QueuePackets,
    /// Bytes waiting in the queue, the packet in transmission excluded.
    #[schemars(extend("x-of" = "link", "x-unit" = "B"))]
    QueueBytes,
    /// Rate at which packets arrived at the link during the interval.
    #[schemars(extend("x-of" = "link", "x-unit" = "bit/s"))]
    ArrivalBps,
    /// Rate at which packets were transmitted during the interval: one that is in transmission at its end counts in part, on a link with
    /// framing and a constant rate and delay as a whole.
    #[schemars(extend("x-of" = "link", "x-unit" = "bit/s"))]
    DepartureBps,
    /// Packets dropped by the queue during the interval.
    #[schemars(extend("x-of" = "link", "x-unit" = "packets"))]
    Drops,
}

impl Quantity {
    /// Names in files and frames, in the order of the discriminants.
    pub const NAMES: [&'static str; 12] = [
        "cwnd_packets",
        "in_flight_packets",
        "rtt_s",
        "srtt_s",
        "throughput_bps",
        "goodput_bps",
        "pacing_bps",
        "queue_packets",
        "queue_bytes",
        "arrival_bps",
        "departure_bps",
        "drops",
    ];
}

/// [`Series::kind`] of a flow.
pub const FLOW: u8 = 0;
/// [`Series::kind`] of a link.
pub const LINK: u8 = 1;

/// Columns of equal length, one row per time, entity and quantity.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Seconds.
    pub time_s: Vec<f64>,
    /// [`FLOW`] or [`LINK`].
    pub kind: Vec<u8>,
    /// Index in the network's flows or links.
    pub entity: Vec<u32>,
    /// Index in [`Quantity::NAMES`].
    pub quantity: Vec<u8>,
    /// Value in the SI unit of the quantity.
    pub value: Vec<f64>,
}

impl Series {
    /// Appends a row.
    pub fn push(&mut self, time_s: f64, kind: u8, entity: u32, quantity: Quantity, value: f64) {
        self.time_s.push(time_s);
        self.kind.push(kind);
        self.entity.push(entity);
        self.quantity.push(quantity as u8);
        self.value.push(value);
    }

    /// One quantity of one flow or link: its values by time.
    #[must_use]
    pub fn of(&self, kind: u8, entity: u32, quantity: Quantity) -> Vec<(f64, f64)> {
        (0..self.value.len())
            .filter(|i| self.kind[*i] == kind && self.entity[*i] == entity && self.quantity[*i] == quantity as u8)
            .map(|i| (self.time_s[i], self.value[i]))
            .collect()
    }
}
