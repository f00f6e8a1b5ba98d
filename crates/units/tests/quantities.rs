//! Parsing and formatting are exact.

use eddyline_units::{Bytes, Decimal, Packets, Percent, Quantity, QuantityError, Rate, Time};
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

/// Without a space, what is no unit is reported; with one, what is no number.
#[test]
fn errors_name_the_part_that_is_wrong() {
    assert!(matches!("parsecs".parse::<Time>(), Err(QuantityError::UnknownUnit { given, .. }) if given == "parsecs"));
    assert!(matches!("ten parsecs".parse::<Time>(), Err(QuantityError::NotANumber { .. })));
    for text in ["-x ms", "--1 ms", "1e0000001 ms", "1e ms", "1e+ ms", "1e1x ms"] {
        assert!(matches!(text.parse::<Time>(), Err(QuantityError::NotANumber { .. })), "{text}");
    }
    assert_eq!("1e000001 ms".parse(), Ok(Time::from_ms(10)), "six digits of exponent");
}

#[test]
fn decimals_have_thirty_digits_and_more_if_they_are_zero() {
    let ten_to = |power: usize| format!("1{}", "0".repeat(power));
    assert_eq!(Decimal::parse(&ten_to(31)).unwrap().as_f64(), 1e31);
    assert!(Decimal::parse(&ten_to(32)).is_err());
    assert_eq!(Decimal::parse("12.5").unwrap().as_f64(), 12.5);
    // the smallest shares of a base unit that a scale can make whole
    let tiny = |exponent: i32| Decimal::parse(&format!("3{}e{exponent}", "0".repeat(30))).unwrap();
    assert_eq!(tiny(-38).scaled(100_000_000), Some(3));
    assert_eq!(tiny(-39).scaled(100_000_000), Some(0));
}

#[test]
fn times_add_subtract_and_multiply() {
    let (two, three) = (Time::from_secs_f64(2.0), Time::from_ms(3000));
    assert_eq!((two.as_ps(), two.as_secs_f64()), (2_000_000_000_000, 2.0));
    assert_eq!(((three + two).as_ps(), three - two, two * 3), (5_000_000_000_000, Time::SECOND, three + three));
    let mut sum = two;
    sum += three;
    assert_eq!(sum, three + two);
    assert_eq!(Time::from_secs_f64(1.6e-12), Time::from_ps(2), "to the nearest picosecond");
    assert_eq!([Time::from_secs_f64(-1.0), Time::from_secs_f64(f64::NAN)], [Time::ZERO; 2]);
    assert_eq!((Rate::from_bps(7).as_bps(), Bytes::new(7).get()), (7, 7));
}

#[test]
fn transmission_time_rounds_to_the_nearest_picosecond() {
    assert_eq!(Rate::from_bps(3).transmission_time(1), Time::from_ps(2_666_666_666_667));
    assert_eq!(Rate::from_bps(11).transmission_time(1), Time::from_ps(727_272_727_273));
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
