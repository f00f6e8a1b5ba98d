//! A packet of the kernel as links and queues see it.

use eddyline_path::{Acknowledgement, Class, Ecn, Packet};
use eddyline_units::Time;

use super::datagram::Datagram;
use super::routes::Sizes;

/// Bytes of an IPv4 header without options.
const IP_HEADER: usize = 20;
/// The protocol number of TCP.
const TCP: u8 = 6;

/// What an IPv4 packet with TCP says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Last two bytes of the source address.
    pub source: u16,
    /// Last two bytes of the destination address.
    pub destination: u16,
    /// Payload bytes.
    pub payload: u32,
    /// Sequence number of the first byte.
    pub sequence: u32,
    /// Acknowledgement number.
    pub acknowledgement: u32,
    /// Flags of the TCP header.
    pub flags: u8,
    /// TCP options are longer than timestamps need: SACK blocks.
    pub selective: bool,
    /// The ECN field.
    pub ecn: Ecn,
}

impl Header {
    /// Only the flag ACK is set.
    pub const ACK: u8 = 0x10;

    /// Reads a packet; `None` if it is not whole IPv4 with TCP.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
        let long = |at: usize| Some(u32::from(word(at)?) << 16 | u32::from(word(at + 2)?));
        let (version, words) = (bytes.first()? >> 4, usize::from(bytes[0] & 15));
        if version != 4 || words * 4 < IP_HEADER || *bytes.get(9)? != TCP {
            return None;
        }
        let (ip, total) = (words * 4, usize::from(word(2)?));
        let tcp = usize::from(bytes.get(ip + 12)? >> 4) * 4;
        let payload = total.checked_sub(ip + tcp)?;
        let selective = has_option(bytes.get(ip + 20..ip + tcp)?, 5);
        let ecn = ecn(bytes[1]);
        Some(Self {
            source: word(14)?,
            destination: word(18)?,
            payload: payload as u32,
            sequence: long(ip + 4)?,
            acknowledgement: long(ip + 8)?,
            flags: *bytes.get(ip + 13)?,
            selective,
            ecn,
        })
    }
}

/// The ECN field in the second byte of an IPv4 packet.
pub const fn ecn(second: u8) -> Ecn {
    match second & 3 {
        0 => Ecn::NotCapable,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    }
}

/// Whether TCP options have one of this kind.
fn has_option(mut options: &[u8], kind: u8) -> bool {
    while let [first, rest @ ..] = options {
        options = match *first {
            0 => return false,
            1 => rest,
            found if found == kind => return true,
            _ => {
                let length = rest.first().map_or(usize::MAX, |l| usize::from(*l)).max(2);
                options.get(length..).unwrap_or_default()
            }
        };
    }
    false
}

/// A number for protocol, addresses and ports.
fn connection(bytes: &[u8]) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let ip = usize::from(bytes.first().map_or(0, |b| b & 15)) * 4;
    let mut hasher = DefaultHasher::new();
    (bytes.get(9), bytes.get(12..20), bytes.get(ip..ip + 4)).hash(&mut hasher);
    hasher.finish()
}

