//! The drop-tail link that computes departures on arrival counts the same as the general link, which has an event for each.

use eddyline_path::Packet as _;
use eddyline_path::link::{FifoLink, Meter, Origin, StoreLink};
use eddyline_path::queue::{Limit, LinkContext, QueueParams};
use eddyline_units::{Rate, Time};
use proptest::prelude::*;

use crate::test_packet::{TestPacket, ack, data};

const END: Time = Time::from_ms(400);

/// Arrivals in order of time, at distinct times.
fn arrivals() -> impl Strategy<Value = Vec<(Time, TestPacket)>> {
    prop::collection::vec((1..END.as_ps(), 40u32..1500, any::<bool>()), 1..120).prop_map(|mut all| {
        all.sort_unstable();
        all.dedup_by_key(|(at, ..)| *at);
        let packet = |bytes, acks: bool| TestPacket { bytes, ..if acks { ack(0, 0, 0) } else { data(0, 0, bytes) } };
        all.iter().map(|(at, bytes, acks)| (Time::from_ps(*at), packet(*bytes, *acks))).collect()
    })
}

fn limits() -> impl Strategy<Value = (&'static str, Limit)> {
    prop_oneof![
        Just(("3 packets", Limit::Packets(3))),
        Just(("2500 B", Limit::Bytes(2_500))),
        Just(("60 cells", Limit::Cells(60))),
        Just(("unlimited", Limit::Unlimited)),
    ]
}

/// What a link counts: integrals of the backlog, its maxima, waits and drops.
fn counted(meter: &Meter) -> impl PartialEq + std::fmt::Debug {
    let backlog = (meter.packet_ps, meter.byte_ps, meter.max_packets, meter.max_bytes);
    (
        backlog,
        meter.waited,
        meter.waits,
        meter.drops,
        meter.offered_bytes,
        meter.dropped_bytes,
        meter.histogram.quantile(0.5),
    )
}

proptest! {
    /// Packets that wait when the run ends count for the mean queue as well, and those that wait when the window begins for its maximum.
    #[test]
    fn they_count_the_same(arrivals in arrivals(), bps in 300_000u64..8_000_000, limit in limits(), from in 0..END.as_ps()) {
        let rate = Rate::from_bps(bps);
        let (from, meter) = (Time::from_ps(from), Meter::new(Time::from_ps(from), END));
        let params: QueueParams =
            serde_json::from_str(&format!(r#"{{"kind": "droptail", "limit": "{}"}}"#, limit.0)).unwrap();
        let context = LinkContext::new(rate, 1, "link");
        let mut general = StoreLink::new(&params, &context, meter.clone());
        let mut fifo = FifoLink::new(limit.1, meter);
        let (mut left, mut computed, mut pending) = (Vec::new(), Vec::new(), arrivals.iter().peekable());
        let mut begun = false;
        loop {
            let arrival = pending.peek().map_or(Time::MAX, |(at, _)| *at);
            let now = arrival.min(general.due());
            if !begun && now > from {
                general.begin_window(from);
                fifo.begin_window(from);
                begun = true;
            }
            if now > END {
                break;
            }
            if general.due() <= arrival {
                left.extend(general.advance(now, &mut |_| {}).map(|_| now));
            } else if let Some((at, p)) = pending.next() {
                let fits = fifo.has_room(now, p.bytes, 0);
                let time = rate.transmission_time(p.bytes.into());
                let departure = fifo.offer(*at, time, p.bytes, p.class, p.payload_bytes());
                prop_assert_eq!(departure.is_some(), fits, "room is what a packet finds");
                computed.extend(departure.map(|d| d.end));
                let taken = general.offer(now, Origin::default(), p.clone(), &mut |_| {});
                prop_assert_eq!(taken, departure.is_some());
            }
            fifo.settle(now);
            prop_assert_eq!(fifo.waiting(), general.waiting());
        }
        general.close(END);
        computed.retain(|end| *end <= END);
        prop_assert_eq!(left, computed);
        prop_assert_eq!(counted(fifo.meter()), counted(general.meter()));
    }
}
