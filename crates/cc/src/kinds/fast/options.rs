//! What FAST, and what is made like it, can do besides its law: count another delay than that of the round trip, correct a
//! wrong base round-trip time, ask for fewer acknowledgements. A flow that wants none of it pays one comparison a packet.

use eddyline_units::{Packets, Time};

use crate::controller::{Ack, PathFacts};
use crate::kinds::fast::ack_backlog::AckBacklog;
use crate::kinds::fast::ageing::Ageing;
use crate::kinds::fast::delay::{Counted, Delay, Split};
use crate::kinds::fast::drain::{Drain, DrainChoice, Step};
use crate::kinds::fast::rate_correction::{RateCorrection, RateCorrectionParams};
use crate::parts::base_rtt::{BaseRtt, BaseRttSource};

/// What a scenario asks of these options, for worlds and checks that do not care of which kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DelayOptions {
    /// Which queueing counts.
    pub delay: Delay,
    /// Acknowledgements to keep queued on the way back.
    pub ack_alpha: Option<Packets>,
    /// Where the base round-trip time comes from.
    pub base_rtt: BaseRttSource,
    /// After which time it is forgotten.
    pub base_rtt_age: Option<Time>,
    /// Whether pauses are asked for.
    pub drain: bool,
    /// Whether it makes one when it is new.
    pub rate_correction: bool,
}

/// The options as given.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked<'a> {
    pub(crate) delay: Delay,
    pub(crate) ack_alpha: Option<Packets>,
    pub(crate) base_rtt_age: Option<Time>,
    pub(crate) drain: Option<&'a DrainChoice>,
    pub(crate) rate_correction: Option<&'a RateCorrectionParams>,
}

/// The options at work.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    counted: Option<Counted>,
    acks: Option<AckBacklog>,
    ageing: Option<Ageing>,
    drain: Option<Drain>,
    correction: Option<RateCorrection>,
    /// After a pause the flight has to grow again: packets sent before this tell nothing of the window.
    resumed: Time,
}

impl Options {
    /// None where nothing is asked for.
    pub(crate) fn new(asked: &Asked<'_>, facts: &PathFacts) -> Option<Box<Self>> {
        let counted = Counted::new(asked.delay, facts);
        let options = Self {
            // without one-way delays there is nothing to go by
            acks: asked
                .ack_alpha
                .filter(|_| counted.is_some())
                .map(|a| AckBacklog::new(a.get().max(f64::MIN_POSITIVE))),
            counted,
            ageing: asked.base_rtt_age.map(Ageing::new),
            drain: DrainChoice::of(asked.drain, asked.delay.is_one_way()),
            correction: asked.rate_correction.map(RateCorrection::new),
            resumed: Time::ZERO,
        };
        let any = options.counted.is_some()
            || options.ageing.is_some()
            || options.drain.is_some()
            || options.correction.is_some();
        any.then(|| Box::new(options))
    }

    /// Hears a sample before the law does; the belief becomes what ageing leaves of it.
    pub(crate) fn sample(&mut self, now: Time, rtt: Time, base: &mut BaseRtt) {
        if let Some(ageing) = &mut self.ageing {
            base.believe(ageing.hear(now, rtt));
        }
    }

    /// How the round trip's queueing divides, where not all of it counts; `weight` is that of the sample in averages, none
    /// in a pause.
    pub(crate) fn split(&mut self, ack: &Ack, rtt: Time, weight: Option<f64>) -> Option<Split> {
        self.counted.as_mut().map(|c| c.hear(ack, rtt, weight))
    }

    /// How acknowledgements are to come, once a sample was heard.
    pub(crate) fn ask(&mut self, ack: &Ack, window: f64) {
        if let (Some(acks), Some(counted)) = (&mut self.acks, &self.counted) {
            acks.hear(ack, counted.reverse(), window);
        }
    }

    /// What the window has to do by the cures; `empty` where the sample met no queue.
    pub(crate) fn pause(&mut self, ack: &Ack, rtt: Time, window: f64, empty: bool) -> Step {
        let first = self.correction.as_mut().filter(|_| self.drain.as_ref().is_none_or(|d| !d.is_down()));
        let step = match first.map_or(Step::None, |c| c.hear(ack, window, empty)) {
            Step::None => self.drain.as_mut().map_or(Step::None, |d| d.hear(ack, window, empty)),
            step => step,
        };
        if matches!(step, Step::Back(_)) {
            self.resumed = ack.now.saturating_add(rtt);
        }
        step
    }

    /// Whether the sample is of a pause or of the flight that grows after it: it may lower the base and must not enter averages,
    /// and the law has no say.
    pub(crate) fn is_of_a_pause(&self, ack: &Ack) -> bool {
        self.drain.as_ref().is_some_and(Drain::is_down)
            || self.correction.as_ref().is_some_and(RateCorrection::is_down)
            || ack.sent_at < self.resumed
    }

    /// A loss or a timeout.
    pub(crate) fn abandon(&mut self, now: Time, timeout: bool) {
        if let Some(drain) = &mut self.drain {
            drain.abandon(now);
        }
        if let Some(correction) = &mut self.correction {
            correction.abandon(now);
        }
        if let Some(acks) = self.acks.as_mut().filter(|_| timeout) {
            acks.forget();
        }
    }

    /// Packets to be acknowledged together, where that is for the controller to say.
    pub(crate) fn ack_ratio(&self) -> Option<u32> {
        self.acks.as_ref().map(AckBacklog::ratio)
    }
}
