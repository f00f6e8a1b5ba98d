//! Corruption on the wire: a bit of a packet is damaged, and the packet travels on to the end of its path, where its checksum is checked.

use crate::random::Stream;

/// State of the corruption of a link.
#[derive(Debug, Clone)]
pub struct Corruption {
    /// A packet is damaged when its random bits are below this.
    below: u64,
    stream: Stream,
}

impl Corruption {
    /// That of the link called `name`, of each packet with this probability below 1; `None` if the probability is zero.
    #[must_use]
    pub fn new(probability: f64, seed: u64, name: &str) -> Option<Self> {
        (probability > 0.0).then(|| Self {
            // 2^64 as a float; the probability is below 1, so the product fits
            below: (probability * 18_446_744_073_709_551_616.0) as u64,
            stream: Stream::new(seed, name, "corruption"),
        })
    }

    /// Whether the next packet in order of transmission is damaged.
    pub fn damages(&mut self) -> bool {
        self.stream.bits() < self.below
    }
}
