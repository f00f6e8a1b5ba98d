//! Range checks.

use crate::error::TheoryError;

fn out(what: &str, value: f64, allowed: &'static str) -> TheoryError {
    TheoryError::OutOfRange { what: what.to_owned(), value, allowed }
}

pub(super) fn positive(what: &str, value: f64) -> Result<f64, TheoryError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(out(what, value, "above 0 and finite")) }
}

pub(super) fn not_negative(what: &str, value: f64) -> Result<f64, TheoryError> {
    if value >= 0.0 && value.is_finite() { Ok(value) } else { Err(out(what, value, "0 or more and finite")) }
}

pub(super) fn at_least_one(what: &str, value: f64) -> Result<f64, TheoryError> {
    if value >= 1.0 && value.is_finite() { Ok(value) } else { Err(out(what, value, "at least 1 and finite")) }
}
