//! RACK and TLP (RFC 8985) with the timer that both use: for segments that may only be reordered, or for a probe.

use eddyline_units::Time;

use super::rack::{Rack, ReorderingState};
use super::tlp::{ProbeAck, Tlp};
use super::transmissions::SentSegment;
use crate::segment::SackBlocks;

/// State of RACK, of the tail loss probe and of their timer.
#[derive(Debug, Clone, Copy)]
pub struct RackTlp {
    rack: Rack,
    tlp: Tlp,
    /// When the timer expires, or [`Time::MAX`].
    timer: Time,
    /// The timer is for segments that may only be reordered; otherwise for a probe.
    reordering: bool,
    /// When the window was last reduced: losses of what was sent since then are a new congestion event.
    reduced_at: Time,
    /// The same before the last timeout, which may turn out to be spurious.
    reduced_before_timeout: Time,
    /// The end of the segment that the current acknowledgement reports by DSACK (RFC 2883).
    dsack: Option<u64>,
    /// When the first segment was sent of those that the current acknowledgement reports by SACK and that were sent once.
    first_sacked: Option<Time>,
}

impl RackTlp {
    /// A connection whose receiver delays acknowledgements by up to `max_ack_delay`.
    pub fn new(max_ack_delay: Time) -> Self {
        Self {
            rack: Rack::default(),
            tlp: Tlp::new(max_ack_delay),
            timer: Time::MAX,
            reordering: false,
            reduced_at: Time::ZERO,
            reduced_before_timeout: Time::ZERO,
            dsack: None,
            first_sacked: None,
        }
    }

    /// Whether RACK has seen reordering.
    pub fn has_seen_reordering(&self) -> bool {
        self.rack.has_seen_reordering()
    }

    /// When the timer expires.
    #[inline]
    pub fn timer(&self) -> Time {
        self.timer
    }

    /// Stops the timer.
    pub fn stop_timer(&mut self) {
        self.timer = Time::MAX;
    }

    /// The timer expired; returns whether it was for segments that may only be reordered.
    pub fn on_timer(&mut self) -> bool {
        self.timer = Time::MAX;
        if self.reordering {
            self.dsack = None;
        }
        self.reordering
    }

    /// Reads the DSACK of an acknowledgement of all below `number`: its first block, if that is below the number or within
    /// the second block.
    pub fn read_dsack(&mut self, number: u64, blocks: Option<&SackBlocks>) {
        self.dsack = blocks.and_then(|[first, second, _]| {
            let within = first.0 >= second.0 && first.1 <= second.1;
            (first.1 > first.0 && (first.1 <= number || within)).then_some(first.1)
        });
    }

    /// A round-trip sample was taken.
    pub fn on_sample(&mut self, rtt: Time) {
        self.tlp.on_sample();
        self.rack.on_sample(rtt);
    }

    /// Segments were delivered, those above `una` by SACK; see [`Rack::on_delivery`].
    pub fn on_delivery(
        &mut self,
        now: Time,
        una: u64,
        delivered: &[SentSegment],
        echo: Option<(Time, u64)>,
        undecided: bool,
    ) {
        self.first_sacked = delivered.iter().filter(|s| s.end > una && !s.retransmitted).map(|s| s.sent).min();
        self.rack.on_delivery(now, delivered, echo, undecided);
    }

    /// When the first segment was sent of those that the current acknowledgement reports by SACK and that were sent once.
    pub fn first_sacked(&self) -> Option<Time> {
        self.first_sacked
    }

    /// The most recently sent of all delivered segments.
    pub fn newest(&self) -> (Time, u64) {
        self.rack.newest()
    }

    /// Whether the current acknowledgement carries a DSACK.
    pub fn has_dsack(&self) -> bool {
        self.dsack.is_some()
    }

    /// How long ago a segment must have been sent to be lost.
    pub fn loss_timeout(&mut self, state: &ReorderingState) -> Time {
        self.rack.loss_timeout(state)
    }

    /// Whether the loss of a segment sent at `sent` is a new congestion event (RFC 5681, 4.3).
    pub fn is_new_event(&self, sent: Time) -> bool {
        sent >= self.reduced_at
    }

    /// A search for losses ended: the timer waits until `deadline` for segments that may only be reordered; without any a
    /// pending probe stays scheduled if `keep_probe`.
    pub fn on_search(&mut self, deadline: Option<Time>, keep_probe: bool) {
        let was_reordering = std::mem::replace(&mut self.reordering, deadline.is_some());
        let probe = if keep_probe && !was_reordering { self.timer } else { Time::MAX };
        self.timer = deadline.unwrap_or(probe);
    }

    /// The retransmission timer expired, `repeated` without an acknowledgement in between, and the window is reduced.
    pub fn on_timeout(&mut self, now: Time, repeated: bool) {
        if !repeated {
            self.reduced_before_timeout = self.reduced_at;
        }
        self.on_reduction(now);
        self.dsack = None;
        self.reordering = false;
        self.timer = Time::MAX;
    }

    /// The window is reduced.
    pub fn on_reduction(&mut self, now: Time) {
        self.reduced_at = now;
        self.tlp.reset();
    }

    /// The last timeout was spurious, and its reduction is undone: losses of what was sent before it reduce the window.
    pub fn on_spurious_timeout(&mut self) {
        self.reduced_at = self.reduced_before_timeout;
    }

    /// Schedules the probe (7.2), not after the retransmission timer; `allowed` only if something is outstanding and nothing
    /// is known to be missing.
    pub fn schedule_probe(&mut self, now: Time, srtt: Option<Time>, one_segment: bool, rto: Time, allowed: bool) {
        let timeout = self.tlp.timeout(srtt, one_segment);
        self.timer = if allowed { now.saturating_add(timeout).min(rto) } else { Time::MAX };
    }

    /// Whether the timer waits for segments that may only be reordered.
    pub fn awaits_reordering(&self) -> bool {
        self.reordering
    }

    /// Whether a probe may be sent.
    pub fn may_probe(&self) -> bool {
        self.tlp.may_probe()
    }

    /// A probe was sent, and all below `nxt` has been. It schedules no further probe.
    pub fn on_probe(&mut self, nxt: u64, is_retransmission: bool) {
        self.timer = Time::MAX;
        self.tlp.on_probe(nxt, is_retransmission);
    }

    /// An acknowledgement arrived; returns whether the probe repaired a loss that nothing else reports.
    pub fn on_probe_ack(&mut self, number: u64, duplicate: bool) -> bool {
        self.tlp.on_ack(&ProbeAck { number, duplicate, dsack: self.dsack })
    }
}
