//! Quantities in the syntax of the scenario file, for command-line options and parameters of Python controllers.

use std::fmt::Display;

use eddyline_scenario::quantity_hint;
use eddyline_units::{Bytes, Frequency, Packets, Percent, Quantity, Rate, Time};
use pyo3::prelude::*;

use crate::errors::{InputError, guarded};

/// The value of `text` in SI units (s, bit/s, B, packets, 1/s, one); `what` is `time`, `rate`, `bytes`, `packets`,
/// `frequency` or `percent`.
#[pyfunction]
pub(crate) fn quantity(what: &str, text: &str) -> PyResult<f64> {
    guarded(|| forms(what, text).map(|(si, _)| si))
}

/// `text` as the canonical scenario writes it; `what` as for `quantity`.
#[pyfunction]
pub(crate) fn canonical_quantity(what: &str, text: &str) -> PyResult<String> {
    guarded(|| forms(what, text).map(|(_, canonical)| canonical))
}

fn forms(what: &str, text: &str) -> PyResult<(f64, String)> {
    match what {
        "time" => read::<Time>(text),
        "rate" => read::<Rate>(text),
        "bytes" => read::<Bytes>(text),
        "packets" => read::<Packets>(text),
        "frequency" => read::<Frequency>(text),
        "percent" => read::<Percent>(text),
        other => Err(InputError::new_err(format!("there is no quantity {other:?}"))),
    }
}

fn read<Q: Quantity + Display>(text: &str) -> PyResult<(f64, String)> {
    Q::parse(text)
        .map(|value| (value.si(), value.to_string()))
        .map_err(|e| InputError::new_err((format!("{text:?}: {e}"), quantity_hint(Q::FORMAT, text))))
}
