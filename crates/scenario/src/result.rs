//! The result, the same from every world. SI units, as the names say; what a world cannot know is `None` and reads `null`.

use serde::{Deserialize, Serialize};

/// One run of one world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Which world answered.
    pub world: String,
    /// Title of the scenario.
    pub title: String,
    /// Version of this software.
    pub version: String,
    /// SHA-256 of the canonical scenario.
    pub scenario_sha256: String,
    /// Seed of all random streams.
    pub seed: u64,
    /// One per flow, in file order.
    pub flows: Vec<FlowResult>,
    /// One per link, in file order.
    pub links: Vec<LinkResult>,
    /// One per table with `count` above one.
    pub groups: Vec<GroupResult>,
    /// One per `[[arrivals]]` table.
    pub arrivals: Vec<ArrivalsResult>,
    /// One per `[[traffic]]` table; left out where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<TrafficResult>,
    /// Packet counts over the whole run.
    pub counters: Counters,
    /// What the world could not honour of the file.
    pub approximations: Vec<String>,
    /// Only in world `theory`: how the answer was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theory: Option<TheoryNote>,
    /// Only in world `sim`: how link states were sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
    /// What it took; the only part that differs between two runs of one file and seed.
    pub cost: Cost,
}

/// A flow's summary.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FlowResult {
    /// Name from the scenario.
    pub name: String,
    /// Controller kind.
    pub controller: String,
    /// Bits on the wire of all data packets that arrived at the receiver, a second.
    pub throughput_bps: Option<f64>,
    /// Payload bits given to the application in order, a second. What waited at the receiver for a packet that was missing
    /// counts when that one arrives: a window in which a hole is filled may have more than the line rate, the one before less.
    pub goodput_bps: Option<f64>,
    /// Data packets that arrived for the first time, a second.
    pub packets_per_s: Option<f64>,
    /// The sender's round-trip samples.
    pub rtt_s: RttResult,
    /// The controller's own belief, mean over the window.
    pub base_rtt_s: Option<f64>,
    /// Sum of the two below.
    pub queueing_delay_s: Option<f64>,
    /// Mean waiting time of data packets, summed over links.
    pub forward_queueing_delay_s: Option<f64>,
    /// Mean waiting time of acknowledgements, summed over links.
    pub reverse_queueing_delay_s: Option<f64>,
    /// Share of acknowledgements less than half a data packet's transmission time after the one before.
    pub ack_compression: Option<f64>,
    /// Congestion window, time-weighted.
    pub window_packets: WindowResult,
    /// Payload given to the application in order, whole run.
    pub delivered_bytes: Option<u64>,
    /// Data packets sent again, whole run.
    pub retransmits: Option<u64>,
    /// Expiries of the retransmission timer, whole run.
    pub timeouts: Option<u64>,
    /// When the FIN was acknowledged.
    pub completed_at_s: Option<f64>,
    /// Times that the sender's own card had no room for a packet, whole run; only where `tcp.local` makes the sender hear of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card_refusals: Option<u64>,
    /// Packets that accurate ECN reported to the sender as marked, whole run; only where `tcp.accurate_ecn` is on. By the option they
    /// are marked bytes in full packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered_ce: Option<f64>,
}

/// Round-trip samples, in seconds. World `sim` keeps percentiles up to 10,000 flows; with more they are null, for groups too.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct RttResult {
    /// Mean.
    pub mean: Option<f64>,
    /// Smallest.
    pub min: Option<f64>,
    /// Median.
    pub p50: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
}

/// Congestion window in packets.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct WindowResult {
    /// Time-weighted mean.
    pub mean: Option<f64>,
    /// Smallest.
    pub min: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
}

