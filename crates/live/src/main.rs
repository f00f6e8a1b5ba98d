//! `eddyline-live`: reads a scenario, runs it over an emulated path, writes the result.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    eddyline_live::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("error: world kernel needs Linux\nremedy: run on Linux");
    ExitCode::from(3)
}
