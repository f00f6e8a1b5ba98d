//! Recordings of a link: rate, delay and loss over time, from a text with named columns.
//!
//! The first line names the columns, separated by commas: `time_s`, and any of `rate_bps`, `delay_s`, `loss`, each also
//! with the prefix `down_` or `up_` if a file has both directions. Times begin at zero and increase; the values of a line hold until
//! the next line, an empty cell repeats the line above, and every line has all cells, each in double quotes or not. The last line
//! holds as long as the previous one. `#` begins a comment, but in quotes.

use std::iter;

use eddyline_units::{Rate, Time};
use thiserror::Error;

/// Characters of a line that an error shows.
const MAX_SHOWN: usize = 200;

/// Direction, in a file with both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Towards the subscriber.
    Down,
    /// Away from the subscriber.
    Up,
}

impl Side {
    /// What names of its columns begin with.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Down => "down_",
            Self::Up => "up_",
        }
    }
}

/// A recording's values from a time on; missing values are the link's own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The time.
    pub from: Time,
    /// Rate of transmission; zero while nothing is transmitted.
    pub rate: Option<Rate>,
    /// One-way propagation delay.
    pub delay: Option<Time>,
    /// Probability of loss.
    pub loss: Option<f64>,
}

/// A recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    rows: Vec<Row>,
    length: Time,
}

/// Why a text is not a recording.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordingError {
    /// Too few lines.
    #[error("fewer than two lines of values")]
    Empty,
    /// Too few cells, or too many: a decimal comma, a line that is cut off.
    #[error(
        "line {line}: {found} cells, {wanted} columns; decimals have a point, and an empty cell still has its comma"
    )]
    Cells {
        /// Which line, from 1.
        line: usize,
        /// Cells of the line.
        found: usize,
        /// Columns named.
        wanted: usize,
    },
    /// A packet-delivery trace without any length.
    #[error("no line after millisecond 0: the last line is the length of the trace, in ms")]
    Length,
    /// No such column.
    #[error("line {line}: no column {wanted}; columns are: {found}")]
    Column {
        /// Which line, from 1.
        line: usize,
        /// The missing column.
        wanted: String,
        /// The actual content.
        found: String,
    },
    /// A column that seems to be one of a recording, by another name.
    #[error("line {line}: column {column:?} is not read; the one that is read is called {wanted}{hint}")]
    Misnamed {
        /// Which line, from 1.
        line: usize,
        /// The column.
        column: String,
        /// The name that is read.
        wanted: String,
        /// How the column would be read.
        hint: &'static str,
    },
    /// A column that is read is there twice: which one counts?
    #[error("line {line}: column {column} is there {times} times")]
    Repeated {
        /// Which line, from 1.
        line: usize,
        /// The column.
        column: String,
        /// How often.
        times: usize,
    },
    /// An invalid value.
    #[error("line {line}: {given:?} is no {column}: {allowed}")]
    Value {
        /// Which line, from 1.
        line: usize,
        /// Its column.
        column: String,
        /// The actual content.
        given: String,
        /// Allowed values.
        allowed: &'static str,
    },
    /// Times that do not increase, or do not begin at zero.
    #[error("line {line}: times begin at 0 and grow from line to line")]
    Order {
        /// Which line, from 1.
        line: usize,
    },
    /// Times of packets that decrease.
    #[error("line {line}: time goes back; each packet is at the millisecond of the one before it, or later")]
    Backwards {
        /// Which line, from 1.
        line: usize,
    },
    /// A link that never transmits.
    #[error("the rate is 0 all the time")]
    Silent,
    /// A link that takes more than 12 s for a packet of 1500 B is one whose rates are in another unit.
    #[error("the rate is at most {bps} bit/s; rates are in bit/s, {bps} Mbit/s are {bps}e6")]
    Slow {
        /// The largest rate.
        bps: u64,
    },
}

/// Longest time: 200 days, as a scenario.
const MAX_TIME_S: f64 = 200.0 * 86_400.0;
/// A recording whose rates are all below this has them in another unit than bit/s.
const LEAST_BPS: u64 = 1000;
/// Highest rate: that of a link.
const MAX_BPS: f64 = 1e13;
/// Longest delay: that of a link.
const MAX_DELAY_S: f64 = 3600.0;

impl Recording {
    /// Whether it says how many packets are lost, instead of the link's own `loss`.
    #[must_use]
    pub fn has_loss(&self) -> bool {
        self.rows.iter().any(|row| row.loss.is_some())
    }

