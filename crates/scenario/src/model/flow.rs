//! Flows, unresponsive traffic and arrivals as written.

use eddyline_cc::ControllerParams;
use eddyline_path::traffic::{SizeParams, TrafficParams};
use eddyline_units::{Bytes, Frequency, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tcp::Tcp;

/// A sender under a congestion controller, and its receiver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Name, unique in the file.
    pub name: String,
    /// Congestion controller with its parameters.
    pub controller: ControllerParams,
    /// Transport protocol, in a world that has it; only world `kernel` has both. Default: TCP in worlds `sim` and `kernel`, QUIC in
    /// world `quic`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    /// Links that data packets cross, in order.
    #[schemars(length(min = 1, max = 255))]
    pub data: Vec<String>,
    /// Links that acknowledgements cross, in order.
    #[schemars(length(min = 1, max = 255))]
    pub ack: Vec<String>,
    /// Host at the subscriber's end, for queues that share between hosts; the same name, the same host. Default: the
    /// table's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Size of a full data packet on the wire; above `header`.
    #[serde(default = "default_packet")]
    #[schemars(extend("x-minimum" = "1 B", "x-maximum" = "1 GB"))]
    pub packet: Bytes,
    /// Headers in a data packet: the part that is not payload.
    #[serde(default = "default_header")]
    pub header: Bytes,
    /// Size of an acknowledgement, SYN, SYN-ACK or FIN on the wire.
    #[serde(default = "default_header")]
    #[schemars(extend("x-minimum" = "1 B", "x-maximum" = "1 GB"))]
    pub ack_packet: Bytes,
    /// Short for `tcp.ack_every = 2`; only one of the two may be given. Default: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delayed_ack: Option<bool>,
    /// Flow of the opposite direction of the same connection: acknowledgements of each are piggybacked on data of the other. Its data and
    /// ack paths are this flow's, exchanged. Only one of the two flows needs the key. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub piggyback: Option<String>,
    /// Receive window in bytes of payload, at least one full segment. Default: unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_window: Option<Bytes>,
    /// Delay of an uncongested access on each sub-path; it never queues and takes no transmission time.
    #[serde(default)]
    pub access_delay: AccessDelay,
    /// TCP options.
    #[serde(default)]
    pub tcp: Tcp,
    /// What the sending application offers.
    #[serde(default)]
    pub application: ApplicationParams,
    /// How many flows this table makes, named `NAME[0]`, `NAME[1]`, ... if more than one; 0 leaves them out.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub count: u32,
    /// Time between the starts of successive flows of the table.
    #[serde(default)]
    #[schemars(extend("x-maximum" = "200 d"))]
    pub stagger: Time,
    /// When the (first) flow starts.
    #[serde(default)]
    #[schemars(extend("x-maximum" = "200 d"))]
    pub start: Time,
    /// Each flow starts later by a random time below this, uniform and drawn by the seed and the flow's name. Default: 0 s.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("default" = "0 s"))]
    #[schemars(extend("x-maximum" = "200 d"))]
    pub start_jitter: Time,
    /// When the application stops sending: the FIN follows the last data, and what is in flight is delivered. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = "200 d"))]
    pub stop: Option<Time>,
    /// Payload bytes to transfer; the flow completes when its FIN is acknowledged. Default: unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-minimum" = "1 B"))]
    pub size: Option<Bytes>,
}

/// A transport protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// TCP.
    Tcp,
    /// QUIC.
    Quic,
}

/// Delay of the uncongested access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccessDelay {
    /// On the data path.
    #[serde(default)]
    #[schemars(extend("x-maximum" = "1 h"))]
    pub data: Time,
    /// On the acknowledgement path.
    #[serde(default)]
    #[schemars(extend("x-maximum" = "1 h"))]
    pub ack: Time,
}

/// What the sending application offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum ApplicationParams {
    /// Data as fast as the transport takes it.
    #[default]
    Bulk,
    /// A number of bytes at once, periodically.
    Bursts {
        /// Payload bytes of one burst.
        #[schemars(extend("x-minimum" = "1 B"))]
        bytes: Bytes,
        /// From the start of one burst to the start of the next.
        #[schemars(extend("x-minimum" = "1 us", "x-maximum" = "200 d"))]
        every: Time,
    },
    /// A number of bytes at once, then the next as soon as all of them are acknowledged: objects that a client requests sequentially, each
    /// request sent with the last acknowledgement of the previous object.
    Objects {
        /// Payload bytes of one object; with `size`, the last may be shorter.
        #[schemars(extend("x-minimum" = "1 B"))]
        bytes: Bytes,
    },
}

