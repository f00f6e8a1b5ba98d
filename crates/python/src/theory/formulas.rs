//! Formulas that need no scenario.

use eddyline_theory::filter_bias::{Scatter, expectile, filter_bias as bias};
use eddyline_theory::late_samples::{TimerWeights, late_samples as late};
use eddyline_theory::map::Axis;
use eddyline_theory::response::{Losses, Sender, rate};
use eddyline_theory::sawtooth;
use eddyline_theory::smoothed_jitter::{FilterInput, smoothed_jitter as smoothed};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::vocabulary::theory_error;
use crate::errors::{InputError, guarded};

/// Mean window in packets and packets a second of a loss-based sender: of `reno`, `newreno`, `cubic`, `highspeed` or `scalable`
/// where a share `loss` of its packets is lost and the round trip takes `rtt_s` seconds.
#[pyfunction]
#[pyo3(signature = (kind, loss, rtt_s, *, ack_every = 1, periodic = false))]
pub(crate) fn response(kind: &str, loss: f64, rtt_s: f64, ack_every: u32, periodic: bool) -> PyResult<(f64, f64)> {
    guarded(|| {
        let Some((_, sender)) = Sender::NAMED.iter().find(|(name, _)| *name == kind) else {
            return Err(PyValueError::new_err(format!("there is no response function of {kind:?}")));
        };
        let losses = if periodic { Losses::Periodic } else { Losses::Random };
        let window = sender.window(loss, rtt_s, f64::from(ack_every), losses).map_err(theory_error)?;
        Ok((window, rate(window, rtt_s).map_err(theory_error)?))
    })
}

/// The saw-tooth of `flows` of `dctcp`, `reno` or `newreno` on a path that holds `pipe` packets, at marks above `threshold`: W*, alpha,
/// amplitude, longest and shortest queue, utilisation, round trips and packet times of a period.
#[pyfunction]
pub(crate) fn saw_tooth(kind: &str, flows: f64, pipe: f64, threshold: f64) -> PyResult<[f64; 8]> {
    guarded(|| {
        let Some((_, cut)) = sawtooth::NAMED.iter().find(|(name, _)| *name == kind) else {
            return Err(PyValueError::new_err(format!("there is no saw-tooth of {kind:?}")));
        };
        let s = sawtooth::sawtooth(*cut, flows, pipe, threshold).map_err(theory_error)?;
        Ok([
            s.window,
            s.alpha,
            s.amplitude,
            s.queue_max,
            s.queue_min,
            s.utilisation,
            s.period_round_trips,
            s.period_packets,
        ])
    })
}

/// Minimum threshold at which DCTCP leaves no link idle if the path holds `pipe` packets.
#[pyfunction]
pub(crate) fn min_threshold(pipe: f64) -> f64 {
    sawtooth::min_threshold(pipe)
}

/// Mean of VFAST's SRTT less that of its samples, in their standard deviations: weights `up` and `down` of eq. 4, samples
/// independent and `normal`, `exponential` or `uniform`. With `limit` that of small weights at the same ratio.
#[pyfunction]
#[pyo3(signature = (up, down, scatter, *, limit = false))]
pub(crate) fn filter_bias(py: Python<'_>, up: f64, down: f64, scatter: &str, limit: bool) -> PyResult<f64> {
    let Some((_, scatter)) = Scatter::NAMED.iter().find(|(name, _)| *name == scatter) else {
        return Err(PyValueError::new_err(format!("samples are normal, exponential or uniform, not {scatter:?}")));
    };
    py.detach(|| {
        guarded(
            || if limit { Ok(expectile(up, down, *scatter)) } else { bias(up, down, *scatter).map_err(theory_error) },
        )
    })
}

/// Mean of VFAST's SRTT less that of its samples, and its variance, in standard deviations of normal jitter with this correlation
/// from sample to sample; with `change` samples are the jitter's change since the previous sample (a self-clocked flow).
#[pyfunction]
#[pyo3(signature = (up, down, correlation, *, change = false))]
pub(crate) fn smoothed_jitter(
    py: Python<'_>,
    up: f64,
    down: f64,
    correlation: f64,
    change: bool,
) -> PyResult<(f64, f64)> {
    let input = if change { FilterInput::Change } else { FilterInput::Jitter };
    py.detach(|| {
        guarded(|| {
            let found = smoothed(up, down, correlation, input).map_err(theory_error)?;
            Ok((found.bias, found.variance))
        })
    })
}

/// Probability that an independent normal sample exceeds the timeout, and the mean timeout less the mean sample in standard
/// deviations, at each minimum of the timer's variation term, `minima`: weights of eq. 4 and 5, or of RFC 6298 (1/8,
/// 1/8, 1/4).
#[pyfunction]
pub(crate) fn late_samples(
    py: Python<'_>,
    up: f64,
    down: f64,
    zeta: f64,
    minima: Vec<f64>,
) -> PyResult<Vec<(f64, f64)>> {
    py.detach(|| {
        guarded(|| {
            let found = late(TimerWeights { up, down, zeta }, &minima).map_err(theory_error)?;
            Ok(found.iter().map(|l| (l.probability, l.timeout)).collect())
        })
    })
}

/// One value with its unit, a list of them or a range: SI values, and the SI unit (empty for plain numbers and shares). `what` is
/// named in messages.
#[pyfunction]
pub(crate) fn values(what: &str, text: &str) -> PyResult<(Vec<f64>, &'static str)> {
    guarded(|| Axis::values(text).map_err(|e| InputError::new_err(format!("{what} {text}: {e}"))))
}
