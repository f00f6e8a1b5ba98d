//! Random streams, one per entity and purpose: a new flow or an additional draw changes no other stream.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// A seekable stream of a fixed algorithm (ChaCha8), the same on every platform.
#[derive(Debug, Clone)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of the entity called `name` for `purpose` under the scenario's `seed`.
    #[must_use]
    pub fn new(seed: u64, name: &str, purpose: &str) -> Self {
        let mut key = [0u8; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&name_hash(name).to_le_bytes());
        key[16..24].copy_from_slice(&name_hash(purpose).to_le_bytes());
        key[24..].copy_from_slice(b"eddyline");
        Self(ChaCha8Rng::from_seed(key))
    }

    /// Sixty-four random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform over the integers below `n`; zero if `n` is zero. Biased by less than n / 2^64.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// Uniform in (0, 1], for logarithms.
    pub fn uniform_above_zero(&mut self) -> f64 {
        1.0 - self.uniform()
    }
}

/// 64-bit FNV-1a, to derive keys from names.
#[must_use]
pub fn name_hash(name: &str) -> u64 {
    name.as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}
