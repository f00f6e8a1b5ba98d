//! What other threads see of a flow.

use std::net::TcpStream;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use eddyline_quic_host::Observations;
use eddyline_units::Time;

use crate::emulator::Lateness;
use crate::tcp::{self, TcpInfo};

/// A flow of either transport.
#[derive(Debug, Default)]
pub struct FlowState {
    /// Payload bytes that the receiving application has read.
    pub delivered: AtomicU64,
    /// The sender, once it is connected.
    pub sender: OnceLock<Sender>,
    /// When the end was acknowledged.
    pub completed: OnceLock<Time>,
    /// How late the ends of a connection were that do not belong to the kernel.
    pub lateness: Mutex<Lateness>,
    failure: Mutex<Option<String>>,
}

/// A flow's sender.
#[derive(Debug)]
pub enum Sender {
    /// A connection of the kernel.
    Tcp(TcpStream),
    /// One of this process, with the bytes of a full packet's payload.
    Quic(Arc<Observations>, f64),
}

/// A sender at some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SenderState {
    /// Smoothed round-trip time in seconds, after the first sample.
    pub rtt: Option<f64>,
    /// Minimum round-trip time in seconds, as the sender knows it.
    pub min_rtt: Option<f64>,
    /// Congestion window in packets.
    pub cwnd: f64,
    /// Packets in flight.
    pub in_flight: f64,
    /// Packets retransmitted so far.
    pub retransmits: u64,
    /// Timeouts so far, if they are counted.
    pub timeouts: Option<u64>,
    /// Pacing rate in bit/s, if there is one.
    pub pacing: Option<f64>,
    /// There is room in the window and in the send buffer, and nothing to send.
    pub starved: bool,
}

impl FlowState {
    /// What went wrong.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Something went wrong.
    pub fn fail(&self, error: String) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    /// The sender's present state.
    #[must_use]
    pub fn now(&self) -> Option<SenderState> {
        match self.sender.get()? {
            Sender::Tcp(socket) => TcpInfo::of(socket).ok().map(|info| SenderState::of_tcp(info, socket)),
            Sender::Quic(seen, datagram) => Some(SenderState::of_quic(seen, *datagram)),
        }
    }
}

impl SenderState {
    fn of_tcp(info: TcpInfo, socket: &TcpStream) -> Self {
        let seconds = |us: u32| f64::from(us) * 1e-6;
        Self {
            rtt: (info.rtt > 0).then(|| seconds(info.rtt)),
            min_rtt: (1..u32::MAX).contains(&info.min_rtt).then(|| seconds(info.min_rtt)),
            cwnd: f64::from(info.cwnd),
            in_flight: f64::from(info.in_flight),
            retransmits: info.retransmits.into(),
            timeouts: info.timeouts.map(Into::into),
            pacing: info.pacing_rate().map(|rate| rate as f64 * 8.0),
            // after a loss the send buffer can be full of what has been delivered out of order
            starved: info.unsent == 0 && info.in_flight + 1 < info.cwnd && tcp::can_write(socket),
        }
    }

    /// Its application always has more data at hand than the window has room for; how late it is, is seen by its timers.
    fn of_quic(seen: &Observations, datagram: f64) -> Self {
        Self {
            rtt: seen.smoothed().map(|rtt| rtt.as_secs_f64()),
            min_rtt: seen.base_rtt().map(Time::as_secs_f64),
            cwnd: seen.window_packets(datagram),
            in_flight: seen.in_flight() as f64 / datagram,
            retransmits: seen.lost_packets(),
            timeouts: Some(seen.persistent_congestion()),
            pacing: seen.pacing_rate().map(|rate| rate as f64 * 8.0),
            starved: false,
        }
    }
}
