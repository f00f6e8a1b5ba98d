//! The types of quantities.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::parse::{QuantityError, split};
use crate::quantity::{Quantity, digits, show};
use crate::unit::Unit;

/// Parsing, formatting, serde and JSON Schema of a quantity.
macro_rules! text_form {
    ($type:ident, $format:literal, $example:literal) => {
        impl FromStr for $type {
            type Err = QuantityError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                <Self as Quantity>::parse(text)
            }
        }
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = Cow::<'de, str>::deserialize(d)?;
                text.parse().map_err(de::Error::custom)
            }
        }
        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let spellings = <$type>::UNITS.iter().flat_map(|u| [&[u.symbol], u.aliases].concat());
                let units = spellings.map(|u| u.replace('/', "\\/")).collect::<Vec<_>>().join("|");
                schemars::json_schema!({
                    "type": "string",
                    "format": $format,
                    "pattern": format!("^\\s*\\+?[0-9.]+([eE][+-]?[0-9]+)?\\s*({units})\\s*$"),
                    "examples": [$example],
                })
            }
        }
    };
}

/// An integer quantity of `u64` base units.
macro_rules! integer_quantity {
    ($(#[$doc:meta])* $type:ident, $format:literal, $example:literal, $si:expr, [$($symbol:literal $(| $alias:literal)* = $scale:expr),* $(,)?]) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $type(u64);

        impl $type {
            const UNITS: &[Unit<u64>] = &[$(Unit { symbol: $symbol, aliases: &[$($alias),*], scale: $scale }),*];
            /// Zero.
            pub const ZERO: Self = Self(0);
            /// The maximum of the type.
            pub const MAX: Self = Self(u64::MAX);
        }

        impl Quantity for $type {
            const FORMAT: &'static str = $format;
            fn parse(text: &str) -> Result<Self, QuantityError> {
                let (number, scale) = split(text, Self::UNITS)?;
                number.scaled(scale).map(Self).ok_or_else(|| QuantityError::TooLarge { max: Self::MAX.to_string() })
            }
            fn symbols() -> Vec<&'static str> {
                Self::UNITS.iter().map(|u| u.symbol).collect()
            }
            fn spellings() -> Vec<(&'static str, &'static str)> {
                let of = |u: &'static Unit<u64>| {
                    [u.symbol].into_iter().chain(u.aliases.iter().copied()).map(|spelling| (spelling, u.symbol))
                };
                Self::UNITS.iter().flat_map(of).collect()
            }
            #[inline]
            fn si(self) -> f64 {
                self.0 as f64 / $si
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                show(f, self.0, Self::UNITS, $si as u64, $format == "bytes")
            }
        }

        text_form!($type, $format, $example);
    };
}

integer_quantity! {
    /// A point in time or a duration, in integer picoseconds; 64 bits hold 213 days.
    Time, "time", "20 ms", 1e12,
    ["ps" = 1, "ns" = 1_000, "us" = 1_000_000, "ms" = 1_000_000_000, "s" = 1_000_000_000_000,
     "min" = 60_000_000_000_000, "h" = 3_600_000_000_000_000, "d" = 86_400_000_000_000_000]
}

integer_quantity! {
    /// A rate of transmission in whole bits a second.
    Rate, "rate", "10 Mbit/s", 1.0,
    ["bit/s" | "bit" | "bps" | "b/s" = 1, "kbit/s" | "kbit" | "kbps" | "kb/s" = 1_000,
     "Mbit/s" | "Mbit" | "Mbps" | "Mb/s" = 1_000_000, "Gbit/s" | "Gbit" | "Gbps" | "Gb/s" = 1_000_000_000,
     "Tbit/s" | "Tbit" | "Tbps" | "Tb/s" = 1_000_000_000_000]
}

integer_quantity! {
    /// An amount of data in bytes.
    Bytes, "bytes", "1500 B", 1.0,
    ["B" = 1, "kB" = 1_000, "KiB" = 1_024, "MB" = 1_000_000, "MiB" = 1_048_576, "GB" = 1_000_000_000, "GiB" = 1_073_741_824]
}

const PS_PER_S: f64 = 1e12;

impl Time {
    /// One second.
    pub const SECOND: Self = Self(1_000_000_000_000);