    /// From rows in order of time, the first at zero, and their duration.
    pub(super) const fn new(rows: Vec<Row>, length: Time) -> Self {
        Self { rows, length }
    }

    /// Reads a text with named columns, those of one `side` if given.
    ///
    /// # Errors
    /// What is wrong, with the line.
    pub fn csv(text: &str, side: Option<Side>) -> Result<Self, RecordingError> {
        let mut columns: Option<Columns> = None;
        let mut rows: Vec<Row> = Vec::new();
        for (text, line) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().zip(1..) {
            let text = without_comment(text).trim();
            if text.is_empty() {
                continue;
            }
            let Some(columns) = &columns else {
                columns = Some(Columns::find(text, line, side)?);
                continue;
            };
            let read = columns.read(text, line, rows.last())?;
            if rows.last().map_or(read.from != Time::ZERO, |previous| read.from <= previous.from) {
                return Err(RecordingError::Order { line });
            }
            rows.push(read);
        }
        let [.., previous, last] = rows.as_slice() else { return Err(RecordingError::Empty) };
        let length = last.from.saturating_add(last.from - previous.from);
        if rows.iter().all(|l| l.rate == Some(Rate::from_bps(0))) {
            return Err(RecordingError::Silent);
        }
        if let Some(bps @ ..LEAST_BPS) = rows.iter().filter_map(|row| row.rate).max().map(Rate::as_bps) {
            return Err(RecordingError::Slow { bps });
        }
        Ok(Self { rows, length })
    }

    /// The rows in order of time, the first at zero.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Its duration.
    #[must_use]
    pub const fn length(&self) -> Time {
        self.length
    }

    /// The mean rate over its duration, or none where a row has no rate.
    #[must_use]
    pub fn mean_rate(&self) -> Option<Rate> {
        let ends = self.rows.iter().skip(1).map(|row| row.from).chain([self.length]);
        let mut bits_ps: u128 = 0;
        for (row, end) in self.rows.iter().zip(ends) {
            bits_ps = bits_ps.saturating_add(u128::from(row.rate?.as_bps()) * u128::from((end - row.from).as_ps()));
        }
        let length = u128::from(self.length.as_ps()).max(1);
        Some(Rate::from_bps(u64::try_from((bits_ps + length / 2) / length).unwrap_or(u64::MAX)))
    }

    /// The same as a text with named columns; missing values are empty.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = "time_s,rate_bps,delay_s,loss\n".to_owned();
        for l in &self.rows {
            let rate = l.rate.map(|r| r.as_bps().to_string()).unwrap_or_default();
            let delay = l.delay.map(|d| d.as_secs_f64().to_string()).unwrap_or_default();
            let loss = l.loss.map(|p| p.to_string()).unwrap_or_default();
            text += &format!("{},{rate},{delay},{loss}\n", l.from.as_secs_f64());
        }
        text
    }
}

/// The text, or its start where it is long: a file of another kind may be one line.
fn abbreviated(text: String) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Commas and `#` outside of quotes, with their places. A quote that begins a cell quotes it, two within are one
/// (RFC 4180, 2.5 to 2.7).
fn marks(line: &str) -> impl Iterator<Item = (usize, char)> {
    let mut chars = line.char_indices().peekable();
    let (mut begins, mut quoted) = (true, false);
    iter::from_fn(move || {
        while let Some((place, c)) = chars.next() {
            match c {
                '"' if quoted => quoted = chars.next_if(|(_, next)| *next == '"').is_some(),
                _ if quoted => {}
                '"' if begins => quoted = true,
                ',' | '#' => {
                    begins = true;
                    return Some((place, c));
                }
                c => begins &= c.is_whitespace(),
            }
        }
        None
    })
}

/// The line up to a comment.
fn without_comment(line: &str) -> &str {
    marks(line).find(|(_, mark)| *mark == '#').map_or(line, |(place, _)| &line[..place])
}

/// The cells of a line, without quotes around them.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    let ends = marks(line).filter(|(_, mark)| *mark == ',').map(|(place, _)| place).chain([line.len()]);
    ends.scan(0, |begin, end| {
        let cell = line[*begin..end].trim();
        *begin = end + 1;
        Some(cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).map_or(cell, str::trim))
    })
}

/// Positions of the columns.
struct Columns {
    names: Vec<String>,
    time: usize,
    rate: Option<usize>,
    delay: Option<usize>,
    loss: Option<usize>,
}

