//! Every controller over three scripted paths, its window against a table: what changes a law by accident changes a row.
//!
//! `trajectories.txt` has, for each and every path, the window in packets at ten times, and a digest of everything that the sender sees of
//! it after each acknowledgement. The tests beside this one say what is right; this one says what has changed. `EDDYLINE_BLESS=1` writes
//! the table anew, only for intended changes.

use std::collections::VecDeque;
use std::fmt::Write as _;

use eddyline_cc::{
    Ack, AnyController, Controller as _, ControllerParams, KINDS, Loss, Marks, PathFacts, Sent, Stamp, Timeout,
};
use eddyline_units::Time;

use crate::bench::ms;

/// Profiles and options that change a law, beside every kind with its required parameters only.
const VARIANTS: [&str; 50] = [
    r#""kind": "fast", "alpha": "20 packets", "profile": "ns2-1.1.3""#,
    r#""kind": "fast", "alpha": "20 packets", "base_rtt": "known""#,
    r#""kind": "fast", "alpha": "20 packets", "delay": "forward""#,
    r#""kind": "fast", "alpha": "20 packets", "delay": "forward", "profile": "ns2-1.1.3""#,
    r#""kind": "fast", "alpha": "5 packets", "drain": true"#,
    r#""kind": "vfast", "alpha": "20 packets", "base_rtt": "known""#,
    r#""kind": "newreno", "slow_start": "hystart++""#,
    r#""kind": "cubic", "slow_start": "hystart++""#,
    r#""kind": "cubic", "profile": "2008""#,
    r#""kind": "cubic", "profile": "linux""#,
    r#""kind": "vegas", "base_rtt": "known""#,
    r#""kind": "westwood", "tick": "10 ms""#,
    r#""kind": "scalable", "at_least_reno": true"#,
    r#""kind": "illinois", "leaves_beta": true"#,
    r#""kind": "ledbat", "profile": "ledbat++""#,
    r#""kind": "ledbat", "target": "20 ms""#,
    r#""kind": "copa", "competitive": false"#,
    r#""kind": "copa", "base_rtt": "known""#,
    r#""kind": "copa", "delta": 0.1"#,
    r#""kind": "bic", "max_increment": 8.0"#,
    r#""kind": "htcp", "bandwidth_switch": false"#,
    r#""kind": "htcp", "rtt_scaling": false"#,
    r#""kind": "hybla", "base_rtt": "known""#,
    r#""kind": "compound", "base_rtt": "known""#,
    r#""kind": "yeah", "base_rtt": "known""#,
    r#""kind": "veno", "base_rtt": "known""#,
    r#""kind": "prague", "virtual_rtt": "400 ms""#,
    r#""kind": "bbr3", "loss_thresh": 0.05"#,
    r#""kind": "vfast", "alpha": "20 packets", "profile": "ns2-1.1.3""#,
    r#""kind": "highspeed", "low_window": 20.0"#,
    r#""kind": "dctcp", "gain": 0.25"#,
    r#""kind": "fast", "alpha": "20 packets", "delay": "weighted", "ack_alpha": "2 packets""#,
    r#""kind": "fast", "alpha": "20 packets", "delay": "forward", "drain": true, "base_rtt_age": "3 s""#,
    r#""kind": "fast", "alpha": "20 packets", "rate_correction": { "after": 10 }"#,
    r#""kind": "fast", "alpha": "20 packets", "update_period": "35 ms", "mi_threshold": "5 ms", "loss_factor": 0.8"#,
    r#""kind": "vfast", "alpha": "20 packets", "rto": "eq6_total", "mean_rtt": "average", "deviation_from": "new""#,
    r#""kind": "vfast", "alpha": "20 packets", "smoothing": "update", "mean_rtt": "srtt_of_average""#,
    r#""kind": "vfast", "alpha": "20 packets", "delay": "forward""#,
    r#""kind": "vfast", "alpha": "20 packets", "delay": "forward", "mean_rtt": "average""#,
    r#""kind": "reno", "whole_packets": true"#,
    r#""kind": "tahoe", "whole_packets": true"#,
    r#""kind": "cubic", "fast_convergence": false, "c": 2.0, "beta": 0.8"#,
    r#""kind": "westwood", "at_least_half": true"#,
    r#""kind": "highspeed", "low_window": 8.0, "high_decrease": 0.3"#,
    r#""kind": "illinois", "theta": 1, "win_thresh": 4.0"#,
    r#""kind": "hybla", "rtt0": "10 ms""#,
    r#""kind": "yeah", "alpha": "10 packets", "rho": 2, "zeta": 3"#,
    r#""kind": "bic", "low_window": 2.0, "fast_convergence": false, "ack_ratio": 2.0"#,
    r#""kind": "bbr", "min_rtt_window": "3 s", "first_phase": 5"#,
    r#""kind": "bbr3", "min_rtt_window": "3 s", "headroom": 0.4"#,
];

