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

/// Time constant in seconds of the filter that averages round-trip times, at a round-trip time and a rate.
///
/// n samples of weight m reduce a difference to (1 - m)^n, as in the dynamics. VFAST's filter has two weights, up and down, so no time
/// constant of its own; their mean is used.
pub(crate) fn averaging_time(params: &ControllerParams, fast: &FastParams, rtt: f64, rate: f64) -> f64 {
    let follows = |weight: f64, between: f64| -between / libm::log1p(-weight);
    let average = || follows((fast.filter_gain / (rate * rtt).max(1.0)).min(filter_cap(fast)), 1.0 / rate);
    let ControllerParams::Vfast(vfast) = params else { return average() };
    let between = match vfast.smoothing {
        Smoothing::Ack => 1.0 / rate,
        Smoothing::Update => between_updates(fast, rtt),
    };
    let smoothed = follows(f64::midpoint(vfast.psi_up, vfast.psi_down), between);
    match vfast.mean_rtt {
        MeanRttSource::Srtt => smoothed,
        MeanRttSource::Average => average(),
        MeanRttSource::SrttOfAverage => smoothed + average(),
    }
}
