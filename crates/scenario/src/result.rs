//! The result, which has the same structure in every world. Units are SI, as the names say; a value that a world cannot
//! determine is `None` and reads `null`.
//!
//! The doc comments are the descriptions of the result's JSON Schema ([`schema`]) and of the reference made from it;
//! `x-unit` is the unit there.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The JSON Schema of [`RunResult`], as it is written.
#[must_use]
pub fn schema() -> Json {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<RunResult>().to_value()
}

/// One run of a scenario in one world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// World that computed the result.
    pub world: String,
    /// Title of the scenario.
    pub title: String,
    /// Version of Eddyline.
    pub version: String,
    /// SHA-256 of the canonical scenario: JSON, after overrides, without comments.
    pub scenario_sha256: String,
    /// Seed of all random streams.
    pub seed: u64,
    /// One entry per flow, in file order.
    pub flows: Vec<FlowResult>,
    /// One entry per link, in file order.
    pub links: Vec<LinkResult>,
    /// One entry per `[[flow]]` table with `count` above 1.
    pub groups: Vec<GroupResult>,
    /// One entry per `[[arrivals]]` table.
    pub arrivals: Vec<ArrivalsResult>,
    /// One entry per `[[traffic]]` table; absent if the scenario has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<TrafficResult>,
    /// One entry per `[[probe]]` table; absent if the scenario has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probes: Vec<ProbeResult>,
    /// Packet and event counts over the whole run.
    pub counters: Counters,
    /// Everything in the scenario that the world could not honour, one sentence each.
    pub approximations: Vec<String>,
    /// How the solution was found; world `theory` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theory: Option<TheoryNote>,
    /// How link states were sampled; world `sim` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
    /// Whether the emulated path did what it should; world `kernel` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emulation: Option<Emulation>,
    /// Resources used by the run: the only part that differs between two runs of the same scenario and seed
    /// in virtual time (but for `noq-bbr3` of world `quic`, which cannot be seeded).
    pub cost: Cost,
}

/// Summary of one flow. Rates, means and percentiles cover the part of the summary window (`warmup` to `duration`) in which
/// the flow was active; counts cover the whole run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FlowResult {
    /// Name of the flow.
    pub name: String,
    /// Controller kind.
    pub controller: String,
    /// Rate of all data packets that arrived at the receiver, headers included. Of a packet that is arriving at an end of the window, the
    /// part that arrives within it counts, so this is at most the rate of a last link of constant delay.
    /// Retransmissions that arrive when all data has been delivered do not count.
    #[schemars(extend("x-unit" = "bit/s"))]
    pub throughput_bps: Option<f64>,
    /// Rate of payload delivered to the application in order. Data that waits at the receiver for a missing packet counts when
    /// that packet arrives, so a window in which a hole is filled may show more than the link rate, and the previous one less.
    #[schemars(extend("x-unit" = "bit/s"))]
    pub goodput_bps: Option<f64>,
    /// Rate of data packets that arrived at the receiver for the first time.
    #[schemars(extend("x-unit" = "packets/s"))]
    pub packets_per_s: Option<f64>,
    /// Round-trip time samples of the sender: one of each acknowledgement, with SACK of duplicates too, from the segment that
    /// caused it, unless that is a retransmission (Karn's algorithm, RFC 6298, 3, by the copy that arrived).
    #[schemars(extend("x-unit" = "s"))]
    pub rtt_s: RttResult,
    /// Round trips a minute at the mean of the lowest 95 % of the round-trip time samples: the loaded responsiveness of
    /// draft-ietf-ippm-responsiveness, section 5.3, for requests on this connection.
    #[schemars(extend("x-unit" = "/min"))]
    pub responsiveness_rpm: Option<f64>,
    /// The controller's estimate of the base round-trip time, mean over the window.
    #[schemars(extend("x-unit" = "s"))]
    pub base_rtt_s: Option<f64>,
    /// Sum of the forward and the reverse queueing delay.
    #[schemars(extend("x-unit" = "s"))]
    pub queueing_delay_s: Option<f64>,
    /// Mean queueing delay of data packets, summed over the links that they cross.
    #[schemars(extend("x-unit" = "s"))]
    pub forward_queueing_delay_s: Option<f64>,
    /// Mean queueing delay of acknowledgements, summed over the links that they cross.
    #[schemars(extend("x-unit" = "s"))]
    pub reverse_queueing_delay_s: Option<f64>,
    /// Share of acknowledgements that reach the sender less than half a data packet's transmission time (on the slowest link of
    /// the data path, at the highest rate that it has in the summary window) after the previous one.
    #[schemars(extend("x-unit" = "ratio"))]
    pub ack_compression: Option<f64>,
    /// Congestion window (cwnd); while PRR reduces it, what may be in flight (RFC 9937, 6.2). World `theory` gives delay-based
    /// flows that of its equations, `packets_per_s` times `base_rtt_s` and `queueing_delay_s`, without the transmission times that
    /// its `rtt_s` contains; that of a response function counts the packets sent in a round trip, lost ones too.
    #[schemars(extend("x-unit" = "packets"))]
    pub window_packets: WindowResult,
    /// Payload delivered to the application in order, whole run.
    #[schemars(extend("x-unit" = "B"))]
    pub delivered_bytes: Option<u64>,
    /// Data packets retransmitted, whole run.
    #[schemars(extend("x-unit" = "packets"))]
    pub retransmits: Option<u64>,
    /// Expiries of the retransmission timer, whole run.
    #[schemars(extend("x-unit" = "count"))]
    pub timeouts: Option<u64>,
    /// When the FIN was acknowledged; null if the flow did not complete.
    #[schemars(extend("x-unit" = "s"))]
    pub completed_at_s: Option<f64>,
    /// Packets refused because the sender's NIC queue was full, whole run; only if `tcp.local` reports a full NIC queue to the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "packets"))]
    pub card_refusals: Option<u64>,
    /// Packets that accurate ECN feedback reported to the sender as marked, whole run; only if `tcp.accurate_ecn` is on. With the
    /// AccECN option these are marked bytes, expressed in full packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "packets"))]
    pub delivered_ce: Option<f64>,
    /// Why the controller, one from a file, failed; nothing new was sent after that. Only if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// Distribution of round-trip time samples. In world `sim` with more than 10,000 flows, those of a table with `count` above 1 have
