//! A check before a run: does a plain link with the rate and the delay of the first flow have them on this machine, and a queue as
//! deep as asked?
//!
//! Three datagrams that find the link idle measure the delay, a burst of more than the queue takes measures the rate and the depth. It takes a
//! fraction of a second.

use std::io::IoSliceMut;
use std::net::{SocketAddr, SocketAddrV4, UdpSocket};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use eddyline_capture::{PORT, address};
use eddyline_scenario::result::PathCheck;
use eddyline_scenario::{Format, Input, Network};
use eddyline_units::Time;
use nix::cmsg_space;
use nix::sys::socket::sockopt::{RcvBufForce, ReceiveTimestampns, SndBufForce};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrIn, recvmsg, setsockopt};
use nix::sys::time::TimeSpec;

use crate::clock::{Clock, duration};
use crate::emulator::{self, Shared};
use crate::error::LiveError;
use crate::host::{Host, Namespace};
use crate::placement::Placement;
use crate::run::{PRIORITY, start_lanes, take_priority};

/// How often a check is made, where the machine was busy for a moment.
const TRIES: usize = 3;
/// How long the link takes for a full queue.
const DRAIN: Time = Time::from_ms(100);
/// Delays from here on are not waited for.
const MAX_DELAY: Time = Time::from_ms(500);
/// Bytes of a datagram, with its headers.
const BYTES: (u64, u64) = (100, 1_500);
/// Bytes of the headers of IP and UDP.
const HEADERS: usize = 28;
/// Packets in the queue.
const PACKETS: (u64, u64) = (4, 2_000);
/// Datagrams that measure the delay, and the time between two.
const PROBES: usize = 3;
const BETWEEN: Duration = Duration::from_millis(20);
/// After this time without a datagram there will be none.
const SILENCE: Duration = Duration::from_millis(60);
/// Buffers of the sockets.
const BUFFER: usize = 64 << 20;

/// Only a burst that is sent in this share of the time that the link takes for a queue measures rate and depth.
const BURST_SHARE: f64 = 0.5;

/// A measured rate, depth and delay may be wrong by this share ...
const RATE_SHARE: f64 = 0.02;
const QUEUE_SHARE: f64 = 0.05;
const DELAY_SHARE: f64 = 0.02;
/// ... depths by so many packets, delays by so many seconds if that is more.
const QUEUE_PACKETS: f64 = 2.0;
const DELAY_S: f64 = 1e-3;

/// The link that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Plan {
    bits_per_second: u64,
    delay: Time,
    bytes: u64,
    packets: u64,
}

impl Plan {
    /// The plain link for the data of the first flow; none where it varies, or where a check would take long.
    fn of(network: &Network) -> Option<Self> {
        let flow = network.flows.first()?;
        let links = || flow.data.iter().map(|l| &network.links[*l as usize]);
        let delay = links().fold(flow.access_data, |sum, link| sum.saturating_add(link.delay));
        let bits_per_second = links().map(|link| link.rate.as_bps()).min()?;
        let bytes_in_time = bits_per_second.saturating_mul(DRAIN.as_ps() / 1_000_000_000) / 8_000;
        let bytes = (bytes_in_time / 10).clamp(BYTES.0, BYTES.1);
        let packets = (bytes_in_time / bytes).clamp(PACKETS.0, PACKETS.1);
        let slow = packets * bytes > 5 * bytes_in_time;
        let steady = links().all(|link| link.variation.is_steady());
        (steady && !slow && delay <= MAX_DELAY).then_some(Self { bits_per_second, delay, bytes, packets })
    }

