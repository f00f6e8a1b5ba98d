//! What a link transmits in a window: the part of each transmission that is within it.

use crate::test_packet;

use std::sync::Arc;

use eddyline_path::link::{FifoLink, Meter, StoreLink};
use eddyline_path::queue::{Limit, LinkContext, QueueParams};
use eddyline_path::variation::{ChangeParams, Conditions, OutageParams};
use eddyline_path::{Class, Packet as _};
use eddyline_units::{Rate, Time};
use proptest::prelude::*;
use test_packet::{TestPacket, ack, data, serve};

const END: Time = Time::from_ms(1_000);

/// Arrivals in order of time.
fn arrivals() -> impl Strategy<Value = Vec<(Time, TestPacket)>> {
    let packet = (0..END.as_ps(), 40u32..1500, any::<bool>());
    prop::collection::vec(packet, 1..200).prop_map(|mut all| {
        all.sort_unstable();
        let packet = |bytes, acks: bool| TestPacket { bytes, ..if acks { ack(0, 0, 0) } else { data(0, 0, bytes) } };
        all.iter().map(|(at, bytes, acks)| (Time::from_ps(*at), packet(*bytes, *acks))).collect()
    })
}

/// Rates over time, with a step of any size every 50 ms on average, or a constant one.
fn rates() -> impl Strategy<Value = Option<Vec<(u64, u64)>>> {
    let steps = prop::collection::vec((1u64..999, 10_000u64..100_000_000), 1..20).prop_map(|mut steps| {
        steps.sort_unstable();
        steps.dedup_by_key(|(at, _)| *at);
        steps
    });
    prop::option::of(steps)
}

/// Bounds of successive windows, from zero to beyond the last transmission.
fn windows() -> impl Strategy<Value = Vec<Time>> {
    prop::collection::vec(1..2 * END.as_ps(), 1..8).prop_map(|mut bounds| {
        bounds.extend([0, Time::from_ms(10_000_000).as_ps()]);
        bounds.sort_unstable();
        bounds.dedup();
        bounds.into_iter().map(Time::from_ps).collect()
    })
}

proptest! {
    /// In successive windows, whatever their bounds, a link transmits together what was sent; and in none of them more than its
    /// rate allows, but for the rounding of times to picoseconds.
    #[test]
    fn a_transmission_is_divided_between_windows(
        arrivals in arrivals(), bps in 10_000u64..100_000_000, steps in rates(), outage in any::<bool>(), windows in windows(),
        general in any::<bool>(),
    ) {
        let changes: Vec<ChangeParams> = steps.iter().flatten()
            .map(|(ms, rate)| ChangeParams { at: Time::from_ms(*ms), rate: Some(Rate::from_bps(*rate)), delay: None, loss: None })
            .collect();
        let outages = [OutageParams { start: Time::from_ms(300), length: Time::from_ms(100), every: None }];
        let rate = Rate::from_bps(bps);
        let conditions = Conditions::stepping(rate, Time::ZERO, &changes, if outage { &outages } else { &[] });
        let varies = outage || !changes.is_empty();
        let params: QueueParams = serde_json::from_str(r#"{"kind": "droptail", "limit": "unlimited"}"#).unwrap();
        let wanted: [f64; 3] = [Class::Data, Class::Ack, Class::Cross].map(|class| {
            arrivals.iter().filter(|(_, p)| p.class == class).map(|(_, p)| f64::from(p.bytes)).sum()
        });
        let payload: f64 = arrivals.iter().map(|(_, p)| f64::from(p.payload_bytes())).sum();
        let (mut bytes, mut payload_bytes) = ([0.0; 3], 0.0);
        for bounds in windows.windows(2) {
            let meter = Meter::new(bounds[0], bounds[1]);
            let meter = if varies || general {
                let conditions = Arc::new(conditions.clone());
                let conditions = varies.then_some(&conditions);
                let context = LinkContext { conditions, ..LinkContext::new(rate, 1, "link") };
                let mut link = StoreLink::new(&params, &context, meter);
                serve(&mut link, &arrivals, windows[windows.len() - 1]);
                link.meter().clone()
            } else {
                let mut link = FifoLink::new(Limit::Unlimited, meter);
                for (at, p) in &arrivals {
                    link.offer(*at, rate.transmission_time(p.bytes.into()), p.bytes, p.class, p.payload_bytes());
                }
                link.meter().clone()
            };
            let transmitted = meter.transmitted();
            let total: f64 = transmitted.iter().sum();
            let capacity = conditions.bits(bounds[0], bounds[1]);
            // half a picosecond a packet at the highest rate, and floating point
            let rounding = 0.5e-12 * 1e8 * arrivals.len() as f64 + 1e-9 * capacity.max(1.0);
            prop_assert!(total * 8.0 <= capacity + rounding, "{} of {capacity} bits", total * 8.0);
            prop_assert!(meter.transmitted_payload() <= transmitted[Class::Data as usize] * (1.0 + 1e-12));
            bytes.iter_mut().zip(transmitted).for_each(|(sum, n)| *sum += n);
            payload_bytes += meter.transmitted_payload();
        }
        for (got, wanted) in bytes.iter().zip(wanted).chain([(&payload_bytes, payload)]) {
            prop_assert!((got - wanted).abs() <= 1e-3 * wanted.min(1.0), "{got} bytes of {wanted}");
        }
    }
}

/// 1,000 bytes at 1 Mbit/s take 8 ms, from 2 to 10 ms; the rate falls to a quarter after 4 of them.
#[test]
fn the_share_of_a_window_follows_the_rate() {
    let of = |changes: &[ChangeParams], from: u64, to: u64| {
        let rate = Rate::from_bps(1_000_000);
        let conditions = Conditions::stepping(rate, Time::ZERO, changes, &[]);
        let params: QueueParams = serde_json::from_str(r#"{"kind": "droptail", "limit": "unlimited"}"#).unwrap();
        let meter = Meter::new(Time::from_ms(from), Time::from_ms(to));
        let conditions = Arc::new(conditions);
        let conditions = (!changes.is_empty()).then_some(&conditions);
        let mut link = StoreLink::new(&params, &LinkContext { conditions, ..LinkContext::new(rate, 1, "link") }, meter);
        serve(&mut link, &[(Time::from_ms(2), data(0, 0, 1000))], END);
        link.meter().transmitted()[Class::Data as usize]
    };
    let slower = [ChangeParams { at: Time::from_ms(6), rate: Some(Rate::from_bps(250_000)), delay: None, loss: None }];
    for (from, to, steady, stepping) in [
        (0, 1_000, 1000.0, 1000.0),
        (0, 6, 500.0, 500.0),
        (3, 8, 625.0, 375.0 + 62.5),
        (6, 10, 500.0, 125.0),
        (6, 22, 500.0, 500.0),
        (0, 2, 0.0, 0.0),
        (23, 30, 0.0, 0.0),
    ] {
        assert!((of(&[], from, to) - steady).abs() < 1e-9, "{from} to {to} ms");
        assert!((of(&slower, from, to) - stepping).abs() < 1e-9, "{from} to {to} ms, slower");
    }
}
