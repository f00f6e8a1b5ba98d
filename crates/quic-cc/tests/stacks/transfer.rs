//! A client that sends data to a server over two links, both endpoints of the stack `super::stack`.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use eddyline_quic_cc::{PacketTag, Receipts};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

use super::stack::{self, CLIENT, SERVER, proto};
use crate::link::Link;
use proto::{Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint, Event, StreamEvent, StreamId};

/// Of the host `server`, for a hundred years from 2026, and its Ed25519 key: `openssl req -x509 -newkey ed25519`.
const CERTIFICATE: &[u8] = include_bytes!("certificate.der");
const KEY: &[u8] = include_bytes!("key.der");

struct Datagram {
    at: Instant,
    ecn: Option<EcnCodepoint>,
    data: BytesMut,
    tag: Option<PacketTag>,
}

/// One end of the connection, over links or over a socket.
pub struct Side {
    endpoint: Endpoint,
    pub connection: Option<(ConnectionHandle, Connection)>,
    inbox: VecDeque<Datagram>,
    stream: Option<StreamId>,
    client: bool,
    /// The other side's address.
    pub remote: SocketAddr,
}

/// Of client and server; the client's controllers are those of `transport`.
pub fn configs(transport: proto::TransportConfig) -> (proto::ClientConfig, proto::ServerConfig) {
    let certificate = CertificateDer::from(CERTIFICATE);
    let key = PrivatePkcs8KeyDer::from(KEY);
    let mut server = proto::ServerConfig::with_single_cert(vec![certificate.clone()], key.into()).unwrap();
    server.transport_config(Arc::new(stack::transport()));
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate).unwrap();
    let mut client = proto::ClientConfig::with_root_certificates(Arc::new(roots)).unwrap();
    client.transport_config(Arc::new(transport));
    (client, server)
}

pub struct Transfer {
    pub now: Instant,
    client: Side,
    server: Side,
    pub up: Link,
    pub down: Link,
    to_send: u64,
    pub received: u64,
    pub finished: bool,
    receipts: Option<Receipts>,
}

impl Transfer {
    /// A client that sends `bytes`, its controllers from `transport`.
    pub fn new(transport: proto::TransportConfig, up: Link, down: Link, bytes: u64) -> Self {
        let now = Instant::now();
        let (config, server) = configs(transport);
        let (here, there) = (CLIENT.parse().unwrap(), SERVER.parse().unwrap());
        let mut client = Side::new(stack::endpoint(None, 1), true, there);
        client.connect(now, config);
        let server = Side::new(stack::endpoint(Some(Arc::new(server)), 2), false, here);
        Self { now, client, server, up, down, to_send: bytes, received: 0, finished: false, receipts: None }
    }

    /// The receiver's arrivals go into this table, and the table to the sender's controller.
    pub fn record(&mut self, receipts: Receipts) {
        self.receipts = Some(receipts);
    }

    /// Runs for a time, or until everything has arrived.
    pub fn run(&mut self, time: Duration) {
        let end = self.now + time;
        while !self.finished {
            self.talk();
            let next = [self.client.next(), self.server.next()].into_iter().flatten().min();
            let Some(next) = next.filter(|&n| n <= end) else {
                self.now = end;
                return;
            };
            self.now = next.max(self.now);
            for side in [&mut self.client, &mut self.server] {
                let recorded = self.receipts.as_ref().filter(|_| !side.client);
                side.receive(self.now, recorded);
                side.expire(self.now);
            }
        }
    }

    fn talk(&mut self) {
        self.client.events();
        self.client.write(&mut self.to_send);
        self.server.events();
        self.server.read(&mut self.received, &mut self.finished);
        self.client.transmit(self.now, &mut self.up, &mut self.server.inbox, self.receipts.as_ref());
        self.server.transmit(self.now, &mut self.down, &mut self.client.inbox, None);
    }
}

impl Side {
    pub fn new(endpoint: Endpoint, client: bool, remote: SocketAddr) -> Self {
        Self { endpoint, connection: None, inbox: VecDeque::new(), stream: None, client, remote }
    }