/// A packet on its way back, and how many before it were lost.
#[derive(Clone, Copy)]
struct Flying {
    sent_at: Time,
    received_at: Time,
    acked_at: Time,
    stamp: Stamp,
    lost_before: u32,
    marked: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Script {
    /// Drop-tail losses and marks.
    Plain,
    /// Jitter, acknowledgements that wait and come for two packets, random losses, no marks in the beginning.
    Varied,
    /// As plain, without SACK: duplicate acknowledgements until the loss is repaired; a spurious timeout.
    WithoutSack,
}

/// One sender over a bottleneck that serves a packet in `service`, with a drop-tail queue.
struct Path {
    c: AnyController,
    now: Time,
    free_at: Time,
    service: Time,
    next_send: Time,
    flying: VecDeque<Flying>,
    sent: u64,
    /// Lost since the last packet that got through.
    lost: u32,
    /// Lost and still thought to be in flight.
    missing: u32,
    recovering_until: Option<u64>,
    acknowledged: u64,
    digest: u64,
    /// State of the random numbers of the varied path.
    random: Option<u64>,
    marks: bool,
    script: Script,
    /// Without SACK: when the acknowledgement of the repaired loss arrives, and what it covers.
    repair: Option<(Time, u32)>,
}

const ONE_WAY: u64 = 20;
const QUEUE: u64 = 30;

impl Path {
    fn new(text: &str, script: Script) -> Option<Self> {
        let facts = PathFacts {
            mss: 1448,
            packet_bytes: 1500,
            ack_bytes: 52,
            ack_ratio: 1,
            initial_window: 10.0,
            known_base_rtt: Some(ms(2.0 * ONE_WAY as f64 + 2.0)),
            ..PathFacts::default()
        };
        let mut c = serde_json::from_str::<ControllerParams>(text).ok()?.build(&facts);
        let now = ms(2.0 * ONE_WAY as f64);
        c.on_handshake(now, now);
        Some(Self {
            c,
            now,
            free_at: now,
            service: ms(2.0),
            next_send: now,
            flying: VecDeque::new(),
            sent: 0,
            lost: 0,
            missing: 0,
            recovering_until: None,
            acknowledged: 0,
            digest: 0xcbf2_9ce4_8422_2325,
            random: (script == Script::Varied).then_some(0x9e37_79b9_7f4a_7c15),
            marks: script != Script::Varied,
            script,
            repair: None,
        })
    }

    /// A random number below `limit`; 0 except on the varied path.
    fn draw(&mut self, limit: u64) -> u64 {
        let Some(x) = &mut self.random else { return 0 };
        *x ^= *x << 13;
        *x ^= *x >> 7;
        *x ^= *x << 17;
        (*x >> 20) % limit
    }

    fn in_flight(&self) -> f64 {
        self.flying.len() as f64 + f64::from(self.missing)
    }

