//! A user's Python object as a controller. The interpreter is entered only for its event handlers; the attributes that the
//! simulator reads in between (window, pacing) are copied when a handler returns.

use std::sync::Arc;

use eddyline_cc::{
    Ack, Controller, Loss, LostBetween, PartialAck, PathFacts as Facts, RoundMeter, Sent, Stamp, Timeout,
};
use eddyline_units::Time;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTypeInfo as _, intern};

use super::class::PyClass;
use super::events::{PathFacts, PyAck, PyLoss, PyRound, PySent, PyTimeout, seconds};
use super::fault;

/// Smallest pacing rate in packets per second: beyond it intervals exceed the range of time.
const MIN_PACING: f64 = 1e-10;
const PS_PER_S: f64 = 1e12;

/// The event handlers that the class defines.
#[derive(Default)]
struct Handlers {
    handshake: Option<Py<PyAny>>,
    data: Option<Py<PyAny>>,
    sent: Option<Py<PyAny>>,
    ack: Option<Py<PyAny>>,
    duplicate: Option<Py<PyAny>>,
    round: Option<Py<PyAny>>,
    loss: Option<Py<PyAny>>,
    recovered: Option<Py<PyAny>>,
    timeout: Option<Py<PyAny>>,
    ecn: Option<Py<PyAny>>,
    spurious_timeout: Option<Py<PyAny>>,
    idle: Option<Py<PyAny>>,
}

/// Selects a handler.
type Selector = fn(&Handlers) -> Option<&Py<PyAny>>;

impl Handlers {
    fn of(object: &Bound<'_, PyAny>, names: &[String]) -> PyResult<Self> {
        let method = |name: &str| -> PyResult<Option<Py<PyAny>>> {
            if names.iter().any(|n| n == name) { Ok(Some(object.getattr(name)?.unbind())) } else { Ok(None) }
        };
        Ok(Self {
            handshake: method("on_handshake")?,
            data: method("on_data")?,
            sent: method("on_sent")?,
            ack: method("on_ack")?,
            duplicate: method("on_duplicate")?,
            round: method("on_round")?,
            loss: method("on_loss")?,
            recovered: method("on_recovered")?,
            timeout: method("on_timeout")?,
            ecn: method("on_ecn")?,
            spurious_timeout: method("on_spurious_timeout")?,
            idle: method("on_idle")?,
        })
    }
}

/// The attributes of the object that the simulator reads.
#[derive(Clone, Copy)]
struct Attributes {
    window: f64,
    pacing: Option<Time>,
    threshold: Option<f64>,
    base_rtt: Option<Time>,
}

/// A controller implemented by a Python object.
pub(super) struct PyController {
    class: Arc<PyClass>,
    object: Option<Py<PyAny>>,
    on: Handlers,
    attributes: Attributes,
    partial_ack: PartialAck,
    meter: RoundMeter,
    lost_between: LostBetween,
}

impl PyController {
    /// Constructs the object. If that fails, the run is stopped at the next check.
    pub(super) fn new(py: Python<'_>, class: &Arc<PyClass>, keywords: &Py<PyDict>, facts: &Facts) -> Self {
        let window = facts.initial_window.max(1.0);
        let mut made = Self {
            class: Arc::clone(class),
            object: None,
            on: Handlers::default(),
            attributes: Attributes { window, pacing: None, threshold: None, base_rtt: None },
            partial_ack: PartialAck::Stay,
            meter: RoundMeter::default(),
            lost_between: LostBetween::default(),
        };
        let construct = || -> PyResult<_> {
            // an object may change the lists and tables that it is given
            let own = py.import("copy")?.call_method1("deepcopy", (keywords,))?;
            let object = class.class.bind(py).call((PathFacts::of(facts),), Some(own.cast::<PyDict>()?))?;
            let handlers = Handlers::of(&object, &class.handlers)?;
            Ok((object, handlers))
        };
        match construct() {
            Err(error) => fault::raised(py, &class.kind, &format!("{}(...)", class.name), error),
            Ok((object, handlers)) => {
                match attributes(&object).and_then(|attributes| Ok((attributes, partial_ack(&object)?))) {
                    Ok((attributes, partial_ack)) => {
                        made.attributes = attributes;
                        made.partial_ack = partial_ack;
                        made.on = handlers;
                        made.object = Some(object.unbind());
                    }
                    Err(invalid) => invalid.report(py, class, "__init__"),
                }
            }
        }
        made
    }

