//! Files in pcapng format (draft-ietf-opsawg-pcapng): one section, one interface, packets in order of time.

use std::io::{self, Write};

use eddyline_units::Time;

use crate::SNAP;

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
/// Tells the byte order of the file.
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// Packets begin with an IPv4 or IPv6 header.
const LINK_TYPE_RAW: u16 = 101;
const OPTION_NAME: u16 = 2;
const OPTION_APPLICATION: u16 = 4;
const OPTION_RESOLUTION: u16 = 9;
/// Times are in units of 10 to the power of minus this, in seconds.
const NANOSECONDS: u8 = 9;

/// Writes the packets of one interface. Times count from the start of the run.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
}

impl<W: Write> Writer<W> {
    /// A file for an interface of this name.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(mut out: W, interface: &str) -> io::Result<Self> {
        let mut section = Vec::new();
        section.extend(BYTE_ORDER.to_le_bytes());
        // version 1.0, length not known
        section.extend([1, 0, 0, 0]);
        section.extend(u64::MAX.to_le_bytes());
        option(&mut section, OPTION_APPLICATION, concat!("eddyline ", env!("CARGO_PKG_VERSION")).as_bytes());
        option(&mut section, 0, &[]);
        block(&mut out, SECTION, &section)?;
        let mut described = Vec::new();
        described.extend(LINK_TYPE_RAW.to_le_bytes());
        described.extend([0, 0]);
        described.extend((SNAP as u32).to_le_bytes());
        option(&mut described, OPTION_NAME, interface.as_bytes());
        option(&mut described, OPTION_RESOLUTION, &[NANOSECONDS]);
        option(&mut described, 0, &[]);
        block(&mut out, INTERFACE, &described)?;
        Ok(Self { out })
    }

    /// A packet: its first bytes, at most [`SNAP`], and its length.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn packet(&mut self, at: Time, bytes: &[u8], length: u32) -> io::Result<()> {
        let kept = &bytes[..bytes.len().min(SNAP)];
        let time = at.as_ps() / 1_000;
        let mut body = Vec::with_capacity(20 + SNAP);
        body.extend(0u32.to_le_bytes());
        body.extend(((time >> 32) as u32).to_le_bytes());
        body.extend((time as u32).to_le_bytes());
        body.extend((kept.len() as u32).to_le_bytes());
        body.extend(length.to_le_bytes());
        body.extend(kept);
        block(&mut self.out, PACKET, &body)
    }

    /// Writes what is still buffered.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A block: type, length, body padded to four bytes, length.
fn block(out: &mut impl Write, kind: u32, body: &[u8]) -> io::Result<()> {
    let padded = body.len().next_multiple_of(4);
    let total = (12 + padded as u32).to_le_bytes();
    out.write_all(&kind.to_le_bytes())?;
    out.write_all(&total)?;
    out.write_all(body)?;
    out.write_all(&[0; 3][..padded - body.len()])?;
    out.write_all(&total)
}

fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    body.resize(body.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_whole_and_times_in_nanoseconds() {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, "host 1").expect("memory");
        writer.packet(Time::from_ps(5_000_000_000_007_000), &[0x45; 200], 1_500).expect("memory");
        writer.finish().expect("memory");
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let (mut at, mut kinds) = (0, Vec::new());
        while at < bytes.len() {
            let length = word(at + 4) as usize;
            assert_eq!(length % 4, 0);
            assert_eq!(word(at + length - 4) as usize, length, "the length stands at both ends");
            kinds.push(word(at));
            if word(at) == PACKET {
                let time = u64::from(word(at + 12)) << 32 | u64::from(word(at + 16));
                assert_eq!(time, 5_000_000_000_007);
                assert_eq!((word(at + 20), word(at + 24)), (SNAP as u32, 1_500));
            }
            at += length;
        }
        assert_eq!(kinds, [SECTION, INTERFACE, PACKET]);
    }
}
