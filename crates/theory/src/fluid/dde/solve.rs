//! The integrator.

use std::ops::ControlFlow;

use thiserror::Error;

use super::System;
use super::past::{Past, Piece};
use super::tableau::{A, C, D, E};

/// Settings of the integrator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Local error allowed in a step, relative to [`System::scales`].
    pub tolerance: f64,
    /// First step tried, in seconds.
    pub first_step: f64,
    /// Longest step, in seconds.
    pub longest_step: f64,
    /// Steps may not be shorter than this: jumps that no stop announced are crossed with one such step. Stops are left
    /// out by as much on either side.
    pub shortest_step: f64,
    /// Steps, rejected ones included, after which to give up.
    pub max_steps: u64,
    /// Steps of `longest_step` without error control, for measuring orders of convergence.
    pub fixed: bool,
}

/// Counts of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Steps accepted.
    pub accepted: u64,
    /// Steps rejected for their error.
    pub rejected: u64,
    /// Events.
    pub events: u64,
    /// Stops that were passed.
    pub stops: u64,
}

/// Why the integration failed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum DdeError {
    /// Too many steps.
    #[error("{steps} steps were taken by {time_s} s of {end_s} s; the limit on steps was reached")]
    TooManySteps {
        /// How many.
        steps: u64,
        /// Time reached in seconds.
        time_s: f64,
        /// End in seconds.
        end_s: f64,
    },
    /// The solution is not finite.
    #[error("the solution ceased to be finite at {time_s} s")]
    NotFinite {
        /// When.
        time_s: f64,
    },
    /// The observer stopped it.
    #[error("interrupted")]
    Interrupted,
}

/// Limit on events at one time.
const MAX_SWITCHES: usize = 8;

/// Limit on iterations of a step with delayed arguments inside it, before it is shortened.
const MAX_ITERATIONS: usize = 12;

struct Stepper {
    k: [Vec<f64>; 7],
    y: Vec<f64>,
    next: Vec<f64>,
    stage: Vec<f64>,
    scales: Vec<f64>,
    events: Vec<f64>,
    built: Piece,
    /// Pieces for reuse.
    spare: Vec<Piece>,
}

/// Integrates `system` from `y` at `begin` to `end`; `observe` sees every piece of the solution, with the history and
/// the state that the system is in during it, and may stop the integration. Returns y at `end`.
///
/// # Errors
/// [`DdeError`].
pub fn solve<S: System>(
    system: &mut S,
    (begin, end): (f64, f64),
    y: &[f64],
    settings: &Settings,
    observe: &mut dyn FnMut(&mut S, &Piece, &Past) -> ControlFlow<()>,
) -> Result<(Vec<f64>, Statistics), DdeError> {
    let mut run = Run::new(system, (begin, end), y, settings, observe);
    while run.t < end {
        let shortest = settings.shortest_step + 64.0 * f64::EPSILON * run.t.abs();
        run.restart(shortest);
        let stop = run.system.next_stop();
        // a step never ends so close to a stop that the next one would have no length
        let room = if stop < end { stop - shortest - run.t } else { end - run.t };
        if room <= shortest {
            run.cross(stop, room, shortest)?;
        } else {
            let event = run.step(stop, room, shortest)?;
            run.finish(event);
        }
    }
    Ok((run.s.y, run.statistics))
}

/// An integration under way.
struct Run<'a, S> {
    system: &'a mut S,
    settings: &'a Settings,
    observe: &'a mut dyn FnMut(&mut S, &Piece, &Past) -> ControlFlow<()>,
    s: Stepper,
    past: Past,
    t: f64,
    end: f64,
    /// The next step tried.
    h: f64,
    /// The derivatives at `t` are known.
    fresh: bool,
    tried: u64,
    statistics: Statistics,
}

impl<'a, S: System> Run<'a, S> {
    fn new(
        system: &'a mut S,
        (begin, end): (f64, f64),
        y: &[f64],
        settings: &'a Settings,
        observe: &'a mut dyn FnMut(&mut S, &Piece, &Past) -> ControlFlow<()>,
    ) -> Self {
        let n = system.unknowns();
        let mut slopes = vec![0.0; n];
        system.history(&mut slopes);
        let s = Stepper {
            k: std::array::from_fn(|_| vec![0.0; n]),
            y: y.to_vec(),
            next: vec![0.0; n],
            stage: vec![0.0; n],
            scales: vec![0.0; n],
            events: vec![0.0; system.events()],
            built: Piece::new(n),
            spare: Vec::new(),
        };
        Self {
            system,
            settings,
            observe,
            s,
            past: Past::new(begin, y, slopes),
            t: begin,
            end,
            h: settings.first_step,
            fresh: false,
            tried: 0,
            statistics: Statistics::default(),
        }
    }

    /// Processes the stops at `t`, then computes the derivatives there.
    fn restart(&mut self, shortest: f64) {
        while self.system.next_stop() <= self.t {
            self.system.stopped(self.t, &mut self.s.y, &self.past);
            self.statistics.stops += 1;
            self.fresh = false;
        }
        if !self.fresh {
            self.s.begin(self.system, self.t, &mut self.past, shortest, &mut self.statistics);
        }
    }