    /// The scenario: that link, and one back.
    fn network(self) -> Result<Network, LiveError> {
        let (rate, delay) = (format!("{} bit/s", self.bits_per_second), format!("{} ns", self.delay.as_ps() / 1_000));
        let link = |name: &str, limit: String| serde_json::json!({ "name": name, "rate": rate, "delay": delay, "queue": { "kind": "droptail", "limit": limit } });
        let text = serde_json::json!({
            "duration": "1 h",
            "link": [link("there", format!("{} packets", self.packets)), link("back", "unlimited".to_owned())],
            "flow": [{ "name": "check", "controller": { "kind": "reno" }, "data": ["there"], "ack": ["back"] }],
        });
        let text = text.to_string();
        let input = Input { text: &text, format: Format::Json, name: "check", folder: None };
        Ok(eddyline_scenario::load(&input, &[]).map_err(|e| LiveError::Failed(format!("check: {e}")))?.network)
    }

    /// Time that the link takes for a datagram, in seconds.
    fn transmission_s(self) -> f64 {
        (self.bytes * 8) as f64 / self.bits_per_second as f64
    }
}

/// Checks the link of the first flow's data, again where it seems wrong; nothing if there is nothing to check.
///
/// # Errors
/// This machine cannot emulate a path.
pub fn check(network: &Network) -> Result<Option<PathCheck>, LiveError> {
    let Some(plan) = Plan::of(network) else { return Ok(None) };
    let mut found = PathCheck::default();
    for _ in 0..TRIES {
        found = measure(plan)?;
        if faults(&found).is_empty() {
            break;
        }
    }
    Ok(Some(found))
}

/// What is wrong, a sentence each.
#[must_use]
pub fn faults(check: &PathCheck) -> Vec<String> {
    let mut because = Vec::new();
    let off = |value: f64, asked: f64, share: f64, least: f64| (value - asked).abs() > (share * asked).max(least);
    if let Some(rate) = check.rate_bps.filter(|rate| off(*rate, check.asked_rate_bps, RATE_SHARE, 0.0)) {
        let [rate, asked] = [rate, check.asked_rate_bps].map(|r| r * 1e-6);
        because.push(format!("before the run a link had {rate:.4} Mbit/s in place of {asked:.4}"));
    }
    let delay = check.delay_s.filter(|delay| off(*delay, check.asked_delay_s, DELAY_SHARE, DELAY_S));
    if let Some(delay) = delay {
        let [delay, asked] = [delay, check.asked_delay_s].map(|s| s * 1e3);
        because.push(format!("before the run a link had a delay of {delay:.3} ms in place of {asked:.3}"));
    }
    let asked = check.asked_queue_packets;
    if let Some(depth) = check.queue_packets.filter(|depth| off(*depth, asked, QUEUE_SHARE, QUEUE_PACKETS)) {
        because.push(format!("before the run a queue took {depth:.0} packets in place of {asked:.0}"));
    }
    if check.delay_s.is_none() {
        because.push("before the run a link did not deliver".to_owned());
    }
    because
}

fn measure(plan: Plan) -> Result<PathCheck, LiveError> {
    let network = Arc::new(plan.network()?);
    let placement = Placement::of(&network);
    let sender = placement.sender[0];
    let create = |number| Host::create(&network, number, &placement.sender);
    let hosts = [create(0)?, create(1)?];
    let shared = Arc::new(Shared {
        routes: emulator::routes(&network, &placement),
        held: emulator::empty(&network),
        placement,
        hosts,
        clock: Clock::starting_in(Duration::ZERO),
        series: None,
        capture: false,
        any_packet: true,
        stopped: AtomicBool::new(false),
        network: Arc::clone(&network),
    });
    let from = socket(&shared.hosts[sender].namespace, SocketAddrV4::new(address(sender, 0), PORT));
    let to = socket(&shared.hosts[1 - sender].namespace, SocketAddrV4::new(address(1 - sender, 0), PORT));
    let lanes = start_lanes(&shared)?;
    let seen = from.and_then(|from| Ok((from, to?))).and_then(|(from, to)| exchange(plan, &from, &to));
    shared.stopped.store(true, Ordering::Relaxed);
    for lane in lanes {
        let _ = lane.join();
    }
    let seen = seen.map_err(|e| LiveError::call("check of the path", e))?;
    Ok(evaluate(plan, &seen))
}

