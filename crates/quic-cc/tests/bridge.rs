//! The bridge against each controller driven by hand, on a script of packets, acknowledgements and losses.

use std::time::{Duration, Instant};

use eddyline_quic_cc::cc::{
    Ack, AnyController, Controller, ControllerParams, EcnResponse, KINDS, Loss, Marks, PathFacts, Sent, Stamp, Timeout,
};
use eddyline_quic_cc::units::Time;
use eddyline_quic_cc::{Bridge, Config, LostPackets};

const MTU: u16 = 1200;

/// What the bridge tells a controller about a path by default.
const FACTS: PathFacts = PathFacts {
    mss: 1200,
    packet_bytes: 1228,
    ack_bytes: 63,
    ack_ratio: 2,
    initial_window: 10.0,
    known_base_rtt: None,
    byte_counting: Some(f64::INFINITY),
    paced: true,
};

/// A step of the script, at a time in milliseconds.
#[derive(Clone, Copy)]
enum Step {
    /// Sends packet `number`.
    Send(usize),
    /// An ACK frame covers packets `from..=to`; `ends` says that it ends the recovery in progress.
    Ack { from: usize, to: usize, ends: bool },
    /// The same, and its packets have congestion marks.
    MarkedAck { from: usize, to: usize },
    /// Packets `from..=to` are lost; `begins` says that a recovery begins.
    Lost { from: usize, to: usize, begins: bool },
    /// The same, after persistent congestion.
    Persistent { from: usize, to: usize },
}

use Step::{Ack as A, Lost as L, MarkedAck as M, Persistent as P, Send as S};

/// Rounds of ten packets, one a millisecond, acknowledged in pairs 40 ms and a growing queue later.
fn rounds(numbers: std::ops::Range<usize>, at: u64, ends_first: bool) -> Vec<(u64, Step)> {
    let mut steps = Vec::new();
    for (i, n) in numbers.clone().enumerate() {
        let sent = at + (i / 10) as u64 * 50 + (i % 10) as u64;
        steps.push((sent, S(n)));
        if i % 2 == 1 {
            steps.push((sent + 40 + (i / 20) as u64, A { from: n - 1, to: n, ends: ends_first && i == 1 }));
        }
    }
    steps.sort_by_key(|&(at, _)| at);
    steps
}

/// Slow start, a loss, a second loss of the same recovery, another recovery, persistent congestion. The sender is never idle for
/// longer than a probe timeout.
fn script() -> Vec<(u64, Step)> {
    let mut steps = rounds(0..200, 0, false);
    // twenty packets, of which the first two and later one more are lost
    steps.extend((0..20).map(|i| (1000 + i as u64, S(200 + i))));
    steps.push((1042, A { from: 202, to: 203, ends: false }));
    steps.push((1044, A { from: 204, to: 205, ends: false }));
    steps.push((1044, L { from: 200, to: 201, begins: true }));
    steps.push((1048, A { from: 206, to: 209, ends: false }));
    steps.push((1052, A { from: 211, to: 219, ends: false }));
    steps.push((1052, L { from: 210, to: 210, begins: false }));
    steps.extend(rounds(220..320, 1060, true));
    steps.extend((0..10).map(|i| (1550 + i as u64, S(320 + i))));
    steps.push((1595, A { from: 323, to: 329, ends: false }));
    steps.push((1595, L { from: 320, to: 322, begins: true }));
    steps.extend(rounds(330..350, 1610, true));
    steps.extend((0..12).map(|i| (1700 + 60 * i as u64, S(350 + i))));
    steps.push((2500, S(362)));
    steps.push((2540, A { from: 362, to: 362, ends: false }));
    steps.push((2540, P { from: 350, to: 361 }));
    steps.extend(rounds(363..400, 2550, true));
    steps.sort_by_key(|&(at, _)| at);
    steps
}

/// A controller driven by hand.
struct ByHand {
    controller: AnyController,
    sent: Vec<(Time, Stamp)>,
    gone: Vec<bool>,
    in_flight: f64,
    started: bool,
    lost: f64,
    recovery: Option<&'static str>,
    /// For controllers that count marks: the last acknowledgement, which had none.
    unmarked: Option<Marks>,
}

