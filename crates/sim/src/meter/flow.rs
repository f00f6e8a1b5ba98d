//! Counters of a flow. Sums are exact; they are reset when the summary window begins.

use std::mem::{self, offset_of};

use eddyline_units::Time;

use super::WindowEdge;
use super::rtt_histogram::RttHistogram;

/// A sum with its count.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mean {
    /// The sum's lower and upper half: 128 bits in one would be aligned to 16 bytes, of which each flow has many.
    sum: [u64; 2],
    /// Values added.
    pub count: u64,
}

impl Mean {
    #[inline]
    fn add(&mut self, value: Time) {
        let (sum, carries) = self.sum[0].overflowing_add(value.as_ps());
        self.sum[0] = sum;
        if carries {
            self.carry();
        }
        self.count += 1;
    }

    // once in half a year of waiting: a jump that is not taken is shorter than a second addition
    #[cold]
    fn carry(&mut self) {
        self.sum[1] += 1;
    }

    /// The mean over both.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        let sum = self.sum() + other.sum();
        Self { sum: [sum as u64, (sum >> 64) as u64], count: self.count + other.count }
    }

    fn sum(&self) -> u128 {
        u128::from(self.sum[1]) << 64 | u128::from(self.sum[0])
    }

    /// The mean in seconds.
    #[must_use]
    pub fn mean_s(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum() as f64 / self.count as f64 / 1e12)
    }
}

/// The time average of a piecewise constant quantity, whose value is beside it.
#[derive(Debug, Clone, Copy)]
struct TimeAverage {
    since: Time,
    integral: f64,
}

impl TimeAverage {
    fn new(since: Time) -> Self {
        Self { since, integral: 0.0 }
    }

    /// The quantity has had this value since the last call.
    fn advance(&mut self, now: Time, value: f64) {
        let unchanged = now.saturating_sub(self.since);
        // the conversion of the usual, shorter times is one instruction
        let ps = if unchanged.as_ps() <= i64::MAX as u64 { unchanged.as_ps_f64() } else { unchanged.as_ps() as f64 };
        self.integral += value * ps;
        self.since = now;
    }

    /// Time-weighted mean from when it `began` up to the last advance.
    fn mean(&self, began: Time) -> Option<f64> {
        let span = self.since.saturating_sub(began).as_ps() as f64;
        (span > 0.0).then(|| self.integral / span)
    }
}

/// A flow's counters over the summary window.
#[derive(Debug)]
pub struct FlowRecord {
    pub throughput_bps: Option<f64>,
    pub packets_per_s: Option<f64>,
    pub goodput_bps: Option<f64>,
    pub rtt: Mean,
    pub rtt_min: Option<Time>,
    pub histogram: RttHistogram,
    pub forward_s: Option<f64>,
    pub reverse_s: Option<f64>,
    pub compression: Option<f64>,
    /// Mean, minimum, maximum of the window in packets.
    pub window: Option<(f64, f64, f64)>,
    pub base_s: Option<f64>,
}

/// Counters of one flow.
// in the order of use: first what few events touch, then what an acknowledgement counts, last what data counts
#[derive(Debug, Clone)]
#[repr(C)]
pub struct FlowMeter {
    start: Time,
    /// The summary window as far as the flow is alive in it.
    from: Time,
    /// When it completed, or [`Time::MAX`].
    end: Time,
    /// Packets that arrived without new data.
    repeated_packets: u64,
    /// Values of `arrived_bytes`, [`new_packets`](Self::new_packets) and the receiver's delivered bytes when the window began.
    at_window: [u64; 3],
    /// Bytes of the packet that is arriving when the run ends which have arrived, less those of the packet that was arriving when the
    /// window began.
    partial_bytes: f64,
    /// Acknowledgements in the window that no other preceded, in it or before: one at most.
    unpaired_acks: u64,
    window_average: TimeAverage,
    /// Minimum and maximum of the window.
    window_range: [f64; 2],
    base_average: TimeAverage,
    /// When the base round-trip time was first known in the window.
    base_from: Time,
    rtt: Mean,
    rtt_min: Time,
    histogram: RttHistogram,
    reverse: Mean,
    /// When the last acknowledgement arrived, or [`Time::MAX`].
    last_ack: Time,
    half_transmission: Time,
    compressed: u64,
    window: f64,
    /// The base round-trip time, or [`Time::MAX`] before there is one.
    base: Time,
    arrived_bytes: u64,
    arrived_packets: u64,
    forward: Mean,
}

