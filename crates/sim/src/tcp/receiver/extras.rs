//! What a receiver does besides, where it was asked to: nothing of it costs a flow that was not.

use eddyline_scenario::network::TcpOptions;

use super::ecn::EcnReceiver;
use crate::engine::{Flags, Kind, Packet};

/// Options of a receiver.
#[derive(Debug, Clone, Default)]
pub struct Extras {
    pub ecn: Option<EcnReceiver>,
}

impl Extras {
    /// None unless some option is on.
    pub fn of(options: &TcpOptions) -> Option<Box<Self>> {
        let extras = Self { ecn: options.ecn.then(EcnReceiver::default) };
        let any = extras.ecn.is_some();
        any.then(|| Box::new(extras))
    }

    /// A segment arrived.
    pub fn on_segment(&mut self, packet: &Packet) {
        if let Some(ecn) = self.ecn.as_mut().filter(|_| packet.kind == Kind::Data) {
            ecn.on_data(packet.flags);
        }
    }

    /// Completes the flags of an acknowledgement.
    pub fn label(&self, flags: &mut Flags) {
        if let Some(ecn) = &self.ecn {
            flags.set_ece(ecn.echoes());
        }
    }
}