    /// Crosses a stop, or reaches the end, that is too close for a step.
    fn cross(&mut self, stop: f64, room: f64, shortest: f64) -> Result<(), DdeError> {
        self.tried += 1;
        let last = stop >= self.end;
        let length = if last { room.max(f64::EPSILON * self.t.abs()) } else { stop + shortest - self.t };
        self.leap(length)?;
        (self.statistics.accepted, self.fresh) = (self.statistics.accepted + 1, false);
        if last {
            self.t = self.end;
        }
        Ok(())
    }

    fn leap(&mut self, length: f64) -> Result<(), DdeError> {
        let observed = self.s.leap(self.system, &mut self.t, length, &mut self.past, self.observe);
        if observed.is_break() { Err(DdeError::Interrupted) } else { Ok(()) }
    }

    /// A step of at most `room`, shortened as the error requires, or up to an event.
    fn step(&mut self, stop: f64, room: f64, shortest: f64) -> Result<Option<usize>, DdeError> {
        let mut length = self.h.min(self.settings.longest_step).min(room);
        if room - length < shortest {
            length = room;
        }
        let mut located = None;
        loop {
            let (accepted, wanted) = self.attempt(length, shortest)?;
            if !accepted {
                self.statistics.rejected += 1;
                length = (length * wanted.min(0.9)).max(shortest);
                located = None;
                continue;
            }
            if located.is_none() {
                if let Some((event, at)) = self.s.locate(self.system, self.t, length, &mut self.past) {
                    located = Some(event);
                    if at <= shortest {
                        // the event is at the start of the step
                        self.leap(shortest.min(room))?;
                        return Ok(located);
                    }
                    length = at;
                    continue;
                }
                self.h = length * if self.settings.fixed { 1.0 } else { wanted };
            }
            self.t = if length == room && stop >= self.end { self.end } else { self.t + length };
            if self.s.accept(self.system, self.t, &mut self.past, self.observe).is_break() {
                return Err(DdeError::Interrupted);
            }
            self.s.k.swap(0, 6);
            return Ok(located);
        }
    }

    /// Tries a step. Returns whether its error is acceptable, and the factor to the next length.
    fn attempt(&mut self, length: f64, shortest: f64) -> Result<(bool, f64), DdeError> {
        self.tried += 1;
        let (t, settings) = (self.t, self.settings);
        if self.tried > settings.max_steps {
            return Err(DdeError::TooManySteps { steps: settings.max_steps, time_s: t, end_s: self.end });
        }
        let error = self.s.attempt(self.system, t, length, &mut self.past, settings);
        if error.is_nan() && length <= shortest {
            return Err(DdeError::NotFinite { time_s: t });
        }
        let wanted = if error.is_nan() {
            0.1
        } else if error > 0.0 {
            (0.9 * libm::pow(error, -0.2)).clamp(0.2, 5.0)
        } else {
            5.0
        };
        Ok((!error.is_nan() && (error <= 1.0 || settings.fixed || length <= shortest), wanted))
    }

    /// After a step: handles its event and drops history that is no longer needed.
    fn finish(&mut self, event: Option<usize>) {
        self.statistics.accepted += 1;
        self.fresh = event.is_none();
        if let Some(event) = event {
            self.system.fire(event, self.t, &mut self.s.y, &self.past);
            self.statistics.events += 1;
        }
        self.system.stepped(self.t, &self.s.y, &self.past);
        let earliest = self.system.earliest();
        while self.past.pieces.get(1).is_some_and(|second| second.start < earliest) {
            self.s.spare.extend(self.past.pieces.pop_front());
        }
        if self.settings.fixed {
            self.h = self.settings.longest_step;
        }
    }
}

impl Stepper {
    /// Derivatives at the start of a step, after the events there.
    fn begin<S: System>(&mut self, system: &mut S, t: f64, past: &mut Past, short: f64, statistics: &mut Statistics) {
        for _ in 0..MAX_SWITCHES {
            past.trial.line(t, short, &self.y, &self.k[0]);
            system.rates(t, &self.y, past, &mut self.k[0], &mut self.events);
            let Some(event) = self.events.iter().position(|g| *g > 0.0) else { return };
            system.fire(event, t, &mut self.y, past);
            statistics.events += 1;
        }
        past.trial.line(t, short, &self.y, &self.k[0]);
        system.rates(t, &self.y, past, &mut self.k[0], &mut self.events);
    }

    /// A straight step over a discontinuity, too short to matter.
    fn leap<S: System>(
        &mut self,
        system: &mut S,
        t: &mut f64,
        length: f64,
        past: &mut Past,
        observe: &mut dyn FnMut(&mut S, &Piece, &Past) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for ((next, y), dy) in self.next.iter_mut().zip(&self.y).zip(&self.k[0]) {
            *next = y + length * dy;
        }
        past.trial.line(*t, length, &self.y, &self.k[0]);
        *t += length;
        self.accept(system, *t, past, observe)
    }

