//! Runs scenario files that name `aimd`, and prints the result document: what `eddyline run FILE --json` does without it.
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
    let mut words = std::env::args().skip(1);
    let file = words.next().ok_or("which scenario? SCENARIO.toml [KEY=VALUE]...")?;
    let pair = |word: String| word.split_once('=').map(|(k, v)| (k.to_owned(), v.to_owned())).ok_or("KEY=VALUE");
    let overrides = words.map(pair).collect::<Result<Vec<_>, _>>()?;
    let vocabulary = Vocabulary::new(vec![eddyline_example_controller::aimd()])?;
    let scenario = load_file_with(&vocabulary, Path::new(&file), &overrides)?;
    let outcome = eddyline_sim::run(&scenario.network, &Options::default(), &mut |_| ControlFlow::Continue(()))?;
    println!("{}", serde_json::to_string_pretty(&outcome.result)?);
    Ok(())
}
