//! `eddyline._core`: scenarios, runs and registers for Python. A thin layer over the other crates.

mod buffer;
mod columns;
mod controller_crate;
mod custom;
mod document;
mod errors;
mod load;
mod names;
mod observer;
mod options;
mod packet_files;
mod packet_text;
mod packets;
mod quantity;
mod register;
mod run;
mod scenario;
mod signals;
mod stepper;
mod sweep;
mod theory;
mod trace_files;

/// The extension module.
#[pyo3::pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::buffer::buffer_estimate;
    #[pymodule_export]
    use crate::controller_crate::controller_crate;
    #[pymodule_export]
    use crate::custom::{
        PathFacts, PyAck, PyLoss, PyRound, PySent, PyTimeout, add_controller, load_plugin, remove_controller,
    };
    #[pymodule_export]
    use crate::names::Names;
    #[pymodule_export]
    use crate::options::{Dynamics, QuicOptions, SimOptions, TheoryOptions};
    #[pymodule_export]
    use crate::quantity::{canonical_quantity, quantity};
    #[pymodule_export]
    use crate::register::{line_bytes, register, schema};
    #[pymodule_export]
    use crate::run::Run;
    #[pymodule_export]
    use crate::scenario::{Scenario, load, load_file};
    #[pymodule_export]
    use crate::stepper::Stepper;
    #[pymodule_export]
    use crate::sweep::{Checked, check_points};
    #[pymodule_export]
    use crate::theory::{Equilibrium, Fairness, Map, Nyquist, Population, Stability, Vegas, Written};
    #[pymodule_export]
    use crate::theory::{filter_bias, late_samples, min_threshold, response, saw_tooth, smoothed_jitter, values};

    /// Version of this software.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::errors::capture_panics();
        Ok(())
    }
}
