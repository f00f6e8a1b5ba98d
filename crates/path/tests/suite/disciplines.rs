//! What holds for every registered queue, on random arrivals and departures.

use crate::test_packet;

use std::collections::{BTreeMap, BTreeSet};

use eddyline_path::queue::{Discipline as _, KINDS, Limit, QueueParams, atm_cells};
use eddyline_path::random::Stream;
use eddyline_path::{Class, Ecn};
use eddyline_units::Time;
use test_packet::{TestPacket, ack, data, put, queue, take};

fn draw(r: &mut Stream, id: u64) -> TestPacket {
    let flow = r.below(12);
    if r.uniform() < 0.3 {
        return ack(id, 100 + flow, id * 100);
    }
    let bytes = 41 + r.below(1460) as u32;
    // a connection's packets are all of one kind, and a queue may separate kinds
    let ecn = [Ecn::NotCapable, Ecn::Ect0, Ecn::Ect1][(flow % 3) as usize];
    let class = if r.uniform() < 0.1 { Class::Cross } else { Class::Data };
    TestPacket { ecn, class, host: (flow / 4) as u32, ..data(id, flow, bytes) }
}

#[test]
fn examples_parse_and_names_are_unique() {
    let mut names = BTreeSet::new();
    for kind in KINDS {
        let params: QueueParams = serde_json::from_str(kind.example).unwrap_or_else(|e| panic!("{}: {e}", kind.name));
        assert_eq!(params.name(), kind.name);
        assert!(names.insert(kind.name), "{} twice", kind.name);
        let back: QueueParams = serde_json::from_value(serde_json::to_value(params).unwrap()).unwrap();
        assert_eq!(back, params, "{}", kind.name);
    }
}

#[test]
fn disciplines_with_an_ecn_switch_say_that_they_mark() {
    for kind in KINDS {
        let json = serde_json::to_value(serde_json::from_str::<QueueParams>(kind.example).unwrap()).unwrap();
        assert!(json.get("ecn").is_none() || kind.properties.ecn, "{}", kind.name);
        assert!(!kind.properties.ecn || kind.properties.aqm, "{}", kind.name);
        if let Some(bound) = kind.properties.delay_set_by {
            let key = serde_json::to_value(bound).unwrap();
            assert!(json.get(key.as_str().unwrap()).is_some(), "{}: {key}", kind.name);
        }
    }
}

/// Every packet leaves once or is dropped once or still waits; counts and limits agree with what is inside; packets of
/// a flow keep their order; a queue that waits for nothing gives a packet whenever it has one.
#[test]
fn every_discipline_conserves() {
    for kind in KINDS {
        for seed in 0..40 {
            let mut r = Stream::new(seed, kind.name, "disciplines");
            let mut q = queue(kind.example, [1, 10, 1000][r.below(3) as usize]);
            let limit = serde_json::from_str::<QueueParams>(kind.example).unwrap().limit();
            let mut inside: BTreeMap<u64, TestPacket> = BTreeMap::new();
            let mut last_of_flow: BTreeMap<u64, u64> = BTreeMap::new();
            let mut now = Time::ZERO;
            let load = 0.3 + 0.5 * r.uniform();
            for id in 0..3000 {
                now += Time::from_ps(1_000_000 * (1 + r.below(2000)));
                if r.uniform() < load {
                    let packet = draw(&mut r, id);
                    inside.insert(id, packet.clone());
                    for gone in put(&mut q, now, packet) {
                        assert!(inside.remove(&gone).is_some(), "{}: {gone} dropped twice", kind.name);
                    }
                } else {
                    let held = q.packets();
                    let (packet, dropped) = take(&mut q, now);
                    for gone in &dropped {
                        assert!(inside.remove(gone).is_some(), "{}: {gone} dropped twice", kind.name);
                    }
                    let waits = q.next_wake().is_some_and(|t| t > now);
                    assert!(
                        packet.is_some() || waits || dropped.len() as u64 == held,
                        "{}: idle with {held} packets",
                        kind.name
                    );
                    if let Some(p) = packet {
                        let as_sent =
                            inside.remove(&p.id).unwrap_or_else(|| panic!("{}: {} left twice", kind.name, p.id));
                        let marked = TestPacket { ecn: Ecn::Ce, ..as_sent.clone() };
                        assert!(p == as_sent || as_sent.ecn != Ecn::NotCapable && p == marked, "{}: {p:?}", kind.name);
                        let previous = last_of_flow.insert(p.flow, p.id);
                        assert!(previous.is_none_or(|b| b < p.id), "{}: flow {} out of order", kind.name, p.flow);
                    }
                }
                assert_eq!(q.packets(), inside.len() as u64, "{} seed {seed} at {id}", kind.name);
                assert_eq!(q.bytes(), inside.values().map(|p| u64::from(p.bytes)).sum::<u64>(), "{}", kind.name);
                match limit {
                    Limit::Packets(n) => assert!(q.packets() <= n, "{}", kind.name),
                    Limit::Bytes(n) => assert!(q.bytes() <= n, "{}", kind.name),
                    Limit::Cells(n) => {
                        let cells: u64 = inside.values().map(|p| atm_cells(u64::from(p.bytes))).sum();
                        assert!(cells <= n, "{}", kind.name);
                    }
                    Limit::Unlimited => {}
                }
                assert!(q.next_wake().is_none() || q.packets() > 0, "{}: wakes up for nothing", kind.name);
            }
            let mut drained = BTreeSet::new();
            q.drain(&mut |p| assert!(drained.insert(p.id)));
            assert!(drained.iter().eq(inside.keys()), "{}", kind.name);
            assert_eq!((q.packets(), q.bytes()), (0, 0), "{}", kind.name);
        }
    }
}
