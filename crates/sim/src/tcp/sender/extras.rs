//! What a sender does besides, where it was asked to. The code of a sender that was not does not know of it: what is hot is
//! compiled twice, and one look at each acknowledgement tells which is meant.

use eddyline_cc::{AnyController, Controller as _, Loss, Marks};
use eddyline_path::Ecn;
use eddyline_scenario::network::{AccurateEcn, TcpOptions};
use eddyline_units::Time;

use super::ack_ratio::{AckRatio, Heard};
use super::card::Card;
use super::early::Early;
use super::ecn::EcnSender;
use super::frto::Frto;
use super::prr::{Delivery, Prr};
use super::{Episode, Sender};
use crate::engine::{Aside, Flags, Packet};
use crate::tcp::MarkedBytes;

/// Options of a sender.
#[derive(Debug, Clone)]
pub struct Extras {
    pub ecn: Option<EcnSender>,
    pub prr: Option<Prr>,
    pub early: Option<Early>,
    pub frto: Option<Frto>,
    pub ack_ratio: Option<AckRatio>,
    /// The controller says how many segments are to be acknowledged together.
    asks: bool,
    /// The controller estimates the retransmission timeout.
    pub own_timeout: bool,
    pub card: Option<Card>,
    /// A timeout was undone by the present acknowledgement.
    pub undone: bool,
}

/// The sender's numbers before an acknowledgement.
#[derive(Debug, Clone, Copy)]
pub struct Before {
    pub una: u64,
    /// Bytes acknowledged, cumulatively and selectively.
    pub acknowledged: u64,
    /// Bytes that duplicate acknowledgements stand for, without SACK.
    pub duplicate_bytes: u64,
    /// Bytes ever found lost.
    pub lost: u64,
    /// Nothing was known to be missing.
    pub in_order: bool,
}

impl Extras {
    /// None unless some option is on, or the controller wants it.
    pub fn of(options: &TcpOptions, mss: u32, controller: &AnyController) -> Option<Box<Self>> {
        let most_ack_delay = if options.ack_every > 1 { options.ack_timer } else { Time::ZERO };
        let extras = Self {
            ecn: options.ecn.then(|| {
                let accurate = options.accurate_ecn != AccurateEcn::Off;
                EcnSender::new(accurate, mss, controller.ecn_response())
            }),
            prr: options.prr.then(|| Prr::new(mss)),
            early: options.rack.then(|| Early::new(most_ack_delay)),
            frto: options.frto.then(|| Frto::new(options.sack)),
            ack_ratio: options.ack_congestion_control.then(AckRatio::default),
            asks: options.ack_ratio_by_controller,
            own_timeout: controller.retransmission_timeout(options.min_rto).is_some(),
            card: Card::of(options.local),
            undone: false,
        };
        let parts = extras.ecn.is_some() || extras.prr.is_some() || extras.early.is_some() || extras.frto.is_some();
        let any = parts
            || extras.own_timeout
            || extras.asks
            || extras.ack_ratio.is_some()
            || extras.card.is_some()
            || options.timestamps
            || !options.limited_transmit;
        any.then(|| Box::new(extras))
    }
}

impl Sender {
    /// Everything about an acknowledgement that options add, before the controller hears of it. Gives whether the window
    /// must not grow by it.
    pub(super) fn on_extras(&mut self, now: Time, packet: &Packet, before: Before, sample: Option<Time>) -> bool {
        self.measure_early(sample);
        self.hear_of_acknowledgements(packet, before);
        let marked = self.on_echo(now, packet, before);
        let undone = self.extras.as_mut().is_some_and(|x| std::mem::take(&mut x.undone));
        // RFC 3168, 6.1.2: no growth on an echo; RFC 9937, 6.4: nor while the window is being reduced; RFC 4015, 3.2: nor beyond
        // what it was set to
        let reducing = self.extras.as_ref().and_then(|x| x.card.as_ref()).is_some_and(|c| c.is_reducing(self.una));
        self.reduce_in_proportion(before) || marked || undone || reducing
    }

    /// The controller has heard a sample: its timeout may be another now.
    pub(super) fn take_own_timeout(&mut self) {
        if self.extras.as_ref().is_some_and(|x| x.own_timeout)
            && let Some(timeout) = self.controller.retransmission_timeout(self.rto.least())
        {
            self.rto.replace(timeout);
        }
    }

    /// A data packet leaves, for the first time or again: completes its flags, gives what it says besides.
    pub(super) fn send_with_extras(&mut self, now: Time, seq: u64, len: u64, flags: &mut Flags) -> Aside {
        if self.by_time && !flags.retransmission() {
            self.board.sent(now, seq, seq + len);
            self.schedule_probe(now);
        }
        let window = self.controller.window();
        let wanted = self.controller.ack_ratio();
        let Some(extras) = &mut self.extras else { return Aside::default() };
        if let Some(prr) = &mut extras.prr {
            prr.on_sent(len);
        }
        if let Some(ecn) = &mut extras.ecn {
            ecn.label(flags);
        }
        match (&extras.ack_ratio, wanted.filter(|_| extras.asks)) {
            (Some(ratio), _) => Aside::ack_ratio(ratio.ask(window)),
            (None, Some(ratio)) => Aside::ack_ratio(ratio.max(1)),
            (None, None) => Aside::default(),
        }
    }

