//! Quantities in the syntax of the scenario file, for command-line options.

use eddyline_scenario::quantity_hint;
use eddyline_units::{Bytes, Frequency, Packets, Percent, Quantity, Rate, Time};
use pyo3::prelude::*;

use crate::errors::{InputError, guarded};

/// The value of `text` in SI units (s, bit/s, B, packets, 1/s, one); `what` is `time`, `rate`, `bytes`, `packets`,
/// `frequency` or `percent`.
#[pyfunction]
pub(crate) fn quantity(what: &str, text: &str) -> PyResult<f64> {
    guarded(|| match what {
        "time" => si::<Time>(text),
        "rate" => si::<Rate>(text),
        "bytes" => si::<Bytes>(text),
        "packets" => si::<Packets>(text),
        "frequency" => si::<Frequency>(text),
        "percent" => si::<Percent>(text),
        other => Err(InputError::new_err(format!("there is no quantity {other:?}"))),
    })
}

fn si<Q: Quantity>(text: &str) -> PyResult<f64> {
    Q::parse(text)
        .map(Quantity::si)
        .map_err(|e| InputError::new_err((format!("{text:?}: {e}"), quantity_hint(Q::FORMAT, text))))
}
