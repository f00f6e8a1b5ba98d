//! The command line.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus};

use eddyline_scenario::series::Series;
use eddyline_scenario::{Format, Input, Network, Vocabulary};
use nix::sys::prctl;
use nix::sys::signal::Signal;

use crate::error::LiveError;
use crate::init::{self, BootArguments};
use crate::run::{Options, run};
use crate::{build_kernel, shell, virtual_clock};

const USAGE: &str = "\
usage: eddyline-live [--folder DIR] [--series FILE] [SCENARIO.json]

Runs a scenario over an emulated path with the TCP of this machine's kernel and prints the result as JSON.
The scenario is read from standard input unless a file is named.

  --folder DIR   base of relative paths in the scenario
  --series FILE  write series over time to FILE, as JSON columns
  --pcap DIR     write captures of the two hosts' interfaces to DIR
  --watch FILE   write what flows and links are doing to FILE during the run, as lines of JSON; not in virtual time
  --virtual      run in a user-mode Linux whose clock jumps, in place of this machine's kernel
  --shell END -- PROGRAM ...
                 run no flows, but a program at the receiver's or the sender's end of the first flow
  --attached     end when the process ends that started this one
  --build-kernel [FILE]
                 build the user-mode Linux of --virtual
  --clean        remove what runs that were killed have left, and print what it was
  --features     print the optional features of this build, one a line
  --version      print the version

Exit: 0 done, 1 failed, 2 wrong input, 3 this machine cannot run it.
";

/// Runs the command that the process was started with.
#[must_use]
pub fn main() -> ExitCode {
    match command(std::env::args().skip(1).collect()) {
        Ok(code) => code,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(e.exit_code())
        }
    }
}

/// Arguments of a run.
#[derive(Debug, Default)]
pub struct Arguments {
    /// Base of relative paths.
    pub folder: Option<PathBuf>,
    /// File of the series.
    pub series: Option<PathBuf>,
    /// Folder of captures.
    pub pcap: Option<PathBuf>,
    /// The scenario; standard input if there is none.
    pub file: Option<PathBuf>,
    /// The clock jumps.
    pub is_virtual: bool,
    /// File for what flows and links are doing.
    pub watch: Option<PathBuf>,
    /// Rate, delay and queue are not checked before the run.
    pub unchecked: bool,
    /// Run a program at the sender's end, or the receiver's.
    pub shell: Option<bool>,
    /// That program.
    pub program: Vec<String>,
}

fn command(arguments: Vec<String>) -> Result<ExitCode, LiveError> {
    let wrong = |what: String| LiveError::Input(format!("{what}\n{USAGE}"));
    let mut given = Arguments::default();
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().map(PathBuf::from).ok_or_else(|| wrong(format!("{argument}: no value")));
        match argument.as_str() {
            "--help" | "-h" => return print(USAGE),
            "--version" => return print(concat!("eddyline-live ", env!("CARGO_PKG_VERSION"), "\n")),
            "--clean" => {
                let removed = virtual_clock::clean();
                return print(&removed.iter().map(|path| format!("{}\n", path.display())).collect::<String>());
            }
            "--features" => return print(if cfg!(feature = "bpf") { "bpf\n" } else { "" }),
            "--attached" => prctl::set_pdeathsig(Signal::SIGKILL).map_err(|e| LiveError::Failed(e.to_string()))?,
            shell::PROGRAM => return shell::become_program(&rest.collect::<Vec<_>>()).map(|()| ExitCode::SUCCESS),
            "--folder" => given.folder = Some(value()?),
            "--virtual" => given.is_virtual = true,
            "--shell" => given.shell = Some(value()?.as_os_str() == "sender"),
            "--" => given.program = rest.by_ref().collect(),
            "--build-kernel" => {
                let status = build_kernel::run(&rest.collect::<Vec<_>>())?;
                return Ok(exit_code(status));
            }
            "--boot" => return virtual_clock::boot(&rest.collect::<Vec<_>>()).map(|()| ExitCode::SUCCESS),
            "--init" => {
                init::main(&boot_arguments(&mut rest).ok_or_else(|| wrong("--init: four values".to_owned()))?);
                return Ok(ExitCode::SUCCESS);
            }
            "--watch" => given.watch = Some(value()?),
            "--pcap" => given.pcap = Some(value()?),
            "--series" => given.series = Some(value()?),
            option if option.starts_with('-') => return Err(wrong(format!("{option}: no such option"))),
            file => given.file = Some(file.into()),
        }
    }
    if let Some(at_sender) = given.shell {
        if given.program.is_empty() {
            return Err(wrong("--shell: no program".to_owned()));
        }
        let status = shell::run(load(&given, &read(&given)?)?, at_sender, &given.program)?;
        return Ok(exit_code(status));
    }
    print(&execute(&given)?)
}

/// A program's exit code as ours; of one that a signal ended, 128 and the signal's number, as in shells.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|number| 128 + number));
    code.and_then(|c| u8::try_from(c).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// The network of the scenario in `text`.
fn load(given: &Arguments, text: &str) -> Result<Network, LiveError> {
    let name = given.file.as_ref().map_or_else(|| "scenario".to_owned(), |f| f.display().to_string());
    let input = Input { text, format: Format::Json, name: &name, folder: given.folder.as_deref() };
    // flows over QUIC may have the stack's own controllers
    let vocabulary = Vocabulary::new(eddyline_quic_host::kinds()).map_err(|e| LiveError::Failed(e.to_string()))?;
    let scenario =
        eddyline_scenario::load_with(&vocabulary, &input, &[]).map_err(|e| LiveError::Input(e.to_string()))?;
    Ok(scenario.network)
}

/// The arguments of the first process, which the kernel hands on from its command line.
fn boot_arguments(rest: &mut impl Iterator<Item = String>) -> Option<BootArguments> {
    let (work, folder) = (rest.next()?, rest.next()?);
    Some(BootArguments { work, folder, series: rest.next()? == "1", pcap: rest.next()? == "1" })
}

/// Runs what the arguments ask for and returns the result document.
///
/// # Errors
/// It cannot be run.
pub fn execute(given: &Arguments) -> Result<String, LiveError> {
    let text = read(given)?;
    if given.is_virtual {
        return virtual_clock::run(&text, given);
    }
    let options = Options {
        series: given.series.is_some(),
        pcap: given.pcap.clone(),
        check: !given.unchecked,
        watch: given.watch.clone(),
    };
    let outcome = run(load(given, &text)?, &options)?;
    if let (Some(file), Some(series)) = (&given.series, &outcome.series) {
        std::fs::write(file, columns(series)).map_err(|e| LiveError::Failed(format!("{}: {e}", file.display())))?;
    }
    serde_json::to_string_pretty(&outcome.result).map_err(|e| LiveError::Failed(e.to_string()))
}

fn read(given: &Arguments) -> Result<String, LiveError> {
    match &given.file {
        Some(file) => std::fs::read_to_string(file).map_err(|e| LiveError::Input(format!("{}: {e}", file.display()))),
        None => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map_err(|e| LiveError::Input(format!("standard input: {e}")))?;
            Ok(text)
        }
    }
}

fn print(text: &str) -> Result<ExitCode, LiveError> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map(|()| ExitCode::SUCCESS)
        .map_err(|e| LiveError::Failed(format!("standard output: {e}")))
}

fn columns(series: &Series) -> String {
    serde_json::json!({
        "time_s": series.time_s, "kind": series.kind, "entity": series.entity, "quantity": series.quantity, "value": series.value,
    })
    .to_string()
}