/// percentiles in their group only.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct RttResult {
    /// Mean.
    #[schemars(extend("x-unit" = "s"))]
    pub mean: Option<f64>,
    /// Minimum.
    #[schemars(extend("x-unit" = "s"))]
    pub min: Option<f64>,
    /// Median.
    #[schemars(extend("x-unit" = "s"))]
    pub p50: Option<f64>,
    /// 99th percentile.
    #[schemars(extend("x-unit" = "s"))]
    pub p99: Option<f64>,
}

/// Congestion window.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WindowResult {
    /// Time-weighted mean.
    #[schemars(extend("x-unit" = "packets"))]
    pub mean: Option<f64>,
    /// Minimum.
    #[schemars(extend("x-unit" = "packets"))]
    pub min: Option<f64>,
    /// Maximum.
    #[schemars(extend("x-unit" = "packets"))]
    pub max: Option<f64>,
}

/// Summary of one link. Rates, means and percentiles cover the summary window; counts cover the whole run. Queue statistics
/// count waiting packets only, not the one in transmission.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LinkResult {
    /// Name of the link.
    pub name: String,
    /// Bits transmitted in the window, over what the link can transmit in it: rate times window, or the integral of a rate that varies.
    /// Of a packet whose transmission crosses an end of the window, the part transmitted within it counts, so this is at most 1.
    #[schemars(extend("x-unit" = "ratio"))]
    pub utilisation: Option<f64>,
    /// Utilisation by data packets.
    #[schemars(extend("x-unit" = "ratio"))]
    pub data_utilisation: Option<f64>,
    /// Utilisation by the payload of data packets.
    #[schemars(extend("x-unit" = "ratio"))]
    pub goodput_utilisation: Option<f64>,
    /// Utilisation by acknowledgements and control packets (SYN, SYN-ACK, FIN).
    #[schemars(extend("x-unit" = "ratio"))]
    pub ack_utilisation: Option<f64>,
    /// Waiting packets.
    #[schemars(extend("x-unit" = "packets"))]
    pub queue_packets: QueueResult,
    /// Waiting bytes.
    #[schemars(extend("x-unit" = "B"))]
    pub queue_bytes: QueueResult,
    /// Queueing delay of packets that left the queue, transmission excluded.
    #[schemars(extend("x-unit" = "s"))]
    pub queueing_delay_s: DelayResult,
    /// Packets dropped by the queue, whole run.
    #[schemars(extend("x-unit" = "packets"))]
    pub drops: Drops,
    /// Packets marked "congestion experienced" (CE, RFC 3168) by the queue, whole run; a packet counts as its transmission
    /// begins.
    #[schemars(extend("x-unit" = "packets"))]
    pub marked: Option<u64>,
    /// Packets lost by the link's loss model, whole run.
    #[schemars(extend("x-unit" = "packets"))]
    pub lost: Option<u64>,
    /// Packets damaged on the link, whole run; each is dropped where its path ends. Only if `corrupt` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-unit" = "packets"))]
    pub corrupted: Option<u64>,
    /// Whether `bottleneck_share` is at least one half (world `theory`: the price is above zero).
    pub bottleneck: Option<bool>,
    /// Share of time in which this link has the longest queueing delay on the path of at least one flow, and one above the time that its
    /// largest packet would take from then on, at the rates that the link has then: a data packet if it transmits data or cross traffic in
    /// the summary window, else an acknowledgement. The delay is that of all that waits at the link; behind queues that are fair to flows,
    /// and `ack_priority`, that of the flow's own packets, except for flows of `[[arrivals]]`. Sampled at one uniformly random moment in
    /// each cell of a regular grid; null with more than 1,000 links.
    #[schemars(extend("x-unit" = "ratio"))]
    pub bottleneck_share: Option<f64>,
}

