//! The two ends of the path: a network namespace each, with one device whose packets the emulator carries.

mod namespace;
mod netlink;

use std::fs;
use std::thread;

use eddyline_capture::address;
use eddyline_quic_host::settings;
use eddyline_scenario::Network;
use eddyline_scenario::network::Flow;
use nix::net::if_::if_nametoindex;
use tun_rs::{DeviceBuilder, Layer, SyncDevice};

use crate::error::LiveError;
use crate::quic::is_quic;
use crate::timestamps;
pub use namespace::{Namespace, become_root};
use netlink::{ECN, FINE_TIMESTAMPS, Metric, Netlink};

/// Name of each host's device.
const DEVICE: &str = "eddyline0";
/// Packets that a device holds until the emulator reads them.
const DEVICE_QUEUE: u32 = 20_000;
/// Largest device of the kernel.
const MAX_MTU: u16 = 65_521;
/// Bytes of IP and TCP headers without options.
const HEADERS: u32 = 40;
/// Bytes of IP and UDP headers.
const UDP_HEADERS: u32 = 28;
/// Bytes of the timestamps option, padded.
const TIMESTAMPS: u32 = 12;
/// Receive and send buffers: minimum, initial, maximum. No receiver limits a flow unless the scenario says so.
const RECEIVE_BUFFER: &str = "4096 33554432 134217728";
const SEND_BUFFER: &str = "4096 262144 134217728";

/// One end of the path.
pub struct Host {
    /// Its namespace.
    pub namespace: Namespace,
    /// Its device.
    pub device: SyncDevice,
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("namespace", &self.namespace).finish_non_exhaustive()
    }
}

impl Host {
    /// Most flows that addresses are there for.
    pub const MAX_FLOWS: usize = 60_000;

    /// Creates host `number` for the flows of `network`.
    ///
    /// # Errors
    /// This machine cannot, or may not.
    pub fn create(network: &Network, number: usize, senders: &[usize]) -> Result<Self, LiveError> {
        // a thread of its own, because a thread's namespace changes
        thread::scope(|scope| {
            let made = scope.spawn(|| Self::create_here(network, number, senders)).join();
            made.unwrap_or_else(|_| Err(LiveError::Failed("a host could not be created".to_owned())))
        })
    }

    fn create_here(network: &Network, number: usize, senders: &[usize]) -> Result<Self, LiveError> {
        let namespace = Namespace::create()?;
        settings(network)?;
        let device = DeviceBuilder::new()
            .name(DEVICE)
            .layer(Layer::L3)
            .mtu(MAX_MTU)
            .enable(false)
            .build_sync()
            .map_err(tun_error)?;
        device.set_nonblocking(true).map_err(|e| LiveError::call("TUN device", e))?;
        let failed = |e| LiveError::call("network of a host", e);
        let index = if_nametoindex(DEVICE).map_err(failed)?;
        let mut netlink = Netlink::open().map_err(failed)?;
        netlink.enable(1, None).map_err(failed)?;
        netlink.enable(index, Some(DEVICE_QUEUE)).map_err(failed)?;
        for (i, flow) in network.flows.iter().enumerate() {
            let (own, other) = (address(number, i), address(1 - number, i));
            netlink.address(index, own).map_err(failed)?;
            netlink
                .route(index, other, own, &metrics(flow, senders[i] == number, has_timestamps(network)))
                .map_err(failed)?;
        }
        Ok(Self { namespace, device })
    }

    /// Packets that the device dropped because the emulator did not read them in time, and datagrams that sockets did not take.
    ///
    /// # Errors
    /// The counters cannot be read.
    pub fn drops(&self) -> Result<(u64, u64), LiveError> {
        let read = |name: &str, find: fn(&str) -> Option<u64>| {
            let text = fs::read_to_string(format!("/proc/thread-self/net/{name}"));
            let text = text.map_err(|e| LiveError::call(name, e))?;
            find(&text).ok_or_else(|| LiveError::Failed(format!("net/{name}: no counters")))
        };
        let both = || {
            self.namespace.enter()?;
            Ok((read("dev", dropped)?, read("snmp", refused)?))
        };
        thread::scope(|scope| scope.spawn(both).join()).unwrap_or(Ok((0, 0)))
    }
}

/// Packets that the device did not take or dropped on transmission.
fn dropped(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|l| l.trim_start().strip_prefix(DEVICE)?.strip_prefix(':'))?;
    // eight columns of reception, then bytes, packets, errs, drop
    line.split_whitespace().nth(11)?.parse().ok()
}

