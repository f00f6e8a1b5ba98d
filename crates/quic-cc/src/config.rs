//! A controller's parameters and facts about the path, from which each connection gets a controller of its own.

use std::str::FromStr;
use std::time::{Duration, Instant};

use eddyline_cc::{ControllerParams, Delay, EcnResponse, PathFacts};
use eddyline_units::Time;

use crate::receipts::Receipts;
use crate::text;

/// Why there is no such controller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text is not `kind` or `kind(parameter = value, ...)`.
    #[error("{text:?}: {reason}")]
    Syntax {
        /// What was written.
        text: String,
        /// The error.
        reason: String,
    },
    /// No controller of this name.
    #[error("unknown controller {name:?}; known: {known}")]
    UnknownKind {
        /// What was written.
        name: String,
        /// All names.
        known: String,
    },
    /// A parameter is unknown, missing or out of range.
    #[error("{kind}: {reason}")]
    Parameter {
        /// The controller.
        kind: String,
        /// The error.
        reason: String,
    },
    /// A one-way delay is the signal, and nothing measures it.
    #[error(
        "delay = {delay:?} needs the receiver's time of arrival of each packet, which QUIC does not carry; give receipts"
    )]
    NeedsReceipts {
        /// `forward` or `weighted`.
        delay: String,
    },
    /// The stack's trait has no way to do this.
    #[error("{parameter} is given, but {stack} lets no controller set it")]
    Unsupported {
        /// The parameter.
        parameter: &'static str,
        /// The QUIC stack.
        stack: &'static str,
    },
}

/// A controller with its parameters, and what it is told of the path.
///
/// ```
/// use std::time::Duration;
///
/// use eddyline_quic_cc::Config;
///
/// let config: Config = "fast(alpha = 20, gamma = 0.5, base_rtt = known)".parse()?;
/// let config = config.known_base_rtt(Duration::from_millis(40)).initial_window(10.0);
/// assert_eq!(config.params().name(), "fast");
/// # Ok::<(), eddyline_quic_cc::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Config {
    params: ControllerParams,
    known_base_rtt: Option<Time>,
    initial_window: f64,
    minimum_window: f64,
    byte_counting: Option<f64>,
    ack_ratio: u32,
    header_bytes: u32,
    facts: Option<PathFacts>,
    receipts: Option<Receipts>,
    epoch: Option<Instant>,
}

impl Config {
    /// A controller with typed parameters, registered ones included.
    #[must_use]
    pub fn new(params: ControllerParams) -> Self {
        Self {
            params,
            known_base_rtt: None,
            initial_window: 10.0,
            minimum_window: 2.0,
            byte_counting: Some(f64::INFINITY),
            ack_ratio: 2,
            header_bytes: 28,
            facts: None,
            receipts: None,
            epoch: None,
        }
    }

    /// The round-trip time without queueing, for `base_rtt = known`. Default: estimated.
    #[must_use]
    pub fn known_base_rtt(mut self, rtt: Duration) -> Self {
        self.known_base_rtt = Some(Time::from_secs_f64(rtt.as_secs_f64()));
        self
    }

    /// Initial window in packets, at least one. Default: 10 (RFC 9002, 7.2).
    #[must_use]
    pub fn initial_window(mut self, packets: f64) -> Self {
        self.initial_window = packets.max(1.0);
        self
    }

    /// The window that is reported is never below this number of packets, at least one; the controller's own may be. Default: 2
    /// (RFC 9002, 7.2).
    #[must_use]
    pub fn minimum_window(mut self, packets: f64) -> Self {
        self.minimum_window = packets.max(1.0);
        self
    }

    /// Maximum growth per ACK frame in slow start, in packets; none to grow by one packet per ACK frame as TCP did before RFC 3465.
    /// Default: everything acknowledged (RFC 9002, 7.3.1).
    #[must_use]
    pub fn byte_counting(mut self, limit: Option<f64>) -> Self {
        self.byte_counting = limit;
        self
    }

