//! Packet-delivery traces of the mahimahi emulator: a line for each packet of 1,500 bytes that the link could have
//! carried, with its millisecond; the last line is the length, after which the trace begins again.
//!
//! A millisecond with n lines becomes one in which the link has the rate of n packets a millisecond, so the integral is the same.
//! mahimahi itself delivers a packet at the time of an opportunity and wastes opportunities that find the queue empty.

use eddyline_units::{Rate, Time};

use super::recording::{Recording, RecordingError, Row};

/// One packet of 1,500 bytes in a millisecond.
const BPS_OF_ONE: u64 = 12_000_000;
/// 200 days.
const MAX_MS: u64 = 200 * 86_400_000;

impl Recording {
    /// Reads a packet-delivery trace.
    ///
    /// # Errors
    /// What is wrong, with the line.
    pub fn mahimahi(text: &str) -> Result<Self, RecordingError> {
        let mut slots: Vec<(u64, u64)> = Vec::new();
        let mut last = 0;
        for (text, line) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().zip(1..) {
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            let refuse = || RecordingError::Value {
                line,
                column: "millisecond".to_owned(),
                given: text.chars().take(40).collect(),
                allowed: "a whole number from 0 to 200 days",
            };
            let at = text.parse::<u64>().ok().filter(|ms| *ms <= MAX_MS).ok_or_else(refuse)?;
            if at < last {
                return Err(RecordingError::Backwards { line });
            }
            last = at;
            // the opportunity at the end of a millisecond is what that millisecond could carry
            let slot = at.saturating_sub(1);
            match slots.last_mut() {
                Some((known, count)) if *known == slot => *count += 1,
                _ => slots.push((slot, 1)),
            }
        }
        if last == 0 {
            return Err(RecordingError::Length);
        }
        let mut rows: Vec<Row> = Vec::new();
        let mut add = |ms: u64, count: u64| {
            let rate = Some(Rate::from_bps(count.saturating_mul(BPS_OF_ONE)));
            if rows.last().is_none_or(|previous| previous.rate != rate) {
                rows.push(Row { from: Time::from_ms(ms), rate, delay: None, loss: None });
            }
        };
        let mut now = 0;
        for (slot, count) in slots {
            if slot > now {
                add(now, 0);
            }
            add(slot, count);
            now = slot + 1;
        }
        Ok(Self::new(rows, Time::from_ms(last)))
    }
}
