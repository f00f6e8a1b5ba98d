//! A scenario without Python, for profilers: `simulate FILE DURATION [THREADS]` prints the number of data packets delivered.
//! `benches/run.py --only parts` says with it where the instructions go.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use eddyline_scenario::load_file;
use eddyline_sim::{Options, run};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, duration, threads) = match &arguments[..] {
        [file, duration] => (file, duration, Ok(1)),
        [file, duration, threads] => (file, duration, threads.parse::<usize>()),
        _ => {
            eprintln!("usage: simulate FILE DURATION [THREADS]");
            return ExitCode::FAILURE;
        }
    };
    match threads
        .map_err(|e: std::num::ParseIntError| e.to_string())
        .and_then(|threads| simulate(file, duration, threads))
    {
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

fn simulate(file: &str, duration: &str, threads: usize) -> Result<u64, String> {
    let overrides = [("duration".to_owned(), duration.to_owned())];
    let scenario = load_file(Path::new(file), &overrides).map_err(|e| e.to_string())?;
    let options = Options { threads, ..Options::default() };
    let outcome = run(&scenario.network, &options, &mut |_| ControlFlow::Continue(())).map_err(|e| e.to_string())?;
    eprintln!("{:?}", outcome.execution);
    Ok(outcome.result.counters.data_packets_delivered.unwrap_or(0))
}
