//! Packets in flight, with the stamps that the controller attached to them.

use std::collections::VecDeque;

use eddyline_cc::Stamp;
use eddyline_units::Time;

use crate::receipts::PacketTag;

/// A packet that was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SentPacket {
    pub(crate) sent_at: Time,
    /// The transport's number, if it tells; numbers of different spaces may coincide.
    pub(crate) number: Option<u64>,
    pub(crate) stamp: Stamp,
    pub(crate) tag: PacketTag,
    /// Bytes sent before it.
    offset: u64,
    bytes: u64,
    /// Acknowledged.
    done: bool,
}

/// Packets in the order in which they were sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct SentPackets {
    packets: VecDeque<SentPacket>,
    sent_bytes: u64,
    /// Bytes of those that are not acknowledged.
    unacknowledged: u64,
}

impl SentPackets {
    pub(crate) fn push(&mut self, sent_at: Time, bytes: u64, number: Option<u64>, stamp: Stamp, tag: PacketTag) {
        let offset = self.sent_bytes;
        self.sent_bytes = offset.wrapping_add(bytes);
        self.unacknowledged += bytes;
        self.packets.push_back(SentPacket { sent_at, number, stamp, tag, offset, bytes, done: false });
    }

    /// The packet that was sent at this time, by its number or else the first one; it leaves the list.
    pub(crate) fn take(&mut self, sent_at: Time, number: Option<u64>) -> Option<SentPacket> {
        let matches = |p: &SentPacket| !p.done && p.sent_at == sent_at && (number.is_none() || p.number == number);
        if self.packets.front().is_some_and(matches) {
            let packet = self.pop();
            self.drop_done();
            return packet;
        }
        let first = self.packets.partition_point(|p| p.sent_at < sent_at);
        let found = self.packets.range_mut(first..).take_while(|p| p.sent_at == sent_at).find(|p| matches(p))?;
        found.done = true;
        self.unacknowledged -= found.bytes;
        Some(*found)
    }

    /// Packets of these bytes are lost, the newest of them sent at this time: all that were sent before are acknowledged or lost.
    pub(crate) fn drop_lost(&mut self, newest: Time, bytes: u64) {
        let mut left = bytes;
        while let Some(packet) = self.packets.front() {
            let is_lost = packet.sent_at < newest || (packet.sent_at == newest && left > 0);
            if !is_lost && !packet.done {
                break;
            }
            if !packet.done {
                left = left.saturating_sub(packet.bytes);
            }
            self.pop();
        }
    }

    /// Forgets packets sent before this time.
    pub(crate) fn drop_before(&mut self, sent_at: Time) {
        while self.packets.front().is_some_and(|p| p.sent_at < sent_at) {
            self.pop();
        }
        self.drop_done();
    }

    /// Forgets the oldest packets beyond this number.
    pub(crate) fn keep(&mut self, number: usize) {
        while self.packets.len() > number {
            self.pop();
        }
        self.drop_done();
    }

    /// Bytes sent since the oldest packet in flight was, that packet included (FlightSize of RFC 5681). The transport has `in_flight`
    /// bytes in flight: what is unacknowledged beyond them it has discarded, such as the handshake's packets with their keys (RFC 9002,
    /// 6.4), or never expected to be acknowledged. The oldest are taken for these.
    pub(crate) fn outstanding(&self, in_flight: u64) -> u64 {
        let mut discarded = self.unacknowledged.saturating_sub(in_flight);
        let oldest = self.packets.iter().filter(|p| !p.done).find(|p| {
            let is_in_flight = p.bytes > discarded;
            discarded = discarded.saturating_sub(p.bytes);
            is_in_flight
        });
        oldest.map_or(0, |p| self.sent_bytes.wrapping_sub(p.offset))
    }

    /// Tag of the oldest unacknowledged packet.
    pub(crate) fn oldest_tag(&self) -> Option<PacketTag> {
        self.packets.front().map(|p| p.tag)
    }

    /// Number of packets remembered.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.packets.len()
    }

    fn pop(&mut self) -> Option<SentPacket> {
        let packet = self.packets.pop_front()?;
        self.unacknowledged -= if packet.done { 0 } else { packet.bytes };
        Some(packet)
    }

    fn drop_done(&mut self) {
        while self.packets.front().is_some_and(|p| p.done) {
            self.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(times: &[(u64, u64)]) -> SentPackets {
        let mut packets = SentPackets::default();
        for &(ms, number) in times {
            let stamp = Stamp { remembered: number as f32 };
            packets.push(Time::from_ms(ms), 100, Some(number), stamp, PacketTag::FIRST);
        }
        packets
    }

    #[test]
    fn packets_sent_at_one_time_differ_by_number() {
        let mut packets = sent(&[(1, 0), (2, 1), (2, 2), (3, 3)]);
        assert_eq!(packets.take(Time::from_ms(2), Some(2)).unwrap().stamp.remembered, 2.0);
        assert!(packets.take(Time::from_ms(2), Some(2)).is_none(), "it has left");
        assert_eq!(packets.take(Time::from_ms(2), None).unwrap().stamp.remembered, 1.0);
        assert!(packets.take(Time::from_ms(1), Some(3)).is_none(), "sent at another time");
    }

    #[test]
    fn outstanding_counts_from_the_oldest_unacknowledged_packet() {
        let mut packets = sent(&[(1, 0), (2, 1), (3, 2), (4, 3)]);
        packets.take(Time::from_ms(3), Some(2));
        assert_eq!(packets.outstanding(300), 400, "packets acknowledged out of order count");
        packets.take(Time::from_ms(1), Some(0));
        packets.take(Time::from_ms(2), Some(1));
        assert_eq!((packets.outstanding(100), packets.len()), (100, 1));
        packets.drop_before(Time::from_ms(5));
        assert_eq!((packets.outstanding(0), packets.len()), (0, 0));
    }

    #[test]
    fn what_the_transport_has_discarded_is_not_outstanding() {
        let mut packets = sent(&[(1, 0), (2, 1), (3, 2), (4, 3)]);
        packets.take(Time::from_ms(2), Some(1));
        assert_eq!(packets.outstanding(300), 400);
        assert_eq!(packets.outstanding(299), 400, "a packet is discarded whole");
        assert_eq!(packets.outstanding(200), 200, "0 is, and 1 was acknowledged");
        assert_eq!(packets.outstanding(0), 0);
        packets.drop_lost(Time::from_ms(3), 100);
        assert_eq!(packets.outstanding(100), 100, "0 and 2 are lost");
        packets.keep(0);
        assert_eq!(packets.outstanding(0), 0);
    }

    #[test]
    fn of_packets_sent_at_one_time_as_many_are_lost_as_bytes() {
        let mut packets = sent(&[(1, 0), (2, 1), (2, 2), (2, 3), (2, 4)]);
        packets.take(Time::from_ms(2), Some(2));
        packets.drop_lost(Time::from_ms(2), 200);
        assert_eq!((packets.outstanding(200), packets.len()), (200, 2), "0 and 1 are lost");
        assert!(packets.take(Time::from_ms(2), Some(4)).is_some());
    }
}
