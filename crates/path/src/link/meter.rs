//! Counters of a link: exact integer sums over the measurement window.

use eddyline_units::Time;

use crate::Class;
use crate::histogram::Histogram;

/// Counters of one link.
#[derive(Debug, Clone)]
pub struct Meter {
    from: Time,
    to: Time,
    /// Bytes of the transmissions that began and ended in the window, framing included, by class.
    line_bytes: [u64; 3],
    /// Payload bytes among those of data packets.
    payload_bytes: u64,
    /// The same of transmissions that cross an end of the window: what is transmitted within it.
    partial_bytes: [f64; 3],
    partial_payload: f64,
    /// Integral of waiting packets over the window, in packet picoseconds.
    pub packet_ps: u128,
    /// Integral of waiting bytes over the window, in byte picoseconds.
    pub byte_ps: u128,
    /// Maximum number of packets waiting in the window.
    pub max_packets: u64,
    /// Maximum number of bytes waiting in the window.
    pub max_bytes: u64,
    /// Sum of the waits that ended in the window.
    pub waited: u128,
    /// Packets whose wait ended in the window, those that did not wait included.
    pub waits: u64,
    /// Histogram of the waits.
    pub histogram: Histogram,
    /// Packets dropped by the queue in the whole run, by class.
    pub drops: [u64; 3],
    /// Packets marked by the queue (ECN) in the whole run.
    pub marks: u64,
    /// Bytes offered in the whole run.
    pub offered_bytes: u64,
    /// Bytes dropped by the queue in the whole run.
    pub dropped_bytes: u64,
}

impl Meter {
    /// Counters over the window `[from, to]`.
    #[must_use]
    pub fn new(from: Time, to: Time) -> Self {
        Self {
            from,
            to,
            line_bytes: [0; 3],
            payload_bytes: 0,
            partial_bytes: [0.0; 3],
            partial_payload: 0.0,
            packet_ps: 0,
            byte_ps: 0,
            max_packets: 0,
            max_bytes: 0,
            waited: 0,
            waits: 0,
            histogram: Histogram::default(),
            drops: [0; 3],
            marks: 0,
            offered_bytes: 0,
            dropped_bytes: 0,
        }
    }

    /// A packet waited from `since` to `start`.
    pub fn wait(&mut self, since: Time, start: Time, bytes: u32) {
        let clipped = start.min(self.to).saturating_sub(since.max(self.from)).as_ps();
        self.packet_ps += u128::from(clipped);
        self.byte_ps += u128::from(clipped) * u128::from(bytes);
        if start >= self.from && start <= self.to {
            let wait = start - since;
            self.waited += u128::from(wait.as_ps());
            self.waits += 1;
            self.histogram.add(wait);
        }
    }

    /// A packet waited from `since` to `start` and is transmitted until `end`; as [`wait`](Self::wait) and
    /// [`transmission`](Self::transmission), with one look at the window.
    // for each packet on each link: calls would cost 20 instructions a data packet
    #[inline(always)]
    pub fn served(
        &mut self,
        (since, start, end): (Time, Time, Time),
        bytes: u32,
        (line_bytes, class, payload): (u64, Class, u32),
        share: impl FnOnce(Time, Time) -> f64,
    ) {
        if since < self.from || end > self.to {
            return self.served_across_window_edge(
                &{ (since, start, end) },
                bytes,
                &{ (line_bytes, class, payload) },
                share,
            );
        }
        let wait = start - since;
        let ps = u128::from(wait.as_ps());
        self.packet_ps += ps;
        self.byte_ps += ps * u128::from(bytes);
        self.waited += ps;
        self.waits += 1;
        self.histogram.add(wait);
        self.line_bytes[class as usize] += line_bytes;
        self.payload_bytes += if class == Class::Data { u64::from(payload) } else { 0 };
    }

    /// As [`served`](Self::served), outside the window or across one of its ends.
    #[cold]
    #[inline(never)]
    fn served_across_window_edge(
        &mut self,
        &(since, start, end): &(Time, Time, Time),
        bytes: u32,
        transmitted: &(u64, Class, u32),
        share: impl FnOnce(Time, Time) -> f64,
    ) {
        self.wait(since, start, bytes);
        self.transmission((start, end), *transmitted, share);
    }

    /// A packet waited from `since` to `until` and was not transmitted: dropped then, or the run ends.
    pub fn wait_without_transmission(&mut self, since: Time, until: Time, bytes: u32) {
        let clipped = until.min(self.to).saturating_sub(since.max(self.from)).as_ps();
        self.packet_ps += u128::from(clipped);
        self.byte_ps += u128::from(clipped) * u128::from(bytes);
    }

    /// A packet of `line_bytes`, framing included, is transmitted from `start` to `end`; `share` is how much of it between two moments
    /// within that time.
    pub fn transmission(
        &mut self,
        (start, end): (Time, Time),
        (line_bytes, class, payload): (u64, Class, u32),
        share: impl FnOnce(Time, Time) -> f64,
    ) {
        let payload = if class == Class::Data { u64::from(payload) } else { 0 };
        if start >= self.from && end <= self.to {
            self.line_bytes[class as usize] += line_bytes;
            self.payload_bytes += payload;
        } else if start < self.to && end > self.from {
            self.partial((line_bytes, class, payload), share(start.max(self.from), end.min(self.to)));
        }
    }

    /// A share of a packet is transmitted in the window.
    #[cold]
    fn partial(&mut self, (line_bytes, class, payload): (u64, Class, u64), share: f64) {
        self.partial_bytes[class as usize] += share * line_bytes as f64;
        self.partial_payload += share * payload as f64;
    }

    /// Bytes that were transmitted in the window, framing included, by class.
    #[must_use]
    pub fn transmitted(&self) -> [f64; 3] {
        std::array::from_fn(|class| self.line_bytes[class] as f64 + self.partial_bytes[class])
    }

    /// Payload bytes among those of data packets.
    #[must_use]
    pub fn transmitted_payload(&self) -> f64 {
        self.payload_bytes as f64 + self.partial_payload
    }

    /// A packet that is offered is dropped before the queue.
    pub fn refuse(&mut self, bytes: u32, class: Class) {
        self.offered_bytes += u64::from(bytes);
        self.drop(bytes, class);
    }

    /// The queue drops a packet.
    #[inline]
    pub fn drop(&mut self, bytes: u32, class: Class) {
        self.drops[class as usize] += 1;
        self.dropped_bytes += u64::from(bytes);
    }

    /// The backlog after an arrival.
    #[inline]
    pub fn note_backlog(&mut self, now: Time, packets: u64, bytes: u64) {
        if now >= self.from {
            self.max_packets = self.max_packets.max(packets);
            self.max_bytes = self.max_bytes.max(bytes);
        }
    }

    /// Packets and bytes that may wait now without raising a maximum.
    pub fn max_backlog(&self, now: Time) -> (u64, u64) {
        if now >= self.from { (self.max_packets, self.max_bytes) } else { (u64::MAX, u64::MAX) }
    }
}
