//! Builds the user-mode Linux of virtual time: this executable carries the script and the sources that it needs.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus};

use nix::unistd::mkdtemp;

use crate::error::LiveError;

/// Files by their place in the tree.
const FILES: [(&str, &str); 8] = [
    ("uml/build-kernel", include_str!("../uml/build-kernel")),
    ("uml/kernel.config", include_str!("../uml/kernel.config")),
    ("uml/seeded_random.h", include_str!("../uml/seeded_random.h")),
    ("uml/tcp_eddyline.c", include_str!("../uml/tcp_eddyline.c")),
    ("bpf/window_law.h", include_str!("../bpf/window_law.h")),
    ("bpf/clock_drift.h", include_str!("../bpf/clock_drift.h")),
    ("bpf/delay.h", include_str!("../bpf/delay.h")),
    ("bpf/options.h", include_str!("../bpf/options.h")),
];

/// Runs the script with these arguments; it says what it does on standard error and prints where the kernel is.
///
/// # Errors
/// The sources cannot be written, or the script cannot be started.
pub fn run(arguments: &[String]) -> Result<ExitStatus, LiveError> {
    let failed = |e: std::io::Error| LiveError::call("build-kernel", e);
    let place = mkdtemp(&std::env::temp_dir().join("eddyline-build-XXXXXX")).map_err(|e| failed(e.into()))?;
    let built = write(&place)
        .and_then(|()| Command::new("sh").arg(place.join(FILES[0].0)).args(arguments).status())
        .map_err(failed);
    // what is left is in the folder for temporary files
    let _ = fs::remove_dir_all(&place);
    built
}

fn write(place: &Path) -> std::io::Result<()> {
    for (name, text) in FILES {
        let file = place.join(name);
        file.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(file, text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the C sources include of ours is among the files.
    #[test]
    fn the_sources_are_complete() {
        for (name, text) in FILES.iter().filter(|(name, _)| name.ends_with(['c', 'h'])) {
            for line in text.lines().filter_map(|l| l.strip_prefix("#include \"")) {
                let wanted = line.trim_end_matches('"');
                assert!(FILES.iter().any(|(n, _)| n.ends_with(&format!("/{wanted}"))), "{name} includes {wanted}");
            }
        }
    }
}
