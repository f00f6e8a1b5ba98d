//! Samples of the waits at links, from which bottlenecks are told.

use eddyline_units::Time;

use crate::meter::{BottleneckSampler, SampleTimes};
use crate::network::Net;

/// What becomes of the samples of a simulation.
#[derive(Debug)]
pub enum Sampling {
    /// There are none.
    Off,
    /// They are judged at once; the second value is room for the waits of one sample.
    Judged(Box<BottleneckSampler>, Vec<Time>),
    /// Those of the simulation's own links are kept, to be judged with those of other parts.
    Kept(Box<SampleTimes>, Vec<Time>),
}

impl Sampling {
    /// Judged, if there is a sampler.
    pub fn judged(sampler: Option<BottleneckSampler>) -> Self {
        sampler.map_or(Self::Off, |sampler| Self::Judged(Box::new(sampler), Vec::new()))
    }

    /// Kept, if there are such times.
    pub fn kept(times: Option<SampleTimes>) -> Self {
        times.map_or(Self::Off, |times| Self::Kept(Box::new(times), Vec::new()))
    }

    /// When the next sample is due.
    pub fn next(&self) -> Time {
        match self {
            Self::Off => Time::MAX,
            Self::Judged(sampler, _) => sampler.times().next(),
            Self::Kept(times, _) => times.next(),
        }
    }

    /// Takes the sample that is due.
    pub fn sample(&mut self, now: Time, net: &Net) {
        let waits = (0..net.own_links().len() as u32).map(|link| net.wait(now, link));
        match self {
            Self::Off => {}
            Self::Judged(sampler, room) => {
                room.clear();
                room.extend(waits);
                sampler.sample(room);
            }
            Self::Kept(times, kept) => {
                kept.extend(waits);
                times.advance();
            }
        }
    }
}
