//! The trait that a controller implements.

use crate::abi::{Ack, Loss, Marks, Path, Sent, Time, Timeout};
use crate::parameters::{Parameter, Params};

/// A number that a controller attaches to a packet and gets back with its acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stamp {
    /// This number.
    Number(f32),
    /// The packets in flight when the packet was sent, now and for all other packets of the flow.
    InFlight,
}

/// Reaction of a sender without SACK to an acknowledgement of part of the data outstanding when loss was detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartialAck {
    /// Leave recovery (Reno, RFC 5681).
    Leave,
    /// Retransmit the next hole and stay (NewReno, RFC 6582).
    Stay,
    /// The same, and holes at or beyond the recovery point begin the next recovery without a timeout (RFC 6582, 4).
    Persist,
}

/// How a controller reacts to marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EcnResponse {
    /// As to a loss, once a round trip (RFC 3168).
    AsLoss,
    /// By the share of marked packets, and separately to losses; packets are ECT(0).
    ByShare,
    /// The same with ECT(1) packets, for low-latency queues (RFC 9331).
    LowLatency,
}

/// A congestion controller: the state of one flow.
///
/// Windows are in packets. An implementation must keep [`window`](Self::window) finite and at least one. What the methods without
/// `mut` return may change with events only; they are called after each of them.
pub trait Controller: Sized + Send + 'static {
    /// What scenarios call it: letters, digits, `-`, `_`, a letter first.
    const NAME: &'static str;
    /// A one-line description.
    const SUMMARY: &'static str;
    /// Paper, RFC or address.
    const SOURCE: &'static str = "";
    /// What a scenario may set.
    const PARAMETERS: &'static [Parameter] = &[];
    /// Needs a count of all marks (RFC 9768) where queues mark packets.
    const ACCURATE_ECN: bool = false;
    /// Queueing delay is a congestion signal.
    const DELAY_BASED: bool = false;

    /// A sender at its initial window.
    ///
    /// # Errors
    /// The parameters are not valid together; why, for a message.
    fn new(params: &Params, path: &Path) -> Result<Self, String>;

    /// New data was acknowledged.
    fn on_ack(&mut self, ack: &Ack);

    /// A loss episode begins: loss was detected by duplicate acknowledgements, SACK or time.
    fn on_loss(&mut self, loss: &Loss);

    /// The retransmission timer expired.
    fn on_timeout(&mut self, timeout: &Timeout);

    /// The handshake gave a first round-trip sample.
    fn on_handshake(&mut self, _now: Time, _rtt: Time) {}

    /// A data packet is sent; the stamp comes back with its acknowledgement.
    fn on_sent(&mut self, _sent: &Sent) -> Stamp {
        Stamp::InFlight
    }

    /// Without SACK: a duplicate acknowledgement, which means that one unknown packet was delivered. It has no round-trip sample and
    /// no valid stamp.
    fn on_duplicate(&mut self, _ack: &Ack) {}

    /// The loss episode is over: all data outstanding at its start is acknowledged.
    fn on_recovered(&mut self, _now: Time) {}

    /// All data outstanding when the timer expired is acknowledged.
    fn on_timeout_recovered(&mut self) {}

    /// An ECN mark was echoed; at most once a round trip. By default the same as a loss (RFC 3168, 6.1.2).
    fn on_ecn(&mut self, mark: &Loss) {
        self.on_loss(mark);
    }

    /// Accurate ECN feedback, before [`on_ecn`](Self::on_ecn) and [`on_ack`](Self::on_ack) for the same acknowledgement.
    fn on_marks(&mut self, _marks: &Marks) {}

    /// The last timeout was spurious (RFC 5682). The packets in flight allow a window of `window` (RFC 4015, 3.2).
    fn on_spurious_timeout(&mut self, _window: f64) {}

    /// Nothing was sent for longer than the retransmission timeout: the window may be at most `restart_window` (RFC 5681, 4.1).
    /// Also called with 1 where lost SYNs reduce the initial window to one segment (RFC 5681, 3.1; RFC 6928, 2). By default ignored.
    fn on_idle(&mut self, _restart_window: f64) {}

    /// The congestion window.
    fn window(&self) -> f64;

    /// Maximum number of packets in flight, with or without pacing.
    fn flight_limit(&self, _paced: bool) -> f64 {
        self.window()
    }

    /// Time between packets, if this algorithm paces.
    fn pacing_interval(&self) -> Option<Time> {
        None
    }

    /// The window at which slow start ends, for algorithms that have one.
    fn slow_start_threshold(&self) -> Option<f64> {
        None
    }

    /// The estimate of the round-trip time without queueing.
    fn base_rtt(&self) -> Option<Time> {
        None
    }

    /// Data packets that the receiver is to acknowledge together (RFC 5690, 4.2), for algorithms that set it.
    fn ack_ratio(&self) -> Option<u32> {
        None
    }

    /// Recovery without SACK; constant over the connection.
    fn partial_ack(&self) -> PartialAck {
        PartialAck::Stay
    }

    /// How this algorithm reacts to marks; constant over the connection.
    fn ecn_response(&self) -> EcnResponse {
        EcnResponse::AsLoss
    }
}
