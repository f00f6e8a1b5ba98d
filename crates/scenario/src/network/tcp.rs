//! TCP options with their defaults filled in.

use eddyline_cc::ControllerParams;
use eddyline_units::{Bytes, Time};

use crate::model::{AccurateEcnChoice, AccurateEcnWord, PacingChoice, Tcp};

pub use crate::model::{Local, PacingGain, PartialAckTimer, TimestampClock};

/// TCP options of a flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TcpOptions {
    /// Selective acknowledgement (RFC 2018, RFC 6675).
    pub sack: bool,
    /// Initial window in packets (RFC 6928).
    pub initial_window: u32,
    /// Minimum difference between the retransmission timeout and the smoothed round-trip time.
    pub min_rto: Time,
    /// Data segments, of any size, per acknowledgement.
    pub ack_every: u32,
    /// Maximum delay of a delayed acknowledgement.
    pub ack_timer: Time,
    /// Number of immediate acknowledgements at the start, after an idle time and after an unnecessary retransmission.
    pub quick_acks: u32,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: bool,
    /// The same with counts of marked packets (RFC 9768).
    pub accurate_ecn: AccurateEcn,
    /// Limit of growth by bytes (the L of RFC 3465); none: growth per acknowledgement.
    pub byte_counting: Option<u32>,
    /// Limited transmit (RFC 3042).
    pub limited_transmit: bool,
    /// Fast retransmit (RFC 5681, 3.2).
    pub fast_retransmit: bool,
    /// Partial acknowledgements that restart the retransmission timer (RFC 3782, 4); none: as suits the controller.
    pub partial_ack_timer: Option<PartialAckTimer>,
    /// Timestamps (RFC 7323).
    pub timestamps: bool,
    /// The clock of the receiver's timestamps.
    pub timestamp_clock: TimestampClock,
    /// Proportional rate reduction (RFC 9937).
    pub prr: bool,
    /// RACK-TLP (RFC 8985).
    pub rack: bool,
    /// F-RTO (RFC 5682).
    pub frto: bool,
    /// The retransmission timeout exceeds every round-trip sample by `min_rto`.
    pub rto_every_ack: bool,
    /// Congestion control of acknowledgements (RFC 5690); `ack_every` is where it begins.
    pub ack_congestion_control: bool,
    /// The controller sets how many packets are acknowledged together.
    pub ack_ratio_by_controller: bool,
    /// Send buffer of the sender's socket in bytes, as asked for; none: the kernel's choice.
    pub send_buffer: Option<u32>,
    /// Receive buffer of the receiver's socket.
    pub receive_buffer: Option<u32>,
    /// Reaction to a full NIC queue, the queue of the first data link.
    pub local: Local,
    /// Whether packets are paced.
    pub pacing: Pacing,
    /// Pacing rate in windows a round trip, if the controller does not pace.
    pub pacing_gain: PacingGain,
}

/// What accurate ECN feeds back (RFC 9768).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AccurateEcn {
    /// Nothing.
    #[default]
    Off,
    /// Three bits of a count of marked packets.
    Ace,
    /// Those and counts of bytes.
    Option,
}

impl AccurateEcn {
    fn of(choice: AccurateEcnChoice) -> Self {
        match choice {
            AccurateEcnChoice::Switch(false) => Self::Off,
            AccurateEcnChoice::Switch(true) | AccurateEcnChoice::Word(AccurateEcnWord::Ace) => Self::Ace,
            AccurateEcnChoice::Word(AccurateEcnWord::Option) => Self::Option,
        }
    }
}

/// Whether packets are paced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pacing {
    /// Always.
    On,
    /// Never.
    Off,
    /// As the controller decides.
    Controller,
}

impl TcpOptions {
    /// Fills in what `tcp` leaves out; `delayed_ack` is the flow's key of that name.
    pub(crate) fn of(tcp: &Tcp, delayed_ack: Option<bool>, controller: &ControllerParams) -> Self {
        let delayed = if delayed_ack == Some(true) || tcp.ack_congestion_control { 2 } else { 1 };
        let accurate_ecn = AccurateEcn::of(tcp.accurate_ecn);
        Self {
            sack: tcp.sack,
            initial_window: tcp.initial_window,
            min_rto: tcp.min_rto,
            ack_every: tcp.ack_every.unwrap_or(delayed),
            ack_timer: tcp.ack_timer,
            quick_acks: tcp.quick_acks,
            ecn: tcp.ecn || accurate_ecn != AccurateEcn::Off,
            accurate_ecn,
            byte_counting: tcp.byte_counting,
            limited_transmit: tcp.limited_transmit,
            fast_retransmit: tcp.fast_retransmit,
            partial_ack_timer: tcp.partial_ack_timer,
            timestamps: tcp.timestamps,
            timestamp_clock: tcp.timestamp_clock,
            prr: tcp.prr,
            rack: tcp.rack,
            frto: tcp.frto,
            rto_every_ack: tcp.rto_every_ack,
            ack_congestion_control: tcp.ack_congestion_control,
            ack_ratio_by_controller: controller.delay_options().is_some_and(|o| o.ack_alpha.is_some()),
            send_buffer: tcp.send_buffer.map(in_range),
            receive_buffer: tcp.receive_buffer.map(in_range),
            local: tcp.local,
            pacing: match tcp.pacing {
                PacingChoice::Switch(true) => Pacing::On,
                PacingChoice::Switch(false) => Pacing::Off,
                PacingChoice::Word(_) => Pacing::Controller,
            },
            pacing_gain: tcp.pacing_gain,
        }
    }

    /// Whether a socket's buffers are given, which only real sockets have.
    #[must_use]
    pub const fn has_socket_buffers(&self) -> bool {
        self.send_buffer.is_some() || self.receive_buffer.is_some()
    }
}

/// A size that the schema keeps below 1 GB.
fn in_range(size: Bytes) -> u32 {
    u32::try_from(size.get()).unwrap_or(u32::MAX)
}
