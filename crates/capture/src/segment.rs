//! IPv4 and TCP headers of a simulated packet.

use std::net::Ipv4Addr;

use crate::{PORT, address};

const IP_HEADER: usize = 20;
const TCP_HEADER: usize = 20;
const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const PUSH: u8 = 0x08;
const ACK: u8 = 0x10;
/// The first port of senders; a sender's port is this one and the number of its flow.
const FIRST_PORT: u16 = 32_768;
/// The largest scale of windows (RFC 7323, 2.3), of hosts whose window is unlimited.
const MAX_SCALE: u8 = 14;

/// What a packet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The sender's first.
    Syn,
    /// The answer to it.
    SynAck,
    /// Payload.
    Data,
    /// An acknowledgement without payload.
    Ack,
    /// The sender's last.
    Fin,
}

impl Kind {
    /// It comes from the flow's sender.
    #[must_use]
    pub const fn is_from_sender(self) -> bool {
        matches!(self, Self::Syn | Self::Data | Self::Fin)
    }
}

/// A packet of a flow.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    /// What it is.
    pub kind: Kind,
    /// The flow.
    pub flow: usize,
    /// Host of the flow's sender.
    pub sender: usize,
    /// First payload byte of what comes from the sender, counted from 0; cumulative acknowledgement of an ACK.
    pub sequence: u64,
    /// Payload bytes.
    pub payload: u32,
    /// Largest payload of the flow's packets.
    pub mss: u32,
    /// Receive window in bytes, if there is one.
    pub window: Option<u64>,
    /// ECN field of the IP header (RFC 3168, 5).
    pub ecn: u8,
    /// AE, CWR and ECE as one number (RFC 9768, 3.2.2).
    pub ace: u8,
    /// The flow uses selective acknowledgements.
    pub selective: bool,
    /// It was damaged on its way: its checksum is wrong.
    pub damaged: bool,
    /// SACK blocks (RFC 2018) of an ACK, in payload bytes counted from 0; an empty one ends the list.
    pub sack: [(u64, u64); 3],
}

impl Segment {
    /// The headers, and the length of the packet with its payload.
    ///
    /// The SYN has sequence number 0 and the first payload byte 1. Headers are those of TCP over IPv4 with the options of a SYN, which
    /// need not be as long as the scenario's.
    #[must_use]
    pub fn headers(&self) -> (Vec<u8>, u32) {
        let options = self.options();
        let headers = IP_HEADER + TCP_HEADER + options.len();
        let length = headers as u32 + self.payload;
        let mut bytes = Vec::with_capacity(headers);
        let (source, destination) = self.addresses();
        ip_header(&mut bytes, length, self.ecn, source, destination);
        let port = FIRST_PORT.wrapping_add(self.flow as u16 % FIRST_PORT);
        let ports = if self.kind.is_from_sender() { [port, PORT] } else { [PORT, port] };
        ports.iter().for_each(|p| bytes.extend(p.to_be_bytes()));
        let next = number(self.sequence);
        let (sequence, acknowledgement, flags) = match self.kind {
            Kind::Syn => (0, 0, SYN),
            Kind::SynAck => (0, 1, SYN | ACK),
            Kind::Data => (next, 1, PUSH | ACK),
            Kind::Ack => (1, next, ACK),
            Kind::Fin => (next, 1, FIN | ACK),
        };
        bytes.extend(sequence.to_be_bytes());
        bytes.extend(acknowledgement.to_be_bytes());
        bytes.push(((TCP_HEADER + options.len()) as u8 / 4) << 4 | self.ace >> 2);
        bytes.push(flags | (self.ace & 3) << 6);
        bytes.extend(self.window_field().to_be_bytes());
        bytes.extend([0; 4]);
        bytes.extend(options);
        // the payload, which is not there, is zeros; the pseudo-header ends in the protocol and the length (RFC 9293, 3.1)
        let pseudo = sum(&bytes[12..20]) + 6 + (length - IP_HEADER as u32);
        let mut checksum = complement(pseudo + sum(&bytes[IP_HEADER..]));
        checksum[1] ^= u8::from(self.damaged);
        bytes[IP_HEADER + 16..IP_HEADER + 18].copy_from_slice(&checksum);
        (bytes, length)
    }

    fn options(&self) -> Vec<u8> {
        let mut options = Vec::new();
        match self.kind {
            // maximum segment size, SACK permitted, window scale
            Kind::Syn | Kind::SynAck => {
                let [high, low] = (self.mss.min(u32::from(u16::MAX)) as u16).to_be_bytes();
                options.extend([2, 4, high, low]);
                if self.selective {
                    options.extend([1, 1, 4, 2]);
                }
                options.extend([1, 3, 3, self.scale()]);
            }
            Kind::Ack => {
                let blocks = || self.sack.iter().take_while(|(first, end)| first < end);
                let count = blocks().count() as u8;
                if count > 0 {
                    options.extend([1, 1, 5, 2 + 8 * count]);
                    options.extend(
                        blocks().flat_map(|&(first, end)| [number(first), number(end)]).flat_map(u32::to_be_bytes),
                    );
                }
            }
            Kind::Data | Kind::Fin => {}
        }
        options
    }

    fn addresses(&self) -> (Ipv4Addr, Ipv4Addr) {
        let [sender, receiver] = [self.sender, 1 - self.sender].map(|host| address(host, self.flow));
        if self.kind.is_from_sender() { (sender, receiver) } else { (receiver, sender) }
    }

    /// The window that the sender of this packet offers.
    fn offered(&self) -> u64 {
        if self.kind.is_from_sender() { u64::MAX } else { self.window.unwrap_or(u64::MAX) }
    }

