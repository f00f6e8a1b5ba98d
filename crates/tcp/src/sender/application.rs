//! What the application offers and when: start, bursts, stop, size.

use eddyline_units::Time;

use crate::config::{Application, Transfer};

/// The sending application.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct ApplicationSource {
    model: Application,
    stop: Time,
    size: u64,
    // what every event reads
    /// When the application starts, offers more or stops.
    timer: Time,
    /// Data below this number has been offered; the FIN takes this number once the application closes.
    offered: u64,
    closed: bool,
}

impl ApplicationSource {
    /// Nothing offered yet.
    pub fn new(transfer: &Transfer) -> Self {
        Self {
            model: transfer.application,
            offered: 0,
            closed: false,
            timer: transfer.start,
            stop: transfer.stop.unwrap_or(Time::MAX),
            size: transfer.size.unwrap_or(u64::MAX),
        }
    }

    /// When [`on_timer`](Self::on_timer) is due.
    #[inline]
    pub fn next_timer(&self) -> Time {
        self.timer
    }

    /// Offers more data, or closes.
    pub fn on_timer(&mut self, now: Time, una: u64, nxt: u64) {
        if now >= self.stop {
            // unsent data is never sent; a FIN that was sent keeps its number
            self.offered = self.offered.min(nxt);
            self.closed = true;
            self.timer = Time::MAX;
            return;
        }
        match self.model {
            Application::Bulk => {
                self.offered = self.size;
                self.timer = self.stop;
            }
            Application::Bursts { bytes, every } => {
                self.offered = self.offered.saturating_add(bytes).min(self.size);
                self.timer = now.saturating_add(every).min(self.stop);
            }
            Application::Objects { bytes } => {
                if una == self.offered {
                    self.offered = self.offered.saturating_add(bytes).min(self.size);
                }
                self.timer = self.stop;
            }
        }
        if self.offered == self.size && self.size != u64::MAX {
            self.closed = true;
            self.timer = self.stop;
        }
    }

    /// Everything below `una` is acknowledged: the request for the next object comes with the acknowledgement.
    #[inline]
    pub fn on_advance(&mut self, now: Time, una: u64) {
        if una == self.offered && matches!(self.model, Application::Objects { .. }) {
            self.timer = now;
        }
    }

    /// Offered bytes from `nxt` on.
    #[inline]
    pub fn unsent(&self, nxt: u64) -> u64 {
        self.offered.saturating_sub(nxt)
    }

    /// Whether the FIN is next.
    #[inline]
    pub fn is_fin_next(&self, nxt: u64) -> bool {
        self.closed && nxt == self.offered
    }

    /// Whether `seq` is the FIN's number.
    #[inline]
    pub fn is_fin(&self, seq: u64) -> bool {
        self.closed && seq == self.offered
    }

    /// The FIN's number, once the application has closed.
    pub fn fin(&self) -> u64 {
        self.offered
    }

    /// How many of the `len` numbers from `seq` on are data: a range may end with the FIN's number.
    #[inline]
    pub fn data_within(&self, seq: u64, len: u64) -> u64 {
        if self.closed { len.min(self.offered - seq) } else { len }
    }

    /// Whether everything is acknowledged, the FIN included.
    #[inline]
    pub fn is_complete(&self, una: u64) -> bool {
        self.closed && una > self.offered
    }

    /// The connection is closed.
    pub fn finish(&mut self) {
        self.timer = Time::MAX;
    }
}
