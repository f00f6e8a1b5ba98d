//! The window law of the BPF programs, in integers, against that of `eddyline-cc`: the same windows within one packet.
#![cfg(target_os = "linux")]
#![allow(missing_docs, reason = "a test")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use eddyline_cc::{Ack, Controller, ControllerParams, Loss, PathFacts, Stamp, Timeout};
use eddyline_live::LawParams;
use eddyline_path::random::Stream;
use eddyline_units::Time;

/// What happens to a sender. Times in us.
#[derive(Debug, Clone, Copy)]
enum Event {
    Acked { rtt: u64, now: u64, received: u64, in_flight_when_sent: f64, acked: u64, limited: bool, recovery: bool },
    Lost(u64),
    Timeout(u64),
}

const INITIAL_WINDOW: f64 = 10.0;
const HANDSHAKE: u64 = 40_000;
/// The receiver's timestamps have whole milliseconds.
const TICK: u64 = 1_000;

/// The receiver's clock: an hour ahead, and faster by 80 ppm.
const fn receivers_clock(at: u64) -> u64 {
    (at + at / 12_500 + 3_600_000_000) / TICK * TICK
}

/// Both sides of the comparison.
struct Laws {
    params: LawParams,
    rust: eddyline_cc::AnyController,
}

fn laws(controller: &str) -> Laws {
    let parsed: ControllerParams = serde_json::from_str(controller).expect("valid");
    let facts = PathFacts {
        mss: 1_460,
        packet_bytes: 1_500,
        ack_bytes: 52,
        ack_ratio: 2,
        initial_window: INITIAL_WINDOW,
        ..PathFacts::default()
    };
    let params = match &parsed {
        ControllerParams::Fast(p) => LawParams::of_fast(p, &facts, us(TICK)),
        ControllerParams::Vfast(p) => LawParams::of_vfast(p, &facts, us(TICK)),
        _ => panic!("no such law"),
    };
    let mut rust = parsed.build(&facts);
    rust.on_handshake(Time::ZERO, us(HANDSHAKE));
    Laws { params: params.expect("supported"), rust }
}

fn us(n: u64) -> Time {
    Time::from_ps(n * 1_000_000)
}

/// One event in Rust; returns the window.
fn step(rust: &mut eddyline_cc::AnyController, event: Event) -> f64 {
    match event {
        Event::Acked { rtt, now, received, in_flight_when_sent, acked, limited, recovery } => rust.on_ack(&Ack {
            now: us(now),
            sent_at: us(now - rtt),
            received_at: us(received),
            rtt: Some(us(rtt)),
            acked: acked as f64,
            lost: 0.0,
            in_flight: in_flight_when_sent,
            stamp: Stamp { remembered: in_flight_when_sent as f32 },
            cwnd_limited: limited,
            in_recovery: recovery,
        }),
        Event::Lost(now) => rust.on_loss(&Loss { now: us(now), flight_size: rust.window() }),
        Event::Timeout(now) => {
            rust.on_timeout(&Timeout { now: us(now), flight_size: rust.window(), repeated: false });
        }
    }
    rust.window()
}

/// The driver of the law in C, compiled once; the compiler is the one that Rust links with.
fn driver() -> &'static Path {
    static COMPILED: OnceLock<PathBuf> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/window_law/driver.c");
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("window_law");
        let compiled = Command::new("cc").args(["-O2", "-Wall", "-Werror", "-o"]).arg(&program).arg(&source).status();
        assert!(compiled.expect("a C compiler").success());
        program
    })
}

/// All windows in C, in packets.
fn windows_in_c(params: &LawParams, events: &[Event]) -> Vec<f64> {
    let mut text = params.numbers().map(|n| n.to_string()).join(" ");
    write!(text, " {} h {HANDSHAKE}", (INITIAL_WINDOW * 1024.0) as u64).expect("text");
    for event in events {
        let line = match event {
            Event::Acked { rtt, now, received, in_flight_when_sent, acked, limited, recovery } => {
                let in_flight = (in_flight_when_sent * 1024.0).round() as u64;
                let (limited, recovery) = (u8::from(*limited), u8::from(*recovery));
                format!(" a {rtt} {now} {} {received} {in_flight} {acked} {limited} {recovery}", now - rtt)
            }
            Event::Lost(now) => format!(" l {now}"),
            Event::Timeout(now) => format!(" t {now}"),
        };
        text.push_str(&line);
    }
    let mut child = Command::new(driver()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("driver");
    let mut input = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).expect("written"));
    let output = child.wait_with_output().expect("driver");
    writer.join().expect("written");
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).expect("digits");
    lines.lines().skip(1).map(|l| l.parse::<f64>().expect("a number") / 1024.0).collect()
}

