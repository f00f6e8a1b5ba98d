//! Where the files that a scenario refers to are read.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum size of a file.
pub(crate) const MAX_BYTES: u64 = 256 << 20;

/// Reads files by path, as text.
pub trait Files {
    /// The content of the file.
    ///
    /// # Errors
    /// A message that names the file.
    fn read(&self, path: &Path) -> Result<String, String>;
}

/// The file system.
#[derive(Debug, Clone, Copy)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> Result<String, String> {
        let cannot = |why: String| format!("cannot read {}: {why}", path.display());
        let about = fs::metadata(path).map_err(|e| cannot(e.to_string()))?;
        if !about.is_file() {
            return Err(cannot("not a file".to_owned()));
        }
        if about.len() > MAX_BYTES {
            return Err(cannot(format!("larger than {} MiB", MAX_BYTES >> 20)));
        }
        fs::read_to_string(path).map_err(|e| cannot(e.to_string()))
    }
}

/// The file system, where copies are read instead of some files, by path.
#[derive(Debug, Clone, Default)]
pub struct Copies(pub HashMap<PathBuf, PathBuf>);

impl Files for Copies {
    fn read(&self, path: &Path) -> Result<String, String> {
        Disk.read(self.0.get(path).map_or(path, PathBuf::as_path))
    }
}
