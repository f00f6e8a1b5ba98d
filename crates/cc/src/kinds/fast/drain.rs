//! A pause that drains the queue, so that the round-trip time without queueing can be measured.
//!
//! The window is reduced to a few packets. The sender stops until fewer are in flight, for about a round trip. The packets that it
//! sends then find a queue without this flow's packets and are acknowledged another round trip later. Then the window is restored.
//!
//! One flow's pause empties the whole queue if other flows do not refill it within a round trip and the flow sends more than the
//! backlog in a round trip. If many flows share a link, no single flow does. But when the queue is empty, all flows observe it and
//! restart their period, so from then on they pause together (as BBR's ProbeRTT, draft-cardwell-iccrg-bbr-congestion-control-00,
//! section 4.3.4).

use eddyline_units::{Packets, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::Ack;

/// Parameters of a periodic drain.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrainParams {
    /// Time without an empty queue after which the flow pauses; at least 10 ms.
    #[schemars(extend("x-minimum" = "10 ms"))]
    pub every: Time,
    /// Window during the pause, at least one packet.
    #[serde(default = "two_packets")]
    #[schemars(extend("x-minimum" = 1))]
    pub window: Packets,
    /// Round trips with that window once no more packets are in flight, at least one.
    #[serde(default = "one_round")]
    #[schemars(range(min = 1, max = 1_000))]
    pub rounds: u32,
}

/// Default period of pauses.
const EVERY: Time = Time::from_ms(10_000);

/// Minimum number of round trips between pauses by default: each pause costs about two.
const DEFAULT_ROUND_TRIPS: u64 = 100;

/// Pauses as they are configured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pauses {
    /// How long they last, and how often they come at most.
    pub params: DrainParams,
    /// Minimum number of round trips between two of them.
    pub min_round_trips: u64,
}

/// Whether and how the flow pauses.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DrainChoice {
    /// True: every 10 s or 100 round trips, whichever is longer. False: never.
    Switch(bool),
    /// Pauses with these parameters.
    Pauses(DrainParams),
}

impl DrainChoice {
    /// The pauses; without a choice those by default if the flow `needs` any, else none.
    pub(crate) fn pauses(given: Option<&Self>, needs: bool) -> Option<Pauses> {
        let params = DrainParams { every: EVERY, window: two_packets(), rounds: one_round() };
        let usual = Pauses { params, min_round_trips: DEFAULT_ROUND_TRIPS };
        match given {
            Some(Self::Pauses(params)) => Some(Pauses { params: *params, min_round_trips: 0 }),
            Some(Self::Switch(on)) => on.then_some(usual),
            None => needs.then_some(usual),
        }
    }
}

const fn two_packets() -> Packets {
    Packets::new(2.0)
}

const fn one_round() -> u32 {
    1
}

/// What happens to the window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    /// The window law applies.
    None,
    /// Reduce it to this value.
    Down(f64),
    /// Keep it reduced.
    Stay,
    /// Restore it to this value.
    Back(f64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    /// The next pause is due at this time; none is known before the first sample.
    Until(Option<Time>),
    /// Packets sent from `since` on belong to the current round trip; round trips left; the window to restore.
    Down { since: Time, left: u32, back: f64 },
    /// No further pause.
    Over,
}

/// A drain: a pause, once or periodically.
#[derive(Debug, Clone)]
pub(crate) struct Drain {
    every: Option<Time>,
    window: f64,
    /// Minimum window during the pause, as a share of the previous window.
    share: f64,
    rounds: u32,
    /// Minimum number of round trips between two pauses.
    min_round_trips: u64,
    /// End of the last pause.
    ended: Time,
    phase: Phase,
}

impl Drain {
    /// A pause per period.
    pub(crate) fn periodic(p: &Pauses) -> Self {
        Self {
            every: Some(p.params.every),
            window: p.params.window.get(),
            share: 0.0,
            rounds: p.params.rounds.max(1),
            min_round_trips: p.min_round_trips,
            ended: Time::ZERO,
            phase: Phase::Until(None),
        }
    }

    /// A single pause, started by [`begin`](Self::begin).
    pub(crate) const fn once(share: f64, rounds: u32) -> Self {
        Self { every: None, window: 0.0, share, rounds, min_round_trips: 0, ended: Time::ZERO, phase: Phase::Over }
    }

    /// Takes a sample outside recovery; `empty` if it shows no queueing.
    pub(crate) fn update(&mut self, ack: &Ack, window: f64, empty: bool) -> Step {
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
        ack.now.saturating_sub(self.ended) >= trip.saturating_mul(self.min_round_trips)
    }

    /// Begins a pause.
    pub(crate) fn begin(&mut self, now: Time, window: f64) -> Step {
        let low = self.window.max(self.share * window).min(window);
        self.phase = Phase::Down { since: now.saturating_add(Time::from_ps(1)), left: self.rounds, back: window };
        Step::Down(low)
    }

    /// Whether a pause is under way.
    pub(crate) fn is_down(&self) -> bool {
        matches!(self.phase, Phase::Down { .. })
    }

    /// The window was reduced for another reason: there is nothing to restore.
    pub(crate) fn abandon(&mut self, now: Time) {
        if self.is_down() {
            self.phase = match self.every {
                Some(every) => Phase::Until(Some(now.saturating_add(every))),
                None => Phase::Over,
            };
        }
    }
}
