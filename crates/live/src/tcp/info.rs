//! The state of a connection as the kernel tells it (TCP_INFO, as `ss -ti` shows it).

use std::os::fd::AsFd;
use std::sync::OnceLock;

use nix::sys::socket::getsockopt;
use nix::sys::utsname::uname;
use nix::{getsockopt_impl, sockopt_impl};

/// Bytes of the structure that Linux 5.4 and later have.
const COMMON: usize = 228;
/// Those with counts of timeouts, of Linux 6.7 and later.
const RECENT: usize = 248;

/// A pacing rate from here on means that packets are not paced.
const UNPACED: u64 = u64::MAX / 2;

sockopt_impl!(CommonInfo, GetOnly, libc::IPPROTO_TCP, libc::TCP_INFO, [u8; COMMON]);
sockopt_impl!(RecentInfo, GetOnly, libc::IPPROTO_TCP, libc::TCP_INFO, [u8; RECENT]);

/// What is used of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpInfo {
    /// State of the connection, as numbered by the kernel.
    pub state: u8,
    /// Smoothed round-trip time in us.
    pub rtt: u32,
    /// Congestion window in packets.
    pub cwnd: u32,
    /// Packets in flight.
    pub in_flight: u32,
    /// Packets retransmitted so far.
    pub retransmits: u32,
    /// Pacing rate in B/s; the largest number if packets are not paced.
    pub pacing: u64,
    /// Minimum round-trip time in us; the largest number before the first sample.
    pub min_rtt: u32,
    /// Bytes written and not yet sent.
    pub unsent: u32,
    /// Packets sent and not yet acknowledged.
    pub unacked: u32,
    /// Timeouts so far, if this kernel counts them.
    pub timeouts: Option<u16>,
}

impl TcpInfo {
    /// The connection is closed on our side, and that is acknowledged: FIN_WAIT2, TIME_WAIT or CLOSE.
    #[must_use]
    pub const fn is_finished(&self) -> bool {
        matches!(self.state, 5..=7)
    }

    /// The pacing rate in B/s, if packets are paced.
    #[must_use]
    pub fn pacing_rate(&self) -> Option<u64> {
        Some(self.pacing).filter(|rate| *rate < UNPACED)
    }

    /// All that was written is acknowledged.
    #[must_use]
    pub const fn is_all_acknowledged(&self) -> bool {
        self.unsent == 0 && self.unacked == 0
    }

    /// The state of a connection.
    ///
    /// # Errors
    /// It is not one of TCP.
    pub fn of(socket: &impl AsFd) -> nix::Result<Self> {
        if counts_timeouts() {
            Ok(Self::read(&getsockopt(socket, RecentInfo)?))
        } else {
            Ok(Self::read(&getsockopt(socket, CommonInfo)?))
        }
    }

    fn read(bytes: &[u8]) -> Self {
        let long = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let wide = |at: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&bytes[at..at + 8]);
            u64::from_ne_bytes(eight)
        };
        let [unacked, sacked, lost, retransmitted] = [24, 28, 32, 36].map(long);
        Self {
            state: bytes[0],
            rtt: long(68),
            cwnd: long(80),
            in_flight: (unacked + retransmitted).saturating_sub(sacked + lost),
            retransmits: long(100),
            pacing: wide(104),
            min_rtt: long(148),
            unsent: long(144),
            unacked,
            timeouts: (bytes.len() >= RECENT).then(|| u16::from_ne_bytes([bytes[240], bytes[241]])),
        }
    }
}

/// Whether this kernel's structure has counts of timeouts.
fn counts_timeouts() -> bool {
    kernel_is_since((6, 7))
}

/// Whether this kernel is of this release or a later one.
#[must_use]
pub fn kernel_is_since(first: (u32, u32)) -> bool {
    static KNOWN: OnceLock<(u32, u32)> = OnceLock::new();
    *KNOWN.get_or_init(|| uname().map_or((0, 0), |name| release(&name.release().to_string_lossy()))) >= first
}

/// Major and minor number of a kernel's release.
fn release(text: &str) -> (u32, u32) {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(|n| n.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_compared_as_numbers() {
        assert_eq!(release("6.18.44-fc"), (6, 18));
        assert_eq!(release("6.1.0-42-amd64"), (6, 1));
        assert!(release("6.18.44") > release("6.7"));
        assert_eq!(release("odd"), (0, 0));
    }

    #[test]
    fn an_open_socket_tells_its_state() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback");
        let address = listener.local_addr().expect("bound");
        let stream = std::net::TcpStream::connect(address).expect("connected");
        let info = TcpInfo::of(&stream).expect("TCP");
        assert_eq!(info.state, 1, "ESTABLISHED");
        assert!(info.cwnd >= 1);
        assert_eq!(info.retransmits, 0);
    }
}
