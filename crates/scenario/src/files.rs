//! Where the files that a scenario refers to are read.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum size of a file.
pub(crate) const MAX_BYTES: u64 = 256 << 20;

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// What is wrong, with the name of the file.
    pub message: String,
    /// What to do.
    pub hint: &'static str,
    /// Whether it is a capture of packets, which each key has its own way with.
    pub is_capture: bool,
}

impl Unreadable {
    /// A file that is not there, or not to be read.
    #[must_use]
    pub fn new(path: &Path, why: &str) -> Self {
        Self { message: format!("cannot read {}: {why}", path.display()), hint: RELATIVE, is_capture: false }
    }
}

const RELATIVE: &str = "relative paths start at the scenario's folder";

/// What gzip, xz, zstd, bzip2 and zip files begin with.
const COMPRESSED: [&[u8]; 5] = [b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"BZh", b"PK\x03\x04"];

/// First bytes of captures: pcap with microseconds and nanoseconds in both byte orders, pcapng.
const CAPTURES: [&[u8]; 5] =
    [b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\n\r\r\n"];

/// Reads files by path, as text.
pub trait Files {
    /// The content of the file.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn read(&self, path: &Path) -> Result<String, Unreadable>;
}

/// The file system.
#[derive(Debug, Clone, Copy)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> Result<String, Unreadable> {
        let about = fs::metadata(path).map_err(|e| Unreadable::new(path, &e.to_string()))?;
        if !about.is_file() {
            return Err(Unreadable::new(path, "not a file"));
        }
        if about.len() > MAX_BYTES {
            return Err(Unreadable::new(path, &format!("larger than {} MiB", MAX_BYTES >> 20)));
        }
        let bytes = fs::read(path).map_err(|e| Unreadable::new(path, &e.to_string()))?;
        if CAPTURES.iter().any(|start| bytes.starts_with(start)) {
            let error = Unreadable::new(path, "a capture of packets, not a text");
            return Err(Unreadable { is_capture: true, ..error });
        }
        String::from_utf8(bytes).map_err(|e| {
            let valid = &e.as_bytes()[..e.utf8_error().valid_up_to()];
            let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
            let compressed = COMPRESSED.iter().any(|start| e.as_bytes().starts_with(start));
            let hint = if compressed { "it is compressed: decompress it first" } else { "save it as UTF-8" };
            Unreadable { hint, ..Unreadable::new(path, &format!("line {line} is not UTF-8")) }
        })
    }
}

/// The file system, where copies are read instead of some files, by path.
#[derive(Debug, Clone, Default)]
pub struct Copies(pub HashMap<PathBuf, PathBuf>);

impl Files for Copies {
    fn read(&self, path: &Path) -> Result<String, Unreadable> {
        Disk.read(self.0.get(path).map_or(path, PathBuf::as_path))
    }
}
