//! Delay-based congestion control of acknowledgements: keeps a target number of them queued on the reverse path.
//!
//! The sender tells the receiver how many packets to acknowledge together, by the option of RFC 5690. RFC 5690 adapts that ratio to
//! lost acknowledgements; this adapts it by FAST's law, applied to the acknowledgements of a round trip: after `a` of them, of which
//! n were queued, it aims at `a + GAIN (target - n)`, and the ratio is the packets sent over that aim. In equilibrium n is the
//! target, or every packet is acknowledged. Acknowledgements that do not fill the path may grow by a few percent a round trip.

use eddyline_units::Time;

use crate::controller::Ack;
use crate::parts::round_trips::Round;

/// Share of the difference to the target by which the acknowledgements of a round trip change. A queue integrates
/// and shows a change one to two round trips later, `z^3 - z^2 + GAIN/2 (z + 1) = 0`: damped (|z| = 0.64), and unstable from 0.83 on.
const GAIN: f64 = 0.2;
/// With less than this share of the target queued, acknowledgements do not fill the path, and their number says nothing of its rate.
const FILLED: f64 = 0.5;
/// Growth of the acknowledgements of a round trip until they fill the path.
const PROBE: f64 = 1.03;
/// The ratio at most doubles or halves in a round trip.
const MAX_CHANGE: f64 = 2.0;
/// Minimum number of acknowledgements a window (RFC 5690, 4.5).
const MIN_ACKS_PER_WINDOW: f64 = 2.0;

/// The ratio.
#[derive(Debug, Clone)]
pub(crate) struct AckBacklog {
    target: f64,
    ratio: f64,
    round: Round,
    /// The present round trip; none before the first one and in a pause.
    trip: Option<RoundTrip>,
    /// The ratio in whole packets, and what it leaves of the sum of the ratios of all acknowledgements.
    whole: u32,
    rest: f64,
}

/// What arrived since the beginning of a round trip.
#[derive(Debug, Clone, Copy)]
struct RoundTrip {
    begin: Time,
    /// Packets in flight at its beginning.
    in_flight: f64,
    acks: f64,
    /// Packets that they acknowledge.
    acked: f64,
    /// Sum of their queueing delays in picoseconds.
    queueing: f64,
}

impl AckBacklog {
    pub(crate) fn new(target: f64) -> Self {
        Self { target, ratio: 1.0, round: Round::default(), trip: None, whole: 1, rest: 0.0 }
    }

    /// Takes an acknowledgement with its round-trip time and queueing delay, the latter in picoseconds, and the window.
    pub(crate) fn update(&mut self, ack: &Ack, rtt: Time, queueing: f64, window: f64) {
        if let Some(trip) = &mut self.trip {
            trip.acks += 1.0;
            trip.acked += ack.acked;
            trip.queueing += queueing;
        }
        if self.round.ends(ack) {
            if let Some(trip) = self.trip.take() {
                self.step(&trip, ack, rtt, window);
            }
            self.trip =
                Some(RoundTrip { begin: ack.now, in_flight: ack.in_flight, acks: 0.0, acked: 0.0, queueing: 0.0 });
        }
        self.rest += self.ratio;
        self.whole = self.rest as u32;
        self.rest -= f64::from(self.whole);
    }

    /// A round trip ends with `ack`.
    fn step(&mut self, trip: &RoundTrip, ack: &Ack, rtt: Time, window: f64) {
        let time = ack.now.saturating_sub(trip.begin).as_ps() as f64;
        if time <= 0.0 {
            return;
        }
        let trips = time / rtt.as_ps().max(1) as f64;
        let sent = (trip.acked + ack.in_flight - trip.in_flight).max(0.0) / trips;
        let queued = trip.queueing / time;
        let acks = if queued < FILLED * self.target { PROBE * sent / self.ratio } else { trip.acks / trips };
        let aim = (acks + GAIN * (self.target - queued)).max(MIN_ACKS_PER_WINDOW);
        self.ratio = (sent / aim)
            .clamp(self.ratio / MAX_CHANGE, self.ratio * MAX_CHANGE)
            .min(window / MIN_ACKS_PER_WINDOW)
            .max(1.0);
    }

    /// Acknowledgements of a pause do not belong to the packets sent in it.
    pub(crate) fn pause(&mut self) {
        self.trip = None;
    }

    /// The retransmission timer expired: start over.
    pub(crate) fn reset(&mut self) {
        (self.ratio, self.whole, self.rest) = (1.0, 1, 0.0);
    }

    /// Packets to be acknowledged together; ratios between whole numbers come from both of them in turn.
    pub(crate) fn ratio(&self) -> u32 {
        self.whole
    }
}
