//! Writes one of the synthetic recordings as a file that links can play.
//!
//!     cargo run --release -p eddyline-path --example make_link_trace -- lte '20 Mbit/s' '25 ms' 1 > lte.csv
//!
//! Arguments: profile, mean rate, minimum delay, seed.

use std::process::ExitCode;

use eddyline_path::variation::{PROFILES, Profile};
use eddyline_units::{Rate, Time};

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let Some(text) = recording(&given) else {
        eprintln!("usage: make_link_trace PROFILE RATE DELAY SEED, as in: lte '20 Mbit/s' '25 ms' 1");
        for p in PROFILES {
            eprintln!("  {:<10} {}", p.name, p.summary);
        }
        return ExitCode::from(2);
    };
    print!("{text}");
    ExitCode::SUCCESS
}

fn recording(given: &[String]) -> Option<String> {
    let [profile, rate, delay, seed] = given else { return None };
    let all = [Profile::Lte, Profile::Starlink, Profile::Cable, Profile::Wifi];
    let profile = all.into_iter().find(|p| p.name() == profile)?;
    let (rate, delay): (Rate, Time) = (rate.parse().ok()?, delay.parse().ok()?);
    Some(profile.recording(rate, delay, seed.parse().ok()?, "link").to_csv())
}
