//! Statistics of a round trip, or of any interval: for controllers that decide once a round trip.

use eddyline_units::Time;

use crate::controller::Ack;
use crate::parts::round_trips::Round;

/// Statistics of the interval between two decisions. Means are over its samples; none without samples.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RoundReport {
    /// Beginning of the interval.
    pub began: Time,
    /// End of the interval.
    pub now: Time,
    /// Acknowledgements of new data.
    pub acks: u32,
    /// Packets acknowledged.
    pub acked: f64,
    /// Packets that acknowledgements show to be lost; not what a timeout retransmits, which may have arrived.
    pub lost: f64,
    /// Packets in flight after its last acknowledgement, before what that lets out; without one, as in the round before.
    pub in_flight: f64,
    /// The first round-trip sample.
    pub first_rtt: Option<Time>,
    /// The last one.
    pub last_rtt: Option<Time>,
    /// The smallest one.
    pub min_rtt: Option<Time>,
    /// Their mean.
    pub mean_rtt: Option<Time>,
    /// Mean delay of the data packets, from the sender to the receiver, without acknowledgements that echo a packet again and have no
    /// sample: with timestamps those behind a gap (RFC 7323, 4.3).
    pub forward_delay: Option<Time>,
    /// Mean delay of their acknowledgements, the receiver's own delay included, without the same ones.
    pub reverse_delay: Option<Time>,
    /// Loss episodes that began.
    pub losses: u32,
    /// Calls of `on_ecn`: for marks at most one per window of data, however many packets they are, and as many for a full NIC queue
    /// with `local = "cwr"`.
    pub marks: u32,
    /// Timeouts.
    pub timeouts: u32,
    /// The window held the sender back at its last acknowledgement; false without one.
    pub cwnd_limited: bool,
    /// Loss recovery was under way at its last acknowledgement; false without one.
    pub in_recovery: bool,
}

/// Accumulates a controller's events into reports. By default its first interval begins as the first packet that is acknowledged was sent:
/// after a lost SYN nothing says when its own was.
#[derive(Debug, Clone, Default)]
pub struct RoundMeter {
    /// Its beginning is known.
    begun: bool,
    round: Round,
    report: RoundReport,
    samples: u64,
    timed: u64,
    rtts: u128,
    forward: u128,
    reverse: u128,
    /// The packet that an acknowledgement echoed last: when it was sent, and when it reached the receiver.
    echoed: Option<(Time, Time)>,
}

impl RoundMeter {
    /// Its first interval begins at `start`.
    #[must_use]
    pub fn since(start: Time) -> Self {
        Self { begun: true, report: RoundReport { began: start, ..RoundReport::default() }, ..Self::default() }
    }

    /// Takes an acknowledgement; returns whether it ends a round trip: whether its packet was sent after the end of the last one.
    pub fn on_ack(&mut self, ack: &Ack) -> bool {
        let report = &mut self.report;
        if !std::mem::replace(&mut self.begun, true) {
            report.began = ack.sent_at;
        }
        report.acks += 1;
        report.acked += ack.acked;
        report.lost += ack.lost;
        report.in_flight = ack.in_flight;
        report.cwnd_limited = ack.cwnd_limited;
        report.in_recovery = ack.in_recovery;
        let echoed = Some((ack.sent_at, ack.received_at));
        if std::mem::replace(&mut self.echoed, echoed) != echoed || ack.rtt.is_some() {
            self.timed += 1;
            self.forward += u128::from(ack.received_at.saturating_sub(ack.sent_at).as_ps());
            self.reverse += u128::from(ack.now.saturating_sub(ack.received_at).as_ps());
        }
        if let Some(rtt) = ack.rtt {
            report.first_rtt.get_or_insert(rtt);
            report.last_rtt = Some(rtt);
            report.min_rtt = Some(report.min_rtt.map_or(rtt, |min| min.min(rtt)));
            self.samples += 1;
            self.rtts += u128::from(rtt.as_ps());
        }
        self.round.ends(ack)
    }

    /// Takes a duplicate acknowledgement without SACK: the losses that it shows. Later ones acknowledge its data.
    pub fn on_duplicate(&mut self, ack: &Ack) {
        self.report.lost += ack.lost;
    }

    /// A loss episode began.
    pub fn on_loss(&mut self) {
        self.report.losses += 1;
    }

    /// `on_ecn` was called.
    pub fn on_mark(&mut self) {
        self.report.marks += 1;
    }

    /// A timeout.
    pub fn on_timeout(&mut self) {
        self.report.timeouts += 1;
    }

    /// Returns the report of the time since the last one and begins the next.
    pub fn take(&mut self, now: Time) -> RoundReport {
        let mean = |sum: u128, count: u64| (count > 0).then(|| Time::from_ps((sum / u128::from(count)) as u64));
        let report = RoundReport {
            now,
            mean_rtt: mean(self.rtts, self.samples),
            forward_delay: mean(self.forward, self.timed),
            reverse_delay: mean(self.reverse, self.timed),
            ..self.report
        };
        let next = RoundReport { began: now, in_flight: report.in_flight, ..RoundReport::default() };
        *self = Self { begun: true, round: self.round, report: next, echoed: self.echoed, ..Self::default() };
        report
    }
}
