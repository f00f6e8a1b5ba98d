//! What a sender does besides, where it was asked to: nothing of it costs a flow that was not.

use eddyline_cc::{Controller as _, Loss};
use eddyline_scenario::network::TcpOptions;
use eddyline_units::Time;

use super::Sender;
use super::ecn::EcnSender;
use crate::engine::{Flags, Packet};

/// Options of a sender.
#[derive(Debug, Clone, Default)]
pub struct Extras {
    pub ecn: Option<EcnSender>,
}

impl Extras {
    /// None unless some option is on.
    pub fn of(options: &TcpOptions) -> Option<Box<Self>> {
        let extras = Self { ecn: options.ecn.then(EcnSender::default) };
        let any = extras.ecn.is_some();
        any.then(|| Box::new(extras))
    }

    /// Completes the flags of a data packet.
    pub fn label(&mut self, flags: &mut Flags) {
        if let Some(ecn) = &mut self.ecn {
            ecn.label(flags);
        }
    }
}

impl Sender {
    /// Everything about an acknowledgement that options add, before the controller hears of it. Gives whether the window
    /// must not grow by it.
    #[cold]
    pub(super) fn on_extras(&mut self, now: Time, packet: &Packet, una_before: u64) -> bool {
        let Some(extras) = &mut self.extras else { return false };
        let Some(ecn) = extras.ecn.as_mut().filter(|e| e.agreed() && packet.flags.ece()) else { return false };
        if ecn.is_news(self.una) {
            ecn.reduced(self.nxt);
            // FlightSize as it was before this acknowledgement
            let flight_size = ((self.nxt - una_before) as f64 * self.packets_per_byte).min(self.controller.window());
            self.controller.on_ecn(&Loss { now, flight_size });
        }
        // RFC 3168, 6.1.2: no growth on an acknowledgement with ECE
        true
    }

    /// Whether a loss that is noticed now is a new reason to reduce the window, which then counts as reduced.
    pub(super) fn reduces(&mut self) -> bool {
        let Some(ecn) = self.extras.as_mut().and_then(|x| x.ecn.as_mut()) else { return true };
        let news = !ecn.has_answered(self.una);
        if news {
            ecn.reduced(self.nxt);
        }
        news
    }

    /// The window has been reduced.
    pub(super) fn reduced(&mut self) {
        if let Some(ecn) = self.extras.as_mut().and_then(|x| x.ecn.as_mut()) {
            ecn.reduced(self.nxt);
        }
    }
}
