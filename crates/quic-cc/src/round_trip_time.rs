//! The smoothed round-trip time, for the time after which a sender counts as idle.

use eddyline_units::Time;

/// RFC 9002, 5.3, without the receiver's reported delay, which stacks do not hand over.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RoundTripTime {
    /// Smoothed round-trip time and its variation in picoseconds.
    smoothed: Option<(f64, f64)>,
}

/// The receiver's maximum delay before an acknowledgement by default (RFC 9000, 18.2).
const MAX_ACK_DELAY: Time = Time::from_ms(25);

/// kGranularity (RFC 9002, 6.1.2).
const GRANULARITY: Time = Time::from_ms(1);

impl RoundTripTime {
    pub(crate) fn update(&mut self, sample: Time) {
        let sample = sample.as_ps() as f64;
        self.smoothed = Some(match self.smoothed {
            None => (sample, sample / 2.0),
            Some((mean, variation)) => {
                let deviation = (mean - sample).abs();
                (mean + (sample - mean) / 8.0, variation + (deviation - variation) / 4.0)
            }
        });
    }

    pub(crate) fn smoothed(self) -> Option<Time> {
        self.smoothed.map(|(mean, _)| Time::from_ps(mean as u64))
    }

    /// The probe timeout (RFC 9002, 6.2.1), none before the first sample.
    pub(crate) fn probe_timeout(self) -> Option<Time> {
        let (mean, variation) = self.smoothed?;
        let margin = Time::from_ps((4.0 * variation) as u64).max(GRANULARITY);
        Some(Time::from_ps(mean as u64).saturating_add(margin).saturating_add(MAX_ACK_DELAY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_path_has_the_minimum_margin() {
        let mut rtt = RoundTripTime::default();
        assert_eq!(rtt.probe_timeout(), None);
        (0..100).for_each(|_| rtt.update(Time::from_ms(40)));
        assert_eq!(rtt.smoothed(), Some(Time::from_ms(40)));
        assert_eq!(rtt.probe_timeout(), Some(Time::from_ms(66)));
    }
}
