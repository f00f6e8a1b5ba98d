//! noq's endpoints.

pub mod stack {
    use std::net::SocketAddr;
    use std::num::NonZeroUsize;
    use std::sync::Arc;
    use std::time::Instant;

    use bytes::BytesMut;
    pub use noq_proto as proto;
    use proto::{Connection, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, ServerConfig, Transmit};

    pub const CLIENT: &str = "10.0.0.1:1";
    pub const SERVER: &str = "10.0.0.2:2";

    pub fn transport() -> proto::TransportConfig {
        plain_transport!(proto)
    }

    pub fn factory(config: eddyline_quic_cc::Config) -> eddyline_quic_cc::noq::Factory {
        eddyline_quic_cc::noq::Factory::new(config).unwrap()
    }

    pub fn endpoint(server: Option<Arc<ServerConfig>>, seed: u8) -> Endpoint {
        let mut config = EndpointConfig::default();
        config.rng_seed(Some([seed; 32]));
        Endpoint::new(Arc::new(config), server, true)
    }

    pub fn handle(
        endpoint: &mut Endpoint,
        now: Instant,
        from: SocketAddr,
        ecn: Option<EcnCodepoint>,
        data: BytesMut,
        answer: &mut Vec<u8>,
    ) -> Option<DatagramEvent> {
        endpoint.handle(now, from.into(), ecn, data, answer)
    }

    pub fn poll_transmit(connection: &mut Connection, now: Instant, buffer: &mut Vec<u8>) -> Option<Transmit> {
        connection.poll_transmit(now, NonZeroUsize::MIN, buffer)
    }
}

#[path = "checks.rs"]
mod checks;
#[path = "sockets.rs"]
mod sockets;
#[path = "transfer.rs"]
mod transfer;
