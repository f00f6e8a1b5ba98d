//! What a scenario says about a flow is what its connection does: sizes, directions, windows, acknowledgements, marks.

use crate::networks;

use std::ops::ControlFlow;

use eddyline_scenario::result::FlowResult;
use eddyline_sim::{LogEvent, Options, PacketKind, PacketLog, SimError};
use networks::{bottleneck, logged, network, quic, sim};

fn near(got: f64, want: f64, within: f64, what: &str) {
    assert!((got / want - 1.0).abs() < within, "{what}: {got} against {want}");
}

/// Every size arrives completely, by two round trips and the time that the bottleneck needs.
#[test]
fn sizes_complete() {
    for (bytes, seconds) in [(1, 0.1), (1_000, 0.1), (12_345, 0.15), (1_000_000, 1.2), (10_000_000, 9.2)] {
        let text = bottleneck(60.0, "kind = \"noq-cubic\"", 60, &format!("size = \"{bytes} B\""));
        let flow = &quic(&text).result.flows[0];
        assert_eq!(flow.delivered_bytes, Some(bytes));
        let done = flow.completed_at_s.expect("completed");
        assert!(done < seconds, "{bytes} bytes took {done} s");
    }
}

/// Full packets have the size that the scenario gives, and fill the link.
#[test]
fn full_packets_have_the_scenarios_size() {
    for (packet, header) in [(1500, 40), (1500, 28), (9000, 48), (1248, 48)] {
        let more = format!("packet = \"{packet} B\"\nheader = \"{header} B\"");
        let text = bottleneck(5.0, "kind = \"cubic\"", 60, &more);
        let log = logged(&text, eddyline_quic::Crypto::null()).log.expect("a log");
        let sizes = log.bytes.iter().zip(&log.packet).filter(|(_, kind)| **kind == PacketKind::Data as u8);
        assert_eq!(sizes.map(|(bytes, _)| *bytes).max(), Some(packet));
    }
    // a datagram cannot be smaller than 1,200 bytes
    let text = bottleneck(5.0, "kind = \"cubic\"", 60, "packet = \"1040 B\"");
    let result = quic(&text).result;
    assert!(result.approximations.iter().any(|note| note.contains("1240 bytes in place of 1040")), "{result:?}");
}

/// No queue reads acknowledgements that are encrypted: filters change nothing, and the result says so.
#[test]
fn filters_of_acknowledgements_do_nothing() {
    let with = |queue: &str| {
        let text = bottleneck(5.0, "kind = \"cubic\"", 60, "");
        let back = "[[link]]\nname = \"b\"\nrate = \"100 kbit/s\"\ndelay = \"20 ms\"\n";
        quic(&text.replacen(
            "[[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n",
            &format!("{back}queue = {{ {queue} }}\n"),
            1,
        ))
        .result
    };
    let note = "link b: no acknowledgement is filtered";
    for (plain, filtered) in [
        ("kind = \"droptail\", limit = \"20 packets\"", "kind = \"ack_filter\", limit = \"20 packets\""),
        ("kind = \"cake\"", "kind = \"cake\", ack_filter = \"aggressive\""),
    ] {
        let (one, other) = (with(plain), with(filtered));
        assert_eq!(one.flows[0].delivered_bytes, other.flows[0].delivered_bytes, "{filtered}");
        assert!(!one.approximations.iter().any(|said| said.starts_with(note)), "{:?}", one.approximations);
        assert!(other.approximations.iter().any(|said| said.starts_with(note)), "{:?}", other.approximations);
    }
}