/// Queue length, in packets or bytes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct QueueResult {
    /// Time-weighted mean.
    pub mean: Option<f64>,
    /// Maximum.
    pub max: Option<f64>,
}

/// Distribution of queueing delay.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct DelayResult {
    /// Mean over packets.
    #[schemars(extend("x-unit" = "s"))]
    pub mean: Option<f64>,
    /// Median over packets.
    #[schemars(extend("x-unit" = "s"))]
    pub p50: Option<f64>,
    /// 99th percentile over packets.
    #[schemars(extend("x-unit" = "s"))]
    pub p99: Option<f64>,
}

/// Summary of one table of latency probes (draft-ietf-ippm-responsiveness): of the connections whose round trips end in the summary
/// window. Counts cover the whole run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProbeResult {
    /// Name of the table.
    pub name: String,
    /// Connections started.
    #[schemars(extend("x-unit" = "connections"))]
    pub started: Option<u64>,
    /// Connections whose three round trips ended.
    #[schemars(extend("x-unit" = "connections"))]
    pub completed: Option<u64>,
    /// Connections that were given up, or had sent a message again at the end of the run and still waited for the answer. Their times are not in
    /// `tcp_s`, `tls_s` and `http_s`, so these, responsiveness and grades are too good where there are many.
    #[serde(default)]
    #[schemars(extend("x-unit" = "connections"))]
    pub unanswered: Option<u64>,
    /// Messages sent again because they or their responses did not arrive.
    #[schemars(extend("x-unit" = "packets"))]
    pub retransmits: Option<u64>,
    /// A request over HTTP on the idle path: propagation and transmission of request and response, by the scenario. Where these vary,
    /// their means over connections that begin at any time of the summary window and, if any do, end in the run, with jitter. Waits for
    /// the end of outages are most often of the handshakes before, as in `http_s`.
    #[schemars(extend("x-unit" = "s"))]
    pub idle_s: Option<f64>,
    /// TCP handshakes.
    #[schemars(extend("x-unit" = "s"))]
    pub tcp_s: ProbeTimes,
    /// TLS handshakes.
    #[schemars(extend("x-unit" = "s"))]
    pub tls_s: ProbeTimes,
    /// Requests over HTTP.
    #[schemars(extend("x-unit" = "s"))]
    pub http_s: ProbeTimes,
    /// Responsiveness of new connections: 60 s over the mean of the trimmed means of `tcp_s`, `tls_s` and `http_s`.
    #[schemars(extend("x-unit" = "/min"))]
    pub foreign_rpm: Option<f64>,
    /// Responsiveness of loaded connections: 60 s over the trimmed mean of the round-trip time samples of all `[[flow]]`s that share
    /// a link with the probes; transfers of `[[arrivals]]` have no samples.
    #[schemars(extend("x-unit" = "/min"))]
    pub loaded_rpm: Option<f64>,
    /// Responsiveness: the mean of `foreign_rpm` and `loaded_rpm`, or the one that is known.
    #[schemars(extend("x-unit" = "/min"))]
    pub responsiveness_rpm: Option<f64>,
}

