//! The register of controllers: one entry each, from which the schema, the worlds and the command line take it.

mod bbr;
mod bbr3;
mod bic;
mod compound;
mod copa;
mod cubic;
mod dctcp;
mod fast;
mod highspeed;
mod htcp;
mod hybla;
mod illinois;
mod ledbat;
mod newreno;
mod prague;
mod reno;
mod scalable;
mod tahoe;
mod vegas;
mod veno;
mod vfast;
mod westwood;
mod yeah;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::controller::{Ack, Controller, Decisions, PathFacts};
use crate::custom::Custom;
use crate::custom::registered::Registered;
use crate::forward::{forward_decisions, forward_events, forward_packet_events};
use crate::properties::{Conflict, Describe, Properties};

pub use bbr::{Bbr, BbrParams};
pub use bbr3::{Bbr3, Bbr3Params};
pub use bic::{Bic, BicParams};
pub use compound::{Compound, CompoundParams};
pub use copa::{Copa, CopaParams};
pub use cubic::{Cubic, CubicParams, CubicProfile};
pub use dctcp::{Dctcp, DctcpParams};
pub use fast::delay::Delay;
pub use fast::drain::{DrainChoice, DrainParams, Pauses};
pub use fast::options::DelayOptions;
pub use fast::rate_correction::RateCorrectionParams;
pub use fast::{Fast, FastLaw, FastParams, FastProfile, MeanRtt};
pub use highspeed::{HighSpeed, HighSpeedParams};
pub use htcp::{HTcp, HTcpParams};
pub use hybla::{Hybla, HyblaParams};
pub use illinois::{Illinois, IllinoisParams};
pub use ledbat::{Ledbat, LedbatParams, LedbatProfile};
pub use newreno::{NewReno, NewRenoParams};
pub use prague::{Prague, PragueParams};
pub use reno::{Reno, RenoParams};
pub use scalable::{Scalable, ScalableParams};
pub use tahoe::{Tahoe, TahoeParams};
pub use vegas::{Vegas, VegasParams, VegasPrice};
pub use veno::{Veno, VenoParams};
pub use vfast::{DeviationFrom, MeanRttSource, NonlinearFilter, Smoothing, TimeoutRule, Vfast, VfastParams};
pub use westwood::{Westwood, WestwoodParams};
pub use yeah::{Yeah, YeahParams};

/// An entry of the register.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct KindInfo {
    /// As written in a scenario file.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// Paper or RFC.
    pub source: &'static str,
    /// The controller with its required parameters only, as JSON.
    pub example: &'static str,
    /// Its properties.
    #[serde(flatten)]
    pub properties: Properties,
}

/// Parameters after the kind's name.
#[derive(Serialize)]
struct Tagged<'a, P> {
    kind: &'static str,
    #[serde(flatten)]
    params: &'a P,
}

