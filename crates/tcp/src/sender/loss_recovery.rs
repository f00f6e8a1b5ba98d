//! Loss detection and recovery: what is lost, what is retransmitted, and when an episode is over.
//!
//! Detection is RACK-TLP (RFC 8985), the scoreboard of RFC 6675, or duplicate acknowledgements without SACK (RFC 5681, 6582).
//! The first segment of a recovery is retransmitted at once, all others while the bytes in flight ("pipe") are below the
//! window.

mod by_time;

use std::mem::offset_of;

use eddyline_cc::{AnyController, Controller as _};
use eddyline_units::Time;

use super::application::ApplicationSource;
use super::congestion::{Congestion, LimitedBy};
use super::duplicate_acks::{Action, DUP_THRESH, DuplicateAcks};
use super::episode::Episode;
use super::frto::{Frto, FrtoAck, Verdict};
use super::prr::{Delivery, Prr};
use super::rack::ReorderingState;
use super::rack_tlp::RackTlp;
use super::rto::RetransmissionTimer;
use super::scoreboard::Scoreboard;
use super::sequence::{PriorState, SendSequence};
use crate::config::Config;
use crate::segment::{Acknowledgement, SackBlocks};

/// How losses are detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detection {
    DuplicateAcks,
    Sack,
    Rack,
}

/// The parts of the sender that loss recovery uses.
#[derive(Debug)]
pub struct Connection<'a> {
    pub seq: SendSequence,
    pub application: &'a ApplicationSource,
    pub rto: &'a mut RetransmissionTimer,
    pub congestion: &'a mut Congestion,
}

/// Loss detection and recovery of a sender.
// what every acknowledgement reads is last, from the sums of the scoreboard on
#[derive(Debug)]
#[repr(C)]
pub struct LossRecovery {
    /// The episode is over when all below is acknowledged.
    recovery_point: u64,
    /// In an episode: losses from here on, of data sent since the window was last reduced, are a new event (RFC 5681, 4.3).
    new_event_from: u64,
    /// DupAcks of RFC 6675: acknowledgements with new selective ones since the last advance, outside of recoveries.
    duplicate_sacks: u32,
    frto: Option<Box<Frto>>,
    prr: Option<Box<Prr>>,
    board: Scoreboard,
    duplicates: DuplicateAcks,
    rack_tlp: Option<Box<RackTlp>>,
    episode: Episode,
    /// The first outstanding segment is to be retransmitted, whatever the window.
    retransmit_first: bool,
    detection: Detection,
    timestamps: bool,
    limited_transmit: bool,
    /// F-RTO has undone a timeout with the current acknowledgement.
    undone: bool,
}

impl LossRecovery {
    /// The first byte that acknowledgements usually touch.
    pub const TOUCHED_FROM: usize = offset_of!(Self, board) + Scoreboard::SUMS;

    /// Nothing outstanding.
    pub fn new(config: &Config, controller: &AnyController) -> Self {
        let max_ack_delay = if config.ack_every > 1 { config.ack_timer } else { Time::ZERO };
        Self {
            board: Scoreboard::new(config.rack),
            duplicates: DuplicateAcks::new(controller.partial_ack(), config),
            episode: Episode::None,
            recovery_point: 0,
            retransmit_first: false,
            detection: match (config.rack, config.sack) {
                (true, _) => Detection::Rack,
                (false, true) => Detection::Sack,
                (false, false) => Detection::DuplicateAcks,
            },
            timestamps: config.timestamps,
            limited_transmit: config.limited_transmit,
            rack_tlp: config.rack.then(|| Box::new(RackTlp::new(max_ack_delay))),
            frto: config.frto.then(|| Box::new(Frto::new(config.sack))),
            prr: (config.prr && !controller.controls_recovery()).then(|| Box::new(Prr::new(config.mss))),
            undone: false,
            new_event_from: 0,
            duplicate_sacks: 0,
        }
    }

    /// Whether anything beyond the scoreboard and duplicate acknowledgements is in use.
    pub fn has_options(&self) -> bool {
        let parts = self.rack_tlp.is_some() || self.frto.is_some() || self.prr.is_some();
        parts || self.timestamps || !self.limited_transmit
    }