/// Distribution of the times of round trips of probes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProbeTimes {
    /// Mean.
    #[schemars(extend("x-unit" = "s"))]
    pub mean: Option<f64>,
    /// Minimum.
    #[schemars(extend("x-unit" = "s"))]
    pub min: Option<f64>,
    /// Median.
    #[schemars(extend("x-unit" = "s"))]
    pub p50: Option<f64>,
    /// 99th percentile.
    #[schemars(extend("x-unit" = "s"))]
    pub p99: Option<f64>,
    /// Mean of the lowest 95 %.
    #[schemars(extend("x-unit" = "s"))]
    pub trimmed_mean: Option<f64>,
}

/// Packets dropped by a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Drops {
    /// Data packets.
    #[schemars(extend("x-unit" = "packets"))]
    pub data: Option<u64>,
    /// Acknowledgements and control packets.
    #[schemars(extend("x-unit" = "packets"))]
    pub ack: Option<u64>,
    /// Packets of `[[traffic]]` and `[[probe]]` tables.
    #[schemars(extend("x-unit" = "packets"))]
    pub cross: Option<u64>,
}

/// Sums and spreads over the flows of one `[[flow]]` table with `count` above 1.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct GroupResult {
    /// Name of the table.
    pub name: String,
    /// Number of flows.
    #[schemars(extend("x-unit" = "flows"))]
    pub count: u64,
    /// Sum of the flows' throughputs.
    #[schemars(extend("x-unit" = "bit/s"))]
    pub throughput_bps: Option<f64>,
    /// Goodputs of the flows.
    #[schemars(extend("x-unit" = "bit/s"))]
    pub goodput_bps: Spread,
    /// Sum of the flows' packet rates.
    #[schemars(extend("x-unit" = "packets/s"))]
    pub packets_per_s: Option<f64>,
    /// Jain's fairness index of the flows' goodputs.
    #[schemars(extend("x-unit" = "ratio"))]
    pub jain_index: Option<f64>,
    /// Round-trip time samples of all flows together.
    #[schemars(extend("x-unit" = "s"))]
    pub rtt_s: RttResult,
    /// Round trips a minute at the mean of the lowest 95 % of the samples in `rtt_s`.
    #[schemars(extend("x-unit" = "/min"))]
    pub responsiveness_rpm: Option<f64>,
    /// Sum over the flows.
    #[schemars(extend("x-unit" = "B"))]
    pub delivered_bytes: Option<u64>,
    /// Sum over the flows.
    #[schemars(extend("x-unit" = "packets"))]
    pub retransmits: Option<u64>,
    /// Sum over the flows.
    #[schemars(extend("x-unit" = "count"))]
    pub timeouts: Option<u64>,
    /// Flows that completed.
    #[schemars(extend("x-unit" = "flows"))]
    pub completed: Option<u64>,
}

/// Summary of the dynamic flows of one `[[arrivals]]` table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ArrivalsResult {
    /// Name of the table.
    pub name: String,
    /// Controller kind.
    pub controller: String,
    /// Flows that arrived, whole run.
    #[schemars(extend("x-unit" = "flows"))]
    pub arrived: Option<u64>,
    /// Flows that completed, whole run.
    #[schemars(extend("x-unit" = "flows"))]
    pub completed: Option<u64>,
    /// Time-weighted mean number of flows present.
    #[schemars(extend("x-unit" = "flows"))]
    pub mean_present: Option<f64>,
    /// Flows that are unfinished at the end of the run and older than `completion_s.p99`. Completion times are of flows that completed, so
    /// they are too short where these are many.
    #[serde(default)]
    #[schemars(extend("x-unit" = "flows"))]
    pub overdue: Option<u64>,
    /// Flow completion times (arrival to completion) of flows that completed in the window.
    #[schemars(extend("x-unit" = "s"))]
    pub completion_s: CompletionResult,
    /// Completion times by transfer size; classes without a completion are left out.
    pub by_size: Vec<SizeClassResult>,
    /// Payload of the flows that completed, whole run.
    #[schemars(extend("x-unit" = "B"))]
    pub delivered_bytes: Option<u64>,
    /// Data packets retransmitted by flows that completed, whole run.
    #[schemars(extend("x-unit" = "packets"))]
    pub retransmits: Option<u64>,
    /// Expiries of the retransmission timers of flows that completed, whole run.
    #[schemars(extend("x-unit" = "count"))]
    pub timeouts: Option<u64>,
    /// Why the controller, one from a file, failed first in one of the flows; a flow sends nothing new after that. Only if one failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// Distribution of flow completion times.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CompletionResult {
    /// Mean.
    #[schemars(extend("x-unit" = "s"))]
    pub mean: Option<f64>,
    /// Median.
    #[schemars(extend("x-unit" = "s"))]
    pub p50: Option<f64>,
    /// 90th percentile.
    #[schemars(extend("x-unit" = "s"))]
    pub p90: Option<f64>,
    /// 99th percentile.
    #[schemars(extend("x-unit" = "s"))]
    pub p99: Option<f64>,
}

