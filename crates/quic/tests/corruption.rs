//! One in a hundred packets arrives damaged: TLS finds it, the stack drops it, transfers complete.

mod networks;
mod tls;

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::BytesMut;
use eddyline_quic::Crypto;
use eddyline_sim::Options;
use networks::{bottleneck, network};
use noq_proto::crypto::{
    ClientConfig, CryptoError, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, ServerConfig, Session,
    UnsupportedVersion,
};
use noq_proto::transport_parameters::TransportParameters;
use noq_proto::{ConnectError, ConnectionId, PathId, Side, TransportError};

/// Counts packets and chooses those that are damaged; shared by all keys of a run.
#[derive(Debug, Clone, Default)]
struct Damage(Arc<[AtomicU64; 2]>);

impl Damage {
    /// Whether this packet is damaged: pseudo-random, one in a hundred.
    fn strikes(&self) -> bool {
        let [packets, damaged] = &*self.0;
        let number = packets.fetch_add(1, Ordering::Relaxed);
        let strikes = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 < (1 << 32) / 100;
        damaged.fetch_add(u64::from(strikes), Ordering::Relaxed);
        strikes
    }

    fn keys(&self, keys: Keys) -> Keys {
        Keys { packet: self.packet(keys.packet), ..keys }
    }

    fn packet(&self, keys: KeyPair<Box<dyn PacketKey>>) -> KeyPair<Box<dyn PacketKey>> {
        KeyPair { remote: Box::new(DamagedKey { inner: keys.remote, damage: self.clone() }), ..keys }
    }
}

/// Configurations of both sides.
struct Damaged {
    inner: Crypto,
    damage: Damage,
}

impl ClientConfig for Damaged {
    fn start_session(
        &self,
        version: u32,
        name: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        let inner = self.inner.client.start_session(version, name, params)?;
        Ok(Box::new(DamagedSession { inner, damage: self.damage.clone() }))
    }
}

impl ServerConfig for Damaged {
    fn initial_keys(&self, version: u32, destination: ConnectionId) -> Result<Keys, UnsupportedVersion> {
        self.inner.server.initial_keys(version, destination).map(|keys| self.damage.keys(keys))
    }

    fn retry_tag(&self, version: u32, destination: ConnectionId, packet: &[u8]) -> [u8; 16] {
        self.inner.server.retry_tag(version, destination, packet)
    }

    fn start_session(&self, version: u32, params: &TransportParameters) -> Box<dyn Session> {
        let inner = self.inner.server.start_session(version, params);
        Box::new(DamagedSession { inner, damage: self.damage.clone() })
    }
}

struct DamagedSession {
    inner: Box<dyn Session>,
    damage: Damage,
}

impl Session for DamagedSession {
    fn initial_keys(&self, destination: ConnectionId, side: Side) -> Keys {
        self.damage.keys(self.inner.initial_keys(destination, side))
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        self.inner.handshake_data()
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        self.inner.peer_identity()
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        self.inner.early_crypto()
    }

    fn early_data_accepted(&self) -> Option<bool> {
        self.inner.early_data_accepted()
    }

    fn is_handshaking(&self) -> bool {
        self.inner.is_handshaking()
    }

    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        self.inner.read_handshake(buf)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        self.inner.transport_parameters()
    }

    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        self.inner.write_handshake(buf).map(|keys| self.damage.keys(keys))
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        self.inner.next_1rtt_keys().map(|keys| self.damage.packet(keys))
    }

    fn is_valid_retry(&self, destination: ConnectionId, header: &[u8], payload: &[u8]) -> bool {
        self.inner.is_valid_retry(destination, header, payload)
    }

    fn export_keying_material(
        &self,
        output: &mut [u8],
        label: &[u8],
        context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        self.inner.export_keying_material(output, label, context)
    }
}

struct DamagedKey {
    inner: Box<dyn PacketKey>,
    damage: Damage,
}

impl PacketKey for DamagedKey {
    fn encrypt(&self, path: PathId, packet: u64, buf: &mut [u8], header_len: usize) {
        self.inner.encrypt(path, packet, buf, header_len);
    }

    fn decrypt(&self, path: PathId, packet: u64, header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        if self.damage.strikes() {
            let middle = payload.len() / 2;
            payload[middle] ^= 1;
        }
        self.inner.decrypt(path, packet, header, payload)
    }

    fn tag_len(&self) -> usize {
        self.inner.tag_len()
    }

    fn confidentiality_limit(&self) -> u64 {
        self.inner.confidentiality_limit()
    }

    fn integrity_limit(&self) -> u64 {
        self.inner.integrity_limit()
    }
}

#[test]
fn damaged_packets_are_as_lost_ones() {
    for controller in ["kind = \"noq-cubic\"", "kind = \"newreno\"", "kind = \"fast\", alpha = \"20 packets\""] {
        let text = bottleneck(120.0, controller, 60, "size = \"5 MB\"");
        let damage = Damage::default();
        let config = Arc::new(Damaged { inner: tls::crypto(), damage: damage.clone() });
        let crypto = Crypto { client: config.clone(), server: config };
        let outcome =
            eddyline_quic::run_with(&network(&text), &Options::default(), crypto, &mut |_| ControlFlow::Continue(()));
        let result = outcome.unwrap_or_else(|e| panic!("{e}")).result;
        let flow = &result.flows[0];
        assert_eq!(flow.delivered_bytes, Some(5_000_000), "{controller}: {:?}", result.approximations);
        assert!(flow.completed_at_s.is_some(), "{controller}");
        // data and acknowledgements are damaged alike; the former count as lost
        let [_, damaged] = &*damage.0;
        let damaged = damaged.load(Ordering::Relaxed);
        assert!(damaged > 30 && flow.retransmits > Some(damaged / 4), "{controller}: {damaged} damaged, {flow:?}");
    }
}
