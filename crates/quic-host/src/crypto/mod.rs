//! What protects packets: nothing, with the sizes and round trips of TLS 1.3, or what a test provides.

mod keys;
mod session;

use std::fmt;
use std::sync::Arc;

use noq_proto::crypto::{ClientConfig, HandshakeTokenKey, HmacKey, ServerConfig};

pub use session::CERTIFICATE_BYTES;

/// Sessions of clients and servers.
#[derive(Clone)]
pub struct Crypto {
    /// Makes sessions of clients.
    pub client: Arc<dyn ClientConfig>,
    /// Makes sessions of servers.
    pub server: Arc<dyn ServerConfig>,
}

impl Crypto {
    /// Sessions that encrypt nothing: messages and packets have the sizes of TLS 1.3 with AES-256-GCM, X25519 and an Ed25519 certificate
    /// of [`CERTIFICATE_BYTES`], and take as many round trips.
    #[must_use]
    pub fn null() -> Self {
        let config = Arc::new(session::Null);
        Self { client: config.clone(), server: config }
    }

    /// The key of stateless resets, which no scenario needs to be secret.
    pub(crate) fn reset_key() -> Arc<dyn HmacKey> {
        Arc::new(keys::NullKey::default())
    }

    /// The key of handshake tokens, of which none are sent.
    pub(crate) fn token_key() -> Arc<dyn HandshakeTokenKey> {
        Arc::new(keys::NullKey::default())
    }
}

impl fmt::Debug for Crypto {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crypto").finish_non_exhaustive()
    }
}
