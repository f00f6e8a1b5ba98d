//! The first process of a user-mode Linux: it prepares the little that a run needs, runs, and switches the machine off.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use nix::mount::{MsFlags, mount};
use nix::sys::reboot::{RebootMode, reboot};
use nix::sys::stat::{Mode, SFlag, makedev, mknod};

use crate::command::{Arguments, execute};
use crate::error::LiveError;

/// The run's own folder of the host, with what goes in and comes out.
pub const WORK: &str = "/work";
/// Base of relative paths in the scenario.
pub const FOLDER: &str = "/folder";
/// Names of files in [`WORK`].
pub const SCENARIO: &str = "scenario.json";
/// The result.
pub const RESULT: &str = "result.json";
/// The series, as JSON columns.
pub const SERIES: &str = "series.json";
/// Folder of captures.
pub const CAPTURES: &str = "captures";
/// Exit code and message.
pub const ERROR: &str = "error.txt";

/// What the arguments of the first process say.
#[derive(Debug, Clone, Default)]
pub struct BootArguments {
    /// The host's folder for [`WORK`].
    pub work: String,
    /// The host's folder for [`FOLDER`].
    pub folder: String,
    /// Record series.
    pub series: bool,
    /// Capture packets.
    pub pcap: bool,
}

/// Runs and switches off.
pub fn main(boot: &BootArguments) {
    if let Err(e) = prepare(boot).and_then(|()| run(boot)) {
        let _ = fs::write(Path::new(WORK).join(ERROR), format!("{}\n{e}", e.exit_code()));
    }
    // a kernel that cannot be switched off has nothing left to do either
    let _ = reboot(RebootMode::RB_POWER_OFF);
}

fn prepare(boot: &BootArguments) -> Result<(), LiveError> {
    let attach = |what: &'static str, at: &'static str, kind: &str, flags, data: &str| {
        mount(Some(what), at, Some(kind), flags, Some(data)).map_err(|e| LiveError::call(at, e))
    };
    attach("work", WORK, "hostfs", MsFlags::empty(), &boot.work)?;
    attach("folder", FOLDER, "hostfs", MsFlags::MS_RDONLY, &boot.folder)?;
    attach("proc", "/proc", "proc", MsFlags::empty(), "")?;
    attach("sysfs", "/sys", "sysfs", MsFlags::empty(), "")?;
    attach("dev", "/dev", "tmpfs", MsFlags::empty(), "")?;
    fs::DirBuilder::new().mode(0o755).create("/dev/net").map_err(|e| LiveError::call("/dev/net", e))?;
    mknod("/dev/net/tun", SFlag::S_IFCHR, Mode::S_IRUSR | Mode::S_IWUSR, makedev(10, 200))
        .map_err(|e| LiveError::call("/dev/net/tun", e))
}

fn run(boot: &BootArguments) -> Result<(), LiveError> {
    let work = Path::new(WORK);
    let given = Arguments {
        folder: Some(FOLDER.into()),
        series: boot.series.then(|| work.join(SERIES)),
        pcap: boot.pcap.then(|| work.join(CAPTURES)),
        file: Some(work.join(SCENARIO)),
        // computing takes no time here
        unchecked: true,
        ..Arguments::default()
    };
    let json = execute(&given)?;
    fs::write(work.join(RESULT), json).map_err(|e| LiveError::call(RESULT, e))
}
