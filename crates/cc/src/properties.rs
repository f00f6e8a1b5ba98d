//! Properties of kinds of controllers beyond their parameters; each kind states its own in its file.

use serde::Serialize;

/// Feedback that a sender needs if queues mark packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EcnFeedback {
    /// One echo a round trip (RFC 3168).
    #[default]
    Classic,
    /// A count of all marks (RFC 9768).
    Accurate,
}

/// How to choose `alpha`, in packets, for a kind whose parameter `alpha` has no default.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AlphaChoice {
    /// If the bottleneck's rate is known: as many packets as it sends in this time, in seconds ...
    pub delay_s: f64,
    /// ... but at least this many.
    pub min_packets: f64,
    /// On an access link: packets per flow.
    pub access_packets: f64,
}

/// How the window falls at a mark, for kinds whose saw-tooth at a marking threshold has a closed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SawtoothCut {
    /// By half.
    Half,
    /// By half of the share of packets that were marked.
    ByShare,
}

/// Properties of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Properties {
    /// Feedback that it needs if queues mark packets.
    pub ecn: EcnFeedback,
    /// How to choose the parameter `alpha`, if there is one without a default.
    pub alpha: Option<AlphaChoice>,
    /// Queueing delay is a congestion signal.
    pub delay_based: bool,
    /// Has a parameter `base_rtt`.
    pub base_rtt: bool,
    /// Source of its closed-form response function, if there is one.
    pub response_function: Option<&'static str>,
    /// Its saw-tooth at a marking threshold, if there is a closed form.
    pub sawtooth: Option<SawtoothCut>,
    /// The only world that has it, if it is part of one.
    pub only_in: Option<&'static str>,
}

impl Properties {
    /// Loss-based, classic ECN, no required parameters, no closed forms.
    pub const DEFAULT: Self = Self {
        ecn: EcnFeedback::Classic,
        alpha: None,
        delay_based: false,
        base_rtt: false,
        response_function: None,
        sawtooth: None,
        only_in: None,
    };

    /// Queueing delay is a congestion signal; the base round-trip time can be estimated or known.
    pub const DELAY_BASED: Self = Self { delay_based: true, base_rtt: true, ..Self::DEFAULT };
}

/// What is wrong with a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Its key.
    pub key: &'static str,
    /// What is wrong with its value.
    pub message: String,
}

/// Parameters of a kind that states its properties.
pub trait Describe {
    /// The kind's properties.
    const PROPERTIES: Properties;

    /// A parameter with a value that others, or the law, exclude, though its range allows it.
    fn conflict(&self) -> Option<Conflict> {
        None
    }
}
