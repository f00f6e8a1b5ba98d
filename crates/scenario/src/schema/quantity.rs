//! Quantities by the `format` keyword of the schema.

use eddyline_path::queue::Limit;
use eddyline_units::{Bytes, Cells, Frequency, Packets, Percent, Quantity, Rate, Time};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

/// How quantities of one format are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader {
    pub format: &'static str,
    /// Its description, with an article.
    pub what: &'static str,
    /// The value in SI units.
    pub parse: fn(&str) -> Result<f64, String>,
    pub symbols: fn() -> Vec<&'static str>,
    /// The unit of a plain number in SI units.
    pub base: &'static str,
    pub example: &'static str,
}

fn parse<Q: Quantity>(text: &str) -> Result<f64, String> {
    Q::parse(text).map(Quantity::si).map_err(|e| e.to_string())
}

/// A limit has no single dimension, so it has no range either.
fn limit(text: &str) -> Result<f64, String> {
    Limit::deserialize(IntoDeserializer::<Error>::into_deserializer(text)).map(|_| f64::NAN).map_err(|e| e.to_string())
}

fn limit_symbols() -> Vec<&'static str> {
    [Packets::symbols(), Cells::symbols(), Bytes::symbols(), Time::symbols(), vec!["BDP"]].concat()
}

macro_rules! readers {
    ($($type:ty: $what:literal, $base:literal, $example:literal;)*) => {
        const READERS: &[Reader] = &[
            $(Reader {
                format: <$type as Quantity>::FORMAT, what: $what, parse: parse::<$type>,
                symbols: <$type as Quantity>::symbols, base: $base, example: $example,
            },)*
            Reader {
                format: "queue-limit", what: "a queue limit", parse: limit, symbols: limit_symbols, base: "packets",
                example: "50 packets",
            },
        ];
    };
}

readers! {
    Time: "a time", "s", "20 ms";
    Rate: "a rate", "bit/s", "10 Mbit/s";
    Bytes: "an amount of data", "B", "1500 B";
    Packets: "a number of packets", "packets", "100 packets";
    Frequency: "a frequency", "/s", "0.5 /s";
    Percent: "a share", "%", "3 %";
}

impl Reader {
    /// The reader of a format, if it is the format of a quantity.
    pub fn of(format: &str) -> Option<&'static Self> {
        READERS.iter().find(|r| r.format == format)
    }

    /// The likely correction of `text`, if there is one.
    pub fn hint(&self, text: &str) -> Option<String> {
        let text = text.trim();
        let split = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '+' | '-' | ' '))?;
        let (number, unit) = (text[..split].trim(), text[split..].trim());
        if number.is_empty() {
            return None;
        }
        let symbols = (self.symbols)();
        // a decimal comma: `10,5 Mbit/s`
        if let Some((whole, rest)) = text.split_once(',') {
            let (pointed, joined) = (format!("{whole}.{rest}"), format!("{whole}{rest}"));
            let grouped = rest.bytes().take_while(u8::is_ascii_digit).count() == 3;
            if (self.parse)(&pointed).is_ok() {
                let or = if grouped { format!("\"{joined}\", or ") } else { String::new() };
                return Some(format!("numbers have no comma: {or}\"{pointed}\""));
            }
        }
        if let Some(symbol) = rate_of_bytes(unit).filter(|s| symbols.contains(s)) {
            let bits = 8.0 * number.parse::<f64>().ok()?;
            return Some(format!("in bits: \"{bits} {symbol}\""));
        }
        let same = |s: &&&str| s.eq_ignore_ascii_case(unit) || spelling(unit).is_some_and(|w| w.contains(s));
        // nothing to correct in the right unit
        if symbols.contains(&unit) {
            return None;
        }
        let symbol = symbols.iter().find(same)?;
        Some(format!("did you mean \"{number} {symbol}\"?"))
    }
}

/// The likely correction of a text that is no quantity of this format, if there is one.
pub fn quantity_hint(format: &str, text: &str) -> Option<String> {
    Reader::of(format)?.hint(text)
}

/// The unit in bits for a rate in bytes, of which eight times as many are needed.
fn rate_of_bytes(unit: &str) -> Option<&'static str> {
    let bytes = unit.strip_suffix("/s").or_else(|| unit.strip_suffix("ps"))?;
    Some(match bytes {
        "B" => "bit/s",
        "kB" | "KB" => "kbit/s",
        "MB" => "Mbit/s",
        "GB" => "Gbit/s",
        "TB" => "Tbit/s",
        _ => return None,
    })
}

/// The symbols for spellings of units that are common in other programs.
fn spelling(unit: &str) -> Option<&'static [&'static str]> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "sec" | "secs" | "second" | "seconds" => &["s"],
        "msec" | "millisecond" | "milliseconds" => &["ms"],
        "usec" | "µs" | "\u{3bc}s" | "microsecond" | "microseconds" => &["us"],
        "m" | "minute" | "minutes" | "mins" => &["min"],
        "hour" | "hours" => &["h"],
        "day" | "days" => &["d"],
        "bps" | "b/s" => &["bit/s"],
        "kbps" | "kb/s" => &["kbit/s"],
        "mbps" | "mb/s" => &["Mbit/s"],
        "gbps" | "gb/s" => &["Gbit/s"],
        "tbps" | "tb/s" => &["Tbit/s"],
        "byte" | "bytes" => &["B"],
        "cell" => &["cells"],
        "packet" | "pkt" | "pkts" | "p" => &["packets"],
        "percent" => &["%"],
        "hz" | "1/s" | "per second" => &["/s"],
        _ => return None,
    })
}
