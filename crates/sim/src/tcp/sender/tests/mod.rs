//! A sender against acknowledgements made by hand: segments of 1,000 bytes, a round trip of 100 ms, and a wire that keeps
//! what is sent.

mod acks;
mod ecn;
mod frto;
mod newreno;
mod pacing;
mod prr;
mod rack;

use eddyline_scenario::{Format, Input, load};
use eddyline_units::Time;

use super::{Segment, Sender, Wire};
use crate::engine::{Aside, Flags, Kind, Packet};
use crate::tcp::SackBlocks;
use eddyline_cc::Controller as _;

const MSS: u64 = 1000;
const RTT: Time = Time::from_ms(100);

/// What was sent and not looked at yet.
#[derive(Debug, Default)]
struct Kept(Vec<Segment>);

impl Wire for Kept {
    fn segment(&mut self, segment: Segment) {
        self.0.push(segment);
    }
}

/// A sender, its clock and its wire.
struct Bench {
    sender: Sender,
    now: Time,
    wire: Kept,
}

/// A segment as tests write it: its number, and whether it is sent again.
type Sent = (u64, bool);

impl Bench {
    /// A flow with the keys `flow` that has not begun.
    fn closed(flow: &str) -> Self {
        let text = format!(
            "duration = \"1 s\"\n[[link]]\nname = \"l\"\nrate = \"1 Gbit/s\"\ndelay = \"50 ms\"\n\
             [[flow]]\nname = \"f\"\ndata = [\"l\"]\nack = [\"l\"]\npacket = \"1040 B\"\n{flow}\n"
        );
        let input = Input { text: &text, format: Format::Toml, name: "bench.toml", folder: None };
        let network = load(&input, &[]).unwrap_or_else(|e| panic!("{e}")).network;
        let spec = &network.flows[0];
        let sender = Sender::new(spec, spec.controller.build(&network.path_facts(spec)));
        Self { sender, now: Time::ZERO, wire: Kept::default() }
    }

    /// A flow under NewReno with the keys `tcp` that has just sent its initial window.
    fn open(tcp: &str) -> Self {
        Self::open_with(&format!("controller = {{ kind = \"newreno\" }}\ntcp = {{ {tcp} }}"))
    }

    /// The same for any keys.
    fn open_with(flow: &str) -> Self {
        let mut bench = Self::closed(flow);
        bench.sender.on_timer(Time::ZERO, &mut bench.wire);
        let syn = bench.wire.0.pop().expect("a SYN");
        assert_eq!(syn.kind, Kind::Syn);
        bench.now = RTT;
        // A receiver with the same options agrees to what the SYN proposes.
        let mut flags = Flags::default();
        flags.set_ece(syn.flags.ece());
        let answer = Packet { sent_at: Time::ZERO, flags, ..packet(0) };
        bench.sender.on_syn_ack(RTT, &answer, &mut bench.wire);
        bench
    }

    /// What was sent since the last look.
    fn sent(&mut self) -> Vec<Segment> {
        std::mem::take(&mut self.wire.0)
    }

    /// The same in whole segments.
    fn numbers(&mut self) -> Vec<Sent> {
        self.sent().into_iter().map(|s| (s.seq / MSS, s.flags.retransmission())).collect()
    }

    /// An acknowledgement of all segments below `number` arrives, with SACK blocks in segments.
    fn ack(&mut self, number: u64, blocks: &[(u64, u64)]) {
        self.ack_with(number, blocks, |_| {});
    }

    fn ack_with(&mut self, number: u64, blocks: &[(u64, u64)], change: impl Fn(&mut Packet)) {
        let mut sacks: SackBlocks = [(0, 0); 3];
        for (slot, (start, end)) in sacks.iter_mut().zip(blocks) {
            *slot = (start * MSS, end * MSS);
        }
        let mut ack = Packet { sent_at: self.now.saturating_sub(RTT), ..packet(number * MSS) };
        change(&mut ack);
        let blocks = (!blocks.is_empty()).then_some(sacks);
        self.sender.on_ack(self.now, &ack, blocks, &mut self.wire);
    }

    /// Time goes on to `ms` milliseconds; timers that come due on the way are heard.
    fn wait_until(&mut self, ms: u64) {
        let until = Time::from_ms(ms);
        while self.sender.next_timer() <= until {
            self.now = self.sender.next_timer();
            self.sender.on_timer(self.now, &mut self.wire);
        }
        self.now = until;
    }

    fn window(&self) -> f64 {
        self.sender.controller.window()
    }
}

/// A new segment.
fn new(number: u64) -> Sent {
    (number, false)
}

/// A segment sent again.
fn again(number: u64) -> Sent {
    (number, true)
}

fn packet(seq: u64) -> Packet {
    Packet {
        seq,
        sent_at: Time::ZERO,
        aside: Aside::default(),
        waited: Time::ZERO,
        flow: 0,
        bytes: 40,
        extra: Packet::NO_OPTIONS,
        stamp: 0.0,
        hop: 0,
        generation: 0,
        kind: Kind::Ack,
        flags: Flags::default(),
    }
}
