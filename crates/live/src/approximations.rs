//! What of a scenario this world refuses, and what it cannot honour.

use eddyline_cc::{ControllerParams, CubicProfile, SlowStartKind};
use eddyline_path::variation::Variation;
use eddyline_scenario::Network;
use eddyline_scenario::network::{Flow, Local, Pacing, PacingGain, TimestampClock, Transport};

use crate::controllers;
use crate::error::LiveError;
use crate::host::Host;
use crate::quic::{self, is_quic};
use crate::timestamps;

/// Smallest payload of a full segment that Linux is given here; below, its own lower limits begin.
const MIN_PAYLOAD: u32 = 88;
/// Largest packet of a device.
const MAX_PACKET: u32 = 65_000;

/// The window that Linux offers in the SYN-ACK, which has no scale.
const FIRST_RECEIVE_WINDOW: u64 = 65_535;

/// The world that has what this one lacks; commands have several ways to name it.
fn elsewhere(network: &Network) -> &'static str {
    let tcp = network.flows.iter().any(|flow| flow.transport == Some(Transport::Tcp));
    match network.flows.iter().any(|flow| is_quic(flow) || flow.controller.only_in().is_some()) {
        true if tcp => "leave it out: no other world has TCP beside QUIC",
        true => "world quic has it",
        false => "world sim has it",
    }
}

fn refuse(what: String, hint: &'static str) -> Result<(), LiveError> {
    Err(LiveError::Unsupported { what, hint })
}

/// Makes sure that this world has all that a scenario asks for.
///
/// # Errors
/// It has not.
pub fn check(network: &Network) -> Result<(), LiveError> {
    check_path(network)?;
    if let Some(arrivals) = network.arrivals.first() {
        return refuse(format!("flows that arrive at random (arrivals {})", arrivals.name), elsewhere(network));
    }
    if let Some(probe) = network.probes.first() {
        return refuse(format!("latency probes (probe {})", probe.name), elsewhere(network));
    }
    for flow in &network.flows {
        if is_quic(flow) {
            quic::check(network, flow)?;
        } else {
            controllers::check(flow)?;
        }
        if flow.peer.is_some() {
            return refuse(format!("flows that share a connection (flow {})", flow.name), elsewhere(network));
        }
    }
    Ok(())
}

/// The same of the path alone, on which flows and probes do not run.
///
/// # Errors
/// It has not.
pub fn check_path(network: &Network) -> Result<(), LiveError> {
    if let Some(medium) = network.media.first() {
        return refuse(format!("half-duplex medium (medium {})", medium.name), elsewhere(network));
    }
    if let Some(link) = network.links.iter().find(|l| l.reconstruct.is_some()) {
        return refuse(format!("ACK reconstruction (link {})", link.name), elsewhere(network));
    }
    if let Some(link) = network.links.iter().find(|l| l.corrupt > 0.0) {
        return refuse(format!("corruption of packets (link {})", link.name), elsewhere(network));
    }
    if network.flows.len() > Host::MAX_FLOWS {
        let what = format!("room for {} flows; at most {}", network.flows.len(), Host::MAX_FLOWS);
        return refuse(what, "have fewer flows");
    }
    if let Some(flow) = network.flows.iter().find(|f| f.mss() < MIN_PAYLOAD || f.packet > MAX_PACKET) {
        let what = format!("packets of {} bytes with a header of {} (flow {})", flow.packet, flow.header, flow.name);
        return refuse(what, "payload of 88 B or more, packets of 65 kB or less");
    }
    Ok(())
}

/// Whether a controller goes by the delay of the data's way alone, and falls back to the round trip where it is not known.
fn measures_forward_delay(flow: &Flow) -> bool {
    match &*flow.controller {
        ControllerParams::Ledbat(params) => !params.measures_round_trips(),
        _ => false,
    }
}

