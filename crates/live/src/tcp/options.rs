//! Socket options of senders and receivers.

use std::ffi::OsString;
use std::os::fd::{AsFd, OwnedFd};

use eddyline_scenario::Network;
use eddyline_scenario::network::{Application, Flow, Pacing};
use nix::errno::Errno;
use nix::sys::socket::sockopt::{Linger, RcvBufForce, ReuseAddr, SndBufForce, TcpCongestion, TcpNoDelay};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, getsockopt, setsockopt, socket};
use nix::{getsockopt_impl, setsockopt_impl, sockopt_impl};

sockopt_impl!(NotSentLowAt, SetOnly, libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT, u32);
sockopt_impl!(WindowClamp, Both, libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, u32);
sockopt_impl!(MaxPacingRate, SetOnly, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, u64);

/// Unsent bytes that a sender keeps in its socket: what the slowest data link sends in 10 ms, within these limits. As
/// little as keeps it busy, because at `stop` it is sent nevertheless.
const UNSENT: (u64, u64) = (32 << 10, 4 << 20);
/// A pacing rate above all others that nevertheless makes the kernel pace.
const ANY_RATE: u64 = u64::MAX - 1;

/// A new TCP socket of the current network namespace.
///
/// # Errors
/// There can be none.
pub fn new_socket() -> nix::Result<OwnedFd> {
    let socket = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
    setsockopt(&socket, ReuseAddr, &true)?;
    // a connection that is left open ends with the process; the kernel would otherwise try to deliver its data for minutes, and keep the
    // namespace and the congestion control with it
    setsockopt(&socket, Linger, &libc::linger { l_onoff: 1, l_linger: 0 })?;
    Ok(socket)
}

/// Whether the kernel has a congestion control of this name.
///
/// # Errors
/// There can be no socket.
pub fn has_congestion_control(name: &str) -> nix::Result<bool> {
    match setsockopt(&new_socket()?, TcpCongestion, &OsString::from(name)) {
        Ok(()) => Ok(true),
        Err(Errno::ENOENT | Errno::EPERM) => Ok(false),
        Err(e) => Err(e),
    }
}

/// Options of a flow's sender.
///
/// # Errors
/// The kernel refuses one.
pub fn of_sender(socket: &impl AsFd, network: &Network, flow: &Flow, congestion_control: &str) -> nix::Result<()> {
    setsockopt(socket, TcpCongestion, &OsString::from(congestion_control))?;
    let slowest = flow.data.iter().map(|l| network.links[*l as usize].rate.as_bps()).min().unwrap_or(0);
    setsockopt(socket, NotSentLowAt, &((slowest / 800).clamp(UNSENT.0, UNSENT.1) as u32))?;
    if flow.application != Application::Bulk {
        // as in the scenario: small writes do not wait for acknowledgements (Nagle's algorithm)
        setsockopt(socket, TcpNoDelay, &true)?;
    }
    if flow.tcp.pacing == Pacing::On {
        setsockopt(socket, MaxPacingRate, &ANY_RATE)?;
    }
    if let Some(asked) = flow.tcp.send_buffer {
        // the limit of net.core.wmem_max is for processes without CAP_NET_ADMIN
        setsockopt(socket, SndBufForce, &(asked as usize))?;
    }
    Ok(())
}

/// Options of the socket that listens for a flow's receiver, which inherits them. The window scale follows from the buffer when the connection
/// is made.
///
/// # Errors
/// The kernel refuses one.
pub fn of_listener(socket: &impl AsFd, flow: &Flow) -> nix::Result<()> {
    if let Some(asked) = flow.tcp.receive_buffer {
        setsockopt(socket, RcvBufForce, &(asked as usize))?;
    }
    of_receiver(socket, flow)
}

/// Options of a flow's receiver; to be set again after data has arrived, because recent Linux (6.12 among them) forgets
/// the largest window when a segment is longer than those before it.
///
/// # Errors
/// The kernel refuses one.
pub fn of_receiver(socket: &impl AsFd, flow: &Flow) -> nix::Result<()> {
    let Some(window) = flow.receive_window else { return Ok(()) };
    let window = window.min(u64::from(u32::MAX)) as u32;
    let current = getsockopt(socket, WindowClamp)?;
    if current == 0 || current > window {
        setsockopt(socket, WindowClamp, &window)?;
    }
    Ok(())
}
