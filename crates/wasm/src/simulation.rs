//! A simulation that is run piece by piece.

use std::sync::Arc;

use eddyline_scenario::Scenario;
use eddyline_sim::{Incremental, LogSelection, Options};
use eddyline_units::Time;
use wasm_bindgen::prelude::*;

use crate::errors::{error, sim_error};
use crate::flow_events::FlowEvents;
use crate::packets::Packets;
use crate::run::{Run, columns};

/// A simulation that stops at times of the caller's choice; the pieces have no effect on the result.
#[wasm_bindgen]
pub struct Simulation {
    scenario: Arc<Scenario>,
    inner: Option<Incremental>,
    packets: Option<Packets>,
    events: FlowEvents,
    /// Rows of the series that were handed out.
    rows: usize,
}

impl Simulation {
    pub(crate) fn new(scenario: &Arc<Scenario>, packets: u32) -> Result<Self, JsValue> {
        let network = &scenario.network;
        let packet_log = (packets > 0).then_some(LogSelection::All);
        let options = Options { series: true, packet_log, ..Options::default() };
        let inner = Incremental::new(network, &options).map_err(|e| sim_error(&e))?;
        Ok(Self {
            scenario: Arc::clone(scenario),
            inner: Some(inner),
            packets: (packets > 0).then(|| Packets::new(network, packets)),
            events: FlowEvents::new(network.flows.len()),
            rows: 0,
        })
    }

    fn advance_to(&mut self, to: Time) -> Result<(), JsValue> {
        let inner = self.inner.as_mut().ok_or_else(over)?;
        let network = &self.scenario.network;
        let (to, interval) = (to.min(network.duration), network.record_interval.max(Time::from_ps(1)));
        while inner.now() < to {
            // to the next multiple of the interval, where states of flows are read
            let next = (inner.now().as_ps() / interval.as_ps() + 1).saturating_mul(interval.as_ps());
            inner
                .advance(Time::from_ps(next).min(to), &mut |_| std::ops::ControlFlow::Continue(()))
                .map_err(|e| sim_error(&e))?;
            self.events.read(inner);
            if let (Some(packets), Some(log)) = (&mut self.packets, inner.take_log()) {
                packets.read(&log, &mut self.events);
            }
        }
        Ok(())
    }
}

#[wasm_bindgen]
impl Simulation {
    /// Runs to this time, in seconds.
    ///
    /// # Errors
    /// `SimError`.
    pub fn advance(&mut self, to_s: f64) -> Result<(), JsValue> {
        let ps = (to_s.max(0.0) * 1e12).min(u64::MAX as f64);
        self.advance_to(Time::from_ps(ps as u64))
    }

    /// The time that it has reached, in seconds.
    #[wasm_bindgen(getter, js_name = nowS)]
    pub fn now_s(&self) -> f64 {
        self.inner.as_ref().map_or(self.scenario.network.duration, Incremental::now).as_secs_f64()
    }

    /// Columns of the series' rows since the last call.
    ///
    /// # Errors
    /// The simulation is over.
    #[wasm_bindgen(unchecked_return_type = "Series")]
    pub fn series(&mut self) -> Result<JsValue, JsValue> {
        let inner = self.inner.as_ref().ok_or_else(over)?;
        let series = inner.series().ok_or_else(over)?;
        let first = std::mem::replace(&mut self.rows, series.value.len());
        columns(series, first)
    }

    /// The way of recorded packets over links: those that left their link since the last call.
    ///
    /// # Errors
    /// None.
    #[wasm_bindgen(unchecked_return_type = "Packets | undefined")]
    pub fn packets(&mut self) -> Result<JsValue, JsValue> {
        self.packets.as_mut().map_or(Ok(JsValue::UNDEFINED), Packets::take)
    }

    /// One packet in so many is recorded, by link.
    #[wasm_bindgen(getter, js_name = packetSpacing)]
    pub fn packet_spacing(&self) -> Vec<u32> {
        self.packets.as_ref().map_or_else(Vec::new, |p| p.spacing().to_vec())
    }

    /// Events of flows since the last call.
    ///
    /// # Errors
    /// None.
    #[wasm_bindgen(unchecked_return_type = "FlowEvents")]
    pub fn events(&mut self) -> Result<JsValue, JsValue> {
        self.events.take()
    }

    /// Runs to the end and returns the result. The simulation cannot be used afterwards.
    ///
    /// # Errors
    /// `SimError`.
    pub fn finish(&mut self) -> Result<Run, JsValue> {
        self.advance_to(self.scenario.network.duration)?;
        let inner = self.inner.take().ok_or_else(over)?;
        let outcome = inner.finish(&mut |_| std::ops::ControlFlow::Continue(())).map_err(|e| sim_error(&e))?;
        Run::new(&self.scenario, outcome)
    }
}

fn over() -> JsValue {
    error("Error", "this simulation is over")
}
