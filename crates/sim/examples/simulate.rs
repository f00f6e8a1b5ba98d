//! A scenario without Python, for profilers: `simulate FILE DURATION` prints the number of data packets delivered.
//! `benches/run.py --only parts` says with it where the instructions go.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use eddyline_scenario::load_file;
use eddyline_sim::{Options, run};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, duration] = &arguments[..] else {
        eprintln!("usage: simulate FILE DURATION");
        return ExitCode::FAILURE;
    };
    match simulate(file, duration) {
        Ok(packets) => {
            println!("{packets}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn simulate(file: &str, duration: &str) -> Result<u64, String> {
    let overrides = [("duration".to_owned(), duration.to_owned())];
    let scenario = load_file(Path::new(file), &overrides).map_err(|e| e.to_string())?;
    let outcome = run(&scenario.network, &Options::default(), &mut |_| ControlFlow::Continue(()));
    let result = outcome.map_err(|e| e.to_string())?.result;
    Ok(result.counters.data_packets_delivered.unwrap_or(0))
}