impl Columns {
    fn find(text: &str, line: usize, side: Option<Side>) -> Result<Self, RecordingError> {
        let names: Vec<String> = cells(text).map(str::to_owned).collect();
        let place = |name: &str| names.iter().position(|n| n == name);
        let of_side = |name: &str| place(&format!("{}{name}", side.map_or("", Side::prefix)));
        let missing = |wanted: String| RecordingError::Column { line, wanted, found: abbreviated(names.join(", ")) };
        let time = place("time_s").ok_or_else(|| missing("time_s".to_owned()))?;
        let (rate, delay, loss) = (of_side("rate_bps"), of_side("delay_s"), of_side("loss"));
        let prefix = side.map_or("", Side::prefix);
        let reads_some = rate.or(delay).or(loss).is_some();
        for (found, word, wanted, unit) in [
            (rate, "rate", "rate_bps", ", in bit/s"),
            (delay, "delay", "delay_s", ", in seconds"),
            (loss, "loss", "loss", ", a probability"),
        ] {
            let alike = |name: &str| name.to_ascii_lowercase().starts_with(&format!("{prefix}{word}"));
            // without a prefix where the file is read by direction, or with one where it is not
            let of_other_form = |name: &str| match side {
                Some(_) => name == wanted,
                None => [Side::Down, Side::Up].iter().any(|s| name.strip_prefix(s.prefix()) == Some(wanted)),
            };
            let other = names.iter().find(|name| reads_some && of_other_form(name));
            let misnamed = names.iter().find(|name| found.is_none() && alike(name));
            if let Some(column) = other.or(misnamed) {
                let hint = match (other, side) {
                    (Some(_), None) => "; the key direction of the link reads those of one direction",
                    (Some(_), Some(_)) => "; without the key direction those of both are read",
                    (None, _) => unit,
                };
                let wanted = format!("{prefix}{wanted}");
                return Err(RecordingError::Misnamed { line, column: column.clone(), wanted, hint });
            }
        }
        if rate.or(delay).or(loss).is_none() {
            let hint = if side.is_none() { " (a file of both directions needs the key direction)" } else { "" };
            return Err(missing(format!("{prefix}rate_bps, {prefix}delay_s or {prefix}loss{hint}")));
        }
        for place in [Some(time), rate, delay, loss].into_iter().flatten() {
            let times = names.iter().filter(|name| **name == names[place]).count();
            if times > 1 {
                return Err(RecordingError::Repeated { line, column: names[place].clone(), times });
            }
        }
        Ok(Self { time, rate, delay, loss, names })
    }

    fn read(&self, text: &str, line: usize, previous: Option<&Row>) -> Result<Row, RecordingError> {
        let cells: Vec<&str> = cells(text).collect();
        let beyond = cells.iter().skip(self.names.len()).any(|cell| !cell.is_empty());
        if cells.len() < self.names.len() || beyond {
            return Err(RecordingError::Cells { line, found: cells.len(), wanted: self.names.len() });
        }
        let number = |place: usize, max: f64, allowed: &'static str| {
            let given = cells[place];
            if given.is_empty() {
                return Ok(None);
            }
            let read = given.parse::<f64>().ok().filter(|v| (0.0..=max).contains(v));
            let refuse = || RecordingError::Value {
                line,
                column: self.names[place].clone(),
                given: given.chars().take(40).collect(),
                allowed,
            };
            read.map(Some).ok_or_else(refuse)
        };
        let or_above = |place: Option<usize>, max, allowed| place.map_or(Ok(None), |p| number(p, max, allowed));
        let time = number(self.time, MAX_TIME_S, "seconds from 0 to 200 days")?;
        let from = time.map(Time::from_secs_f64).ok_or(RecordingError::Order { line })?;
        let rate = or_above(self.rate, MAX_BPS, "bit/s from 0 to 1e13")?.map(|bps| Rate::from_bps(bps.round() as u64));
        let delay = or_above(self.delay, MAX_DELAY_S, "seconds from 0 to 3600")?.map(Time::from_secs_f64);
        let loss = or_above(self.loss, 1.0, "a probability from 0 to 1")?;
        Ok(Row {
            from,
            rate: rate.or(previous.and_then(|b| b.rate)),
            delay: delay.or(previous.and_then(|b| b.delay)),
            loss: loss.or(previous.and_then(|b| b.loss)),
        })
    }
}