    /// From picoseconds.
    #[inline]
    #[must_use]
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// From milliseconds.
    ///
    /// # Panics
    /// Beyond 213 days.
    #[inline]
    #[must_use]
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms * 1_000_000_000)
    }

    /// From seconds, rounded to the nearest picosecond; negative and not-a-number become zero, too much [`Time::MAX`].
    #[inline]
    #[must_use]
    pub fn from_secs_f64(s: f64) -> Self {
        // `as` saturates and maps NaN to zero
        Self((s * PS_PER_S + 0.5) as u64)
    }

    /// In picoseconds.
    #[inline]
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// In picoseconds, for durations below 106 days (2^63 ps): the conversion of a signed integer is one instruction.
    #[inline]
    #[must_use]
    pub const fn as_ps_f64(self) -> f64 {
        self.0.cast_signed() as f64
    }

    /// In seconds.
    #[inline]
    #[must_use]
    pub const fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PS_PER_S
    }

    /// The difference, or zero where `other` is later.
    #[inline]
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The sum, or [`Time::MAX`].
    #[inline]
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The product, or [`Time::MAX`].
    #[inline]
    #[must_use]
    pub const fn saturating_mul(self, n: u64) -> Self {
        Self(self.0.saturating_mul(n))
    }
}

impl Add for Time {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Time {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Time {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<u64> for Time {
    type Output = Self;
    #[inline]
    fn mul(self, n: u64) -> Self {
        Self(self.0 * n)
    }
}

impl Rate {
    /// From bits a second.
    #[inline]
    #[must_use]
    pub const fn from_bps(bps: u64) -> Self {
        Self(bps)
    }

    /// In bits a second.
    #[inline]
    #[must_use]
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// How long `bytes` take at this rate, to the nearest picosecond; [`Time::MAX`] where that overflows or the rate is zero.
    #[inline]
    #[must_use]
    pub fn transmission_time(self, bytes: u64) -> Time {
        if self.0 == 0 {
            return Time::MAX;
        }
        let ps = (u128::from(bytes) * 8 * 1_000_000_000_000 + u128::from(self.0 / 2)) / u128::from(self.0);
        u64::try_from(ps).map_or(Time::MAX, Time)
    }
}

impl Bytes {
    /// From a number of bytes.
    #[inline]
    #[must_use]
    pub const fn new(n: u64) -> Self {
        Self(n)
    }

    /// The number of bytes.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// A floating-point quantity, written ten to the `$power` times as large as it is kept.
macro_rules! real_quantity {
    ($(#[$doc:meta])* $type:ident, $format:literal, $example:literal, $symbol:literal, $power:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
        pub struct $type(f64);

        impl $type {
            const UNITS: &[Unit<()>] = &[Unit { symbol: $symbol, aliases: &[], scale: () }];

            /// From a plain number, in SI units.
            #[inline]
            #[must_use]
            pub const fn new(value: f64) -> Self {
                Self(value)
            }

            /// The plain number, in SI units.
            #[inline]
            #[must_use]
            pub const fn get(self) -> f64 {
                self.0
            }
        }

        impl Quantity for $type {
            const FORMAT: &'static str = $format;
            fn parse(text: &str) -> Result<Self, QuantityError> {
                let (number, ()) = split(text, Self::UNITS)?;
                let value = number.times_power_of_ten(-$power);
                if !value.is_finite() {
                    return Err(QuantityError::TooLarge { max: concat!("1.8e308 ", $symbol).to_owned() });
                }
                Ok(Self(value))
            }
            fn symbols() -> Vec<&'static str> {
                vec![$symbol]
            }
            fn spellings() -> Vec<(&'static str, &'static str)> {
                vec![($symbol, $symbol)]
            }
            #[inline]
            fn si(self) -> f64 {
                self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{} {}", digits(self.0, $power), $symbol)
            }
        }

        text_form!($type, $format, $example);
    };
}

real_quantity! {
    /// A number of packets; windows are fractional, so this is too.
    Packets, "packets", "100 packets", "packets", 0
}

real_quantity! {
    /// A number of ATM cells, 48 bytes of payload each.
    Cells, "cells", "200 cells", "cells", 0
}

real_quantity! {
    /// Events a second.
    Frequency, "frequency", "0.5 /s", "/s", 0
}

real_quantity! {
    /// A share, written in percent and kept as a fraction of one.
    Percent, "percent", "3 %", "%", 2
}
