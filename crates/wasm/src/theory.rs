//! World `theory`: questions about a scenario, and a formula that needs none.

use eddyline_scenario::Scenario;
use eddyline_theory::LinkModel;
use eddyline_theory::response::{Losses, Sender, rate};
use eddyline_theory::stability::Options;
use wasm_bindgen::prelude::*;

use crate::errors::{error, text, theory_error};

/// The equilibrium of `scenario` as a result document.
///
/// # Errors
/// `TheoryError`.
pub fn theory_run(scenario: &Scenario, base_rtt_s: Option<&[f64]>) -> Result<String, JsValue> {
    let network = &scenario.network;
    let result = match base_rtt_s {
        Some(base_rtts) => eddyline_theory::run_with_base_rtt(network, base_rtts),
        None => eddyline_theory::run(network),
    };
    text(&result.map_err(|e| theory_error(&e))?)
}

/// The link model and the window law of these names; by default `integrator` and `equation`.
pub(crate) fn linearisation(link_model: Option<&str>, law: Option<&str>) -> Result<(LinkModel, Options), JsValue> {
    let options = match law.unwrap_or("equation") {
        "equation" => Options::default(),
        "algorithm" => Options::algorithm(),
        other => return Err(error("TypeError", &format!("window laws are equation and algorithm, not {other:?}"))),
    };
    let models = [LinkModel::Integrator, LinkModel::AckClocked, LinkModel::Joint];
    let name = link_model.unwrap_or("integrator");
    let model = models.into_iter().find(|m| m.name() == name).ok_or_else(|| {
        error("TypeError", &format!("link models are integrator, ack_clocked and joint, not {name:?}"))
    })?;
    Ok((model, options))
}

/// Mean window in packets and packets a second of a loss-based sender: of `reno`, `newreno`, `cubic`, `highspeed` or `scalable` where a
/// share `loss` of its packets is lost and the round trip takes `rtt_s` seconds.
///
/// # Errors
/// `TheoryError`; a name that there is not.
#[wasm_bindgen]
pub fn response(
    kind: &str,
    loss: f64,
    rtt_s: f64,
    ack_every: Option<u32>,
    periodic: Option<bool>,
) -> Result<Vec<f64>, JsValue> {
    let Some((_, sender)) = Sender::NAMED.iter().find(|(name, _)| *name == kind) else {
        return Err(error("TypeError", &format!("there is no response function of {kind:?}")));
    };
    let losses = if periodic.unwrap_or(false) { Losses::Periodic } else { Losses::Random };
    let window = sender.window(loss, rtt_s, f64::from(ack_every.unwrap_or(1)), losses).map_err(|e| theory_error(&e))?;
    Ok(vec![window, rate(window, rtt_s).map_err(|e| theory_error(&e))?])
}
