//! Rate, delay and loss of a link over time: constant in pieces, with outages in between.
//!
//! What lies ahead is known, so the end of a transmission is known at its start: it is where the integral of the rate has
//! grown by the packet's bits.

use eddyline_units::{Rate, Time};

use super::{ChangeParams, Line, OutageParams, Recording, changes};

/// A unit of the integral: one bit is that many bit/s times picoseconds.
const BIT: u128 = 1_000_000_000_000;

/// What holds from a moment on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// The moment.
    pub from: Time,
    /// Rate of transmission; zero while nothing is transmitted.
    pub rate: Rate,
    /// One-way propagation delay.
    pub delay: Time,
    /// Probability of loss, where it is not the link's own.
    pub loss: Option<f64>,
}

/// A link over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditions {
    /// In order of time, the first at zero.
    pieces: Vec<Piece>,
    /// After this they begin again.
    period: Option<Time>,
    /// Bits times [`BIT`] of one period.
    of_period: u128,
    outages: Vec<OutageParams>,
}

impl Conditions {
    /// A link of this rate and delay with these steps, in order of time, and outages.
    #[must_use]
    pub fn stepping(rate: Rate, delay: Time, changes: &[ChangeParams], outages: &[OutageParams]) -> Self {
        Self::of(changes::pieces(rate, delay, changes), None, outages)
    }

    /// A link that plays a recording; what that does not hold is this rate and delay.
    #[must_use]
    pub fn playing(rate: Rate, delay: Time, recording: &Recording, repeat: bool, outages: &[OutageParams]) -> Self {
        let piece = |p: &Line| Piece {
            from: p.from,
            rate: p.rate.unwrap_or(rate),
            delay: p.delay.unwrap_or(delay),
            loss: p.loss,
        };
        let pieces = recording.lines().iter().map(piece).collect();
        Self::of(pieces, repeat.then(|| recording.length()), outages)
    }

    fn of(pieces: Vec<Piece>, period: Option<Time>, outages: &[OutageParams]) -> Self {
        let mut conditions = Self { pieces, period: None, of_period: 0, outages: Vec::new() };
        if let Some(length) = period.filter(|p| *p > Time::ZERO) {
            conditions.of_period = conditions.integral(Time::ZERO, length);
            conditions.period = Some(length);
        }
        conditions.outages = outages.to_vec();
        conditions
    }

    /// What holds at `now` but for outages, and until when.
    fn piece(&self, now: Time) -> (&Piece, Time) {
        let (lap, phase) = match self.period {
            Some(p) => (Time::from_ps(now.as_ps() / p.as_ps() * p.as_ps()), Time::from_ps(now.as_ps() % p.as_ps())),
            None => (Time::ZERO, now),
        };
        let place = self.pieces.partition_point(|p| p.from <= phase).max(1) - 1;
        let next = self.pieces.get(place + 1).map(|p| p.from).or(self.period);
        (&self.pieces[place], next.map_or(Time::MAX, |next| lap.saturating_add(next)))
    }

    /// Whether the link is out at `now`, and until when that holds.
    fn outage(&self, now: Time) -> (bool, Time) {
        let all = self.outages.iter().map(|o| o.at(now));
        all.fold((false, Time::MAX), |(out, until), (o, u)| match (out, o) {
            (true, true) => (true, until.max(u)),
            (true, false) => (true, until),
            (false, true) => (true, u),
            (false, false) => (false, until.min(u)),
        })
    }

    /// The rate at `now`, zero in an outage, and until when it holds.
    #[must_use]
    pub fn rate(&self, now: Time) -> (Rate, Time) {
        let (piece, until) = self.piece(now);
        if self.outages.is_empty() {
            return (piece.rate, until);
        }
        match self.outage(now) {
            (true, end) => (Rate::from_bps(0), end),
            (false, next) => (piece.rate, until.min(next)),
        }
    }

    /// The propagation delay at `now`.
    #[must_use]
    pub fn delay(&self, now: Time) -> Time {
        self.piece(now).0.delay
    }

    /// The probability of loss at `now` where it is not the link's own.
    #[must_use]
    pub fn loss(&self, now: Time) -> Option<f64> {
        self.piece(now).0.loss
    }

    /// When the transmission of `bytes` ends that starts at `start`; [`Time::MAX`] if it never does.
    #[must_use]
    pub fn end(&self, start: Time, bytes: u64) -> Time {
        let mut rest = u128::from(bytes) * 8 * BIT;
        let mut now = start;
        while rest > 0 {
            (now, rest) = self.skip(now, rest);
            if let (Piece { rate, .. }, Time::MAX) = self.piece(now)
                && rate.as_bps() == 0
            {
                // outages may come and go for ever after the last piece
                return Time::MAX;
            }
            let (rate, until) = self.rate(now);
            let bps = u128::from(rate.as_bps());
            let room = bps * u128::from((until - now).as_ps());
            if bps > 0 && room >= rest {
                // to the nearest picosecond, as a link of one rate
                let ps = (rest + bps / 2) / bps;
                return u64::try_from(ps).map_or(Time::MAX, |ps| now.saturating_add(Time::from_ps(ps)));
            }
            if until == Time::MAX {
                return Time::MAX;
            }
            rest -= room;
            now = until;
        }
        now
    }

    /// Over whole periods before the next outage at once.
    fn skip(&self, now: Time, rest: u128) -> (Time, u128) {
        let Some(period) = self.period else { return (now, rest) };
        let clear = match self.outage(now) {
            (false, next) => next - now,
            (true, _) => return (now, rest),
        };
        let laps = clear.as_ps() / period.as_ps();
        if self.of_period == 0 {
            return (now.saturating_add(period.saturating_mul(laps)), rest);
        }
        // one less, or the last bit could fall on the end of a lap
        let laps = u64::try_from((rest - 1) / self.of_period).unwrap_or(u64::MAX).min(laps);
        (now.saturating_add(period.saturating_mul(laps)), rest - u128::from(laps) * self.of_period)
    }

    /// Bits times [`BIT`] that can be transmitted from `from` to `to`.
    fn integral(&self, from: Time, to: Time) -> u128 {
        let (mut now, mut sum) = (from, 0u128);
        while now < to {
            let (rate, until) = self.rate(now);
            let until = until.min(to);
            sum += u128::from(rate.as_bps()) * u128::from((until - now).as_ps());
            now = until;
        }
        sum
    }

    /// Bits that can be transmitted from `from` to `to`.
    #[must_use]
    pub fn bits(&self, from: Time, to: Time) -> f64 {
        self.integral(from, to) as f64 / BIT as f64
    }
}