/// A link's summary.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LinkResult {
    /// Name from the scenario.
    pub name: String,
    /// Bits whose transmission ended, over rate times window. A packet counts whole at the end of its transmission: a window
    /// of few packets may have more than 1, by one packet at most.
    pub utilisation: Option<f64>,
    /// Of data packets.
    pub data_utilisation: Option<f64>,
    /// Of data packets' payload.
    pub goodput_utilisation: Option<f64>,
    /// Of acknowledgements and control packets.
    pub ack_utilisation: Option<f64>,
    /// Waiting packets.
    pub queue_packets: QueueResult,
    /// Waiting bytes.
    pub queue_bytes: QueueResult,
    /// Waiting time per packet, transmission excluded.
    pub queueing_delay_s: DelayResult,
    /// Dropped by the queue, whole run.
    pub drops: Drops,
    /// Marked by the queue with "congestion experienced" (RFC 3168), whole run.
    pub marked: Option<u64>,
    /// Lost by the link's loss, whole run.
    pub lost: Option<u64>,
    /// Share of time as the bottleneck is at least one half (theory: price above zero).
    pub bottleneck: Option<bool>,
    /// Share of time in which this link has the longest wait (above one packet) on the path of at least one flow: of one
    /// moment in each cell of a grid, uniform within it.
    pub bottleneck_share: Option<f64>,
}

/// Waiting packets or bytes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct QueueResult {
    /// Time-weighted mean.
    pub mean: Option<f64>,
    /// Maximum.
    pub max: Option<f64>,
}

/// Waiting time.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct DelayResult {
    /// Mean over packets.
    pub mean: Option<f64>,
    /// Median over packets.
    pub p50: Option<f64>,
    /// 99th percentile over packets.
    pub p99: Option<f64>,
}

/// Packets dropped by a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Drops {
    /// Data packets.
    pub data: Option<u64>,
    /// Acknowledgements and control packets.
    pub ack: Option<u64>,
    /// Cross traffic.
    pub cross: Option<u64>,
}

/// Sums and spreads over the flows of one table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GroupResult {
    /// The table's name.
    pub name: String,
    /// How many flows.
    pub count: u64,
    /// Sum of the flows' throughputs.
    pub throughput_bps: Option<f64>,
    /// The flows' goodputs.
    pub goodput_bps: Spread,
    /// Sum of the flows' packet rates.
    pub packets_per_s: Option<f64>,
    /// Jain's index of the flows' goodputs.
    pub jain_index: Option<f64>,
    /// Round-trip samples of all flows together.
    pub rtt_s: RttResult,
    /// Sum over flows.
    pub delivered_bytes: Option<u64>,
    /// Sum over flows.
    pub retransmits: Option<u64>,
    /// Sum over flows.
    pub timeouts: Option<u64>,
    /// Flows that completed.
    pub completed: Option<u64>,
}

/// Flows of one `[[arrivals]]` table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ArrivalsResult {
    /// Name from the scenario.
    pub name: String,
    /// Controller kind.
    pub controller: String,
    /// Flows that arrived, whole run.
    pub arrived: Option<u64>,
    /// Flows that completed, whole run.
    pub completed: Option<u64>,
    /// Flows present, time-weighted mean.
    pub mean_present: Option<f64>,
    /// Times from arrival to completion, of flows that completed in the window.
    pub completion_s: CompletionResult,
    /// The same by size; classes without a completion are left out.
    pub by_size: Vec<SizeClassResult>,
    /// Payload of the flows that completed, whole run.
    pub delivered_bytes: Option<u64>,
    /// Data packets sent again by flows that completed, whole run.
    pub retransmits: Option<u64>,
    /// Timeouts of flows that completed, whole run.
    pub timeouts: Option<u64>,
}

/// Completion times.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CompletionResult {
    /// Mean.
    pub mean: Option<f64>,
    /// Median.
    pub p50: Option<f64>,
    /// 90th percentile.
    pub p90: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
}

/// Completion times of transfers of a range of sizes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SizeClassResult {
    /// Least payload.
    pub from_bytes: u64,
    /// Payload is below this; none for the last class.
    pub below_bytes: Option<u64>,
    /// How many completed in the window.
    pub completed: u64,
    /// Their completion times.
    pub completion_s: CompletionResult,
}

