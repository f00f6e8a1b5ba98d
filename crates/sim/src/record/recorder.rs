//! Series while a run goes on: a row per entity and quantity at each tick.

use eddyline_cc::Controller as _;
use eddyline_scenario::Network;
use eddyline_scenario::series::{FLOW, LINK, Quantity, Series};
use eddyline_units::Time;

use crate::engine::Net;
use crate::run::SimError;
use crate::tcp::Flow;

/// Rows of all series together: some two gigabytes.
pub const MOST_ROWS: u128 = 100_000_000;
const PER_FLOW: u128 = 7;
const PER_LINK: u128 = 5;

/// Cumulative values at the last tick.
#[derive(Debug, Clone, Copy, Default)]
struct Before {
    arrived: f64,
    left: f64,
    drops: u64,
}

/// Records at a fixed interval.
#[derive(Debug)]
pub struct Recorder {
    series: Series,
    interval: Time,
    next: Time,
    flows: Vec<Before>,
    links: Vec<Before>,
}

impl Recorder {
    /// Ticks at multiples of the network's interval.
    ///
    /// # Errors
    /// [`SimError::TooManyRows`] if there would be more than [`MOST_ROWS`].
    pub fn new(network: &Network) -> Result<Self, SimError> {
        let interval = network.record_interval.max(Time::from_ps(1));
        let each = PER_FLOW * network.flows.len() as u128 + PER_LINK * network.links.len() as u128;
        let rows = u128::from(network.duration.as_ps() / interval.as_ps()) * each;
        if rows > MOST_ROWS {
            return Err(SimError::TooManyRows(rows / 1_000_000));
        }
        Ok(Self {
            series: Series::default(),
            interval,
            next: interval,
            flows: vec![Before::default(); network.flows.len()],
            links: vec![Before::default(); network.links.len()],
        })
    }

    /// When the next tick is due.
    pub fn next(&self) -> Time {
        self.next
    }

    /// Writes the rows of one tick.
    pub fn tick(&mut self, now: Time, flows: &[Flow], net: &mut Net) {
        self.next = now + self.interval;
        let (at, span) = (now.as_secs_f64(), self.interval.as_secs_f64());
        for (i, (flow, before)) in flows.iter().zip(&mut self.flows).enumerate() {
            let mut row = |q, v| self.series.push(at, FLOW, i as u32, q, v);
            let sender = flow.sender();
            row(Quantity::CwndPackets, sender.controller.window());
            row(Quantity::InFlightPackets, sender.in_flight_packets());
            if let Some(rtt) = sender.last_rtt {
                row(Quantity::RttS, rtt.as_secs_f64());
            }
            if let Some(srtt) = sender.srtt() {
                row(Quantity::SrttS, srtt.as_secs_f64());
            }
            let arrived = flow.meter.arrived_bits();
            let delivered = flow.receiver().delivered() as f64 * 8.0;
            row(Quantity::ThroughputBps, (arrived - before.arrived) / span);
            row(Quantity::GoodputBps, (delivered - before.left) / span);
            if let Some(interval) = sender.pacing_interval().filter(|t| *t > Time::ZERO) {
                row(Quantity::PacingBps, f64::from(flow.wire_bytes()) * 8.0 / interval.as_secs_f64());
            }
            (before.arrived, before.left) = (arrived, delivered);
        }
        for (i, before) in self.links.iter_mut().enumerate() {
            let (packets, bytes) = net.waiting(now, i as u32);
            let (arrived, left) = net.carried_bits(now, i);
            let drops = net.drops(i);
            let mut row = |q, v| self.series.push(at, LINK, i as u32, q, v);
            row(Quantity::QueuePackets, packets as f64);
            row(Quantity::QueueBytes, bytes as f64);
            row(Quantity::ArrivalBps, (arrived - before.arrived) / span);
            row(Quantity::DepartureBps, (left - before.left) / span);
            row(Quantity::Drops, (drops - before.drops) as f64);
            *before = Before { arrived, left, drops };
        }
    }

    /// The series.
    pub fn finish(self) -> Series {
        self.series
    }
}
