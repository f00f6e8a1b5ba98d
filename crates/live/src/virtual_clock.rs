//! Runs in virtual time: the same program in a user-mode Linux whose clock jumps.
//!
//! Computing takes none of its time, and its clock jumps to the next timer when it sleeps (`time-travel=inf-cpu`). So a run takes as
//! long as it computes, and a busy machine does not change its result. It needs no privileges, and sees a root of
//! its own, read-only, with this program and its libraries, a folder for the run, and the scenario's folder, read-only.

use std::env;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use eddyline_scenario::result::{Cost, RunResult};
use nix::sys::personality::{self, Persona};
use nix::sys::prctl;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid, mkdtemp};

use crate::command::Arguments;
use crate::error::LiveError;
use crate::init;

/// Environment variable that names the kernel.
const KERNEL: &str = "EDDYLINE_LINUX";
/// Memory of the user-mode Linux. Only what it uses is taken.
const MEMORY: &str = "mem=1G";
/// Folders for runs begin with this; the number of the process follows, and six random characters.
const FOLDER_PREFIX: &str = "eddyline-virtual-";
/// Lines of the kernel's log in an error message.
const LOG_LINES: usize = 5;

/// The user-mode Linux: named by the variable, or where `build-kernel` puts it.
fn kernel() -> Result<PathBuf, LiveError> {
    let cached = || {
        let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        Some(cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")))?.join("eddyline/linux"))
    };
    let named = env::var_os(KERNEL).map(PathBuf::from).or_else(cached);
    named.filter(|path| path.is_file()).ok_or_else(|| LiveError::Unavailable {
        reason: "no user-mode Linux for virtual time was found".to_owned(),
        remedy: format!("eddyline live build-kernel (ten minutes), or name it in {KERNEL}"),
    })
}

/// Runs the scenario in `text` and returns the result document.
///
/// # Errors
/// There is no kernel, or the run fails.
pub fn run(text: &str, given: &Arguments) -> Result<String, LiveError> {
    let began = Instant::now();
    let kernel = kernel()?;
    let run_folder = RunFolder::create()?;
    let work = run_folder.0.join("work");
    let failed = |e: std::io::Error| LiveError::call("virtual time", e);
    fs::write(work.join(init::SCENARIO), text).map_err(failed)?;
    let log = File::create(work.join("log")).map_err(failed)?;
    let folder = given.folder.clone().unwrap_or_else(|| ".".into()).canonicalize().map_err(failed)?;
    let mut boot = Command::new(env::current_exe().map_err(failed)?);
    // the kernel's command line would split a path at a space
    std::os::unix::fs::symlink(&folder, run_folder.0.join("folder")).map_err(failed)?;
    boot.arg("--boot").arg(&kernel).arg(&run_folder.0);
    boot.args([given.series.is_some(), given.pcap.is_some()].map(|on| if on { "1" } else { "0" }));
    let status = boot.stdin(Stdio::null()).stdout(log).stderr(Stdio::null()).status().map_err(failed)?;
    if let Ok(error) = fs::read_to_string(work.join(init::ERROR)) {
        return Err(LiveError::reported(&error));
    }
    let Ok(result) = fs::read_to_string(work.join(init::RESULT)) else {
        return Err(LiveError::Failed(format!("the user-mode Linux gave no result ({status}): {}", run_folder.log())));
    };
    for (wanted, made) in [(&given.series, init::SERIES), (&given.pcap, init::CAPTURES)] {
        if let Some(wanted) = wanted {
            copy(&work.join(made), wanted).map_err(failed)?;
        }
    }
    let mut result: RunResult = serde_json::from_str(&result).map_err(|e| LiveError::call("result", e))?;
    let used = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| LiveError::call("getrusage", e))?;
    let cpu_s = [used.user_time(), used.system_time()].map(|t| t.tv_sec() as f64 + t.tv_usec() as f64 * 1e-6);
    result.cost = Cost { cpu_s: cpu_s.iter().sum(), wall_s: began.elapsed().as_secs_f64() };
    serde_json::to_string_pretty(&result).map_err(|e| LiveError::Failed(e.to_string()))
}

/// Becomes the kernel that boots; it ends with the process that started it.
///
/// # Errors
/// It cannot be started.
pub fn boot(arguments: &[String]) -> Result<(), LiveError> {
    let [kernel, run_folder, series, pcap] = arguments else {
        return Err(LiveError::Input("--boot: four values".to_owned()));
    };
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(|e| LiveError::call("prctl", e))?;
    // addresses of a process are a source of randomness
    let persona = personality::get().map_err(|e| LiveError::call("personality", e))?;
    personality::set(persona | Persona::ADDR_NO_RANDOMIZE).map_err(|e| LiveError::call("personality", e))?;
    let error = Command::new(kernel)
        .args([MEMORY, "time-travel=inf-cpu", "root=/dev/root", "rootfstype=hostfs", "ro", "panic=-1"])
        .args(["con=null", "con0=null,fd:1", "quiet", "init=/eddyline-live"])
        .arg(format!("rootflags={run_folder}/root"))
        .arg(format!("uml_dir={run_folder}/uml"))
        .args(["--", "--init", &format!("{run_folder}/work"), &format!("{run_folder}/folder"), series, pcap])
        .env_clear()
        .env("EDDYLINE_SEED", "1")
        .env("TMPDIR", "/dev/shm")
        .exec();
    Err(LiveError::call(kernel, error))
}

