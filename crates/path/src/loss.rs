//! Loss on the wire, after queue and transmission.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Class;
use crate::random::Stream;

/// Loss of a link as written in a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum LossParams {
    /// Each packet is lost with this probability, independently; in [0, 1).
    Independent(#[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))] f64),
    /// A pattern with a kind.
    Pattern(LossPattern),
}

/// Loss patterns other than independent loss.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum LossPattern {
    /// Every n-th data packet is lost.
    Periodic {
        /// Period n in data packets, at least 1.
        #[schemars(range(min = 1))]
        every: u64,
    },
    /// The Gilbert-Elliott chain of two states, one step per packet: bursty losses.
    #[serde(rename = "gilbert-elliott")]
    GilbertElliott {
        /// Probability of going from the good state to the bad one, in (0, 1].
        #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
        p: f64,
        /// Probability of going back, in (0, 1]: bursts are 1/r packets long on average.
        #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
        r: f64,
        /// Probability of loss in the good state.
        #[serde(default)]
        #[schemars(extend("minimum" = 0, "maximum" = 1))]
        good: f64,
        /// Probability of loss in the bad state.
        #[serde(default = "certain")]
        #[schemars(extend("minimum" = 0, "maximum" = 1))]
        bad: f64,
    },
}

const fn certain() -> f64 {
    1.0
}

impl LossPattern {
    /// Long-run share of packets lost.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match *self {
            Self::Periodic { every } => 1.0 / every.max(1) as f64,
            Self::GilbertElliott { p, r, good, bad } => (r * good + p * bad) / (p + r),
        }
    }
}

impl Default for LossParams {
    fn default() -> Self {
        Self::Independent(0.0)
    }
}

/// State of a loss process.
#[derive(Debug, Clone)]
pub enum Loss {
    /// No loss.
    None,
    /// Independent loss: the threshold against which random bits are compared, and their stream.
    Independent {
        /// A packet is lost when its random bits are below this.
        below: u64,
        /// Source of the random bits.
        stream: Box<Stream>,
    },
    /// Every n-th data packet.
    Periodic {
        /// Period n in data packets.
        every: u64,
        /// Data packets since the last loss.
        seen: u64,
    },
    /// Losses in bursts.
    Chain(Box<Chain>),
}

/// A chain of two states, initially in its stationary distribution.
#[derive(Debug, Clone)]
pub struct Chain {
    stream: Stream,
    is_bad: bool,
    /// Probabilities of leaving the good and the bad state.
    leave: [f64; 2],
    /// Probabilities of loss in them.
    loss: [f64; 2],
}

impl Chain {
    #[cold]
    fn takes(&mut self) -> bool {
        let state = usize::from(self.is_bad);
        let lost = self.stream.uniform() < self.loss[state];
        self.is_bad ^= self.stream.uniform() < self.leave[state];
        lost
    }
}

impl Loss {
    /// The process of the link called `name`.
    #[must_use]
    pub fn new(params: LossParams, seed: u64, name: &str) -> Self {
        match params {
            LossParams::Independent(p) if p > 0.0 => Self::Independent {
                // 2^64 as a float; p is below 1, so the product fits
                below: (p * 18_446_744_073_709_551_616.0) as u64,
                stream: Box::new(Stream::new(seed, name, "loss")),
            },
            LossParams::Independent(_) => Self::None,
            LossParams::Pattern(LossPattern::Periodic { every }) => Self::Periodic { every: every.max(1), seen: 0 },
            LossParams::Pattern(LossPattern::GilbertElliott { p, r, good, bad }) => {
                let mut stream = Stream::new(seed, name, "loss");
                let is_bad = stream.uniform() * (p + r) < p;
                Self::Chain(Box::new(Chain { stream, is_bad, leave: [p, r], loss: [good, bad] }))
            }
        }
    }

    /// Whether the next packet in order of transmission is lost.
    #[inline]
    pub fn takes(&mut self, class: Class) -> bool {
        !matches!(self, Self::None) && self.takes_next(class)
    }

    /// As [`takes`](Self::takes), where there is loss.
    fn takes_next(&mut self, class: Class) -> bool {
        match self {
            Self::None => false,
            Self::Independent { below, stream } => stream.bits() < *below,
            Self::Periodic { every, seen } => {
                if class != Class::Data {
                    return false;
                }
                *seen += 1;
                let lost = *seen == *every;
                if lost {
                    *seen = 0;
                }
                lost
            }
            Self::Chain(chain) => chain.takes(),
        }
    }
}
