//! A pause that lets the queue run empty, so that the path without queueing can be seen.
//!
//! The window falls to little. Nothing leaves until what is in flight is less, about a round trip; what leaves then meets a queue
//! without this flow's packets, and is acknowledged another round trip later. Then the window is what it was.
//!
//! A flow's own pause empties the whole queue if others do not refill it within a round trip and its own rate times that is more
//! than is queued. Where many flows share a link none is fast enough alone; but when one of them sees an empty queue all do, and
//! each then counts its next period from there, so from then on they pause together (as BBR's ProbeRTT, draft-cardwell-iccrg-
//! bbr-congestion-control-00, section 4.3.4).

use eddyline_units::{Packets, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::Ack;

/// Parameters of a periodic drain.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrainParams {
    /// Time without an empty queue after which the flow makes one; at least 10 ms.
    #[schemars(extend("x-least" = "10 ms"))]
    pub every: Time,
    /// Window meanwhile, at least one packet.
    #[serde(default = "two_packets")]
    #[schemars(extend("x-least" = 1))]
    pub window: Packets,
    /// Round trips with that window once the flight is down to it, at least one.
    #[serde(default = "one_round")]
    #[schemars(range(min = 1, max = 1_000))]
    pub rounds: u32,
}

/// The period of pauses where nobody says another.
const EVERY: Time = Time::from_ms(10_000);

/// And the round trips between them then: each costs two or so.
const TRIPS_APART: u64 = 100;

/// Whether there are pauses, and which.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DrainChoice {
    /// Every 10 s or 100 round trips, whichever is longer; or never.
    Switch(bool),
    /// These.
    Pauses(DrainParams),
}

impl DrainChoice {
    /// The pauses; where nothing is given, those of a flow that `needs` them or none.
    pub(crate) fn of(given: Option<&Self>, needs: bool) -> Option<Drain> {
        let usual = DrainParams { every: EVERY, window: two_packets(), rounds: one_round() };
        let usual = || Drain { apart: TRIPS_APART, ..Drain::periodic(&usual) };
        match given {
            Some(Self::Pauses(p)) => Some(Drain::periodic(p)),
            Some(Self::Switch(on)) => on.then(usual),
            None => needs.then(usual),
        }
    }
}

const fn two_packets() -> Packets {
    Packets::new(2.0)
}

const fn one_round() -> u32 {
    1
}

/// What the window has to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    /// Nothing: the law rules.
    None,
    /// Fall to this and stay.
    Down(f64),
    /// Stay down.
    Stay,
    /// Be this again.
    Back(f64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    /// The next pause is due at this time; none is known before the first sample.
    Until(Option<Time>),
    /// Packets sent from `since` on are of the present round trip; so many are left; the window to go back to.
    Down { since: Time, left: u32, back: f64 },
    /// No pause any more.
    Over,
}

/// Pauses.
#[derive(Debug, Clone)]
pub(crate) struct Drain {
    every: Option<Time>,
    window: f64,
    /// A share of the window before that the pause keeps at least.
    share: f64,
    rounds: u32,
    /// Round trips that have to lie between two pauses besides.
    apart: u64,
    /// When the last one ended.
    ended: Time,
    phase: Phase,
}

impl Drain {
    /// A pause in every period.
    pub(crate) fn periodic(p: &DrainParams) -> Self {
        Self {
            every: Some(p.every),
            window: p.window.get(),
            share: 0.0,
            rounds: p.rounds.max(1),
            apart: 0,
            ended: Time::ZERO,
            phase: Phase::Until(None),
        }
    }

    /// One pause, when it is asked for by [`begin`](Self::begin).
    pub(crate) const fn once(share: f64, rounds: u32) -> Self {
        Self { every: None, window: 0.0, share, rounds, apart: 0, ended: Time::ZERO, phase: Phase::Over }
    }

    /// Hears a sample outside recovery: `empty` where it met no queue.
    pub(crate) fn hear(&mut self, ack: &Ack, window: f64, empty: bool) -> Step {
        match self.phase {
            Phase::Over => Step::None,
            Phase::Until(due) => {
                let Some(every) = self.every else { return Step::None };
                match due {
                    Some(due) if !empty && ack.now >= due && self.is_time(ack) => self.begin(ack.now, window),
                    Some(_) if !empty => Step::None,
                    _ => {
                        self.phase = Phase::Until(Some(ack.now.saturating_add(every)));
                        Step::None
                    }
                }
            }
            Phase::Down { since, left, back } => {
                if ack.sent_at < since {
                    return Step::Stay;
                }
                if left > 1 {
                    self.phase = Phase::Down { since: ack.now, left: left - 1, back };
                    return Step::Stay;
                }
                self.phase = match self.every {
                    Some(every) => Phase::Until(Some(ack.now.saturating_add(every))),
                    None => Phase::Over,
                };
                self.ended = ack.now;
                Step::Back(back)
            }
        }
    }

    fn is_time(&self, ack: &Ack) -> bool {
        let trip = ack.now.saturating_sub(ack.sent_at);
        ack.now.saturating_sub(self.ended) >= trip.saturating_mul(self.apart)
    }

    /// A pause begins.
    pub(crate) fn begin(&mut self, now: Time, window: f64) -> Step {
        let low = self.window.max(self.share * window).min(window);
        self.phase = Phase::Down { since: now.saturating_add(Time::from_ps(1)), left: self.rounds, back: window };
        Step::Down(low)
    }

    /// Whether a pause is under way.
    pub(crate) fn is_down(&self) -> bool {
        matches!(self.phase, Phase::Down { .. })
    }

    /// The window was reduced for another reason: there is nothing to go back to.
    pub(crate) fn abandon(&mut self, now: Time) {
        if self.is_down() {
            self.phase = match self.every {
                Some(every) => Phase::Until(Some(now.saturating_add(every))),
                None => Phase::Over,
            };
        }
    }
}
