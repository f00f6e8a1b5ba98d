//! A drop-tail link with a constant delay, in virtual time.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// One direction.
pub struct Link {
    pub bits_per_second: f64,
    pub delay: Duration,
    /// Datagrams that may wait or be in service.
    pub buffer: usize,
    /// Datagrams that find so many in the queue are marked.
    pub mark_from: usize,
    /// Every n-th datagram is lost.
    pub lose_every: Option<u64>,
    departures: VecDeque<Instant>,
    count: u64,
    pub drops: u64,
    /// Datagrams in the queue as found by arrivals: sum and number.
    found: (u64, u64),
}

/// What became of a datagram.
pub struct Delivery {
    pub at: Instant,
    pub marked: bool,
}

impl Link {
    pub fn new(bits_per_second: f64, delay: Duration, buffer: usize) -> Self {
        Self {
            bits_per_second,
            delay,
            buffer,
            mark_from: usize::MAX,
            lose_every: None,
            departures: VecDeque::new(),
            count: 0,
            drops: 0,
            found: (0, 0),
        }
    }

    /// Sends a datagram of this size.
    pub fn send(&mut self, now: Instant, bytes: usize) -> Option<Delivery> {
        while self.departures.front().is_some_and(|&d| d <= now) {
            self.departures.pop_front();
        }
        let queued = self.departures.len();
        self.found = (self.found.0 + queued as u64, self.found.1 + 1);
        self.count += 1;
        if queued >= self.buffer || self.lose_every.is_some_and(|n| self.count.is_multiple_of(n)) {
            self.drops += 1;
            return None;
        }
        let service = Duration::from_secs_f64(bytes as f64 * 8.0 / self.bits_per_second);
        let departure = self.departures.back().copied().unwrap_or(now).max(now) + service;
        self.departures.push_back(departure);
        Some(Delivery { at: departure + self.delay, marked: queued >= self.mark_from })
    }

    /// Mean number of datagrams that arrivals have found since the last call.
    pub fn take_mean_queue(&mut self) -> f64 {
        let (sum, count) = std::mem::take(&mut self.found);
        sum as f64 / count.max(1) as f64
    }
}
