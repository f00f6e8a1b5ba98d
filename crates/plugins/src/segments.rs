//! Whether the file of a library has all of its segments. A loader maps them without a look at the file's length, and the process dies of
//! a signal where it reads what is missing.

use object::{FileKind, Object as _, ObjectSegment as _};

/// Why `file` is no whole library. The operating system's loader refuses what is no library at all.
pub(crate) fn require_whole(file: &[u8]) -> Result<(), String> {
    if FileKind::parse(file).is_err() {
        return Ok(());
    }
    let library = object::File::parse(file).map_err(|e| format!("it is damaged or cut short: {e}"))?;
    let ends = library.segments().map(|segment| {
        let (from, bytes) = segment.file_range();
        from.saturating_add(bytes)
    });
    let needed = ends.max().unwrap_or(0);
    if needed > file.len() as u64 {
        return Err(format!("it is cut short: {} bytes of at least {needed}", file.len()));
    }
    Ok(())
}
