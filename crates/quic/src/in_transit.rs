//! The content of datagrams that are in the network, kept beside the packets.

use std::collections::{BTreeMap, VecDeque};

use bytes::BytesMut;
use eddyline_quic_cc::PacketTag;

/// Datagrams that may arrive after their successors: more recent ones are kept, earlier ones count as lost. Losses are not reported,
/// so this bounds the memory that lost datagrams take.
const REORDERING: u64 = 16_384;

/// Bytes at the end of a datagram that are its tag.
const TAG: usize = 16;

/// The odd integer nearest to 2^64 over the golden ratio: its multiples are spread evenly over all 64-bit numbers.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Bytes of a datagram that are kept in place; headers of packets with nothing but zeros in them are shorter.
const SHORT: usize = 40;

/// The bytes of a datagram without the zeros before its tag.
#[derive(Debug)]
enum Head {
    Short { len: u8, bytes: [u8; SHORT] },
    Long(Box<[u8]>),
}

impl Head {
    fn of(bytes: &[u8]) -> Self {
        let mut short = [0; SHORT];
        match short.get_mut(..bytes.len()) {
            Some(place) => {
                place.copy_from_slice(bytes);
                Self::Short { len: bytes.len() as u8, bytes: short }
            }
            None => Self::Long(bytes.into()),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Short { len, bytes } => &bytes[..usize::from(*len)],
            Self::Long(bytes) => bytes,
        }
    }
}

/// A datagram as it is kept.
#[derive(Debug)]
struct Content {
    head: Head,
    tail: [u8; TAG],
    len: u32,
    tag: Option<PacketTag>,
}

/// A datagram that arrives.
#[derive(Debug)]
pub struct Arrival {
    /// Its bytes.
    pub datagram: BytesMut,
    /// By which the sender's controller knows it.
    pub tag: Option<PacketTag>,
}

impl Arrival {
    /// Inverts one bit; which one depends on the datagram's `number` alone.
    pub fn damage(&mut self, number: u64) {
        let bits = 8 * self.datagram.len() as u64;
        let place = (u128::from((number + 1).wrapping_mul(SPREAD)) * u128::from(bits)) >> 64;
        if let Some(byte) = self.datagram.get_mut((place / 8) as usize) {
            *byte ^= 1 << (place % 8);
        }
    }
}

impl Content {
    fn of(datagram: &[u8], tag: Option<PacketTag>) -> Self {
        let (body, tail) = datagram.split_last_chunk().map_or((datagram, [0; TAG]), |(body, tail)| (body, *tail));
        Self { head: Head::of(&body[..significant(body)]), tail, len: datagram.len() as u32, tag }
    }

    /// In the memory of `buffer`, if the datagrams restored in it before are gone.
    fn restore(&self, buffer: &mut BytesMut) -> Arrival {
        if !buffer.try_reclaim(self.len as usize) {
            *buffer = BytesMut::with_capacity(self.len as usize);
        }
        let head = self.head.bytes();
        buffer.extend_from_slice(head);
        buffer.resize(self.len as usize, 0);
        let mut datagram = buffer.split();
        if let Some(tail) = datagram.last_chunk_mut() {
            *tail = self.tail;
        }
        Arrival { datagram, tag: self.tag }
    }
}

/// Length without the zeros at the end.
fn significant(bytes: &[u8]) -> usize {
    // long enough for the processor to combine many bytes at once before it asks
    const BLOCK: usize = 128;
    let zeros = bytes.rchunks_exact(BLOCK).take_while(|block| block.iter().fold(0, |or, b| or | b) == 0).count();
    let rest = &bytes[..bytes.len() - zeros * BLOCK];
    rest.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1)
}

/// Datagrams from one host to another, by number.
#[derive(Debug, Default)]
pub struct InTransit {
    next: u64,
    /// Sent after the one with the highest number that has arrived.
    ahead: VecDeque<Content>,
    /// Sent before it: lost or late.
    behind: BTreeMap<u64, Content>,
    /// Arrived, but too late.
    too_late: u64,
    /// Memory of the datagrams that arrive.
    buffer: BytesMut,
}

impl InTransit {
    /// Keeps a datagram; returns its number.
    pub fn insert(&mut self, datagram: &[u8], tag: Option<PacketTag>) -> u64 {
        let number = self.next;
        self.next += 1;
        self.ahead.push_back(Content::of(datagram, tag));
        number
    }

    /// A datagram arrives; none if so many later ones have arrived that it counts as lost.
    pub fn take(&mut self, number: u64) -> Option<Arrival> {
        let first = self.next - self.ahead.len() as u64;
        if number < first {
            let content = self.behind.remove(&number);
            self.too_late += u64::from(content.is_none());
            return content.map(|c| c.restore(&mut self.buffer));
        }
        for passed in first..number {
            let content = self.ahead.pop_front()?;
            self.behind.insert(passed, content);
        }
        let content = self.ahead.pop_front()?;
        while self.behind.first_key_value().is_some_and(|(oldest, _)| oldest + REORDERING < number) {
            self.behind.pop_first();
        }
        Some(content.restore(&mut self.buffer))
    }

    /// Datagrams that arrived too late.
    pub fn too_late(&self) -> u64 {
        self.too_late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn datagram(n: u64) -> Vec<u8> {
        let mut bytes = vec![0; 100 + (n % 50) as usize];
        bytes[..8].copy_from_slice(&(n + 1).to_le_bytes());
        bytes
    }

    fn taken(transit: &mut InTransit, number: u64) -> Option<BytesMut> {
        transit.take(number).map(|arrival| arrival.datagram)
    }

    #[test]
    fn zeros_at_the_end_are_restored() {
        for len in [0, 1, 31, 32, 33, 64, 1200] {
            for last in [None, Some(0), Some(len / 2), Some(len)] {
                let mut bytes = vec![0; len];
                if let Some(last) = last.filter(|l| *l < len) {
                    bytes[last] = 7;
                }
                let mut transit = InTransit::default();
                let number = transit.insert(&bytes, None);
                assert_eq!(taken(&mut transit, number).as_deref(), Some(&bytes[..]));
            }
        }
    }

    #[test]
    fn lost_ones_are_forgotten_and_late_ones_are_not() {
        let mut transit = InTransit::default();
        let sent = 3 * REORDERING;
        for n in 0..sent {
            assert_eq!(transit.insert(&datagram(n), None), n);
        }
        // every second is lost
        for n in (1..sent).step_by(2) {
            assert_eq!(taken(&mut transit, n).as_deref(), Some(&datagram(n)[..]));
        }
        assert!(transit.behind.len() as u64 <= REORDERING / 2 + 1, "{}", transit.behind.len());
        assert_eq!(taken(&mut transit, sent - 1000).as_deref(), Some(&datagram(sent - 1000)[..]));
        assert_eq!((taken(&mut transit, 0), transit.too_late()), (None, 1));
    }
}
