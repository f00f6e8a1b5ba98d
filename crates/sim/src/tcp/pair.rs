//! Two flows that are the two directions of one connection: each host has the sender of one and the receiver of the other,
//! and acknowledgements ride on data that leaves anyway.

use eddyline_units::Time;

use super::aside::{AckOptions, Carried};
use super::flow::Flow;
use super::receiver::Receiver;
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
            Kind::Data => {
                let carried = net.take_carried(packet);
                let reaction = self.this.on_data(now, packet, u64::from(packet.extra));
                self.answer(now, packet, carried, reaction.ack_now, net);
            }
            Kind::Fin => {
                let reaction = self.this.on_data(now, packet, 1);
                self.answer(now, packet, None, reaction.ack_now, net);
            }
            Kind::Ack | Kind::SynAck => {
                offer(&mut self.peer.receiver, net);
                self.this.on_packet(now, packet, net);
                settle(&mut self.peer.receiver, net);
            }
            Kind::Syn | Kind::Cross => self.this.on_packet(now, packet, net),
        }
    }

    /// Data arrived where the other direction's sender is: what it carries may let data out, which then carries what is to be
    /// said of it. Else, if it must be said at once, an acknowledgement goes by itself.
    fn answer(&mut self, now: Time, packet: &Packet, carried: Option<Carried>, demanded: bool, net: &mut Net) {
        let mut options = AckOptions::default();
        if demanded {
            options = self.this.receiver.acknowledge();
            net.loading = Some(cargo(&self.this.receiver, options));
        } else {
            offer(&mut self.this.receiver, net);
        }
        if let Some(ack) = carried {
            let heard = Packet {
                seq: ack.number,
                sent_at: ack.sent_at,
                aside: Aside::received_at(ack.received_at),
                stamp: ack.stamp,
                flags: ack.flags,
                ..*packet
            };
            self.peer.hear_on_data(now, &heard, ack.options, net);
        }
        if !demanded {
            settle(&mut self.this.receiver, net);
        } else if net.loading.take().is_some() {
            self.this.send_pure_ack(now, options, net);
        }
    }

    /// A time that was asked for has come, or one before it.
    pub fn on_timer(&mut self, now: Time, net: &mut Net) {
        offer(&mut self.peer.receiver, net);
        self.this.on_timer(now, net);
        settle(&mut self.peer.receiver, net);
    }
}

fn cargo(receiver: &Receiver, options: AckOptions) -> Carried {
    let echo = receiver.echo();
    Carried {
        number: receiver.next(),
        sent_at: echo.sent_at,
        received_at: echo.received_at,
        stamp: echo.stamp,
        flags: echo.flags,
        options,
    }
}

/// What `receiver` will have to acknowledge stands ready for data of the same host to take along.
fn offer(receiver: &mut Receiver, net: &mut Net) {
    if receiver.owes() {
        let options = receiver.options();
        net.loading = Some(cargo(receiver, options));
    }
}

/// Nothing more leaves for the moment: what was taken along is acknowledged.
fn settle(receiver: &mut Receiver, net: &mut Net) {
    if net.loading.take().is_none() && receiver.owes() {
        receiver.acknowledge();
    }
}
