//! Options of FAST and VFAST beyond the window law: a one-way congestion signal, corrections of a wrong base round-trip time, fewer
//! acknowledgements. A flow without options pays one comparison a packet.

use eddyline_units::{Packets, Time};

use crate::controller::{Ack, PathFacts};
use crate::kinds::fast::ack_backlog::AckBacklog;
use crate::kinds::fast::ageing::Ageing;
use crate::kinds::fast::delay::{Counted, Delay, Split};
use crate::kinds::fast::drain::{Drain, DrainChoice, Step};
use crate::kinds::fast::rate_correction::{RateCorrection, RateCorrectionParams};
use crate::parts::base_rtt::{BaseRtt, BaseRttSource};

/// The options that a scenario sets, independent of the kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DelayOptions {
    /// Which queueing delay is the congestion signal.
    pub delay: Delay,
    /// Acknowledgements to keep queued on the reverse path.
    pub ack_alpha: Option<Packets>,
    /// Where the base round-trip time comes from.
    pub base_rtt: BaseRttSource,
    /// Time after which its samples expire.
    pub base_rtt_age: Option<Time>,
    /// Whether the flow pauses periodically.
    pub drain: bool,
    /// Whether a new flow pauses once.
    pub rate_correction: bool,
}

/// The options as configured.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked<'a> {
    pub(crate) delay: Delay,
    pub(crate) ack_alpha: Option<Packets>,
    pub(crate) base_rtt_age: Option<Time>,
    pub(crate) drain: Option<&'a DrainChoice>,
    pub(crate) rate_correction: Option<&'a RateCorrectionParams>,
}

/// The state of the options.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    counted: Option<Counted>,
    acks: Option<AckBacklog>,
    ageing: Option<Ageing>,
    drain: Option<Drain>,
    correction: Option<RateCorrection>,
    /// Packets sent before this are of the time in which the packets in flight grow back after a pause.
    resumed: Time,
}

impl Options {
    /// None if no option is set.
    pub(crate) fn new(asked: &Asked<'_>, facts: &PathFacts) -> Option<Box<Self>> {
        let counted = Counted::new(asked.delay, facts);
        let options = Self {
            // without one-way delays there is no signal
            acks: asked
                .ack_alpha
                .filter(|_| counted.is_some())
                .map(|a| AckBacklog::new(a.get().max(f64::MIN_POSITIVE))),
            counted,
            ageing: asked.base_rtt_age.map(Ageing::new),
            drain: DrainChoice::pauses(asked.drain, asked.delay.is_one_way()).as_ref().map(Drain::periodic),
            correction: asked.rate_correction.map(RateCorrection::new),
            resumed: Time::ZERO,
        };
        let any = options.counted.is_some()
            || options.ageing.is_some()
            || options.drain.is_some()
            || options.correction.is_some();
        any.then(|| Box::new(options))
    }

    /// The flow has begun.
    pub(crate) fn start(&mut self, now: Time) {
        if let Some(ageing) = &mut self.ageing {
            ageing.start(now);
        }
    }

    /// Takes a sample before the window law does; sets the base to the minimum of the samples that have not expired.
    pub(crate) fn sample(&mut self, now: Time, rtt: Time, base: &mut BaseRtt) {
        if let Some(ageing) = &mut self.ageing {
            base.set(ageing.update(now, rtt));
        }
    }

    /// The parts of the round trip's queueing delay, if not all of it is the congestion signal; `weight` is the sample's weight in
    /// averages, none in a pause.
    pub(crate) fn split(&mut self, ack: &Ack, rtt: Time, weight: Option<f64>) -> Option<Split> {
        self.counted.as_mut().map(|c| c.update(ack, rtt, weight))
    }

    /// Updates the requested acknowledgement ratio after a sample, which is of a pause or not.
    pub(crate) fn ask(&mut self, ack: &Ack, rtt: Time, window: f64, paused: bool) {
        if let (Some(acks), Some(counted)) = (&mut self.acks, &self.counted) {
            if paused {
                acks.pause();
            } else {
                acks.update(ack, rtt, counted.reverse(), window);
            }
        }
    }

    /// The window change for a pause; `empty` if the sample shows no queueing.
    pub(crate) fn pause(&mut self, ack: &Ack, rtt: Time, window: f64, empty: bool) -> Step {
        let first = self.correction.as_mut().filter(|_| self.drain.as_ref().is_none_or(|d| !d.is_down()));
        let step = match first.map_or(Step::None, |c| c.update(ack, window, empty)) {
            Step::None => self.drain.as_mut().map_or(Step::None, |d| d.update(ack, window, empty)),
            step => step,
        };
        if matches!(step, Step::Back(_)) {
            self.resumed = ack.now.saturating_add(rtt);
        }
        step
    }

    /// Whether the sample is from a pause or from the growth after it: it may lower the base, must not enter averages, and the window
    /// law is suspended.
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
            acks.reset();
        }
    }

    /// Packets to be acknowledged together, if the controller sets it.
    pub(crate) fn ack_ratio(&self) -> Option<u32> {
        self.acks.as_ref().map(AckBacklog::ratio)
    }
}