impl ByHand {
    fn new(controller: AnyController) -> Self {
        let (sent, gone) = (Vec::new(), Vec::new());
        Self { controller, sent, gone, in_flight: 0.0, started: false, lost: 0.0, recovery: None, unmarked: None }
    }

    fn step(&mut self, now: Time, step: Step) {
        // stacks report marks after the acknowledgement: that there are none shows with what comes next
        if let Some(marks) = self.unmarked.take() {
            self.controller.on_marks(&marks);
        }
        match step {
            S(number) => {
                assert_eq!(number, self.sent.len());
                self.in_flight += 1.0;
                let sent =
                    Sent { now, in_flight: self.in_flight, cwnd_limited: self.started, app_limited: !self.started };
                self.sent.push((now, self.controller.on_sent(&sent)));
                self.gone.push(false);
            }
            A { from, to, ends } => self.ack(now, from, to, ends),
            M { .. } => unreachable!("the script has no marks"),
            L { from, to, begins } => {
                let flight_size = self.outstanding();
                self.lose(from, to);
                if begins {
                    self.controller.on_loss(&Loss { now, flight_size });
                    self.recovery = Some("loss");
                }
            }
            P { from, to } => {
                let flight_size = self.outstanding();
                self.lose(from, to);
                self.controller.on_timeout(&Timeout { now, flight_size, repeated: false });
                self.recovery = Some("timeout");
            }
        }
    }

    fn ack(&mut self, now: Time, from: usize, to: usize, ends: bool) {
        let acked = (to - from + 1) as f64;
        self.in_flight -= acked;
        self.gone[from..=to].fill(true);
        let (sent_at, stamp) = self.sent[to];
        if ends {
            match self.recovery.take() {
                Some("loss") => self.controller.on_recovered(now),
                _ => self.controller.on_timeout_recovered(),
            }
        }
        let rtt = now.saturating_sub(sent_at);
        if !std::mem::replace(&mut self.started, true) {
            self.controller.on_handshake(now, rtt);
        }
        self.controller.on_ack(&Ack {
            now,
            sent_at,
            received_at: now,
            rtt: Some(rtt),
            acked,
            lost: std::mem::take(&mut self.lost),
            in_flight: self.in_flight,
            stamp,
            cwnd_limited: true,
            in_recovery: self.recovery == Some("loss"),
        });
        if self.controller.ecn_response() != EcnResponse::AsLoss {
            self.unmarked = Some(Marks { now, sent_at, acked, marked: 0.0 });
        }
    }

    fn lose(&mut self, from: usize, to: usize) {
        let count = (to - from + 1) as f64;
        self.in_flight -= count;
        self.lost += count;
        self.gone[from..=to].fill(true);
    }

    /// Packets from the oldest that is not acknowledged on, at most a window.
    fn outstanding(&self) -> f64 {
        let first = self.gone.iter().position(|&gone| !gone).unwrap_or(self.gone.len());
        ((self.sent.len() - first) as f64).min(self.controller.window())
    }
}

/// The same step for the bridge.
fn drive(bridge: &mut Bridge, sent: &mut Vec<Instant>, in_flight: &mut u64, now: Instant, step: Step) {
    let bytes = u64::from(MTU);
    match step {
        S(number) => {
            sent.push(now);
            *in_flight += bytes;
            bridge.on_packet_sent(now, bytes, Some(number as u64));
            bridge.on_datagram_sent();
        }
        A { from, to, .. } | M { from, to } => {
            for (number, &sent) in sent.iter().enumerate().take(to + 1).skip(from) {
                *in_flight -= bytes;
                bridge.on_packet_acked(sent, bytes, Some(number as u64));
            }
            bridge.on_acks_end(now, *in_flight, false);
            if matches!(step, M { .. }) {
                bridge.on_ecn(now, sent[to], None);
            }
        }
        L { from, to, .. } | P { from, to } => {
            let lost = (to - from + 1) as u64 * bytes;
            *in_flight -= lost;
            let persistent = matches!(step, P { .. });
            bridge.on_lost(&LostPackets { now, newest_sent: sent[to], bytes: lost, persistent });
        }
    }
}

