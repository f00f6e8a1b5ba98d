//! One axis of a map: values of one key, as numbers and as text that the scenario file would have.

use eddyline_units::{Bytes, Decimal, Frequency, Packets, Percent, Quantity, Rate, Time};
use serde::Serialize;
use thiserror::Error;

use crate::stability::between;

/// Default number of points of a range.
pub const DEFAULT_POINTS: usize = 41;

/// Limit on points of one axis.
pub const MAX_POINTS: usize = 10_000;

/// How the values of an axis follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Spacing {
    /// Equal differences.
    Linear,
    /// Equal ratios.
    Log,
    /// As listed.
    List,
}

/// Why a text is no valid axis. Every message has what is allowed.
#[derive(Debug, Clone, PartialEq, Error)]
#[expect(missing_docs, reason = "the messages explain them")]
pub enum AxisError {
    #[error(
        "one value, where a map needs at least two: LO..HI, LO..HI:POINTS, LO..HI:POINTS:log, or a list with commas"
    )]
    OneValue,
    #[error("{given:?} is not a number with its unit, as in 10 Mbit/s, 20 ms, 50 packets or 0.5")]
    NotANumber { given: String },
    #[error("{given:?} is negative; values of a scenario are at least 0")]
    Negative { given: String },
    #[error("{given:?} has no unit; write {hint}")]
    UnitMissing { given: String, hint: String },
    #[error("{low} and {high} are of different kinds; both need units of one quantity")]
    Kinds { low: String, high: String },
    #[error("the range is reversed: {low} is above {high}; write {high}..{low}")]
    Reversed { low: String, high: String },
    #[error("both ends are {end}; the upper must be above the lower")]
    Empty { end: String },
    #[error("the list is not in ascending order: {after} follows {before}")]
    Order { before: String, after: String },
    #[error("{given:?} is not a number of points; allowed are 2 to {MAX_POINTS}")]
    Points { given: String },
    #[error("{given:?} is no spacing; allowed are linear and log")]
    Spacing { given: String },
    #[error("log needs a lower end above 0, not {low}")]
    LogFromZero { low: String },
}

/// A number with its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Parsed {
    number: f64,
    unit: &'static KnownUnit,
}

/// A spelling of a unit of the scenario file, with the unit's symbol, its SI unit and scale.
#[derive(Debug, PartialEq)]
struct KnownUnit {
    spelling: &'static str,
    symbol: &'static str,
    si: &'static str,
    scale: f64,
}

/// The unit of a plain number.
static PLAIN: KnownUnit = KnownUnit { spelling: "", symbol: "", si: "", scale: 1.0 };

/// Values of one key.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Axis {
    /// The key, as `--set` takes it.
    pub key: String,
    /// SI unit of `values`: `bit/s`, `s`, `B`, `packets`, `/s`, or empty for plain numbers and shares.
    pub unit: &'static str,
    /// How the values follow each other.
    pub spacing: Spacing,
    /// The values, ascending.
    pub values: Vec<f64>,
    /// The same as text for `--set`: a cell is exactly the scenario with these two set.
    pub settings: Vec<String>,
    #[serde(skip)]
    symbol: &'static str,
    #[serde(skip)]
    scale: f64,
}

impl Axis {
    /// `LO..HI`, `LO..HI:POINTS`, `LO..HI:POINTS:log` (or `:linear`), or a list with commas. Ends and members have
    /// their units; points are evenly spaced and rounded to twelve significant digits.
    ///
    /// # Errors
    /// [`AxisError`]. The scenario checks whether the key takes such values.
    pub fn parse(key: &str, text: &str) -> Result<Self, AxisError> {
        let text = text.trim();
        match text.split_once("..") {
            Some((low, rest)) => range(key, low, rest),
            None if text.contains(',') => list(key, text),
            None => Err(AxisError::OneValue),
        }
    }

    /// A single value, or all that [`Self::parse`] would take: values in SI units, and which unit.
    ///
    /// # Errors
    /// [`AxisError`].
    pub fn values(text: &str) -> Result<(Vec<f64>, &'static str), AxisError> {
        let text = text.trim();
        if text.contains("..") || text.contains(',') {
            return Self::parse("", text).map(|axis| (axis.values, axis.unit));
        }
        parse_value(text).map(|one| (vec![one.number * one.unit.scale], one.unit.si))
    }

    /// As `--set` takes a value (in SI units) between those of the axis, not rounded.
    #[must_use]
    pub fn setting(&self, value: f64) -> String {
        format_value(value / self.scale, self.symbol)
    }

    /// Whether halfway between two values is their geometric mean.
    #[must_use]
    pub fn is_log(&self) -> bool {
        self.spacing == Spacing::Log
    }

    fn of(key: &str, spacing: Spacing, unit: &'static KnownUnit, numbers: &[f64]) -> Self {
        Self {
            key: key.to_owned(),
            unit: unit.si,
            spacing,
            values: numbers.iter().map(|n| n * unit.scale).collect(),
            settings: numbers.iter().map(|n| format_value(*n, unit.symbol)).collect(),
            symbol: unit.symbol,
            scale: unit.scale,
        }
    }
}

