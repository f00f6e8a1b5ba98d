//! A user's object as a controller. The interpreter is entered only while one of its methods runs; what the simulator asks
//! for in between (window, pacing) was read when the method returned.

use std::sync::Arc;

use eddyline_cc::{Ack, Controller, Loss, PartialAck, PathFacts as Facts, RoundMeter, Sent, Stamp, Timeout};
use eddyline_units::Time;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTypeInfo as _, intern};

use super::class::PyClass;
use super::events::{PathFacts, PyAck, PyLoss, PyRound, PySent, PyTimeout, seconds};
use super::fault;

/// Slower than a packet in a thousand years is not sent at all.
const MIN_PACING: f64 = 1e-10;
const PS_PER_S: f64 = 1e12;

/// Methods of the object that its class has.
#[derive(Default)]
struct Handlers {
    handshake: Option<Py<PyAny>>,
    sent: Option<Py<PyAny>>,
    ack: Option<Py<PyAny>>,
    round: Option<Py<PyAny>>,
    loss: Option<Py<PyAny>>,
    recovered: Option<Py<PyAny>>,
    timeout: Option<Py<PyAny>>,
    ecn: Option<Py<PyAny>>,
    spurious_timeout: Option<Py<PyAny>>,
    idle: Option<Py<PyAny>>,
}

/// Which of them.
type Method = fn(&Handlers) -> Option<&Py<PyAny>>;

