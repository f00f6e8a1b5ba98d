//! What a packet log says of the headers: SACK blocks, and marks.

use crate::scenarios;

use std::collections::BTreeSet;

use eddyline_sim::{LogEvent, LogSelection, Options, Outcome, PacketLog, SegmentFlags};
use eddyline_tcp::Ecn;
use scenarios::{flow, head, network, outcome};

const FULL: u64 = 1_000;

fn logged(queue: &str, keys: &str) -> (Outcome, PacketLog) {
    let queue = format!("queue = {queue}\ndelay");
    let text = head(10.0, 0.0, 3)
        + &scenarios::duplex(10e6, 10e6, 0.02).replacen("delay", &queue, 1)
        + &flow("x", "kind = \"cubic\"", "f", "b", keys);
    let options = Options { packet_log: Some(LogSelection::Entity("x".to_owned())), ..Options::default() };
    let mut outcome = outcome(&network(&text), &options);
    let log = outcome.log.take().unwrap();
    (outcome, log)
}

fn kind(name: &str) -> u8 {
    PacketLog::PACKETS.iter().position(|&kind| kind == name).unwrap() as u8
}

fn is(log: &PacketLog, row: usize, event: LogEvent, packet: &str) -> bool {
    log.event[row] == event as u8 && log.packet[row] == kind(packet)
}

/// A receiver reports what has arrived, all of it above the acknowledgement number, the latest first (RFC 2018, 4).
#[test]
fn blocks_are_what_has_arrived() {
    let (outcome, log) = logged("{ kind = \"droptail\", limit = \"20 packets\" }", "");
    assert!(outcome.result.flows[0].retransmits > Some(10));
    let mut arrived = BTreeSet::new();
    let (mut blocks, mut checked, mut latest) = (log.sack.iter().peekable(), 0, None);
    for row in 0..log.time_s.len() {
        if is(&log, row, LogEvent::Receive, "data") {
            arrived.insert(log.seq[row]);
            latest = Some(log.seq[row]);
        }
        let Some((_, sack)) = blocks.next_if(|(at, _)| *at == row) else { continue };
        assert_eq!(log.packet[row], kind("ack"));
        if !is(&log, row, LogEvent::Send, "ack") {
            continue;
        }
        let full: Vec<_> = sack.iter().take_while(|(first, end)| first < end).collect();
        assert!(!full.is_empty());
        for &&(first, end) in &full {
            assert!(first > log.seq[row] && (end - first).is_multiple_of(FULL), "{sack:?} above {}", log.seq[row]);
            assert!((first..end).step_by(FULL as usize).all(|seq| arrived.contains(&seq)));
        }
        // what filled a gap is below the acknowledgement number
        let latest = latest.filter(|&seq| seq >= log.seq[row]);
        assert!(latest.is_none_or(|seq| (full[0].0..full[0].1).contains(&seq)));
        checked += 1;
    }
    assert!(blocks.peek().is_none() && checked > 100, "{checked}");
}

#[test]
fn flows_without_selective_acknowledgements_have_no_blocks() {
    let (outcome, log) = logged("{ kind = \"droptail\", limit = \"20 packets\" }", "tcp = { sack = false }");
    assert!(outcome.result.flows[0].retransmits > Some(10));
    assert!(log.sack.is_empty());
}

#[test]
fn marks_are_in_the_headers() {
    let (outcome, log) = logged("{ kind = \"codel\", ecn = true }", "tcp = { ecn = true }");
    let flags = |event, packet| {
        let rows = (0..log.time_s.len()).filter(|&row| is(&log, row, event, packet));
        rows.map(|row| SegmentFlags::from_bits(log.header_flags[row])).collect::<Vec<_>>()
    };
    let marked = outcome.result.links[0].marked.unwrap();
    assert!(marked > 3);
    let arrived = flags(LogEvent::Receive, "data");
    assert_eq!(arrived.iter().filter(|f| f.ecn() == Ecn::Ce).count() as u64, marked);
    assert!(flags(LogEvent::Send, "data").iter().all(|f| f.ecn() == Ecn::Ect0));
    assert!(flags(LogEvent::Send, "ack").iter().any(|f| f.ece()));
    assert!(flags(LogEvent::Send, "data").iter().any(|f| f.cwr()));
}