impl FlowMeter {
    /// The first byte that acknowledgements usually touch, and the first that data touches.
    pub const TOUCHED_BY_ACKS: usize = offset_of!(Self, rtt);
    /// As [`TOUCHED_BY_ACKS`](Self::TOUCHED_BY_ACKS), for data.
    pub const TOUCHED_BY_DATA: usize = offset_of!(Self, arrived_bytes);

    /// A flow that starts at `start` with window `window`; its round-trip samples are counted in `histogram`.
    #[must_use]
    pub fn new(start: Time, window: f64, half_transmission: Time, histogram: RttHistogram) -> Self {
        Self {
            start,
            from: start,
            end: Time::MAX,
            arrived_bytes: 0,
            arrived_packets: 0,
            repeated_packets: 0,
            at_window: [0; 3],
            partial_bytes: 0.0,
            rtt: Mean::default(),
            rtt_min: Time::MAX,
            histogram,
            forward: Mean::default(),
            reverse: Mean::default(),
            unpaired_acks: 0,
            compressed: 0,
            last_ack: Time::MAX,
            half_transmission,
            window,
            window_average: TimeAverage::new(start),
            window_range: [window; 2],
            base: Time::MAX,
            base_average: TimeAverage::new(start),
            base_from: start,
        }
    }

    /// The summary window begins; `delivered` is the receiver's count.
    pub fn begin_window(&mut self, now: Time, delivered: u64) {
        if now <= self.start {
            return;
        }
        self.from = now;
        self.at_window = [self.arrived_bytes, self.new_packets(), delivered];
        self.rtt = Mean::default();
        self.rtt_min = Time::MAX;
        self.histogram.clear();
        self.forward = Mean::default();
        self.reverse = Mean::default();
        self.unpaired_acks = 0;
        self.compressed = 0;
        self.window_average = TimeAverage::new(now);
        self.window_range = [self.window; 2];
        self.base_average = TimeAverage::new(now);
        self.base_from = now;
    }

    /// At an end of the window, `bytes` of a data packet have arrived.
    pub fn on_partial(&mut self, edge: WindowEdge, bytes: f64) {
        match edge {
            WindowEdge::Begin => self.partial_bytes -= bytes,
            WindowEdge::End if self.end == Time::MAX => self.partial_bytes += bytes,
            WindowEdge::End => {}
        }
    }

    /// A data packet arrived, with new data or not, after waiting `waited` in queues.
    #[inline]
    pub fn on_data(&mut self, wire_bytes: u32, waited: Time, new_data: bool) {
        self.arrived_bytes += u64::from(wire_bytes);
        self.forward.add(waited);
        self.arrived_packets += 1;
        if !new_data {
            self.repeated_packets += 1;
        }
    }

    /// A data packet arrived after all data had been delivered: the flow's rates are of the time until then.
    #[cold]
    pub fn on_late_data(&mut self, waited: Time) {
        self.forward.add(waited);
        self.arrived_packets += 1;
        self.repeated_packets += 1;
    }

    /// An acknowledgement arrived.
    #[inline]
    pub fn on_ack(&mut self, now: Time, waited: Time) {
        self.reverse.add(waited);
        let last = mem::replace(&mut self.last_ack, now);
        if last == Time::MAX {
            return self.first_ack();
        }
        self.compressed += u64::from(now - last < self.half_transmission);
    }

    #[cold]
    fn first_ack(&mut self) {
        self.unpaired_acks += 1;
    }

