//! Shared by the tests of controllers: synthetic acknowledgements.

use eddyline_cc::{Ack, AnyController, Controller, ControllerParams, Loss, PathFacts, Sent, Timeout};
use eddyline_units::Time;

/// A sender over a scripted path: a window of packets per round trip, all acknowledged one by one.
pub struct Bench {
    pub c: AnyController,
    pub now: Time,
}

impl Bench {
    /// A controller with the parameters `more` after its kind, initial window 10, a handshake of `rtt_ms`.
    pub fn new(kind: &str, more: &str, rtt_ms: f64) -> Self {
        Self::known(kind, more, rtt_ms, None)
    }

    /// The same with a known base round-trip time.
    pub fn known(kind: &str, more: &str, rtt_ms: f64, known: Option<Time>) -> Self {
        let facts =
            PathFacts { mss: 1000, ack_ratio: 1, initial_window: 10.0, known_base_rtt: known, ..PathFacts::default() };
        let text = format!(r#"{{ "kind": "{kind}"{more} }}"#);
        let mut c = serde_json::from_str::<ControllerParams>(&text).unwrap().build(&facts);
        let now = ms(rtt_ms);
        c.on_handshake(now, now);
        Self { c, now }
    }

    /// A round trip: its window of packets leaves now and is acknowledged one by one, the last after `rtt_ms`, evenly over
    /// that time. Gives the window after it.
    pub fn round(&mut self, rtt_ms: f64) -> f64 {
        let n = (self.c.window() as u64).max(1);
        let (begin, rtt) = (self.now, ms(rtt_ms));
        let step = Time::from_ps(rtt.as_ps() / (n + 1));
        for i in 0..n {
            let sent = begin + step * i;
            let stamp =
                self.c.on_sent(&Sent { now: sent, in_flight: (i + 1) as f64, cwnd_limited: true, app_limited: false });
            self.acknowledge(sent, rtt, n as f64 - 1.0, 1.0, stamp);
        }
        self.now = begin + rtt;
        self.c.window()
    }

    /// One packet sent at `sent` and acknowledged `rtt` later, `in_flight` others on their way.
    pub fn acknowledge(&mut self, sent: Time, rtt: Time, in_flight: f64, acked: f64, stamp: eddyline_cc::Stamp) {
        let now = sent + rtt;
        self.c.on_ack(&Ack {
            now,
            sent_at: sent,
            received_at: sent + Time::from_ps(rtt.as_ps() / 2),
            rtt: Some(rtt),
            acked,
            lost: 0.0,
            in_flight,
            stamp,
            cwnd_limited: true,
            in_recovery: false,
        });
        self.now = self.now.max(now);
    }

    /// The application is limited for `s` seconds: it sends a packet ten times a second, acknowledged after `rtt_ms`.
    pub fn trickle(&mut self, s: u32, rtt_ms: f64) {
        for _ in 0..10 * s {
            let sent_at = self.now;
            let stamp = self.c.on_sent(&Sent { now: sent_at, in_flight: 1.0, cwnd_limited: false, app_limited: true });
            self.c.on_ack(&Ack {
                now: sent_at + ms(rtt_ms),
                sent_at,
                received_at: sent_at,
                rtt: Some(ms(rtt_ms)),
                acked: 1.0,
                lost: 0.0,
                in_flight: 0.0,
                stamp,
                cwnd_limited: false,
                in_recovery: false,
            });
            self.now = sent_at + ms(100.0);
        }
    }

    /// A loss with the window in flight, repaired at once. Gives the window after it.
    pub fn lose(&mut self) -> f64 {
        let flight_size = self.c.window();
        self.c.on_loss(&Loss { now: self.now, flight_size });
        self.c.on_recovered(self.now);
        self.c.window()
    }

    /// A timeout with the window in flight. Gives the window after it.
    pub fn time_out(&mut self) -> f64 {
        let flight_size = self.c.window();
        self.c.on_timeout(&Timeout { now: self.now, flight_size, repeated: false });
        self.c.window()
    }

    /// Slow start to `window` packets, and a loss that leaves congestion avoidance there, or at the law's own window.
    pub fn in_avoidance(&mut self, window: f64, rtt_ms: f64) {
        while self.c.window() < window {
            let left = window - self.c.window();
            let sent = self.now;
            let acked = left.min(1.0);
            self.acknowledge(sent, ms(rtt_ms), 10.0, acked, eddyline_cc::Stamp::default());
        }
        self.lose();
    }
}

/// Milliseconds, fractions too.
pub fn ms(value: f64) -> Time {
    Time::from_ps((value * 1e9) as u64)
}

/// Whether `got` is within `tolerance` of `want`, absolutely.
#[track_caller]
pub fn close(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "{got} is not {want} ± {tolerance}");
}
