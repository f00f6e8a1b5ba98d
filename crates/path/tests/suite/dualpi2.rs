//! DualPI2 against Appendix A of RFC 9332, and against what the coupling promises.

use crate::test_packet;

use std::collections::VecDeque;

use eddyline_path::Ecn;
use eddyline_path::queue::{Discipline as _, DualPi2, DualPi2Params, LinkContext};
use eddyline_units::{Rate, Time};
use test_packet::{TestPacket, data};

const CONTEXT: LinkContext<'_> = LinkContext::new(Rate::from_bps(40_000_000), 1, "link");
const UPDATE_MS: u64 = 15;

fn dual(json: &str) -> DualPi2<TestPacket> {
    DualPi2::new(&serde_json::from_str::<DualPi2Params>(json).unwrap(), &CONTEXT)
}

fn us(n: u64) -> Time {
    Time::from_ps(n * 1_000_000)
}

fn put(q: &mut DualPi2<TestPacket>, now: Time, id: u64, ecn: Ecn) {
    q.enqueue(now, TestPacket { ecn, ..data(id, id, 1500) }, &mut |_| {}).unwrap();
}

/// The next packet, with the number of those dropped on the way.
fn take(q: &mut DualPi2<TestPacket>, now: Time) -> (Option<TestPacket>, usize) {
    let mut dropped = 0;
    (q.dequeue(now, &mut |_| dropped += 1), dropped)
}

#[track_caller]
fn near(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-9 * want.abs().max(1e-9), "{got}, not {want}");
}

#[test]
fn the_identifier_chooses_the_queue() {
    let mut q = dual("{}");
    for (id, (ecn, split)) in
        [(Ecn::NotCapable, (0, 1)), (Ecn::Ect0, (0, 2)), (Ecn::Ect1, (1, 2)), (Ecn::Ce, (2, 2))].into_iter().enumerate()
    {
        put(&mut q, Time::ZERO, id as u64, ecn);
        assert_eq!(q.split(), split);
    }
}

