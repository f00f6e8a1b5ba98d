//! The integral of a piecewise constant rate outside outages, and its inverse, both by bisection.
//!
//! In integers, bit/s times picoseconds, so that it is exactly the sum over the pieces.

use eddyline_units::Time;

use super::piece::Piece;
use super::uptime::{Uptime, gcd};

/// One bit in units of the integral, bit/s times picoseconds.
pub(super) const BIT: u128 = 1_000_000_000_000;

/// Maximum number of pieces listed, in addition to those of one lap.
const MAX_LISTED: u64 = 1 << 20;

/// A piece begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    /// The integral until then.
    sum: u128,
    /// Picoseconds up until then.
    up: u64,
}

/// The common period of pieces and outages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Common {
    /// Laps before the outages repeat.
    before: u64,
    laps: u64,
    /// Their duration.
    length: u64,
    /// The integral before them, and over them.
    sum_before: u128,
    sum: u128,
}

/// The integral from zero.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Integral {
    /// Rate and beginning of each piece of a lap, in picoseconds.
    pieces: Vec<(u64, u128)>,
    lap: Option<u64>,
    up: Uptime,
    /// Each piece of the laps before all repeats and of the first that does, and the end of these.
    marks: Vec<Mark>,
    common: Option<Common>,
}

impl Integral {
    /// The integral of `pieces` that repeat after `lap`, while the link is `up`. If the common period has too many laps, it is known
    /// until [`end`](Self::end) only.
    pub fn new(pieces: &[Piece], lap: Option<Time>, up: Uptime) -> Self {
        let Some(lap) = lap.map(Time::as_ps) else { return Self::listing(pieces, None, (0, 1), up) };
        let (begin, cycle) = up.cycle();
        let (before, laps) = (begin.div_ceil(lap), cycle.map_or(1, |c| c / gcd(c, lap)));
        let max_laps = (MAX_LISTED / pieces.len().max(1) as u64).max(1);
        if before.saturating_add(laps) <= max_laps && before.saturating_add(laps).checked_mul(lap).is_some() {
            return Self::listing(pieces, Some(lap), (before, laps), up);
        }
        let mut some = Self::listing(pieces, Some(lap), (0, max_laps.min((u64::MAX / lap).max(1))), up);
        some.common = None;
        some
    }

    /// Until when it is known, and its value there; `None` if it is known for all times.
    pub fn end(&self) -> Option<(Time, u128)> {
        let lap = self.lap.filter(|_| self.common.is_none())?;
        let laps = ((self.marks.len() - 1) / self.pieces.len()) as u64;
        Some((Time::from_ps(laps * lap), self.marks.last()?.sum))
    }

    fn listing(pieces: &[Piece], lap: Option<u64>, (before, laps): (u64, u64), up: Uptime) -> Self {
        let pieces: Vec<(u64, u128)> = pieces.iter().map(|p| (p.from.as_ps(), u128::from(p.rate.as_bps()))).collect();
        let mut marks: Vec<Mark> = Vec::new();
        let mut rate = 0;
        let mut mark = |from: u64, next: u128| {
            let up = up.until(from);
            let sum = marks.last().map_or(0, |m| m.sum + rate * u128::from(up - m.up));
            marks.push(Mark { sum, up });
            rate = next;
        };
        for n in 0..before + laps {
            pieces.iter().for_each(|(from, rate)| mark(n * lap.unwrap_or(0) + from, *rate));
        }
        if let Some(lap) = lap {
            mark((before + laps) * lap, 0);
        }
        let sum_before = marks[before as usize * pieces.len()].sum;
        let sum = marks.last().map_or(0, |m| m.sum) - sum_before;
        let common = lap.map(|lap| Common { before, laps, length: laps * lap, sum_before, sum });
        Self { pieces, lap, up, marks, common }
    }

    /// The integral until `at`.
    pub fn until(&self, at: Time) -> u128 {
        let (mut at, mut sum, mut first) = (at.as_ps(), 0, 0);
        let mut phase = at;
        if let Some(lap) = self.lap {
            let mut laps = at / lap;
            if let Some((c, beyond)) = self.common.and_then(|c| Some((c, laps.checked_sub(c.before)?))) {
                let times = beyond / c.laps;
                at -= times * c.length;
                laps -= times * c.laps;
                sum = u128::from(times) * c.sum;
            }
            (phase, first) = (at % lap, laps as usize * self.pieces.len());
        }
        let place = self.pieces.partition_point(|p| p.0 <= phase).max(1) - 1;
        let mark = self.marks[first + place];
        sum + mark.sum + self.pieces[place].1 * u128::from(self.up.until(at) - mark.up)
    }

    /// The last whole picosecond at which it is not beyond `target`; `None` if it never reaches that, or beyond the range of [`Time`].
    ///
    /// Not the nearest: packets that fill the rate before a gap to the last bit would end a few picoseconds late together, and the last of
    /// them would wait for the end of the gap.
    pub fn reaches(&self, target: u128) -> Option<Time> {
        let (mut target, mut shift) = (target, 0);
        if let Some(c) = self.common.filter(|c| target > c.sum_before) {
            let times = u64::try_from((target - c.sum_before - 1).checked_div(c.sum)?).ok()?;
            shift = times.checked_mul(c.length)?;
            target -= u128::from(times) * c.sum;
        }
        let place = self.marks.partition_point(|m| m.sum < target).checked_sub(1)?;
        let (mark, rate) = (self.marks[place], self.pieces[place % self.pieces.len()].1);
        let rest = target - mark.sum;
        if rate == 0 {
            return None;
        }
        let up = |ps: u128| u64::try_from(ps).ok()?.checked_add(mark.up);
        let at = self.up.moment(up(rest / rate)?, up(rest.div_ceil(rate))?)?;
        at.checked_add(shift).map(Time::from_ps)
    }
}
