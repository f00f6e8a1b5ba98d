//! What the path sees of a flow: its data at the receiver's end and its acknowledgements at the sender's.

use std::collections::BTreeMap;

use eddyline_units::Time;

/// Counters of one flow over the summary window.
#[derive(Debug, Clone, Default)]
pub struct FlowMeter {
    /// Bytes of data packets that arrived.
    pub data_bytes: u64,
    /// Data packets that arrived for the first time.
    pub new_packets: u64,
    /// Data packets that arrived in the whole run.
    pub data_packets: u64,
    /// Bytes of data packets that arrived in the whole run.
    pub all_data_bytes: u64,
    forward: (u128, u64),
    reverse: (u128, u64),
    compressed: u64,
    gaps: u64,
    last_ack: Option<Time>,
    seen: Received,
}

impl FlowMeter {
    /// A data packet reaches the receiver's host.
    pub fn data(&mut self, counts: bool, waited: Time, (wire, sequence, payload): (u32, Option<u32>, u32)) {
        // without a sequence number nothing is ever sent again: QUIC
        let new = sequence.is_none_or(|sequence| self.seen.add(sequence, payload));
        self.data_packets += 1;
        self.all_data_bytes += u64::from(wire);
        if counts {
            self.data_bytes += u64::from(wire);
            self.new_packets += u64::from(new);
            self.forward = (self.forward.0 + u128::from(waited.as_ps()), self.forward.1 + 1);
        }
    }

    /// An acknowledgement reaches the sender's host.
    pub fn acknowledgement(&mut self, counts: bool, now: Time, waited: Time, half_transmission: Time) {
        if counts {
            self.reverse = (self.reverse.0 + u128::from(waited.as_ps()), self.reverse.1 + 1);
            if let Some(last) = self.last_ack {
                self.gaps += 1;
                self.compressed += u64::from(now.saturating_sub(last) < half_transmission);
            }
        }
        self.last_ack = Some(now);
    }

    /// Mean queueing delay of data packets in seconds.
    #[must_use]
    pub fn forward_s(&self) -> Option<f64> {
        mean_s(self.forward)
    }

    /// Mean queueing delay of acknowledgements in seconds.
    #[must_use]
    pub fn reverse_s(&self) -> Option<f64> {
        mean_s(self.reverse)
    }

    /// Share of acknowledgements that follow closely on the one before.
    #[must_use]
    pub fn compression(&self) -> Option<f64> {
        (self.gaps > 0).then(|| self.compressed as f64 / self.gaps as f64)
    }

    /// Adds what another thread has counted of the same flow.
    pub fn merge(&mut self, other: &Self) {
        self.data_bytes += other.data_bytes;
        self.new_packets += other.new_packets;
        self.data_packets += other.data_packets;
        self.all_data_bytes += other.all_data_bytes;
        self.forward = (self.forward.0 + other.forward.0, self.forward.1 + other.forward.1);
        self.reverse = (self.reverse.0 + other.reverse.0, self.reverse.1 + other.reverse.1);
        self.compressed += other.compressed;
        self.gaps += other.gaps;
    }
}

fn mean_s((sum, count): (u128, u64)) -> Option<f64> {
    (count > 0).then(|| sum as f64 / count as f64 / 1e12)
}

/// Ranges of sequence numbers that have arrived, counted from the first.
#[derive(Debug, Clone, Default)]
struct Received {
    first: Option<u32>,
    next: u64,
    beyond: BTreeMap<u64, u64>,
}

impl Received {
    /// Adds a packet; returns whether its first byte is new.
    fn add(&mut self, sequence: u32, payload: u32) -> bool {
        let first = *self.first.get_or_insert(sequence);
        // the distance from the next byte expected, with wrap-around; before the first packet there is nothing
        let expected = first.wrapping_add(self.next as u32);
        let offset = i64::from(sequence.wrapping_sub(expected).cast_signed());
        let Some(begin) = self.next.checked_add_signed(offset) else { return true };
        let end = begin + u64::from(payload);
        let held = self.beyond.range(..=begin).next_back().is_some_and(|(_, until)| *until > begin);
        if begin < self.next || held {
            return false;
        }
        let entry = self.beyond.entry(begin).or_insert(end);
        *entry = end.max(*entry);
        while let Some((from, until)) = self.beyond.first_key_value().map(|(f, u)| (*f, *u))
            && from <= self.next
        {
            self.next = self.next.max(until);
            self.beyond.remove(&from);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Received;

    #[test]
    fn packets_are_new_once() {
        let mut seen = Received::default();
        let start = u32::MAX - 1_000;
        assert!(seen.add(start, 1_000));
        assert!(seen.add(start.wrapping_add(2_000), 1_000), "a hole before it");
        assert!(!seen.add(start.wrapping_add(2_000), 1_000), "held already");
        assert!(seen.add(start.wrapping_add(1_000), 1_000), "the hole");
        assert!(!seen.add(start, 1_000), "delivered");
        assert_eq!(seen.next, 3_000);
        assert!(seen.beyond.is_empty());
    }
}
