//! Packet logs as readable text.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use eddyline_sim::{LogEvent, PacketLog};

use crate::names::Names;

/// A file with a line per event: time, event, packet, source, link, sequence number, bytes, `R` for a retransmission.
#[derive(Debug)]
pub(crate) struct PacketText {
    out: BufWriter<File>,
}

impl PacketText {
    /// A file with the heading alone.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        writeln!(out, "# time_s event packet source link seq bytes")?;
        Ok(Self { out })
    }

    /// Writes the next rows, of entities called `names`.
    pub(crate) fn append(&mut self, log: &PacketLog, names: &Names) -> io::Result<()> {
        for i in 0..log.time_s.len() {
            let event = LogEvent::NAMES[usize::from(log.event[i])];
            let packet = PacketLog::PACKETS[usize::from(log.packet[i])];
            let source = names.sources.get(log.source[i] as usize).map_or("-", String::as_str);
            let link = names.links.get(log.link[i] as usize).map_or("-", String::as_str);
            let retransmission = if log.retransmission[i] { " R" } else { "" };
            writeln!(
                self.out,
                "{:.9} {event:<7} {packet:<7} {source:?} {link:?} {} {}{retransmission}",
                log.time_s[i], log.seq[i], log.bytes[i]
            )?;
        }
        Ok(())
    }

    /// Writes what is still buffered.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}
