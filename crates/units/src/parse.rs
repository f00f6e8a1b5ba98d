//! Exact parsing of `number unit`.

use thiserror::Error;

use crate::unit::Unit;

/// Why a text is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum QuantityError {
    /// A unit is missing.
    #[error("a bare number; write the unit: {allowed}")]
    NoUnit {
        /// The allowed units.
        allowed: String,
    },
    /// The unit is not one of this quantity's.
    #[error("unknown unit {given:?}; allowed: {allowed}")]
    UnknownUnit {
        /// What was written.
        given: String,
        /// The allowed units.
        allowed: String,
    },
    /// The part before the unit is not a number.
    #[error("{given:?} is not a number")]
    NotANumber {
        /// What was written.
        given: String,
    },
    /// A negative quantity.
    #[error("negative")]
    Negative,
    /// More than the type can hold.
    #[error("too large; at most {max}")]
    TooLarge {
        /// The largest value, with its unit.
        max: String,
    },
}

/// A decimal number as written: `mantissa` times ten to the `exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    mantissa: u128,
    exponent: i32,
}

impl Decimal {
    /// Reads `12`, `1.5`, `2e6`, `.5` and `7.`; at most thirty significant digits.
    ///
    /// # Errors
    /// [`QuantityError::NotANumber`] for anything else, [`QuantityError::Negative`] for a leading minus before a number.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let bad = || QuantityError::NotANumber { given: text.to_owned() };
        if let Some(rest) = text.strip_prefix('-') {
            let number = !rest.starts_with('-') && Self::parse(rest).is_ok();
            return Err(if number { QuantityError::Negative } else { bad() });
        }
        let text_number = text.strip_prefix('+').unwrap_or(text);
        let (digits, exponent) = match text_number.split_once(['e', 'E']) {
            Some((d, e)) => {
                let plain = e.strip_prefix(['+', '-']).unwrap_or(e);
                if plain.is_empty() || plain.len() > 6 || !plain.bytes().all(|b| b.is_ascii_digit()) {
                    return Err(bad());
                }
                (d, e.parse::<i32>().map_err(|_| bad())?)
            }
            None => (text_number, 0),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.len() + fraction.len() == 0 {
            return Err(bad());
        }
        let mut mantissa = 0u128;
        for b in whole.bytes().chain(fraction.bytes()) {
            if !b.is_ascii_digit() {
                return Err(bad());
            }
            if mantissa > 10u128.pow(30) {
                return Err(bad());
            }
            mantissa = mantissa * 10 + u128::from(b - b'0');
        }
        let exponent = exponent - i32::try_from(fraction.len()).map_err(|_| bad())?;
        Ok(Self { mantissa, exponent })
    }

    /// This number times `scale`, rounded half up to an integer; `None` beyond 64 bits.
    #[must_use]
    pub fn scaled(self, scale: u64) -> Option<u64> {
        if self.mantissa == 0 {
            return Some(0);
        }
        let mut value = self.mantissa.checked_mul(u128::from(scale));
        if self.exponent >= 0 {
            for _ in 0..self.exponent {
                value = value?.checked_mul(10);
            }
            return u64::try_from(value?).ok();
        }
        // 31 digits of mantissa times a scale of up to 8.64e16 may overflow 128 bits: drop trailing digits, which are far below one
        // base unit, before the product.
        let (mut mantissa, mut shift) = (self.mantissa, self.exponent.unsigned_abs());
        while value.is_none() {
            if shift == 0 {
                return None;
            }
            mantissa /= 10;
            shift -= 1;
            value = mantissa.checked_mul(u128::from(scale));
        }
        let value = value?;
        if shift > 38 {
            return Some(0);
        }
        let divisor = 10u128.pow(shift);
        let rounded = value / divisor + u128::from(value % divisor >= divisor.div_ceil(2));
        u64::try_from(rounded).ok()
    }

    /// The nearest floating-point number.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.times_power_of_ten(0)
    }

    /// The floating-point number nearest to this one times ten to the `power`.
    #[must_use]
    pub fn times_power_of_ten(self, power: i32) -> f64 {
        // The standard library's reader rounds correctly, a product of floats would not.
        format!("{}e{}", self.mantissa, self.exponent.saturating_add(power)).parse().unwrap_or(f64::INFINITY)
    }
}

/// Splits `text` into a number and the rest, a unit if it is a quantity, at the space or where the number ends: `50ms` as `50 ms`.
#[must_use]
pub fn number_and_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(char::is_whitespace).unwrap_or_else(|| number_length(text)));
    (number, unit.trim_start())
}

/// Splits `text` into its number and its unit's scale. The space between them may be missing.
pub(crate) fn split<S: Copy>(text: &str, units: &[Unit<S>]) -> Result<(Decimal, S), QuantityError> {
    let text = text.trim();
    let allowed = || units.iter().map(|u| u.symbol).collect::<Vec<_>>().join(", ");
    let (number, unit) = number_and_unit(text);
    if unit.is_empty() {
        Decimal::parse(number)?;
        return Err(QuantityError::NoUnit { allowed: allowed() });
    }
    let known = units.iter().find(|u| u.matches(unit));
    // with neither a space nor a known unit, the unit is what to report
    if known.is_some() || text[number.len()..].starts_with(char::is_whitespace) {
        let number = Decimal::parse(number)?;
        if let Some(known) = known {
            return Ok((number, known.scale));
        }
    }
    Err(QuantityError::UnknownUnit { given: unit.to_owned(), allowed: allowed() })
}

/// Length of the number at the start of `text`, of which a unit follows: `2e6bit/s` has 3 characters of it.
fn number_length(text: &str) -> usize {
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-');
    let mantissa = text.find(|c| !plain(c)).unwrap_or(text.len());
    let Some(rest) = text[mantissa..].strip_prefix(['e', 'E']) else { return mantissa };
    let digits = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    match digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len()) {
        0 => mantissa,
        length => text.len() - digits.len() + length,
    }
}