macro_rules! controllers {
    (($d:tt) $($name:literal $kind:ident($params:ty => $state:ty): $summary:literal, $source:literal, $example:literal;)*) => {
        /// A controller by kind, with its parameters.
        #[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        pub enum ControllerParams {
            $(#[doc = $summary] #[serde(rename = $name)] $kind($params),)*
            /// A registered controller that is not built in.
            #[serde(skip)]
            Custom(Custom),
        }

        impl Serialize for ControllerParams {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$kind(params) => Tagged { kind: $name, params }.serialize(serializer),)*
                    Self::Custom(custom) => custom.serialize(serializer),
                }
            }
        }

        /// Every built-in controller.
        pub const KINDS: &[KindInfo] = &[$(KindInfo {
            name: $name,
            summary: $summary,
            source: $source,
            example: $example,
            properties: <$params as Describe>::PROPERTIES,
        }),*];

        impl ControllerParams {
            /// The kind's name.
            #[must_use]
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$kind(_) => $name,)*
                    Self::Custom(custom) => custom.name(),
                }
            }

            /// A parameter with a value that others, or the law, exclude, though its range allows it.
            #[must_use]
            pub fn conflict(&self) -> Option<Conflict> {
                match self {
                    $(Self::$kind(p) => p.conflict(),)*
                    Self::Custom(_) => None,
                }
            }

            /// A controller for one flow.
            #[must_use]
            pub fn build(&self, facts: &PathFacts) -> AnyController {
                match self {
                    $(Self::$kind(p) => AnyController::$kind(<$state>::new(p, facts)),)*
                    Self::Custom(custom) => AnyController::Custom(custom.build(facts)),
                }
            }
        }

        /// Any controller, dispatched statically.
        #[derive(Debug)]
        #[expect(missing_docs, reason = "the kinds document themselves")]
        pub enum AnyController {
            $($kind($state),)*
            /// A registered controller: the only one behind a pointer to a trait.
            Custom(Box<Registered>),
        }

        impl AnyController {
            /// [`Controller::on_ack`], and the decisions after it: one look at the kind for both.
            #[inline(always)]
            pub fn decide_on_ack<A>(&mut self, ack: A, decisions: &mut Decisions)
            where
                Ack: From<A>,
            {
                // converted for each kind apart, so that only what it looks at is computed
                match self {
                    $(Self::$kind(c) => {
                        c.on_ack(&Ack::from(ack));
                        *decisions = Decisions::of(c);
                    })*
                    Self::Custom(c) => c.decide_on_ack(Ack::from(ack), decisions),
                }
            }

            /// The decisions now.
            #[must_use]
            pub fn decisions(&self) -> Decisions {
                match self {
                    $(Self::$kind(c) => Decisions::of(c),)*
                    Self::Custom(c) => c.decisions(),
                }
            }

            /// A copy with its state, for connections that move to another path; none of a registered controller, which need not
            /// be copyable.
            #[must_use]
            pub fn try_clone(&self) -> Option<Self> {
                match self {
                    $(Self::$kind(c) => Some(Self::$kind(c.clone())),)*
                    Self::Custom(_) => None,
                }
            }
        }

        macro_rules! of_any_kind {
            ($d self:ident, [$d($d _reference:ident)?] $d c:ident => $d call:expr) => {
                match $d self { $(Self::$kind($d c) => $d call,)* Self::Custom($d c) => $d call }
            };
        }

        impl Controller for AnyController {
            forward_packet_events!(of_any_kind);
            forward_events!(of_any_kind);
            forward_decisions!(of_any_kind);
        }
    };
}

impl ControllerParams {
    /// The parameters of FAST's window law, for kinds that use it.
    #[must_use]
    pub const fn fast_law(&self) -> Option<&fast::FastParams> {
        match self {
            Self::Fast(p) => Some(p),
            Self::Vfast(p) => Some(&p.law),
            _ => None,
        }
    }

    /// The only world that has this kind, if it is part of one.
    #[must_use]
    pub fn only_in(&self) -> Option<&'static str> {
        match self {
            Self::Custom(custom) => custom.only_in(),
            _ => None,
        }
    }

    /// The options of delay measurement, for kinds that have them.
    #[must_use]
    pub fn delay_options(&self) -> Option<DelayOptions> {
        self.fast_law().map(FastParams::delay_options)
    }
}

