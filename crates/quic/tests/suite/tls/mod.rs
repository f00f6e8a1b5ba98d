//! Real TLS 1.3 (rustls, ring) with a constant certificate.

use std::sync::Arc;

use eddyline_quic::{CERTIFICATE_BYTES, Crypto};
use noq_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use noq_proto::rustls;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

/// Self-signed, Ed25519, for the name `eddyline`.
const CERTIFICATE: &[u8] = include_bytes!("certificate.der");
const KEY: &[u8] = include_bytes!("key.der");

/// Sessions of rustls as noq uses them, without tickets.
pub fn crypto() -> Crypto {
    assert_eq!(CERTIFICATE.len(), CERTIFICATE_BYTES);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let certificate = CertificateDer::from(CERTIFICATE);
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(KEY));
    let mut server = rustls::ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("TLS 1.3")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .expect("the certificate's key");
    server.send_tls13_tickets = 0;
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate).expect("a certificate");
    let mut client = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("TLS 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth();
    client.resumption = rustls::client::Resumption::disabled();
    Crypto {
        client: Arc::new(QuicClientConfig::try_from(client).expect("a suite for QUIC")),
        server: Arc::new(QuicServerConfig::try_from(server).expect("a suite for QUIC")),
    }
}
