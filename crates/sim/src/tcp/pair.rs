//! Two flows that are the two directions of one connection: each host has the sender of one and the receiver of the other,
//! and acknowledgements ride on data that leaves anyway.

use eddyline_units::Time;

use super::aside::Carried;
use super::flow::Flow;
use crate::engine::{Aside, Kind, Net, Packet};

/// The flow that something happens to, and the other direction.
#[derive(Debug)]
pub struct Pair<'a> {
    pub this: &'a mut Flow,
    pub peer: &'a mut Flow,
}

impl Pair<'_> {
    /// A packet of this flow reached one of the ends.
    pub fn on_packet(&mut self, now: Time, packet: &Packet, net: &mut Net) {
        match packet.kind {
            Kind::Ack => {
                let blocks = net.take_blocks(packet);
                self.this.hear(now, packet, blocks, net, Some((&mut self.peer.receiver, false)));
            }
            Kind::Data => {
                let carried = net.take_carried(packet);
                let reaction = self.this.on_data(now, packet, u64::from(packet.extra));
                self.answer(now, packet, carried, reaction.ack_now, net);
            }
            Kind::Fin => {
                let reaction = self.this.on_data(now, packet, 1);
                self.answer(now, packet, None, reaction.ack_now, net);
            }
            Kind::SynAck => self.this.open(now, packet, net, Some((&mut self.peer.receiver, false))),
            Kind::Syn | Kind::Cross => self.this.on_packet(now, packet, net),
        }
    }

    /// Data arrived where the other direction's sender is: what it carries may let data out, which then carries what is to be
    /// said of it. Else, if it must be said at once, an acknowledgement goes by itself.
    fn answer(&mut self, now: Time, packet: &Packet, carried: Option<Carried>, demanded: bool, net: &mut Net) {
        let mut demanded = demanded;
        if let Some(ack) = carried {
            let aside = Aside::received_at(ack.received_at);
            let heard =
                Packet { seq: ack.number, sent_at: ack.sent_at, aside, stamp: ack.stamp, flags: ack.flags, ..*packet };
            demanded = self.peer.hear(now, &heard, ack.blocks, net, Some((&mut self.this.receiver, demanded)));
        }
        if demanded {
            self.this.send_ack(now, net);
        }
    }

    /// A time that was asked for has come, or one before it.
    pub fn on_timer(&mut self, now: Time, net: &mut Net) {
        self.this.on_timer_with(now, net, Some((&mut self.peer.receiver, false)));
    }
}
