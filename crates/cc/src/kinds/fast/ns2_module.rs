//! What the ns-2 module 1.1.3 does where the equations are silent, acknowledgement by acknowledgement.
//!
//! Its window moves on a timer in every other round trip, by whole packets. An increase is spread over as many acknowledgements as
//! one period of the timer had in the round trip before; what does not fit into that time goes on, a packet per acknowledgement,
//! also in round trips without updates and after a recovery. A decrease applies at once.

use eddyline_units::Time;

/// Below this base round-trip time, in picoseconds, increases are not spread.
const SPREAD_ABOVE_PS: f64 = 4e9;

/// Up to this window an increase applies at once, at most doubling the window.
const SMALL: f64 = 4.0;

/// An acknowledgement of new data outside recovery, as the window law sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) now: Time,
    pub(super) base_ps: f64,
    pub(super) mean_ps: f64,
    pub(super) window: f64,
    /// Where the window law moves the window.
    pub(super) aim: f64,
    /// Minimum time between two updates.
    pub(super) period: Time,
}

/// State that only the ns-2 module has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ns2Module {
    /// When the present round trip began.
    round: Time,
    /// Updates happen in every other round trip.
    active: bool,
    /// When the window last moved, or was suspended from moving: the timer starts anew with every acknowledgement of the doubling
    /// phase and of a recovery.
    moved: Time,
    /// Acknowledgements in this round trip and in the one before.
    acks: u32,
    acks_before: u32,
    /// Whole packets still to be added.
    pending: f64,
    /// Acknowledgements between two of them, and since the last one.
    spacing: f64,
    since: f64,
    /// Packets in flight at the last acknowledgement outside recovery: what every packet remembers that is sent before the next.
    in_flight: f64,
}

impl Ns2Module {
    pub(super) const fn new() -> Self {
        Self {
            round: Time::ZERO,
            active: true,
            moved: Time::ZERO,
            acks: 0,
            acks_before: 0,
            pending: 0.0,
            spacing: 0.0,
            since: 0.0,
            in_flight: 0.0,
        }
    }

    /// The SYN, sent `rtt` ago, is acknowledged: the first round trip began with it.
    pub(super) fn start(&mut self, now: Time, rtt: Time) {
        self.round = now.saturating_sub(rtt);
        self.moved = now;
        self.acks = 1;
        self.in_flight = 1.0;
    }

    /// Packets in flight, as a packet that is sent now remembers them.
    pub(super) const fn in_flight(&self) -> f64 {
        self.in_flight
    }

    /// Takes the packets left in flight by an acknowledgement outside recovery. The acknowledged one still counts.
    pub(super) fn acknowledged(&mut self, left: f64) {
        self.in_flight = left + 1.0;
    }

    /// An acknowledgement within a recovery: neither a sample nor an update, and the timer starts anew.
    pub(super) fn suspend(&mut self, now: Time) {
        self.moved = now;
    }

    /// Counts an acknowledgement; a round trip lasts for as long as the latest sample.
    pub(super) fn count(&mut self, now: Time, rtt_ps: f64) {
        if now.saturating_sub(self.round).as_ps() as f64 > rtt_ps {
            self.round = now;
            self.acks_before = self.acks;
            self.acks = 0;
            self.active = !self.active;
        }
        self.acks += 1;
    }

    /// The window after an acknowledgement beyond the doubling phase.
    pub(super) fn step(&mut self, s: &Step) -> f64 {
        let spread = s.base_ps >= SPREAD_ABOVE_PS;
        if !self.active || s.now.saturating_sub(self.moved) < s.period {
            return if spread { self.grow(s) } else { s.window };
        }
        self.moved = s.now;
        // the rest of the last update is dropped
        self.pending = 0.0;
        if s.aim < s.window || !spread {
            return s.aim;
        }
        self.plan(libm::floor(s.aim - s.window), s);
        self.grow(s)
    }

    fn plan(&mut self, packets: f64, s: &Step) {
        if packets >= 1.0 {
            let acks_per_period = f64::from(self.acks_before) * s.period.as_ps() as f64 / s.mean_ps;
            self.pending = packets;
            self.spacing = libm::floor(acks_per_period / packets);
            self.since = 0.0;
        }
    }

    fn grow(&mut self, s: &Step) -> f64 {
        self.since += 1.0;
        let small = s.window <= SMALL;
        if self.pending == 0.0 || (!small && self.since < self.spacing) {
            return s.window;
        }
        let step = if small { libm::floor(s.window).min(self.pending) } else { 1.0 };
        self.pending -= step;
        self.since = 0.0;
        s.window + step
    }
}