fn range(key: &str, low: &str, rest: &str) -> Result<Axis, AxisError> {
    let mut parts = rest.split(':').map(str::trim);
    let high = parts.next().unwrap_or_default();
    let (mut points, mut spacing) = (DEFAULT_POINTS, Spacing::Linear);
    let modifiers: Vec<&str> = parts.collect();
    for (i, modifier) in modifiers.iter().enumerate() {
        match *modifier {
            "log" if i + 1 == modifiers.len() => spacing = Spacing::Log,
            "linear" if i + 1 == modifiers.len() => {}
            modifier if i == 0 && modifier.starts_with(|c: char| !c.is_alphabetic()) => {
                points = number_of_points(modifier)?
            }
            "" => return Err(AxisError::Points { given: String::new() }),
            modifier => return Err(AxisError::Spacing { given: modifier.to_owned() }),
        }
    }
    let (low, high) = endpoints(low.trim(), high)?;
    let unit = high.unit;
    // in the upper end's unit, since people think of 500 kbit/s..10 Mbit/s in Mbit/s
    let low = if low.unit == unit { low.number } else { low.number * (low.unit.scale / unit.scale) };
    let high = high.number;
    let shown = |n: f64| format_value(n, unit.symbol);
    if low > high {
        return Err(AxisError::Reversed { low: shown(low), high: shown(high) });
    }
    if low == high {
        return Err(AxisError::Empty { end: shown(low) });
    }
    if spacing == Spacing::Log && low <= 0.0 {
        return Err(AxisError::LogFromZero { low: shown(low) });
    }
    let at = |i: usize| match i {
        0 => low,
        _ if i + 1 == points => high,
        _ => rounded(between(low, high, i as f64 / (points - 1) as f64, spacing == Spacing::Log)),
    };
    let numbers: Vec<f64> = (0..points).map(at).collect();
    match numbers.windows(2).find(|w| w[0] >= w[1]) {
        // closer than twelve digits can distinguish
        Some(w) => Err(AxisError::Order { before: shown(w[0]), after: shown(w[1]) }),
        None => Ok(Axis::of(key, spacing, unit, &numbers)),
    }
}

fn endpoints(low: &str, high: &str) -> Result<(Parsed, Parsed), AxisError> {
    let (first, second) = (parse_value(low)?, parse_value(high)?);
    for (bare, other, text) in [(first, second, low), (second, first, high)] {
        if bare.unit.symbol.is_empty() && !other.unit.symbol.is_empty() {
            // a plain number is a share, not a percentage
            let hint = match other.unit.si {
                "" => format_value(rounded(bare.number / other.unit.scale), other.unit.symbol),
                _ => format!("{text} {}", other.unit.symbol),
            };
            return Err(AxisError::UnitMissing { given: text.to_owned(), hint });
        }
    }
    if first.unit.si != second.unit.si {
        return Err(AxisError::Kinds { low: low.to_owned(), high: high.to_owned() });
    }
    Ok((first, second))
}

fn number_of_points(text: &str) -> Result<usize, AxisError> {
    let n = text.parse::<usize>().ok().filter(|n| (2..=MAX_POINTS).contains(n));
    n.ok_or_else(|| AxisError::Points { given: text.to_owned() })
}

fn list(key: &str, text: &str) -> Result<Axis, AxisError> {
    let texts: Vec<&str> = text.split(',').map(str::trim).collect();
    let mut members = Vec::with_capacity(texts.len());
    for text in &texts {
        let (_, member) = endpoints(texts[0], text)?;
        members.push(member);
    }
    if members.len() > MAX_POINTS {
        return Err(AxisError::Points { given: members.len().to_string() });
    }
    let unit = members[members.len() - 1].unit;
    let same = |w: &Parsed| if w.unit == unit { w.number } else { w.number * (w.unit.scale / unit.scale) };
    let numbers: Vec<f64> = members.iter().map(same).collect();
    if let Some(i) = (1..numbers.len()).find(|i| numbers[i - 1] >= numbers[*i]) {
        return Err(AxisError::Order { before: texts[i - 1].to_owned(), after: texts[i].to_owned() });
    }
    Ok(Axis::of(key, Spacing::List, unit, &numbers))
}

fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

fn format_value(number: f64, symbol: &str) -> String {
    if symbol.is_empty() { number.to_string() } else { format!("{number} {symbol}") }
}

/// Parses a number with a unit of the scenario file, or a plain one.
fn parse_value(text: &str) -> Result<Parsed, AxisError> {
    let (number, unit) = eddyline_units::number_and_unit(text);
    let unit = if unit.is_empty() { Some(&PLAIN) } else { units().iter().find(|u| u.spelling == unit) };
    let decimal = match Decimal::parse(number) {
        Ok(decimal) => Some(decimal.as_f64()).filter(|v| v.is_finite()),
        Err(eddyline_units::QuantityError::Negative) => {
            return Err(AxisError::Negative { given: text.to_owned() });
        }
        Err(_) => None,
    };
    match (decimal, unit) {
        (Some(number), Some(unit)) => Ok(Parsed { number, unit }),
        _ => Err(AxisError::NotANumber { given: text.to_owned() }),
    }
}

fn units() -> &'static [KnownUnit] {
    use std::sync::OnceLock;
    static ALL: OnceLock<Vec<KnownUnit>> = OnceLock::new();
    fn of<Q: Quantity>(si: &'static str) -> impl Iterator<Item = KnownUnit> {
        let known = move |(spelling, symbol)| {
            let scale = Q::parse(&format!("1 {symbol}")).map_or(1.0, Quantity::si);
            KnownUnit { spelling, symbol, si, scale }
        };
        Q::spellings().into_iter().map(known)
    }
    ALL.get_or_init(|| {
        let all = of::<Rate>("bit/s").chain(of::<Time>("s")).chain(of::<Bytes>("B")).chain(of::<Packets>("packets"));
        all.chain(of::<Frequency>("/s")).chain(of::<Percent>("")).collect()
    })
}
