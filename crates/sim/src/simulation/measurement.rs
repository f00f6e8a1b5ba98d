//! What is measured of the whole network while it is simulated: when the summary window begins, and series.
//!
//! A measurement comes after the arrivals of its moment and before the timers.

use eddyline_scenario::series::Series;
use eddyline_units::Time;

use super::error::SimError;
use super::options::Options;
use super::series_recorder::SeriesRecorder;
use super::sorted_network::SortedNetwork;
use crate::endpoint::FlowState;
use crate::network::LinkCounts;

/// What is read from a simulation, by the places of flows and links in the sorted network.
pub trait Readings {
    /// The summary window begins.
    fn begin_window(&mut self, now: Time);

    /// The state of a flow, and the bits of it that have arrived.
    fn flow(&self, flow: usize) -> (FlowState, f64);

    /// The counters of a link.
    fn link(&mut self, now: Time, link: usize) -> LinkCounts;
}

/// The measurements of a run, those made and those to come.
#[derive(Debug)]
pub struct Measurement {
    warmup: Time,
    window_open: bool,
    recorder: Option<SeriesRecorder>,
}

impl Measurement {
    /// None made yet.
    ///
    /// # Errors
    /// As [`SeriesRecorder::new`].
    pub fn new(network: &SortedNetwork<'_>, options: &Options) -> Result<Self, SimError> {
        Ok(Self {
            warmup: network.warmup,
            window_open: false,
            recorder: options.series.then(|| SeriesRecorder::new(network)).transpose()?,
        })
    }

    /// When the next is due.
    pub fn next(&self) -> Time {
        let window = if self.window_open { Time::MAX } else { self.warmup };
        let tick = self.recorder.as_ref().map_or(Time::MAX, SeriesRecorder::next);
        window.min(tick)
    }

    /// Makes what is due.
    pub fn measure(&mut self, now: Time, readings: &mut impl Readings) {
        if !self.window_open && now >= self.warmup {
            self.window_open = true;
            readings.begin_window(now);
        }
        if let Some(r) = self.recorder.as_mut().filter(|r| r.next() <= now) {
            r.record(now, readings);
        }
    }

    /// The series so far, if they are recorded.
    pub fn series(&self) -> Option<&Series> {
        self.recorder.as_ref().map(SeriesRecorder::so_far)
    }

    /// The series.
    pub fn finish(self) -> Option<Series> {
        self.recorder.map(SeriesRecorder::finish)
    }
}
