//! Errors of theory.

use std::fmt;

use thiserror::Error;

use crate::fluid::dde::DdeError;

/// A flow or a link that an error is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// By its place in a problem, which has no names.
    Number(usize),
    /// By its name in a scenario.
    Name(String),
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "number {number}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl From<&str> for Which {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl TheoryError {
    /// Whether it says that flows have no equilibrium, or that none was found.
    pub(crate) const fn has_no_equilibrium(&self) -> bool {
        matches!(
            self,
            Self::NotConverged(_) | Self::Overload { .. } | Self::Starved { .. } | Self::Unconstrained { .. }
        )
    }

    /// The same with the names that `flow` and `link` give for numbers.
    pub(crate) fn named<'a>(
        self,
        flow: impl Fn(usize) -> Option<&'a str>,
        link: impl Fn(usize) -> Option<&'a str>,
    ) -> Self {
        let of = |which: Which, name: &dyn Fn(usize) -> Option<&'a str>| match which {
            Which::Number(number) => name(number).map_or(Which::Number(number), Which::from),
            Which::Name(name) => Which::Name(name),
        };
        match self {
            Self::Overload { link: l, load_bps, capacity_bps } => {
                Self::Overload { link: of(l, &link), load_bps, capacity_bps }
            }
            Self::Starved { link: l } => Self::Starved { link: of(l, &link) },
            Self::Unconstrained { flow: s, link: l } => Self::Unconstrained { flow: of(s, &flow), link: of(l, &link) },
            other => other,
        }
    }
}

/// Why theory has no result.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TheoryError {
    /// The solver stopped short of its tolerance.
    #[error("the equilibrium solver did not converge: residual {0}, required is 1e-8")]
    NotConverged(String),
    /// The fair rates of an exponent were not found to the tolerance.
    #[error("the fair rates of exponent {exponent} did not converge: residual {residual}, required is 1e-7")]
    NoFairRates {
        /// The exponent.
        exponent: f64,
        /// Largest violation of the optimality conditions.
        residual: String,
    },
    /// Unresponsive traffic leaves no capacity for responsive flows.
    #[error(
        "unresponsive traffic offers {load_bps} bit/s to link {link}, which carries {capacity_bps} bit/s: its queue grows \
         without bound, there is no equilibrium"
    )]
    Overload {
        /// The link.
        link: Which,
        /// Bits a second that do not respond to congestion.
        load_bps: f64,
        /// Bits a second that the link carries.
        capacity_bps: f64,
    },
    /// Prioritised acknowledgements would saturate a link.
    #[error(
        "link {link} sends acknowledgements before data, and only that link limits the flow that they belong to: they saturate it \
         and data starve, there is no equilibrium"
    )]
    Starved {
        /// The link.
        link: Which,
    },
    /// No queue that a flow measures can limit it.
    #[error(
        "flow {flow} measures the queueing delay of its data alone (delay = \"forward\"), and acknowledgements saturate link {link} before \
         all links of data are full: such flows do not respond to that queue, one of them grows without bound, and there is no equilibrium \
         (delay = \"weighted\" has one, and ack_alpha reduces the rate of acknowledgements)"
    )]
    Unconstrained {
        /// The flow.
        flow: Which,
        /// A link that its acknowledgements cross.
        link: Which,
    },
    /// The analysis assumes that FAST measures the delay of the round trip; this flow measures another delay.
    #[error(
        "{who} measures the {counts} queueing delay (key delay): theory has {question} only for FAST that measures that of the \
         round trip"
    )]
    OneWay {
        /// Flow or arrivals, by name.
        who: String,
        /// Which delay it measures.
        counts: &'static str,
        /// Which analysis.
        question: &'static str,
    },
    /// There is no model of this controller.
    #[error("theory has no model of {controller}, which {who} uses")]
    NoModel {
        /// Flow or arrivals, by name.
        who: String,
        /// The controller's kind.
        controller: String,
    },
    /// Windows at the loss given would fill a link, where losses in queues decide.
    #[error(
        "the loss given on the path of {who} would let its window grow until a link is full where no queue of others keeps it smaller: \
         in a full link the queue's own losses decide, and theory has no model of those, nor of what shares a link with it then"
    )]
    Filled {
        /// The flow, by name.
        who: String,
    },
    /// The given loss comes in bursts, for which there is no response function.
    #[error(
        "the loss in bursts on the path of {who} has no response function; independent losses have one, at as many in the mean: \
         loss = {mean:.2e}"
    )]
    Bursts {
        /// The flow, by name.
        who: String,
        /// Share of its packets that is lost in the long run.
        mean: f64,
    },
    /// Traffic whose mean rate is unknown crosses the flows' links.
    #[error("theory does not know the mean rate of {who}, and so nothing of the flows on its links")]
    UnknownRate {
        /// The traffic, by name.
        who: String,
    },
    /// A number is out of range.
    #[error("{what} is {value}; it must be {allowed}")]
    OutOfRange {
        /// Which one.
        what: String,
        /// Its value.
        value: f64,
        /// The allowed range.
        allowed: &'static str,
    },
    /// The joint link model has no dynamics.
    #[error("the joint link model is for small perturbations only; dynamics need integrator or ack_clocked")]
    NoDynamics,
    /// The integration of the dynamics failed.
    #[error("the integration of the dynamics failed: {0}")]
    Dynamics(#[from] DdeError),
    /// A population was requested of a scenario without arrivals.
    #[error("the scenario has no [[arrivals]] table: a population needs at least one")]
    NoArrivals,
    /// A list has the wrong length.
    #[error("{what}: {given} given, {wanted} required")]
    Length {
        /// Which list.
        what: &'static str,
        /// Its length.
        given: usize,
        /// The required length.
        wanted: usize,
    },
    /// Flows that come and go share links with the flows.
    #[error(
        "theory has no equilibrium of flows that stay with those that come and go: {who} shares links with them, directly or by way of \
         others (`theory population` has arrivals by themselves)"
    )]
    Arrivals {
        /// A table of arrivals.
        who: String,
    },
    /// A flow has no data path.
    #[error("flow {flow} crosses no link: a data path needs at least one")]
    NoPath {
        /// The flow, by number.
        flow: usize,
    },
    /// There are no flows.
    #[error("there is no flow")]
    NoFlow,
}
