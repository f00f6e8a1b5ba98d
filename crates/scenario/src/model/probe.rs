//! Latency probes as written.

use eddyline_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Foreign probes of responsiveness (draft-ietf-ippm-responsiveness, section 5.2): at regular intervals a new connection makes a
/// TCP handshake, a TLS 1.3 handshake and a small HTTP request, a round trip each; every message is one packet, and a lost one is
/// sent again after 1 s, 2 s, 4 s, ... (RFC 6298).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Name, unique in the file.
    pub name: String,
    /// Links that requests cross, in order.
    #[schemars(length(min = 1, max = 255))]
    pub data: Vec<String>,
    /// Links that responses cross, in order.
    #[schemars(length(min = 1, max = 255))]
    pub ack: Vec<String>,
    /// Time between the starts of successive connections.
    #[serde(default = "tenth")]
    #[schemars(extend("x-minimum" = "10 ms", "x-maximum" = "200 d"))]
    pub every: Time,
    /// Requests of TLS and HTTP on the wire; SYN and SYN-ACK have 40 B.
    #[serde(default = "request")]
    #[schemars(extend("x-minimum" = "1 B", "x-maximum" = "64 KiB"))]
    pub request: Bytes,
    /// Responses of TLS and HTTP on the wire.
    #[serde(default = "response")]
    #[schemars(extend("x-minimum" = "1 B", "x-maximum" = "64 KiB"))]
    pub response: Bytes,
    /// Host at the subscriber's end, for queues that share between hosts; the same name, the same host. Default: the
    /// table's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Start of the first connection.
    #[serde(default)]
    #[schemars(extend("x-maximum" = "200 d"))]
    pub start: Time,
}

const fn tenth() -> Time {
    Time::from_ms(100)
}

const fn request() -> Bytes {
    Bytes::new(300)
}

const fn response() -> Bytes {
    Bytes::new(1500)
}