impl Handlers {
    fn of(object: &Bound<'_, PyAny>, names: &[String]) -> PyResult<Self> {
        let method = |name: &str| -> PyResult<Option<Py<PyAny>>> {
            if names.iter().any(|n| n == name) { Ok(Some(object.getattr(name)?.unbind())) } else { Ok(None) }
        };
        Ok(Self {
            handshake: method("on_handshake")?,
            sent: method("on_sent")?,
            ack: method("on_ack")?,
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

/// What an object says of itself.
#[derive(Clone, Copy)]
struct Said {
    window: f64,
    pacing: Option<Time>,
    threshold: Option<f64>,
    base_rtt: Option<Time>,
}

/// A user's object.
pub(super) struct PyController {
    class: Arc<PyClass>,
    object: Option<Py<PyAny>>,
    on: Handlers,
    said: Said,
    partial_ack: PartialAck,
    meter: RoundMeter,
}

impl PyController {
    /// An object of `class`. If that fails the run is stopped at the next look.
    pub(super) fn new(py: Python<'_>, class: &Arc<PyClass>, keywords: &Py<PyDict>, facts: &Facts) -> Self {
        let window = facts.initial_window.max(1.0);
        let mut made = Self {
            class: Arc::clone(class),
            object: None,
            on: Handlers::default(),
            said: Said { window, pacing: None, threshold: None, base_rtt: None },
            partial_ack: PartialAck::Stay,
            meter: RoundMeter::default(),
        };
        let made_of = || -> PyResult<_> {
            let object = class.class.bind(py).call((PathFacts::of(facts),), Some(keywords.bind(py)))?;
            let handlers = Handlers::of(&object, &class.handlers)?;
            Ok((object, handlers))
        };
        match made_of() {
            Err(error) => fault::raised(py, &class.kind, &format!("{}(...)", class.name), error),
            Ok((object, handlers)) => match said(&object).and_then(|said| Ok((said, partial_ack(&object)?))) {
                Ok((said, partial_ack)) => {
                    made.said = said;
                    made.partial_ack = partial_ack;
                    made.on = handlers;
                    made.object = Some(object.unbind());
                }
                Err(wrong) => wrong.tell(py, class, "__init__"),
            },
        }
        made
    }

    /// Calls a method and reads what it left. After the first fault nothing is called any more.
    fn call<'py, A: PyCallArgs<'py>>(
        &mut self,
        method: Method,
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
        match said(object.bind(py)) {
            Ok(said) => {
                self.said = said;
                Some(answer)
            }
            Err(wrong) => {
                wrong.tell(py, &self.class, name);
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

/// What is wrong with an object.
enum Wrong {
    Raised(PyErr),
    Nonsense(String),
}

impl Wrong {
    fn tell(self, py: Python<'_>, class: &PyClass, method: &str) {
        let place = format!("{}.{method}", class.name);
        match self {
            Self::Raised(error) => fault::raised(py, &class.kind, &place, error),
            Self::Nonsense(message) => fault::nonsense(&class.kind, &place, message),
        }
    }
}

/// Reads what an object says of itself.
#[inline]
fn said(object: &Bound<'_, PyAny>) -> Result<Said, Wrong> {
    let py = object.py();
    let window = match object.getattr_opt(intern!(py, "cwnd")) {
        Ok(Some(value)) => number(&value).filter(|w| w.is_finite() && *w >= 1.0).ok_or_else(|| {
            Wrong::Nonsense(format!("left cwnd = {}; a finite number of packets, at least 1, is needed", shown(&value)))
        })?,
        Ok(None) => return Err(Wrong::Nonsense("left no cwnd: set self.cwnd, in packets".to_owned())),
        Err(error) => return Err(Wrong::Raised(error)),
    };
    let pacing =
        optional(object, intern!(py, "pacing_rate"), "pacing_rate", "packets per second, above 0, or None", |r| {
            r > MIN_PACING && r.is_finite()
        })?;
    let threshold =
        optional(object, intern!(py, "ssthresh"), "ssthresh", "a number of packets, at least 2, or None", |t| {
            t >= 2.0
        })?;
    let base_rtt = optional(object, intern!(py, "base_rtt"), "base_rtt", "seconds, at least 0, or None", |t| {
        (0.0..1e7).contains(&t)
    })?;
    Ok(Said {
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
    said: &str,
    needed: &str,
    holds: fn(f64) -> bool,
) -> Result<Option<f64>, Wrong> {
    match object.getattr_opt(name) {
        Ok(None) => Ok(None),
        Ok(Some(value)) if value.is_none() => Ok(None),
        Ok(Some(value)) => number(&value)
            .filter(|n| holds(*n))
            .map(Some)
            .ok_or_else(|| Wrong::Nonsense(format!("left {said} = {}; {needed}", shown(&value)))),
        Err(error) => Err(Wrong::Raised(error)),
    }
}

fn partial_ack(object: &Bound<'_, PyAny>) -> Result<PartialAck, Wrong> {
    let value = object.getattr_opt("partial_ack").map_err(Wrong::Raised)?;
    match value.as_ref().and_then(|v| v.extract::<String>().ok()).as_deref() {
        Some("stay") => Ok(PartialAck::Stay),
        Some("leave") => Ok(PartialAck::Leave),
        _ => match value {
            None => Ok(PartialAck::Stay),
            Some(v) => Err(Wrong::Nonsense(format!("left partial_ack = {}; \"stay\" or \"leave\"", shown(&v)))),
        },
    }
}

/// A value, short enough for a message.
fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map_or_else(|_| "something".to_owned(), |r| r.to_string_lossy().into_owned());
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

impl Controller for PyController {
    fn on_handshake(&mut self, now: Time, rtt: Time) {
        if self.on.handshake.is_some() {
            let args = (seconds(now), seconds(rtt));
            Python::attach(|py| self.call(|on| on.handshake.as_ref(), "on_handshake", py, args).is_some());
        }
    }

    fn on_sent(&mut self, sent: &Sent) -> Stamp {
        let usual = Stamp { remembered: sent.in_flight as f32 };
        if self.on.sent.is_none() {
            return usual;
        }
        Python::attach(|py| {
            let answer = self.call(|on| on.sent.as_ref(), "on_sent", py, (PySent::from(sent),));
            match answer {
                Some(value) if !value.is_none() => match number(&value) {
                    Some(remembered) => Stamp { remembered: remembered as f32 },
                    None => {
                        Wrong::Nonsense(format!("returned {}; a number to remember, or None", shown(&value))).tell(
                            py,
                            &self.class,
                            "on_sent",
                        );
                        self.object = None;
                        usual
                    }
                },
                _ => usual,
            }
        })
    }

    fn on_ack(&mut self, ack: &Ack) {
        if self.on.ack.is_some() {
            Python::attach(|py| self.call(|on| on.ack.as_ref(), "on_ack", py, (PyAck::from(ack),)).is_some());
        }
        if self.on.round.is_some() && self.meter.on_ack(ack) {
            self.round(ack.now);
        }
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
        // a mark is a loss to a class that does not tell them apart
        let (handler, name): (Method, _) = match self.on.ecn {
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
        let window = self.said.window.min(restart_window.max(1.0));
        if window < self.said.window {
            self.said.window = window;
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
        self.said.window
    }

    fn pacing_interval(&self) -> Option<Time> {
        self.said.pacing
    }

    fn slow_start_threshold(&self) -> Option<f64> {
        self.said.threshold
    }

    fn base_rtt(&self) -> Option<Time> {
        self.said.base_rtt
    }

    fn partial_ack(&self) -> PartialAck {
        self.partial_ack
    }
}
