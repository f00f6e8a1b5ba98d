//! Network namespaces without names: the kernel removes them, and all that is in them, with the last process that uses them,
//! however that ends.

use std::fs::{self, File};
use std::os::fd::AsFd;
use std::sync::OnceLock;

use nix::errno::Errno;
use nix::sched::{CloneFlags, setns, unshare};
use nix::unistd::{getegid, geteuid};

use crate::error::LiveError;

/// The network namespace of the current thread.
const OF_THREAD: &str = "/proc/thread-self/ns/net";

/// Whether root started this process; in a user namespace everybody is.
static STARTED_BY_ROOT: OnceLock<bool> = OnceLock::new();

/// CAP_NET_ADMIN and CAP_SYS_ADMIN (`linux/capability.h`).
const NEEDED: u64 = 1 << 12 | 1 << 21;

/// Becomes root in a user namespace of our own, if we are not root, or one without capabilities, as in containers. Only a process with a
/// single thread may.
///
/// # Errors
/// Users may not have namespaces here.
pub fn become_root() -> Result<(), LiveError> {
    let (uid, gid) = (geteuid(), getegid());
    STARTED_BY_ROOT.get_or_init(|| uid.is_root());
    if uid.is_root() && is_capable() {
        return Ok(());
    }
    unshare(CloneFlags::CLONE_NEWUSER).map_err(|e| unavailable("user namespaces", e))?;
    let written = fs::write("/proc/self/setgroups", "deny")
        .and_then(|()| fs::write("/proc/self/uid_map", format!("0 {uid} 1")))
        .and_then(|()| fs::write("/proc/self/gid_map", format!("0 {gid} 1")));
    written.map_err(|e| unavailable("user namespaces", e))
}

/// Whether this process may have network namespaces and set them up.
fn is_capable() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    effective.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).is_none_or(|bits| bits & NEEDED == NEEDED)
}

fn unavailable(what: &str, error: impl std::fmt::Display) -> LiveError {
    LiveError::Unavailable { reason: format!("{what}: {error}"), remedy: privileges().to_owned() }
}

/// What to do where the system refuses.
#[must_use]
pub fn privileges() -> &'static str {
    if *STARTED_BY_ROOT.get_or_init(|| geteuid().is_root()) {
        "root lacks capabilities here: docker run --cap-add SYS_ADMIN --cap-add NET_ADMIN --device /dev/net/tun"
    } else {
        "run as root: sudo eddyline ... (for /dev/net/tun alone, chmod 666 does)"
    }
}

/// A network namespace.
#[derive(Debug)]
pub struct Namespace(File);

impl Namespace {
    /// Moves the current thread to a new namespace.
    ///
    /// # Errors
    /// This process may not have one.
    pub fn create() -> Result<Self, LiveError> {
        unshare(CloneFlags::CLONE_NEWNET).map_err(|e| match e {
            Errno::EPERM => unavailable("network namespaces", e),
            Errno::EINVAL => LiveError::Unavailable {
                reason: "this kernel has no network namespaces".to_owned(),
                remedy: "use a kernel built with CONFIG_NET_NS=y".to_owned(),
            },
            e => LiveError::call("network namespace", e),
        })?;
        File::open(OF_THREAD).map(Self).map_err(|e| LiveError::call(OF_THREAD, e))
    }

    /// The file that stands for it.
    #[must_use]
    pub const fn file(&self) -> &File {
        &self.0
    }

    /// Moves the current thread to it.
    ///
    /// # Errors
    /// The system refuses.
    pub fn enter(&self) -> Result<(), LiveError> {
        setns(self.0.as_fd(), CloneFlags::CLONE_NEWNET).map_err(|e| LiveError::call("network namespace", e))
    }
}

/// Sets a parameter of the current thread's network namespace.
///
/// # Errors
/// There is no such parameter, or it cannot be set.
pub fn set(parameter: &str, value: &str) -> Result<(), LiveError> {
    // the files of /proc/sys/net belong to the namespace of the thread that opens them
    fs::write(format!("/proc/sys/net/{parameter}"), value).map_err(|e| LiveError::call(parameter, e))
}