    /// The smallest scale with which the field holds the window: up to 65,535 B it is exact.
    fn scale(&self) -> u8 {
        (0..MAX_SCALE).find(|scale| self.offered() >> scale <= u64::from(u16::MAX)).unwrap_or(MAX_SCALE)
    }

    fn window_field(&self) -> u16 {
        // windows in a SYN are not scaled
        let scale = if matches!(self.kind, Kind::Syn | Kind::SynAck) { 0 } else { self.scale() };
        (self.offered() >> scale).min(u64::from(u16::MAX)) as u16
    }
}

/// The sequence number of a payload byte; one of 32 bits goes round.
fn number(payload: u64) -> u32 {
    payload.wrapping_add(1) as u32
}

fn ip_header(bytes: &mut Vec<u8>, length: u32, ecn: u8, source: Ipv4Addr, destination: Ipv4Addr) {
    bytes.extend([0x45, ecn]);
    bytes.extend((length.min(u32::from(u16::MAX)) as u16).to_be_bytes());
    // identification 0, do not fragment, 64 hops, TCP, checksum
    bytes.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
    bytes.extend(source.octets());
    bytes.extend(destination.octets());
    let checksum = complement(sum(bytes));
    bytes[10..12].copy_from_slice(&checksum);
}

/// The sum of words of 16 bits, for a checksum (RFC 1071).
fn sum(bytes: &[u8]) -> u32 {
    bytes.chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(w[1])).sum()
}

fn complement(sum: u32) -> [u8; 2] {
    let folded = (sum & 0xffff) + (sum >> 16);
    (!((folded + (folded >> 16)) as u16)).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: Segment = Segment {
        kind: Kind::Data,
        flow: 1,
        sender: 0,
        sequence: 1_460,
        payload: 1_460,
        mss: 1_460,
        window: None,
        ecn: 0,
        ace: 0,
        selective: true,
        damaged: false,
        sack: [(0, 0); 3],
    };

    #[test]
    fn headers_say_what_the_packet_is() {
        let (bytes, length) = DATA.headers();
        assert_eq!((bytes.len(), length), (40, 1_500));
        assert_eq!(bytes[2..4], 1_500u16.to_be_bytes());
        assert_eq!(bytes[12..20], [10, 64, 0, 2, 10, 65, 0, 2]);
        assert_eq!(bytes[24..28], 1_461u32.to_be_bytes());
        assert_eq!(complement(sum(&bytes[..20])), [0, 0], "of the header of IP");
        assert_eq!(complement(sum(&bytes[12..]) + 6 + 1_480), [0, 0], "of TCP, with a payload of zeros");
        let (damaged, _) = Segment { damaged: true, ..DATA }.headers();
        assert_ne!(complement(sum(&damaged[12..]) + 6 + 1_480), [0, 0]);
        let (ack, length) = Segment { kind: Kind::Ack, payload: 0, window: Some(65_536), ..DATA }.headers();
        assert_eq!((length, ack[33]), (40, ACK));
        assert_eq!(ack[12..16], [10, 65, 0, 2], "from the receiver");
        assert_eq!(ack[28..32], 1_461u32.to_be_bytes());
        assert_eq!(ack[34..36], 32_768u16.to_be_bytes(), "65,536 B in units of 2 B");
        for (window, scale, field) in [(20_000, 0, 20_000u16), (100_001, 1, 50_000), (1 << 30, 14, u16::MAX), (1, 0, 1)]
        {
            let offered = Segment { payload: 0, window: Some(window), ..DATA };
            let (ack, _) = Segment { kind: Kind::Ack, ..offered }.headers();
            assert_eq!(ack[34..36], field.to_be_bytes(), "{window} B");
            let (answer, _) = Segment { kind: Kind::SynAck, ..offered }.headers();
            assert_eq!(answer.last(), Some(&scale), "{window} B");
        }
        let (syn, length) = Segment { kind: Kind::Syn, sequence: 0, payload: 0, ..DATA }.headers();
        assert_eq!((syn.len() as u32, syn[32] >> 4), (length, 8));
        assert_eq!(syn[40..], [2, 4, 5, 180, 1, 1, 4, 2, 1, 3, 3, MAX_SCALE]);
        let (syn, _) = Segment { kind: Kind::Syn, sequence: 0, payload: 0, selective: false, ..DATA }.headers();
        assert_eq!(syn[40..], [2, 4, 5, 180, 1, 3, 3, MAX_SCALE]);
    }

    #[test]
    fn acknowledgements_have_blocks_and_marks() {
        let sack = [(2_920, 4_380), (u64::from(u32::MAX), u64::from(u32::MAX) + 10), (0, 0)];
        let ack = Segment { kind: Kind::Ack, payload: 0, sack, ecn: 2, ace: 0b101, ..DATA };
        let (bytes, length) = ack.headers();
        assert_eq!((bytes.len(), length), (60, 60));
        assert_eq!(bytes[1], 2, "ECT(0)");
        assert_eq!(bytes[32..34], [10 << 4 | 1, ACK | 0x40], "AE and ECE");
        assert_eq!(bytes[40..44], [1, 1, 5, 18]);
        assert_eq!(complement(sum(&bytes[12..]) + 6 + 40), [0, 0], "checksum");
        let edges: Vec<u32> = bytes[44..].chunks(4).map(|b| u32::from_be_bytes(b.try_into().unwrap())).collect();
        assert_eq!(edges, [2_921, 4_381, 0, 10], "the second goes round");
    }
}