/// A temporary folder: `root`, which it sees as its root, `work` for the run, and `folder`, a link to the scenario's.
struct RunFolder(PathBuf);

impl RunFolder {
    fn create() -> Result<Self, LiveError> {
        let base = env::temp_dir();
        if base.to_string_lossy().contains(char::is_whitespace) {
            let reason =
                format!("virtual time: the folder for temporary files, {}, has a space in its name", base.display());
            return Err(LiveError::Unavailable { reason, remedy: "TMPDIR=/tmp".to_owned() });
        }
        let _ = remove_abandoned(&base);
        // with a name that nobody can guess, and for this user only
        let template = base.join(format!("{FOLDER_PREFIX}{}-XXXXXX", std::process::id()));
        let run_folder = Self(mkdtemp(&template).map_err(|e| LiveError::call("folder of the run", e))?);
        run_folder.fill().map_err(|e| LiveError::call("folder of the run", e))?;
        Ok(run_folder)
    }

    fn fill(&self) -> std::io::Result<()> {
        let root = self.0.join("root");
        for folder in
            ["root/lib", "root/lib64", "root/proc", "root/sys", "root/dev", "root/work", "root/folder", "work", "uml"]
        {
            fs::create_dir_all(self.0.join(folder))?;
        }
        fs::copy(env::current_exe()?, root.join("eddyline-live"))?;
        for (name, library) in libraries()? {
            let folder = if name.starts_with("ld-linux") { "lib64" } else { "lib" };
            fs::copy(&library, root.join(folder).join(name))?;
        }
        Ok(())
    }

    /// The end of the kernel's log.
    fn log(&self) -> String {
        let text = fs::read(self.0.join("work/log")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(LOG_LINES)..].join("; ")
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // what cannot be removed stays in the folder for temporary files
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Kills what is left of a user-mode Linux: a process that it was tracing as it was killed stays stopped.
fn kill_abandoned(run_folder: &Path) {
    let mark = format!("rootflags={}/root", run_folder.display());
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if let (Some(pid), true) = (pid, command.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

/// Removes what runs in virtual time left that were killed: folders, and processes of their kernel. The next run does so too.
///
/// Runs in real time leave nothing: namespaces, devices and programs end with their process.
#[must_use]
pub fn clean() -> Vec<PathBuf> {
    remove_abandoned(&env::temp_dir())
}

/// Removes folders of processes that were killed; another user's stay. Returns those that are gone.
fn remove_abandoned(base: &Path) -> Vec<PathBuf> {
    let mut removed = Vec::new();
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let own = entry.metadata().is_ok_and(|m| m.is_dir() && m.uid() == geteuid().as_raw());
        if own && entry.file_name().to_str().and_then(process_of).is_some_and(has_ended) {
            kill_abandoned(&entry.path());
            if fs::remove_dir_all(entry.path()).is_ok() {
                removed.push(entry.path());
            }
        }
    }
    removed
}

/// The process whose folder has this name.
fn process_of(name: &str) -> Option<u32> {
    name.strip_prefix(FOLDER_PREFIX)?.split('-').next()?.parse().ok()
}

fn has_ended(process: u32) -> bool {
    !Path::new("/proc").join(process.to_string()).exists()
}

/// The libraries of this process, under all names that their folders have for them: the linker looks for one, the process maps another.
fn libraries() -> std::io::Result<Vec<(String, PathBuf)>> {
    let maps = fs::read_to_string("/proc/self/maps")?;
    let mapped = maps.lines().filter_map(|line| line.split_whitespace().nth(5)).filter(|path| path.contains(".so"));
    let mut files: Vec<&Path> = mapped.map(Path::new).collect();
    files.sort();
    files.dedup();
    let mut named = Vec::new();
    for file in files {
        let Some(folder) = file.parent() else { continue };
        for entry in fs::read_dir(folder)? {
            let (path, name) = entry.map(|e| (e.path(), e.file_name()))?;
            let same = fs::canonicalize(&path).is_ok_and(|real| real == file);
            if let (true, Some(name)) = (same, name.to_str()) {
                named.push((name.to_owned(), file.to_owned()));
            }
        }
    }
    Ok(named)
}

/// Copies a file, or a folder's files.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}
