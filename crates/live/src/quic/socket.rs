//! A UDP socket of one end of a connection.

use std::io::{IoSlice, IoSliceMut};
use std::net::{SocketAddrV4, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use eddyline_capture::{PORT, address};
use eddyline_quic_host::EcnCodepoint;
use eddyline_units::Time;
use nix::cmsg_space;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::socket::sockopt::{IpRecvTos, RcvBuf, RcvBufForce, ReceiveTimestampns, SndBufForce};
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, SockaddrIn, recvmsg, sendmsg, setsockopt};
use nix::sys::time::TimeSpec;

/// Room for datagrams that wait for this process, in bytes.
const BUFFER: usize = 16 << 20;
/// The bits of the type of service that are the ECN field.
const ECN: u8 = 3;

/// The socket, connected to the other end.
#[derive(Debug)]
pub struct Socket {
    socket: UdpSocket,
    space: Vec<u8>,
    /// The ECN field of packets that the stack wants to be marked.
    marked: u8,
}

/// A datagram that has arrived.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    /// Its length.
    pub bytes: usize,
    /// Its ECN field, if it may be marked.
    pub ecn: Option<EcnCodepoint>,
    /// How long it has waited for this process.
    pub waited: Time,
}

impl Socket {
    /// That of flow `i` on `host`, in the current namespace.
    pub fn open(host: usize, i: usize, marked: u8) -> std::io::Result<Self> {
        let socket = UdpSocket::bind(SocketAddrV4::new(address(host, i), PORT))?;
        // only root may have large ones; what does not fit is counted
        if setsockopt(&socket, RcvBufForce, &BUFFER).is_err() {
            setsockopt(&socket, RcvBuf, &BUFFER)?;
        }
        let _ = setsockopt(&socket, SndBufForce, &BUFFER);
        setsockopt(&socket, ReceiveTimestampns, &true)?;
        setsockopt(&socket, IpRecvTos, &true)?;
        socket.connect(SocketAddrV4::new(address(1 - host, i), PORT))?;
        Ok(Self { socket, space: cmsg_space!(TimeSpec, u8), marked })
    }

    /// Sends a datagram.
    pub fn send(&self, content: &[u8], ecn: bool) -> nix::Result<()> {
        let field = [ControlMessage::Ipv4Tos(&self.marked)];
        let more = if ecn { &field[..] } else { &[] };
        let parts = [IoSlice::new(content)];
        sendmsg::<SockaddrIn>(self.socket.as_raw_fd(), &parts, more, MsgFlags::empty(), None).map(drop)
    }

    /// Takes a datagram that has arrived.
    pub fn receive(&mut self, buffer: &mut [u8]) -> nix::Result<Option<Arrival>> {
        let mut parts = [IoSliceMut::new(buffer)];
        let descriptor = self.socket.as_raw_fd();
        let message = match recvmsg::<SockaddrIn>(descriptor, &mut parts, Some(&mut self.space), MsgFlags::MSG_DONTWAIT)
        {
            Ok(message) => message,
            Err(Errno::EAGAIN | Errno::EINTR) => return Ok(None),
            Err(e) => return Err(e),
        };
        let mut arrival = Arrival { bytes: message.bytes, ecn: None, waited: Time::ZERO };
        for part in message.cmsgs()? {
            match part {
                ControlMessageOwned::Ipv4Tos(field) => arrival.ecn = codepoint(field),
                ControlMessageOwned::ScmTimestampns(at) => arrival.waited = since(at),
                _ => {}
            }
        }
        Ok(Some(arrival))
    }

    /// Waits for a datagram, at most so long.
    pub fn wait(&self, span: Duration) {
        let mut fds = [PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)];
        // a signal ends the wait early, which does no harm
        let _ = ppoll(&mut fds, Some(TimeSpec::from_duration(span)), None);
    }
}

/// What the stack knows of an ECN field: it takes ECT(1) for an error of the path.
fn codepoint(field: u8) -> Option<EcnCodepoint> {
    match field & ECN {
        0 => None,
        ECN => Some(EcnCodepoint::Ce),
        _ => Some(EcnCodepoint::Ect0),
    }
}

/// Time since a moment of the system's clock.
fn since(at: TimeSpec) -> Time {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time::from_ps(now.saturating_sub(Duration::from(at)).as_nanos() as u64 * 1_000)
}
