//! A handshake with the messages, lengths and round trips of TLS 1.3, and no secrets.

use std::any::Any;
use std::io::Cursor;

use noq_proto::crypto::{
    ClientConfig, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, ServerConfig, Session,
    UnsupportedVersion,
};
use noq_proto::transport_parameters::TransportParameters;
use noq_proto::{ConnectError, ConnectionId, Side, TransportError};

use super::keys::{keys, packet_keys};

/// Length of the server's certificate, of which it sends one: a self-signed one with an Ed25519 key and a short name.
pub const CERTIFICATE_BYTES: usize = 319;

/// Handshake messages of TLS 1.3 (RFC 8446, 4): a byte for the type and three for the length come first.
const HEADER: usize = 4;
const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
const ENCRYPTED_EXTENSIONS: u8 = 8;
const CERTIFICATE: u8 = 11;
const CERTIFICATE_VERIFY: u8 = 15;
const FINISHED: u8 = 20;

/// Bodies without the transport parameters, as rustls sends them.
const CLIENT_HELLO_BODY: usize = 178;
const SERVER_HELLO_BODY: usize = 86;
const ENCRYPTED_EXTENSIONS_BODY: usize = 10;
const CERTIFICATE_BODY: usize = 9 + CERTIFICATE_BYTES;
const CERTIFICATE_VERIFY_BODY: usize = 68;
const FINISHED_BODY: usize = 48;

/// Configuration of both sides.
#[derive(Debug, Clone, Copy)]
pub struct Null;

impl ClientConfig for Null {
    fn start_session(
        &self,
        _version: u32,
        _server_name: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(Box::new(NullSession::new(Side::Client, params)))
    }
}

impl ServerConfig for Null {
    fn initial_keys(&self, _version: u32, _dst_cid: ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys())
    }

    fn retry_tag(&self, _version: u32, _orig_dst_cid: ConnectionId, _packet: &[u8]) -> [u8; 16] {
        [0; 16]
    }

    fn start_session(&self, _version: u32, params: &TransportParameters) -> Box<dyn Session> {
        Box::new(NullSession::new(Side::Server, params))
    }
}

/// Keys that wait to be given to the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// The client's first message has not been sent, or not arrived.
    Start,
    /// The hello of the other side has arrived.
    Hello,
    /// Handshake keys have been given.
    HandshakeKeys,
    /// The server's messages have all arrived (client).
    ServerFinished,
    /// 1-RTT keys have been given.
    DataKeys,
    /// Nothing is left to do.
    Done,
}

/// One side of a handshake.
struct NullSession {
    side: Side,
    own: Vec<u8>,
    peer: Option<TransportParameters>,
    /// Bytes of a message that is not complete.
    partial: Vec<u8>,
    progress: Progress,
    hello_sent: bool,
    /// Latest generation of 1-RTT keys that was given.
    generation: u64,
}

impl NullSession {
    fn new(side: Side, params: &TransportParameters) -> Self {
        let mut own = Vec::new();
        params.write(&mut own);
        Self {
            side,
            own,
            peer: None,
            partial: Vec::new(),
            progress: Progress::Start,
            hello_sent: side.is_server(),
            generation: 0,
        }
    }

    /// Appends a message of `padding` bytes and these parameters.
    fn message(buf: &mut Vec<u8>, kind: u8, padding: usize, params: &[u8]) {
        let len = (padding + params.len()) as u32;
        buf.push(kind);
        buf.extend_from_slice(&len.to_be_bytes()[1..]);
        buf.extend_from_slice(params);
        buf.resize(buf.len() + padding, 0);
    }

    /// A complete message has arrived; `padding` of it are not transport parameters.
    fn on_message(&mut self, kind: u8, body: &[u8]) -> Result<(), TransportError> {
        match kind {
            CLIENT_HELLO => {
                self.read_parameters(body, CLIENT_HELLO_BODY)?;
                self.progress = Progress::Hello;
            }
            SERVER_HELLO => self.progress = Progress::Hello,
            ENCRYPTED_EXTENSIONS => self.read_parameters(body, ENCRYPTED_EXTENSIONS_BODY)?,
            FINISHED if self.side.is_client() => self.progress = Progress::ServerFinished,
            FINISHED => self.progress = Progress::Done,
            _ => {}
        }
        Ok(())
    }

    fn read_parameters(&mut self, body: &[u8], padding: usize) -> Result<(), TransportError> {
        let params = body.len().checked_sub(padding).map_or(body, |len| &body[..len]);
        self.peer = Some(TransportParameters::read(self.side, &mut Cursor::new(params))?);
        Ok(())
    }
}

impl Session for NullSession {
    fn initial_keys(&self, _dst_cid: ConnectionId, _side: Side) -> Keys {
        keys()
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }

    fn early_data_accepted(&self) -> Option<bool> {
        self.side.is_client().then_some(false)
    }

    fn is_handshaking(&self) -> bool {
        match self.side {
            Side::Client => !matches!(self.progress, Progress::DataKeys | Progress::ServerFinished | Progress::Done),
            Side::Server => self.progress != Progress::Done,
        }
    }

    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        self.partial.extend_from_slice(buf);
        let mut at = 0;
        while let Some([kind, len @ ..]) = self.partial[at..].first_chunk::<HEADER>().copied() {
            let [a, b, c] = len;
            let end = at + HEADER + u32::from_be_bytes([0, a, b, c]) as usize;
            let Some(body) = self.partial.get(at + HEADER..end).map(<[u8]>::to_vec) else { break };
            self.on_message(kind, &body)?;
            at = end;
        }
        self.partial.drain(..at);
        Ok(false)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        Ok(self.peer)
    }

    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        match (self.side, self.progress) {
            (Side::Client, Progress::Start) if !self.hello_sent => {
                self.hello_sent = true;
                Self::message(buf, CLIENT_HELLO, CLIENT_HELLO_BODY, &self.own);
                None
            }
            (Side::Client, Progress::Hello) => {
                self.progress = Progress::HandshakeKeys;
                Some(keys())
            }
            (Side::Client, Progress::ServerFinished) => {
                self.progress = Progress::DataKeys;
                Self::message(buf, FINISHED, FINISHED_BODY, &[]);
                Some(keys())
            }
            (Side::Server, Progress::Hello) => {
                self.progress = Progress::HandshakeKeys;
                Self::message(buf, SERVER_HELLO, SERVER_HELLO_BODY, &[]);
                Some(keys())
            }
            (Side::Server, Progress::HandshakeKeys) => {
                self.progress = Progress::DataKeys;
                Self::message(buf, ENCRYPTED_EXTENSIONS, ENCRYPTED_EXTENSIONS_BODY, &self.own);
                Self::message(buf, CERTIFICATE, CERTIFICATE_BODY, &[]);
                Self::message(buf, CERTIFICATE_VERIFY, CERTIFICATE_VERIFY_BODY, &[]);
                Self::message(buf, FINISHED, FINISHED_BODY, &[]);
                Some(keys())
            }
            _ => None,
        }
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        self.generation += 1;
        Some(packet_keys(self.generation))
    }

    fn is_valid_retry(&self, _orig_dst_cid: ConnectionId, _header: &[u8], _payload: &[u8]) -> bool {
        // no server sends any: this is another packet with a damaged type
        false
    }

    fn export_keying_material(
        &self,
        output: &mut [u8],
        _label: &[u8],
        _context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        output.fill(0);
        Ok(())
    }
}