/// One source of traffic that nobody answers: what a call, a film or a game would notice.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TrafficResult {
    /// Name from the scenario.
    pub name: String,
    /// Bits on the wire that arrived, a second of the window from when the source's first packet may arrive (`start` and the
    /// path's propagation delay) to when its last one may (`stop` and that delay) or, delayed by queues, does.
    pub throughput_bps: Option<f64>,
    /// Packets that left the source, whole run.
    pub packets_sent: Option<u64>,
    /// Packets that arrived, whole run.
    pub packets_delivered: Option<u64>,
    /// Packets dropped by queues or lost by links, whole run.
    pub packets_dropped: Option<u64>,
    /// Dropped over dropped and delivered, whole run (RFC 7680).
    pub loss_ratio: Option<f64>,
    /// From leaving the source to arrival, transmission included (RFC 7679).
    pub one_way_delay_s: OneWayResult,
    /// Mean absolute difference between the delays of packets that arrive one after the other (D of RFC 3550, 6.4.1).
    pub jitter_s: Option<f64>,
}

/// One-way delay over packets that arrived in the window.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct OneWayResult {
    /// Mean.
    pub mean: Option<f64>,
    /// Smallest.
    pub min: Option<f64>,
    /// Median.
    pub p50: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
}

/// Sum and spread of a quantity over flows.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Spread {
    /// Sum.
    pub sum: Option<f64>,
    /// Mean.
    pub mean: Option<f64>,
    /// Smallest.
    pub min: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
    /// Standard deviation of the sample.
    pub sd: Option<f64>,
}

impl Spread {
    /// Of these values; nothing of none.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        if values.is_empty() {
            return Self::default();
        }
        let n = values.len() as f64;
        let sum: f64 = values.iter().sum();
        let mean = sum / n;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        Self {
            sum: Some(sum),
            mean: Some(mean),
            min: values.iter().copied().reduce(f64::min),
            max: values.iter().copied().reduce(f64::max),
            sd: (values.len() > 1).then(|| (squares / (n - 1.0)).sqrt()),
        }
    }
}

/// Jain's index of fairness: (sum x)^2 / (n sum x^2), 1 where all are equal; `None` where there is nothing to share.
#[must_use]
pub fn jain_index(rates: &[f64]) -> Option<f64> {
    let sum: f64 = rates.iter().sum();
    let squares: f64 = rates.iter().map(|x| x * x).sum();
    (squares > 0.0).then(|| sum * sum / (rates.len() as f64 * squares))
}

/// Packet counts over the whole run, data, acknowledgements, control and cross traffic alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counters {
    /// Events processed.
    pub events: Option<u64>,
    /// Packets that left their source.
    pub packets_sent: Option<u64>,
    /// Packets that reached their destination.
    pub packets_delivered: Option<u64>,
    /// Packets dropped by queues or lost by links.
    pub packets_dropped: Option<u64>,
    /// Packets still on their way at the end.
    pub packets_in_flight: Option<u64>,
    /// Data packets that reached a receiver.
    pub data_packets_delivered: Option<u64>,
}

/// How world `theory` found its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TheoryNote {
    /// `closed form` or the solver's name.
    pub method: String,
    /// Largest relative violation of x q = alpha, feasibility and complementarity.
    pub residual: Option<f64>,
    /// Each link's price: its queueing delay in equilibrium, in seconds, in file order; null where only the sum over
    /// several links is determined.
    pub prices_s: Vec<Option<f64>>,
}

/// How world `sim` sampled link states.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// Length of a cell of the grid on which `bottleneck_share` is sampled, one moment in each, in seconds.
    pub bottleneck_grid_s: Option<f64>,
    /// Times that the set of bottleneck links changed between two samples, transitions through "none" left out.
    pub bottleneck_switches: Option<u64>,
}

/// What a run took.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Cost {
    /// CPU seconds of the process during the run.
    pub cpu_s: f64,
    /// Seconds on the wall.
    pub wall_s: f64,
}