/// Unresponsive traffic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// Name, unique in the file.
    pub name: String,
    /// Links crossed, in order.
    #[schemars(length(min = 1, max = 255))]
    pub path: Vec<String>,
    /// Traffic model with its parameters.
    pub model: TrafficParams,
    /// Host at the subscriber's end, for queues that share between hosts; the same name, the same host. Default: the
    /// table's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Size of a packet on the wire; the largest if the model has several sizes. A trace of packets is sent as recorded: where its largest
    /// packet is above 1500 B, that is the default, and less than its largest packet is refused.
    #[serde(default = "default_packet")]
    #[schemars(extend("x-minimum" = "1 B", "x-maximum" = "1 GB"))]
    pub packet: Bytes,
    /// Start of the traffic.
    #[serde(default)]
    #[schemars(extend("x-maximum" = "200 d"))]
    pub start: Time,
    /// End of the traffic. Default: the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = "200 d"))]
    pub stop: Option<Time>,
}

/// Flows that arrive at random (Poisson) and leave when their transfer is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// Name, unique in the file.
    pub name: String,
    /// Mean arrival rate.
    #[schemars(extend("x-exclusiveMinimum" = 0, "x-maximum" = "1000000000 /s"))]
    pub rate: Frequency,
    /// Distribution of the transfers' payload.
    pub size: SizeParams,
    /// Congestion controller with its parameters.
    pub controller: ControllerParams,
    /// Links that data packets cross, in order.
    #[schemars(length(min = 1, max = 255))]
    pub data: Vec<String>,
    /// Links that acknowledgements cross, in order.
    #[schemars(length(min = 1, max = 255))]
    pub ack: Vec<String>,
    /// Host at the subscriber's end, for queues that share between hosts; the same name, the same host. Default: the
    /// table's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Size of a full data packet on the wire; above `header`.
    #[serde(default = "default_packet")]
    #[schemars(extend("x-minimum" = "1 B", "x-maximum" = "1 GB"))]
    pub packet: Bytes,
    /// Headers in a data packet: the part that is not payload.
    #[serde(default = "default_header")]
    pub header: Bytes,
    /// Size of an acknowledgement, SYN, SYN-ACK or FIN on the wire.
    #[serde(default = "default_header")]
    #[schemars(extend("x-minimum" = "1 B", "x-maximum" = "1 GB"))]
    pub ack_packet: Bytes,
    /// Short for `tcp.ack_every = 2`; only one of the two may be given. Default: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delayed_ack: Option<bool>,
    /// Receive window in bytes of payload, at least one full segment. Default: unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_window: Option<Bytes>,
    /// Delay of an uncongested access on each sub-path.
    #[serde(default)]
    pub access_delay: AccessDelay,
    /// TCP options.
    #[serde(default)]
    pub tcp: Tcp,
}

impl Arrivals {
    /// The table of one of its flows, without `start` and `size`.
    #[must_use]
    pub fn each(&self) -> Flow {
        Flow {
            name: self.name.clone(),
            controller: self.controller.clone(),
            transport: None,
            data: self.data.clone(),
            ack: self.ack.clone(),
            host: self.host.clone(),
            packet: self.packet,
            header: self.header,
            ack_packet: self.ack_packet,
            delayed_ack: self.delayed_ack,
            piggyback: None,
            receive_window: self.receive_window,
            access_delay: self.access_delay,
            tcp: self.tcp.clone(),
            application: ApplicationParams::Bulk,
            count: one(),
            stagger: Time::ZERO,
            start: Time::ZERO,
            start_jitter: Time::ZERO,
            stop: None,
            size: None,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(time: &Time) -> bool {
    *time == Time::ZERO
}

pub(crate) const fn default_packet() -> Bytes {
    Bytes::new(1500)
}

const fn default_header() -> Bytes {
    Bytes::new(40)
}

const fn one() -> u32 {
    1
}
