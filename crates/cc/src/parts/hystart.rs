//! HyStart++ (RFC 9406): the first slow start ends when the round-trip time grows, after a conservative phase that detects a
//! false alarm.

use eddyline_units::Time;

use crate::controller::{Ack, PathFacts};

const MIN_RTT_THRESH: Time = Time::from_ms(4);
const MAX_RTT_THRESH: Time = Time::from_ms(16);
const MIN_RTT_DIVISOR: u64 = 8;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: f64 = 4.0;
const CSS_ROUNDS: u32 = 5;
/// L without pacing.
const UNPACED_LIMIT: f64 = 8.0;

/// Conservative slow start.
#[derive(Debug, Clone, Copy)]
struct Conservative {
    /// The round-trip time at its beginning (cssBaselineMinRtt).
    baseline: Time,
    /// Rounds that have ended since, including the one in which it began.
    rounds: u32,
}

/// State of the first slow start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HyStart {
    limit: f64,
    /// Packets sent from here on belong to the current round or a later one.
    round: Time,
    last_min: Option<Time>,
    current_min: Option<Time>,
    samples: u32,
    conservative: Option<Conservative>,
}

impl HyStart {
    pub(crate) fn new(facts: &PathFacts) -> Self {
        let unpaced = if facts.paced { f64::INFINITY } else { UNPACED_LIMIT };
        Self {
            limit: facts.byte_counting.unwrap_or(unpaced),
            round: Time::ZERO,
            last_min: None,
            current_min: None,
            samples: 0,
            conservative: None,
        }
    }

    /// Growth of the window by `acked` packets.
    pub(crate) fn growth(&self, acked: f64) -> f64 {
        let packets = acked.min(self.limit);
        if self.conservative.is_some() { packets / CSS_GROWTH_DIVISOR } else { packets }
    }

    /// Takes an acknowledgement (4.2); returns whether slow start is over.
    pub(crate) fn observe(&mut self, ack: &Ack) -> bool {
        // The round ends with the acknowledgement of its first packet, which is windowEnd in sequence numbers.
        if ack.sent_at >= self.round {
            self.round = ack.now;
            self.last_min = self.current_min.take();
            self.samples = 0;
            if let Some(css) = &mut self.conservative {
                css.rounds += 1;
                if css.rounds >= CSS_ROUNDS {
                    return true;
                }
            }
        }
        let Some(rtt) = ack.rtt else { return false };
        let current = self.current_min.map_or(rtt, |min| min.min(rtt));
        self.current_min = Some(current);
        self.samples += 1;
        if self.samples < N_RTT_SAMPLE {
            return false;
        }
        match (self.conservative, self.last_min) {
            (Some(css), _) if current < css.baseline => self.conservative = None,
            (None, Some(last)) => {
                let eighth = Time::from_ps(last.as_ps() / MIN_RTT_DIVISOR);
                if current >= last.saturating_add(eighth.clamp(MIN_RTT_THRESH, MAX_RTT_THRESH)) {
                    self.conservative = Some(Conservative { baseline: current, rounds: 0 });
                }
            }
            _ => {}
        }
        false
    }
}