    /// The current episode.
    #[inline]
    pub fn episode(&self) -> Episode {
        self.episode
    }

    /// Whether an acknowledgement that just advances needs no accounting: no episode, nothing selectively acknowledged, no
    /// duplicates.
    #[inline]
    pub fn is_in_order(&self) -> bool {
        self.episode == Episode::None && self.board.sacked() == 0 && self.duplicates.count() == 0
    }

    /// Whether RACK needs every acknowledgement.
    #[inline]
    pub fn uses_rack(&self) -> bool {
        self.detection == Detection::Rack
    }

    /// Whether RACK has seen reordering.
    pub fn has_seen_reordering(&self) -> bool {
        self.rack_tlp.as_ref().is_some_and(|rack| rack.has_seen_reordering())
    }

    /// The counters before an acknowledgement is processed; `in_order` only with `options`, which need it.
    #[inline(always)]
    pub fn prior_state(&self, seq: &SendSequence, options: bool) -> PriorState {
        PriorState {
            una: seq.una,
            acknowledged: seq.una + self.board.sacked(),
            duplicate_bytes: self.duplicates.bytes(),
            lost: self.board.ever_lost(),
            in_order: options && self.episode == Episode::None && self.board.sacked() == 0,
        }
    }

    /// Bytes selectively acknowledged.
    #[inline]
    pub fn sacked(&self) -> u64 {
        self.board.sacked()
    }

    /// Bytes ever marked lost.
    #[inline]
    pub fn ever_lost(&self) -> u64 {
        self.board.ever_lost()
    }

    /// Bytes that duplicate acknowledgements represent.
    #[inline]
    pub fn duplicate_bytes(&self) -> u64 {
        self.duplicates.bytes()
    }

    /// Bytes estimated to be in flight (the "pipe" of RFC 6675).
    #[inline]
    pub fn pipe(&self, seq: &SendSequence) -> u64 {
        seq.outstanding().saturating_sub(self.board.sacked() + self.board.lost() + self.duplicates.bytes())
    }

    /// Bytes in flight as far as they limit new data: without limited transmit (RFC 3042) duplicates allow nothing.
    pub fn pipe_for_new_data(&self, seq: &SendSequence) -> u64 {
        if self.limited_transmit || self.episode != Episode::None { self.pipe(seq) } else { seq.outstanding() }
    }

    /// Whether something is to be retransmitted.
    #[inline]
    pub fn has_lost(&self) -> bool {
        self.board.lost() > 0
    }

    /// The next range to retransmit, at most `max` bytes of it.
    pub fn next_retransmission(&mut self, max: u64) -> Option<(u64, u64)> {
        self.board.next_hole(max)
    }

    /// Whether the next retransmission does not wait for the window.
    #[inline]
    pub fn retransmits_at_once(&self) -> bool {
        self.retransmit_first
    }

    /// Bytes that may be in flight while PRR reduces the window.
    pub fn reduction_limit(&self) -> Option<u64> {
        self.prr.as_ref()?.limit()
    }

    /// The window in bytes while PRR reduces it.
    pub fn reduced_window(&self) -> Option<u64> {
        self.prr.as_ref()?.window()
    }

    /// The last outstanding segment, with RACK.
    pub fn last_segment(&mut self) -> Option<(u64, u64)> {
        self.board.transmissions()?.last()
    }

    /// `[start, end)` is sent for the first time.
    pub fn on_sent(&mut self, now: Time, start: u64, end: u64) {
        self.board.sent(now, start, end);
    }

    /// `[start, end)` is retransmitted.
    pub fn on_retransmitted(&mut self, now: Time, start: u64, end: u64) {
        self.board.retransmitted(now, start, end);
        self.retransmit_first = false;
    }

    /// Data was sent, new or not.
    pub fn on_data_sent(&mut self, len: u64) {
        if let Some(prr) = &mut self.prr {
            prr.on_sent(len);
        }
    }

    /// Uses one of the new segments that F-RTO may send although the window is full.
    pub fn take_frto_credit(&mut self) -> bool {
        self.frto.as_mut().is_some_and(|f| f.take_credit())
    }