    fn accept<S: System>(
        &mut self,
        system: &mut S,
        t: f64,
        past: &mut Past,
        observe: &mut dyn FnMut(&mut S, &Piece, &Past) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // rounding: the next piece begins where this one ends
        past.trial.length = t - past.trial.start;
        let mut piece = self.spare.pop().unwrap_or_else(|| Piece::new(self.y.len()));
        std::mem::swap(&mut past.trial, &mut piece);
        past.pieces.push_back(piece);
        std::mem::swap(&mut self.y, &mut self.next);
        past.pieces.back().map_or(ControlFlow::Continue(()), |piece| observe(system, piece, past))
    }

    /// One step; afterwards the trial is its extension. Returns the error over the tolerance.
    fn attempt<S: System>(&mut self, system: &mut S, t: f64, h: f64, past: &mut Past, settings: &Settings) -> f64 {
        system.scales(&self.y, &mut self.scales);
        past.trial.line(t, h, &self.y, &self.k[0]);
        let mut previous: Vec<f64> = Vec::new();
        for iteration in 0..MAX_ITERATIONS {
            past.touched.set(false);
            for j in 1..7 {
                for i in 0..self.y.len() {
                    let sum: f64 = A[j].iter().zip(&self.k).map(|(a, k)| a * k[i]).sum();
                    self.stage[i] = self.y[i] + h * sum;
                }
                let (_, rest) = self.k.split_at_mut(j);
                system.rates(t + C[j] * h, &self.stage, past, &mut rest[0], &mut self.events);
            }
            self.next.copy_from_slice(&self.stage);
            self.extend(t, h);
            std::mem::swap(&mut past.trial, &mut self.built);
            if !past.touched.get() {
                break;
            }
            let moved = previous.iter().zip(&self.next).zip(&self.scales).map(|((a, b), s)| (a - b).abs() / s);
            let moved = moved.fold(0.0, f64::max);
            if iteration > 0 && moved <= 0.01 * settings.tolerance {
                break;
            }
            if iteration + 1 == MAX_ITERATIONS && moved > 0.1 * settings.tolerance {
                return 32.0;
            }
            previous.clear();
            previous.extend_from_slice(&self.next);
        }
        let mut worst = 0.0f64;
        for i in 0..self.y.len() {
            let sum: f64 = E.iter().zip(&self.k).map(|(e, k)| e * k[i]).sum();
            if !self.next[i].is_finite() {
                return f64::NAN;
            }
            worst = worst.max((h * sum).abs() / (self.scales[i] * settings.tolerance));
        }
        worst
    }

    /// The continuous extension of the step.
    fn extend(&mut self, t: f64, h: f64) {
        (self.built.start, self.built.length) = (t, h);
        for i in 0..self.y.len() {
            let change = self.next[i] - self.y[i];
            let bend = h * self.k[0][i] - change;
            let quartic: f64 = D.iter().zip(&self.k).map(|(d, k)| d * k[i]).sum();
            self.built.form[i] = [self.y[i], change, bend, change - h * self.k[6][i] - bend, h * quartic];
        }
    }

    /// The first event within the step, and how far into it.
    fn locate<S: System>(&mut self, system: &mut S, t: f64, h: f64, past: &mut Past) -> Option<(usize, f64)> {
        if !self.events.iter().any(|g| *g > 0.0) {
            return None;
        }
        let mut first: Option<(usize, f64)> = None;
        let at_end = self.events.clone();
        for (event, _) in at_end.iter().enumerate().filter(|(_, g)| **g > 0.0) {
            let at_end = at_end[event];
            let mut value = |this: &mut Self, at: f64| {
                let piece = &past.trial;
                for (i, y) in this.stage.iter_mut().enumerate() {
                    *y = piece.value(i, t + at);
                }
                let (stage, dy) = (&this.stage, &mut this.k[5]);
                system.rates(t + at, stage, past, dy, &mut this.events);
                this.events[event]
            };
            let (mut low, mut high) = (0.0, first.map_or(h, |f| f.1));
            let mut above = if first.is_some() { value(self, high) } else { at_end };
            if above <= 0.0 {
                continue;
            }
            let mut below = value(self, 0.0);
            // Illinois: the secant, halving the weight of the end that stays
            let mut side = 0;
            for _ in 0..80 {
                if below > 0.0 || high - low <= 1e-13 * h.max(t.abs() * 1e-3) {
                    break;
                }
                let guess =
                    if above > below { (low * above - high * below) / (above - below) } else { 0.5 * (low + high) };
                let at = if guess > low && guess < high { guess } else { 0.5 * (low + high) };
                let g = value(self, at);
                if g > 0.0 {
                    (high, above) = (at, g);
                    below *= if side == 1 { 0.5 } else { 1.0 };
                    side = 1;
                } else {
                    (low, below) = (at, g);
                    above *= if side == -1 { 0.5 } else { 1.0 };
                    side = -1;
                }
            }
            first = Some((event, if below > 0.0 { 0.0 } else { high }));
        }
        first
    }
}
