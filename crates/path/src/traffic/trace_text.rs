//! Traces as text: columns separated by whitespace; `#` begins a comment.

use eddyline_units::{Decimal, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::frame::Frame;

/// Format of a line of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TraceFormat {
    /// Frame number, frame type, time in milliseconds, size: the verbose format of Fitzek and Reisslein's MPEG-4 and H.263 traces. Lines
    /// may be in coding order; frames are played in order of time.
    Verbose,
    /// One frame size, at a fixed interval: their terse format.
    Terse,
    /// Time in milliseconds and size, in time order.
    FrameTimes,
    /// Time in seconds and size, in time order: packets, each sent as it was recorded. Frames of the other formats are split into packets.
    Packets,
}

impl TraceFormat {
    const fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Verbose => &["frame number", "frame type", "time in ms", "size"],
            Self::Terse => &["size"],
            Self::FrameTimes => &["time in ms", "size"],
            Self::Packets => &["time in s", "size"],
        }
    }

    /// By the number of columns; two columns are time in seconds and size, unless the scenario says otherwise.
    const fn of_columns(n: usize) -> Option<Self> {
        match n {
            1 => Some(Self::Terse),
            2 => Some(Self::Packets),
            4 => Some(Self::Verbose),
            _ => None,
        }
    }
}

/// Unit of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SizeUnit {
    /// Bytes.
    #[default]
    Bytes,
    /// Bits, rounded up to whole bytes frame by frame.
    Bits,
}

/// How to read a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceReading {
    /// Format of a line; `None`: determined by the number of columns of the first line.
    pub format: Option<TraceFormat>,
    /// Unit of sizes.
    pub unit: SizeUnit,
    /// Time between frames if lines have no time.
    pub interval: Time,
}

impl Default for TraceReading {
    /// Format by the first line, bytes, 25 frames a second.
    fn default() -> Self {
        Self { format: None, unit: SizeUnit::Bytes, interval: Time::from_ms(40) }
    }
}

impl TraceReading {
    /// What a file contains.
    #[must_use]
    pub fn form(&self) -> String {
        let columns = self.format.map_or_else(
            || "time in s and size; or size; or frame number, frame type, time in ms and size".to_owned(),
            |format| format.columns().join(", "),
        );
        format!("columns are separated by white space: {columns}")
    }
}

/// Why a text is not a trace.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TraceError {
    /// No frame with a byte in it.
    #[error("no frames in it")]
    Empty,
    /// No format has this number of columns.
    #[error(
        "line {line}: {found} columns; a trace has 4 (number, type, ms, bytes), 2 (s, bytes) or 1 (bytes); \
         comments begin with #"
    )]
    Form {
        /// Which line, from 1.
        line: usize,
        /// Columns there.
        found: usize,
    },
    /// A line with a wrong number of columns.
    #[error("line {line}: {found} columns where {expected} should be")]
    Columns {
        /// Which line, from 1.
        line: usize,
        /// Columns there.
        found: usize,
        /// The format's columns.
        expected: String,
    },
    /// A column with an invalid value.
    #[error("line {line}: {given:?} is no {column}: {allowed}")]
    Value {
        /// Which line, from 1.
        line: usize,
        /// The expected content.
        column: &'static str,
        /// The actual content.
        given: String,
        /// Allowed values.
        allowed: &'static str,
    },
    /// Times decrease in a format that is in time order.
    #[error("line {line}: time goes back; lines of this form must be in time order")]
    Backwards {
        /// Which line, from 1.
        line: usize,
    },
}

const TIME: &str = "a number from 0 to 213 days; times may begin anywhere, so subtract the first";
const SIZE: &str = "a whole number from 0 to 4294967295 bytes";

/// Frames or packets of a trace, in time order, and its duration.
///
/// [`Trace::parse`] recognises three formats by their number of columns: four are the verbose format of Fitzek and Reisslein's
/// video traces (number, type, time in ms, bytes), one is the terse format (bytes; a frame every 40 ms), two are packets
/// (time in s, bytes). Frames of size zero, by which some traces represent skipped frames, take time and send nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    format: TraceFormat,
    frames: Vec<Frame>,
    begin: Time,
    duration: Time,
}

