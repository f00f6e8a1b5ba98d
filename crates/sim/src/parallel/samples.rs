//! Samples of bottlenecks, whose waits the domains keep.

use eddyline_scenario::Network;
use eddyline_units::Time;

use crate::meter::{BottleneckSampler, SampleTimes};
use crate::simulation::Simulation;

/// Waits that are not judged yet, by domain, and the sampler that judges them.
#[derive(Debug)]
pub struct Samples {
    sampler: Option<BottleneckSampler>,
    /// Places in the network of each domain's links.
    places: Vec<Vec<u32>>,
    /// Waits at the links of each domain, sample after sample.
    kept: Vec<Vec<Time>>,
    /// The waits of one sample, by place of the link.
    waits: Vec<Time>,
}

impl Samples {
    /// None taken yet.
    pub fn new(network: &Network) -> Self {
        let waits = vec![Time::ZERO; network.links.len()];
        Self { sampler: BottleneckSampler::new(network), places: Vec::new(), kept: Vec::new(), waits }
    }

    /// When samples are taken, if at all.
    pub fn times(&self) -> Option<&SampleTimes> {
        self.sampler.as_ref().map(BottleneckSampler::times)
    }

    /// The domains are `parts`.
    pub fn set_places(&mut self, parts: &[Simulation<'_>]) {
        self.places = parts.iter().map(|part| part.net().own_links().to_vec()).collect();
        self.kept = vec![Vec::new(); parts.len()];
    }

    /// Judges the samples up to `end`, which all domains have passed; `take` gives the waits that a domain has kept.
    pub fn judge(&mut self, end: Time, mut take: impl FnMut(usize) -> Vec<Time>) {
        let Some(sampler) = self.sampler.as_mut().filter(|s| s.times().next() <= end) else { return };
        for (domain, kept) in self.kept.iter_mut().enumerate() {
            *kept = take(domain);
        }
        let mut sample = 0;
        while sampler.times().next() <= end {
            for (places, kept) in self.places.iter().zip(&self.kept) {
                let waits = &kept[sample * places.len()..][..places.len()];
                for (place, wait) in places.iter().zip(waits) {
                    self.waits[*place as usize] = *wait;
                }
            }
            sampler.sample(&self.waits);
            sample += 1;
        }
    }

    /// The sampler, with all that was judged.
    pub fn sampler(&self) -> Option<&BottleneckSampler> {
        self.sampler.as_ref()
    }
}
