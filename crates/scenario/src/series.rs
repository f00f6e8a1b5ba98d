//! Series at a fixed interval, as columns: what worlds that know how things go over time add to a result.

/// What a series is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are those of the result format")]
pub enum Quantity {
    CwndPackets,
    InFlightPackets,
    RttS,
    SrttS,
    ThroughputBps,
    GoodputBps,
    PacingBps,
    QueuePackets,
    QueueBytes,
    ArrivalBps,
    DepartureBps,
    Drops,
}

impl Quantity {
    /// Names as in the result format, in the order of the discriminants.
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
    /// Place in the network's flows or links.
    pub entity: Vec<u32>,
    /// Place in [`Quantity::NAMES`].
    pub quantity: Vec<u8>,
    /// SI units.
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