/// Data both ways on one connection: it takes less time than one after the other (7.5 s), most acknowledgements are on data packets, and both transfers
/// complete.
#[test]
fn both_directions_of_a_connection() {
    let other = "size = \"5 MB\"\npiggyback = \"other\"\n[[flow]]\nname = \"other\"\ncontroller = { kind = \"newreno\" }\n\
                 data = [\"b\"]\nack = [\"f\"]\nsize = \"4 MB\"\nstart = \"500 ms\"";
    let text = bottleneck(20.0, "kind = \"newreno\"", 60, other);
    let queue = "delay = \"20 ms\"\nqueue = { kind = \"droptail\", limit = \"60 packets\" }\n[[flow]]";
    let text = text.replacen("delay = \"20 ms\"\n[[flow]]", queue, 1);
    let outcome = logged(&text, eddyline_quic::Crypto::null());
    let [one, other] = &outcome.result.flows[..] else { panic!("two flows") };
    assert_eq!((one.delivered_bytes, other.delivered_bytes), (Some(5_000_000), Some(4_000_000)));
    assert!(one.completed_at_s < Some(6.5) && other.completed_at_s < Some(6.5), "{one:?} {other:?}");
    let log = outcome.log.expect("a log");
    let count = |kind: PacketKind| log.packet.iter().filter(|k| **k == kind as u8).count();
    assert!(count(PacketKind::Ack) < count(PacketKind::Data) / 4);
    // the first flow opens and closes the connection, as in world `sim`: packet and flow of what is sent
    let named = |row: usize| (PacketLog::PACKETS[usize::from(log.packet[row])], log.source[row]);
    let sent = (0..log.event.len()).filter(|&row| log.event[row] == 0);
    let rows = sent.map(named).collect::<Vec<_>>();
    assert_eq!((rows[0], rows[1]), (("syn", 0), ("syn-ack", 0)));
    assert!(rows.contains(&("fin", 0)));
}

/// Lost packets of acknowledgements only are not sent again: a flow of 2 kB a second that shares its connection with a download loses
/// a packet in twenty, and hundreds of acknowledgements.
#[test]
fn lost_acknowledgements_are_no_retransmissions() {
    let other = "piggyback = \"other\"\n[[flow]]\nname = \"other\"\ncontroller = { kind = \"newreno\" }\n\
                 data = [\"b\"]\nack = [\"f\"]\napplication = { kind = \"bursts\", bytes = \"2 kB\", every = \"1 s\" }";
    let text = bottleneck(20.0, "kind = \"newreno\"", 60, other);
    let text = text.replacen("delay = \"20 ms\"\n[[flow]]", "delay = \"20 ms\"\nloss = 0.05\n[[flow]]", 1);
    let outcome = logged(&text, eddyline_quic::Crypto::null());
    let log = outcome.log.expect("a log");
    let lost = |kind: PacketKind| {
        let rows = (0..log.event.len()).filter(|&row| log.event[row] == LogEvent::Lost as u8);
        rows.filter(|&row| log.packet[row] == kind as u8).count() as u64
    };
    let (acks, data) = (lost(PacketKind::Ack), lost(PacketKind::Data));
    let other = outcome.result.flows[1].retransmits.expect("a count");
    assert!(acks > 200 && data < 20, "{acks} acknowledgements, {data} of data");
    assert!(other <= data + 2, "{other} retransmissions of {data} losses");
}

/// The pacer holds a burst back, not the application: BBR leaves Startup, as in world `sim`.
#[test]
fn bbr_leaves_startup_in_bursts() {
    for kind in ["bbr", "bbr3"] {
        let bursts = "application = { kind = \"bursts\", bytes = \"300 kB\", every = \"1 s\" }";
        let text = bottleneck(40.0, &format!("kind = \"{kind}\""), 60, bursts);
        let flow = &quic(&format!("warmup = \"10 s\"\n{text}")).result.flows[0];
        assert!(flow.retransmits.is_some_and(|n| n < 400), "{kind}: {:?}", flow.retransmits);
        assert!(flow.queueing_delay_s.is_some_and(|s| s < 0.025), "{kind}: {:?}", flow.queueing_delay_s);
    }
}

/// Where the last packet of a burst is lost, the window is reduced to what was in flight, in the first round trips too, although packets
/// of the handshake are never acknowledged.
#[test]
fn a_lost_tail_reduces_in_proportion_to_what_is_in_flight() {
    // the last of 48 packets arrives at the link 0.16 ms after the one before
    for (second, from_ms) in [(0.0, 133.296), (1.0, 1093.16)] {
        let bursts = "application = { kind = \"bursts\", bytes = \"58400 B\", every = \"1 s\" }";
        let text = bottleneck(second + 0.9, "kind = \"newreno\"", 1000, bursts).replace("10 Mbit/s", "80 Mbit/s");
        let changes = format!(
            "changes = [{{ at = \"{from_ms} ms\", loss = 1 }}, {{ at = \"{} ms\", loss = 0 }}]",
            from_ms + 15.0
        );
        let text = text.replacen("delay = \"20 ms\"", &format!("delay = \"20 ms\"\n{changes}"), 1);
        let flow = &quic(&format!("warmup = \"{} s\"\n{text}", second + 0.4)).result.flows[0];
        assert!(matches!(flow.retransmits, Some(1 | 2)), "burst at {second} s: {:?}", flow.retransmits);
        assert_eq!(flow.window_packets.mean, Some(2.0), "burst at {second} s");
    }
}

