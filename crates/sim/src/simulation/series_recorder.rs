//! Series: a row per entity and quantity at each tick.

use eddyline_scenario::series::{FLOW, LINK, Quantity, Series};
use eddyline_units::Time;

use super::error::{MAX_ROWS, SimError};
use super::measurement::Readings;
use super::sorted_network::SortedNetwork;
use crate::network::LinkCounts;

const PER_FLOW: u128 = 7;
const PER_LINK: u128 = 5;

/// Cumulative values at the last tick.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    arrived: f64,
    departed: f64,
    drops: u64,
}

/// Records at a fixed interval.
#[derive(Debug)]
pub struct SeriesRecorder {
    series: Series,
    interval: Time,
    next: Time,
    /// Flows and links in the order of the file, with their places in the sorted network.
    flows: Vec<(usize, Totals)>,
    links: Vec<(usize, Totals)>,
}

impl SeriesRecorder {
    /// Ticks at multiples of the network's interval.
    ///
    /// # Errors
    /// [`SimError::TooManyRows`] if there would be more than [`MAX_ROWS`].
    pub fn new(network: &SortedNetwork<'_>) -> Result<Self, SimError> {
        let interval = network.record_interval.max(Time::from_ps(1));
        let each = PER_FLOW * network.flows.len() as u128 + PER_LINK * network.links.len() as u128;
        let rows = u128::from(network.duration.as_ps() / interval.as_ps()) * each;
        if rows > MAX_ROWS {
            return Err(SimError::TooManyRows(rows / 1_000_000));
        }
        Ok(Self {
            series: Series::default(),
            interval,
            next: interval,
            flows: in_file(network.flow_places()),
            links: in_file(network.link_places()),
        })
    }

    /// When the next tick is due.
    pub fn next(&self) -> Time {
        self.next
    }

    /// Writes the rows of one tick.
    pub fn record(&mut self, now: Time, readings: &mut impl Readings) {
        self.next = now + self.interval;
        let (at, span) = (now.as_secs_f64(), self.interval.as_secs_f64());
        for (i, (place, previous)) in self.flows.iter_mut().enumerate() {
            let mut row = |q, v| self.series.push(at, FLOW, i as u32, q, v);
            let (state, arrived) = readings.flow(*place);
            row(Quantity::CwndPackets, state.cwnd_packets);
            row(Quantity::InFlightPackets, state.in_flight_packets);
            if let Some(rtt) = state.last_rtt {
                row(Quantity::RttS, rtt.as_secs_f64());
            }
            if let Some(srtt) = state.srtt {
                row(Quantity::SrttS, srtt.as_secs_f64());
            }
            let delivered = state.delivered_bytes as f64 * 8.0;
            row(Quantity::ThroughputBps, (arrived - previous.arrived) / span);
            row(Quantity::GoodputBps, (delivered - previous.departed) / span);
            if let Some(pacing) = state.pacing_bps {
                row(Quantity::PacingBps, pacing);
            }
            (previous.arrived, previous.departed) = (arrived, delivered);
        }
        for (i, (place, previous)) in self.links.iter_mut().enumerate() {
            let LinkCounts { waiting: (packets, bytes), carried: (arrived, departed), drops } =
                readings.link(now, *place);
            let mut row = |q, v| self.series.push(at, LINK, i as u32, q, v);
            row(Quantity::QueuePackets, packets as f64);
            row(Quantity::QueueBytes, bytes as f64);
            row(Quantity::ArrivalBps, (arrived - previous.arrived) / span);
            row(Quantity::DepartureBps, (departed - previous.departed) / span);
            row(Quantity::Drops, (drops - previous.drops) as f64);
            *previous = Totals { arrived, departed, drops };
        }
    }

    /// The rows so far.
    pub fn so_far(&self) -> &Series {
        &self.series
    }

    /// The series.
    pub fn finish(self) -> Series {
        self.series
    }
}

/// Nothing counted, for what has these places in the file, in the order of the file.
fn in_file(places: &[u32]) -> Vec<(usize, Totals)> {
    let mut all = vec![(0, Totals::default()); places.len()];
    for (rank, place) in places.iter().enumerate() {
        all[*place as usize].0 = rank;
    }
    all
}
