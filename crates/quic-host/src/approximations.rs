//! What of a scenario QUIC cannot honour.

use std::collections::{BTreeMap, BTreeSet};

use eddyline_path::queue::{CakeAckFilter, QueueParams};
use eddyline_scenario::Network;
use eddyline_scenario::network::{Flow, Link, Local, Pacing, TcpOptions};
use eddyline_units::Time;

use crate::kinds::{self, UNSEEDED};
use crate::settings::{ACK, DEFAULT_ACK_DELAY_MS, ECN_COUNTS, MAX_DATAGRAM, MIN_DATAGRAM};

/// Flows named before "and n more".
const MAX_NAMES: usize = 5;
/// The scenario file's default of `tcp.min_rto`, which therefore asks for nothing.
const DEFAULT_MIN_RTO: Time = Time::from_ms(200);

/// The scenario file's default of `ack_packet`, which therefore asks for nothing.
const DEFAULT_ACK_PACKET: u32 = 40;

/// All that is to be said of `flows` before a run; a note is said once with the flows that it is about.
pub fn of<'a>(flows: impl IntoIterator<Item = &'a Flow>) -> Vec<String> {
    let mut notes: BTreeMap<(usize, String), Vec<&str>> = BTreeMap::new();
    for flow in flows {
        for (order, note) in about(flow).into_iter().enumerate() {
            if let Some(note) = note {
                notes.entry((order, note)).or_default().push(table(&flow.name));
            }
        }
    }
    notes
        .into_iter()
        .map(|((_, note), mut names)| {
            names.dedup();
            format!("{}: {note}", listed("flow", &names))
        })
        .collect()
}

/// The links on the way of acknowledgements of `flows` whose queue or end acts on those of TCP, where there are any.
pub fn of_links<'a>(network: &Network, flows: impl IntoIterator<Item = &'a Flow>) -> Option<String> {
    let crossed: BTreeSet<usize> =
        flows.into_iter().flat_map(|flow| flow.ack.iter().map(|link| *link as usize)).collect();
    let names: Vec<&str> = crossed
        .into_iter()
        .map(|place| &network.links[place])
        .filter(|link| reads(link))
        .map(|link| &*link.name)
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "{}: no acknowledgement is filtered, thinned or reconstructed, because QUIC's are encrypted",
            listed("link", &names)
        )
    })
}

/// Whether a link reads acknowledgements.
fn reads(link: &Link) -> bool {
    let by_queue = match &link.queue {
        QueueParams::AckFilter(_) | QueueParams::AckDecimation(_) => true,
        QueueParams::Cake(cake) => cake.ack_filter != CakeAckFilter::None,
        _ => false,
    };
    by_queue || link.reconstruct.is_some()
}

/// The table's name, without the number of a flow among those of one table.
fn table(name: &str) -> &str {
    name.strip_suffix(']').and_then(|n| n.rsplit_once('[')).map_or(name, |(table, _)| table)
}

fn listed(kind: &str, names: &[&str]) -> String {
    let shown = &names[..names.len().min(MAX_NAMES)];
    let more = names.len() - shown.len();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{kind}{} {}{rest}", if names.len() > 1 { "s" } else { "" }, shown.join(", "))
}

/// The notes about one flow, in a fixed order.
fn about(flow: &Flow) -> Vec<Option<String>> {
    let tcp = &flow.tcp;
    let datagram = flow.mss().clamp(MIN_DATAGRAM, MAX_DATAGRAM);
    let sizes = (datagram != flow.mss()).then(|| {
        format!(
            "full packets have {} bytes in place of {}, because a QUIC datagram has {MIN_DATAGRAM} to {MAX_DATAGRAM}",
            datagram + flow.header,
            flow.packet
        )
    });
    let counts = if tcp.ecn { ECN_COUNTS } else { 0..=0 };
    let ack_bytes = ACK.start() + counts.start()..=ACK.end() + counts.end();
    let ack_fits = ack_bytes.contains(&flow.ack_packet.saturating_sub(flow.header));
    let acks = (flow.ack_packet != DEFAULT_ACK_PACKET && !ack_fits).then(|| {
        format!(
            "acknowledgements and the handshake are QUIC's own packets in place of `ack_packet`: an acknowledgement of one range has {} \
             to {} bytes, the client's first packet {}",
            ack_bytes.start() + flow.header,
            ack_bytes.end() + flow.header,
            datagram.min(MIN_DATAGRAM) + flow.header
        )
    });
    let options = ignored(tcp);
    let tcp_only = (!options.is_empty()).then(|| format!("not in QUIC, ignored: {}", options.join(", ")));
    let pacing = (tcp.pacing == Pacing::Off).then(|| "the stack always paces".to_owned());
    let timer = (tcp.ack_every > 1 && tcp.ack_timer > Time::from_ms(DEFAULT_ACK_DELAY_MS)).then(|| {
        format!("acknowledgements are delayed by at most {DEFAULT_ACK_DELAY_MS} ms, or a round trip if that is longer")
    });
    let random = (flow.controller.name() == UNSEEDED).then(|| {
        "noq-bbr3 draws when it probes from a generator without a seed: runs differ from each other".to_owned()
    });
    let growth = (tcp.byte_counting.is_some() && kinds::is_stacks(flow.controller.name()))
        .then(|| "`byte_counting` is ignored: the stack's own controllers do not take it".to_owned());
    vec![sizes, acks, tcp_only, pacing, timer, random, growth]
}

/// TCP options that are given, and that QUIC has no counterpart of.
fn ignored(tcp: &TcpOptions) -> Vec<&'static str> {
    let given = [
        ("`sack = false`", !tcp.sack),
        ("`min_rto`", tcp.min_rto != DEFAULT_MIN_RTO),
        ("`quick_acks`", tcp.quick_acks > 0),
        ("`limited_transmit = false`", !tcp.limited_transmit),
        ("`fast_retransmit = false`", !tcp.fast_retransmit),
        ("`partial_ack_timer`", tcp.partial_ack_timer.is_some()),
        ("`timestamp_clock`", !tcp.timestamp_clock.is_default()),
        ("`prr`", tcp.prr),
        ("`rack`", tcp.rack),
        ("`frto`", tcp.frto),
        ("`rto_every_ack`", tcp.rto_every_ack),
        ("`ack_congestion_control`", tcp.ack_congestion_control),
        ("`send_buffer`", tcp.send_buffer.is_some()),
        ("`receive_buffer`", tcp.receive_buffer.is_some()),
        ("`local`", tcp.local != Local::Drop),
        ("`pacing_gain`", tcp.pacing_gain != eddyline_scenario::network::PacingGain::default()),
    ];
    given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
}
