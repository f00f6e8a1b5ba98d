//! Why theory gave no answer.

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
    /// The same with names in place of the numbers that `flow` and `link` know.
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

/// Why theory gave no answer.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TheoryError {
    /// The solver stopped short of its tolerance.
    #[error("the equilibrium solver did not converge: residual {0}, where 1e-8 would do")]
    NotConverged(String),
    /// Traffic that does not respond leaves nothing for the flows that do.
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
    /// Acknowledgements that go first would fill a link.
    #[error(
        "acknowledgements go first on link {link} and nothing but that link would hold back the flow that they belong to: they \
         fill it and data behind them starve, there is no equilibrium"
    )]
    Starved {
        /// The link.
        link: Which,
    },
    /// Nothing that a flow counts can hold it back.
    #[error(
        "flow {flow} counts the queueing of its data alone (delay = \"forward\"), and no link that its data cross can be full: \
         their acknowledgements fill link {link} first, where nothing tells the flow to stop, and their queue grows without \
         bound; there is no equilibrium (delay = \"weighted\" has one, and ack_alpha asks for fewer acknowledgements)"
    )]
    Unconstrained {
        /// The flow.
        flow: Which,
        /// A link that its acknowledgements cross.
        link: Which,
    },
    /// A question about FAST that counts the round trip, asked of one that does not.
    #[error(
        "{who} counts {counts} queueing delay (key delay): {question} is of FAST that counts that of the whole round trip"
    )]
    OneWay {
        /// Flow or arrivals, by name.
        who: String,
        /// What it counts.
        counts: &'static str,
        /// What was asked.
        question: &'static str,
    },
    /// A controller that no equation describes.
    #[error("theory has no model of {controller}, which {who} uses")]
    NoModel {
        /// Flow or arrivals, by name.
        who: String,
        /// The controller's kind.
        controller: String,
    },
    /// A number that the equations have no use for.
    #[error("{what} is {value}; it must be {allowed}")]
    OutOfRange {
        /// Which number.
        what: String,
        /// What was given.
        value: f64,
        /// What would do.
        allowed: &'static str,
    },
    /// A link model that small disturbances have and dynamics have not.
    #[error("the joint link model is for small disturbances: dynamics follow integrator or ack_clocked")]
    NoDynamics,
    /// The dynamics could not be followed to the end.
    #[error("the dynamics could not be followed to the end: {0}")]
    Dynamics(#[from] DdeError),
    /// Lists that belong together differ in length.
    #[error("{what}: {given} given, {wanted} wanted")]
    Length {
        /// Which list.
        what: &'static str,
        /// Its length.
        given: usize,
        /// The length that it should have.
        wanted: usize,
    },
    /// A flow has nowhere to send.
    #[error("flow {flow} crosses no link: a data path needs at least one")]
    NoPath {
        /// The flow, by number.
        flow: usize,
    },
    /// A list of flows without one, where an answer needs one.
    #[error("there is no flow")]
    NoFlow,
}