/// A window that bursts do not fill does not grow, though the pacer holds each of them back (RFC 9002, 7.8); one that they fill does.
#[test]
fn windows_grow_where_they_are_used() {
    let windows = |bytes: u32, every: u32, initial: u32| {
        let burst = format!("application = {{ kind = \"bursts\", bytes = \"{bytes} B\", every = \"{every} ms\" }}");
        let tcp = format!("tcp = {{ initial_window = {initial}, pacing = true, byte_counting = 1000 }}");
        let text = bottleneck(30.0, "kind = \"newreno\"", 1000, &format!("packet = \"1240 B\"\n{burst}\n{tcp}"));
        let text = format!("warmup = \"28 s\"\n{text}");
        [quic(&text), sim(&text)].map(|outcome| outcome.result.flows[0].window_packets.mean.expect("a window"))
    };
    // 17 packets every 40 ms; within a tenth, for pacers with different bursts
    let [quic, sim] = windows(20_000, 40, 10);
    near(quic, sim, 0.1, "little data");
    assert_eq!(windows(20_000, 40, 60), [60.0, 60.0]);
    // 242 packets a second, all at once
    let [quic, sim] = windows(290_000, 1000, 10);
    assert!(quic > 70.0, "{quic}");
    near(quic, sim, 0.1, "bursts");
}

/// A receive window that is larger than the congestion window changes nothing, however long a flow lasts; a smaller one keeps the other
/// near it.
#[test]
fn a_window_grows_up_to_the_receive_window() {
    let window = |receive: &str| {
        let text = bottleneck(120.0, "kind = \"newreno\"", 1000, receive);
        quic(&format!("warmup = \"100 s\"\n{text}")).result.flows[0].window_packets.mean.expect("a window")
    };
    let unlimited = window("");
    assert!(unlimited > 200.0, "{unlimited}");
    near(window("receive_window = \"16 MiB\""), unlimited, 0.01, "a large receive window");
    near(window("receive_window = \"146 kB\""), 100.0, 0.1, "a receive window of 100 packets");
}

/// A receive window of 20 kB limits the rate to one window a round trip.
#[test]
fn the_receive_window_limits() {
    let text = bottleneck(20.0, "kind = \"cubic\"", 60, "receive_window = \"20 kB\"");
    let flow = &quic(&format!("warmup = \"2 s\"\n{text}")).result.flows[0];
    // credit is given after an eighth of the window, so some of it is always on the way
    let rate = flow.goodput_bps.expect("a rate") / 8.0 * 0.0405;
    assert!((15_000.0..20_000.0).contains(&rate), "{rate} bytes a round trip");
}

/// Flow control holds data back, not the application: BBR's samples count, and it leaves Startup, as in world `sim`.
#[test]
fn bbr_leaves_startup_below_a_receive_window() {
    for kind in ["bbr", "bbr3"] {
        let text = bottleneck(30.0, &format!("kind = \"{kind}\""), 1000, "receive_window = \"150 kB\"");
        let text = format!("warmup = \"20 s\"\n{text}");
        let wait = |outcome: eddyline_sim::Outcome| outcome.result.flows[0].queueing_delay_s.expect("a delay");
        let (quic, sim) = (wait(quic(&text)), wait(sim(&text)));
        assert!((quic - sim).abs() < 0.01, "{kind}: {quic} s, in sim {sim} s");
    }
}