/// A socket in a namespace.
fn socket(namespace: &Namespace, own: SocketAddrV4) -> std::io::Result<UdpSocket> {
    thread::scope(|scope| {
        let made = scope.spawn(|| {
            namespace.enter().map_err(std::io::Error::other)?;
            let socket = UdpSocket::bind(own)?;
            // only root may have large ones; others check as well as they can
            let _ = setsockopt(&socket, RcvBufForce, &BUFFER);
            let _ = setsockopt(&socket, SndBufForce, &BUFFER);
            Ok(socket)
        });
        made.join().unwrap_or_else(|_| Err(std::io::Error::other("a thread panicked")))
    })
}

/// Times of sending and of arrival by number, in seconds.
#[derive(Debug, Default)]
struct Seen {
    sent: Vec<f64>,
    arrived: Vec<(usize, f64)>,
}

/// Sends the probes and then the burst; returns when all have arrived. Times are those of the system's clock.
fn exchange(plan: Plan, from: &UdpSocket, to: &UdpSocket) -> std::io::Result<Seen> {
    let destination = to.local_addr()?;
    setsockopt(to, ReceiveTimestampns, &true)?;
    to.set_read_timeout(Some(SILENCE + duration(plan.delay) + PROBES as u32 * BETWEEN))?;
    let began = SystemTime::now();
    thread::scope(|scope| {
        let receiver = scope.spawn(|| receive(began, to));
        let sender = scope.spawn(|| transmit(plan, began, from, destination));
        let panicked = |_| std::io::Error::other("a thread panicked");
        let sent = sender.join().map_err(panicked)??;
        Ok(Seen { sent, arrived: receiver.join().map_err(panicked)? })
    })
}

/// Sends the probes and then the burst; returns the time of each since `began`.
fn transmit(plan: Plan, began: SystemTime, from: &UdpSocket, to: SocketAddr) -> std::io::Result<Vec<f64>> {
    // below the emulator, above all else: a burst with a pause in it measures nothing
    let _ = take_priority(PRIORITY - 1);
    let (mut datagram, mut sent) = (vec![0; plan.bytes as usize - HEADERS], Vec::new());
    for number in 0..PROBES + 2 * plan.packets as usize + 10 {
        if number == PROBES {
            // the last probe has left the link before the burst begins
            thread::sleep(Duration::from_secs_f64(plan.transmission_s()));
        }
        datagram[..8].copy_from_slice(&(number as u64).to_ne_bytes());
        sent.push(began.elapsed().unwrap_or_default().as_secs_f64());
        from.send_to(&datagram, to)?;
        if number < PROBES {
            thread::sleep(BETWEEN);
        }
    }
    Ok(sent)
}

/// Datagrams until there is silence, with the time since `began` when the kernel took them from the path, however late this thread runs.
fn receive(began: SystemTime, socket: &UdpSocket) -> Vec<(usize, f64)> {
    let began = began.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (mut buffer, mut space, mut arrived) = ([0; 8], cmsg_space!(TimeSpec), Vec::new());
    loop {
        let mut parts = [IoSliceMut::new(&mut buffer)];
        let read = recvmsg::<SockaddrIn>(socket.as_raw_fd(), &mut parts, Some(&mut space), MsgFlags::empty());
        let Ok(at) = read.and_then(|message| Ok(message.cmsgs()?.find_map(timestamp))) else { return arrived };
        if let Some(at) = at {
            let number = u64::from_ne_bytes(buffer) as usize;
            arrived.push((number, Duration::from(at).saturating_sub(began).as_secs_f64()));
        }
    }
}

/// The time in a control message.
fn timestamp(message: ControlMessageOwned) -> Option<TimeSpec> {
    if let ControlMessageOwned::ScmTimestampns(at) = message { Some(at) } else { None }
}

