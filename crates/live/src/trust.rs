//! Whether a run can be trusted.

use std::time::Duration;

use eddyline_scenario::Network;
use eddyline_scenario::result::{Emulation, LatenessResult, PathCheck};

use crate::emulator::{LaneReport, Lateness};
use crate::path_check;

/// Lateness of one packet in a hundred must stay below this, in seconds.
const MAX_LATE_P99: f64 = 5e-3;
/// Half of the packets must be on time within this share of the shortest round trip.
const MAX_SHARE_OF_RTT: f64 = 0.02;
/// But nothing is asked that no general-purpose kernel does, in seconds.
const LEAST_LATE_P50: f64 = 300e-6;
/// No packet may be later than this, in seconds: a stall of the whole machine.
const MAX_LATE: f64 = 0.2;

/// A thread of the emulator may get no processor for this share of the time: as much may be missing of the rate.
const MAX_STALLED: f64 = 0.003;

/// A measured base round-trip time may be above the expected one by this share, or by this time in seconds if that is more.
const MAX_BASE_EXCESS: (f64, f64) = (0.02, 1e-3);
/// The kernel's clock has microseconds: a base round-trip time may be below the expected one by this, in seconds.
pub const CLOCK_TICK: f64 = 2e-6;
/// As [`CLOCK_TICK`], of flows whose timestamps have milliseconds: where only retransmissions are acknowledged, they give the round-trip
/// time, rounded down.
pub const TIMESTAMP_TICK: f64 = 1e-3;

/// The application of an endless flow may be late with data in this share of samples ...
const MAX_STARVED: f64 = 0.01;
/// ... and while the slowest link is idle in this share: as much is missing of the rate.
const MAX_IDLE: f64 = 0.002;

/// Shares of the samples in which a sender had room in its window and its buffer, and nothing to send, though its application has no
/// end of data.
#[derive(Debug, Clone, PartialEq)]
pub struct Starved {
    /// The flow.
    pub flow: String,
    /// All of them.
    pub late: f64,
    /// Those in which the slowest link of its data was idle.
    pub idle: f64,
}

impl Starved {
    /// What is wrong with it.
    fn fault(&self) -> Option<String> {
        let Self { flow, late, idle } = self;
        let [late, idle] = [late, idle].map(|share| share * 100.0);
        if self.late > MAX_STARVED {
            Some(format!(
                "the application of flow {flow} was late with data for {late:.1} % of the time: a busy machine"
            ))
        } else if self.idle > MAX_IDLE {
            Some(format!(
                "the link of flow {flow} was idle for {idle:.2} % of the time because its application was late with data"
            ))
        } else {
            None
        }
    }
}

/// A flow's minimum round-trip time, as the kernel measured it, and as the scenario has it.
#[derive(Debug, Clone, PartialEq)]
pub struct BaseRtt {
    /// The flow.
    pub flow: String,
    /// Measured, in seconds.
    pub measured: f64,
    /// Propagation and transmission of the handshake, in seconds.
    pub expected: f64,
    /// How far below the measured one may be because of the clock, in seconds.
    pub tick: f64,
    /// The handshake met no other packets and was not lost.
    pub alone: bool,
}

impl BaseRtt {
    /// What is wrong with it.
    fn fault(&self) -> Option<String> {
        let excess = (self.expected * MAX_BASE_EXCESS.0).max(MAX_BASE_EXCESS.1);
        let wrong = self.measured < self.expected - self.tick || self.alone && self.measured > self.expected + excess;
        wrong.then(|| {
            let [measured, expected] = [self.measured, self.expected].map(|s| s * 1e3);
            format!("flow {} had a base round-trip time of {measured:.3} ms in place of {expected:.3} ms", self.flow)
        })
    }
}

