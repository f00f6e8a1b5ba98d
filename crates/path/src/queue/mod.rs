//! Queue disciplines: one file and one entry in the register each.

mod ack_decimation;
mod ack_filter;
mod ack_priority;
mod adaptive_red;
mod arrival_queue;
mod cake;
mod cobalt;
mod codel;
mod discipline;
mod droptail;
mod drr;
mod dualpi2;
mod flow_table;
mod fq_codel;
mod headdrop;
mod limit;
mod packet_fifo;
mod per_connection;
mod pie;
mod properties;
mod red;
mod redundant_acks;
mod rem;
mod round_robin;
mod set_associative;
mod sfq;
mod step;
mod tbf;
mod timed_fifo;
mod turns;
mod update_timer;

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Packet;
use crate::ParamError;
pub use ack_decimation::{AckDecimation, AckDecimationParams, Decimation};
pub use ack_filter::{AckFilter, AckFilterParams, AckPlace};
pub use ack_priority::{AckPriority, AckPriorityParams};
pub use adaptive_red::{AdaptiveRed, AdaptiveRedParams, AdaptiveRedQueue};
pub use arrival_queue::{ArrivalLaw, ArrivalQueue, Verdict};
pub use cake::{Cake, CakeAckFilter, CakeParams, Isolation};
pub use codel::{Codel, CodelParams, CodelQueue};
pub use discipline::{Discipline, LinkContext};
pub use droptail::{DropTail, DropTailParams};
pub use drr::{Drr, DrrParams};
pub use dualpi2::{DualPi2, DualPi2Params};
pub use fq_codel::{FqCodel, FqCodelParams};
pub use headdrop::{HeadDrop, HeadDropParams};
pub use limit::{Backlog, Limit, atm_cells};
pub use per_connection::{PerConnection, PerConnectionParams};
pub use pie::{Pie, PieParams, PieQueue};
pub use properties::{DelayBound, Describe, Properties, WaitDependsOn};
pub use red::{Curve, Red, RedParams, RedQueue};
pub use redundant_acks::AckFilterRule;
pub use rem::{Rem, RemParams, RemQueue};
pub use sfq::{DropFrom, Sfq, SfqParams};
pub use step::{NotCapable, Step, StepParams, StepQueue};
pub use tbf::{Tbf, TbfParams};

/// An entry of the register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct KindInfo {
    /// As written in a scenario file.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// Paper or RFC.
    pub source: &'static str,
    /// An example with the required parameters, as JSON.
    pub example: &'static str,
    /// Its properties.
    #[serde(flatten)]
    pub properties: Properties,
}

