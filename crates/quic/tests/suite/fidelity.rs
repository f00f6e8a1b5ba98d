//! Packets without protection are those of TLS, and runs repeat.

use crate::drawn_scenarios;
use crate::networks;
use crate::tls;

use eddyline_quic::Crypto;
use eddyline_sim::{Outcome, PacketLog};
use networks::{bottleneck, logged, quic};
use noq_proto::Side;
use noq_proto::transport_parameters::TransportParameters;

/// Time, event, kind, number, bytes of every packet.
fn rows(log: &PacketLog) -> Vec<(f64, u8, u8, u64, u32)> {
    let at = |i| (log.time_s[i], log.event[i], log.packet[i], log.seq[i], log.bytes[i]);
    (0..log.time_s.len()).map(at).collect()
}

#[track_caller]
fn same_packets(text: &str) -> Outcome {
    let (null, real) = (logged(text, Crypto::null()), logged(text, tls::crypto()));
    let outcome = null.clone();
    let (null, real) = (rows(&null.log.expect("a log")), rows(&real.log.expect("a log")));
    for (i, (n, r)) in null.iter().zip(&real).enumerate() {
        assert_eq!(n, r, "event {i}, null against TLS");
    }
    assert_eq!(null.len(), real.len());
    assert!(null.is_sorted_by_key(|(at, ..)| *at), "time went back");
    outcome
}

/// The null session sends the packets of real TLS at the same times: handshake, slow start, losses, completion, key updates.
#[test]
fn null_session_is_tls_packet_for_packet() {
    let outcome = same_packets(&bottleneck(20.0, "kind = \"noq-newreno\"", 50, "size = \"4 MB\""));
    assert!(outcome.result.flows[0].completed_at_s.is_some());
}

/// Also on random scenarios. In the first, packets arrive long after their keys were replaced: the null session must not take them for
/// a key update.
#[test]
fn null_session_is_tls_anywhere() {
    for seed in [2683, 3, 6, 9, 12] {
        same_packets(&drawn_scenarios::draw(seed));
    }
}

/// Also where one in fifty is damaged: null session and TLS find every one, and what is not protected is the same.
#[test]
fn null_session_is_tls_with_damaged_packets() {
    let text =
        bottleneck(60.0, "kind = \"newreno\"", 50, "size = \"2 MB\"").replace("delay =", "corrupt = 0.02\ndelay =");
    for seed in 0..8 {
        let outcome = same_packets(&format!("seed = {seed}\n{text}"));
        assert!(outcome.result.flows[0].completed_at_s.is_some(), "{seed}");
        assert!(outcome.result.links[0].corrupted > Some(10), "{seed}");
    }
}

/// Also where packets overtake each other, and with data both ways.
#[test]
fn null_session_is_tls_out_of_order_and_both_ways() {
    let other = "size = \"3 MB\"\npiggyback = \"other\"\n[[flow]]\nname = \"other\"\ncontroller = { kind = \"copa\" }\n\
                 data = [\"b\"]\nack = [\"f\"]\nsize = \"2 MB\"";
    let jitter =
        "delay = \"20 ms\"\nloss = 0.01\njitter = { kind = \"exponential\", mean = \"10 ms\" }\nreorder = true";
    let text = bottleneck(120.0, "kind = \"noq-cubic\"", 50, other).replace("delay = \"20 ms\"", jitter);
    for seed in 0..4 {
        let outcome = same_packets(&format!("seed = {seed}\n{text}"));
        assert!(outcome.result.flows.iter().all(|flow| flow.completed_at_s.is_some()));
    }
}

/// Lengths of the messages that both sides write, in order, and whether keys came with them.
fn handshake(crypto: &Crypto) -> Vec<(usize, bool)> {
    let parameters = |side| TransportParameters::read(side, &mut [].as_slice()).expect("defaults");
    let mut client = crypto.client.start_session(1, "eddyline", &parameters(Side::Server)).expect("a session");
    let mut server = crypto.server.start_session(1, &parameters(Side::Client));
    let mut written = Vec::new();
    // more rounds than any handshake has
    for _ in 0..8 {
        for server_writes in [false, true] {
            let (from, to) = if server_writes { (&mut server, &mut client) } else { (&mut client, &mut server) };
            let mut message = Vec::new();
            let keys = from.write_handshake(&mut message);
            if keys.is_some() || !message.is_empty() {
                written.push((message.len(), keys.is_some()));
            }
            if !message.is_empty() {
                to.read_handshake(&message).expect("what the other side wrote");
            }
        }
    }
    assert!(!client.is_handshaking() && !server.is_handshaking());
    written
}

/// Datagrams of the handshake are padded, so their contents are compared too.
#[test]
fn null_handshake_has_the_lengths_of_tls() {
    assert_eq!(handshake(&Crypto::null()), handshake(&tls::crypto()));
}

/// A run can be repeated; the stack's own BBR cannot, as its approximations say.
#[test]
fn runs_repeat() {
    for controller in ["kind = \"noq-cubic\"", "kind = \"fast\", alpha = \"20 packets\"", "kind = \"copa\""] {
        let text = bottleneck(5.0, controller, 30, "tcp = { ecn = true }")
            .replace("20 ms\"\nqueue", "20 ms\"\nloss = 0.01\nqueue");
        let run = || {
            let outcome = logged(&text, Crypto::null());
            (serde_json::to_string(&outcome.result).expect("a result"), rows(&outcome.log.expect("a log")))
        };
        assert_eq!(run(), run());
    }
    let notes = quic(&bottleneck(1.0, "kind = \"noq-bbr3\"", 30, "")).result.approximations;
    assert!(notes.iter().any(|note| note.contains("without a seed")), "{notes:?}");
}
