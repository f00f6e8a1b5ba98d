//! Quantiles of what was counted.

use eddyline_path::histogram::Histogram;
use eddyline_units::Time;

const fn micro(us: u64) -> Time {
    Time::from_ps(us * 1_000_000)
}

fn of(values: &[u64]) -> Histogram {
    let mut h = Histogram::default();
    values.iter().for_each(|us| h.add(micro(*us)));
    h
}

/// A bucket may be wider than what is in it: no quantile is below the min or above the max, whatever was merged or
/// cleared.
#[test]
fn within_what_was_counted() {
    for us in (1..100_000).step_by(997) {
        let one = of(&[us]);
        for share in [0.0, 0.5, 0.99, 1.0] {
            assert_eq!(one.quantile(share), Some(micro(us).as_secs_f64()), "{us} us, {share}");
        }
        let mut both = of(&[us]);
        both.merge(&of(&[us + 1]));
        assert!(both.quantile(0.0).unwrap() >= micro(us).as_secs_f64());
        assert!(both.quantile(1.0).unwrap() <= micro(us + 1).as_secs_f64());
        both.clear();
        assert_eq!(both.quantile(0.5), None);
        both.add(micro(7));
        assert_eq!(both.quantile(0.5), Some(7e-6));
    }
}

/// Within 1/32 of the exact quantile of 1 to 10,000 us.
#[test]
fn within_a_thirty_second() {
    let h = of(&(1..=10_000).collect::<Vec<_>>());
    for share in [0.01f64, 0.25, 0.5, 0.9, 0.99] {
        let exact = (1e4 * share).ceil() * 1e-6;
        let off = h.quantile(share).unwrap() / exact - 1.0;
        assert!(off.abs() <= 1.0 / 32.0, "{share}: {off}");
    }
}