    /// What the acknowledgement says of others: lost ones and marked ones.
    fn hear_of_acknowledgements(&mut self, packet: &Packet, before: Before) {
        let heard = Heard {
            una: self.una,
            nxt: self.nxt,
            segments: (self.una - before.una).div_ceil(self.mss.into()),
            recovering: !before.in_order || self.episode != Episode::None || self.board.sacked() > 0,
            marked: packet.flags.ecn() == Ecn::Ce,
            window: self.controller.window(),
        };
        if let Some(ratio) = self.extras.as_mut().and_then(|x| x.ack_ratio.as_mut()) {
            ratio.on_ack(&heard);
        }
    }

    /// Bytes that may be in flight while the window is being reduced in proportion.
    pub(super) fn reduction_limit(&self) -> Option<u64> {
        self.extras.as_ref()?.prr.as_ref()?.limit()
    }

    /// The acknowledgement that comes next has the AccECN option.
    #[cold]
    pub fn read_option(&mut self, option: MarkedBytes) {
        if let Some(ecn) = self.extras.as_mut().and_then(|x| x.ecn.as_mut()) {
            ecn.expect(option);
        }
    }

    /// Packets ever reported as marked, where accurate ECN reports them.
    pub fn delivered_ce(&self) -> Option<f64> {
        self.extras.as_ref()?.ecn.as_ref()?.delivered_ce()
    }

    /// ECE (RFC 3168, 6.1.2), or counts of marks (RFC 9768); gives whether the acknowledgement tells of marks that forbid growth.
    fn on_echo(&mut self, now: Time, packet: &Packet, before: Before) -> bool {
        let acknowledged = self.una + self.board.sacked();
        let bytes = acknowledged.saturating_sub(before.acknowledged);
        // without SACK some of it has been delivered by what duplicates stand for
        let delivered =
            (acknowledged + self.duplicate_bytes).saturating_sub(before.acknowledged + before.duplicate_bytes);
        let ecn = self.extras.as_mut().and_then(|x| x.ecn.as_mut());
        let Some(ecn) = ecn.filter(|e| e.agreed()) else { return false };
        let option = ecn.take_option();
        if packet.seq < before.una {
            // overtaken: its counts are of the past
            return false;
        }
        let (news, by_share) = (ecn.is_news(self.una), ecn.goes_by_share());
        let marked = match ecn.count(packet.flags, option, delivered) {
            Some(marked) => {
                let acked = bytes as f64 * self.packets_per_byte;
                self.controller.on_marks(&Marks { now, sent_at: packet.sent_at, acked, marked });
                marked > 0.0
            }
            None => packet.flags.ece(),
        };
        if marked && news {
            let window = self.controller.window();
            // FlightSize as it was before this acknowledgement
            let flight_size = ((self.nxt - before.una) as f64 * self.packets_per_byte).min(window);
            self.controller.on_ecn(&Loss { now, flight_size });
            if self.controller.window() < window || !by_share {
                self.count_reduction(now);
            }
        }
        marked && !by_share
    }

    /// Proportional rate reduction; gives whether it is under way.
    fn reduce_in_proportion(&mut self, before: Before) -> bool {
        let (una, in_flight) = (self.una, self.pipe());
        let bytes = (una + self.board.sacked()).saturating_sub(before.acknowledged);
        let safe = una > before.una && self.board.ever_lost() == before.lost;
        let Some(prr) = self.extras.as_mut().and_then(|x| x.prr.as_mut()) else { return false };
        prr.on_ack(una, &Delivery { bytes, in_flight, safe });
        prr.works()
    }

    /// Whether a loss that is noticed now is a new reason to reduce the window: not if a mark, or a full card, was one since it
    /// was sent.
    pub(super) fn reduces(&self) -> bool {
        self.extras.as_ref().is_none_or(|x| {
            !x.ecn.as_ref().is_some_and(|ecn| !ecn.goes_by_share() && ecn.has_answered(self.una))
                && !x.card.as_ref().is_some_and(|card| card.has_answered(self.una))
        })
    }

    /// The controller has reduced the window for a loss or a mark.
    pub(super) fn count_reduction(&mut self, now: Time) {
        let outstanding = (self.nxt - self.una).saturating_sub(self.board.sacked());
        let target = (self.controller.window() * f64::from(self.mss)) as u64;
        let nxt = self.nxt;
        let Some(extras) = &mut self.extras else { return };
        if let Some(ecn) = &mut extras.ecn {
            ecn.reduced(nxt);
        }
        if let Some(prr) = &mut extras.prr {
            prr.begin(target, outstanding, nxt);
        }
        self.note_reduction(now);
    }

    /// The retransmission timer has expired and the window is reduced.
    pub(super) fn timed_out(&mut self, now: Time) {
        let Some(extras) = &mut self.extras else { return };
        if let Some(ecn) = &mut extras.ecn {
            ecn.reduced(self.nxt);
        }
        if let Some(prr) = &mut extras.prr {
            prr.stop();
        }
        if let Some(ratio) = &mut extras.ack_ratio {
            ratio.on_timeout(self.nxt);
        }
        self.note_reduction(now);
    }
}