    /// An acknowledgement arrived: reads its DSACK.
    pub fn read_dsack(&mut self, number: u64, blocks: Option<&SackBlocks>) {
        if let Some(rack) = &mut self.rack_tlp {
            rack.read_dsack(number, blocks);
        }
    }

    /// Processes an acknowledgement except for the advance of `una`: duplicates, SACK blocks, losses, episodes.
    #[cold]
    pub fn on_ack(
        &mut self,
        now: Time,
        ack: &Acknowledgement,
        blocks: Option<&SackBlocks>,
        prior: &PriorState,
        connection: &mut Connection<'_>,
    ) {
        let seq = connection.seq;
        let (advanced, by) = (seq.una > prior.una, seq.una - prior.una);
        self.board.advance(seq.una);
        let measures = self.timestamps && !advanced && self.detection == Detection::Sack;
        let before = if measures { self.board.sacked_first_copies(seq.nxt) } else { 0 };
        let mut sacked = 0;
        for (start, end) in blocks.into_iter().flatten().filter(|(_, end)| *end > seq.una) {
            sacked += self.board.sack((*start).max(seq.una), (*end).min(seq.nxt));
        }
        if measures && self.board.sacked_first_copies(seq.nxt) > before {
            // Linux takes a sample from the time at which it sent such a packet; the echo is of another (RFC 7323, 4.1)
            connection.rto.end_back_off();
        }
        // overtaken by a later acknowledgement, or on data: no duplicate (RFC 5681, section 2)
        let no_duplicate = ack.piggybacked || ack.number < seq.una;
        let recovered = self.episode != Episode::None && seq.una >= self.recovery_point;
        if recovered {
            self.end_episode(now, by, connection);
        } else if self.episode == Episode::AfterTimeout {
            self.run_frto(advanced, no_duplicate, prior, connection);
        }
        match self.detection {
            Detection::Rack => {
                self.detect_by_time(now, ack, advanced, recovered, connection);
                let duplicate = !advanced && blocks.is_none() && !no_duplicate;
                self.on_probe_ack(now, ack.number, duplicate, connection);
            }
            // the next packets after a timeout that may be spurious are to be new ones (RFC 5682, 3.1, step 2b)
            Detection::Sack if self.is_undecided() => {}
            Detection::Sack => {
                self.count_duplicate_sacks(advanced, sacked > 0, &seq);
                self.detect_by_sack(now, connection);
            }
            Detection::DuplicateAcks if advanced || !no_duplicate => {
                let action = if advanced {
                    self.duplicates.on_advance(seq.mss, by, self.episode, recovered)
                } else {
                    self.duplicates.on_duplicate(&seq, self.episode, self.recovery_point)
                };
                self.apply(now, action, connection);
                connection.rto.hold(now, self.duplicates.hold_timer());
            }
            Detection::DuplicateAcks => {}
        }
    }

    /// The third duplicate acknowledgement marks the first segment lost, however few bytes the segments above it have (RFC 6675, 5,
    /// step 1).
    fn count_duplicate_sacks(&mut self, advanced: bool, sacks: bool, seq: &SendSequence) {
        if advanced {
            self.duplicate_sacks = 0;
        }
        if sacks && self.episode == Episode::None {
            self.duplicate_sacks += 1;
            if self.duplicate_sacks >= DUP_THRESH {
                self.board.lose_first(seq.una, seq.mss);
            }
        }
    }

    /// In a recovery with nothing else to send: the next hole below what is selectively acknowledged counts as lost if the window has
    /// room for it (RFC 6675, 4, rule 3 of NextSeg); returns whether there was one.
    #[cold]
    #[inline(never)]
    pub fn presume_lost(&mut self, seq: &SendSequence, limit: u64) -> bool {
        self.detection == Detection::Sack
            && self.pipe(seq) + u64::from(seq.mss) <= limit
            && self.board.lose_next(seq.mss)
    }

