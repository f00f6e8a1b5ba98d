//! `trace`: frames or packets from a file; see [`Trace`] for its formats.

use std::sync::Arc;

use eddyline_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::frame::Frame;
use super::frames::{Fragmentation, Frames, ViewerStreams};
use super::model::{Emission, Setup, one, yes};
use super::trace_text::{SizeUnit, Trace, TraceFormat, TraceReading};
use crate::ParamError;

/// Parameters of `trace`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceParams {
    /// The trace, relative to the scenario's folder.
    pub file: String,
    /// Viewers, each with a stream of its own on the wire.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 100_000))]
    pub copies: u32,
    /// Where in the trace, by its own clock, playback begins; before its first frame means at its first frame.
    #[serde(default)]
    pub offset: Time,
    /// All viewers see the same frame at the same time; else each begins at a random place from `offset` to the end.
    #[serde(default = "yes")]
    pub synchronised: bool,
    /// After the last frame begin again with the first, a mean gap between frames later; else each viewer's stream ends there.
    #[serde(default = "yes")]
    pub repeat: bool,
    /// Format of a line. Default: by the number of columns of the first line: four are `verbose`, two `packets` (time in seconds), one
    /// `terse`. `frame_times` (time in milliseconds) has to be given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<TraceFormat>,
    /// Unit of sizes; bits are rounded up to whole bytes.
    #[serde(default)]
    pub unit: SizeUnit,
    /// Time between two frames of a `terse` trace, which has no times.
    #[serde(default = "frame_interval")]
    #[schemars(extend("x-exclusiveMinimum" = 0))]
    pub interval: Time,
    /// Header bytes that each packet of a frame carries besides its part of the frame.
    #[serde(default)]
    pub header: Bytes,
}

fn frame_interval() -> Time {
    TraceReading::default().interval
}

impl TraceParams {
    /// A trace from this file, everything else by default.
    #[must_use]
    pub fn new(file: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            copies: one(),
            offset: Time::ZERO,
            synchronised: yes(),
            repeat: yes(),
            format: None,
            unit: SizeUnit::default(),
            interval: frame_interval(),
            header: Bytes::ZERO,
        }
    }

    /// How the file's text is to be read.
    #[must_use]
    pub const fn reading(&self) -> TraceReading {
        TraceReading { format: self.format, unit: self.unit, interval: self.interval }
    }

    /// The largest packet on the wire of a trace of packets, each sent as it was recorded; none for frames, which are split.
    pub(super) fn largest_packet(&self, trace: &Trace) -> Option<u64> {
        let largest = trace.frames().iter().map(|packet| u64::from(packet.bytes)).max()?;
        (trace.format() == TraceFormat::Packets).then(|| largest.saturating_add(self.header.get()))
    }

    /// Without repetition: the rate while all viewers play; none for unsynchronised viewers, whose number decreases.
    pub(super) fn mean_rate_bps(&self, packet: u32, trace: Option<&Trace>) -> Option<f64> {
        let trace = trace?;
        if !self.repeat && !self.synchronised {
            return None;
        }
        let begin = if self.repeat { trace.begin() } else { self.offset.max(trace.begin()) };
        let length = trace.end().as_ps().checked_sub(begin.as_ps()).filter(|l| *l > 0)?;
        let cut = Fragmentation::new(packet, self.header);
        let played = &trace.frames()[trace.first_from(begin)..];
        let bytes: u128 = played.iter().map(|f| u128::from(cut.wire_bytes(f.bytes))).sum();
        Some(f64::from(self.copies) * bytes as f64 * 8e12 / length as f64)
    }

    pub(super) fn errors(&self, packet: u32, trace: Option<&Trace>, found: &mut Vec<ParamError>) {
        match trace {
            None => found.push(ParamError::new("file", format!("{:?} has not been read", self.file))),
            Some(trace) if self.offset >= trace.end() => {
                let message = format!("beyond the trace, which goes from {} to {}", trace.begin(), trace.end());
                found.push(ParamError::new("offset", message));
            }
            Some(_) => {}
        }
        Fragmentation::errors(packet, self.header, found);
    }
}

/// One viewer's place in a trace.
#[derive(Debug, Clone)]
struct Playback {
    trace: Arc<Trace>,
    repeat: bool,
    next: usize,
    /// The time of the source at which the trace's clock shows `begin`.
    start: u64,
    begin: u64,
    /// Duration of completed repetitions.
    laps: u64,
}

impl Playback {
    /// From the place `begin` of the trace's clock, at the source's time `start`.
    fn new(trace: &Arc<Trace>, begin: Time, start: Time, repeat: bool) -> Self {
        let next = trace.first_from(begin);
        Self { trace: Arc::clone(trace), repeat, next, start: start.as_ps(), begin: begin.as_ps(), laps: 0 }
    }
}

impl Frames for Playback {
    fn next_frame(&mut self) -> Option<Frame> {
        if self.next == self.trace.frames().len() && self.repeat {
            self.next = 0;
            self.laps = self.laps.checked_add(self.trace.duration().as_ps())?;
        }
        let frame = *self.trace.frames().get(self.next)?;
        self.next += 1;
        // after the first repetition a frame's own time may be before `begin`, but the sum is not
        let since = frame.at.as_ps().checked_add(self.laps)?.checked_sub(self.begin)?;
        Some(Frame { at: Time::from_ps(self.start.checked_add(since)?), ..frame })
    }
}

/// State of `trace`.
#[derive(Debug, Clone)]
pub(super) struct TracePlayer(ViewerStreams<Playback>);

impl TracePlayer {
    /// Silent without a trace, or from beyond its end on; [`TraceParams::errors`] says so.
    pub(super) fn new(params: &TraceParams, setup: &Setup<'_>) -> Self {
        let cut = Fragmentation::new(setup.packet, params.header);
        let playable = |t: &&Arc<Trace>| params.copies > 0 && params.offset < t.end();
        let Some(trace) = setup.trace.filter(playable) else { return Self(ViewerStreams::new(Vec::new(), 1, cut)) };
        let offset = params.offset.max(trace.begin());
        let player = |begin| Playback::new(trace, begin, setup.start, params.repeat);
        if params.synchronised {
            return Self(ViewerStreams::new(vec![player(offset)], params.copies, cut));
        }
        let mut places = setup.stream("places");
        let mut place = |_| offset + Time::from_ps(places.below((trace.end() - offset).as_ps()));
        Self(ViewerStreams::new((0..params.copies).map(|i| player(place(i))).collect(), 1, cut))
    }

    pub(super) fn next(&mut self) -> Option<Emission> {
        self.0.next()
    }
}
