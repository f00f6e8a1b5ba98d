//! A valid scenario, and everything that can be asked of it.

use std::ops::ControlFlow;
use std::sync::Arc;

use eddyline_sim::{Options, Progress};
use eddyline_theory::population::{PopulationOptions, population};
use eddyline_theory::{equilibria_document, stability_document};
use eddyline_units::Time;
use js_sys::Function;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::errors::{json, scenario_error, sim_error, text, theory_error};
use crate::load::load;
use crate::run::Run;
use crate::simulation::Simulation;
use crate::theory::{linearisation, theory_run};

/// A valid scenario.
#[wasm_bindgen]
pub struct Scenario {
    inner: Arc<eddyline_scenario::Scenario>,
}

/// A link as a page needs it.
#[derive(Serialize)]
struct LinkFacts<'a> {
    name: &'a str,
    rate_bps: f64,
    delay_s: f64,
    queue: &'a eddyline_path::queue::QueueParams,
}

/// A sender as a page needs it; cross traffic has no controller and no acknowledgements.
#[derive(Serialize)]
struct SourceFacts<'a> {
    name: &'a str,
    controller: Option<&'a str>,
    data: &'a [u32],
    ack: &'a [u32],
    packet: u32,
    start_s: f64,
    stop_s: Option<f64>,
}

#[derive(Serialize)]
struct Facts<'a> {
    links: Vec<LinkFacts<'a>>,
    flows: Vec<SourceFacts<'a>>,
    others: Vec<SourceFacts<'a>>,
}