    /// With SACK and without RACK: marks what is lost (RFC 6675), and responds to a new event.
    ///
    /// A loss of data sent since the window was reduced is a second event (RFC 5681, 4.3). During a recovery it begins the next one.
    /// After a timeout no recovery may begin until all that was outstanding then is acknowledged (RFC 6675, 5.1); the loss reduces
    /// the window nevertheless.
    fn detect_by_sack(&mut self, now: Time, connection: &mut Connection<'_>) {
        if !self.board.detect(connection.seq.mss) {
            return;
        }
        let known = self.episode != Episode::None;
        let first = if known { self.board.first_lost_from(self.new_event_from) } else { Some(connection.seq.una) };
        let Some(first) = first else { return };
        let new_event = connection.congestion.is_new_event(first);
        if self.episode != Episode::AfterTimeout {
            self.enter_recovery(now, new_event, connection);
        } else if new_event {
            self.new_event_from = connection.seq.nxt;
            self.reduce_at_once(now, connection);
        }
    }

    /// A loss reduces the window without a recovery of its own.
    fn reduce_at_once(&mut self, now: Time, connection: &mut Connection<'_>) {
        connection.congestion.on_loss(now, &connection.seq);
        connection.congestion.controller_mut().on_recovered(now);
        self.on_reduction(now, &connection.seq, connection.congestion);
    }

    fn apply(&mut self, now: Time, action: Action, connection: &mut Connection<'_>) {
        let seq = connection.seq;
        match action {
            Action::None => {}
            Action::EnterRecovery => {
                self.board.lose_below(seq.first_end());
                let new_event = connection.congestion.is_new_event(seq.una);
                self.enter_recovery(now, new_event, connection);
            }
            Action::RetransmitFirst => {
                self.board.lose_below(seq.first_end());
                self.retransmit_first = true;
            }
            Action::LeaveRecovery => {
                connection.congestion.controller_mut().on_recovered(now);
                self.episode = Episode::None;
                self.retransmit_first = false;
                self.board.begin_episode(seq.una);
            }
        }
    }

    /// Recovery begins; the window is reduced if the loss is a new congestion event.
    fn enter_recovery(&mut self, now: Time, new_event: bool, connection: &mut Connection<'_>) {
        if new_event {
            connection.congestion.on_loss(now, &connection.seq);
            self.on_reduction(now, &connection.seq, connection.congestion);
        }
        self.episode = Episode::Recovery;
        self.recovery_point = connection.seq.nxt;
        self.new_event_from = connection.seq.nxt;
        // RFC 5681, 3.2 step 3 and RFC 6675, 5 step 4.3: the first segment does not wait for the window
        self.retransmit_first = true;
    }

    fn end_episode(&mut self, now: Time, by: u64, connection: &mut Connection<'_>) {
        let controller = connection.congestion.controller_mut();
        match self.episode {
            Episode::Recovery => controller.on_recovered(now),
            Episode::AfterTimeout => controller.on_timeout_recovered(),
            Episode::None => {}
        }
        self.duplicates.on_recovered(&connection.seq, by, self.episode == Episode::AfterTimeout);
        self.episode = Episode::None;
        self.retransmit_first = false;
        if let Some(frto) = &mut self.frto {
            frto.reset();
        }
    }

    /// The controller has reduced its window for a loss or a mark, and does not for losses of what was sent before.
    pub fn on_reduction(&mut self, now: Time, seq: &SendSequence, congestion: &mut Congestion) {
        self.on_reduction_by_share(seq, congestion);
        if let Some(rack) = &mut self.rack_tlp {
            rack.on_reduction(now);
        }
    }

    /// The controller has reduced its window by the share of marks, and responds to losses beside them (RFC 8257, 3.5).
    pub fn on_reduction_by_share(&mut self, seq: &SendSequence, congestion: &mut Congestion) {
        congestion.on_reduction(seq.nxt);
        if let Some(prr) = &mut self.prr {
            let outstanding = seq.outstanding().saturating_sub(self.board.sacked());
            prr.begin(congestion.window_bytes(), outstanding, seq.nxt);
        }
    }