macro_rules! queues {
    (($d:tt) $($name:literal $kind:ident($params:ty => $state:ident): $summary:literal, $source:literal, $example:literal;)*) => {
        /// A queue by kind, with its parameters.
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        pub enum QueueParams {
            $(#[doc = $summary] #[serde(rename = $name)] $kind($params),)*
        }

        /// Every discipline.
        pub const KINDS: &[KindInfo] = &[$(KindInfo {
            name: $name,
            summary: $summary,
            source: $source,
            example: $example,
            properties: <$params as Describe>::PROPERTIES,
        }),*];

        macro_rules! of_any_kind {
            ($d self:ident, $d inner:ident => $d call:expr) => { match $d self { $(Self::$kind($d inner) => $d call),* } };
        }

        impl QueueParams {
            /// The kind's name.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$kind(_) => $name),* }
            }

            /// Limit of a queue.
            #[must_use]
            pub const fn limit(&self) -> Limit {
                of_any_kind!(self, p => p.limit)
            }

            /// See [`Describe::WAIT_DEPENDS_ON`].
            #[must_use]
            pub const fn wait_depends_on(&self) -> WaitDependsOn {
                match self { $(Self::$kind(_) => <$params as Describe>::WAIT_DEPENDS_ON),* }
            }

            /// A contradiction between two parameters.
            #[must_use]
            pub fn conflict(&self) -> Option<ParamError> {
                of_any_kind!(self, p => p.conflict())
            }

            /// The parameter besides the limit because of which packets of `size` bytes can never be enqueued, if there is one.
            #[must_use]
            pub fn refuses(&self, size: u64) -> Option<ParamError> {
                of_any_kind!(self, p => p.refuses(size))
            }

            /// An empty queue for the link at `context`.
            #[must_use]
            pub fn build<P: Packet>(&self, context: &LinkContext<'_>) -> Queue<P> {
                match self { $(Self::$kind(p) => Queue::$kind($state::new(p, context))),* }
            }
        }

        /// Any queue, dispatched statically.
        #[derive(Debug)]
        #[expect(missing_docs, reason = "the kinds document themselves")]
        pub enum Queue<P> { $($kind($state<P>)),* }

        impl<P: Packet> Queue<P> {
            /// See [`Discipline::PASSES_WHEN_IDLE`].
            #[must_use]
            pub const fn passes_when_idle(&self) -> bool {
                match self { $(Self::$kind(_) => <$state<P> as Discipline<P>>::PASSES_WHEN_IDLE),* }
            }
        }

        impl<P: Packet> Discipline<P> for Queue<P> {
            fn enqueue(&mut self, now: Time, packet: P, dropped: &mut dyn FnMut(P)) -> Result<(), P> {
                of_any_kind!(self, q => q.enqueue(now, packet, dropped))
            }
            fn dequeue(&mut self, now: Time, dropped: &mut dyn FnMut(P)) -> Option<P> {
                of_any_kind!(self, q => q.dequeue(now, dropped))
            }
            fn next_wake(&self) -> Option<Time> {
                of_any_kind!(self, q => Discipline::<P>::next_wake(q))
            }
            fn shaped_wait(&self, now: Time) -> Time {
                of_any_kind!(self, q => Discipline::<P>::shaped_wait(q, now))
            }
            fn bytes_before(&self, packet: &P) -> u64 {
                of_any_kind!(self, q => q.bytes_before(packet))
            }
            fn packets(&self) -> u64 {
                of_any_kind!(self, q => q.packets())
            }
            fn bytes(&self) -> u64 {
                of_any_kind!(self, q => q.bytes())
            }
            fn drain(&mut self, taken: &mut dyn FnMut(P)) {
                of_any_kind!(self, q => q.drain(taken))
            }
        }
    };
}

