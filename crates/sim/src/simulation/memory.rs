//! The memory budget of a run: how many packets it allows in the network, and what to say when there are more.

use std::fmt::Write as _;

use eddyline_scenario::Network;
use eddyline_units::Time;

use crate::endpoint::{FlowState, Flows};
use crate::network::Net;

/// Bytes for a packet in the network: in the ring of a queue or pipe and in its sender's record of transmissions, whose capacity may
/// just have doubled, and the copy of the old ring while it is moved.
const BYTES_PER_PACKET: u64 = 256;
/// Bytes for a packet of a transport of others: its content too, and what that keeps to send it again; 800 to 900 were measured.
const BYTES_PER_DATAGRAM: u64 = 1024;

/// The maximum number of packets that `memory` bytes allow, `of_stack` where they are those of a transport of others.
pub fn max_packets(memory: Option<u64>, of_stack: bool) -> u64 {
    memory.map_or(u64::MAX, |bytes| bytes / bytes_per_packet(of_stack))
}

const fn bytes_per_packet(of_stack: bool) -> u64 {
    if of_stack { BYTES_PER_DATAGRAM } else { BYTES_PER_PACKET }
}

/// Where the packets are that exceed the budget.
pub fn report(network: &Network, net: &mut Net, flows: &Flows, of_stack: bool, now: Time) -> String {
    let (packets, dropped) = (net.packets(), net.excess_drops.unwrap_or(0));
    let bytes = net.max_packets.saturating_mul(bytes_per_packet(of_stack)) as f64;
    // whole packets are a little less than what was given
    let (budget, unit) =
        if bytes < 999_500.0 { ((bytes / 1e3).round(), "kB") } else { ((bytes / 1e5).round() / 10.0, "MB") };
    let now_s = now.as_secs_f64();
    let mut text = format!("at {now_s:.6} s, {packets} packets in the network");
    if dropped > 0 {
        let _ = write!(text, " and {dropped} that were dropped within a millisecond");
    }
    let _ = write!(text, " need more than the {budget} {unit} of the run");
    let waiting = network.links.iter().zip(0..).map(|(link, i)| (net.waiting(now, i).0, link));
    if let Some((waiting, link)) = waiting.max_by_key(|(waiting, _)| *waiting) {
        let limit = link.queue.limit();
        let _ = write!(text, "; {waiting} wait at link {:?}, whose queue.limit is {limit}", link.name);
    }
    let states = (0..flows.len()).map(|i| flows.state(i)).zip(&network.flows);
    // What is in flight includes what has arrived and is not acknowledged yet. A sender does not count what it takes for lost, so of
    // dropped packets the window tells who sent them.
    let share = |state: &FlowState| if dropped > 0 { state.cwnd_packets } else { state.in_flight_packets };
    if let Some((state, flow)) = states.max_by(|(a, _), (b, _)| share(a).total_cmp(&share(b))) {
        let window = state.cwnd_packets;
        let window = if window < 1e6 { format!("{window:.0}") } else { format!("{window:.3e}") };
        let (name, kind, sent) = (&flow.name, flow.controller.name(), state.in_flight_packets);
        let _ = if share(&state) < (packets + dropped) as f64 / 10.0 {
            write!(text, "; no flow has more than {:.0} in flight", share(&state))
        } else if dropped > 0 {
            write!(text, "; flow {name:?} may send {window}, as its controller {kind} allows")
        } else {
            write!(text, "; flow {name:?} has {sent:.0} in flight, its controller {kind} allows {window}")
        };
    }
    for arrivals in &network.arrivals {
        let _ = write!(text, "; transfers of {:?} arrive {} times a second", arrivals.name, arrivals.rate_per_s);
    }
    text
}
