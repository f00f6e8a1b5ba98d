//! A barrier for threads that wait shortly and often: they spin, and let others run if that takes longer.

use std::hint;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// Looks at the barrier before the processor is given to other threads.
const SPINS: u32 = 500;

/// Holds threads until all have come.
#[derive(Debug)]
pub struct Barrier {
    threads: u32,
    waiting: AtomicU32,
    /// Counts how often all have come.
    round: AtomicU32,
}

impl Barrier {
    /// For so many threads.
    pub fn new(threads: usize) -> Self {
        Self { threads: threads as u32, waiting: AtomicU32::new(0), round: AtomicU32::new(0) }
    }

    /// Returns when all threads have called it. What each did before is visible to all.
    pub fn wait(&self) {
        let round = self.round.load(Ordering::Acquire);
        if self.waiting.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.waiting.store(0, Ordering::Release);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut spins = 0;
        while self.round.load(Ordering::Acquire) == round {
            if spins < SPINS {
                spins += 1;
                hint::spin_loop();
            } else {
                thread::yield_now();
            }
        }
    }
}
