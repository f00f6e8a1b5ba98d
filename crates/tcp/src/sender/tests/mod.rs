//! A sender driven by hand-made acknowledgements: segments of 1,000 bytes, a round trip of 100 ms, and a wire that keeps what is
//! sent.

mod acks;
mod ecn;
mod frto;
mod handshake;
mod newreno;
mod pacing;
mod prr;
mod rack;
mod sack;

use eddyline_cc::{Controller as _, ControllerParams, PathFacts};
use eddyline_units::Time;

use super::{SegmentSink, Sender};
use crate::accecn_option::SYN_NOT_ECT;
use crate::config::{Application, Config, Pacing, Transfer};
use crate::segment::{Acknowledgement, SackBlocks, Segment, SegmentFlags, SegmentKind};
use crate::test_config::config;

const MSS: u64 = 1000;
const RTT: Time = Time::from_ms(100);

/// Segments sent and not yet inspected.
#[derive(Debug, Default)]
struct Wire(Vec<Segment>);

impl SegmentSink for Wire {
    fn send(&mut self, segment: Segment) {
        self.0.push(segment);
    }
}

/// A sender with its clock and its wire.
struct Bench {
    sender: Sender,
    now: Time,
    wire: Wire,
}

/// A segment as tests write it: its number, and whether it is a retransmission.
type Sent = (u64, bool);

/// Unlimited data from time zero on.
const BULK: Transfer = Transfer { application: Application::Bulk, start: Time::ZERO, stop: None, size: None };

/// NewReno with default parameters.
fn newreno() -> ControllerParams {
    serde_json::from_value(serde_json::json!({ "kind": "newreno" })).expect("a kind")
}

fn facts(config: &Config) -> PathFacts {
    PathFacts {
        mss: config.mss,
        packet_bytes: config.mss + 40,
        ack_bytes: 40,
        ack_ratio: config.ack_every,
        initial_window: f64::from(config.initial_window),
        known_base_rtt: Some(RTT),
        byte_counting: None,
        paced: config.pacing == Pacing::On,
    }
}

impl Bench {
    /// A connection that has not been opened.
    fn closed(options: &str, transfer: &Transfer, controller: &ControllerParams) -> Self {
        let config = config(options);
        let sender = Sender::new(&config, transfer, controller.build(&facts(&config)));
        Self { sender, now: Time::ZERO, wire: Wire::default() }
    }

    /// A NewReno connection that has just sent its initial window.
    fn open(options: &str) -> Self {
        Self::open_with(options, &BULK, &newreno())
    }

    /// The same with another application or controller.
    fn open_with(options: &str, transfer: &Transfer, controller: &ControllerParams) -> Self {
        let mut bench = Self::closed(options, transfer, controller);
        bench.sender.on_timer(Time::ZERO, &mut bench.wire);
        let syn = bench.wire.0.pop().expect("a SYN");
        assert_eq!(syn.kind, SegmentKind::Syn);
        bench.now = RTT;
        // a receiver with the same options accepts what the SYN proposes
        let mut flags = SegmentFlags::default();
        flags.set_ece(syn.flags.ece());
        if syn.flags.ace() == 0b111 {
            flags.set_ace(SYN_NOT_ECT);
        }
        bench.sender.on_syn_ack(RTT, Time::ZERO, flags, &mut bench.wire);
        bench
    }

    /// Segments sent since the last call.
    fn sent(&mut self) -> Vec<Segment> {
        std::mem::take(&mut self.wire.0)
    }

    /// The same as numbers of segments.
    fn numbers(&mut self) -> Vec<Sent> {
        self.sent().into_iter().map(|s| (s.seq / MSS, s.flags.retransmission())).collect()
    }

    /// An acknowledgement of all segments below `number` arrives, with SACK blocks in segments.
    fn ack(&mut self, number: u64, blocks: &[(u64, u64)]) {
        self.ack_with(number, blocks, |_| {});
    }

    fn ack_with(&mut self, number: u64, blocks: &[(u64, u64)], change: impl Fn(&mut Acknowledgement)) {
        let blocks: Vec<_> = blocks.iter().map(|(start, end)| (start * MSS, end * MSS)).collect();
        self.ack_bytes_with(number * MSS, &blocks, change);
    }

    /// The same in bytes.
    fn ack_bytes(&mut self, number: u64, blocks: &[(u64, u64)]) {
        self.ack_bytes_with(number, blocks, |_| {});
    }

    fn ack_bytes_with(&mut self, number: u64, blocks: &[(u64, u64)], change: impl Fn(&mut Acknowledgement)) {
        let mut sacks: SackBlocks = [(0, 0); 3];
        for (slot, block) in sacks.iter_mut().zip(blocks) {
            *slot = *block;
        }
        let mut ack = Acknowledgement {
            number,
            sent_at: self.now.saturating_sub(RTT),
            received_at: Time::ZERO,
            stamp: 0.0,
            flags: SegmentFlags::default(),
            piggybacked: false,
        };
        change(&mut ack);
        let blocks = (!blocks.is_empty()).then_some(sacks);
        self.sender.on_ack(self.now, ack, blocks.as_ref(), &mut self.wire);
    }

    /// Time advances to `ms` milliseconds; timers that expire on the way are run.
    fn wait_until(&mut self, ms: u64) {
        let until = Time::from_ms(ms);
        while self.sender.next_timer() <= until {
            self.now = self.sender.next_timer();
            self.sender.on_timer(self.now, &mut self.wire);
        }
        self.now = until;
    }

    /// Bytes in flight.
    fn pipe(&self) -> u64 {
        self.sender.tx.recovery.pipe(&self.sender.tx.seq)
    }

    fn window(&self) -> f64 {
        self.sender.controller().window()
    }
}

/// A new segment.
fn new(number: u64) -> Sent {
    (number, false)
}

/// A retransmission.
fn resent(number: u64) -> Sent {
    (number, true)
}