    /// Packets that the receiver acknowledges together. Default: 2 (RFC 9000, 13.2.2).
    #[must_use]
    pub fn ack_ratio(mut self, packets: u32) -> Self {
        self.ack_ratio = packets.max(1);
        self
    }

    /// Bytes of a datagram on the wire beyond its UDP payload. Default: 28 (IPv4 and UDP).
    #[must_use]
    pub fn header_bytes(mut self, bytes: u32) -> Self {
        self.header_bytes = bytes;
        self
    }

    /// All facts about the path at once, in place of those above.
    #[must_use]
    pub fn path_facts(mut self, facts: PathFacts) -> Self {
        self.facts = Some(facts);
        self
    }

    /// The receiver's record of arrivals, for `delay = forward` and `weighted`, for LEDBAT's one-way delay and for counts of ECN
    /// marks. Default: none; the whole round trip counts as forward delay.
    #[must_use]
    pub fn receipts(mut self, receipts: Receipts) -> Self {
        self.receipts = Some(receipts);
        self
    }

    /// Time zero of the controller; not after its first packet. Default: when the controller is made.
    #[must_use]
    pub fn epoch(mut self, epoch: Instant) -> Self {
        self.epoch = Some(epoch);
        self
    }

    /// The controller's parameters.
    #[must_use]
    pub fn params(&self) -> &ControllerParams {
        &self.params
    }

    /// How the controller reacts to ECN marks: a stack that can choose sends ECT(1) packets for [`EcnResponse::LowLatency`].
    #[must_use]
    pub fn ecn_response(&self) -> EcnResponse {
        use eddyline_cc::Controller as _;
        self.params.build(&self.facts(1200)).ecn_response()
    }

    /// Whether `stack`, which lets no controller choose the acknowledgement ratio, can do what the parameters ask.
    ///
    /// # Errors
    /// [`Error::NeedsReceipts`], [`Error::Unsupported`].
    pub fn check(&self, stack: &'static str) -> Result<(), Error> {
        let Some(options) = self.params.delay_options() else { return Ok(()) };
        if options.delay.is_one_way() && self.receipts.is_none() {
            let delay = if options.delay == Delay::Forward { "forward" } else { "weighted" };
            return Err(Error::NeedsReceipts { delay: delay.to_owned() });
        }
        if options.ack_alpha.is_some() {
            return Err(Error::Unsupported { parameter: "ack_alpha", stack });
        }
        Ok(())
    }

    pub(crate) fn facts(&self, mtu: u16) -> PathFacts {
        self.facts.unwrap_or_else(|| PathFacts {
            mss: u32::from(mtu),
            packet_bytes: u32::from(mtu) + self.header_bytes,
            ack_bytes: ACK_PACKET + self.header_bytes,
            ack_ratio: self.ack_ratio,
            initial_window: self.initial_window,
            known_base_rtt: self.known_base_rtt,
            byte_counting: self.byte_counting,
            paced: true,
        })
    }

    pub(crate) fn minimum_window_packets(&self) -> f64 {
        self.minimum_window
    }

    pub(crate) fn receipts_table(&self) -> Option<&Receipts> {
        self.receipts.as_ref()
    }

    pub(crate) fn epoch_or(&self, now: Instant) -> Instant {
        self.epoch.unwrap_or(now)
    }
}

impl From<ControllerParams> for Config {
    fn from(params: ControllerParams) -> Self {
        Self::new(params)
    }
}

impl FromStr for Config {
    type Err = Error;

    /// Reads `kind` or `kind(parameter = value, ...)`.
    fn from_str(text: &str) -> Result<Self, Error> {
        text::parse(text).map(Self::new)
    }
}

/// Bytes of a QUIC packet with an ACK frame of one range: short header with an 8-byte connection id, and the AEAD tag.
const ACK_PACKET: u32 = 35;
