//! The two files of a run.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

use eddyline_units::Time;

use crate::Writer;

/// Captures on the interfaces of both hosts.
#[derive(Debug)]
pub struct Capture {
    hosts: [Writer<BufWriter<File>>; 2],
}

impl Capture {
    /// Names of the files.
    pub const FILES: [&'static str; 2] = ["host-1.pcapng", "host-2.pcapng"];

    /// Files in `folder`, which is made if it is not there.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn create(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let file = |host: usize| {
            let out = BufWriter::with_capacity(1 << 18, File::create(folder.join(Self::FILES[host]))?);
            Writer::new(out, &format!("host {}", host + 1))
        };
        Ok(Self { hosts: [file(0)?, file(1)?] })
    }

    /// A packet that leaves or reaches host 0 or 1.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn packet(&mut self, host: usize, at: Time, bytes: &[u8], length: u32) -> io::Result<()> {
        self.hosts[host].packet(at, bytes, length)
    }

    /// Writes what is still buffered.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self) -> io::Result<()> {
        let [first, second] = self.hosts;
        first.finish()?;
        second.finish()
    }
}
