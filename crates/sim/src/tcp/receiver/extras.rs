//! What a receiver does besides, where it was asked to: nothing of it costs a flow that was not.

use eddyline_path::Ecn;
use eddyline_scenario::network::{TcpOptions, TimestampClock};
use eddyline_units::Time;

use super::ack_ratio::AskedRatio;
use super::dsack::Dsack;
use super::ecn::EcnReceiver;
use super::quick::QuickAcks;
use super::timestamps::Timestamps;
use crate::engine::{Flags, Kind, Packet};
use crate::tcp::MarkedBytes;

/// Options of a receiver.
#[derive(Debug, Clone)]
pub struct Extras {
    pub ecn: Option<EcnReceiver>,
    quick: Option<QuickAcks>,
    timestamps: Option<Timestamps>,
    pub dsack: Option<Dsack>,
    pub ratio: Option<AskedRatio>,
    /// Where it is not the sender's clock.
    clock: Option<TimestampClock>,
    /// Segments per acknowledgement where no option says otherwise.
    every: u32,
}

impl Extras {
    /// None unless some option is on.
    pub fn of(options: &TcpOptions) -> Option<Box<Self>> {
        let extras = Self {
            ecn: options.ecn.then(|| EcnReceiver::new(options.accurate_ecn)),
            quick: (options.quick_acks > 0).then(|| QuickAcks::new(options.quick_acks)),
            timestamps: options.timestamps.then(Timestamps::default),
            dsack: options.rack.then(Dsack::default),
            ratio: (options.ack_congestion_control || options.ack_ratio_by_controller)
                .then(|| AskedRatio::new(options.ack_every)),
            clock: (!options.timestamp_clock.is_default()).then_some(options.timestamp_clock),
            every: options.ack_every,
        };
        let any = extras.ecn.is_some()
            || extras.quick.is_some()
            || extras.timestamps.is_some()
            || extras.dsack.is_some()
            || extras.ratio.is_some()
            || extras.clock.is_some();
        any.then(|| Box::new(extras))
    }

    /// Whether acknowledgements echo this packet from now on.
    pub fn echoes(&mut self, packet: &Packet) -> bool {
        self.timestamps.as_mut().is_none_or(|t| t.takes(packet.seq, packet.sent_at))
    }

    /// What the receiver's clock reads.
    pub fn read(&self, now: Time) -> Time {
        self.clock.map_or(now, |c| c.read(now))
    }

    /// A segment arrived, `needless` if all of it was there. Gives how many are to be acknowledged together.
    pub fn on_segment(&mut self, now: Time, packet: &Packet, needless: bool) -> u32 {
        if let Some(ecn) = self.ecn.as_mut().filter(|_| packet.kind == Kind::Data) {
            ecn.on_data(packet.flags, packet.payload());
        }
        if let Some(ratio) = self.ratio.as_mut().filter(|_| packet.kind == Kind::Data) {
            ratio.ask(packet.aside.ratio());
            self.every = ratio.ratio();
        }
        let quick = self.quick.as_mut().is_some_and(|q| q.on_segment(now, needless))
            || self.ecn.as_ref().is_some_and(EcnReceiver::is_pressing);
        if quick { 1 } else { self.every }
    }

    /// An acknowledgement of all below `next` leaves.
    pub fn on_acknowledgement(&mut self, next: u64) {
        if let Some(ecn) = &mut self.ecn {
            ecn.reported();
        }
        if let Some(quick) = &mut self.quick {
            quick.on_acknowledgement();
        }
        if let Some(timestamps) = &mut self.timestamps {
            timestamps.on_acknowledgement(next);
        }
    }

    /// The AccECN option of an acknowledgement.
    pub fn marked_bytes(&self) -> Option<MarkedBytes> {
        self.ecn.as_ref().and_then(EcnReceiver::option)
    }

    /// SACK blocks that fit beside it: of 40 bytes timestamps take 12, the option 8, two blocks 20. Two blocks come before the
    /// option, the third does not (RFC 9768, 3.2.3.3).
    pub fn has_room_for_three_blocks(&self) -> bool {
        self.timestamps.is_none()
    }

    /// Completes the flags of an acknowledgement.
    pub fn label(&self, flags: &mut Flags) {
        if let Some(ecn) = &self.ecn {
            ecn.label(flags);
            // RFC 5690, 4.1: the sender hears of marks on acknowledgements, so they may be marked
            if self.ratio.is_some() && ecn.agreed() {
                flags.set_ecn(Ecn::Ect0);
            }
        }
    }
}