#[wasm_bindgen]
impl Scenario {
    /// Reads a scenario. A `ScenarioError` has all validation errors.
    ///
    /// # Errors
    /// `ScenarioError`.
    #[wasm_bindgen(constructor)]
    pub fn new(
        text: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "LoadOptions")] options: JsValue,
    ) -> Result<Self, JsValue> {
        let inner = Arc::new(load(text, &options)?.map_err(|diagnostics| scenario_error(&diagnostics))?);
        Ok(Self { inner })
    }

    /// Canonical JSON, defaults filled in, overrides applied.
    #[wasm_bindgen(getter)]
    pub fn canonical(&self) -> String {
        self.inner.canonical.clone()
    }

    /// SHA-256 of the canonical JSON.
    #[wasm_bindgen(getter)]
    pub fn sha256(&self) -> String {
        self.inner.sha256.clone()
    }

    /// Title, or the file's name.
    #[wasm_bindgen(getter)]
    pub fn title(&self) -> String {
        self.inner.network.title.clone()
    }

    /// Simulated time in seconds.
    #[wasm_bindgen(getter, js_name = durationS)]
    pub fn duration_s(&self) -> f64 {
        self.inner.network.duration.as_secs_f64()
    }

    /// Where the summary window begins, in seconds.
    #[wasm_bindgen(getter, js_name = warmupS)]
    pub fn warmup_s(&self) -> f64 {
        self.inner.network.warmup.as_secs_f64()
    }

    /// Links and senders by index, in SI units.
    ///
    /// # Errors
    /// None that a valid scenario has.
    #[wasm_bindgen(unchecked_return_type = "Facts")]
    pub fn facts(&self) -> Result<JsValue, JsValue> {
        let network = &self.inner.network;
        let links = network.links.iter().map(|l| LinkFacts {
            name: &l.name,
            rate_bps: l.rate.as_bps() as f64,
            delay_s: l.delay.as_secs_f64(),
            queue: &l.queue,
        });
        let flows = network.flows.iter().map(|f| SourceFacts {
            name: &f.name,
            controller: Some(f.controller.name()),
            data: &f.data,
            ack: &f.ack,
            packet: f.packet,
            start_s: f.start.as_secs_f64(),
            stop_s: f.stop.map(Time::as_secs_f64),
        });
        let traffic = network.traffic.iter().map(|t| SourceFacts {
            name: &t.name,
            controller: None,
            data: &t.path,
            ack: &[],
            packet: t.packet,
            start_s: 0.0,
            stop_s: None,
        });
        let arrivals = network.arrivals.iter().map(|a| SourceFacts {
            name: &a.name,
            controller: Some(a.flow.controller.name()),
            data: &a.flow.data,
            ack: &a.flow.ack,
            packet: a.flow.packet,
            start_s: 0.0,
            stop_s: None,
        });
        json(&Facts { links: links.collect(), flows: flows.collect(), others: traffic.chain(arrivals).collect() })
    }

    /// Runs it in world `sim`. `progress` is called every 65,536 events with virtual seconds, duration and events; if it returns false,
    /// the run ends with a `CancelledError`.
    ///
    /// # Errors
    /// `CancelledError`, `SimError`, and what `progress` throws.
    pub fn run(
        &self,
        series: Option<bool>,
        #[wasm_bindgen(
            unchecked_optional_param_type = "(nowS: number, durationS: number, events: number) => boolean | void"
        )]
        progress: Option<Function>,
    ) -> Result<Run, JsValue> {
        let options = Options { series: series.unwrap_or(false), ..Options::default() };
        let mut thrown = None;
        let outcome =
            eddyline_sim::run(&self.inner.network, &options, &mut |p| observe(progress.as_ref(), p, &mut thrown));
        if let Some(thrown) = thrown {
            return Err(thrown);
        }
        Run::new(&self.inner, outcome.map_err(|e| sim_error(&e))?)
    }

    /// Begins a simulation that is run piece by piece, with series. `packets` is the maximum number of packets a link in the per-hop
    /// trace (some more if the link's rate varies); none by default.
    ///
    /// # Errors
    /// `SimError`.
    pub fn begin(&self, packets: Option<u32>) -> Result<Simulation, JsValue> {
        Simulation::new(&self.inner, packets.unwrap_or(0))
    }

    /// The result of world `theory`, the equilibrium, as a JSON document. `base_rtt_s` are the base round-trip times that the flows
    /// assume, in seconds; exact by default.
    ///
    /// # Errors
    /// `TheoryError`.
    pub fn theory(&self, base_rtt_s: Option<Vec<f64>>) -> Result<String, JsValue> {
        theory_run(&self.inner, base_rtt_s.as_deref())
    }

    /// Every equilibrium, as a JSON document.
    ///
    /// # Errors
    /// `TheoryError`.
    pub fn equilibrium(&self) -> Result<String, JsValue> {
        text(&equilibria_document(&self.inner.network).map_err(|e| theory_error(&e))?)
    }

    /// Local stability of the first equilibrium, as a JSON document.
    ///
    /// # Errors
    /// `TheoryError`; a name that there is not.
    pub fn stability(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "LinkModel")] link_model: Option<String>,
        #[wasm_bindgen(unchecked_optional_param_type = "WindowLaw")] law: Option<String>,
    ) -> Result<String, JsValue> {
        let (link_model, options) = linearisation(link_model.as_deref(), law.as_deref())?;
        text(&stability_document(&self.inner.network, link_model, &options).map_err(|e| theory_error(&e))?)
    }

    /// The stationary population of flows that arrive and leave, as a JSON document.
    ///
    /// # Errors
    /// `TheoryError`.
    pub fn population(&self) -> Result<String, JsValue> {
        text(&population(&self.inner.network, &PopulationOptions::default()).map_err(|e| theory_error(&e))?)
    }
}

/// Calls `progress`, which stops the run by returning false or by throwing.
pub(crate) fn observe(progress: Option<&Function>, p: Progress, thrown: &mut Option<JsValue>) -> ControlFlow<()> {
    let Some(progress) = progress else { return ControlFlow::Continue(()) };
    let (now, duration) = (p.now.as_secs_f64(), p.duration.as_secs_f64());
    match progress.call3(&JsValue::NULL, &now.into(), &duration.into(), &(p.events as f64).into()) {
        Ok(answer) if answer.as_bool() == Some(false) => ControlFlow::Break(()),
        Ok(_) => ControlFlow::Continue(()),
        Err(e) => {
            *thrown = Some(e);
            ControlFlow::Break(())
        }
    }
}
