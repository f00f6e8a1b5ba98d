//! What more processors would do for one run: `scaling FILE DURATION` prints how often the events of the run go into the events that have to
//! follow each other, for 1 to 64 processors.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use eddyline_scenario::load_file;
use eddyline_sim::{Options, PROCESSORS, run};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, duration] = &arguments[..] else {
        eprintln!("usage: scaling FILE DURATION");
        return ExitCode::FAILURE;
    };
    match report(file, duration) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn report(file: &str, duration: &str) -> Result<String, String> {
    let overrides = [("duration".to_owned(), duration.to_owned())];
    let scenario = load_file(Path::new(file), &overrides).map_err(|e| e.to_string())?;
    let options = Options { threads: 64, divide_always: true, measure_scaling: true, ..Options::default() };
    let outcome = run(&scenario.network, &options, &mut |_| ControlFlow::Continue(())).map_err(|e| e.to_string())?;
    let execution = outcome.execution;
    let Some(scaling) = execution.scaling else {
        return Err(execution.one_because.unwrap_or("not divided").to_owned());
    };
    let events = outcome.result.counters.events.unwrap_or(0);
    let mut text = format!(
        "{events} events, {} domains, {} windows, lookahead {} ms\n",
        execution.domains,
        execution.windows,
        execution.lookahead.as_secs_f64() * 1e3
    );
    for (processors, longest) in PROCESSORS.iter().zip(scaling.longest) {
        text += &format!("{processors:>3} processors: {:.2}\n", events as f64 / longest as f64);
    }
    Ok(text)
}
