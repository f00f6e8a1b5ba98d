//! What the sending application offers, and when.

use eddyline_scenario::network::{Application, Flow};
use eddyline_units::Time;

/// Payload bytes that may be written, and when there are more.
#[derive(Debug, Clone)]
pub struct Offer {
    application: Application,
    start: Time,
    /// Payload bytes left of the transfer.
    left: u64,
    /// Payload bytes offered and not yet written.
    ready: u64,
    /// Bursts offered so far.
    bursts: u64,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Write at most so many bytes.
    Write(u64),
    /// Wait until then.
    Wait(Time),
    /// Wait until all is acknowledged.
    Acknowledged,
    /// The transfer is complete.
    Done,
}

impl Offer {
    /// That of a flow which starts at `start`.
    #[must_use]
    pub fn new(flow: &Flow, start: Time) -> Self {
        Self { application: flow.application, start, left: flow.size.unwrap_or(u64::MAX), ready: 0, bursts: 0 }
    }

    /// What to do at `now`; `acknowledged` says whether all that was written has been acknowledged.
    pub fn next(&mut self, now: Time, acknowledged: bool) -> Next {
        if self.left == 0 {
            return Next::Done;
        }
        match self.application {
            Application::Bulk => self.ready = self.left,
            Application::Bursts { bytes, every } => {
                while self.start.saturating_add(every.saturating_mul(self.bursts)) <= now {
                    self.ready += bytes;
                    self.bursts += 1;
                }
                if self.ready == 0 {
                    return Next::Wait(self.start.saturating_add(every.saturating_mul(self.bursts)));
                }
            }
            Application::Objects { bytes } => {
                if self.ready == 0 {
                    if self.bursts > 0 && !acknowledged {
                        return Next::Acknowledged;
                    }
                    self.ready = bytes;
                    self.bursts += 1;
                }
            }
        }
        Next::Write(self.ready.min(self.left))
    }

    /// So many bytes were written.
    pub fn written(&mut self, bytes: u64) {
        self.ready = self.ready.saturating_sub(bytes);
        self.left = self.left.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(application: Application, left: u64) -> Offer {
        Offer { application, start: Time::from_ms(100), left, ready: 0, bursts: 0 }
    }

    #[test]
    fn a_transfer_ends() {
        let mut bulk = offer(Application::Bulk, 3_000);
        assert_eq!(bulk.next(Time::ZERO, false), Next::Write(3_000));
        bulk.written(3_000);
        assert_eq!(bulk.next(Time::ZERO, false), Next::Done);
    }

    #[test]
    fn bursts_keep_their_times() {
        let mut bursts = offer(Application::Bursts { bytes: 500, every: Time::from_ms(20) }, u64::MAX);
        assert_eq!(bursts.next(Time::from_ms(100), false), Next::Write(500));
        bursts.written(500);
        assert_eq!(bursts.next(Time::from_ms(101), false), Next::Wait(Time::from_ms(120)));
        assert_eq!(bursts.next(Time::from_ms(145), false), Next::Write(1_000), "two are due");
    }

    #[test]
    fn the_next_object_waits_for_the_acknowledgement() {
        let mut objects = offer(Application::Objects { bytes: 500 }, u64::MAX);
        assert_eq!(objects.next(Time::ZERO, true), Next::Write(500));
        objects.written(500);
        assert_eq!(objects.next(Time::ZERO, false), Next::Acknowledged);
        assert_eq!(objects.next(Time::ZERO, true), Next::Write(500));
    }
}