/// Completion times of transfers in a range of sizes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SizeClassResult {
    /// Minimum payload of the class.
    #[schemars(extend("x-unit" = "B"))]
    pub from_bytes: u64,
    /// Payload is below this; null for the last class.
    #[schemars(extend("x-unit" = "B"))]
    pub below_bytes: Option<u64>,
    /// Flows of the class that completed in the window.
    #[schemars(extend("x-unit" = "flows"))]
    pub completed: u64,
    /// Their completion times.
    #[schemars(extend("x-unit" = "s"))]
    pub completion_s: CompletionResult,
}

/// Summary of one source of unresponsive cross traffic, as a call, video stream or game would experience it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TrafficResult {
    /// Name of the table.
    pub name: String,
    /// Rate of the packets that arrived, headers included. The interval starts when the source's first packet may arrive (`start`
    /// plus the path's propagation delay, the smallest where it varies) and ends when its last one may (`stop` plus that delay) or,
    /// delayed by queues, does.
    #[schemars(extend("x-unit" = "bit/s"))]
    pub throughput_bps: Option<f64>,
    /// Packets sent, whole run.
    #[schemars(extend("x-unit" = "packets"))]
    pub packets_sent: Option<u64>,
    /// Packets that arrived, whole run.
    #[schemars(extend("x-unit" = "packets"))]
    pub packets_delivered: Option<u64>,
    /// Packets dropped by queues, lost by links, or damaged by links, whole run.
    #[schemars(extend("x-unit" = "packets"))]
    pub packets_dropped: Option<u64>,
    /// Packets dropped over packets dropped and delivered, whole run (RFC 7680).
    #[schemars(extend("x-unit" = "ratio"))]
    pub loss_ratio: Option<f64>,
    /// Delay from sending to arrival, transmission included (RFC 7679).
    #[schemars(extend("x-unit" = "s"))]
    pub one_way_delay_s: OneWayResult,
    /// Mean absolute difference between the one-way delays of consecutive arrivals (D of RFC 3550, section 6.4.1).
    #[schemars(extend("x-unit" = "s"))]
    pub jitter_s: Option<f64>,
}

/// Distribution of one-way delay over packets that arrived in the window.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct OneWayResult {
    /// Mean.
    #[schemars(extend("x-unit" = "s"))]
    pub mean: Option<f64>,
    /// Minimum.
    #[schemars(extend("x-unit" = "s"))]
    pub min: Option<f64>,
    /// Median.
    #[schemars(extend("x-unit" = "s"))]
    pub p50: Option<f64>,
    /// 99th percentile.
    #[schemars(extend("x-unit" = "s"))]
    pub p99: Option<f64>,
}

/// Sum and spread of a quantity over flows.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// Sum.
    pub sum: Option<f64>,
    /// Mean.
    pub mean: Option<f64>,
    /// Minimum.
    pub min: Option<f64>,
    /// Maximum.
    pub max: Option<f64>,
    /// Sample standard deviation.
    pub sd: Option<f64>,
}

