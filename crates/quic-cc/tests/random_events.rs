//! Random sequences of events, in any order that a broken or hostile peer could cause.

use std::time::{Duration, Instant};

use eddyline_quic_cc::cc::KINDS;
use eddyline_quic_cc::{Bridge, Config, LostPackets, Receipts};
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Event {
    Wait(u64),
    Sent(u16),
    /// Acknowledges the packet so many places back, whatever became of it.
    Acked(usize, u16),
    AcksEnd(bool),
    Lost(usize, bool),
    Ecn(usize, Option<u64>),
    CwndLimited,
    Spurious,
    Mtu(u16),
    Arrived(bool),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (0u64..200_000_000).prop_map(Event::Wait),
        8 => (1u16..1500).prop_map(Event::Sent),
        8 => (0usize..30, 1u16..1500).prop_map(|(back, bytes)| Event::Acked(back, bytes)),
        6 => any::<bool>().prop_map(Event::AcksEnd),
        2 => (0usize..30, prop::bool::weighted(0.1)).prop_map(|(back, persistent)| Event::Lost(back, persistent)),
        1 => (0usize..30, prop::option::of(0u64..50)).prop_map(|(back, marked)| Event::Ecn(back, marked)),
        1 => Just(Event::CwndLimited),
        1 => Just(Event::Spurious),
        1 => (0u16..9000).prop_map(Event::Mtu),
        3 => any::<bool>().prop_map(Event::Arrived),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn windows_stay_within_bounds(events in prop::collection::vec(event(), 1..300), receipts in any::<bool>()) {
        for kind in KINDS {
            let epoch = Instant::now();
            let table = receipts.then(Receipts::new);
            let mut config = Config::new(serde_json::from_str(kind.example).unwrap());
            if let Some(table) = &table {
                config = config.receipts(table.clone());
            }
            let (mut now, mut mtu) = (epoch, 1200);
            let mut bridge = Bridge::new(&config, now, mtu);
            let mut sent: Vec<Instant> = Vec::new();
            for event in &events {
                let place = |back: usize| sent.len().checked_sub(back + 1);
                match *event {
                    Event::Wait(ns) => now += Duration::from_nanos(ns),
                    Event::Sent(bytes) => {
                        bridge.on_packet_sent(now, bytes.into(), Some(sent.len() as u64));
                        bridge.on_datagram_sent();
                        sent.push(now);
                    }
                    Event::Acked(back, bytes) => {
                        if let Some(n) = place(back) {
                            bridge.on_packet_acked(sent[n], bytes.into(), Some(n as u64));
                        }
                    }
                    Event::AcksEnd(app_limited) => bridge.on_acks_end(now, 1200 * (sent.len() % 40) as u64, app_limited),
                    Event::Lost(back, persistent) => {
                        if let Some(n) = place(back) {
                            bridge.on_lost(&LostPackets { now, newest_sent: sent[n], bytes: 3000, persistent });
                        }
                    }
                    Event::Ecn(back, marked) => {
                        if let Some(n) = place(back) {
                            bridge.on_ecn(now, sent[n], marked);
                        }
                    }
                    Event::CwndLimited => bridge.on_cwnd_limited(),
                    Event::Spurious => bridge.on_spurious_loss(),
                    Event::Mtu(new) => {
                        mtu = new;
                        bridge.on_mtu_update(mtu);
                    }
                    Event::Arrived(marked) => {
                        if let Some((table, tag)) = table.as_ref().and_then(|t| Some((t, t.take_sent()?))) {
                            table.record(tag, now, marked);
                        }
                    }
                }
                let decisions = bridge.decisions();
                prop_assert!(decisions.window >= 2 * u64::from(mtu.max(1)), "{}: {decisions:?}", kind.name);
                prop_assert!(decisions.window < 1 << 50, "{}: {decisions:?}", kind.name);
                prop_assert!(decisions.pacing_rate != Some(0), "{}: {decisions:?}", kind.name);
            }
        }
    }
}
