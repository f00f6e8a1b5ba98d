//! Counters of latency probes.

use eddyline_scenario::result::{ProbeResult, ProbeTimes};
use eddyline_units::Time;

/// Share of the values that a trimmed mean keeps (draft-ietf-ippm-responsiveness, section 5.3.1: 95 %).
pub const TRIM: f64 = 0.95;

/// Round trips a minute of `seconds` each.
pub fn per_minute(seconds: f64) -> Option<f64> {
    (seconds > 0.0).then(|| 60.0 / seconds)
}

/// Counters of one table. Times are kept one by one, so that means are exact: at most 300 of them a second.
#[derive(Debug, Default)]
pub struct ProbesMeter {
    pub started: u64,
    pub completed: u64,
    pub given_up: u64,
    pub retransmits: u64,
    /// Of the handshakes of TCP and TLS and of requests, in picoseconds.
    times: [Vec<u64>; 3],
}

impl ProbesMeter {
    /// A round trip of kind `stage` took `time`.
    pub fn on_round_trip(&mut self, stage: usize, time: Time) {
        self.times[stage].push(time.as_ps());
    }

    /// The result, where `waiting` connections wait for the answer to a message that was sent again, a request takes `idle` on the idle
    /// path, and the flows that share a link have this trimmed mean of their round-trip times.
    pub fn result(&mut self, name: &str, waiting: u64, idle: Option<Time>, loaded_s: Option<f64>) -> ProbeResult {
        let [tcp_s, tls_s, http_s] = self.times.each_mut().map(|times| distribution(times));
        let trimmed = [tcp_s, tls_s, http_s].map(|times| times.trimmed_mean);
        let foreign: Option<f64> = trimmed.iter().try_fold(0.0, |sum, mean| Some(sum + (*mean)?));
        let foreign_rpm = foreign.and_then(|sum| per_minute(sum / 3.0));
        let loaded_rpm = loaded_s.and_then(per_minute);
        let responsiveness_rpm = match (foreign_rpm, loaded_rpm) {
            (Some(foreign), Some(loaded)) => Some((foreign + loaded) / 2.0),
            (known, None) | (None, known) => known,
        };
        ProbeResult {
            name: name.to_owned(),
            started: Some(self.started),
            completed: Some(self.completed),
            unanswered: Some(self.given_up + waiting),
            retransmits: Some(self.retransmits),
            idle_s: idle.map(Time::as_secs_f64),
            tcp_s,
            tls_s,
            http_s,
            foreign_rpm,
            loaded_rpm,
            responsiveness_rpm,
        }
    }
}

fn distribution(times: &mut [u64]) -> ProbeTimes {
    times.sort_unstable();
    let n = times.len();
    if n == 0 {
        return ProbeTimes::default();
    }
    let seconds = |ps: u64| ps as f64 / 1e12;
    let mean = |of: &[u64]| seconds_of_sum(of) / of.len() as f64;
    let rank = |share: f64| times[((n as f64 * share).ceil() as usize).clamp(1, n) - 1];
    let kept = ((n as f64 * TRIM).floor() as usize).max(1);
    ProbeTimes {
        mean: Some(mean(times)),
        min: Some(seconds(times[0])),
        p50: Some(seconds(rank(0.5))),
        p99: Some(seconds(rank(0.99))),
        trimmed_mean: Some(mean(&times[..kept])),
    }
}

fn seconds_of_sum(times: &[u64]) -> f64 {
    times.iter().map(|ps| u128::from(*ps)).sum::<u128>() as f64 / 1e12
}
