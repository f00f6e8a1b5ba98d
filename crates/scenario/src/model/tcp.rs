//! TCP options as written.
//!
//! Options that are off by default are omitted from the canonical form while they are off.

use eddyline_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// TCP options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// Selective acknowledgement (RFC 2018, RFC 6675).
    #[serde(default = "yes")]
    pub sack: bool,
    /// Initial window in packets (RFC 6928); `ledbat` starts with its own two (RFC 6817).
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub initial_window: u32,
    /// Minimum difference between the retransmission timeout and the smoothed round-trip time, as in Linux (the G of RFC 6298).
    #[serde(default = "fifth_second")]
    #[schemars(extend("x-minimum" = "1 us", "x-maximum" = "1 h"))]
    pub min_rto: Time,
    /// Data segments, of any size, per acknowledgement. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub ack_every: Option<u32>,
    /// Maximum delay of an acknowledgement where `ack_every` is above one: then better below `min_rto`, or a segment by itself is sent
    /// again before it. Linux: 40 ms.
    #[serde(default = "fifth_second")]
    #[schemars(extend("x-minimum" = "1 us", "x-maximum" = "1 h"))]
    pub ack_timer: Time,
    /// Number of immediate acknowledgements (quick ACKs), which ignore `ack_every`, at the start, after an idle time and after an
    /// unnecessary retransmission. Linux: 16.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("default" = 0))]
    #[schemars(range(max = 1_000_000))]
    pub quick_acks: u32,
    /// Appropriate byte counting: growth by the bytes acknowledged, in slow start by at most this many full segments per acknowledgement
    /// (the L of RFC 3465, there 2). Default: growth per acknowledgement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub byte_counting: Option<u32>,
    /// New data on the first two duplicate acknowledgements (RFC 3042).
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    #[schemars(extend("default" = true))]
    pub limited_transmit: bool,
    /// Retransmission on the third duplicate acknowledgement (RFC 5681, 3.2). If off, every loss needs a timeout, as in TCP before 1988;
    /// requires `sack = false`.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    #[schemars(extend("default" = true))]
    pub fast_retransmit: bool,
    /// Partial acknowledgements that restart the retransmission timer in a recovery without SACK (RFC 6582, 3.2; RFC 3782, 4): the first, as
    /// recommended ("impatient"), or each ("slow-but-steady"), which repairs one segment per round trip however many were lost; requires
    /// `sack = false`. Default: "impatient", with `bbr` and `bbr3` "slow-but-steady".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial_ack_timer: Option<PartialAckTimer>,
    /// Timestamps (RFC 7323): round-trip samples from retransmissions too, delayed acknowledgements included. Their 12
    /// bytes are part of `header` and `ack_packet`.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("default" = false))]
    pub timestamps: bool,
    /// The clock of the receiver's timestamps; needs `timestamps`. Default: the sender's clock.
    #[serde(default, skip_serializing_if = "TimestampClock::is_default")]
    pub timestamp_clock: TimestampClock,
    /// Explicit congestion notification (RFC 3168): packets are ECN-capable, and the sender reacts to marks as to losses, unless its
    /// controller has a response of its own or none (`bbr`, `bbr3`). Default: false.
    #[serde(default)]
    pub ecn: bool,
    /// ECN with a count of the marked packets on every acknowledgement (AccECN, RFC 9768); implies `ecn`. True or
    /// "ace": the three bits of the header; "option": also the byte counts of the AccECN option, which make acknowledgements 8 bytes
    /// longer.
    #[serde(default, skip_serializing_if = "AccurateEcnChoice::is_off")]
    pub accurate_ecn: AccurateEcnChoice,
    /// Proportional rate reduction (RFC 9937) after a loss or a mark; needs `sack`.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("default" = false))]
    pub prr: bool,
    /// Time-based loss detection and tail loss probes (RACK-TLP, RFC 8985), with duplicate SACK (RFC 2883); needs `sack`.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("default" = false))]
    pub rack: bool,
    /// Detection of spurious timeouts by sending new data after a timeout (F-RTO, RFC 5682), and restoration of the previous window after
    /// one (RFC 4015).
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("default" = false))]
    pub frto: bool,
    /// The retransmission timeout exceeds every round-trip sample by `min_rto`, about as Linux's; with `rack` those of SACK too, which restart
    /// the timer of a retransmission that was sent after them. Default: RFC 6298's one sample per round trip, which in the bursts of slow
    /// start is the packet that waits least.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("default" = false))]
    pub rto_every_ack: bool,
    /// Congestion control of acknowledgements (RFC 5690): the sender doubles `ack_every`, from 2 on, when it finds
    /// acknowledgements lost or marked, and lowers it slowly when it does not.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("default" = false))]
    pub ack_congestion_control: bool,
    /// Send buffer of the sender's socket, as an application asks for it (SO_SNDBUF); Linux makes it twice as large, for packets with what
    /// they take in memory. World `kernel` only. Default: the kernel sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-minimum" = "4 kB", "x-maximum" = "1 GB"))]
    pub send_buffer: Option<Bytes>,
    /// Receive buffer of the receiver's socket, in the same way (SO_RCVBUF); the window that it offers follows from it. World `kernel` only;
    /// every world has `receive_window`. Default: the kernel sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-minimum" = "4 kB", "x-maximum" = "1 GB"))]
    pub receive_buffer: Option<Bytes>,
    /// Reaction of the sender when its NIC queue is full. The NIC queue is the queue of the first link of `data`, which must be drop-tail.
    /// Default: none, the packet is dropped.
    #[serde(default, skip_serializing_if = "Local::is_drop")]
    pub local: Local,
    /// Whether packets are paced: true, false, or "controller", as the controller decides.
    #[serde(default)]
    pub pacing: PacingChoice,
    /// Pacing of window-based controllers (`pacing = true`): rate in windows per smoothed round-trip time.
    #[serde(default, skip_serializing_if = "PacingGain::is_default")]
    pub pacing_gain: PacingGain,
}

