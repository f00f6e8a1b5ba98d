//! What the application offers and when: start, bursts, stop, size.

use eddyline_scenario::network::Application;
use eddyline_units::Time;

use super::{Segment, Sender, State, Wire};
use crate::engine::{Aside, Flags, Kind};

impl Sender {
    pub(super) fn on_application(&mut self, now: Time, wire: &mut impl Wire) {
        if self.state == State::Idle {
            self.state = State::SynSent;
            self.rto_at = now.saturating_add(self.rto.timeout());
            self.send_syn(now, wire);
        }
        if now >= self.stop {
            // what was not sent never will be; a FIN that has left keeps its number
            self.offered = self.offered.min(self.nxt);
            self.closing = true;
            self.set_application(Time::MAX);
            return;
        }
        match self.application {
            Application::Bulk => {
                self.offered = self.size;
                self.set_application(self.stop);
            }
            Application::Bursts { bytes, every } => {
                self.offered = self.offered.saturating_add(bytes).min(self.size);
                self.set_application(now.saturating_add(every).min(self.stop));
            }
            Application::Objects { bytes } => {
                if self.una == self.offered {
                    self.offered = self.offered.saturating_add(bytes).min(self.size);
                }
                self.set_application(self.stop);
            }
        }
        if self.offered == self.size && self.size != u64::MAX {
            self.closing = true;
            self.set_application(self.stop);
        }
    }

    /// The first SYN, or one more.
    pub(super) fn send_syn(&mut self, now: Time, wire: &mut impl Wire) {
        if self.is_syn_refused(now, wire) {
            return;
        }
        let mut flags = Flags::default();
        flags.set_retransmission(self.syn_resent);
        if let Some(ecn) = self.extras.as_ref().and_then(|x| x.ecn.as_ref()) {
            ecn.propose(&mut flags);
        }
        wire.segment(Segment { kind: Kind::Syn, seq: 0, payload: 0, flags, stamp: 0.0, aside: Aside::default() });
    }
}