fn compare(params: &LawParams, events: &[Event], rust: &[f64]) {
    let c = windows_in_c(params, events);
    assert_eq!(c.len(), rust.len());
    for (i, (ours, theirs)) in rust.iter().zip(&c).enumerate() {
        assert!((ours - theirs).abs() < 1.0, "event {i} ({:?}): Rust {ours}, C {theirs}, {params:?}", events[i]);
    }
}

const CONTROLLERS: [&str; 9] = [
    r#"{ "kind": "fast", "alpha": "50 packets" }"#,
    r#"{ "kind": "fast", "alpha": "200 packets", "gamma": 0.25, "update_period": "20 ms" }"#,
    r#"{ "kind": "fast", "alpha": "7.5 packets", "filter_cap": 0.01, "min_window": "3 packets", "loss_factor": 0.875 }"#,
    r#"{ "kind": "vfast", "alpha": "30 packets" }"#,
    r#"{ "kind": "fast", "alpha": "50 packets", "drain": { "every": "2 s", "rounds": 2, "window": "4 packets" } }"#,
    r#"{ "kind": "fast", "alpha": "50 packets", "delay": "forward" }"#,
    r#"{ "kind": "fast", "alpha": "30 packets", "delay": "weighted", "drain": { "every": "3 s" } }"#,
    r#"{ "kind": "fast", "alpha": "30 packets", "delay": "weighted", "drain": false }"#,
    r#"{ "kind": "vfast", "alpha": "30 packets", "delay": "forward" }"#,
];

/// A sender of window `w` over a link of 10 Mbit/s and 40 ms with 80 waiting packets of others for some of the time, whose
/// acknowledgements wait for up to 60 ms: those that it gets are recorded and given to both.
#[test]
fn recorded_acknowledgements_give_the_same_windows() {
    for controller in CONTROLLERS {
        let Laws { params, mut rust } = laws(controller);
        let (mut events, mut windows, mut now) = (Vec::new(), Vec::new(), HANDSHAKE);
        for packet in 0..20_000u64 {
            let others = if (packet / 4_000) % 2 == 1 { 80.0 } else { 0.0 };
            let window = rust.window();
            let reverse_queueing = packet / 10 % 6 * 10_000 * (packet / 3_000 % 2);
            let queued = (window + others - 33.3 - reverse_queueing as f64 / 1_200.0).max(0.0);
            let forward = HANDSHAKE / 2 + (queued * 1_200.0) as u64 + packet % 7 * 11;
            let rtt = forward + HANDSHAKE / 2 + reverse_queueing;
            now += (rtt as f64 / window) as u64 + 1;
            let received = receivers_clock(now + forward);
            let event = Event::Acked {
                rtt,
                now: now + rtt,
                received,
                in_flight_when_sent: window,
                acked: 1,
                limited: true,
                recovery: false,
            };
            events.push(event);
            windows.push(step(&mut rust, event));
        }
        let settled = windows[windows.len() - 1];
        assert!(settled > 20.0 && settled < 500.0, "{controller}: {settled}");
        compare(&params, &events, &windows);
    }
}

/// Sequences of some seconds, and of an hour, in which old windows of the clock drift's estimate expire.
#[test]
fn random_sequences_give_the_same_windows() {
    for (number, controller) in CONTROLLERS.iter().cycle().take(6 * CONTROLLERS.len()).enumerate() {
        let Laws { params, mut rust } = laws(controller);
        let mut random = Stream::new(number as u64, controller, "acknowledgements");
        let (mut events, mut windows, mut now) = (Vec::new(), Vec::new(), 10 * HANDSHAKE);
        let spacing = if number % 2 == 0 { 5_000 } else { 2_500_000 };
        for _ in 0..3_000 {
            now += random.below(spacing);
            let (window, forward) = (rust.window(), 10_000 + random.below(90_000));
            let rtt = forward + 10_000 + random.below(60_000);
            let event = match random.below(400) {
                0 => Event::Lost(now),
                1 => Event::Timeout(now),
                _ => Event::Acked {
                    rtt,
                    now,
                    received: receivers_clock(now - rtt + forward),
                    // the kernel knows whole packets, or the window
                    in_flight_when_sent: if random.below(2) == 0 {
                        random.below(window as u64 + 1) as f64
                    } else {
                        window
                    },
                    acked: 1 + random.below(4),
                    limited: random.below(10) > 0,
                    recovery: random.below(20) == 0,
                },
            };
            events.push(event);
            windows.push(step(&mut rust, event));
        }
        compare(&params, &events, &windows);
    }
}