/// Sets the ECN field of an IPv4 packet to "congestion experienced", and corrects its checksum (RFC 1624).
fn mark(bytes: &mut [u8]) {
    let [_, field, ..] = bytes else { return };
    let old = *field;
    *field |= 3;
    let change = u32::from(*field - old);
    let sum = u32::from(!u16::from_be_bytes([bytes[10], bytes[11]])) + change;
    let folded = (sum & 0xffff) + (sum >> 16);
    bytes[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
}

/// A packet on its way.
#[derive(Debug)]
pub struct LivePacket {
    /// The packet itself; empty for cross traffic, which is made here.
    pub bytes: Vec<u8>,
    /// Its route.
    pub route: u32,
    /// Links of the route that it has crossed.
    pub hop: u32,
    /// Time spent waiting in queues.
    pub waited: Time,
    /// Sequence number of its first byte of payload, in TCP.
    pub sequence: Option<u32>,
    /// It is an acknowledgement without data.
    pub acknowledges: bool,
    /// Its subscriber's host.
    pub host: u32,
    wire: u32,
    payload: u32,
    class: Class,
    ecn: Ecn,
    acknowledgement: Option<Acknowledgement>,
    /// What tells connections apart, where it is not the route.
    connection: Option<u64>,
}

impl LivePacket {
    /// A packet of a flow. Its size on the wire is that of the scenario: payload and `header`, or `ack_packet`.
    #[must_use]
    pub fn of_flow(bytes: Vec<u8>, header: &Header, sizes: Sizes, (route, host): (u32, u32), acked: u64) -> Self {
        let data = header.payload > 0;
        let pure = !data && header.flags & !0xc0 == Header::ACK;
        let flags = header.flags;
        Self {
            bytes,
            route,
            hop: 0,
            waited: Time::ZERO,
            sequence: Some(header.sequence),
            acknowledges: pure,
            host,
            wire: if data { header.payload + sizes.header } else { sizes.ack },
            payload: header.payload,
            class: if data { Class::Data } else { Class::Ack },
            ecn: header.ecn,
            acknowledgement: pure.then_some(Acknowledgement { number: acked, selective: header.selective, flags }),
            connection: None,
        }
    }

    /// A packet of a flow over QUIC, with the size that it has: the bytes of the datagram and `header`. What comes from the sender
    /// after the handshake is data, with the end of the handshake where both are in one datagram.
    #[must_use]
    pub fn of_datagram(
        bytes: Vec<u8>,
        datagram: &Datagram,
        sizes: Sizes,
        place: (u32, u32),
        from_sender: bool,
    ) -> Self {
        let data = from_sender && !datagram.handshake;
        let wire = datagram.payload + sizes.header;
        Self {
            bytes,
            payload: if data { datagram.payload } else { 0 },
            class: if data { Class::Data } else { Class::Ack },
            acknowledges: !from_sender && !datagram.handshake,
            ecn: datagram.ecn,
            ..Self::cross(wire, place)
        }
    }

    /// A packet of any program. One of TCP without payload is an acknowledgement, any other is data. Queues that tell connections
    /// apart do so by addresses, protocol and ports.
    #[must_use]
    pub fn of_program(bytes: &[u8], (route, host): (u32, u32)) -> Self {
        let header = Header::read(bytes);
        let data = header.is_none_or(|h| h.payload > 0);
        Self {
            wire: bytes.len() as u32,
            payload: header.map_or(bytes.len() as u32, |h| h.payload),
            class: if data { Class::Data } else { Class::Ack },
            ecn: header.map_or(Ecn::NotCapable, |h| h.ecn),
            connection: Some(connection(bytes)),
            bytes: bytes.to_owned(),
            ..Self::cross(0, (route, host))
        }
    }

    /// A packet of cross traffic.
    #[must_use]
    pub const fn cross(wire: u32, (route, host): (u32, u32)) -> Self {
        Self {
            bytes: Vec::new(),
            route,
            hop: 0,
            waited: Time::ZERO,
            sequence: None,
            acknowledges: false,
            host,
            wire,
            payload: wire,
            class: Class::Cross,
            ecn: Ecn::NotCapable,
            acknowledgement: None,
            connection: None,
        }
    }
}

impl Packet for LivePacket {
    fn wire_bytes(&self) -> u32 {
        self.wire
    }
    fn class(&self) -> Class {
        self.class
    }
    fn payload_bytes(&self) -> u32 {
        self.payload
    }
    fn flow(&self) -> u64 {
        self.connection.unwrap_or_else(|| u64::from(self.route))
    }
    fn host(&self) -> u32 {
        self.host
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
        mark(&mut self.bytes);
    }
    fn acknowledgement(&self) -> Option<Acknowledgement> {
        self.acknowledgement
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pure acknowledgement with a SACK block, from 10.64.0.1 to 10.65.0.2.
    fn acknowledgement() -> Vec<u8> {
        let mut bytes = vec![0x45, 0x02, 0, 52, 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 64, 0, 1, 10, 65, 0, 2];
        let sum: u32 = bytes.chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(w[1])).sum();
        let folded = (sum & 0xffff) + (sum >> 16);
        bytes[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
        bytes.extend([0x10, 0, 0x20, 0, 0, 0, 0, 7, 0, 0, 0, 9, 0x80, 0x10, 1, 0, 0, 0, 0, 0]);
        bytes.extend([1, 1, 5, 10, 0, 0, 0, 20, 0, 0, 0, 30]);
        bytes
    }

    #[test]
    fn a_header_is_read() {
        let header = Header::read(&acknowledgement()).expect("a whole packet");
        assert_eq!((header.source, header.destination, header.payload), (1, 2, 0));
        assert_eq!((header.sequence, header.acknowledgement, header.flags), (7, 9, Header::ACK));
        assert!(header.selective);
        assert_eq!(header.ecn, Ecn::Ect0);
        assert_eq!(Header::read(&acknowledgement()[..30]), None);
    }

    #[test]
    fn a_mark_keeps_the_checksum_right() {
        let mut bytes = acknowledgement();
        mark(&mut bytes);
        let sum: u32 = bytes[..20].chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(w[1])).sum();
        assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff);
        assert_eq!(Header::read(&bytes).map(|h| h.ecn), Some(Ecn::Ce));
    }
}
