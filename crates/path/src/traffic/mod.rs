//! Unresponsive traffic: one file and one entry in the register per model.
//!
//! A source is a sequence of packets with their times, generated one by one without allocation; hundreds of viewers of a film cost
//! one heap entry each. Times are absolute; the first packet is not before `start` and all
//! are before `stop`. The same seed and name give the same packets on every platform.

mod cbr;
pub mod distributions;
mod exact_interval;
mod frame;
mod frames;
mod model;
mod on_off;
mod poisson;
mod sizes;
mod trace;
mod trace_text;
mod vbr;

use std::sync::Arc;

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ParamError;
pub use cbr::CbrParams;
pub use frame::Frame;
pub use model::Emission;
use model::Setup;
pub use on_off::{OnOffParams, PeriodDistribution};
pub use poisson::PoissonParams;
pub use sizes::{SizeParams, Transfers};
pub use trace::TraceParams;
pub use trace_text::{SizeUnit, Trace, TraceError, TraceFormat, TraceReading};
pub use vbr::{Movie, VbrParams};

macro_rules! models {
    ($($name:literal $kind:ident($params:ty => $state:ty): $summary:literal, $source:literal;)*) => {
        /// A traffic model by kind, with its parameters.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        pub enum TrafficParams {
            $(#[doc = $summary] #[serde(rename = $name)] $kind($params),)*
        }

        /// Every model: name, summary, source.
        pub const KINDS: &[(&str, &str, &str)] = &[$(($name, $summary, $source)),*];

        impl TrafficParams {
            /// The kind's name.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$kind(_) => $name),* }
            }

            /// Errors of parameters that are valid by the schema, in combination or with this packet size and trace.
            #[must_use]
            pub fn errors(&self, packet: u32, trace: Option<&Trace>) -> Vec<ParamError> {
                let mut found = Vec::new();
                match self { $(Self::$kind(p) => p.errors(packet, trace, &mut found)),* }
                found
            }
        }

        /// Long-run mean rate on the wire in bit/s, from `start` to `stop`; `None` where there is none.
        #[must_use]
        pub fn mean_rate_bps(params: &TrafficParams, packet: u32, trace: Option<&Trace>) -> Option<f64> {
            match params { $(TrafficParams::$kind(p) => p.mean_rate_bps(packet, trace)),* }
        }

        #[derive(Debug, Clone)]
        enum Model { $($kind($state)),* }

        impl Model {
            fn new(params: &TrafficParams, setup: &Setup<'_>) -> Self {
                match params { $(TrafficParams::$kind(p) => Self::$kind(<$state>::new(p, setup))),* }
            }

            #[inline]
            fn next(&mut self) -> Option<Emission> {
                match self { $(Self::$kind(m) => m.next()),* }
            }
        }
    };
}

models! {
    "cbr" Cbr(CbrParams => cbr::Cbr):
        "packets of one size at a constant rate",
        "ns-2, Application/Traffic/CBR";
    "poisson" Poisson(PoissonParams => poisson::Poisson):
        "packets of one size, gaps exponential and independent",
        "Poisson process";
    "on_off" OnOff(OnOffParams => on_off::OnOff):
        "bursts at a constant rate between silences, lengths exponential or Pareto",
        "Willinger, Taqqu, Sherman, Wilson, Self-Similarity Through High-Variability, SIGCOMM 1995";
    "vbr" Vbr(VbrParams => vbr::Vbr):
        "synthetic video: lognormal frames in scenes, at multiples of 40 ms",
        "mean frame and interval of Ge et al., Performance Effects of Two-way FAST TCP, section 5.2";
    "trace" Trace(TraceParams => trace::TracePlayer):
        "frames or packets from a file",
        "forms of Fitzek and Reisslein, MPEG-4 and H.263 Video Traces, IEEE Network 2001";
}

impl TrafficParams {
    /// The trace that the model plays, if it plays one: its file, and how to read it.
    #[must_use]
    pub fn trace_file(&self) -> Option<(&str, TraceReading)> {
        match self {
            Self::Trace(p) => Some((&p.file, p.reading())),
            _ => None,
        }
    }

    /// The largest packet on the wire, if the model plays recorded packets: this trace's.
    #[must_use]
    pub fn largest_packet(&self, trace: &Trace) -> Option<u64> {
        match self {
            Self::Trace(p) => p.largest_packet(trace),
            _ => None,
        }
    }
}

/// A source of unresponsive traffic.
#[derive(Debug, Clone)]
pub struct Source {
    model: Model,
    stop: Option<Time>,
}

impl Source {
    /// The source called `name`, with packets of at most `packet` bytes from `start` until just before `stop`. A
    /// `trace` model without its trace is silent.
    #[must_use]
    pub fn new(
        params: &TrafficParams,
        trace: Option<&Arc<Trace>>,
        packet: u32,
        start: Time,
        stop: Option<Time>,
        seed: u64,
        name: &str,
    ) -> Self {
        let setup = Setup { packet: packet.max(1), start, seed, name, trace };
        Self { model: Model::new(params, &setup), stop }
    }

    /// The next packet; `None` from the end of the traffic on.
    #[expect(clippy::should_implement_trait, reason = "an iterator's adapters are of no use to an event loop")]
    #[inline]
    pub fn next(&mut self) -> Option<Emission> {
        let emission = self.model.next()?;
        if self.stop.is_some_and(|stop| emission.at >= stop) {
            return None;
        }
        Some(emission)
    }
}
