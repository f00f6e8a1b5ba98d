//! Runs a scenario whose flows may use `aimd` and prints the result, as `eddyline run FILE --json` does.
//!
//! ```sh
//! cargo run -p eddyline-example-controller -- examples/rust-controller/aimd.toml flow.ours.controller.decrease=0.8
//! ```

#![forbid(unsafe_code)]

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use eddyline_scenario::{Vocabulary, load_file_with};
use eddyline_sim::Options;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: SCENARIO.toml [KEY=VALUE]...")?;
    let pair = |text: String| text.split_once('=').map(|(k, v)| (k.to_owned(), v.to_owned())).ok_or("not KEY=VALUE");
    let overrides = arguments.map(pair).collect::<Result<Vec<_>, _>>()?;
    let vocabulary = Vocabulary::new(vec![eddyline_example_controller::aimd()])?;
    let scenario = load_file_with(&vocabulary, Path::new(&file), &overrides)?;
    let outcome = eddyline_sim::run(&scenario.network, &Options::default(), &mut |_| ControlFlow::Continue(()))?;
    println!("{}", serde_json::to_string_pretty(&outcome.result)?);
    Ok(())
}
