//! BBR versions 1 and 3 over a simulated link: one queue, one flow, packets acknowledged in order.

use std::collections::VecDeque;

use eddyline_cc::{Ack, AnyController, Controller as _, ControllerParams, Loss, PathFacts, Sent, Stamp, Timeout};
use eddyline_units::Time;

/// A link of 1,000 packet/s with 100 ms of propagation and an endless queue.
struct Path {
    c: AnyController,
    now: Time,
    next_send: Time,
    link_free: Time,
    flight: VecDeque<(Time, Time, Stamp)>,
    /// Packets that the sender counts as in flight beside those here.
    outside: f64,
}

const PACKET: Time = Time::from_ms(1);
const DELAY: Time = Time::from_ms(100);

impl Path {
    fn new(kind: &str) -> Self {
        let facts = PathFacts { mss: 1000, ack_ratio: 1, initial_window: 10.0, ..PathFacts::default() };
        let text = format!(r#"{{ "kind": "{kind}" }}"#);
        let mut c = serde_json::from_str::<ControllerParams>(&text).unwrap().build(&facts);
        c.on_handshake(DELAY, DELAY);
        Self { c, now: DELAY, next_send: DELAY, link_free: Time::ZERO, flight: VecDeque::new(), outside: 0.0 }
    }

    /// The next event: a packet leaves, or an acknowledgement arrives.
    fn step(&mut self) {
        let may = (self.flight.len() as f64) < self.c.window();
        let acked = self.flight.front().map_or(Time::MAX, |f| f.1);
        if may && self.next_send <= acked {
            self.now = self.now.max(self.next_send);
            let in_flight = self.flight.len() as f64 + 1.0;
            let stamp = self.c.on_sent(&Sent { now: self.now, in_flight, cwnd_limited: true, app_limited: false });
            self.link_free = self.link_free.max(self.now) + PACKET;
            self.flight.push_back((self.now, self.link_free + DELAY, stamp));
            self.next_send = self.now + self.c.pacing_interval().unwrap();
            return;
        }
        let (sent_at, now, stamp) = self.flight.pop_front().unwrap();
        self.now = now;
        self.next_send = self.next_send.max(now.min(self.next_send));
        self.c.on_ack(&Ack {
            now,
            sent_at,
            received_at: sent_at,
            rtt: Some(now - sent_at),
            acked: 1.0,
            lost: 0.0,
            in_flight: self.flight.len() as f64 + self.outside,
            stamp,
            cwnd_limited: true,
            in_recovery: false,
        });
    }

    /// Runs until `ms`; gives how long the pacing rate was at which multiple of the link's, in ms by percent, and the
    /// minimum
    /// and largest number of packets in flight.
    fn run(&mut self, ms: u64) -> (Vec<(u64, u64)>, usize, usize) {
        let (mut spans, mut min, mut max) = (Vec::<(u64, u64)>::new(), usize::MAX, 0);
        let mut prior = self.now;
        while self.now < Time::from_ms(ms) {
            self.step();
            let percent =
                (100.0 * PACKET.as_secs_f64() / self.c.pacing_interval().unwrap().as_secs_f64()).round() as u64;
            let passed = (self.now - prior).as_ps();
            match spans.last_mut() {
                Some((p, span)) if p.abs_diff(percent) <= 1 => *span += passed,
                _ => spans.push((percent, passed)),
            }
            prior = self.now;
            min = min.min(self.flight.len());
            max = max.max(self.flight.len());
        }
        (spans.into_iter().map(|(p, ps)| (p, ps / 1_000_000_000)).filter(|s| s.1 > 0).collect(), min, max)
    }
}

/// Startup at 2 / ln 2, Drain at its inverse, then 1.25, 0.75 and six phases of 1, each a round trip without queue.
#[test]
fn the_gain_cycle_of_version_1() {
    let mut path = Path::new("bbr");
    path.run(3_000);
    let (spans, _, max) = path.run(8_000);
    // 1.25, 0.75, 1.0, in this order, and nothing else
    let phases: Vec<u64> = spans.iter().map(|s| s.0).collect();
    assert!(phases.len() >= 12, "{spans:?}");
    for (i, window) in spans.windows(3).enumerate() {
        let [a, b, c] = [window[0].0, window[1].0, window[2].0];
        if a.abs_diff(125) <= 1 {
            assert!(b.abs_diff(75) <= 1 && c.abs_diff(100) <= 1, "{i}: {spans:?}");
        }
    }
    let whole = &spans[1..spans.len() - 1];
    for (gain, low, high) in [(125, 100, 150), (75, 20, 110), (100, 600, 720)] {
        let mut of = whole.iter().filter(|s| s.0.abs_diff(gain) <= 1).peekable();
        assert!(of.peek().is_some(), "{gain}: {spans:?}");
        assert!(of.all(|s| (low..=high).contains(&s.1)), "{gain}: {spans:?}");
    }
    // 1.25 times the 101 packets of the path, and the packets of the send quantum
    assert!((120..=135).contains(&max), "{max} in flight");
}

/// The bandwidth is known after Startup within 2 %, with at most 2.89 times the path in flight until then.
#[test]
fn startup_finds_the_bandwidth() {
    for kind in ["bbr", "bbr3"] {
        let mut path = Path::new(kind);
        let (spans, _, max) = path.run(3_000);
        assert!(spans.iter().any(|s| s.0 > 250), "{kind}: {spans:?}");
        assert!(max <= 310, "{kind}: {max} in flight");
        let (spans, ..) = path.run(4_000);
        assert!(spans.iter().all(|s| (73..=127).contains(&s.0)), "{kind}: {spans:?}");
    }
}

/// Drain of version 3 ends when what is in flight fits the path, or in the fourth round trip after that in which it began
/// (draft-ietf-ccwg-bbr, section 5.3.2: `BBR.round_count > BBR.drain_start_round + 3`).
#[test]
fn drain_of_version_3_ends_after_its_rounds() {
    let mut path = Path::new("bbr3");
    let draining = |p: &Path| p.c.pacing_interval().unwrap().as_secs_f64() > 1.5 * PACKET.as_secs_f64();
    // Startup is faster than the link before it ends
    while path.c.pacing_interval().unwrap() > PACKET {
        path.step();
    }
    while !draining(&path) {
        path.step();
    }
    path.outside = 1000.0;
    let (mut rounds, mut round_start) = (0, path.now);
    while draining(&path) {
        let oldest = path.flight.front().unwrap().0;
        path.step();
        let acked = path.flight.front().is_none_or(|f| f.0 > oldest);
        if acked && oldest >= round_start {
            rounds += 1;
            round_start = path.now;
        }
        assert!(path.now < Time::from_ms(5_000), "{rounds} rounds");
    }
    assert_eq!(rounds, 4);
}

/// Ten seconds after the last smallest sample: version 1 falls to four packets, version 3 to half the path's, for 200 ms at least.
#[test]
fn probe_rtt() {
    for (kind, low, high) in [("bbr", 3, 4), ("bbr3", 40, 51)] {
        let mut path = Path::new(kind);
        let (mut seen, mut duration) = (usize::MAX, 0);
        path.run(9_000);
        let mut small_since = None;
        while path.now < Time::from_ms(14_000) {
            path.step();
            seen = seen.min(path.flight.len());
            if path.flight.len() <= high {
                small_since.get_or_insert(path.now);
            } else if let Some(since) = small_since.take() {
                duration = duration.max((path.now - since).as_ps() / 1_000_000_000);
            }
        }
        assert!((low..=high).contains(&seen), "{kind}: {seen} in flight");
        assert!((200..=450).contains(&duration), "{kind}: for {duration} ms");
    }
}

/// Version 3 cruises at 99 % of the bandwidth, probes at 1.25 after two to three seconds or as many round trips as the path
/// holds packets, at most 63, and slows down to 0.9.
#[test]
fn the_phases_of_version_3() {
    let mut path = Path::new("bbr3");
    path.run(3_000);
    let (spans, ..) = path.run(9_500);
    let of = |percent: u64| spans.iter().filter(|s| s.0.abs_diff(percent) <= 1).map(|s| s.1).collect::<Vec<_>>();
    let (up, down, cruise) = (of(124), of(89), of(99));
    assert!(up.len() >= 2 && down.len() >= 2, "{spans:?}");
    assert!(up.iter().all(|ms| (100..=800).contains(ms)), "{spans:?}");
    assert!(cruise[1..cruise.len() - 1].iter().all(|ms| (1_500..=3_300).contains(ms)), "{spans:?}");
}

/// Version 3 without SACK: six holes of one window come to light one a round trip (RFC 6582) and lower the short-term bound of the
/// bandwidth once, to 0.7 at the minimum; with SACK round trips with a loss each lower it every time.
#[test]
fn losses_of_one_window_are_one_loss_event() {
    for (sack, low, high) in [(false, 0.69, 1.0), (true, 0.0, 0.5)] {
        let mut path = Path::new("bbr3");
        path.run(3_000);
        // Cruise: 300 ms at the link's rate less the margin
        let mut since = path.now;
        while path.now - since < Time::from_ms(300) {
            path.step();
            if path.c.pacing_interval().unwrap().as_ps().abs_diff(PACKET.as_ps() * 100 / 99) > PACKET.as_ps() / 50 {
                since = path.now;
            }
        }
        let prior = path.c.pacing_interval().unwrap().as_secs_f64();
        let ack = |now: Time, sent_at, stamp, lost| Ack {
            now,
            sent_at,
            received_at: sent_at,
            rtt: None,
            acked: 1.0,
            lost,
            in_flight: 100.0,
            stamp,
            cwnd_limited: true,
            in_recovery: true,
        };
        path.c.on_loss(&Loss { now: path.now, flight_size: 100.0 });
        if !sack {
            path.c.on_duplicate(&ack(path.now, path.now, Stamp::default(), 1.0));
        }
        let mut left = f64::INFINITY;
        for _ in 0..6 {
            let sent_at = path.now;
            let stamp =
                path.c.on_sent(&Sent { now: sent_at, in_flight: 100.0, cwnd_limited: true, app_limited: false });
            path.now += DELAY;
            path.c.on_ack(&ack(path.now, sent_at, stamp, 1.0));
            left = left.min(prior / path.c.pacing_interval().unwrap().as_secs_f64());
        }
        assert!((low..=high).contains(&left), "SACK {sack}: {left} of the rate");
    }
}

/// Timeouts in a row, and all that was outstanding acknowledged: the window is what it was before the first (RestoreCwnd).
#[test]
fn the_window_before_timeouts_is_restored() {
    for kind in ["bbr", "bbr3"] {
        let mut p = Path::new(kind);
        while p.now < Time::from_ms(5_000) {
            p.step();
        }
        let prior = p.c.window();
        assert!(prior > 50.0, "{kind}: {prior}");
        for repeated in [false, true] {
            p.c.on_timeout(&Timeout { now: p.now, flight_size: prior, repeated });
            assert!(p.c.window() <= 4.0, "{kind}: {}", p.c.window());
        }
        p.c.on_timeout_recovered();
        assert!((p.c.window() - prior).abs() < 1e-9, "{kind}: {} of {prior}", p.c.window());
    }
}

/// Draft version 1, 4.3.4.4; version 3, 5.4.1: an application that had nothing to send has data again, and the pipe is empty, however
/// short the pause. The sender paces at the bandwidth, whatever the cycle's gain, and no ProbeRTT begins.
#[test]
fn a_restart_from_idle_is_paced_at_the_bandwidth_and_probes_no_rtt() {
    for kind in ["bbr", "bbr3"] {
        let mut path = Path::new(kind);
        path.run(5_000);
        let relative = |path: &Path| PACKET.as_secs_f64() / path.c.pacing_interval().unwrap().as_secs_f64();
        while (relative(&path) - 1.25).abs() > 0.02 {
            path.step();
            assert!(path.now < Time::from_ms(20_000), "{kind}: it probes");
        }
        let send = |path: &mut Path, in_flight, app_limited: bool| {
            let sent = Sent { now: path.now, in_flight, cwnd_limited: !app_limited, app_limited };
            path.c.on_sent(&sent)
        };
        send(&mut path, 9.0, true);
        assert!(relative(&path) > 1.2, "{kind}: packets are in flight");
        send(&mut path, 1.0, false);
        assert!(relative(&path) > 1.2, "{kind}: it waited for something else");
        path.now += Time::from_ms(11_000); // ProbeRTT is due
        let (sent_at, stamp) = (path.now, send(&mut path, 1.0, true));
        assert!((relative(&path) - 1.0).abs() < 0.02, "{kind}: {}", relative(&path));
        path.now += DELAY;
        let acked = Ack {
            now: path.now,
            sent_at,
            received_at: sent_at,
            rtt: Some(DELAY),
            acked: 1.0,
            lost: 0.0,
            in_flight: 0.0,
            stamp,
            cwnd_limited: false,
            in_recovery: false,
        };
        path.c.on_ack(&acked);
        assert!(path.c.window() > 50.0, "{kind}: {}", path.c.window());
    }
}
