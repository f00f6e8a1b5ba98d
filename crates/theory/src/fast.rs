//! The parameters of a FAST controller in continuous time.

use eddyline_cc::{ControllerParams, FastParams, FastProfile, MeanRttSource, Smoothing};

/// Which window the law multiplies by d / (d + q).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WindowLaw {
    /// The present one: eq. 2 of the two-way paper.
    #[default]
    Present,
    /// The window when the acknowledged packet was sent, a round trip ago, as in FAST's algorithm and every
    /// implementation of it: `w_then d / (d + q)` is d times the rate of acknowledgements.
    AtSending,
}

/// Period of the ns-2 module's timer by default, in seconds.
const MODULE_PERIOD_S: f64 = 0.01;

/// Seconds between two updates of the window at the round-trip time `rtt`: the time unit of gamma in eq. 2 of the
/// two-way paper.
///
/// `clean` updates once a round trip, or once `update_period` where that is longer. `ns2-1.1.3` updates once a period
/// in every other round trip and is taken at its mean.
pub(crate) fn between_updates(fast: &FastParams, rtt: f64) -> f64 {
    let period = fast.update_period.map(|t| t.as_secs_f64());
    match fast.profile {
        FastProfile::Clean => rtt.max(period.unwrap_or(0.0)),
        FastProfile::Ns2 => {
            let every = period.unwrap_or(MODULE_PERIOD_S);
            if every < rtt { 2.0 * every } else { every + rtt }
        }
    }
}

/// Largest weight of a sample in the average of round-trip times.
pub(crate) fn filter_cap(fast: &FastParams) -> f64 {
    fast.filter_cap.unwrap_or(match fast.profile {
        FastProfile::Clean => 0.25,
        FastProfile::Ns2 => 1.0 / 256.0,
    })
}

/// Seconds between two samples that VFAST smooths with `smoothing = "update"`, at the round-trip time `rtt`: those at an update, of
/// `ns2-1.1.3` those at its timer, in every round trip.
pub(crate) fn between_samples(fast: &FastParams, rtt: f64) -> f64 {
    match fast.profile {
        FastProfile::Clean => between_updates(fast, rtt),
        FastProfile::Ns2 => fast.update_period.map_or(MODULE_PERIOD_S, |t| t.as_secs_f64()),
    }
}

/// Weights are taken to be at most this: a weight of one would leave nothing of a difference, at once.
const HEAVIEST: f64 = 0.999;

/// How fast an average follows, in 1/s, with so many samples of this weight a second: n of them leave (1 - weight)^n of a difference.
pub(crate) fn follows(weight: f64, samples_per_s: f64) -> f64 {
    -libm::log1p(-weight.min(HEAVIEST)) * samples_per_s
}

/// Time constant in seconds of the filter that averages round-trip times, at a round-trip time and a rate, with so many acknowledgements
/// a second.
///
/// VFAST's filter has two weights, up and down, so no time constant of its own; their mean is used.
pub(crate) fn averaging_time(
    params: &ControllerParams,
    fast: &FastParams,
    rtt: f64,
    rate: f64,
    acks_per_s: f64,
) -> f64 {
    let average = || 1.0 / follows((fast.filter_gain / (rate * rtt).max(1.0)).min(filter_cap(fast)), acks_per_s);
    let ControllerParams::Vfast(vfast) = params else { return average() };
    let samples = match vfast.smoothing {
        Smoothing::Ack => acks_per_s,
        Smoothing::Update => 1.0 / between_samples(fast, rtt),
    };
    let smoothed = 1.0 / follows(f64::midpoint(vfast.psi_up, vfast.psi_down), samples);
    match vfast.mean_rtt {
        MeanRttSource::Srtt => smoothed,
        MeanRttSource::Average => average(),
        MeanRttSource::SrttOfAverage => smoothed + average(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_smooths_at_its_timer_and_updates_in_every_other_round_trip() {
        let fast = |keys: &str| {
            let json = format!(r#"{{ "kind": "fast", "alpha": "20 packets", {keys} }}"#);
            let params: ControllerParams = serde_json::from_str(&json).expect("a controller");
            let ControllerParams::Fast(fast) = params else { unreachable!("it is FAST") };
            (between_updates(&fast, 0.04), between_samples(&fast, 0.04))
        };
        assert_eq!(fast(r#""profile": "clean""#), (0.04, 0.04));
        assert_eq!(fast(r#""profile": "clean", "update_period": "50 ms""#), (0.05, 0.05));
        assert_eq!(fast(r#""profile": "ns2-1.1.3""#), (0.02, 0.01));
        assert_eq!(fast(r#""profile": "ns2-1.1.3", "update_period": "15 ms""#), (0.03, 0.015));
    }
}
