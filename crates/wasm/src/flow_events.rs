//! What happened to flows, for marks on a chart.

use eddyline_sim::Incremental;
use js_sys::{Float64Array, Object, Uint8Array, Uint32Array};
use wasm_bindgen::JsValue;

use crate::run::put;

/// What happened. JavaScript has the same numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum FlowEvent {
    /// A packet of the flow was dropped or lost; `detail` is the link.
    Loss = 0,
    /// The retransmission timer expired.
    Timeout = 1,
    /// Loss recovery began.
    RecoveryBegin = 2,
    /// Loss recovery ended.
    RecoveryEnd = 3,
    /// A round trip ended.
    Round = 4,
    /// The flow's transfer was complete.
    Completed = 5,
    /// An acknowledgement of the flow was dropped or lost; `detail` is the link.
    AckLoss = 6,
}

/// Maximum number of events of one run that are kept: more cannot be marked on a chart.
const MAX_EVENTS: usize = 200_000;

#[derive(Debug, Clone, Copy, Default)]
struct Last {
    timeouts: u64,
    recovering: bool,
    completed: bool,
}

/// Events of all flows. Timeouts and recovery are read at the recording interval; losses and round trips have exact times.
#[derive(Debug)]
pub(crate) struct FlowEvents {
    last: Vec<Last>,
    time_s: Vec<f64>,
    flow: Vec<u32>,
    event: Vec<u8>,
    detail: Vec<u32>,
    count: usize,
}

impl FlowEvents {
    pub(crate) fn new(flows: usize) -> Self {
        Self {
            last: vec![Last::default(); flows],
            time_s: Vec::new(),
            flow: Vec::new(),
            event: Vec::new(),
            detail: Vec::new(),
            count: 0,
        }
    }

    /// Adds an event.
    pub(crate) fn push(&mut self, time_s: f64, flow: usize, event: FlowEvent, detail: u32) {
        self.count += 1;
        if self.count > MAX_EVENTS {
            return;
        }
        self.time_s.push(time_s);
        self.flow.push(flow as u32);
        self.event.push(event as u8);
        self.detail.push(detail);
    }

    /// Reads the states of all flows.
    pub(crate) fn read(&mut self, simulation: &Incremental) {
        let now = simulation.now().as_secs_f64();
        for i in 0..self.last.len() {
            let Some((state, recovery)) = simulation.flow(i) else { continue };
            let last = std::mem::replace(
                &mut self.last[i],
                Last {
                    timeouts: state.timeouts,
                    recovering: recovery.in_progress,
                    completed: state.completed_at.is_some(),
                },
            );
            if state.timeouts > last.timeouts {
                self.push(now, i, FlowEvent::Timeout, (state.timeouts - last.timeouts) as u32);
            }
            if recovery.in_progress != last.recovering {
                let event = if last.recovering { FlowEvent::RecoveryEnd } else { FlowEvent::RecoveryBegin };
                self.push(now, i, event, 0);
            }
            if let (false, Some(at)) = (last.completed, state.completed_at) {
                self.push(at.as_secs_f64(), i, FlowEvent::Completed, 0);
            }
        }
    }

    /// The events since the last call, as typed arrays.
    pub(crate) fn take(&mut self) -> Result<JsValue, JsValue> {
        let object = Object::new();
        put(&object, "timeS", &Float64Array::from(&*std::mem::take(&mut self.time_s)))?;
        put(&object, "flow", &Uint32Array::from(&*std::mem::take(&mut self.flow)))?;
        put(&object, "event", &Uint8Array::from(&*std::mem::take(&mut self.event)))?;
        put(&object, "detail", &Uint32Array::from(&*std::mem::take(&mut self.detail)))?;
        Ok(object.into())
    }
}