    /// The retransmission timer expired and the controller has processed that: marks what is lost.
    pub fn on_timeout(&mut self, now: Time, seq: &SendSequence, srtt: Option<Time>, repeated: bool) {
        if let Some(prr) = &mut self.prr {
            prr.stop();
        }
        if let Some(rack) = &mut self.rack_tlp {
            rack.on_timeout(now, repeated);
        }
        let recovering = self.episode != Episode::None;
        self.episode = Episode::AfterTimeout;
        self.recovery_point = seq.nxt;
        self.new_event_from = seq.nxt;
        self.duplicates.clear();
        self.duplicate_sacks = 0;
        // F-RTO: only the first segment is retransmitted, whatever is believed to be in flight
        let only_first = self.frto.as_mut().is_some_and(|f| f.on_timeout(recovering, seq.first_end()));
        self.retransmit_first = only_first;
        let sacked = self.board.transmissions().map_or(0, |t| t.sacked());
        let Some(rack) = &mut self.rack_tlp else {
            self.board.begin_episode(seq.una);
            self.board.lose_below(if only_first { seq.first_end() } else { seq.nxt });
            return;
        };
        let state = ReorderingState {
            una: seq.una,
            nxt: seq.nxt,
            srtt,
            sacked,
            recovering: true,
            recovered: false,
            dsack: false,
        };
        let timeout = if only_first { Time::MAX } else { rack.loss_timeout(&state) };
        self.board.detect_after_timeout(now, timeout);
        self.retransmit_first = true;
    }

    /// Runs F-RTO on an acknowledgement after a timeout that leaves data sent before it outstanding. One that is no duplicate and
    /// delivers nothing is ignored.
    fn run_frto(&mut self, advanced: bool, no_duplicate: bool, prior: &PriorState, connection: &mut Connection<'_>) {
        let seq = connection.seq;
        let acknowledged = seq.una + self.board.sacked();
        let Some(frto) = &mut self.frto else { return };
        if no_duplicate && acknowledged == prior.acknowledged {
            return;
        }
        let next = u64::from(seq.mss).min(connection.application.unsent(seq.nxt));
        let verdict = frto.on_ack(&FrtoAck {
            una: seq.una,
            advanced,
            delivers: acknowledged > prior.acknowledged,
            highest: self.board.highest().unwrap_or(seq.una),
            nxt: seq.nxt,
            may_send: next > 0 && seq.has_receive_window(next),
        });
        match verdict {
            Verdict::Wait | Verdict::SendNew => {}
            Verdict::Conventional => {
                // without SACK nothing tells which of the new segments arrived: all are retransmitted
                if self.detection == Detection::DuplicateAcks {
                    self.recovery_point = seq.nxt;
                }
                self.board.lose_below(self.recovery_point);
                // the application did not hold back what is lost
                connection.congestion.set_limited_by(LimitedBy::Window);
            }
            Verdict::Spurious => {
                self.board.clear_lost();
                self.episode = Episode::None;
                self.undone = true;
                if let Some(rack) = &mut self.rack_tlp {
                    rack.on_spurious_timeout();
                }
                let delivered = acknowledged.saturating_sub(prior.acknowledged);
                connection.congestion.on_spurious_timeout(self.pipe(&seq), delivered);
            }
        }
    }

    /// Whether F-RTO does not know yet if the last timeout was spurious.
    fn is_undecided(&self) -> bool {
        self.frto.as_ref().is_some_and(|f| f.is_undecided())
    }

    /// Returns whether the current acknowledgement undid a timeout.
    pub fn take_undone(&mut self) -> bool {
        std::mem::take(&mut self.undone)
    }

    /// A round-trip sample was taken.
    pub fn on_sample(&mut self, rtt: Time) {
        if let Some(rack) = &mut self.rack_tlp {
            rack.on_sample(rtt);
        }
    }

    /// PRR processes what an acknowledgement delivered; returns whether the window is being reduced.
    pub fn reduce_in_proportion(&mut self, seq: &SendSequence, prior: &PriorState) -> bool {
        let in_flight = self.pipe(seq);
        let bytes = (seq.una + self.board.sacked()).saturating_sub(prior.acknowledged);
        let safe = seq.una > prior.una && self.board.ever_lost() == prior.lost;
        let Some(prr) = &mut self.prr else { return false };
        prr.on_ack(seq.una, &Delivery { bytes, in_flight, safe });
        prr.is_reducing()
    }
}
