//! The names of a scenario's entities.

use eddyline_scenario::Network;
use pyo3::prelude::*;

/// Names by index in the network.
#[pyclass(frozen, get_all, module = "eddyline._core")]
#[derive(Debug)]
pub(crate) struct Names {
    /// Flows.
    pub(crate) flows: Vec<String>,
    /// Links.
    pub(crate) links: Vec<String>,
    /// Flows, then traffic, then probes, then arrivals: the sources in a packet log.
    pub(crate) sources: Vec<String>,
}

impl Names {
    pub(crate) fn of(network: &Network) -> Self {
        let flows: Vec<String> = network.flows.iter().map(|f| f.name.clone()).collect();
        let sources = flows.iter().cloned().chain(network.traffic.iter().map(|t| t.name.clone()));
        let sources = sources.chain(network.probes.iter().map(|p| p.name.clone()));
        let sources = sources.chain(network.arrivals.iter().map(|a| a.name.clone())).collect();
        Self { flows, links: network.links.iter().map(|l| l.name.clone()).collect(), sources }
    }
}