    /// Opens the connection.
    pub fn connect(&mut self, now: Instant, config: proto::ClientConfig) {
        self.connection = Some(self.endpoint.connect(now, config, self.remote, "server").unwrap());
    }

    fn next(&mut self) -> Option<Instant> {
        let timer = self.connection.as_mut().and_then(|(_, c)| c.poll_timeout());
        [self.inbox.front().map(|d| d.at), timer].into_iter().flatten().min()
    }

    fn receive(&mut self, now: Instant, recorded: Option<&Receipts>) {
        while self.inbox.front().is_some_and(|d| d.at <= now) {
            let datagram = self.inbox.pop_front().unwrap();
            if let (Some(receipts), Some(tag)) = (recorded, datagram.tag) {
                receipts.record(tag, now, datagram.ecn == Some(EcnCodepoint::Ce));
            }
            self.handle(now, datagram.ecn, datagram.data);
        }
    }

    /// A datagram has arrived.
    pub fn handle(&mut self, now: Instant, ecn: Option<EcnCodepoint>, data: BytesMut) {
        let mut answer = Vec::new();
        match stack::handle(&mut self.endpoint, now, self.remote, ecn, data, &mut answer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => self.connection.as_mut().unwrap().1.handle_event(event),
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = self.endpoint.accept(incoming, now, &mut answer, None);
                self.connection = Some(accepted.unwrap_or_else(|e| panic!("{}", e.cause)));
            }
            _ => {}
        }
    }

    pub fn expire(&mut self, now: Instant) {
        if let Some((_, connection)) = &mut self.connection
            && connection.poll_timeout().is_some_and(|t| t <= now)
        {
            connection.handle_timeout(now);
        }
    }

    /// Passes events between endpoint and connection, and looks at those for the application.
    pub fn events(&mut self) {
        let Some((handle, connection)) = &mut self.connection else { return };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected if self.client => self.stream = connection.streams().open(Dir::Uni),
                Event::Stream(StreamEvent::Opened { dir }) => self.stream = connection.streams().accept(dir),
                Event::ConnectionLost { reason } => panic!("connection lost: {reason}"),
                _ => {}
            }
        }
    }

    pub fn write(&mut self, left: &mut u64) {
        let (Some((_, connection)), Some(id)) = (&mut self.connection, self.stream) else { return };
        let block = [7u8; 64 * 1024];
        while *left > 0 {
            let size = block.len().min(usize::try_from(*left).unwrap());
            let Ok(written) = connection.send_stream(id).write(&block[..size]) else { return };
            *left -= written as u64;
            if *left == 0 {
                connection.send_stream(id).finish().unwrap();
            }
        }
    }

    pub fn read(&mut self, received: &mut u64, finished: &mut bool) {
        let (Some((_, connection)), Some(id)) = (&mut self.connection, self.stream) else { return };
        let mut stream = connection.recv_stream(id);
        let Ok(mut chunks) = stream.read(true) else { return };
        loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => *received += chunk.bytes.len() as u64,
                Ok(None) => break *finished = true,
                Err(_) => break,
            }
        }
        let _ = chunks.finalize();
    }

    fn transmit(&mut self, now: Instant, link: &mut Link, peer: &mut VecDeque<Datagram>, receipts: Option<&Receipts>) {
        let Some((_, connection)) = &mut self.connection else { return };
        let mut buffer = Vec::new();
        while let Some(transmit) = stack::poll_transmit(connection, now, &mut buffer) {
            let tag = receipts.and_then(Receipts::take_sent);
            if let Some(delivery) = link.send(now, transmit.size) {
                let ecn = if delivery.marked && transmit.ecn.is_some() { Some(EcnCodepoint::Ce) } else { transmit.ecn };
                peer.push_back(Datagram { at: delivery.at, ecn, data: buffer[..transmit.size].into(), tag });
            }
            buffer.clear();
        }
    }
}