    /// Sends what window and pacing allow; returns when pacing allows the next packet, if only that is missing.
    fn send(&mut self, limited: bool) -> Option<Time> {
        let limit = self.c.window().min(400.0);
        while self.in_flight() + 1.0 <= limit.max(1.0) {
            if self.next_send > self.now {
                return Some(self.next_send);
            }
            if !limited && self.in_flight() >= 5.0 {
                return None;
            }
            let in_flight = self.in_flight() + 1.0;
            let stamp =
                self.c.on_sent(&Sent { now: self.now, in_flight, cwnd_limited: limited, app_limited: !limited });
            self.next_send = self.c.pacing_interval().map_or(self.now, |gap| self.now + gap);
            self.sent += 1;
            let arrives = self.now + ms(ONE_WAY as f64 / 2.0);
            let waiting = self.free_at.saturating_sub(arrives).as_ps() / self.service.as_ps();
            if waiting >= QUEUE || self.sent.is_multiple_of(1_777) || self.draw(400) == 399 {
                self.lost += 1;
                self.missing += 1;
                continue;
            }
            self.free_at = self.free_at.max(arrives) + self.service;
            let received_at = self.free_at + ms(ONE_WAY as f64 / 2.0 + self.draw(4_000) as f64 / 1e3);
            let mut acked_at = received_at + ms(ONE_WAY as f64);
            if self.random.is_some() {
                // a queue of acknowledgements that grows for 3 s and is empty again
                acked_at += ms(received_at.as_secs_f64() % 3.0 * 4.0);
                acked_at = acked_at.max(self.flying.back().map_or(Time::ZERO, |previous| previous.acked_at));
            }
            self.flying.push_back(Flying {
                sent_at: self.now,
                received_at,
                acked_at,
                stamp,
                lost_before: std::mem::take(&mut self.lost),
                marked: self.marks && waiting >= QUEUE / 2,
            });
        }
        None
    }

    /// Without SACK: an acknowledgement before the repaired loss is a duplicate; the first after it covers all.
    fn acknowledge_without_sack(&mut self, packet: &Flying, limited: bool) {
        let (repaired_at, held) = self.repair.unwrap_or((self.now + ms(2.0 * ONE_WAY as f64), 0));
        let repaired = self.repair.is_some() && self.now >= repaired_at;
        if repaired || (self.repair.is_none() && packet.lost_before == 0) {
            self.repair = None;
            return self.acknowledge(packet, 1 + held, limited);
        }
        if held == 2 {
            self.c.on_loss(&Loss { now: self.now, flight_size: self.in_flight() });
            self.recovering_until = Some(self.sent);
        }
        self.missing -= packet.lost_before;
        // what is sent again takes its time
        self.free_at += self.service * u64::from(packet.lost_before);
        self.repair = Some((repaired_at, held + 1 + packet.lost_before));
        self.c.on_duplicate(&Ack {
            now: self.now,
            sent_at: packet.sent_at,
            received_at: packet.received_at,
            rtt: None,
            acked: 1.0,
            lost: 0.0,
            in_flight: self.in_flight(),
            stamp: Stamp::default(),
            cwnd_limited: limited,
            in_recovery: self.recovering_until.is_some(),
        });
        self.note();
    }

    fn acknowledge(&mut self, packet: &Flying, acked: u32, limited: bool) {
        self.acknowledged += u64::from(acked + packet.lost_before);
        self.missing -= packet.lost_before;
        if self.recovering_until.is_some_and(|until| self.acknowledged >= until) {
            self.recovering_until = None;
            self.c.on_recovered(self.now);
        }
        if packet.lost_before > 0 && self.recovering_until.is_none() {
            self.c.on_loss(&Loss { now: self.now, flight_size: self.in_flight() + 1.0 });
            self.recovering_until = Some(self.sent);
        }
        let acked = f64::from(acked);
        let (sent_at, marked) = (packet.sent_at, f64::from(u8::from(packet.marked)));
        self.c.on_marks(&Marks { now: self.now, sent_at, acked, marked });
        self.c.on_ack(&Ack {
            now: self.now,
            sent_at,
            received_at: packet.received_at,
            // Karn: not every acknowledgement is a sample
            rtt: (packet.lost_before == 0).then(|| self.now - sent_at),
            acked,
            lost: f64::from(packet.lost_before),
            in_flight: self.in_flight(),
            stamp: packet.stamp,
            cwnd_limited: limited,
            in_recovery: self.recovering_until.is_some(),
        });
        self.note();
    }

