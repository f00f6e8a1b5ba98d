//! Options of a receiver. One without any allocates none of this.

use eddyline_units::Time;

use super::ack_ratio::RequestedRatio;
use super::dsack::Dsack;
use super::ecn::EcnReceiver;
use super::quick_acks::QuickAcks;
use super::timestamps::Timestamps;
use crate::accecn_option::AccEcnOption;
use crate::config::{Config, TimestampClock};
use crate::ecn::Ecn;
use crate::segment::{DataSegment, SegmentFlags};

/// State of the options in use.
#[derive(Debug, Clone)]
pub struct Options {
    pub ecn: Option<EcnReceiver>,
    quick: Option<QuickAcks>,
    timestamps: Option<Timestamps>,
    pub dsack: Option<Dsack>,
    pub ratio: Option<RequestedRatio>,
    /// The receiver's clock, if it is not the sender's.
    clock: Option<TimestampClock>,
    /// Segments per acknowledgement unless an option says otherwise.
    ack_every: u32,
}

impl Options {
    /// `None` if no option is in use.
    pub fn new(config: &Config) -> Option<Box<Self>> {
        let options = Self {
            ecn: config.ecn.then(|| EcnReceiver::new(config.accurate_ecn)),
            quick: (config.quick_acks > 0).then(|| QuickAcks::new(config.quick_acks)),
            timestamps: config.timestamps.then(Timestamps::default),
            dsack: config.rack.then(Dsack::default),
            ratio: (config.ack_congestion_control || config.controller_ack_ratio)
                .then(|| RequestedRatio::new(config.ack_every)),
            clock: config.timestamp_clock,
            ack_every: config.ack_every,
        };
        let any = options.ecn.is_some()
            || options.quick.is_some()
            || options.timestamps.is_some()
            || options.dsack.is_some()
            || options.ratio.is_some()
            || options.clock.is_some();
        any.then(|| Box::new(options))
    }

    /// Whether acknowledgements echo this segment from now on.
    pub fn is_echoed(&mut self, segment: &DataSegment) -> bool {
        self.timestamps.as_mut().is_none_or(|t| t.is_echoed(segment.seq, segment.sent_at))
    }

    /// The receiver's clock.
    pub fn read_clock(&self, now: Time) -> Time {
        self.clock.map_or(now, |c| c.read(now))
    }

    /// A segment arrived, `duplicate` if it held nothing new; returns how many segments are to be acknowledged together.
    pub fn on_segment(&mut self, now: Time, segment: &DataSegment, duplicate: bool) -> u32 {
        if let Some(ecn) = self.ecn.as_mut().filter(|_| !segment.fin) {
            ecn.on_data(segment.flags, segment.payload);
        }
        if let Some(ratio) = self.ratio.as_mut().filter(|_| !segment.fin) {
            ratio.on_request(segment.ack_ratio);
            self.ack_every = ratio.ratio();
        }
        let at_once = self.quick.as_mut().is_some_and(|q| q.on_segment(now, duplicate))
            || self.ecn.as_ref().is_some_and(EcnReceiver::acknowledges_at_once);
        if at_once { 1 } else { self.ack_every }
    }

    /// An acknowledgement of all below `next` is sent.
    pub fn on_acknowledgement(&mut self, next: u64) {
        if let Some(ecn) = &mut self.ecn {
            ecn.on_acknowledgement();
        }
        if let Some(quick) = &mut self.quick {
            quick.on_acknowledgement();
        }
        if let Some(timestamps) = &mut self.timestamps {
            timestamps.on_acknowledgement(next);
        }
    }

    /// The AccECN option of an acknowledgement.
    pub fn accecn(&self) -> Option<AccEcnOption> {
        self.ecn.as_ref().and_then(EcnReceiver::option)
    }

    /// Whether three SACK blocks fit besides the AccECN option: of 40 bytes of options timestamps take 12, AccECN 8, two blocks
    /// 20. Two blocks have priority over AccECN, the third does not (RFC 9768, 3.2.3.3).
    pub fn has_room_for_three_blocks(&self) -> bool {
        self.timestamps.is_none()
    }

    /// Sets the flags of an acknowledgement.
    pub fn set_flags(&self, flags: &mut SegmentFlags) {
        if let Some(ecn) = &self.ecn {
            ecn.set_flags(flags);
            // RFC 5690, 4.1: the sender responds to marks on acknowledgements, so they may be ECN-capable
            if self.ratio.is_some() && ecn.negotiated() {
                flags.set_ecn(Ecn::Ect0);
            }
        }
    }
}
