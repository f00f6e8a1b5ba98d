//! The trait of quantities: format name, units, parsing, and formatting.

use crate::parse::{Decimal, QuantityError};
use crate::unit::Unit;

/// A value with a unit.
pub trait Quantity: Sized + Copy {
    /// The schema's `format` keyword, such as `time` or `rate`.
    const FORMAT: &'static str;

    /// Reads `number unit`.
    ///
    /// # Errors
    /// What is wrong with the text, see [`QuantityError`].
    fn parse(text: &str) -> Result<Self, QuantityError>;

    /// Symbols of the units, smallest first.
    fn symbols() -> Vec<&'static str>;

    /// Every spelling of a unit that is read, with the unit's symbol: `Mbps` with `Mbit/s`, and each symbol with itself.
    fn spellings() -> Vec<(&'static str, &'static str)>;

    /// The value in SI units (seconds, bit/s, bytes, packets, 1/s, one).
    fn si(self) -> f64;
}

/// Writes `base` exactly, in the largest unit that needs only a few digits; zero in the unit of scale `si`. If `whole`, only in units
/// without decimals: 1500 B, not 1.5 kB.
pub(crate) fn show(
    f: &mut std::fmt::Formatter<'_>,
    base: u64,
    units: &[Unit<u64>],
    si: u64,
    whole: bool,
) -> std::fmt::Result {
    if base == 0 {
        return write!(f, "0 {}", units.iter().find(|u| u.scale == si).unwrap_or(&units[0]).symbol);
    }
    let part = |scale: u64| if whole { scale } else { scale / gcd_power_of_ten(scale) };
    let fits = |u: &&Unit<u64>| base >= u.scale && base.is_multiple_of(part(u.scale));
    let unit = units.iter().rev().find(fits).unwrap_or(&units[0]);
    let (whole, rest) = (base / unit.scale, base % unit.scale);
    if rest == 0 {
        return write!(f, "{whole} {}", unit.symbol);
    }
    // A unit whose scale is a power of ten writes any remainder as decimals.
    let width = unit.scale.ilog10() as usize;
    let decimals = format!("{rest:0width$}");
    write!(f, "{whole}.{} {}", decimals.trim_end_matches('0'), unit.symbol)
}

/// The largest power of ten by which a remainder can be written as decimals: the scale itself if it is one, else one.
const fn gcd_power_of_ten(scale: u64) -> u64 {
    let mut s = scale;
    while s.is_multiple_of(10) {
        s /= 10;
    }
    if s == 1 { scale } else { 1 }
}

/// A float times ten to the `power` as decimal digits that parse, divided by that power, to the same float.
pub(crate) fn digits(value: f64, power: i32) -> String {
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let shifted = format!("{mantissa}e{}", exponent.parse::<i32>().unwrap_or(0).saturating_add(power));
    let plain = shifted.parse::<f64>().unwrap_or(value);
    let same = |text: &str| Decimal::parse(text).is_ok_and(|d| d.times_power_of_ten(-power) == value);
    // Plain decimals are more readable: 0.001 and 1000, not 1e-3 and 1e3.
    Some(plain.to_string()).filter(|text| text.len() <= 24 && same(text)).unwrap_or(shifted)
}
