//! A barrier for threads that wait often: they spin a little before they sleep.

use std::hint;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Looks at the barrier before a thread sleeps: some ten microseconds.
const SPINS: u32 = 2_000;

/// Holds threads until all have come.
#[derive(Debug)]
pub struct Barrier {
    threads: u32,
    waiting: Mutex<u32>,
    /// Counts how often all have come.
    round: AtomicU32,
    all_here: Condvar,
}

impl Barrier {
    /// For so many threads.
    pub fn new(threads: usize) -> Self {
        Self { threads: threads as u32, waiting: Mutex::new(0), round: AtomicU32::new(0), all_here: Condvar::new() }
    }

    /// Returns when all threads have called it. What each did before is visible to all.
    pub fn wait(&self) {
        let round = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let round = self.round.load(Ordering::Acquire);
            *waiting += 1;
            if *waiting == self.threads {
                *waiting = 0;
                self.round.store(round.wrapping_add(1), Ordering::Release);
                drop(waiting);
                return self.all_here.notify_all();
            }
            round
        };
        let here = || self.round.load(Ordering::Acquire) != round;
        for _ in 0..SPINS {
            if here() {
                return;
            }
            hint::spin_loop();
        }
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.all_here.wait_while(waiting, |_| !here()).unwrap_or_else(PoisonError::into_inner));
    }
}