impl Trace {
    /// Reads a trace whose format is determined by its first line, with sizes in bytes.
    ///
    /// # Errors
    /// What is wrong, with the line.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        Self::read(text, &TraceReading::default())
    }

    /// Reads a trace.
    ///
    /// # Errors
    /// What is wrong, with the line.
    pub fn read(text: &str, how: &TraceReading) -> Result<Self, TraceError> {
        let mut lines = Lines { format: how.format, unit: how.unit, interval: how.interval, count: 0 };
        let mut frames: Vec<Frame> = Vec::new();
        for (i, text) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate() {
            let Some((frame, format)) = lines.read(text, i + 1)? else { continue };
            if frames.last().is_some_and(|last| frame.at < last.at) && format != TraceFormat::Verbose {
                return Err(TraceError::Backwards { line: i + 1 });
            }
            frames.push(frame);
        }
        // coding order (a B frame after the P frame that it refers to) differs from playback order
        frames.sort_by_key(|f| f.at);
        let (Some(first), Some(last)) = (frames.first(), frames.last()) else { return Err(TraceError::Empty) };
        let (begin, span) = (first.at, last.at - first.at);
        // a mean interval after the last frame, so that repetition keeps the trace's rate
        let Some(format) = lines.format else { return Err(TraceError::Empty) };
        let gap = if format == TraceFormat::Terse {
            how.interval
        } else {
            Time::from_ps(span.as_ps() / (frames.len() as u64 - 1).max(1))
        };
        let gap = if gap == Time::ZERO { TraceReading::default().interval } else { gap };
        frames.retain(|f| f.bytes > 0);
        if frames.is_empty() {
            return Err(TraceError::Empty);
        }
        Ok(Self { format, frames, begin, duration: span.saturating_add(gap) })
    }

    /// The format of its lines.
    #[must_use]
    pub const fn format(&self) -> TraceFormat {
        self.format
    }

    /// The frames, none empty, in time order by the trace's own clock.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The first line's time.
    #[must_use]
    pub const fn begin(&self) -> Time {
        self.begin
    }

    /// From the first frame to the end: the last frame's time and one mean interval.
    #[must_use]
    pub const fn duration(&self) -> Time {
        self.duration
    }

    /// The end by the trace's own clock.
    #[must_use]
    pub const fn end(&self) -> Time {
        self.begin.saturating_add(self.duration)
    }

    /// The index of the first frame at or after a time of the trace's own clock.
    #[must_use]
    pub fn first_from(&self, at: Time) -> usize {
        self.frames.partition_point(|f| f.at < at)
    }
}

/// State of the reader.
struct Lines {
    format: Option<TraceFormat>,
    unit: SizeUnit,
    interval: Time,
    /// Lines with a frame so far.
    count: u64,
}

impl Lines {
    /// The frame of a line and its format; none for an empty line or a comment.
    fn read(&mut self, text: &str, line: usize) -> Result<Option<(Frame, TraceFormat)>, TraceError> {
        let data = text.split('#').next().unwrap_or_default();
        // columns beyond the maximum of all formats are only counted
        let mut columns = [""; 4];
        let mut found = 0;
        for column in data.split_whitespace() {
            if let Some(place) = columns.get_mut(found) {
                *place = column;
            }
            found += 1;
        }
        if found == 0 {
            return Ok(None);
        }
        let format = self.format.or_else(|| TraceFormat::of_columns(found)).ok_or(TraceError::Form { line, found })?;
        self.format = Some(format);
        let expected = format.columns();
        if found != expected.len() {
            return Err(TraceError::Columns { line, found, expected: expected.join(", ") });
        }
        let value = |i: usize, allowed| TraceError::Value {
            line,
            column: expected[i],
            given: columns[i].chars().take(40).collect(),
            allowed,
        };
        let time = |i: usize, scale| {
            let plain = Some(columns[i]).filter(|c| !c.starts_with('-'));
            let number = plain.and_then(|c| Decimal::parse(c).ok()).and_then(|d| d.scaled(scale));
            number.map(Time::from_ps).ok_or_else(|| value(i, TIME))
        };
        let at = match format {
            TraceFormat::Verbose => time(2, 1_000_000_000)?,
            TraceFormat::FrameTimes => time(0, 1_000_000_000)?,
            TraceFormat::Packets => time(0, 1_000_000_000_000)?,
            TraceFormat::Terse => self.interval.saturating_mul(self.count),
        };
        self.count += 1;
        let size = expected.len() - 1;
        let bytes = columns[size].parse::<u64>().ok().map(|n| match self.unit {
            SizeUnit::Bytes => n,
            SizeUnit::Bits => n.div_ceil(8),
        });
        let bytes = bytes.and_then(|n| u32::try_from(n).ok()).ok_or_else(|| value(size, SIZE))?;
        Ok(Some((Frame { at, bytes }, format)))
    }
}