controllers! {
    ($)
    "fast" Fast(fast::FastParams => fast::Fast):
        "FAST TCP: keeps alpha packets queued along the path, by delay",
        "Jin, Wei, Low, INFOCOM 2004; Ge et al., Performance Effects of Two-way FAST TCP, eq. 2",
        r#"{ "kind": "fast", "alpha": "100 packets" }"#;
    "vfast" Vfast(vfast::VfastParams => vfast::Vfast):
        "VFAST: FAST with another mean of the round-trip time, quicker up than down",
        "Belhaj, Tagina, VFAST TCP, eq. 3 to 6",
        r#"{ "kind": "vfast", "alpha": "100 packets" }"#;
    "reno" Reno(reno::RenoParams => reno::Reno):
        "Reno: one packet more a round trip, half on loss; leaves recovery at any partial ACK without SACK",
        "RFC 5681",
        r#"{ "kind": "reno" }"#;
    "newreno" NewReno(newreno::NewRenoParams => newreno::NewReno):
        "NewReno: Reno's window, stays in recovery over partial ACKs without SACK",
        "RFC 5681, RFC 6582",
        r#"{ "kind": "newreno" }"#;
    "cubic" Cubic(cubic::CubicParams => cubic::Cubic):
        "CUBIC: a cubic function of the time since the last loss",
        "RFC 9438",
        r#"{ "kind": "cubic" }"#;
    "vegas" Vegas(vegas::VegasParams => vegas::Vegas):
        "Vegas: keeps between alpha and beta packets queued, by delay",
        "Brakmo, Peterson, IEEE JSAC 13(8), 1995",
        r#"{ "kind": "vegas" }"#;
    "tahoe" Tahoe(tahoe::TahoeParams => tahoe::Tahoe):
        "Tahoe: slow start again after every loss",
        "Jacobson, SIGCOMM 1988",
        r#"{ "kind": "tahoe" }"#;
    "westwood" Westwood(westwood::WestwoodParams => westwood::Westwood):
        "Westwood+: after a loss the window is bandwidth times RTTmin",
        "Grieco, Mascolo, ACM CCR 34(2), 2004",
        r#"{ "kind": "westwood" }"#;
    "highspeed" HighSpeed(highspeed::HighSpeedParams => highspeed::HighSpeed):
        "HighSpeed TCP: increase and decrease depend on the window",
        "RFC 3649",
        r#"{ "kind": "highspeed" }"#;
    "scalable" Scalable(scalable::ScalableParams => scalable::Scalable):
        "Scalable TCP: a hundredth of a packet more per packet, an eighth less per loss",
        "Kelly, ACM CCR 33(2), 2003",
        r#"{ "kind": "scalable" }"#;
    "bic" Bic(bic::BicParams => bic::Bic):
        "BIC: a binary search for the window of the last loss",
        "Xu, Harfoush, Rhee, INFOCOM 2004",
        r#"{ "kind": "bic" }"#;
    "htcp" HTcp(htcp::HTcpParams => htcp::HTcp):
        "H-TCP: an increase that rises with the time since the last loss",
        "Shorten, Leith, PFLDnet 2004",
        r#"{ "kind": "htcp" }"#;
    "compound" Compound(compound::CompoundParams => compound::Compound):
        "Compound TCP: Reno's window and one that delay makes and takes away",
        "Tan, Song, Zhang, Sridharan, INFOCOM 2006",
        r#"{ "kind": "compound" }"#;
    "illinois" Illinois(illinois::IllinoisParams => illinois::Illinois):
        "TCP-Illinois: losses decide when, queueing delay how much",
        "Liu, Basar, Srikant, Performance Evaluation 65, 2008",
        r#"{ "kind": "illinois" }"#;
    "veno" Veno(veno::VenoParams => veno::Veno):
        "Veno: Reno that tells random loss from congestion by the queue",
        "Fu, Liew, IEEE JSAC 21(2), 2003",
        r#"{ "kind": "veno" }"#;
    "hybla" Hybla(hybla::HyblaParams => hybla::Hybla):
        "Hybla: a long path gets what Reno gets on one of 25 ms",
        "Caini, Firrincieli, Int. J. Satellite Communications 22, 2004",
        r#"{ "kind": "hybla" }"#;
    "yeah" Yeah(yeah::YeahParams => yeah::Yeah):
        "YeAH-TCP: Scalable while few packets are queued, Reno otherwise",
        "Baiocchi, Castellani, Vacirca, PFLDnet 2007",
        r#"{ "kind": "yeah" }"#;
    "ledbat" Ledbat(ledbat::LedbatParams => ledbat::Ledbat):
        "LEDBAT: yields as the queue of the forward path nears a target delay; LEDBAT++ as a profile",
        "RFC 6817, draft-irtf-iccrg-ledbat-plus-plus",
        r#"{ "kind": "ledbat" }"#;
    "copa" Copa(copa::CopaParams => copa::Copa):
        "Copa: a rate of one over delta times the queueing delay",
        "Arun, Balakrishnan, NSDI 2018",
        r#"{ "kind": "copa" }"#;
    "bbr" Bbr(bbr::BbrParams => bbr::Bbr):
        "BBR version 1: paces at the largest recent delivery rate",
        "draft-cardwell-iccrg-bbr-congestion-control-00",
        r#"{ "kind": "bbr" }"#;
    "bbr3" Bbr3(bbr3::Bbr3Params => bbr3::Bbr3):
        "BBR version 3: bounds learnt from losses, probing that makes room",
        "draft-ietf-ccwg-bbr",
        r#"{ "kind": "bbr3" }"#;
    "dctcp" Dctcp(dctcp::DctcpParams => dctcp::Dctcp):
        "DCTCP: gives up half of the share of packets that were marked; Reno where nothing marks",
        "RFC 8257",
        r#"{ "kind": "dctcp" }"#;
    "prague" Prague(prague::PragueParams => prague::Prague):
        "Prague: DCTCP for the Internet, paced, alike at all short round trips; for queues of low latency",
        "draft-briscoe-iccrg-prague-congestion-control-04",
        r#"{ "kind": "prague" }"#;
}