/// Datagrams for which sockets had no room, on arrival or when they were sent.
fn refused(text: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("Udp:"));
    let (names, values) = (lines.next()?, lines.next()?);
    let full = names.split_whitespace().zip(values.split_whitespace()).filter(|(name, _)| name.ends_with("bufErrors"));
    full.map(|(_, value)| value.parse::<u64>().ok()).sum()
}

fn tun_error(error: std::io::Error) -> LiveError {
    let remedy = match error.kind() {
        std::io::ErrorKind::NotFound => "modprobe tun",
        std::io::ErrorKind::PermissionDenied => namespace::privileges(),
        _ => return LiveError::call("TUN device", error),
    };
    LiveError::Unavailable { reason: format!("/dev/net/tun: {error}"), remedy: remedy.to_owned() }
}

/// Parameters of TCP for all flows; see `approximations` for flows that disagree.
fn settings(network: &Network) -> Result<(), LiveError> {
    let any = |what: fn(&Flow) -> bool| if network.flows.iter().any(|f| !is_quic(f) && what(f)) { "1" } else { "0" };
    namespace::set("ipv4/tcp_timestamps", if has_timestamps(network) { "1" } else { "0" })?;
    namespace::set("ipv4/tcp_sack", any(|f| f.tcp.sack))?;
    // ECN is asked for by each flow's route and granted whenever it is asked for
    namespace::set("ipv4/tcp_ecn", "2")?;
    namespace::set("ipv4/tcp_no_metrics_save", "1")?;
    namespace::set("ipv4/tcp_rmem", RECEIVE_BUFFER)?;
    namespace::set("ipv4/tcp_wmem", SEND_BUFFER)?;
    namespace::set("ipv4/conf/all/rp_filter", "0")?;
    namespace::set("ipv4/conf/default/rp_filter", "0")?;
    // a kernel without IPv6 has nothing to disable
    let _ = namespace::set("ipv6/conf/default/disable_ipv6", "1");
    let _ = namespace::set("ipv6/conf/all/disable_ipv6", "1");
    Ok(())
}

/// Whether the hosts, so all flows, have timestamps: where one of them asks for it.
fn has_timestamps(network: &Network) -> bool {
    network.flows.iter().any(|f| !is_quic(f) && f.tcp.timestamps)
}

/// Largest packet of a flow: its payload with the headers that the kernel will add.
fn mtu(flow: &Flow, timestamps: bool) -> u32 {
    if is_quic(flow) {
        return u32::from(settings::datagram(flow)) + UDP_HEADERS;
    }
    flow.mss() + HEADERS + if timestamps { TIMESTAMPS } else { 0 }
}

/// The metrics of a flow's route on a host that has timestamps on or off for all.
fn metrics(flow: &Flow, sends: bool, timestamps: bool) -> Vec<(Metric, u32)> {
    let locked = 1 << Metric::Mtu as u32 | if sends { 1 << Metric::MinRto as u32 } else { 0 };
    let mut metrics = vec![(Metric::Mtu, mtu(flow, timestamps)), (Metric::Lock, locked)];
    if sends {
        metrics.push((Metric::InitialWindow, flow.tcp.initial_window));
        let min_rto = (flow.tcp.min_rto.as_ps() / 1_000_000_000).max(1) as u32;
        metrics.push((Metric::MinRto, min_rto));
    } else if flow.tcp.ack_every == 1 {
        metrics.push((Metric::QuickAck, 1));
    }
    let fine = if timestamps::are_fine(flow) { FINE_TIMESTAMPS } else { 0 };
    let features = fine | if flow.tcp.ecn && sends { ECN } else { 0 };
    if features != 0 {
        metrics.push((Metric::Features, features));
    }
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_are_found() {
        let text = "Inter-|   Receive\n face |bytes\n    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n\
                    eddyline0: 1 2 3 4 5 6 7 8 9 10 11 42 13 14 15 16\n";
        assert_eq!(dropped(text), Some(42));
        assert_eq!(dropped(""), None);
    }

    #[test]
    fn datagrams_without_room_are_found() {
        let names = "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors";
        let text = format!("Tcp: A\nTcp: 1\n{names}\nUdp: 100 0 9 50 7 2 3\nUdpLite: A\nUdpLite: 4\n");
        assert_eq!(refused(&text), Some(9));
        assert_eq!(refused(""), None);
    }
}
