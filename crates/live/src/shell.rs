//! A program at one end of the path of the first flow, in place of flows: what it sends to the other end crosses the path.

use std::io::IsTerminal as _;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use eddyline_capture::address;
use eddyline_scenario::Network;
use eddyline_units::Time;
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};

use crate::approximations;
use crate::clock::Clock;
use crate::emulator::{self, Shared};
use crate::error::LiveError;
use crate::host::{self, Host};
use crate::placement::Placement;
use crate::run::start_lanes;
use crate::trust::{Faults, judge};

/// The end of a path that has no end.
const FOREVER: Time = Time::from_ms(100 * 24 * 3_600 * 1_000);

/// The option of [`become_program`].
pub const PROGRAM: &str = "--program";

/// Becomes the program, which is told to end when the process ends that started this one: as by a terminal that closes, or where
/// there is none by SIGTERM, since `nohup` ignores the other.
///
/// # Errors
/// It cannot be started.
pub fn become_program(program: &[String]) -> Result<(), LiveError> {
    let [name, arguments @ ..] = program else { return Err(LiveError::Input(format!("{PROGRAM}: no program"))) };
    let ended = if std::io::stdin().is_terminal() { Signal::SIGHUP } else { Signal::SIGTERM };
    prctl::set_pdeathsig(ended).map_err(|e| LiveError::call("prctl", e))?;
    of_the_program().thread_unblock().map_err(|e| LiveError::call("sigprocmask", e))?;
    Err(LiveError::call(name, Command::new(name).args(arguments).exec()))
}

/// Signals of a terminal, which the program has as well: it is what ends.
fn of_the_program() -> SigSet {
    SigSet::from_iter([Signal::SIGINT, Signal::SIGQUIT])
}

/// Runs `program` at the receiver's end of the first flow, or at the sender's.
///
/// # Errors
/// This machine cannot, or the program cannot be started.
pub fn run(mut network: Network, at_sender: bool, program: &[String]) -> Result<ExitStatus, LiveError> {
    approximations::check_path(&network)?;
    // before there are threads, which inherit it
    of_the_program().thread_block().map_err(|e| LiveError::call("sigprocmask", e))?;
    host::become_root()?;
    network.duration = FOREVER;
    let placement = Placement::of(&network);
    let network = Arc::new(network);
    let create = |number| Host::create(&network, number, &placement.sender);
    let hosts = [create(0)?, create(1)?];
    let Some(sender) = placement.sender.first().copied() else {
        return Err(LiveError::Input("the path is that of the first flow, and there is none".to_owned()));
    };
    let here = if at_sender { sender } else { 1 - sender };
    let shared = Arc::new(Shared {
        routes: emulator::routes(&network, &placement),
        held: emulator::empty(&network),
        placement,
        hosts,
        clock: Clock::starting_in(std::time::Duration::ZERO),
        series: None,
        capture: false,
        any_packet: true,
        stopped: AtomicBool::new(false),
        network: Arc::clone(&network),
    });
    let lanes = start_lanes(&shared)?;
    let (own, other) = (&shared.hosts[here].namespace, &shared.hosts[1 - here].namespace);
    let enter = format!("/proc/{}/fd/{}", std::process::id(), other.file().as_raw_fd());
    let started = thread::scope(|scope| {
        // a child is in the namespace of the thread that starts it
        let child = scope.spawn(|| {
            own.enter()?;
            let mut command = Command::new("/proc/self/exe");
            command.arg(PROGRAM).args(program);
            command.env("EDDYLINE_HERE", address(here, 0).to_string());
            command.env("EDDYLINE_THERE", address(1 - here, 0).to_string());
            command.env("EDDYLINE_THERE_NET", &enter);
            command.status().map_err(|e| LiveError::call("/proc/self/exe", e))
        });
        child.join().unwrap_or_else(|_| Err(LiveError::Failed("the program's thread panicked".to_owned())))
    });
    let ended = shared.clock.now();
    shared.stopped.store(true, Ordering::Relaxed);
    let mut faults = Faults::default();
    for lane in lanes {
        // a device that failed has failed the program as well
        let Ok(Ok((report, _))) = lane.join() else { continue };
        faults.add(&report);
    }
    for host in &shared.hosts {
        // what a program does not read is its own affair
        faults.device_drops += host.drops()?.0;
    }
    warn(&network, ended, &faults);
    started
}

/// Says so where the path was not what it should have been.
fn warn(network: &Network, ended: Time, faults: &Faults) {
    let lasted = Network { duration: ended, warmup: Time::ZERO, ..network.clone() };
    let because = judge(&lasted, faults).because;
    if !because.is_empty() {
        eprintln!("warning: this path cannot be trusted: {}", because.join("; "));
    }
}