/// What the emulator did wrong.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    /// How often flows had nothing to send, though they should have.
    pub starved: Vec<Starved>,
    /// What a link had before the run.
    pub check: Option<PathCheck>,
    /// Base round-trip times, where the scenario has one.
    pub base_rtts: Vec<BaseRtt>,
    /// Lateness of deliveries.
    pub lateness: Lateness,
    /// For how long a thread got no processor, since the warm-up: the longest of all threads.
    pub stalled: Duration,
    /// Packets that devices dropped.
    pub device_drops: u64,
    /// Packets that hosts did not take.
    pub refused: u64,
    /// Datagrams that sockets had no room for.
    pub socket_drops: u64,
    /// How late the ends of QUIC connections were, by flow.
    pub endpoints: Vec<(String, Lateness)>,
    /// Threads had real-time priority.
    pub real_time: bool,
    /// Failures of flows.
    pub failures: Vec<String>,
}

impl Faults {
    /// Adds those of a thread of the emulator.
    pub fn add(&mut self, report: &LaneReport) {
        self.lateness.merge(&report.lateness);
        self.refused += report.packets.refused;
        self.stalled = self.stalled.max(report.stalled);
    }
}

/// The verdict.
#[must_use]
pub fn judge(network: &Network, faults: &Faults) -> Emulation {
    let (p50, p99) = (faults.lateness.quantile(0.5), faults.lateness.quantile(0.99));
    let max = faults.lateness.max_s();
    let shortest = network.flows.iter().map(|f| network.propagation_rtt(f).as_secs_f64()).fold(f64::INFINITY, f64::min);
    let mut because = faults.failures.clone();
    let ms = |s: f64| s * 1e3;
    if let Some(late) = p99.filter(|late| *late > MAX_LATE_P99) {
        because.push(format!("one packet in a hundred was {:.1} ms late or more", ms(late)));
    }
    if let Some(late) = p50.filter(|late| *late > LEAST_LATE_P50.max(MAX_SHARE_OF_RTT * shortest)) {
        because.push(format!("half of the packets were {:.2} ms late or more", ms(late)));
    }
    if let Some(late) = max.filter(|late| *late > MAX_LATE) {
        because.push(format!("a packet was {:.0} ms late: the machine stalled", ms(late)));
    }
    let measured = network.duration.saturating_sub(network.warmup).as_secs_f64();
    let stalled = faults.stalled.as_secs_f64() / measured;
    if stalled > MAX_STALLED {
        because.push(format!(
            "the emulator got no processor for {:.1} % of the time: other work, or the limit of real-time priority",
            stalled * 100.0
        ));
    }
    because.extend(faults.starved.iter().filter_map(Starved::fault));
    because.extend(faults.check.iter().flat_map(path_check::faults));
    because.extend(faults.base_rtts.iter().filter_map(BaseRtt::fault));
    if faults.device_drops > 0 {
        because.push(format!("network devices dropped {} packets outside the modelled queues", faults.device_drops));
    }
    if faults.refused > 0 {
        because.push(format!("hosts did not take {} packets", faults.refused));
    }
    if faults.socket_drops > 0 {
        because.push(format!("sockets had no room for {} datagrams", faults.socket_drops));
    }
    for (flow, lateness) in &faults.endpoints {
        if let Some(late) = lateness.quantile(0.99).filter(|late| *late > MAX_LATE_P99) {
            let late = ms(late);
            because.push(format!(
                "the QUIC endpoints of flow {flow} were {late:.1} ms late or more, one time in a hundred"
            ));
        }
    }
    Emulation {
        trusted: because.is_empty(),
        because,
        lateness_s: LatenessResult { p50, p99, max },
        device_drops: faults.device_drops,
        real_time_priority: faults.real_time,
        check: faults.check,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eddyline_units::Time;

    fn network() -> Network {
        let text = r#"{ "duration": "1 s", "link": [
            { "name": "f", "rate": "10 Mbit/s", "delay": "20 ms" }, { "name": "b", "rate": "10 Mbit/s", "delay": "20 ms" }],
            "flow": [{ "name": "x", "controller": { "kind": "reno" }, "data": ["f"], "ack": ["b"] }] }"#;
        let input = eddyline_scenario::Input { text, format: eddyline_scenario::Format::Json, name: "t", folder: None };
        eddyline_scenario::load(&input, &[]).expect("valid").network
    }

    #[test]
    fn punctual_runs_are_trusted_and_others_say_why() {
        let mut faults = Faults::default();
        (0..1_000).for_each(|_| faults.lateness.add(Time::from_ps(50_000_000)));
        assert!(judge(&network(), &faults).trusted);
        (0..50).for_each(|_| faults.lateness.add(Time::from_ms(9)));
        let verdict = judge(&network(), &faults);
        assert!(!verdict.trusted);
        assert_eq!(verdict.because.len(), 1, "{:?}", verdict.because);
    }

    #[test]
    fn a_wrong_delay_is_noticed() {
        let base =
            |measured, alone| BaseRtt { flow: "x".to_owned(), measured, expected: 0.040_064, tick: CLOCK_TICK, alone };
        assert_eq!(base(0.040_064, true).fault(), None);
        assert_eq!(base(0.040_5, true).fault(), None, "some lateness");
        assert!(base(0.042, true).fault().is_some());
        assert_eq!(base(0.142, false).fault(), None, "others filled the queue");
        assert!(base(0.039_9, false).fault().is_some(), "faster than the path");
        assert!(base(0.040, true).fault().is_some());
        let rounded_down = BaseRtt { tick: TIMESTAMP_TICK, ..base(0.040, true) };
        assert_eq!(rounded_down.fault(), None, "a timestamp has milliseconds");
        let faults = Faults { base_rtts: vec![base(0.020, true)], ..Faults::default() };
        assert!(!judge(&network(), &faults).trusted);
    }

    #[test]
    fn a_starved_sender_is_noticed() {
        let starved = |late, idle| {
            let starved = vec![Starved { flow: "x".to_owned(), late, idle }];
            judge(&network(), &Faults { starved, ..Faults::default() }).trusted
        };
        assert!(starved(0.005, 0.0));
        assert!(!starved(0.05, 0.0));
        assert!(starved(0.005, 0.001));
        assert!(!starved(0.005, 0.004), "the rate is that much too low");
    }

    #[test]
    fn a_stalled_emulator_is_noticed() {
        let trusted =
            |ms| judge(&network(), &Faults { stalled: Duration::from_millis(ms), ..Faults::default() }).trusted;
        assert!(trusted(0));
        assert!(!trusted(50), "of a second");
    }

    #[test]
    fn a_wrong_link_is_noticed_before_the_run() {
        let check = PathCheck {
            rate_bps: Some(9e6),
            asked_rate_bps: 1e7,
            delay_s: Some(0.0213),
            asked_delay_s: 0.0212,
            queue_packets: None,
            asked_queue_packets: 80.0,
        };
        let judged = |check| judge(&network(), &Faults { check: Some(check), ..Faults::default() }).trusted;
        assert!(!judged(check));
        assert!(judged(PathCheck { rate_bps: Some(9.99e6), ..check }));
    }

    #[test]
    fn a_late_endpoint_is_noticed() {
        let trusted = |late| {
            let mut lateness = Lateness::default();
            (0..100).for_each(|_| lateness.add(Time::from_ms(late)));
            judge(&network(), &Faults { endpoints: vec![("x".to_owned(), lateness)], ..Faults::default() }).trusted
        };
        assert!(trusted(1));
        assert!(!trusted(9));
        assert!(!judge(&network(), &Faults { socket_drops: 1, ..Faults::default() }).trusted);
    }

    #[test]
    fn one_drop_outside_the_model_is_enough() {
        let faults = Faults { device_drops: 1, ..Faults::default() };
        assert!(!judge(&network(), &faults).trusted);
    }
}
