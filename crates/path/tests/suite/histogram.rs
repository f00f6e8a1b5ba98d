//! Quantiles of what was counted.

use eddyline_path::histogram::Histogram;
use eddyline_units::Time;
use proptest::prelude::*;

/// The stated bound of the relative error.
const BOUND: f64 = 1.0 / 128.0;
const SHARES: [f64; 7] = [0.0, 0.01, 0.5, 0.9, 0.95, 0.99, 1.0];

fn of(values: &[u64]) -> Histogram {
    let mut h = Histogram::default();
    values.iter().for_each(|ps| h.add(Time::from_ps(*ps)));
    h
}

/// Nearest rank, in picoseconds.
fn exact(values: &[u64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len());
    sorted[rank - 1] as f64
}

/// Zero, and durations from a picosecond to months, equally likely in each octave.
fn duration() -> impl Strategy<Value = u64> {
    (0u32..63, any::<u64>())
        .prop_map(|(octave, low)| if octave == 0 { 0 } else { (1 << octave) | low >> (64 - octave) })
}

/// Samples of one flow: spread over everything, around one value, or a few values many times.
fn samples() -> impl Strategy<Value = Vec<u64>> {
    prop_oneof![
        prop::collection::vec(duration(), 1..300),
        (1_000_000u64..1_000_000_000_000, 0u64..1_000_000_000)
            .prop_flat_map(|(base, width)| prop::collection::vec(base..=base + width, 1..300)),
        prop::collection::vec(duration(), 1..4)
            .prop_flat_map(|few| prop::collection::vec(prop::sample::select(few), 1..300)),
    ]
}

proptest! {
    /// Minimum and maximum are exact, quantiles in order, and each within 1/128 of the exact one.
    #[test]
    fn quantiles_are_within_the_stated_error(values in samples()) {
        let h = of(&values);
        let found: Vec<f64> = SHARES.iter().map(|s| h.quantile(*s).unwrap()).collect();
        prop_assert!(found.is_sorted(), "{found:?}");
        prop_assert_eq!(found[0], exact(&values, 0.0) / 1e12);
        prop_assert_eq!(found[6], exact(&values, 1.0) / 1e12);
        for (share, found) in SHARES.iter().zip(&found) {
            let exact = exact(&values, *share) / 1e12;
            prop_assert!((found - exact).abs() <= exact * (BOUND + 1e-12), "{share}: {found}, not {exact}");
        }
    }

    /// Equal values give that value and nothing else: mean and percentiles agree.
    #[test]
    fn equal_values_are_exact(value in duration(), n in 1usize..1000) {
        let h = of(&vec![value; n]);
        for share in SHARES {
            prop_assert_eq!(h.quantile(share), Some(value as f64 / 1e12));
        }
    }

    /// Merging is the same as adding everything to one, whatever was there before the last clearing.
    #[test]
    fn a_merged_histogram_is_that_of_all_values(earlier in samples(), a in samples(), b in samples()) {
        let mut merged = of(&earlier);
        merged.clear();
        prop_assert_eq!(merged.quantile(0.5), None);
        a.iter().for_each(|ps| merged.add(Time::from_ps(*ps)));
        merged.merge(&of(&b));
        let all = of(&[a, b].concat());
        for share in SHARES {
            prop_assert_eq!(merged.quantile(share), all.quantile(share));
        }
    }
}

/// Nearly uniform values: interpolation is much closer than the bound.
#[test]
fn interpolates_between_the_ends_of_a_bucket() {
    let values: Vec<u64> = (1..=10_000u64).map(|us| us * 1_000_000).collect();
    let h = of(&values);
    for share in [0.25, 0.5, 0.9, 0.99] {
        let off = h.quantile(share).unwrap() / (exact(&values, share) / 1e12) - 1.0;
        assert!(off.abs() <= 0.03 * BOUND, "{share}: {off}");
    }
}

/// Counters of 32 bits that overflow: 6 x 10^9 values of 1 ms and 5 x 10^9 of 2 ms, made by doubling.
#[test]
fn counts_beyond_32_bits() {
    let (mut all, mut times) = (of(&[1_000_000_000]), 1u64);
    while times < 6_000_000_000 {
        let half = all.clone();
        all.merge(&half);
        times *= 2;
    }
    let mut more = of(&[2_000_000_000]);
    for _ in 0..32 {
        let half = more.clone();
        more.merge(&half);
    }
    all.merge(&more);
    // 2^33 of 1 ms and 2^32 of 2 ms
    for (share, expected) in [(0.0, 1e-3), (0.5, 1e-3), (0.66, 1e-3), (0.67, 2e-3), (1.0, 2e-3)] {
        let found = all.quantile(share).unwrap();
        assert!((found / expected - 1.0).abs() <= BOUND, "{share}: {found}");
    }
    all.add(Time::from_ps(1_000_000_000));
    all.merge(&of(&[0, 0]));
    assert_eq!(all.quantile(0.0), Some(0.0));
}
