//! Sends data to itself over UDP on the loopback interface, with quinn and a controller of choice.
//!
//!     cargo run --release --features transfer --example transfer -- [CONTROLLER] [BYTES]
//!
//! CONTROLLER is FAST with alpha = 20 unless given, BYTES 100,000,000. Nothing of the machine's settings is touched. A round trip on the
//! loopback interface takes some 20 us, so the queueing delay up to which FAST doubles its window is 10 us instead of 750 us, which
//! would overflow the socket's buffer.

use std::error::Error;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Instant;

use eddyline_quic_cc::cc::Controller as _;
use eddyline_quic_cc::quinn::QuinnController;
use quinn::{ClientConfig, Endpoint, ServerConfig, TransportConfig};
use rustls::RootCertStore;
use rustls::pki_types::PrivatePkcs8KeyDer;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let controller = arguments.next().unwrap_or_else(|| "fast(alpha = 20, mi_threshold = 10 us)".to_owned());
    let bytes = arguments.next().map_or(Ok(100_000_000), |text| text.parse())?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(transfer(&controller, bytes))
}

async fn transfer(controller: &str, bytes: u64) -> Result<()> {
    let certificate = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()])?;
    let key = PrivatePkcs8KeyDer::from(certificate.signing_key.serialize_der());
    let server_config = ServerConfig::with_single_cert(vec![certificate.cert.der().clone()], key.into())?;
    let server = Endpoint::server(server_config, (Ipv4Addr::LOCALHOST, 0).into())?;
    let address = server.local_addr()?;

    let mut roots = RootCertStore::empty();
    roots.add(certificate.cert.der().clone())?;
    let mut transport = TransportConfig::default();
    // the one line that chooses the controller
    transport.congestion_controller_factory(Arc::new(eddyline_quic_cc::quinn::factory(controller)?));
    let mut client_config = ClientConfig::with_root_certificates(Arc::new(roots))?;
    client_config.transport_config(Arc::new(transport));
    let client = Endpoint::client((Ipv4Addr::LOCALHOST, 0).into())?;

    let receiver = tokio::spawn(receive(server));
    let connection = client.connect_with(client_config, address, "localhost")?.await?;
    let begin = Instant::now();
    let mut stream = connection.open_uni().await?;
    let block = vec![7u8; 64 * 1024];
    let mut left = bytes;
    while left > 0 {
        let size = left.min(block.len() as u64) as usize;
        stream.write_all(&block[..size]).await?;
        left -= size as u64;
    }
    stream.finish()?;
    stream.stopped().await?;
    let seconds = begin.elapsed().as_secs_f64();
    let state = connection.congestion_state().into_any().downcast::<QuinnController>();
    let stats = connection.stats().path;
    connection.close(0u32.into(), b"");
    let received = receiver.await??;

    println!("{controller}: {received} bytes in {seconds:.2} s, {:.0} Mbit/s", received as f64 * 8e-6 / seconds);
    if let Ok(state) = state {
        let bridge = state.into_bridge();
        let controller = bridge.controller();
        let base = controller.base_rtt().map_or_else(|| "none".to_owned(), |t| t.to_string());
        println!("window {:.1} packets of {} bytes, base RTT {base}", controller.window(), stats.current_mtu);
    }
    println!(
        "{} packets sent, {} lost, {} congestion events",
        stats.sent_packets, stats.lost_packets, stats.congestion_events
    );
    if received == bytes { Ok(()) } else { Err("bytes are missing".into()) }
}

/// Counts what arrives.
async fn receive(server: Endpoint) -> Result<u64> {
    let connection = server.accept().await.ok_or("no connection")?.await?;
    let mut stream = connection.accept_uni().await?;
    let mut received = 0;
    while let Some(chunk) = stream.read_chunk(usize::MAX, true).await? {
        received += chunk.bytes.len() as u64;
    }
    connection.closed().await;
    Ok(received)
}