queues! {
    ($)
    "adaptive_red" AdaptiveRed(AdaptiveRedParams => AdaptiveRedQueue):
        "adaptive RED: thresholds and weight from the link's rate, max_p adapted to keep the average between them",
        "Floyd, Gummadi and Shenker, 2001",
        r#"{ "kind": "adaptive_red" }"#;
    "codel" Codel(CodelParams => CodelQueue):
        "CoDel: drops or marks at the head, ever faster, while packets wait longer than a target for an interval",
        "RFC 8289",
        r#"{ "kind": "codel" }"#;
    "droptail" DropTail(DropTailParams => DropTail):
        "drop-tail FIFO with a limit in packets, in bytes, in ATM cells, or none",
        "RFC 2309, section 1",
        r#"{ "kind": "droptail", "limit": "50 packets" }"#;
    "headdrop" HeadDrop(HeadDropParams => HeadDrop):
        "FIFO that drops the oldest packet to make room",
        "Lakshman, Neidhardt, Ott, The drop from front strategy in TCP and in TCP over ATM, INFOCOM 1996",
        r#"{ "kind": "headdrop", "limit": "50 packets" }"#;
    "ack_priority" AckPriority(AckPriorityParams => AckPriority):
        "acknowledgements and control packets before data",
        "RFC 3449, section 5.4.2 (ACKs-first scheduling)",
        r#"{ "kind": "ack_priority", "limit": "50 packets", "ack_limit": "40 packets" }"#;
    "ack_filter" AckFilter(AckFilterParams => AckFilter):
        "FIFO in which an arriving acknowledgement removes those of its connection that it makes redundant",
        "RFC 3449, section 5.2.1; tc-cake(8), ack-filter",
        r#"{ "kind": "ack_filter", "limit": "50 packets", "rule": "all" }"#;
    "ack_decimation" AckDecimation(AckDecimationParams => AckDecimation):
        "FIFO that drops some of the arriving acknowledgements above a threshold",
        "RFC 3449, section 5.2.2",
        r#"{ "kind": "ack_decimation", "limit": "50 packets", "threshold": "10 packets", "drop": { "kind": "every", "keep_one_in": 3 } }"#;
    "sfq" Sfq(SfqParams => Sfq):
        "stochastic fairness queueing: hashed queues in turn, the longest drops",
        "McKenney, Stochastic fairness queueing, INFOCOM 1990",
        r#"{ "kind": "sfq", "limit": "50 packets", "queues": 16, "perturb": "100 ms" }"#;
    "drr" Drr(DrrParams => Drr):
        "deficit round robin: fair in bytes, the longest queue drops",
        "Shreedhar and Varghese, Efficient fair queueing using deficit round robin, SIGCOMM 1995",
        r#"{ "kind": "drr", "limit": "50 packets", "quantum": "500 B" }"#;
    "per_connection" PerConnection(PerConnectionParams => PerConnection):
        "a drop-tail buffer for each connection, served fairly in bytes",
        "RFC 3449, section 5.4.1; Kalampoukas, Varma, Ramakrishnan, Improving TCP throughput over two-way asymmetric links, 1998",
        r#"{ "kind": "per_connection", "each": "10 packets", "limit": "60 packets" }"#;
    "fq_codel" FqCodel(FqCodelParams => FqCodel):
        "fair queueing with CoDel on every queue; flows that have just become busy go first",
        "RFC 8290",
        r#"{ "kind": "fq_codel" }"#;
    "cake" Cake(CakeParams => Cake):
        "shaper with host and flow isolation, COBALT on every queue, ACK filter and framing, like Linux's cake",
        "Hoiland-Jorgensen, Taht, Morton, Piece of CAKE, LANMAN 2018; tc-cake(8)",
        r#"{ "kind": "cake", "bandwidth": "5 Mbit/s", "framing": "docsis", "ack_filter": "conservative", "limit": "100 kB" }"#;
    "tbf" Tbf(TbfParams => Tbf):
        "token bucket shaper over a drop-tail FIFO",
        "RFC 2215, section 3.6 (token bucket); tc-tbf(8)",
        r#"{ "kind": "tbf", "rate": "4 Mbit/s", "burst": "5 kB", "limit": "50 packets" }"#;
    "dualpi2" DualPi2(DualPi2Params => DualPi2):
        "DualPI2: a low-latency queue for scalable congestion controls, coupled to a classic queue under PI2",
        "RFC 9332",
        r#"{ "kind": "dualpi2" }"#;
    "pie" Pie(PieParams => PieQueue):
        "PIE: drops or marks on arrival with a probability that a PI controller sets to hold a target wait",
        "RFC 8033",
        r#"{ "kind": "pie" }"#;
    "red" Red(RedParams => RedQueue):
        "RED: drops or marks on arrival with a probability that grows with the average queue",
        "Floyd and Jacobson, IEEE/ACM ToN 1(4), 1993; RFC 2309",
        r#"{ "kind": "red" }"#;
    "step" Step(StepParams => StepQueue):
        "FIFO that marks what arrives at more than a threshold",
        "Alizadeh and others, Data Center TCP, SIGCOMM 2010; RFC 8257, section 3.1",
        r#"{ "kind": "step", "threshold": "20 packets" }"#;
    "rem" Rem(RemParams => RemQueue):
        "REM: drops or marks on arrival with a probability exponential in a price of excess input and queue",
        "Athuraliya, Li, Low and Yin, IEEE Network 15(3), 2001",
        r#"{ "kind": "rem" }"#;
}

impl Default for QueueParams {
    fn default() -> Self {
        Self::DropTail(DropTailParams::default())
    }
}
