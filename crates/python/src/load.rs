//! Reading scenarios, with the controllers of installed packages where a scenario names one.

use std::collections::BTreeSet;

use eddyline_scenario::{Diagnostics, Format, Scenario, Vocabulary};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::custom::{current, load_installed};
use crate::errors::guarded;

/// A scenario, or everything that is wrong with it.
pub(crate) type Loaded = Result<Scenario, Diagnostics>;

/// Loads with the controllers known so far, and a second time if installed packages provided one that was unknown.
pub(crate) fn load_with_installed(py: Python<'_>, load: impl Fn(&Vocabulary) -> Loaded) -> PyResult<Loaded> {
    let load = || guarded(|| Ok(load(&current())));
    let loaded = load()?;
    if load_installed(py, &controllers(&loaded))? { load() } else { Ok(loaded) }
}

/// The kinds of controllers that a scenario names, each once; of an invalid scenario the unknown ones.
pub(crate) fn controllers(loaded: &Loaded) -> Vec<&str> {
    let kinds: BTreeSet<&str> = match loaded {
        Ok(scenario) => {
            let network = &scenario.network;
            let flows = network.flows.iter().chain(network.arrivals.iter().map(|a| &a.flow));
            flows.map(|f| f.controller.name()).collect()
        }
        Err(diagnostics) => diagnostics.unknown_controllers.iter().map(String::as_str).collect(),
    };
    kinds.into_iter().collect()
}

/// The format `toml`, `json` or `dict`.
pub(crate) fn format_named(name: &str) -> PyResult<Format> {
    match name {
        "toml" => Ok(Format::Toml),
        "json" => Ok(Format::Json),
        "dict" => Ok(Format::Dict),
        other => Err(PyValueError::new_err(format!("format is toml, json or dict, not {other:?}"))),
    }
}
