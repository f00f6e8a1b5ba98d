//! The source of the crate `eddyline-controller`, for controllers that are written where there is no checkout.

use std::collections::BTreeMap;

use pyo3::prelude::*;

macro_rules! source {
    ($($path:literal),*) => {
        &[$(($path, include_str!(concat!("../../controller-abi/", $path)))),*]
    };
}

const FILES: &[(&str, &str)] = source![
    "Cargo.toml",
    "include/eddyline_controller.h",
    "src/abi.rs",
    "src/controller.rs",
    "src/export.rs",
    "src/json.rs",
    "src/lib.rs",
    "src/parameters.rs",
    "src/time.rs"
];

/// Its files by path.
#[pyfunction]
pub(crate) fn controller_crate() -> BTreeMap<&'static str, &'static str> {
    FILES.iter().copied().collect()
}