    /// What the sender sees of its controller, in fixed point, so that the table does not depend on the last bits.
    fn note(&mut self) {
        let time = |t: Option<Time>| t.map_or(u64::MAX, |t| t.as_ps() / 1_000);
        let seen = [
            (self.c.window() * 1e4) as u64,
            (self.c.slow_start_threshold().unwrap_or(0.0) * 1e4) as u64,
            time(self.c.pacing_interval()),
            time(self.c.base_rtt()),
            time(self.c.retransmission_timeout(ms(200.0))),
            u64::from(self.c.ack_ratio().unwrap_or(0)),
        ];
        for value in seen {
            self.digest = (self.digest ^ value).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Runs to `end`; without `limited` the application has only five packets at a time.
    fn run(&mut self, end: Time, limited: bool) {
        while self.now < end {
            let paced = self.send(limited);
            // on the varied path an acknowledgement waits for the next packet, for 30 ms at most
            let both = |second: &Flying| self.random.is_some() && second.lost_before == 0;
            let waits =
                |first: &Flying| self.flying.get(1).filter(|s| both(s) && s.acked_at <= first.acked_at + ms(30.0));
            let acked = self.flying.front().map(|p| waits(p).map_or(p.acked_at, |second| second.acked_at));
            let pair = self.flying.front().and_then(waits).is_some();
            let Some(next) = [paced, acked].into_iter().flatten().min() else {
                // everything in flight is lost
                self.time_out();
                continue;
            };
            if next > end {
                break;
            }
            self.now = self.now.max(next);
            if acked.is_some_and(|at| at <= self.now)
                && let Some(mut packet) = self.flying.pop_front()
            {
                if pair && let Some(second) = self.flying.pop_front() {
                    packet =
                        Flying { lost_before: packet.lost_before, marked: packet.marked | second.marked, ..second };
                }
                if self.script == Script::WithoutSack {
                    self.acknowledge_without_sack(&packet, limited);
                } else {
                    self.acknowledge(&packet, 1 + u32::from(pair), limited);
                }
            }
        }
        self.now = end;
    }

    fn time_out(&mut self) {
        self.now += ms(300.0);
        self.c.on_timeout(&Timeout { now: self.now, flight_size: self.in_flight(), repeated: false });
        self.flying.clear();
        self.repair = None;
        (self.lost, self.missing, self.recovering_until) = (0, 0, None);
        self.acknowledged = self.sent;
        self.note();
    }
}

/// Its windows at ten times, and the digest: slow start and two capacities, an application that pauses, a timeout, a longer path.
fn row(text: &str, script: Script) -> Option<String> {
    let mut path = Path::new(text, script)?;
    let mut windows = Vec::new();
    for step in 0..10u32 {
        path.service = ms(if (4..7).contains(&step) { 0.7 } else { 2.0 });
        path.marks |= step == 2;
        if step == 3 {
            path.c.on_idle(10.0);
        }
        if step == 7 {
            path.time_out();
            path.run(path.now + ms(400.0), true);
            if script == Script::WithoutSack {
                path.c.on_spurious_timeout(path.in_flight() + 1.0);
            }
            path.c.on_timeout_recovered();
        }
        if step == 8 {
            path.c.on_ecn(&Loss { now: path.now, flight_size: path.in_flight() });
        }
        path.run(path.now + ms(2_500.0), step != 3);
        windows.push(format!("{:7.2}", path.c.window()));
    }
    Some(format!("{} {:016x}", windows.join(" "), path.digest))
}

#[test]
fn windows_over_a_scripted_path() {
    let mut table = String::new();
    let usual = KINDS.iter().map(|kind| kind.example.trim_matches(['{', '}', ' ']).to_owned());
    for text in usual.chain(VARIANTS.map(str::to_owned)) {
        let _ = writeln!(table, "{}", text.replace(['"'], ""));
        for script in [Script::Plain, Script::Varied, Script::WithoutSack] {
            let row = row(&format!("{{ {text} }}"), script).unwrap_or_else(|| panic!("{text} is no controller"));
            let _ = writeln!(table, "  {row}");
        }
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/trajectories.txt");
    if std::env::var_os("EDDYLINE_BLESS").is_some() {
        std::fs::write(file, &table).unwrap();
    }
    let known = std::fs::read_to_string(file).unwrap();
    for (line, expected) in table.lines().zip(known.lines()) {
        assert_eq!(line, expected, "a law has changed; see the first lines of this test");
    }
    assert_eq!(table.lines().count(), known.lines().count());
}
