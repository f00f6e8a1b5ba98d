//! Parsing and formatting are exact.

use eddyline_units::{Bytes, Packets, Percent, Quantity, QuantityError, Rate, Time};
use proptest::prelude::*;

#[test]
fn reads_decimals_and_exponents_exactly() {
    assert_eq!("20 ms".parse(), Ok(Time::from_ms(20)));
    assert_eq!("0.1 ms".parse(), Ok(Time::from_ps(100_000_000)));
    assert_eq!("200 d".parse(), Ok(Time::from_ps(17_280_000_000_000_000_000)));
    assert_eq!("1e2 Mbit/s".parse(), Ok(Rate::from_bps(100_000_000)));
    assert_eq!("1.5 KiB".parse(), Ok(Bytes::new(1536)));
    assert_eq!("0.00000000000000000000000000001 s".parse(), Ok(Time::ZERO));
    assert_eq!("1.0000000000000000000000000000 s".parse(), Ok(Time::SECOND));
    assert_eq!("0.5 B".parse(), Ok(Bytes::new(1)), "halves round up");
}

#[test]
fn the_space_may_be_missing_and_common_spellings_of_rates_are_read() {
    assert_eq!("20ms".parse(), Ok(Time::from_ms(20)));
    assert_eq!("1e-3s".parse(), Ok(Time::from_ms(1)));
    assert_eq!("1%".parse::<Percent>().unwrap().get(), 0.01);
    for text in ["50Mbit", "50 Mbps", "50Mbit/s", "50 Mb/s", "5e1Mbit", "+50.0Mbps"] {
        assert_eq!(text.parse(), Ok(Rate::from_bps(50_000_000)), "{text}");
    }
    // m is a thousandth, B a byte
    for text in ["50 mbps", "50 MBps", "50 MB/s", "50 M", "50e", "50eMbit"] {
        assert!(matches!(text.parse::<Rate>(), Err(QuantityError::UnknownUnit { .. })), "{text}");
    }
}

#[test]
fn errors_name_the_problem() {
    assert!(matches!("10".parse::<Time>(), Err(QuantityError::NoUnit { .. })));
    assert!(matches!("10 parsecs".parse::<Time>(), Err(QuantityError::UnknownUnit { .. })));
    assert!(matches!("ten ms".parse::<Time>(), Err(QuantityError::NotANumber { .. })));
    assert!(matches!("-1 ms".parse::<Time>(), Err(QuantityError::Negative)));
    assert!(matches!("300 d".parse::<Time>(), Err(QuantityError::TooLarge { .. })));
    assert!(matches!("1e400 s".parse::<Time>(), Err(QuantityError::TooLarge { .. })));
    assert!(matches!("".parse::<Time>(), Err(QuantityError::NotANumber { .. })));
    assert!("nan ms".parse::<Time>().is_err() && "inf packets".parse::<Packets>().is_err());
}

#[test]
fn transmission_time_rounds_to_the_nearest_picosecond() {
    assert_eq!(Rate::from_bps(3).transmission_time(1), Time::from_ps(2_666_666_666_667));
    assert_eq!(Rate::from_bps(10_000_000).transmission_time(1250), Time::from_ms(1));
}

#[test]
fn writes_readable_units() {
    assert_eq!(Time::ZERO.to_string(), "0 s");
    assert_eq!(Rate::from_bps(1_500_000).to_string(), "1.5 Mbit/s");
    assert_eq!(Bytes::new(1500).to_string(), "1500 B");
    assert_eq!(Percent::new(0.35).to_string(), "35 %");
    assert_eq!(Packets::new(1e300).to_string(), "1e300 packets");
    assert_eq!(Packets::new(0.5).to_string(), "0.5 packets");
    assert_eq!(Bytes::new(75_000).to_string(), "75 kB");
}

#[test]
fn percent_is_a_fraction() {
    assert!(("3 %".parse::<Percent>().unwrap().get() - 0.03).abs() < 1e-15);
}

proptest! {
    #[test]
    fn time_survives_text(ps in any::<u64>()) {
        let t = Time::from_ps(ps);
        prop_assert_eq!(t.to_string().parse::<Time>().unwrap(), t);
    }

    #[test]
    fn rate_and_bytes_survive_text(n in any::<u64>()) {
        prop_assert_eq!(Rate::from_bps(n).to_string().parse::<Rate>().unwrap(), Rate::from_bps(n));
        prop_assert_eq!(Bytes::new(n).to_string().parse::<Bytes>().unwrap(), Bytes::new(n));
    }

    #[test]
    fn packets_and_percent_survive_text(bits in any::<u64>()) {
        let x = f64::from_bits(bits & (u64::MAX >> 1));
        prop_assume!(x.is_finite() && x < 1e300);
        prop_assert_eq!(Packets::new(x).to_string().parse::<Packets>().unwrap(), Packets::new(x));
        prop_assert_eq!(Percent::new(x).to_string().parse::<Percent>().unwrap(), Percent::new(x));
    }

    #[test]
    fn percent_reads_to_the_nearest_float(n in 0u32..10_000) {
        let text = format!("{}.{:02} %", n / 100, n % 100);
        prop_assert_eq!(text.parse::<Percent>().unwrap().get(), format!("{n}e-4").parse::<f64>().unwrap());
    }

    #[test]
    fn no_text_panics(text in ".{0,40}") {
        let _ = Time::parse(&text);
        let _ = Packets::parse(&text);
    }
}
