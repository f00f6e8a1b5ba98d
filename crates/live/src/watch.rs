//! What flows and links are doing, as lines of JSON during a run, for whoever watches it.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use eddyline_units::Time;
use serde::Serialize;

use crate::emulator::Shared;
use crate::flow_state::FlowState;
use crate::sampler::FlowSamples;

/// Time between two lines.
const SPACING: Time = Time::from_ms(500);

/// A line.
#[derive(Debug, Serialize)]
struct Line<'a> {
    time_s: f64,
    flows: Vec<FlowLine<'a>>,
    links: Vec<LinkLine<'a>>,
}

/// A flow since the line before.
#[derive(Debug, Serialize)]
struct FlowLine<'a> {
    name: &'a str,
    goodput_bps: f64,
    cwnd_packets: Option<f64>,
    srtt_s: Option<f64>,
    retransmits: Option<u64>,
}

/// A link at the moment.
#[derive(Debug, Serialize)]
struct LinkLine<'a> {
    name: &'a str,
    /// Queued or in transmission.
    packets: u32,
}

/// Writes the lines.
#[derive(Debug)]
pub struct Watch {
    file: File,
    last: Time,
    delivered: Vec<u64>,
}

impl Watch {
    /// Lines for a run with so many flows.
    #[must_use]
    pub fn new(file: File, flows: usize) -> Self {
        Self { file, last: Time::ZERO, delivered: vec![0; flows] }
    }

    /// Writes a line if it is time.
    pub fn write_if_due(&mut self, shared: &Shared, states: &[Arc<FlowState>], samples: &[FlowSamples], now: Time) {
        let span = now.saturating_sub(self.last);
        if span < SPACING {
            return;
        }
        self.last = now;
        let mut flows = Vec::new();
        for (i, flow) in shared.network.flows.iter().enumerate() {
            let delivered = states[i].delivered.load(Ordering::Relaxed);
            let state = samples[i].last;
            flows.push(FlowLine {
                name: &flow.name,
                goodput_bps: (delivered - self.delivered[i]) as f64 * 8.0 / span.as_secs_f64(),
                cwnd_packets: state.map(|s| s.cwnd),
                srtt_s: state.and_then(|s| s.rtt),
                retransmits: state.map(|s| s.retransmits),
            });
            self.delivered[i] = delivered;
        }
        let held = shared.network.links.iter().zip(&shared.held);
        let links =
            held.map(|(link, held)| LinkLine { name: &link.name, packets: held.load(Ordering::Relaxed) }).collect();
        if let Ok(mut text) = serde_json::to_string(&Line { time_s: now.as_secs_f64(), flows, links }) {
            text.push('\n');
            // nobody has to read it
            let _ = self.file.write_all(text.as_bytes());
        }
    }
}