impl Default for Tcp {
    fn default() -> Self {
        Self {
            sack: true,
            initial_window: ten(),
            min_rto: fifth_second(),
            ack_every: None,
            ack_timer: fifth_second(),
            quick_acks: 0,
            byte_counting: None,
            limited_transmit: true,
            fast_retransmit: true,
            partial_ack_timer: None,
            timestamps: false,
            timestamp_clock: TimestampClock::default(),
            prr: false,
            rack: false,
            frto: false,
            rto_every_ack: false,
            ack_congestion_control: false,
            send_buffer: None,
            receive_buffer: None,
            local: Local::Drop,
            ecn: false,
            accurate_ecn: AccurateEcnChoice::default(),
            pacing: PacingChoice::default(),
            pacing_gain: PacingGain::default(),
        }
    }
}

/// Partial acknowledgements that restart the retransmission timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartialAckTimer {
    /// The first of a recovery: after many losses the timer expires, and slow start repairs the rest.
    Impatient,
    /// Each: the timer does not expire while one segment per round trip is repaired.
    SlowButSteady,
}

/// Accurate ECN feedback as written: a switch, or a form of the feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AccurateEcnChoice {
    /// True: "ace". False: off.
    Switch(bool),
    /// A form of the feedback, by name.
    Word(AccurateEcnWord),
}

/// Form of the accurate ECN feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AccurateEcnWord {
    /// The ACE field: the last three bits of the count of marked packets.
    Ace,
    /// The ACE field, and the byte counts of the AccECN option.
    Option,
}

impl AccurateEcnChoice {
    fn is_off(&self) -> bool {
        *self == Self::Switch(false)
    }
}

impl Default for AccurateEcnChoice {
    fn default() -> Self {
        Self::Switch(false)
    }
}

/// How the receiver's clock differs from the sender's.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimestampClock {
    /// Offset at the beginning of the scenario.
    #[serde(default)]
    #[schemars(extend("x-maximum" = "1 h"))]
    pub ahead: Time,
    /// Drift in microseconds per second; negative if it runs slow.
    #[serde(default)]
    #[schemars(range(min = -1000.0, max = 1000.0))]
    pub drift_ppm: f64,
    /// Resolution; zero: exact. Linux: 1 ms.
    #[serde(default)]
    #[schemars(extend("x-maximum" = "1 s"))]
    pub tick: Time,
}

impl TimestampClock {
    /// Whether it equals the sender's clock.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The reading at `now`.
    #[must_use]
    pub fn read(&self, now: Time) -> Time {
        let gained = (now.as_ps() as f64 * self.drift_ppm * 1e-6) as i64;
        let reading = now.saturating_add(self.ahead).as_ps().saturating_add_signed(gained);
        let tick = self.tick.as_ps().max(1);
        Time::from_ps(reading / tick * tick)
    }
}

/// Reaction of a sender when its NIC queue has no room for a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Local {
    /// None: the packet is dropped, and the sender must detect the loss.
    #[default]
    Drop,
    /// The sender keeps the packet and reduces its window, at most once per window (congestion window reduced, as in Linux up to 3.5).
    Cwr,
    /// The sender keeps the packet until there is room, which senders of one NIC get in turn; the window does not change.
    Backpressure,
}

impl Local {
    fn is_drop(&self) -> bool {
        *self == Self::Drop
    }
}

/// Pacing rate of window-based controllers, in windows per smoothed round-trip time (of one sample a round trip; Linux takes more).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PacingGain {
    /// While the window is below half of the slow-start threshold.
    #[serde(default = "twice")]
    #[schemars(range(min = 0.1, max = 1000.0))]
    pub slow_start: f64,
    /// At all other times.
    #[serde(default = "a_fifth_more")]
    #[schemars(range(min = 0.1, max = 1000.0))]
    pub avoidance: f64,
}

impl Default for PacingGain {
    fn default() -> Self {
        Self { slow_start: twice(), avoidance: a_fifth_more() }
    }
}

impl PacingGain {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether packets are paced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PacingChoice {
    /// Always or never.
    Switch(bool),
    /// The component that decides, by name.
    Word(PacingWord),
}

/// Component that decides about pacing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PacingWord {
    /// The congestion controller.
    Controller,
}

impl Default for PacingChoice {
    fn default() -> Self {
        Self::Word(PacingWord::Controller)
    }
}

const fn twice() -> f64 {
    2.0
}

const fn a_fifth_more() -> f64 {
    1.2
}

const fn ten() -> u32 {
    10
}

const fn yes() -> bool {
    true
}

const fn fifth_second() -> Time {
    Time::from_ms(200)
}

const fn is_zero(n: &u32) -> bool {
    *n == 0
}

const fn is_true(switch: &bool) -> bool {
    *switch
}

const fn is_false(switch: &bool) -> bool {
    !*switch
}
