//! Counters of cross traffic.

use eddyline_path::histogram::Histogram;
use eddyline_scenario::Network;
use eddyline_scenario::network::Traffic;
use eddyline_scenario::result::{OneWayResult, TrafficResult};
use eddyline_units::Time;

use super::WindowEdge;

/// Counters of one source. Sums are exact; delays are of packets that arrive in the summary window.
#[derive(Debug)]
pub struct TrafficMeter {
    from: Time,
    to: Time,
    /// Propagation delay of the path, the smallest where it varies.
    propagation: Time,
    delivered: u64,
    /// Of packets in the window.
    packets: u64,
    bytes: u64,
    /// Bytes of the packet that is arriving when the run ends which have arrived, less those of the packet that was arriving when the
    /// window began.
    partial_bytes: f64,
    delay: u128,
    min_delay: Time,
    histogram: Histogram,
    /// When the last packet arrived.
    last_at: Time,
    /// Delay of the previous packet.
    last: Option<Time>,
    variation: u128,
    variations: u64,
}

impl TrafficMeter {
    /// The traffic `spec` over the summary window of `network`.
    pub fn new(network: &Network, spec: &Traffic) -> Self {
        let links = spec.path.iter().map(|l| &network.links[*l as usize]);
        Self {
            from: network.warmup,
            to: network.duration,
            propagation: links.fold(Time::ZERO, |sum, link| sum.saturating_add(link.variation.min_delay(link.delay))),
            delivered: 0,
            packets: 0,
            bytes: 0,
            partial_bytes: 0.0,
            delay: 0,
            min_delay: Time::MAX,
            histogram: Histogram::default(),
            last_at: Time::ZERO,
            last: None,
            variation: 0,
            variations: 0,
        }
    }

    /// A packet of `bytes` arrived `delay` after it was sent.
    pub fn on_packet(&mut self, now: Time, bytes: u32, delay: Time) {
        self.delivered += 1;
        // one that arrives as the window begins has been received before it
        if now <= self.from {
            return;
        }
        self.last_at = now;
        self.packets += 1;
        self.bytes += u64::from(bytes);
        self.delay += u128::from(delay.as_ps());
        self.min_delay = self.min_delay.min(delay);
        self.histogram.add(delay);
        if let Some(last) = self.last {
            // |D(i-1, i)| of RFC 3550, 6.4.1, as a mean where receivers have a filter
            self.variation += u128::from(delay.max(last).saturating_sub(delay.min(last)).as_ps());
            self.variations += 1;
        }
        self.last = Some(delay);
    }

    /// At an end of the window, `bytes` of a packet have arrived.
    pub fn on_partial(&mut self, edge: WindowEdge, bytes: f64) {
        match edge {
            WindowEdge::Begin => self.partial_bytes -= bytes,
            WindowEdge::End => self.partial_bytes += bytes,
        }
    }

    /// The result of `spec` over the summary window, of whose packets so many were sent and dropped over the run.
    pub fn result(&self, spec: &Traffic, sent: u64, dropped: u64) -> TrafficResult {
        // The receiver's time: from the earliest arrival of the first packet to the arrival of the last, which may have waited in
        // queues. Over a shorter time, packets queued at `stop` would make the rate higher than any link's.
        let alive_from = self.from.max(spec.start.saturating_add(self.propagation));
        let alive_to = spec.stop.map_or(self.to, |stop| stop.saturating_add(self.propagation).max(self.last_at));
        let alive = alive_to.min(self.to).saturating_sub(alive_from).as_secs_f64();
        let mean_s = |sum: u128, count: u64| (count > 0).then(|| sum as f64 / count as f64 / 1e12);
        let bytes = (self.bytes as f64 + self.partial_bytes).max(0.0);
        let ended = self.delivered + dropped;
        TrafficResult {
            name: spec.name.clone(),
            throughput_bps: (alive > 0.0).then(|| bytes * 8.0 / alive),
            packets_sent: Some(sent),
            packets_delivered: Some(self.delivered),
            packets_dropped: Some(dropped),
            loss_ratio: (ended > 0).then(|| dropped as f64 / ended as f64),
            one_way_delay_s: OneWayResult {
                mean: mean_s(self.delay, self.packets),
                min: (self.packets > 0).then(|| self.min_delay.as_secs_f64()),
                p50: self.histogram.quantile(0.5),
                p99: self.histogram.quantile(0.99),
            },
            jitter_s: mean_s(self.variation, self.variations),
        }
    }
}
