//! An acknowledgement of new data as the controller gets it.

use eddyline_cc::{Ack, Stamp};
use eddyline_units::Time;

use super::congestion::PacketScale;
use super::episode::Episode;
use super::loss_recovery::LossRecovery;
use super::sequence::SendSequence;
use crate::segment::Acknowledgement;

/// What an [`Ack`] is made of. A controller that does not look at one of its fields does not pay for its conversion.
#[derive(Debug, Clone, Copy)]
pub struct AckEvent<'a> {
    pub now: Time,
    pub ack: Acknowledgement,
    pub rtt: Option<Time>,
    /// Bytes newly acknowledged.
    pub acked: u64,
    /// Bytes newly marked lost.
    pub lost: u64,
    pub scale: PacketScale,
    pub seq: &'a SendSequence,
    pub recovery: &'a LossRecovery,
    pub cwnd_limited: bool,
    /// The window is being reduced for another reason than losses.
    pub reducing: bool,
}

impl From<AckEvent<'_>> for Ack {
    #[inline(always)]
    fn from(event: AckEvent<'_>) -> Self {
        let AckEvent { ack, scale, recovery, .. } = event;
        Self {
            now: event.now,
            sent_at: ack.sent_at,
            received_at: ack.received_at,
            rtt: event.rtt,
            acked: scale.packets(event.acked),
            lost: scale.packets(event.lost),
            in_flight: scale.packets(recovery.pipe(event.seq)),
            stamp: Stamp { remembered: ack.stamp },
            cwnd_limited: event.cwnd_limited,
            in_recovery: recovery.episode() == Episode::Recovery || event.reducing,
        }
    }
}
