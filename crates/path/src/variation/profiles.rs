//! Synthetic recordings of well-known kinds of access links: two minutes each, generated from a seed, with the link's own rate as
//! their mean. Their dynamics follow publications about such links; they contain no measurements.

use eddyline_units::{Rate, Time};

use super::recording::{Recording, Row};
use crate::random::Stream;
use crate::traffic::distributions::{exponential, normal};

const LENGTH_MS: u64 = 120_000;

/// A kind of access link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// A phone on LTE.
    Lte,
    /// A low-orbit satellite terminal.
    Starlink,
    /// Cable, a shared medium.
    Cable,
    /// Wi-Fi, indoors.
    Wifi,
}

/// Description of a profile.
#[derive(Debug, Clone, Copy)]
pub struct ProfileInfo {
    /// Its kind in a scenario.
    pub name: &'static str,
    /// What varies, and how.
    pub summary: &'static str,
    /// Publications that the dynamics follow.
    pub source: &'static str,
}

/// All profiles.
pub const PROFILES: &[ProfileInfo] = &[
    ProfileInfo {
        name: "lte",
        summary: "rate lognormal (0.6), correlation 1.5 s, in 100 ms; gaps of 100 ms, one in 20 s",
        source: "shape of Winstein, Sivaraman, Balakrishnan, Stochastic forecasts over cellular networks, NSDI 2013",
    },
    ProfileInfo {
        name: "starlink",
        summary: "every 15 s another rate (0.35) and delay (0 to 15 ms more), 5 % loss in the first 100 ms, else 0.2 %",
        source: "slots of 15 s: Tanveer et al., Making sense of constellations, CoNEXT 2023",
    },
    ProfileInfo {
        name: "cable",
        summary: "rate lognormal (0.15), correlation 10 s, in 100 ms",
        source: "one channel shared by its users, CableLabs CM-SP-MULPIv3.1",
    },
    ProfileInfo {
        name: "wifi",
        summary: "rate walks over the eight of 802.11n, a step in 200 ms on average; exponential extra delay of 2 ms",
        source: "IEEE 802.11n, 20 MHz, one spatial stream: 6.5 to 65 Mbit/s",
    },
];

/// Rates of 802.11n, 20 MHz, one stream, guard interval 800 ns, in Mbit/s.
const MCS: [f64; 8] = [6.5, 13.0, 19.5, 26.0, 39.0, 52.0, 58.5, 65.0];

/// One step of a profile: unscaled rate, delay above the link's own in seconds, loss.
type Step = (f64, f64, Option<f64>);

impl Profile {
    /// Its name in a scenario.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lte => "lte",
            Self::Starlink => "starlink",
            Self::Cable => "cable",
            Self::Wifi => "wifi",
        }
    }

    /// Generates two minutes for the link called `name`, of this mean rate and minimum delay.
    #[must_use]
    pub fn recording(self, rate: Rate, delay: Time, seed: u64, name: &str) -> Recording {
        let mut stream = Stream::new(seed, name, self.name());
        let (step_ms, steps) = match self {
            Self::Lte => (100, lte(&mut stream)),
            Self::Starlink => (100, starlink(&mut stream)),
            Self::Cable => (100, lognormal(&mut stream, 0.15, 10.0).map(|r| (r, 0.0, None)).collect()),
            Self::Wifi => (20, wifi(&mut stream)),
        };
        let mean = steps.iter().map(|s| s.0).sum::<f64>() / steps.len() as f64;
        let scale = rate.as_bps() as f64 / mean;
        let line = |(place, (shape, extra, loss)): (usize, &Step)| Row {
            from: Time::from_ms(place as u64 * step_ms),
            rate: Some(Rate::from_bps((shape * scale).round() as u64)),
            delay: Some(delay.saturating_add(Time::from_secs_f64(*extra))),
            loss: *loss,
        };
        Recording::new(steps.iter().enumerate().map(line).collect(), Time::from_ms(LENGTH_MS))
    }
}

/// Steps of 100 ms of `exp(sigma z)`, z standard normal with this correlation time.
fn lognormal(stream: &mut Stream, sigma: f64, correlation_s: f64) -> impl Iterator<Item = f64> {
    let rho = libm::exp(-0.1 / correlation_s);
    let fresh = libm::sqrt(1.0 - rho * rho);
    let mut z = normal(stream);
    (0..LENGTH_MS / 100).map(move |_| {
        z = rho * z + fresh * normal(stream);
        libm::exp(sigma * z)
    })
}

fn lte(stream: &mut Stream) -> Vec<Step> {
    let rates: Vec<f64> = lognormal(stream, 0.6, 1.5).collect();
    rates.into_iter().map(|r| (if stream.uniform() < 0.005 { 0.0 } else { r }, 0.0, None)).collect()
}

fn starlink(stream: &mut Stream) -> Vec<Step> {
    let fades: Vec<f64> = lognormal(stream, 0.1, 1.0).collect();
    let mut slot = (1.0, 0.0);
    let step = |(place, fade): (usize, f64)| {
        if place.is_multiple_of(150) {
            slot = (libm::exp(0.35 * normal(stream)), 0.015 * stream.uniform());
        }
        (slot.0 * fade, slot.1, Some(if place.is_multiple_of(150) { 0.05 } else { 0.002 }))
    };
    fades.into_iter().enumerate().map(step).collect()
}

fn wifi(stream: &mut Stream) -> Vec<Step> {
    let mut place = stream.below(MCS.len() as u64) as usize;
    let step = |_| {
        if stream.uniform() < 0.1 {
            // at the ends half of the steps have no effect, so all rates are equally frequent
            place = if stream.uniform() < 0.5 { place.saturating_sub(1) } else { (place + 1).min(MCS.len() - 1) };
        }
        (MCS[place], exponential(stream, 0.002), None)
    };
    (0..LENGTH_MS / 20).map(step).collect()
}
