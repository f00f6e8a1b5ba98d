//! Rate, delay and loss of a link over time: piecewise constant, with outages.
//!
//! The future is known, so the end of a transmission is known at its start: it is the time at which the integral of the rate has
//! grown by the packet's bits.

use eddyline_units::{Rate, Time};

use super::changes::{self, ChangeParams};
use super::integral::{BIT, Integral};
use super::outages::OutageParams;
use super::piece::Piece;
use super::recording::{Recording, Row};
use super::uptime::{Uptime, outage};

/// So many outages in a row without any transmission are taken as infinite.
const FOR_EVER: u32 = 1 << 18;
/// If there are too many outages to be listed: so many steps of one transmission are followed. Scenarios have fewer in their duration
/// ([`MAX_OUTAGES`]), so what takes more ends after the run.
const MAX_STEPS: u32 = 1 << 24;
/// Maximum number of outages in a run that cannot be listed, because they do not repeat together soon enough.
pub const MAX_OUTAGES: u64 = 5_000_000;

/// Number of outages in `duration` that have to be followed one by one; zero if they can be listed.
#[must_use]
pub fn unlisted_outages(outages: &[OutageParams], duration: Time) -> u64 {
    if Uptime::between(outages).is_some() {
        return 0;
    }
    let number = |o: &OutageParams| o.every.map_or(1, |e| duration.saturating_sub(o.start).as_ps() / e.as_ps().max(1));
    outages.iter().map(number).fold(0, u64::saturating_add)
}

/// A link over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditions {
    /// In order of time, the first at zero.
    pieces: Vec<Piece>,
    /// Period of repetition.
    period: Option<Time>,
    outages: Vec<OutageParams>,
    /// Integral of the rate outside outages; `None` if there are too many outages to be listed.
    listed: Option<Integral>,
    /// End of the listed part.
    known: Time,
    /// The integral of the rate without outages, for later times.
    whole: Option<Integral>,
}

impl Conditions {
    /// A link of this rate and delay with these steps, in order of time, and outages.
    #[must_use]
    pub fn stepping(rate: Rate, delay: Time, changes: &[ChangeParams], outages: &[OutageParams]) -> Self {
        Self::of(changes::pieces(rate, delay, changes), None, outages)
    }

    /// A link that plays a recording; this rate and delay are used where the recording has none.
    #[must_use]
    pub fn playing(rate: Rate, delay: Time, recording: &Recording, repeat: bool, outages: &[OutageParams]) -> Self {
        let piece = |p: &Row| Piece {
            from: p.from,
            rate: p.rate.unwrap_or(rate),
            delay: p.delay.unwrap_or(delay),
            loss: p.loss,
        };
        let pieces = recording.rows().iter().map(piece).collect();
        Self::of(pieces, repeat.then(|| recording.length()), outages)
    }

    fn of(pieces: Vec<Piece>, period: Option<Time>, outages: &[OutageParams]) -> Self {
        let period = period.filter(|p| *p > Time::ZERO);
        let listed = Uptime::between(outages).map(|up| Integral::new(&pieces, period, up));
        let known = listed.as_ref().map_or(Time::ZERO, |all| all.end().map_or(Time::MAX, |(at, _)| at));
        let whole = (known < Time::MAX).then(|| Integral::new(&pieces, period, Uptime::always()));
        Self { pieces, period, outages: outages.to_vec(), listed, known, whole }
    }

    /// The piece at `now` regardless of outages, and its end.
    fn piece(&self, now: Time) -> (&Piece, Time) {
        let (lap, phase) = match self.period {
            Some(p) => (Time::from_ps(now.as_ps() / p.as_ps() * p.as_ps()), Time::from_ps(now.as_ps() % p.as_ps())),
            None => (Time::ZERO, now),
        };
        let place = self.pieces.partition_point(|p| p.from <= phase).max(1) - 1;
        let next = self.pieces.get(place + 1).map(|p| p.from).or(self.period);
        (&self.pieces[place], next.map_or(Time::MAX, |next| lap.saturating_add(next)))
    }

