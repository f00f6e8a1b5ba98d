//! What a packet of a flow is: TCP, or a QUIC packet in a UDP datagram.

use eddyline_path::Ecn;

use super::packet::{Header, ecn};

/// Bytes of a UDP header.
const UDP_HEADER: usize = 8;
/// The protocol number of UDP.
const UDP: u8 = 17;
/// The bit of a QUIC packet's first byte that packets of the handshake have set (RFC 9000, 17.2). It is not encrypted.
const LONG_HEADER: u8 = 0x80;

/// The version behind that byte whose types of packets are known here.
const VERSION: [u8; 4] = [0, 0, 0, 1];
/// The type that has a token before its length (RFC 9000, 17.2.2).
const INITIAL: u8 = 0;
/// The type that has no length (17.2.5).
const RETRY: u8 = 3;

/// A packet of either transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Of TCP.
    Tcp(Header),
    /// Of QUIC.
    Quic(Datagram),
}

/// What a datagram says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Datagram {
    /// Last two bytes of the source address.
    pub source: u16,
    /// Last two bytes of the destination address.
    pub destination: u16,
    /// Payload bytes.
    pub payload: u32,
    /// All its packets belong to the handshake: none is behind them in the same datagram (RFC 9000, 12.2) that may carry data.
    pub handshake: bool,
    /// The ECN field.
    pub ecn: Ecn,
}

impl Content {
    /// Reads a packet; `None` if it is not whole IPv4 with TCP or UDP.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        if *bytes.get(9)? == UDP { Datagram::read(bytes).map(Self::Quic) } else { Header::read(bytes).map(Self::Tcp) }
    }

    /// Last two bytes of source and destination address.
    #[must_use]
    pub const fn addresses(&self) -> (u16, u16) {
        match self {
            Self::Tcp(header) => (header.source, header.destination),
            Self::Quic(datagram) => (datagram.source, datagram.destination),
        }
    }

    /// It is a datagram.
    #[must_use]
    pub const fn is_quic(&self) -> bool {
        matches!(self, Self::Quic(_))
    }
}

impl Datagram {
    fn read(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
        let (version, ip) = (bytes.first()? >> 4, usize::from(bytes[0] & 15) * 4);
        let packets = bytes.get(ip + UDP_HEADER..).filter(|packets| !packets.is_empty())?;
        let payload = usize::from(word(2)?).checked_sub(ip + UDP_HEADER)?;
        (version == 4).then_some(Self {
            source: word(14)?,
            destination: word(18)?,
            payload: payload as u32,
            handshake: is_of_handshake(packets),
            ecn: ecn(bytes[1]),
        })
    }
}

/// Whether all QUIC packets of a datagram have long headers; one that cannot be read is the last. The fixed bit says nothing: it may be
/// greased (RFC 9287).
fn is_of_handshake(mut packets: &[u8]) -> bool {
    loop {
        match packets.first() {
            None => return true,
            Some(first) if first & LONG_HEADER == 0 => return false,
            Some(_) => {}
        }
        let Some(rest) = behind_long_header(packets) else { return true };
        packets = rest;
    }
}

/// What follows the first packet of a datagram, which has a long header (RFC 9000, 17.2.2 to 17.2.5).
fn behind_long_header(packet: &[u8]) -> Option<&[u8]> {
    let (first, rest) = packet.split_first()?;
    let rest = rest.strip_prefix(&VERSION)?;
    let rest = behind_block(rest, usize::from(*rest.first()?), 1)?;
    let rest = behind_block(rest, usize::from(*rest.first()?), 1)?;
    let rest = match (first >> 4) & 3 {
        INITIAL => {
            let (token, length) = variable(rest)?;
            behind_block(rest, token, length)?
        }
        RETRY => return None,
        _ => rest,
    };
    let (payload, length) = variable(rest)?;
    behind_block(rest, payload, length)
}

/// What follows a block of `bytes` behind its length, which has `length` bytes itself.
fn behind_block(bytes: &[u8], block: usize, length: usize) -> Option<&[u8]> {
    bytes.get(length.checked_add(block)?..)
}