fn evaluate(plan: Plan, seen: &Seen) -> PathCheck {
    let asked_delay = plan.delay.as_secs_f64() + plan.transmission_s();
    let probes = seen.arrived.iter().filter(|(number, _)| *number < PROBES);
    let delay = probes.map(|(number, at)| at - seen.sent[*number]).reduce(f64::min);
    let burst: Vec<f64> = seen.arrived.iter().filter(|(number, _)| *number >= PROBES).map(|(_, at)| *at).collect();
    let (first, last) = (burst.first().copied().unwrap_or(0.0), burst.last().copied().unwrap_or(0.0));
    let gaps = burst.len().saturating_sub(1) as f64;
    // the link has transmitted some before the last was sent
    let gone = (seen.sent[seen.sent.len() - 1] - seen.sent[PROBES]) / plan.transmission_s();
    let quick = gone < BURST_SHARE * plan.packets as f64;
    let rate = (quick && last > first).then(|| gaps * (plan.bytes * 8) as f64 / (last - first));
    let depth = quick.then_some(burst.len() as f64 - 1.0 - gone);
    PathCheck {
        rate_bps: rate,
        asked_rate_bps: plan.bits_per_second as f64,
        delay_s: delay,
        asked_delay_s: asked_delay,
        queue_packets: depth,
        asked_queue_packets: plan.packets as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(rate: &str, delay: &str) -> Network {
        let text = format!(
            r#"{{ "duration": "1 s", "link": [{{ "name": "f", "rate": "{rate}", "delay": "{delay}" }},
            {{ "name": "b", "rate": "1 Mbit/s", "delay": "1 ms" }}],
            "flow": [{{ "name": "x", "controller": {{ "kind": "reno" }}, "data": ["f"], "ack": ["b"] }}] }}"#
        );
        let input = Input { text: &text, format: Format::Json, name: "t", folder: None };
        eddyline_scenario::load(&input, &[]).expect("valid").network
    }

    #[test]
    fn a_check_takes_a_fraction_of_a_second_at_any_rate() {
        for rate in ["20 kbit/s", "192 kbit/s", "10 Mbit/s", "1 Gbit/s"] {
            let plan = Plan::of(&network(rate, "20 ms")).expect("checked");
            assert!(plan.transmission_s() * (plan.packets as f64) < 0.5, "{rate}: {plan:?}");
            assert!(plan.packets >= PACKETS.0, "{rate}");
            assert_eq!(plan.network().expect("valid").links[0].rate.as_bps(), plan.bits_per_second);
        }
        assert_eq!(Plan::of(&network("10 Mbit/s", "2 s")), None, "too long");
        assert_eq!(Plan::of(&network("1 kbit/s", "1 ms")), None, "too slow");
    }

    /// What a link of 10 Mbit/s gives: it sends a datagram each 1.2 ms, and takes the burst in 1 ms.
    fn seen(plan: Plan, rate: f64, taken: usize) -> PathCheck {
        let step = plan.transmission_s() / rate;
        let mut seen = Seen { sent: vec![0.0, 0.02, 0.04], arrived: Vec::new() };
        seen.arrived.extend((0..PROBES).map(|i| (i, seen.sent[i] + 0.0212)));
        seen.sent.extend((0..2 * plan.packets + 10).map(|i| 0.1 + 1e-3 * i as f64 / (2 * plan.packets + 9) as f64));
        seen.arrived.extend((0..taken).map(|i| (PROBES + i, 0.1212 + step * i as f64)));
        evaluate(plan, &seen)
    }

    #[test]
    fn faults_are_found() {
        let plan = Plan::of(&network("10 Mbit/s", "20 ms")).expect("checked");
        assert_eq!(faults(&seen(plan, 1.0, plan.packets as usize + 1)), Vec::<String>::new());
        assert_eq!(faults(&seen(plan, 0.9, plan.packets as usize + 1)).len(), 1, "rate");
        assert_eq!(faults(&seen(plan, 1.0, plan.packets as usize / 2)).len(), 1, "depth");
        assert_eq!(faults(&PathCheck { delay_s: Some(0.030), ..seen(plan, 1.0, plan.packets as usize + 1) }).len(), 1);
        assert_eq!(faults(&PathCheck { delay_s: None, ..seen(plan, 1.0, plan.packets as usize + 1) }).len(), 1);
    }
}
