//! quinn's endpoints.

pub mod stack {
    use std::net::SocketAddr;
    use std::sync::Arc;
    use std::time::Instant;

    use bytes::BytesMut;
    use proto::{Connection, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, ServerConfig, Transmit};
    pub use quinn_proto as proto;

    pub const CLIENT: &str = "10.0.0.1:1";
    pub const SERVER: &str = "10.0.0.2:2";

    pub fn transport() -> proto::TransportConfig {
        plain_transport!(proto)
    }

    pub fn factory(config: eddyline_quic_cc::Config) -> eddyline_quic_cc::quinn::Factory {
        eddyline_quic_cc::quinn::Factory::new(config).unwrap()
    }

    pub fn endpoint(server: Option<Arc<ServerConfig>>, seed: u8) -> Endpoint {
        Endpoint::new(Arc::new(EndpointConfig::default()), server, true, Some([seed; 32]))
    }

    pub fn handle(
        endpoint: &mut Endpoint,
        now: Instant,
        from: SocketAddr,
        ecn: Option<EcnCodepoint>,
        data: BytesMut,
        answer: &mut Vec<u8>,
    ) -> Option<DatagramEvent> {
        endpoint.handle(now, from, None, ecn, data, answer)
    }

    pub fn poll_transmit(connection: &mut Connection, now: Instant, buffer: &mut Vec<u8>) -> Option<Transmit> {
        connection.poll_transmit(now, 1, buffer)
    }
}

#[path = "checks.rs"]
mod checks;
#[path = "sockets.rs"]
mod sockets;
#[path = "transfer.rs"]
mod transfer;
