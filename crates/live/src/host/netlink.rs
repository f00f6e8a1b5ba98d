//! The few requests to the kernel's routing socket (rtnetlink(7)) that a host needs.

use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket};

const ERROR: u16 = 2;
const NEW_LINK: u16 = 16;
const NEW_ADDRESS: u16 = 20;
const NEW_ROUTE: u16 = 24;
/// Request, acknowledged.
const REQUEST: u16 = 0x1 | 0x4;
/// Create what is not there.
const CREATE: u16 = 0x400;
const INET: u8 = 2;

/// Metrics of a route (rtnetlink(7), RTA_METRICS).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Metrics that path discovery may not change, as bits. `tcp_rto_min` takes the minimum timeout only if it is one of them.
    Lock = 1,
    /// Largest packet in bytes.
    Mtu = 2,
    /// Initial congestion window in packets.
    InitialWindow = 11,
    /// Features as bits: [`ECN`], [`FINE_TIMESTAMPS`].
    Features = 12,
    /// Minimum retransmission timeout in ms.
    MinRto = 13,
    /// Each packet is acknowledged at once.
    QuickAck = 15,
}

/// The feature of explicit congestion notification.
pub const ECN: u32 = 1;
/// The feature of timestamps in microseconds.
pub const FINE_TIMESTAMPS: u32 = 1 << 4;

/// A routing socket of the current network namespace.
#[derive(Debug)]
pub struct Netlink {
    socket: OwnedFd,
    sequence: u32,
}

impl Netlink {
    /// Opens a socket.
    ///
    /// # Errors
    /// The kernel has none.
    pub fn open() -> nix::Result<Self> {
        let protocol = SockProtocol::NetlinkRoute;
        let socket = socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, protocol)?;
        Ok(Self { socket, sequence: 0 })
    }

    /// Enables a device; `queue` is how many packets it holds until they are read.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn enable(&mut self, device: u32, queue: Option<u32>) -> nix::Result<()> {
        let mut body = vec![0; 4];
        body.extend(device.to_ne_bytes());
        // flag IFF_UP, and the mask of flags to change
        body.extend(1u32.to_ne_bytes());
        body.extend(1u32.to_ne_bytes());
        if let Some(packets) = queue {
            attribute(&mut body, 13, &packets.to_ne_bytes());
        }
        self.request(NEW_LINK, REQUEST, &body)
    }

    /// Gives a device an address.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn address(&mut self, device: u32, address: Ipv4Addr) -> nix::Result<()> {
        let mut body = vec![INET, 32, 0, 0];
        body.extend(device.to_ne_bytes());
        attribute(&mut body, 1, &address.octets());
        attribute(&mut body, 2, &address.octets());
        self.request(NEW_ADDRESS, REQUEST | CREATE, &body)
    }

    /// Routes packets to `to` over a device, with these metrics.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn route(&mut self, device: u32, to: Ipv4Addr, from: Ipv4Addr, metrics: &[(Metric, u32)]) -> nix::Result<()> {
        // main table, static, scope of a link, unicast
        let mut body = vec![INET, 32, 0, 0, 254, 4, 253, 1, 0, 0, 0, 0];
        attribute(&mut body, 1, &to.octets());
        attribute(&mut body, 4, &device.to_ne_bytes());
        attribute(&mut body, 7, &from.octets());
        let mut nested = Vec::new();
        metrics.iter().for_each(|(metric, value)| attribute(&mut nested, *metric as u16, &value.to_ne_bytes()));
        attribute(&mut body, 8, &nested);
        self.request(NEW_ROUTE, REQUEST | CREATE, &body)
    }

    fn request(&mut self, kind: u16, flags: u16, body: &[u8]) -> nix::Result<()> {
        self.sequence += 1;
        let mut message = Vec::with_capacity(16 + body.len());
        message.extend((16 + body.len() as u32).to_ne_bytes());
        message.extend(kind.to_ne_bytes());
        message.extend(flags.to_ne_bytes());
        message.extend(self.sequence.to_ne_bytes());
        message.extend(0u32.to_ne_bytes());
        message.extend(body);
        send(self.socket.as_raw_fd(), &message, MsgFlags::empty())?;
        let mut reply = [0; 1024];
        let length = recv(self.socket.as_raw_fd(), &mut reply, MsgFlags::empty())?;
        outcome(&reply[..length])
    }
}

/// The error code of an acknowledgement.
fn outcome(reply: &[u8]) -> nix::Result<()> {
    let (Some(kind), Some(code)) = (reply.get(4..6), reply.get(16..20)) else { return Err(Errno::EBADMSG) };
    if kind != ERROR.to_ne_bytes() {
        return Err(Errno::EBADMSG);
    }
    match i32::from_ne_bytes([code[0], code[1], code[2], code[3]]) {
        0 => Ok(()),
        error => Err(Errno::from_raw(-error)),
    }
}

fn attribute(message: &mut Vec<u8>, kind: u16, value: &[u8]) {
    message.extend((4 + value.len() as u16).to_ne_bytes());
    message.extend(kind.to_ne_bytes());
    message.extend(value);
    message.resize(message.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_padded() {
        let mut message = Vec::new();
        attribute(&mut message, 7, &[1, 2, 3]);
        assert_eq!(message.len(), 8);
        assert_eq!(message[..2], 7u16.to_ne_bytes());
        assert_eq!(message[4..], [1, 2, 3, 0]);
    }

    #[test]
    fn a_refusal_is_an_error() {
        let mut reply = vec![0; 20];
        reply[4..6].copy_from_slice(&ERROR.to_ne_bytes());
        assert_eq!(outcome(&reply), Ok(()));
        reply[16..20].copy_from_slice(&(-13i32).to_ne_bytes());
        assert_eq!(outcome(&reply), Err(Errno::EACCES));
        assert_eq!(outcome(&reply[..10]), Err(Errno::EBADMSG));
    }
}