    /// Calls a handler and copies the attributes. After the first fault no handler is called.
    fn call<'py, A: PyCallArgs<'py>>(
        &mut self,
        method: Selector,
        name: &str,
        py: Python<'py>,
        args: A,
    ) -> Option<Bound<'py, PyAny>> {
        let object = self.object.as_ref()?;
        let answer = match method(&self.on)?.bind(py).call1(args) {
            Ok(answer) => answer,
            Err(error) => {
                fault::raised(py, &self.class.kind, &format!("{}.{name}", self.class.name), error);
                self.object = None;
                return None;
            }
        };
        match attributes(object.bind(py)) {
            Ok(attributes) => {
                self.attributes = attributes;
                Some(answer)
            }
            Err(invalid) => {
                invalid.report(py, &self.class, name);
                self.object = None;
                None
            }
        }
    }

    fn round(&mut self, now: Time) {
        let report = self.meter.take(now);
        Python::attach(|py| self.call(|on| on.round.as_ref(), "on_round", py, (PyRound::from(&report),)).is_some());
    }
}

/// Why an object is not valid.
enum Invalid {
    Raised(PyErr),
    Value(String),
}

impl Invalid {
    fn report(self, py: Python<'_>, class: &PyClass, method: &str) {
        let place = format!("{}.{method}", class.name);
        match self {
            Self::Raised(error) => fault::raised(py, &class.kind, &place, error),
            Self::Value(message) => fault::invalid(&class.kind, &place, message),
        }
    }
}

/// Copies the attributes of the object.
#[inline]
fn attributes(object: &Bound<'_, PyAny>) -> Result<Attributes, Invalid> {
    let py = object.py();
    let window = match object.getattr_opt(intern!(py, "cwnd")) {
        Ok(Some(value)) => number(&value).filter(|w| w.is_finite() && *w >= 1.0).ok_or_else(|| {
            Invalid::Value(format!(
                "left cwnd = {}; a finite number of packets, at least 1, is required",
                short_repr(&value)
            ))
        })?,
        Ok(None) => return Err(Invalid::Value("left no cwnd: set self.cwnd, in packets".to_owned())),
        Err(error) => return Err(Invalid::Raised(error)),
    };
    let pacing =
        optional(object, intern!(py, "pacing_rate"), "pacing_rate", "packets per second, above 1e-10, or None", |r| {
            r > MIN_PACING && r.is_finite()
        })?;
    let threshold =
        optional(object, intern!(py, "ssthresh"), "ssthresh", "a number of packets, at least 2, or None", |t| {
            t >= 2.0
        })?;
    let base_rtt =
        optional(object, intern!(py, "base_rtt"), "base_rtt", "seconds, at least 0 and below 1e6, or None", |t| {
            (0.0..1e6).contains(&t)
        })?;
    Ok(Attributes {
        window,
        pacing: pacing.map(|rate| Time::from_ps((PS_PER_S / rate) as u64)),
        threshold,
        base_rtt: base_rtt.map(|s| Time::from_ps((s * PS_PER_S) as u64)),
    })
}

/// A number: `bool` is none.
#[inline]
fn number(value: &Bound<'_, PyAny>) -> Option<f64> {
    if pyo3::types::PyBool::is_type_of(value) { None } else { value.extract().ok() }
}

#[inline]
fn optional(
    object: &Bound<'_, PyAny>,
    name: &Bound<'_, pyo3::types::PyString>,
    attribute: &str,
    required: &str,
    holds: fn(f64) -> bool,
) -> Result<Option<f64>, Invalid> {
    match object.getattr_opt(name) {
        Ok(None) => Ok(None),
        Ok(Some(value)) if value.is_none() => Ok(None),
        Ok(Some(value)) => number(&value)
            .filter(|n| holds(*n))
            .map(Some)
            .ok_or_else(|| Invalid::Value(format!("left {attribute} = {}; {required}", short_repr(&value)))),
        Err(error) => Err(Invalid::Raised(error)),
    }
}

fn partial_ack(object: &Bound<'_, PyAny>) -> Result<PartialAck, Invalid> {
    let value = object.getattr_opt("partial_ack").map_err(Invalid::Raised)?;
    match value.as_ref().and_then(|v| v.extract::<String>().ok()).as_deref() {
        Some("stay") => Ok(PartialAck::Stay),
        Some("leave") => Ok(PartialAck::Leave),
        _ => match value {
            None => Ok(PartialAck::Stay),
            Some(v) => Err(Invalid::Value(format!("returned partial_ack = {}; \"stay\" or \"leave\"", short_repr(&v)))),
        },
    }
}