/// What cannot be honoured, a sentence each.
#[must_use]
pub fn of(network: &Network) -> Vec<String> {
    let mut notes = Vec::new();
    let over = |quic: bool| network.flows.iter().filter(move |f| is_quic(f) == quic);
    if over(true).next().is_some() {
        notes.push(
            "flows over QUIC have the stack, the keys and the sizes of world quic; their base_rtt_s, rtt_s and window_packets are from the stack's own state"
                .to_owned(),
        );
    }
    notes.extend(over(true).filter(|flow| measures_forward_delay(flow)).map(|flow| {
        format!(
            "flow {}: the stack carries no times of arrival, so a forward delay that the controller uses is the whole round trip",
            flow.name
        )
    }));
    notes.extend(eddyline_quic_host::approximations::of(over(true)));
    notes.extend(eddyline_quic_host::approximations::of_links(network, over(true)));
    for flow in over(false) {
        for note in about(flow) {
            notes.push(format!("flow {}: {note}", flow.name));
        }
    }
    for (what, on) in [("timestamps", (|f| f.tcp.timestamps) as fn(&Flow) -> bool), ("sack", |f| f.tcp.sack)] {
        let with = over(false).filter(|f| on(f)).count();
        if with > 0 && with < over(false).count() {
            notes.push(format!("tcp.{what}: all flows have it, because it is a setting of the host"));
        }
    }
    if !network.traffic.is_empty() {
        notes
            .push("the values of traffic are null: the emulator sends it and counts it with its links only".to_owned());
    }
    if network.links.iter().any(|l| varies(&l.variation)) {
        notes.push("variation of links begins with the run; the clock is real".to_owned());
    }
    notes
}

const fn varies(variation: &Variation) -> bool {
    !variation.is_steady()
}

/// Whether the flow asks for another clock of timestamps than the kernel's: both hosts have the same, with a tick of its own.
fn has_another_clock(flow: &Flow) -> bool {
    let asked = flow.tcp.timestamp_clock;
    let own = TimestampClock { tick: timestamps::tick(flow), ..TimestampClock::default() };
    !asked.is_default() && asked != own
}

fn about(flow: &Flow) -> Vec<String> {
    let tcp = &flow.tcp;
    let mut notes = Vec::new();
    if controllers::stock(flow.controller.name()).is_some() && controllers::has_parameters(&flow.controller) {
        notes.push(format!("the kernel's {} has parameters of its own", flow.controller.name()));
    }
    if let ControllerParams::Cubic(cubic) = &*flow.controller {
        notes.push(
            match cubic.slow_start {
                SlowStartKind::HyStart => "the kernel's cubic ends slow start by HyStart, not by HyStart++",
                SlowStartKind::Standard => {
                    "the kernel's cubic ends slow start by HyStart; nearest to it is slow_start = \"hystart++\""
                }
            }
            .to_owned(),
        );
        if cubic.profile != CubicProfile::Linux {
            notes.push("the kernel's cubic grows as profile = \"linux\"".to_owned());
        }
    }
    if timestamps::are_coarse(flow) {
        notes.push(
            "timestamps have ticks of 1 ms, before Linux 6.7: one-way delays are known to about 0.5 ms".to_owned(),
        );
    }
    if tcp.ack_every > 1 {
        notes.push(
            "acknowledgements are delayed as Linux does it: two segments or 40 ms, at once at the start and while the \
             receive window grows"
                .to_owned(),
        );
    }
    let ignored: Vec<&str> = [
        ("byte_counting", tcp.byte_counting.is_some()),
        ("limited_transmit = false", !tcp.limited_transmit),
        ("fast_retransmit = false", !tcp.fast_retransmit),
        ("partial_ack_timer", tcp.partial_ack_timer.is_some()),
        ("timestamp_clock", has_another_clock(flow)),
        ("accurate_ecn", tcp.accurate_ecn != eddyline_scenario::network::AccurateEcn::Off),
        ("ack_congestion_control", tcp.ack_congestion_control),
        ("local", tcp.local != Local::Drop),
        ("pacing_gain", tcp.pacing_gain != PacingGain::default()),
        ("pacing = false", tcp.pacing == Pacing::Off && flow.controller.name() == "bbr"),
    ]
    .into_iter()
    .filter_map(|(name, given)| given.then_some(name))
    .collect();
    if !ignored.is_empty() {
        notes.push(format!("left to Linux: tcp.{}", ignored.join(", tcp.")));
    }
    if u64::from(tcp.initial_window) * u64::from(flow.mss()) > FIRST_RECEIVE_WINDOW {
        notes.push(format!(
            "the receiver's first window is {FIRST_RECEIVE_WINDOW} bytes, which the initial window of {} packets exceeds",
            tcp.initial_window
        ));
    }
    let own: Vec<&str> = [
        ("prr", tcp.prr || !tcp.sack),
        ("rack", tcp.rack || !tcp.sack),
        ("frto", tcp.frto || !tcp.sack),
        ("rto_every_ack", tcp.rto_every_ack),
    ]
    .into_iter()
    .filter_map(|(name, given)| (!given).then_some(name))
    .collect();
    if !own.is_empty() {
        notes.push(format!("Linux always has {}", own.join(", ")));
    }
    notes
}
