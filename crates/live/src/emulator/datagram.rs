//! What a packet of a flow is: TCP, or a QUIC packet in a UDP datagram.

use eddyline_path::Ecn;

use super::packet::{Header, ecn};

/// Bytes of a UDP header.
const UDP_HEADER: usize = 8;
/// The protocol number of UDP.
const UDP: u8 = 17;
/// The bit of a QUIC packet's first byte that packets of the handshake have set (RFC 9000, 17.2). It is not encrypted.
const LONG_HEADER: u8 = 0x80;

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
    /// Its first packet belongs to the handshake.
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
        let first = *bytes.get(ip + UDP_HEADER)?;
        let payload = usize::from(word(2)?).checked_sub(ip + UDP_HEADER)?;
        (version == 4).then_some(Self {
            source: word(14)?,
            destination: word(18)?,
            payload: payload as u32,
            handshake: first & LONG_HEADER != 0,
            ecn: ecn(bytes[1]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A datagram with four bytes of payload, from 10.64.0.1 to 10.65.0.1.
    fn datagram(first: u8) -> Vec<u8> {
        let mut bytes = vec![0x45, 0x01, 0, 32, 0, 0, 0x40, 0, 64, UDP, 0, 0, 10, 64, 0, 1, 10, 65, 0, 1];
        bytes.extend([0x13, 0x89, 0x13, 0x89, 0, 12, 0, 0, first, 1, 2, 3]);
        bytes
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