/// A value, short enough for a message.
fn short_repr(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map_or_else(|_| "something".to_owned(), |r| r.to_string_lossy().into_owned());
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

impl Controller for PyController {
    fn on_handshake(&mut self, now: Time, rtt: Time) {
        self.meter = RoundMeter::since(now.saturating_sub(rtt));
        if self.on.handshake.is_some() {
            let args = (seconds(now), seconds(rtt));
            Python::attach(|py| self.call(|on| on.handshake.as_ref(), "on_handshake", py, args).is_some());
        }
    }

    fn on_data(&mut self, now: Time) {
        if self.on.data.is_some() {
            let args = (seconds(now),);
            Python::attach(|py| self.call(|on| on.data.as_ref(), "on_data", py, args).is_some());
        }
    }

    fn on_sent(&mut self, sent: &Sent) -> Stamp {
        let default = Stamp { remembered: sent.in_flight as f32 };
        if self.on.sent.is_none() {
            return default;
        }
        Python::attach(|py| {
            let answer = self.call(|on| on.sent.as_ref(), "on_sent", py, (PySent::from(sent),));
            match answer {
                Some(value) if !value.is_none() => match number(&value) {
                    Some(remembered) => Stamp { remembered: remembered as f32 },
                    None => {
                        Invalid::Value(format!("returned {}; a number to remember, or None", short_repr(&value)))
                            .report(py, &self.class, "on_sent");
                        self.object = None;
                        default
                    }
                },
                _ => default,
            }
        })
    }

    fn on_ack(&mut self, ack: &Ack) {
        let ack = &self.lost_between.told_with(ack);
        if self.on.ack.is_some() {
            Python::attach(|py| self.call(|on| on.ack.as_ref(), "on_ack", py, (PyAck::from(ack),)).is_some());
        }
        if self.on.round.is_some() && self.meter.on_ack(ack) {
            self.round(ack.now);
        }
    }

    fn on_duplicate(&mut self, ack: &Ack) {
        self.meter.on_duplicate(ack);
        if self.on.duplicate.is_some() {
            let event = (PyAck::from(ack),);
            Python::attach(|py| self.call(|on| on.duplicate.as_ref(), "on_duplicate", py, event).is_some());
        }
    }

    fn on_lost(&mut self, packets: f64) {
        self.lost_between.add(packets);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.meter.on_loss();
        Python::attach(|py| self.call(|on| on.loss.as_ref(), "on_loss", py, (PyLoss::from(loss),)).is_some());
    }

    fn on_recovered(&mut self, now: Time) {
        if self.on.recovered.is_some() {
            let args = (seconds(now),);
            Python::attach(|py| self.call(|on| on.recovered.as_ref(), "on_recovered", py, args).is_some());
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.meter.on_timeout();
        let event = (PyTimeout::from(timeout),);
        Python::attach(|py| self.call(|on| on.timeout.as_ref(), "on_timeout", py, event).is_some());
    }

    fn on_ecn(&mut self, mark: &Loss) {
        self.meter.on_mark();
        // without on_ecn a mark counts as a loss
        let (handler, name): (Selector, _) = match self.on.ecn {
            Some(_) => (|on| on.ecn.as_ref(), "on_ecn"),
            None => (|on| on.loss.as_ref(), "on_loss"),
        };
        Python::attach(|py| self.call(handler, name, py, (PyLoss::from(mark),)).is_some());
    }

    fn on_spurious_timeout(&mut self, window: f64) {
        if self.on.spurious_timeout.is_some() {
            Python::attach(|py| {
                self.call(|on| on.spurious_timeout.as_ref(), "on_spurious_timeout", py, (window,)).is_some()
            });
        }
    }

    fn on_idle(&mut self, restart_window: f64) {
        if self.on.idle.is_some() {
            Python::attach(|py| self.call(|on| on.idle.as_ref(), "on_idle", py, (restart_window,)).is_some());
            return;
        }
        let window = self.attributes.window.min(restart_window.max(1.0));
        if window < self.attributes.window {
            self.attributes.window = window;
            Python::attach(|py| {
                let Some(object) = &self.object else { return };
                if let Err(error) = object.bind(py).setattr(intern!(py, "cwnd"), window) {
                    fault::raised(py, &self.class.kind, &format!("{}.cwnd", self.class.name), error);
                    self.object = None;
                }
            });
        }
    }

    fn window(&self) -> f64 {
        self.attributes.window
    }

    fn pacing_interval(&self) -> Option<Time> {
        self.attributes.pacing
    }

    fn slow_start_threshold(&self) -> Option<f64> {
        self.attributes.threshold
    }

    fn base_rtt(&self) -> Option<Time> {
        self.attributes.base_rtt
    }

    fn uses_sent(&self) -> bool {
        self.on.sent.is_some()
    }

    fn partial_ack(&self) -> PartialAck {
        self.partial_ack
    }
}
