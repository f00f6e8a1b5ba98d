//! From a flow of a scenario to the configuration of its connection.

use std::sync::Arc;

use eddyline_path::random::Stream;
use eddyline_scenario::network::Flow as FlowSpec;
use noq_proto::{AckFrequencyConfig, ConnectionId, ConnectionIdGenerator, EndpointConfig, TransportConfig, VarInt};

use crate::clock;
use crate::crypto::Crypto;
use crate::kinds::Factory;

/// Smallest datagram that a path must carry (RFC 9000, 14).
pub const MIN_DATAGRAM: u32 = 1200;
/// Largest UDP payload.
pub const MAX_DATAGRAM: u32 = 65_527;
/// Bytes of a datagram with an acknowledgement of one range, by the lengths of its packet numbers.
pub const ACK: std::ops::RangeInclusive<u32> = 31..=36;
/// Bytes more with ECN: three counts (RFC 9000, 19.3.2), of which one stays zero.
pub const ECN_COUNTS: std::ops::RangeInclusive<u32> = 3..=9;
/// Windows of receivers without a limit.
const UNLIMITED: u64 = 1 << 40;
/// Packets that a receiver acknowledges together unless it is asked for something else (RFC 9000, 13.2.2).
const DEFAULT_ACK_EVERY: u32 = 2;
/// Longest delay of an acknowledgement unless the sender asks for something else (RFC 9000, 18.2).
pub const DEFAULT_ACK_DELAY_MS: u64 = 25;
const CONNECTION_ID_BYTES: usize = 8;
/// Length of the initial Destination Connection ID of a client (RFC 9000, 7.2).
const INITIAL_DESTINATION_ID_BYTES: usize = 20;

/// Payload of the largest datagram of a flow: a full packet without `header`, within what QUIC allows.
pub fn datagram(spec: &FlowSpec) -> u16 {
    spec.mss().clamp(MIN_DATAGRAM, MAX_DATAGRAM) as u16
}

/// Largest datagram with an acknowledgement of one range in answer to the data of a flow.
pub fn ack(spec: &FlowSpec) -> u32 {
    ACK.end() + if spec.tcp.ecn { *ECN_COUNTS.end() } else { 0 }
}

/// Configuration of a host that sends the data of `sent` and receives those of `received`, where there are such.
pub fn transport(sent: Option<&FlowSpec>, received: Option<&FlowSpec>, factory: Factory) -> TransportConfig {
    let datagram = sent.map_or(MIN_DATAGRAM as u16, datagram);
    let mut config = TransportConfig::default();
    let window = received.and_then(|spec| spec.receive_window).unwrap_or(UNLIMITED);
    let window = VarInt::from_u64(window.min(UNLIMITED)).unwrap_or(VarInt::MAX);
    config
        .max_idle_timeout(None)
        .mtu_discovery_config(None)
        .initial_mtu(datagram)
        .min_mtu(datagram)
        .enable_segmentation_offload(false)
        .receive_window(window)
        .stream_receive_window(window)
        .datagram_receive_buffer_size(None)
        .congestion_controller_factory(factory)
        .ack_frequency_config(sent.and_then(ack_frequency));
    config
}

/// What to ask the receiver for, if it is not what receivers do anyway.
fn ack_frequency(spec: &FlowSpec) -> Option<AckFrequencyConfig> {
    let every = spec.tcp.ack_every;
    let delay = clock::std_duration(spec.tcp.ack_timer);
    if every == DEFAULT_ACK_EVERY && delay.as_millis() == u128::from(DEFAULT_ACK_DELAY_MS) {
        return None;
    }
    let mut config = AckFrequencyConfig::default();
    config.ack_eliciting_threshold(VarInt::from_u32(every.saturating_sub(1)));
    // a timer matters only where an acknowledgement may wait
    config.max_ack_delay((every > 1).then_some(delay));
    Some(config)
}

/// Configuration of the UDP side of a host that receives datagrams up to `largest`; all that is random in it comes from `random`.
pub fn endpoint(largest: u16, random: &mut Stream) -> EndpointConfig {
    let mut config = EndpointConfig::new(Crypto::reset_key());
    let mut seed = [0; 32];
    fill(random, &mut seed);
    let ids = random.clone();
    config.rng_seed(Some(seed)).cid_generator(Arc::new(move || Box::new(ConnectionIds(ids.clone()))));
    // larger than the default where packets are
    let _ = config.max_udp_payload_size(largest.max(1472));
    config
}

/// The initial Destination Connection ID, which a client makes up (RFC 9000, 7.2).
pub fn initial_destination_id(random: &mut Stream) -> ConnectionId {
    let mut id = [0; INITIAL_DESTINATION_ID_BYTES];
    fill(random, &mut id);
    ConnectionId::new(&id)
}

fn fill(random: &mut Stream, bytes: &mut [u8]) {
    for part in bytes.chunks_mut(8) {
        part.copy_from_slice(&random.bits().to_le_bytes()[..part.len()]);
    }
}

/// Random connection IDs from a seeded stream.
struct ConnectionIds(Stream);

impl ConnectionIdGenerator for ConnectionIds {
    fn generate_cid(&mut self) -> ConnectionId {
        let mut id = [0; CONNECTION_ID_BYTES];
        fill(&mut self.0, &mut id);
        ConnectionId::new(&id)
    }

    fn cid_len(&self) -> usize {
        CONNECTION_ID_BYTES
    }

    fn cid_lifetime(&self) -> Option<std::time::Duration> {
        None
    }
}