/// `p' <- p' + alpha (wait - target) + beta (wait - previous wait)`: 0.15 /s and 3 /s for 100 ms, every 15 ms.
#[test]
fn the_base_probability() {
    let mut q = dual("{}");
    put(&mut q, Time::ZERO, 0, Ecn::Ect0);
    put(&mut q, Time::ZERO, 1, Ecn::Ect0);
    let mut want = 0.0;
    for n in 1..=9 {
        put(&mut q, Time::from_ms(UPDATE_MS * n), n + 1, Ecn::Ect1);
        // one that came at time zero still waits
        want += 0.15 * (0.015 * n as f64 - 0.015) + 3.0 * 0.015;
        near(q.probability(), want);
    }
    // a slower update would not do for a shorter round trip: a third of 30 ms, alpha 10/9, beta 10
    let mut q = dual(r#"{ "max_rtt": "30 ms" }"#);
    put(&mut q, Time::ZERO, 0, Ecn::Ect1);
    put(&mut q, Time::from_ms(10), 1, Ecn::Ect1);
    near(q.probability(), 0.1 * 0.01 / (0.03 * 0.03) * (0.01 - 0.015) + 10.0 * 0.01);
}

#[test]
fn late_updates_change_nothing() {
    for (held, free_ms) in [(1, 4000), (2, 20_000)] {
        let mut often = dual("{}");
        let mut late = dual("{}");
        for q in [&mut often, &mut late] {
            (0..held).for_each(|id| put(q, Time::ZERO, id, Ecn::Ect0));
        }
        for n in 1..=300 {
            // no room: an arrival that only triggers the update
            let _ = often.enqueue(us(1000 * n * 15), data(9, 9, u32::MAX), &mut |_| {});
            let _ = often.packets();
        }
        let now = Time::from_ms(4500);
        let _ = late.enqueue(now, data(9, 9, u32::MAX), &mut |_| {});
        assert_eq!(often.probability().to_bits(), late.probability().to_bits());
        near(often.probability(), 1.0);
        for q in [&mut often, &mut late] {
            while take(q, now).0.is_some() {}
        }
        for n in 301..=300 + free_ms / 15 {
            take(&mut often, us(1000 * n * 15));
        }
        take(&mut late, us(1000 * (300 + free_ms / 15) * 15));
        assert_eq!(often.probability().to_bits(), late.probability().to_bits());
        assert!(often.probability() < 1.0);
    }
}

/// A queue that always holds its head for the target keeps p'; then C is marked as `(p_L / k)^2` and L as p_L.
#[test]
fn the_coupling() {
    for k in [1.0, 2.0, 3.0] {
        let mut q = dual(&format!(r#"{{ "coupling": {k} }}"#));
        let mut id = 0;
        let (mut low, mut low_marks, mut classic, mut classic_marks) = (0.0, 0.0, 0.0, 0.0);
        let mut fixed = None;
        for ms in 0..300_000u64 {
            let now = Time::from_ms(ms);
            put(&mut q, now, id, Ecn::Ect0);
            // L never waits, so that only the coupling marks there
            put(&mut q, now, id + 1, Ecn::Ect1);
            id += 2;
            // first the wait grows to 75 ms, then it is brought to the target and stays
            let rounds = match ms {
                0..75 => 1,
                75 => 62,
                _ => 2,
            };
            for _ in 0..rounds {
                let Some(packet) = take(&mut q, now).0 else { break };
                if fixed.is_none() {
                    continue;
                }
                let marked = f64::from(u8::from(packet.ecn == Ecn::Ce));
                if packet.flow % 2 == 1 {
                    (low, low_marks) = (low + 1.0, low_marks + marked);
                } else {
                    (classic, classic_marks) = (classic + 1.0, classic_marks + marked);
                }
            }
            if ms == 200 {
                assert_eq!(q.split(), (0, 15));
                fixed = Some(q.probability());
            }
        }
        let p = fixed.unwrap();
        assert!((0.02..0.3).contains(&p), "{p}");
        near(q.probability(), p);
        let (p_low, p_classic) = (low_marks / low, classic_marks / classic);
        // events at even distances are right to one event
        assert!((p_low - k * p).abs() <= 1.0 / low, "k {k}: {p_low}, not {}", k * p);
        assert!((p_classic - p * p).abs() <= 1.0 / classic, "k {k}: {p_classic}, not {}", p * p);
        assert!((p_classic / (p_low / k).powi(2) - 1.0).abs() < 0.01);
    }
}

#[test]
fn the_classic_queue_gets_its_weight() {
    for weight in [0.1, 0.5] {
        let mut q = dual(&format!(r#"{{ "classic_weight": {weight}, "limit": "unlimited", "max_rtt": "1 min" }}"#));
        for id in 0..20_000 {
            let (ecn, bytes) = if id % 2 == 0 { (Ecn::Ect1, 300) } else { (Ecn::Ect0, 1500) };
            let _ = q.enqueue(Time::ZERO, TestPacket { ecn, ..data(id, id % 2, bytes) }, &mut |_| {});
        }
        let mut bytes = [0.0, 0.0];
        while q.split().0 > 0 && q.split().1 > 0 {
            let packet = take(&mut q, Time::ZERO).0.unwrap();
            bytes[packet.flow as usize] += f64::from(packet.bytes);
            let owed = weight * (bytes[0] + bytes[1]) - bytes[1];
            assert!(owed.abs() <= 1500.0, "C is owed {owed} bytes");
        }
        assert!(bytes[0] + bytes[1] > 3e6);
    }
}

/// Share of marks in L of packets that waited for some time, with one more behind or with none.
fn low_marks(json: &str, waited_us: u64, behind: bool) -> f64 {
    let mut q = dual(json);
    let mut marks = 0;
    for n in 0..1000u64 {
        let at = us(20_000 * n);
        put(&mut q, at, 0, Ecn::Ect1);
        if behind {
            put(&mut q, at, 1, Ecn::Ect1);
        }
        marks += usize::from(take(&mut q, at + us(waited_us)).0.unwrap().ecn == Ecn::Ce);
        // the other one leaves unseen
        q.drain(&mut |_| {});
    }
    marks as f64 / 1000.0
}

#[test]
fn the_ramp_of_the_low_latency_queue() {
    // a base controller that hardly moves: no coupled marks
    let slow = r#"{ "max_rtt": "1 min" }"#;
    for (waited, share) in [(799, 0.0), (800, 0.0), (900, 0.25), (1000, 0.5), (1100, 0.75), (1200, 1.0), (5000, 1.0)] {
        let got = low_marks(slow, waited, true);
        assert!((got - share).abs() < 0.0015, "{waited} us: {got}, not {share}");
        assert!(low_marks(slow, waited, false) < 0.001, "alone in the queue");
    }
    let step = r#"{ "max_rtt": "1 min", "ramp_from": "1 ms", "ramp_range": "0 s" }"#;
    assert!(low_marks(step, 999, true) < 0.001 && low_marks(step, 1000, true) > 0.998);
}

/// Beyond `k p' = 1` marks cannot say more: L is dropped from as C is, and C's marks become drops.
#[test]
fn overload_drops() {
    let mut q = dual(r#"{ "limit": "unlimited" }"#);
    // 0.045 and more every 15 ms: within 400 ms p' is one; 165 ms make it two thirds
    put(&mut q, Time::ZERO, 1, Ecn::Ect0);
    let now = us(165_000);
    put(&mut q, now, 3, Ecn::Ect0);
    let p = q.probability();
    assert!((0.6..0.7).contains(&p), "{p}");
    let n = 20_000;
    for id in 0..n {
        put(&mut q, now, id, if id % 2 == 0 { Ecn::Ect1 } else { Ecn::Ect0 });
    }
    let (mut low, mut marked, mut classic, mut classic_marked, mut dropped) = (0.0, 0.0, 0.0, 0.0, 0.0);
    while let (Some(packet), gone) = take(&mut q, now) {
        dropped += gone as f64;
        let mark = f64::from(u8::from(packet.ecn == Ecn::Ce));
        if packet.flow % 2 == 0 {
            (low, marked) = (low + 1.0, marked + mark);
        } else {
            (classic, classic_marked) = (classic + 1.0, classic_marked + mark);
        }
    }
    assert_eq!(classic_marked, 0.0);
    let each = n as f64 / 2.0;
    for (left, what) in [(low, "L"), (classic, "C")] {
        assert!((left / each - (1.0 - p * p)).abs() < 3.0 / each + 2e-4, "{what}: {left} of {each} at p' {p}");
    }
    assert!(low - marked <= 1.0, "all that are not dropped are marked");
    assert!((dropped + low + classic - n as f64).abs() <= 2.0);
}

/// A sender with a window in packets that gets feedback on each packet a round trip after sending it: a mark or loss.
struct Sender {
    scalable: bool,
    window: f64,
    in_flight: u64,
    /// No second halving before feedback on this packet.
    recover: u64,
    next: u64,
    feedback: VecDeque<(Time, u64, bool)>,
    sent: f64,
    waited: f64,
}

impl Sender {
    fn new(scalable: bool) -> Self {
        Self {
            scalable,
            window: 10.0,
            in_flight: 0,
            recover: 0,
            next: 0,
            feedback: VecDeque::new(),
            sent: 0.0,
            waited: 0.0,
        }
    }

    fn react(&mut self, now: Time) {
        while self.feedback.front().is_some_and(|(at, ..)| *at <= now) {
            let Some((_, id, congested)) = self.feedback.pop_front() else { break };
            self.in_flight -= 1;
            self.window += if congested { 0.0 } else { 1.0 / self.window };
            if congested && self.scalable {
                self.window -= 0.5;
            } else if congested && id >= self.recover {
                self.window /= 2.0;
                self.recover = self.next;
            }
            self.window = self.window.max(2.0);
        }
    }
}

/// Both kinds of senders share 40 Mbit/s at 20 ms: L waits for less than its ramp's end, C for its target, and both get
/// about the same (section 1.1), as `2 / p_L` is about `1.22 / sqrt(p_C)` times the ratio of round trips.
#[test]
fn scalable_and_classic_senders_share() {
    const RTT: Time = Time::from_ms(20);
    let mut q = dual("{}");
    let mut senders = [Sender::new(true), Sender::new(false)];
    let packet_time = us(300);
    let mut now = Time::ZERO;
    while now < Time::SECOND * 60 {
        for (flow, s) in senders.iter_mut().enumerate() {
            s.react(now);
            while (s.in_flight as f64) < s.window.floor() {
                let ecn = if s.scalable { Ecn::Ect1 } else { Ecn::Ect0 };
                let packet =
                    TestPacket { ecn, host: (now.as_ps() / 1_000_000) as u32, ..data(s.next, flow as u64, 1500) };
                assert!(q.enqueue(now, packet, &mut |_| {}).is_ok());
                s.next += 1;
                s.in_flight += 1;
            }
        }
        let mut gone = Vec::new();
        let packet = q.dequeue(now, &mut |p| gone.push(p));
        for p in gone {
            senders[p.flow as usize].feedback.push_back((now + RTT, p.id, true));
        }
        if let Some(p) = packet {
            let s = &mut senders[p.flow as usize];
            s.feedback.push_back((now + RTT, p.id, p.ecn == Ecn::Ce));
            if now > Time::SECOND * 20 {
                s.sent += 1.0;
                s.waited += now.as_secs_f64() - f64::from(p.host) / 1e6;
            }
        }
        now += packet_time;
    }
    let [low, classic] = senders;
    let (l, c) = (low.waited / low.sent, classic.waited / classic.sent);
    assert!(l < 0.0012, "L waits {l} s");
    assert!((c / 0.015 - 1.0).abs() < 0.2, "C waits {c} s");
    let ratio = low.sent / classic.sent;
    assert!((0.5..2.0).contains(&ratio), "shares {ratio} to one");
    let used = (low.sent + classic.sent) * packet_time.as_secs_f64() / 40.0;
    assert!(used > 0.97, "{used} of the link");
}

/// At p' = 1 all is dropped but the first, as no likelihood has summed up yet, and the last two, behind which less than
/// two packets wait. Without that rule these go too.
#[test]
fn a_backlog_below_two_packets_is_not_dropped() {
    for (json, left) in [("{}", 3), (r#"{ "mtu": "0 B" }"#, 1)] {
        let mut q = dual(json);
        (0..10).for_each(|id| put(&mut q, Time::ZERO, id, Ecn::NotCapable));
        let mut seen = 0;
        while take(&mut q, Time::SECOND).0.is_some() {
            seen += 1;
        }
        assert_eq!(q.probability(), 1.0);
        assert_eq!(seen, left, "{json}");
    }
}

/// Below a coupling of one overload begins where C's probability reaches one: p_Cmax = min(1 / k^2, 1) (Appendix A.1).
#[test]
fn a_weak_coupling_reaches_overload() {
    let mut q = dual(r#"{ "limit": "unlimited", "coupling": 0.5 }"#);
    put(&mut q, Time::ZERO, 1, Ecn::Ect0);
    let now = us(1_000_000);
    for id in 0..100 {
        put(&mut q, now, id, Ecn::Ect0);
    }
    assert_eq!(q.probability(), 1.0);
    let mut left = Vec::new();
    let mut gone = 0;
    while let (Some(packet), dropped) = take(&mut q, now) {
        left.push(packet.ecn);
        gone += dropped;
    }
    // the first makes the sum of likelihoods one, which is not above it yet; the last two are too little to drop from
    assert_eq!(left.iter().filter(|e| **e == Ecn::Ce).count(), 0, "drops, not marks");
    assert!(gone >= 95 || left.len() <= 5, "{gone} dropped, {} left", left.len());
}
