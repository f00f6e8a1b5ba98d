//! Samples of bottlenecks, whose waits the domains keep.

use eddyline_scenario::Network;
use eddyline_units::Time;

use crate::meter::BottleneckSampler;
use crate::simulation::{Simulation, own_visits};

/// Waits that are not judged yet, by domain, and the sampler that judges them.
#[derive(Debug)]
pub struct Samples {
    sampler: Option<BottleneckSampler>,
    /// Of each domain, which visits are to its links.
    visits: Vec<Vec<u32>>,
    /// Waits in each domain, sample after sample.
    kept: Vec<Vec<Time>>,
    /// The waits of one sample.
    waits: Vec<Time>,
}

impl Samples {
    /// None taken yet.
    pub fn new(network: &Network) -> Self {
        let sampler = BottleneckSampler::new(network);
        let waits = vec![Time::ZERO; sampler.as_ref().map_or(0, |s| s.visits().len())];
        Self { sampler, visits: Vec::new(), kept: Vec::new(), waits }
    }

    /// The domains are `parts`.
    pub fn set_domains(&mut self, parts: &[Simulation<'_>]) {
        let visits = self.sampler.as_ref().map_or(&[][..], BottleneckSampler::visits);
        let of = |part: &Simulation<'_>| own_visits(visits, part.net()).map(|(place, ..)| place).collect();
        self.visits = parts.iter().map(of).collect();
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
            for (visits, kept) in self.visits.iter().zip(&self.kept) {
                let waits = &kept[sample * visits.len()..][..visits.len()];
                for (visit, wait) in visits.iter().zip(waits) {
                    self.waits[*visit as usize] = *wait;
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
