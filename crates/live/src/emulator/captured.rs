//! Headers of packets at the two hosts, kept in memory during a run: the disk must not delay the emulator.

use std::io;
use std::path::Path;

use eddyline_capture::{Capture, SNAP};
use eddyline_units::Time;

/// Packets of a thread in order of time.
#[derive(Debug, Default)]
pub struct Captured {
    packets: Vec<(Time, u8, u16)>,
    bytes: Vec<u8>,
}

impl Captured {
    /// A packet leaves or reaches host 0 or 1.
    pub fn add(&mut self, host: usize, at: Time, packet: &[u8]) {
        self.packets.push((at, host as u8, packet.len() as u16));
        self.bytes.extend(&packet[..packet.len().min(SNAP)]);
    }

    /// Writes the packets of all threads in order of time.
    ///
    /// # Errors
    /// The files cannot be written.
    pub fn write(folder: &Path, threads: &[&Self]) -> io::Result<()> {
        let mut all = Vec::new();
        for thread in threads {
            let mut rest = &thread.bytes[..];
            for (at, host, length) in &thread.packets {
                let (bytes, after) = rest.split_at(usize::from(*length).min(SNAP));
                rest = after;
                all.push((*at, usize::from(*host), bytes, u32::from(*length)));
            }
        }
        all.sort_by_key(|(at, ..)| *at);
        let mut capture = Capture::create(folder)?;
        for (at, host, bytes, length) in all {
            capture.packet(host, at, bytes, length)?;
        }
        capture.finish()
    }
}