/// Acknowledgements per data packet are those that were asked for.
#[test]
fn acknowledgements_are_as_frequent_as_asked_for() {
    for every in [1, 2, 4, 10] {
        let text = bottleneck(20.0, "kind = \"newreno\"", 60, &format!("tcp = {{ ack_every = {every} }}"));
        let log = logged(&text, eddyline_quic::Crypto::null()).log.expect("a log");
        let received = |kind: PacketKind| {
            log.packet.iter().zip(&log.event).filter(|(k, e)| **k == kind as u8 && **e == 4).count() as f64
        };
        near(received(PacketKind::Data) / received(PacketKind::Ack), every.into(), 0.05, "data packets an ACK");
    }
}

/// Behind a queue that marks, a sender with ECN loses nothing, and DCTCP's queue is where it is under TCP.
#[test]
fn marks_replace_losses() {
    let marking = |controller: &str, tcp: &str| {
        let text = bottleneck(20.0, controller, 200, &format!("packet = \"1240 B\"\ntcp = {{ {tcp} }}"));
        let text = text.replace(
            "kind = \"droptail\", limit = \"200 packets\"",
            "kind = \"step\", threshold = \"20 packets\", limit = \"200 packets\"",
        );
        format!("warmup = \"5 s\"\n{text}")
    };
    for controller in ["kind = \"newreno\"", "kind = \"noq-cubic\"", "kind = \"dctcp\"", "kind = \"prague\""] {
        let result = quic(&marking(controller, "accurate_ecn = true")).result;
        assert_eq!(result.links[0].drops.data, Some(0), "{controller}");
        assert!(result.links[0].marked > Some(20), "{controller}: {:?}", result.links[0]);
    }
    let queue = |flow: &FlowResult| flow.forward_queueing_delay_s.expect("a delay");
    let text = marking("kind = \"dctcp\"", "accurate_ecn = true");
    let (quic, sim) = (quic(&text).result, sim(&text).result);
    near(queue(&quic.flows[0]), queue(&sim.flows[0]), 0.15, "DCTCP's queueing delay");
}

/// At its stop the application sends no more; little more than a window follows, then the end.
#[test]
fn a_stop_ends_the_flow() {
    let flow = &quic(&bottleneck(20.0, "kind = \"newreno\"", 60, "stop = \"10 s\"")).result.flows[0];
    let done = flow.completed_at_s.expect("completed");
    assert!((10.04..10.3).contains(&done), "{done}");
}

/// Bursts and objects are offered as they are in world `sim`.
#[test]
fn applications_offer_the_same() {
    for application in
        ["kind = \"bursts\", bytes = \"20 kB\", every = \"100 ms\"", "kind = \"objects\", bytes = \"50 kB\""]
    {
        let text = bottleneck(20.0, "kind = \"newreno\"", 60, &format!("application = {{ {application} }}"));
        let delivered = |flow: &FlowResult| flow.delivered_bytes.expect("bytes") as f64;
        near(delivered(&quic(&text).result.flows[0]), delivered(&sim(&text).result.flows[0]), 0.1, application);
    }
}

/// An event may take milliseconds where windows are large, so the observer is asked every 16 events.
#[test]
fn a_run_is_interrupted_within_16_events() {
    let network = network(&bottleneck(60.0, "kind = \"cubic\"", 100, ""));
    let mut seen = Vec::new();
    let stopped = eddyline_quic::run(&network, &Options::default(), &mut |progress| {
        seen.push(progress.events);
        if seen.len() < 100 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert_eq!(stopped.err(), Some(SimError::Interrupted.into()));
    assert!(seen.windows(2).all(|pair| pair[1] <= pair[0] + 16), "{seen:?}");
}

/// What is measured against a packet's size goes by the packets on the wire: a smaller `packet` and `ack_packet` than QUIC has change
/// nothing.
#[test]
fn sizes_of_the_file_do_not_count() {
    let result = |more: &str| {
        let text =
            bottleneck(20.0, "kind = \"cubic\"", 30, more).replacen("rate = \"10 Mbit/s\"", "rate = \"2 Mbit/s\"", 1);
        let result = quic(&text).result;
        (result.links.clone(), result.flows[0].ack_compression, result.sampling)
    };
    let whole = result("packet = \"1240 B\"\nack_packet = \"76 B\"");
    assert!(whole.0[0].bottleneck_share > Some(0.9) && whole.0[1].bottleneck_share < Some(0.01), "{whole:?}");
    assert_eq!(result("packet = \"100 B\"\nack_packet = \"40 B\""), whole);
}