fn compare(params: &ControllerParams, steps: &[(u64, Step)]) {
    let epoch = Instant::now();
    let mut by_hand = ByHand::new(params.build(&FACTS));
    let mut bridge = Bridge::new(&Config::new(params.clone()), epoch, MTU);
    let (mut sent, mut in_flight) = (Vec::new(), 0);
    for (i, &(at, step)) in steps.iter().enumerate() {
        by_hand.step(Time::from_ms(at), step);
        drive(&mut bridge, &mut sent, &mut in_flight, epoch + Duration::from_millis(at), step);
        let (hand, ours) = (&by_hand.controller, bridge.controller());
        assert_eq!(ours.window(), hand.window(), "{}: window after step {i}", params.name());
        assert_eq!(ours.pacing_interval(), hand.pacing_interval(), "{}: pacing after step {i}", params.name());
        let bytes = (hand.flight_limit(true).max(2.0) * f64::from(MTU)) as u64;
        assert_eq!(bridge.decisions().window, bytes, "{}: bytes after step {i}", params.name());
    }
}

#[test]
fn every_kind_has_the_window_that_it_has_by_hand() {
    for kind in KINDS {
        let params: ControllerParams = serde_json::from_str(kind.example).unwrap();
        let limit = params.build(&FACTS).window();
        assert!(limit >= 1.0);
        compare(&params, &script());
    }
}

#[test]
fn marks_reduce_once_a_round_trip() {
    let mut steps = rounds(0..100, 0, false);
    steps.extend((0..20).map(|i| (500 + i as u64, S(100 + i))));
    steps.push((542, M { from: 100, to: 101 }));
    steps.push((544, M { from: 102, to: 103 }));
    let mut windows = Vec::new();
    let epoch = Instant::now();
    let mut bridge = Bridge::new(&"newreno".parse::<Config>().unwrap(), epoch, MTU);
    let (mut sent, mut in_flight) = (Vec::new(), 0);
    for &(at, step) in &steps {
        drive(&mut bridge, &mut sent, &mut in_flight, epoch + Duration::from_millis(at), step);
        windows.push(bridge.controller().window());
    }
    let [.., before, first, second] = windows[..] else { unreachable!() };
    assert!(first < before, "{first} after {before}");
    assert_eq!(second, first, "one reduction a round trip");
}

#[test]
fn controllers_that_count_marks_get_those_of_each_acknowledgement() {
    for kind in KINDS {
        let params: ControllerParams = serde_json::from_str(kind.example).unwrap();
        if params.build(&FACTS).ecn_response() == EcnResponse::AsLoss {
            continue;
        }
        let run = |marked: bool| {
            let mut steps = rounds(0..400, 0, false);
            if marked {
                for (_, step) in steps.iter_mut().filter(|(at, _)| *at > 500) {
                    if let A { from, to, .. } = *step {
                        *step = M { from, to };
                    }
                }
            }
            let epoch = Instant::now();
            let mut bridge = Bridge::new(&Config::new(params.clone()), epoch, MTU);
            let (mut sent, mut in_flight) = (Vec::new(), 0);
            for &(at, step) in &steps {
                drive(&mut bridge, &mut sent, &mut in_flight, epoch + Duration::from_millis(at), step);
            }
            bridge.controller().window()
        };
        let (free, marked) = (run(false), run(true));
        assert!(marked < free / 4.0, "{}: {marked} packets with every packet marked, {free} without", kind.name);
    }
}

#[test]
fn reordered_packets_give_no_round_trip_sample() {
    let epoch = Instant::now();
    let at = |ms| epoch + Duration::from_millis(ms);
    let mut bridge = Bridge::new(&"fast(alpha = 20)".parse::<Config>().unwrap(), epoch, MTU);
    (0..4).for_each(|n| bridge.on_packet_sent(at(n), 1200, Some(n)));
    bridge.on_packet_acked(at(3), 1200, Some(3));
    bridge.on_acks_end(at(43), 3600, false);
    // packet 0 comes late: 100 ms after it was sent
    bridge.on_packet_acked(at(0), 1200, Some(0));
    bridge.on_acks_end(at(100), 2400, false);
    let interval = bridge.controller().pacing_interval().unwrap().as_secs_f64();
    assert!((interval * bridge.controller().window() - 0.040).abs() < 1e-9, "paced by the sample of packet 3");
}

