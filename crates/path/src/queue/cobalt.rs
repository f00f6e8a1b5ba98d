//! COBALT, CAKE's AQM of one queue: CoDel, whose count decays step by step, combined with BLUE for unresponsive flows.

use eddyline_units::Time;

/// BLUE's steps (Feng, Shin, Kandlur, Saha 2002), as in Linux.
const BLUE_UP: f64 = 1.0 / 256.0;
const BLUE_DOWN: f64 = 1.0 / 4096.0;

/// Parameters that all queues share.
#[derive(Debug, Clone, Copy)]
pub(super) struct CobaltParams {
    /// Queueing delay above which there is congestion.
    pub target: Time,
    /// Longest common round-trip time.
    pub interval: Time,
    /// Transmission time of a full packet; a delay below four of them is no congestion.
    pub packet_time: Time,
}

/// State of one queue.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cobalt {
    count: u32,
    dropping: bool,
    drop_next: Time,
    blue_changed: Time,
    /// BLUE's drop probability.
    probability: f64,
}

/// Decision on a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Send it.
    Pass,
    /// Mark it and send it.
    Mark,
    /// Drop it.
    Drop,
}

impl Cobalt {
    fn after(&self, from: Time, params: &CobaltParams) -> Time {
        let step = params.interval.as_ps() as f64 / f64::from(self.count.max(1)).sqrt();
        from.saturating_add(Time::from_ps((step + 0.5) as u64))
    }

    /// A packet of this queue was dropped because of overflow.
    pub fn full(&mut self, now: Time, params: &CobaltParams) {
        if now.saturating_sub(self.blue_changed) > params.target {
            self.probability = (self.probability + BLUE_UP).min(1.0);
            self.blue_changed = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// The queue was served while it was empty.
    pub fn empty(&mut self, now: Time, params: &CobaltParams) {
        if self.probability > 0.0 && now.saturating_sub(self.blue_changed) > params.target {
            self.probability = (self.probability - BLUE_DOWN).max(0.0);
            self.blue_changed = now;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.drop_next = self.after(self.drop_next, params);
        }
    }

    /// Whether the state of an empty queue has decayed completely.
    pub fn at_rest(&self, now: Time) -> bool {
        self.probability <= 0.0 && self.count == 0 && now >= self.drop_next
    }

    /// Decides on the packet at the head, which has waited for `sojourn`; `uniform` is random in
    /// [0, 1).
    pub fn judge(
        &mut self,
        now: Time,
        sojourn: Time,
        ecn_capable: bool,
        params: &CobaltParams,
        uniform: impl FnOnce() -> f64,
    ) -> Verdict {
        let over = sojourn > params.target && sojourn > params.packet_time.saturating_mul(4);
        let due = self.count > 0 && now >= self.drop_next;
        if over {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = self.after(now, params);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        let mut verdict = Verdict::Pass;
        if due && self.dropping {
            verdict = if ecn_capable { Verdict::Mark } else { Verdict::Drop };
            self.count = self.count.saturating_add(1);
            self.drop_next = self.after(self.drop_next, params);
        } else if due {
            while self.count > 0 && now >= self.drop_next {
                self.count -= 1;
                self.drop_next = self.after(self.drop_next, params);
            }
        }
        // BLUE does not mark: it is for flows that do not respond to marks
        if self.probability > 0.0 && uniform() < self.probability {
            verdict = Verdict::Drop;
        }
        if self.count == 0 {
            self.drop_next = now.saturating_add(params.interval);
        } else if now > self.drop_next && verdict != Verdict::Drop {
            self.drop_next = now;
        }
        verdict
    }
}