/// An integer of variable length, and its length in bytes (RFC 9000, 16).
fn variable(bytes: &[u8]) -> Option<(usize, usize)> {
    let first = *bytes.first()?;
    let length = 1 << (first >> 6);
    let number =
        bytes.get(1..length)?.iter().fold(u64::from(first & 0x3f), |number, byte| number << 8 | u64::from(*byte));
    Some((usize::try_from(number).ok()?, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A datagram from 10.64.0.1 to 10.65.0.1.
    fn with(payload: &[u8]) -> Vec<u8> {
        let length = 28 + payload.len() as u8;
        let mut bytes = vec![0x45, 0x01, 0, length, 0, 0, 0x40, 0, 64, UDP, 0, 0, 10, 64, 0, 1, 10, 65, 0, 1];
        bytes.extend([0x13, 0x89, 0x13, 0x89, 0, length - 20, 0, 0]);
        bytes.extend(payload);
        bytes
    }

    /// With four bytes of payload.
    fn datagram(first: u8) -> Vec<u8> {
        with(&[first, 1, 2, 3])
    }

    /// A packet of a type: version 1, connection identifiers of two and no bytes, a token if it is an Initial, three bytes.
    fn long(kind: u8) -> Vec<u8> {
        let mut packet = vec![0xc0 | kind << 4, 0, 0, 0, 1, 2, 7, 7, 0];
        packet.extend(if kind == INITIAL { &[1, 9][..] } else { &[] });
        // a length of two bytes
        packet.extend([0x40, 3, 0xff, 0xff, 0xff]);
        packet
    }

    /// The end of the handshake and the first data may be in one datagram.
    #[test]
    fn data_behind_the_handshake_are_seen() {
        let is_of_handshake = |packets: &[u8]| match Content::read(&with(packets)) {
            Some(Content::Quic(datagram)) => datagram.handshake,
            other => panic!("{other:?}"),
        };
        let (initial, zero_rtt, handshake, data) = (long(INITIAL), long(1), long(2), vec![0x40, 1, 2, 3]);
        assert!(is_of_handshake(&initial));
        assert!(is_of_handshake(&[initial.clone(), handshake.clone()].concat()));
        assert!(!is_of_handshake(&[initial.clone(), handshake.clone(), data.clone()].concat()));
        assert!(!is_of_handshake(&[handshake.clone(), data.clone()].concat()));
        assert!(!is_of_handshake(&[zero_rtt, handshake.clone(), data.clone()].concat()));
        // a Retry is alone, of other versions nothing is known, and cut off nothing is behind
        assert!(is_of_handshake(&[long(RETRY), data.clone()].concat()));
        let mut version_2 = handshake.clone();
        version_2[4] = 2;
        assert!(is_of_handshake(&[version_2, data].concat()));
        for end in 1..handshake.len() {
            assert!(is_of_handshake(&handshake[..end]), "{end}");
        }
        // lengths of all sizes, and beyond the end
        for length in [&[3][..], &[0x80, 0, 0, 3], &[0xc0, 0, 0, 0, 0, 0, 0, 3]] {
            let packet = [&handshake[..9], length, &[0xff, 0xff, 0xff]].concat();
            assert!(is_of_handshake(&packet));
            assert!(!is_of_handshake(&[packet, vec![0x40]].concat()), "{length:?}");
        }
        assert!(is_of_handshake(&[&handshake[..9], &[0xff; 8][..], &[0x40]].concat()));
    }

    #[test]
    fn a_datagram_is_read() {
        let read = |bytes: &[u8]| Content::read(bytes);
        let expected = Datagram { source: 1, destination: 1, payload: 4, handshake: false, ecn: Ecn::Ect1 };
        assert_eq!(read(&datagram(0x40)), Some(Content::Quic(expected)));
        assert_eq!(read(&datagram(0xc0)), Some(Content::Quic(Datagram { handshake: true, ..expected })));
        assert_eq!(read(&datagram(0x40)[..28]), None, "cut off");
        assert_eq!(read(&[]), None);
    }
}
