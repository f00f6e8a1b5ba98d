//! Delivery-rate samples (draft-ietf-ccwg-bbr, section 4; draft-cheng-iccrg-delivery-rate-estimation): the rate at which data
//! was delivered between the sending of a packet and its acknowledgement.
//!
//! The state at the sending of a packet (packets delivered and lost by then, and when) is the same for all packets sent between two
//! acknowledgements. It is stored here as a snapshot, and the packet carries the snapshot's number. If a window has more
//! acknowledgements than there are snapshots, a snapshot covers at most 1/32 of the minimum round trip, or 1/96 of the last one where
//! that is longer. A packet's snapshot is still there when it is acknowledged, once the round trip of a longer queue has been measured;
//! while that grows severalfold within a round trip, samples may be missing.
//!
//! Without SACK every duplicate acknowledgement counts as a packet delivered, as in Linux. A later acknowledgement counts the packets
//! that it covers less those duplicates, and at least one packet: the hole that it fills.

use eddyline_units::Time;

use crate::controller::{Ack, Sent, Stamp};

/// Snapshots kept, of the minimum and of the last round trip.
const KEPT: usize = 128;
const PER_MIN_ROUND: u64 = 32;
const PER_ROUND: u64 = 96;

/// The sender's counters when a packet was sent.
#[derive(Debug, Clone, Copy, Default)]
struct Snapshot {
    number: u32,
    delivered: f64,
    lost: f64,
    /// When the last of `delivered` was acknowledged.
    delivered_at: Time,
    /// When the first packet of this sampling interval was sent.
    first_sent: Time,
    /// When the first packet with this snapshot was sent.
    sent_at: Time,
    in_flight: f64,
    app_limited: bool,
}

/// A sample.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    /// Packets per second; none if the interval is implausibly short.
    pub(crate) rate: Option<f64>,
    /// Packets delivered and lost since the packet was sent.
    pub(crate) delivered: f64,
    pub(crate) lost: f64,
    /// Packets delivered before it was sent.
    pub(crate) prior_delivered: f64,
    /// Packets in flight when it was sent, itself included.
    pub(crate) tx_in_flight: f64,
    /// The application, not the window or pacing, held the sender back.
    pub(crate) app_limited: bool,
}

/// Takes them.
#[derive(Debug, Clone)]
pub(crate) struct DeliveryRate {
    ring: Box<[Snapshot; KEPT]>,
    /// Number of the latest snapshot.
    latest: u32,
    taken_at: Time,
    /// An acknowledgement has arrived since the latest snapshot.
    stale: bool,
    pub(crate) delivered: f64,
    lost: f64,
    delivered_at: Time,
    /// Packets counted as delivered by duplicates that no acknowledgement has covered yet.
    ahead: f64,
    first_sent: Time,
    /// Up to this count of delivered packets samples are limited by the application.
    app_limited_until: f64,
    min_rtt: Option<Time>,
    /// Minimum time between two snapshots.
    spacing: Time,
}

impl DeliveryRate {
    pub(crate) fn new() -> Self {
        Self {
            ring: Box::new([Snapshot::default(); KEPT]),
            latest: 0,
            taken_at: Time::ZERO,
            stale: true,
            delivered: 0.0,
            lost: 0.0,
            delivered_at: Time::ZERO,
            ahead: 0.0,
            first_sent: Time::ZERO,
            app_limited_until: -1.0,
            min_rtt: None,
            spacing: Time::ZERO,
        }
    }

    /// A packet is sent; returns its stamp.
    #[inline]
    pub(crate) fn on_sent(&mut self, sent: &Sent) -> Stamp {
        if sent.is_alone() {
            // an interval begins
            (self.first_sent, self.delivered_at) = (sent.now, sent.now);
            self.stale = true;
        }
        if self.stale && (sent.now - self.taken_at >= self.spacing || self.latest == 0) {
            // a stamp holds whole numbers up to 2^24: beyond, they start over
            self.latest = self.latest % ((1 << 24) - 1) + 1;
            self.taken_at = sent.now;
            self.stale = false;
            self.ring[self.latest as usize % KEPT] = Snapshot {
                number: self.latest,
                delivered: self.delivered,
                lost: self.lost,
                delivered_at: self.delivered_at,
                first_sent: self.first_sent,
                sent_at: sent.now,
                in_flight: sent.in_flight,
                app_limited: self.delivered <= self.app_limited_until,
            };
        }
        Stamp { remembered: self.latest as f32 }
    }

    /// The application had no more data with `in_flight` packets in flight: samples are limited by it until more than these have been
    /// delivered, as in Linux (`tcp_rate_check_app_limited`).
    pub(crate) fn mark_app_limited(&mut self, in_flight: f64) {
        self.app_limited_until = self.delivered + in_flight;
    }

    /// A duplicate acknowledgement, without SACK.
    pub(crate) fn on_duplicate(&mut self, ack: &Ack) {
        self.delivered += ack.acked;
        self.ahead += ack.acked;
        self.delivered_at = ack.now;
        self.stale = true;
    }

    /// Packets were found lost between acknowledgements: in samples of packets sent before, not in those of their retransmissions.
    pub(crate) fn on_lost(&mut self, packets: f64) {
        self.lost += packets;
        self.stale = true;
    }

    /// Packets that an acknowledgement covers and duplicates have not counted.
    pub(crate) fn newly_delivered(&mut self, ack: &Ack) -> Ack {
        if self.ahead == 0.0 {
            return *ack;
        }
        let acked = (ack.acked - self.ahead).max(ack.acked.min(1.0));
        self.ahead = (self.ahead - (ack.acked - acked)).max(0.0);
        Ack { acked, ..*ack }
    }

    /// The sample of an acknowledgement of [`newly_delivered`](Self::newly_delivered) packets; none if the packet's snapshot has been
    /// overwritten.
    #[inline]
    pub(crate) fn on_ack(&mut self, ack: &Ack) -> Option<Rate> {
        if let Some(rtt) = ack.rtt {
            let min = self.min_rtt.map_or(rtt, |min| min.min(rtt));
            self.min_rtt = Some(min);
            self.spacing = Time::from_ps((min.as_ps() / PER_MIN_ROUND).max(rtt.as_ps() / PER_ROUND));
        }
        self.delivered += ack.acked;
        self.lost += ack.lost;
        self.delivered_at = ack.now;
        self.stale = true;
        let number = ack.stamp.remembered as u32;
        let at = &self.ring[number as usize % KEPT];
        if at.number != number || number == 0 {
            return None;
        }
        // beyond a gap a timestamp is that of an earlier packet (RFC 7323, 4.3)
        let sent_at = ack.sent_at.max(at.sent_at);
        self.first_sent = self.first_sent.max(sent_at);
        // The rate is bounded by that of sending (4.1.2.3): an ACK may have waited for others.
        let interval = (ack.now - at.delivered_at).max(sent_at.saturating_sub(at.first_sent));
        let delivered = self.delivered - at.delivered;
        // implausible: shorter than any round trip
        let plausible = interval > Time::ZERO && self.min_rtt.is_none_or(|min| interval >= min);
        Some(Rate {
            rate: plausible.then(|| delivered / interval.as_secs_f64()),
            delivered,
            lost: self.lost - at.lost,
            prior_delivered: at.delivered,
            tx_in_flight: at.in_flight,
            app_limited: at.app_limited,
        })
    }
}