#[test]
fn a_copy_goes_on_where_the_original_was() {
    let epoch = Instant::now();
    for kind in KINDS {
        let params: ControllerParams = serde_json::from_str(kind.example).unwrap();
        let mut bridge = Bridge::new(&Config::new(params), epoch, MTU);
        let (mut sent, mut in_flight) = (Vec::new(), 0);
        let steps = rounds(0..100, 0, false);
        for &(at, step) in &steps {
            drive(&mut bridge, &mut sent, &mut in_flight, epoch + Duration::from_millis(at), step);
        }
        assert_eq!(bridge.duplicate().decisions(), bridge.decisions(), "{}", kind.name);
    }
}

#[test]
fn an_idle_sender_starts_again_from_the_initial_window() {
    let epoch = Instant::now();
    let mut bridge = Bridge::new(&"newreno".parse::<Config>().unwrap(), epoch, MTU);
    let (mut sent, mut in_flight) = (Vec::new(), 0);
    for &(at, step) in &rounds(0..100, 0, false) {
        drive(&mut bridge, &mut sent, &mut in_flight, epoch + Duration::from_millis(at), step);
    }
    assert!(bridge.controller().window() > 50.0);
    drive(&mut bridge, &mut sent, &mut in_flight, epoch + Duration::from_millis(700), S(100));
    assert_eq!(bridge.controller().window(), 10.0);
}

/// Persistent congestion that turns out to be spurious reduces nothing, so a loss of what was sent before it does.
#[test]
fn a_loss_after_spurious_persistent_congestion_reduces_the_window() {
    let epoch = Instant::now();
    let mut bridge = Bridge::new(&"newreno".parse::<Config>().unwrap(), epoch, MTU);
    let (mut sent, mut in_flight) = (Vec::new(), 0);
    let mut step = |bridge: &mut Bridge, at: u64, step: Step| {
        drive(bridge, &mut sent, &mut in_flight, epoch + Duration::from_millis(at), step);
        bridge.controller().window()
    };
    for &(at, next) in &rounds(0..100, 0, false) {
        step(&mut bridge, at, next);
    }
    (0..40).for_each(|n| {
        step(&mut bridge, 500 + n as u64, S(100 + n));
    });
    let before = bridge.controller().window();
    assert!(step(&mut bridge, 900, P { from: 100, to: 109 }) < 3.0);
    bridge.on_spurious_loss();
    let undone = bridge.controller().window();
    assert!(undone > 20.0, "{undone} after {before}");
    let reduced = step(&mut bridge, 910, L { from: 110, to: 119, begins: true });
    assert!(reduced < 0.7 * undone, "{reduced} after {undone}");
}

/// What the pacer holds back makes a window grow only if it would have filled it (RFC 9002, 7.8), until the application has more.
#[test]
fn a_window_that_paced_data_do_not_fill_does_not_grow() {
    let epoch = Instant::now();
    let mut bridge = Bridge::new(&"newreno".parse::<Config>().unwrap(), epoch, MTU);
    let mut number = 0;
    let mut window = |bridge: &mut Bridge, app_limited: bool| {
        let sent = epoch + Duration::from_millis(50 * number);
        bridge.on_packet_sent(sent, MTU.into(), Some(number));
        bridge.on_packet_acked(sent, MTU.into(), Some(number));
        bridge.on_acks_end(sent + Duration::from_millis(40), 0, app_limited);
        number += 1;
        bridge.controller().window()
    };
    assert_eq!(window(&mut bridge, false), 11.0);
    bridge.on_paced(false);
    assert_eq!((window(&mut bridge, false), window(&mut bridge, false)), (11.0, 11.0));
    bridge.on_paced(true);
    assert_eq!(window(&mut bridge, false), 12.0);
    bridge.on_paced(false);
    assert_eq!((window(&mut bridge, true), window(&mut bridge, false)), (12.0, 13.0));
}