impl Spread {
    /// Spread of `values`; all fields are `None` for an empty slice.
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

/// Jain's fairness index, (sum x)^2 / (n sum x^2): 1 if all rates are equal; `None` if all are zero.
#[must_use]
pub fn jain_index(rates: &[f64]) -> Option<f64> {
    let sum: f64 = rates.iter().sum();
    let squares: f64 = rates.iter().map(|x| x * x).sum();
    // rounding may exceed 1 where rates are equal
    (squares > 0.0).then(|| (sum * sum / (rates.len() as f64 * squares)).min(1.0))
}

/// Counts over the whole run. Packets of every kind count: data, acknowledgements, control and cross traffic.
/// `packets_sent` is the sum of `packets_delivered`, `packets_dropped` and `packets_in_flight`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Counters {
    /// Events processed by the simulator.
    #[schemars(extend("x-unit" = "events"))]
    pub events: Option<u64>,
    /// Packets that left their source.
    #[schemars(extend("x-unit" = "packets"))]
    pub packets_sent: Option<u64>,
    /// Packets that reached their destination.
    #[schemars(extend("x-unit" = "packets"))]
    pub packets_delivered: Option<u64>,
    /// Packets dropped by queues, lost by links, or damaged by links.
    #[schemars(extend("x-unit" = "packets"))]
    pub packets_dropped: Option<u64>,
    /// Packets in the network at the end of the run.
    #[schemars(extend("x-unit" = "packets"))]
    pub packets_in_flight: Option<u64>,
    /// Data packets that reached a receiver.
    #[schemars(extend("x-unit" = "packets"))]
    pub data_packets_delivered: Option<u64>,
}

/// How world `theory` found its solution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TheoryNote {
    /// `closed form`, or the name of the solver.
    pub method: String,
    /// Largest relative violation of the equilibrium conditions: x q = alpha, feasibility and complementary slackness.
    #[schemars(extend("x-unit" = "ratio"))]
    pub residual: Option<f64>,
    /// Price of each link, which is its queueing delay in equilibrium, in file order; null where only the sum over several links is
    /// determined.
    #[schemars(extend("x-unit" = "s"))]
    pub prices_s: Vec<Option<f64>>,
}

/// How world `sim` sampled link states.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sampling {
    /// Cell length of the grid on which `bottleneck_share` is sampled, one moment per cell.
    #[schemars(extend("x-unit" = "s"))]
    pub bottleneck_grid_s: Option<f64>,
    /// How often the set of bottleneck links changed between two samples; transitions through the empty set are not counted.
    #[schemars(extend("x-unit" = "count"))]
    pub bottleneck_switches: Option<u64>,
}

/// How well world `kernel` emulated the path in real time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Emulation {
    /// Nothing disturbed the run that is known to change results.
    pub trusted: bool,
    /// Why the run cannot be trusted, one sentence each.
    pub because: Vec<String>,
    /// How late packets were delivered, against the emulated times. Lateness does not add up: queues and links work on emulated times.
    #[schemars(extend("x-unit" = "s"))]
    pub lateness_s: LatenessResult,
    /// Packets dropped by network devices, outside the modelled queues.
    #[schemars(extend("x-unit" = "packets"))]
    pub device_drops: u64,
    /// The threads of the emulator had real-time priority.
    pub real_time_priority: bool,
    /// What a plain link with the rate and delay of the first flow had before the run. Null in virtual time, and where a check would take long.
    #[serde(default)]
    pub check: Option<PathCheck>,
}

/// Measurements of an emulated link, beside what it was asked to have.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PathCheck {
    /// Rate at which a burst arrived.
    #[schemars(extend("x-unit" = "bit/s"))]
    pub rate_bps: Option<f64>,
    /// Rate of the first flow's slowest data link.
    #[schemars(extend("x-unit" = "bit/s"))]
    pub asked_rate_bps: f64,
    /// Smallest delay of a datagram that found the link idle.
    #[schemars(extend("x-unit" = "s"))]
    pub delay_s: Option<f64>,
    /// Propagation and transmission.
    #[schemars(extend("x-unit" = "s"))]
    pub asked_delay_s: f64,
    /// Packets of a burst that found room in the queue; null where the burst was too slow to fill it.
    #[schemars(extend("x-unit" = "packets"))]
    pub queue_packets: Option<f64>,
    /// Limit of the queue.
    #[schemars(extend("x-unit" = "packets"))]
    pub asked_queue_packets: f64,
}

/// Distribution of lateness over packets.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LatenessResult {
    /// Median.
    #[schemars(extend("x-unit" = "s"))]
    pub p50: Option<f64>,
    /// 99th percentile.
    #[schemars(extend("x-unit" = "s"))]
    pub p99: Option<f64>,
    /// Maximum.
    #[schemars(extend("x-unit" = "s"))]
    pub max: Option<f64>,
}

/// Resources used by a run.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// CPU time of the process during the run.
    #[schemars(extend("x-unit" = "s"))]
    pub cpu_s: f64,
    /// Elapsed real time.
    #[schemars(extend("x-unit" = "s"))]
    pub wall_s: f64,
}
