//! Bytes of packets on the wire, against worked examples.

use crate::test_packet;

use eddyline_path::framing::{Encapsulation, Framing, FramingParams, Linklayer, encapsulations};
use eddyline_path::link::{FifoLink, Meter};
use eddyline_path::queue::Limit;
use eddyline_path::{Class, Packet as _};
use eddyline_units::{Bytes, Rate, Time};
use test_packet::{data, link, serve};

fn named(name: &str) -> Framing {
    let params: FramingParams = serde_json::from_str(&format!("\"{name}\"")).unwrap();
    params.numbers()
}

/// ceil((bytes + overhead) / 48) cells of 53 bytes.
#[test]
fn atm_in_cells() {
    for (name, bytes, cells) in [
        // 1500 + 32 = 1532 = 31.9 x 48
        ("bridged-llcsnap", 1500, 32),
        // 1500 + 16 = 1516 = 31.6 x 48; the RFC's 1500 B on a plain LLC/SNAP line
        ("ipoa-llcsnap", 1500, 32),
        ("ipoa-vcmux", 1500, 32),
        // 1500 + 40 = 1540 = 32.08 x 48: PPPoE costs a cell more
        ("pppoe-llcsnap", 1500, 33),
        ("pppoe-llcsnap", 1492, 32),
        // an ACK: one cell with 8 bytes of trailer, two with more
        ("ipoa-vcmux", 40, 1),
        ("pppoa-vcmux", 40, 2),
        ("pppoe-llcsnap", 40, 2),
        ("pppoe-llcsnap", 56, 2),
        ("pppoe-llcsnap", 57, 3),
    ] {
        assert_eq!(named(name).line_bytes(bytes), cells * 53, "{name} {bytes}");
    }
}

#[test]
fn ptm_and_minimum() {
    // 1500 + 30 = 1530 in 24 codewords of 64, a byte each
    assert_eq!(named("pppoe-ptm").line_bytes(1500), 1554);
    assert_eq!(named("bridged-ptm").line_bytes(42), 65);
    assert_eq!(named("docsis").line_bytes(40), 64);
    assert_eq!(named("docsis").line_bytes(46), 64);
    assert_eq!(named("docsis").line_bytes(47), 65);
    assert_eq!(named("ethernet").line_bytes(1500), 1538);
    assert_eq!(named("ethernet").line_bytes(40), 84);
    let custom: FramingParams =
        serde_json::from_str(r#"{ "overhead": "10 B", "minimum": "100 B", "linklayer": "atm" }"#).unwrap();
    assert_eq!(custom.numbers().line_bytes(1), 3 * 53, "the minimum before the cells");
    assert!(Framing::default().is_none() && !custom.numbers().is_none());
}

#[test]
fn names_are_unique_and_parse() {
    for info in encapsulations() {
        assert_eq!(named(info.name), info.framing);
        assert!(encapsulations().iter().filter(|other| other.name == info.name).count() == 1);
    }
    assert_eq!(
        Encapsulation::PppoeVcmux.info().framing,
        Framing { overhead: Bytes::new(32), minimum: Bytes::ZERO, linklayer: Linklayer::Atm }
    );
}

/// Both kinds of link take the same time and count the same: 32 cells of 53 bytes for 1,500 of the packet's own.
#[test]
fn links_transmit_and_count_what_is_on_the_line() {
    let framing = named("bridged-llcsnap");
    let rate = Rate::from_bps(1_000_000);
    let cell_time = Time::from_ps(8 * 32 * 53 * 1_000_000);
    let mut store = link(r#"{ "kind": "droptail", "limit": "20000 B" }"#, 1, framing);
    let mut fifo = FifoLink::new(Limit::Bytes(20_000), Meter::new(Time::ZERO, Time::MAX));
    let arrivals: Vec<_> = (0..20).map(|id| (Time::from_ms(id), data(id, 1, 1500))).collect();
    let mut ends = Vec::new();
    for (at, p) in &arrivals {
        let line = framing.line_bytes(p.wire_bytes());
        let leaves = fifo.offer_framed(*at, rate.transmission_time(line), p.wire_bytes(), line, Class::Data, 1460);
        ends.extend(leaves.map(|l| l.end));
    }
    let (sent, dropped) = serve(&mut store, &arrivals, Time::from_ms(1_000));
    assert_eq!(sent.iter().map(|s| s.end).collect::<Vec<_>>(), ends);
    assert_eq!(ends.len() + dropped.len(), 20);
    assert!(!dropped.is_empty(), "the limit is in the packets' own bytes");
    for (i, end) in ends.iter().enumerate() {
        assert_eq!(*end, cell_time.saturating_mul(i as u64 + 1));
    }
    for meter in [store.meter(), fifo.meter()] {
        assert_eq!(meter.transmitted()[Class::Data as usize], (32 * 53 * ends.len()) as f64);
        assert_eq!(meter.transmitted_payload(), (1460 * ends.len()) as f64);
        assert_eq!(meter.offered_bytes, 20 * 1500);
        assert_eq!(meter.max_bytes, 19_500);
    }
}
