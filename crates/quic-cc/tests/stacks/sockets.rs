//! A transfer to itself over UDP sockets on the loopback interface, by the machine's clock: what a program does with the stack, without a
//! runtime. It ends when everything has arrived, however long that takes.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use eddyline_quic_cc::Config;

use super::stack;
use super::transfer::{Side, configs};

const BYTES: u64 = 4_000_000;
/// Longest sleep while nothing arrives and no timer is due.
const NAP: Duration = Duration::from_micros(200);

/// One end with its socket.
struct Host {
    side: Side,
    socket: UdpSocket,
}

impl Host {
    /// Takes what has arrived and handles timers; returns whether there was anything.
    fn receive(&mut self) -> bool {
        let mut busy = false;
        let mut datagram = [0; 2048];
        loop {
            match self.socket.recv_from(&mut datagram) {
                Ok((size, from)) => {
                    busy = true;
                    self.side.remote = from;
                    self.side.handle(Instant::now(), None, datagram[..size].into());
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => break,
                Err(e) => panic!("{e}"),
            }
        }
        self.side.expire(Instant::now());
        self.side.events();
        busy
    }

    /// Sends what there is; returns whether there was anything.
    fn send(&mut self) -> bool {
        let Some((_, connection)) = &mut self.side.connection else { return false };
        let mut buffer = Vec::new();
        let mut busy = false;
        while let Some(transmit) = stack::poll_transmit(connection, Instant::now(), &mut buffer) {
            busy = true;
            // a full buffer of the socket is a loss as any other
            match self.socket.send_to(&buffer[..transmit.size], self.side.remote) {
                Err(e) if e.kind() != ErrorKind::WouldBlock => panic!("{e}"),
                _ => buffer.clear(),
            }
        }
        busy
    }
}

fn socket() -> (UdpSocket, SocketAddr) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    socket.set_nonblocking(true).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

#[test]
fn fast_transfers_over_sockets() {
    // a round trip on the loopback interface is shorter than the queueing delay up to which FAST doubles its window by default
    let config: Config = "fast(alpha = 20, mi_threshold = 10 us)".parse().unwrap();
    let mut transport = stack::transport();
    transport.congestion_controller_factory(Arc::new(stack::factory(config)));
    let (client_config, server_config) = configs(transport);
    let ((client, client_address), (server, server_address)) = (socket(), socket());
    let mut client = Host { side: Side::new(stack::endpoint(None, 1), true, server_address), socket: client };
    let server_endpoint = stack::endpoint(Some(Arc::new(server_config)), 2);
    let mut server = Host { side: Side::new(server_endpoint, false, client_address), socket: server };
    client.side.connect(Instant::now(), client_config);

    let (mut left, mut received, mut finished) = (BYTES, 0, false);
    while !finished {
        let mut busy = client.receive() | server.receive();
        client.side.write(&mut left);
        server.side.read(&mut received, &mut finished);
        busy |= client.send() | server.send();
        if !busy {
            std::thread::sleep(NAP);
        }
    }
    assert_eq!((left, received), (0, BYTES));
}
