//! Packets without protection are those of TLS, and runs repeat.

mod networks;
mod tls;

use eddyline_quic::Crypto;
use eddyline_sim::PacketLog;
use networks::{bottleneck, logged};

/// Time, event, kind, number, bytes of every packet.
fn rows(log: &PacketLog) -> Vec<(f64, u8, u8, u64, u32)> {
    let at = |i| (log.time_s[i], log.event[i], log.packet[i], log.seq[i], log.bytes[i]);
    (0..log.time_s.len()).map(at).collect()
}

/// The null session sends the packets of real TLS at the same times: handshake, slow start, losses, completion, key updates.
#[test]
fn null_session_is_tls_packet_for_packet() {
    let text = bottleneck(20.0, "kind = \"noq-newreno\"", 50, "size = \"4 MB\"");
    let (null, real) = (logged(&text, Crypto::null()), logged(&text, tls::crypto()));
    assert!(null.result.flows[0].completed_at_s.is_some());
    let (null, real) = (rows(&null.log.expect("a log")), rows(&real.log.expect("a log")));
    for (i, (n, r)) in null.iter().zip(&real).enumerate() {
        assert_eq!(n, r, "event {i}, null against TLS");
    }
    assert_eq!(null.len(), real.len());
}