    /// The rate at `now`, zero in an outage, and until when it holds.
    #[must_use]
    pub fn rate(&self, now: Time) -> (Rate, Time) {
        let (piece, until) = self.piece(now);
        if self.outages.is_empty() {
            return (piece.rate, until);
        }
        match outage(&self.outages, now) {
            (true, end) => (Rate::from_bps(0), end),
            (false, next) => (piece.rate, until.min(next)),
        }
    }

    /// The first time from `now` on at which the rate is not zero; [`Time::MAX`] if there is none.
    #[must_use]
    pub fn starts(&self, now: Time) -> Time {
        let mut at = now;
        for _ in 0..FOR_EVER {
            match self.rate(at) {
                (rate, until) if rate.as_bps() == 0 && until < Time::MAX => at = until,
                (rate, _) => return if rate.as_bps() == 0 { Time::MAX } else { at },
            }
        }
        Time::MAX
    }

    /// The highest rate from `from` to `to`.
    #[must_use]
    pub fn max_rate(&self, from: Time, to: Time) -> Rate {
        let rates = |pieces: &[Piece]| pieces.iter().map(|p| p.rate.as_bps()).max().unwrap_or(0);
        if self.period.is_some_and(|period| to.saturating_sub(from) >= period) {
            return Rate::from_bps(rates(&self.pieces));
        }
        let (mut at, mut highest) = (from, 0);
        loop {
            let (piece, until) = self.piece(at);
            highest = highest.max(piece.rate.as_bps());
            if until >= to {
                return Rate::from_bps(highest);
            }
            at = until;
        }
    }

    /// The propagation delay at `now`.
    #[must_use]
    pub fn delay(&self, now: Time) -> Time {
        self.piece(now).0.delay
    }

    /// The smallest propagation delay at any time.
    #[must_use]
    pub fn min_delay(&self) -> Time {
        self.pieces.iter().map(|p| p.delay).min().unwrap_or(Time::ZERO)
    }

    /// The probability of loss at `now`, if it overrides the link's.
    #[must_use]
    pub fn loss(&self, now: Time) -> Option<f64> {
        self.piece(now).0.loss
    }

    /// When the transmission of `bytes` ends that starts at `start`, rounded down to a picosecond; [`Time::MAX`] if it
    /// never does.
    #[must_use]
    pub fn end(&self, start: Time, bytes: u64) -> Time {
        let bits = u128::from(bytes) * 8 * BIT;
        if bits == 0 {
            return start;
        }
        let Some(listed) = self.listed.as_ref().filter(|_| start < self.known) else {
            return self.end_between(start, bits);
        };
        let target = listed.until(start) + bits;
        match listed.end() {
            Some((at, sum)) if target > sum => self.end_between(at, target - sum),
            _ => listed.reaches(target).unwrap_or(Time::MAX),
        }
    }

    /// From outage to outage.
    fn end_between(&self, start: Time, bits: u128) -> Time {
        let Some(whole) = &self.whole else { return Time::MAX };
        let (mut now, mut rest, mut in_vain) = (start, bits, 0);
        for _ in 0..MAX_STEPS {
            if now == Time::MAX || in_vain == FOR_EVER {
                break;
            }
            let (out, until) = outage(&self.outages, now);
            if out {
                now = until;
                continue;
            }
            let sum = whole.until(now);
            let room = whole.until(until) - sum;
            if room >= rest {
                return whole.reaches(sum + rest).unwrap_or(Time::MAX);
            }
            rest -= room;
            in_vain = if room > 0 { 0 } else { in_vain + 1 };
            // a rate of zero in the recording itself is not an outage
            now = until.max(whole.reaches(sum + room + 1).unwrap_or(Time::MAX));
        }
        Time::MAX
    }

    /// The integral between two moments.
    fn integral(&self, from: Time, to: Time) -> u128 {
        let (mut now, mut sum) = (from, 0u128);
        if let Some(listed) = self.listed.as_ref().filter(|_| from < self.known) {
            now = to.min(self.known);
            sum = listed.until(now).saturating_sub(listed.until(from));
        }
        while let Some(whole) = self.whole.as_ref().filter(|_| now < to) {
            let (out, until) = outage(&self.outages, now);
            let until = until.min(to);
            if !out {
                sum += whole.until(until) - whole.until(now);
            }
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