    /// An acknowledgement gave a round-trip sample, or none.
    #[inline(always)]
    pub fn on_sample(&mut self, sample: Option<Time>) {
        let Some(rtt) = sample else { return };
        self.rtt.add(rtt);
        self.rtt_min = self.rtt_min.min(rtt);
        self.histogram.add(rtt);
    }

    /// Window and base RTT may have changed.
    #[inline]
    pub fn on_sender_change(&mut self, now: Time, window: f64, base_rtt: Option<Time>) {
        if window != self.window {
            self.change_window(now, window);
        }
        if let Some(base) = base_rtt
            && base != self.base
        {
            self.change_base(now, base);
        }
    }

    #[inline(always)]
    fn change_window(&mut self, now: Time, window: f64) {
        self.window_average.advance(now, self.window);
        self.window = window;
        let [min, max] = &mut self.window_range;
        if window < *min {
            *min = window;
        }
        if window > *max {
            *max = window;
        }
    }

    #[cold]
    fn change_base(&mut self, now: Time, base: Time) {
        if self.base == Time::MAX {
            self.base_average = TimeAverage::new(now);
            self.base_from = now;
        } else {
            self.base_average.advance(now, self.base.as_ps_f64());
        }
        self.base = base;
    }

    /// The flow has completed.
    pub fn on_complete(&mut self, at: Time) {
        if self.end == Time::MAX {
            self.end = at;
            self.window_average.advance(at, self.window);
            if self.base < Time::MAX {
                self.base_average.advance(at, self.base.as_ps_f64());
            }
        }
    }

    /// Takes over what `receiver` has counted where the flow's receiver was.
    pub fn join(&mut self, receiver: &Self) {
        self.arrived_bytes = receiver.arrived_bytes;
        self.arrived_packets = receiver.arrived_packets;
        self.repeated_packets = receiver.repeated_packets;
        self.at_window = receiver.at_window;
        self.partial_bytes = receiver.partial_bytes;
        self.forward = receiver.forward;
    }

    /// Data packets with new data that arrived so far.
    fn new_packets(&self) -> u64 {
        self.arrived_packets - self.repeated_packets
    }

    /// Whether the flow has completed.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.end < Time::MAX
    }

    /// When the flow starts.
    #[must_use]
    pub fn start(&self) -> Time {
        self.start
    }

    /// Bits on the wire that arrived so far.
    #[must_use]
    pub fn arrived_bits(&self) -> f64 {
        self.arrived_bytes as f64 * 8.0
    }

    /// Data packets that arrived so far.
    #[must_use]
    pub fn arrived_packets(&self) -> u64 {
        self.arrived_packets
    }

    /// The run ends: the counters over the summary window.
    #[must_use]
    pub fn finish(&mut self, now: Time, delivered: u64) -> FlowRecord {
        self.on_complete(now);
        let alive = self.end.saturating_sub(self.from).as_secs_f64();
        let rate = |n: u64| (alive > 0.0).then(|| n as f64 / alive);
        // not below zero if the packet that was arriving came after all data had been delivered
        let bytes = ((self.arrived_bytes - self.at_window[0]) as f64 + self.partial_bytes).max(0.0);
        let [min, max] = self.window_range;
        let pairs = self.reverse.count - self.unpaired_acks;
        FlowRecord {
            throughput_bps: (alive > 0.0).then(|| 8.0 * bytes / alive),
            packets_per_s: rate(self.new_packets() - self.at_window[1]),
            goodput_bps: rate(8 * (delivered - self.at_window[2])),
            rtt: self.rtt,
            rtt_min: (self.rtt.count > 0).then_some(self.rtt_min),
            histogram: mem::replace(&mut self.histogram, RttHistogram::None),
            forward_s: self.forward.mean_s(),
            reverse_s: self.reverse.mean_s(),
            compression: (pairs > 0).then(|| self.compressed as f64 / pairs as f64),
            window: self.window_average.mean(self.from).map(|mean| (mean, min, max)),
            base_s: self.base_average.mean(self.base_from).filter(|_| self.base < Time::MAX).map(|ps| ps / 1e12),
        }
    }
}
