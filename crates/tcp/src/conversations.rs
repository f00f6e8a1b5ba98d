//! A sender and a receiver with every option over two scripted paths, against a table: what changes their behaviour by accident
//! changes a row.
//!
//! `conversations.txt` has, for each path, what was delivered, sent again, timed out and when the transfer ended, and a digest of every segment,
//! every acknowledgement and all state that can be seen from outside. The tests of the parts say what is right; this one says what has
//! changed. `EDDYLINE_BLESS=1` writes the table anew, only for intended changes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use eddyline_cc::{Controller as _, ControllerParams, PathFacts};
use eddyline_units::Time;

use crate::config::{Application, Config, LocalCongestion, Pacing, Transfer};
use crate::segment::{AckOptions, Acknowledgement, DataSegment, Segment, SegmentFlags, SegmentKind};
use crate::test_config::config;
use crate::{Echo, Ecn, Receiver, SegmentSink, Sender};

/// Options as in [`config`], a controller, and how the application sends its data.
const CASES: [(&str, &str, &str); 49] = [
    ("", "newreno", "bulk"),
    ("", "cubic", "bulk"),
    ("sack = false", "newreno", "bulk"),
    ("sack = false, limited_transmit = false", "newreno", "bulk"),
    ("sack = false, partial_ack_timer = impatient", "newreno", "bulk"),
    ("sack = false, partial_ack_timer = slow-but-steady", "newreno", "bulk"),
    ("sack = false, timestamps = true", "newreno", "bulk"),
    ("sack = false, frto = true", "newreno", "bulk"),
    ("sack = false, ack_every = 2", "tahoe", "bulk"),
    ("sack = false, fast_retransmit = false", "newreno", "bulk"),
    ("limited_transmit = false", "newreno", "bulk"),
    ("fast_retransmit = false, timestamps = true", "cubic", "bulk"),
    ("timestamps = true", "newreno", "bulk"),
    ("timestamps = true, clock_drift = 200", "fast", "bulk"),
    ("prr = true", "newreno", "bulk"),
    ("prr = true, ack_every = 2", "cubic", "bulk"),
    ("rack = true", "newreno", "bulk"),
    ("rack = true, prr = true", "cubic", "bulk"),
    ("rack = true, timestamps = true", "newreno", "bulk"),
    ("rack = true, prr = true, frto = true, ecn = true, timestamps = true", "cubic", "bulk"),
    ("frto = true", "newreno", "bulk"),
    ("rto_every_ack = true, rack = true, prr = true", "newreno", "bulk"),
    ("frto = true, timestamps = true", "cubic", "bulk"),
    ("ecn = true", "newreno", "bulk"),
    ("ecn = true, prr = true", "cubic", "bulk"),
    ("accurate_ecn = ace", "prague", "bulk"),
    ("accurate_ecn = option", "prague", "bulk"),
    ("accurate_ecn = ace", "dctcp", "bulk"),
    ("accurate_ecn = option, timestamps = true, rack = true", "dctcp", "bulk"),
    ("accurate_ecn = option, ack_every = 2", "newreno", "bulk"),
    ("ack_every = 2", "newreno", "bulk"),
    ("ack_every = 2, quick_acks = 16", "cubic", "bulk"),
    ("ack_every = 4, ack_timer = 40, prr = true", "newreno", "bulk"),
    ("ack_congestion_control = true", "newreno", "bulk"),
    ("ack_congestion_control = true, rack = true", "cubic", "bulk"),
    ("controller_ack_ratio = true, ack_every = 2", "fast", "bulk"),
    ("pacing = true", "newreno", "bulk"),
    ("pacing = true, pacing_gain.slow_start = 1.5, pacing_gain.avoidance = 1.0", "cubic", "bulk"),
    ("rack = true", "bbr", "bulk"),
    ("rack = true, prr = true, accurate_ecn = ace", "bbr3", "bulk"),
    ("", "fast", "bulk"),
    ("receive_window = 12000", "newreno", "bulk"),
    ("initial_window = 1, min_rto = 1000", "newreno", "bulk"),
    ("local = cwr", "newreno", "bulk"),
    ("local = backpressure, sack = false", "cubic", "bulk"),
    ("local = cwr, ecn = true, prr = true, rack = true", "cubic", "bulk"),
    ("", "newreno", "bursts"),
    ("rack = true, ack_every = 2", "cubic", "objects"),
    ("", "cubic", "stopped"),
];

const MSS: u64 = 1000;
const ONE_WAY: Time = Time::from_ms(20);
/// Payload of a transfer; not a whole number of segments.
const SIZE: u64 = 400 * MSS + 137;
/// Transmission time of a segment on the path, and on the host's own link.
const SERVICE: Time = Time::from_ms(1);
const OWN_SERVICE: Time = Time::from_ps(400_000_000);
/// Segments that fit into the queue of the path.
const ROOM: u64 = 25;

/// FNV-1a.
struct Digest(u64);

impl Digest {
    fn add(&mut self, value: u64) {
        for byte in value.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    /// In fixed point, so that the table does not depend on the last bits.
    fn number(&mut self, value: f64) {
        self.add((value * 1e4).round() as i64 as u64);
    }

    fn time(&mut self, time: Option<Time>) {
        self.add(time.map_or(u64::MAX, |t| t.as_ps() / 1_000));
    }
}

enum Event {
    Segment(Segment, Time),
    Ack(u64, Echo, AckOptions, SegmentFlags),
    SynAck(Time, SegmentFlags),
}

/// What lies between the endpoints.
struct Network {
    now: Time,
    /// Which of the two scripts.
    hard: bool,
    random: u64,
    free_at: Time,
    own_free_at: Time,
    /// Segments that fit into the queue of the host.
    own_room: u64,
    on_the_way: BTreeMap<(Time, u64), Event>,
    sent: u64,
    acks: u64,
    digest: Digest,
}

impl Network {
    fn chance(&mut self, one_in: u64) -> bool {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 20).is_multiple_of(one_in)
    }

    fn waiting(&self, free_at: Time, service: Time) -> u64 {
        free_at.saturating_sub(self.now).as_ps().div_ceil(service.as_ps())
    }

    /// Nothing arrives in this time.
    fn is_dead(&self) -> bool {
        let from = if self.hard { 1500 } else { 900 };
        self.now >= Time::from_ms(from) && self.now < Time::from_ms(from + 350)
    }

    fn deliver(&mut self, at: Time, event: Event) {
        let order = self.sent + self.acks;
        self.on_the_way.insert((at, order), event);
    }
}

impl SegmentSink for Network {
    fn send(&mut self, mut segment: Segment) {
        self.sent += 1;
        let d = &mut self.digest;
        for value in [self.now.as_ps(), segment.seq, u64::from(segment.payload), u64::from(segment.flags.bits())] {
            d.add(value);
        }
        d.add(u64::from(segment.ack_ratio));
        d.number(f64::from(segment.stamp));
        d.add(segment.kind as u64);
        if self.waiting(self.own_free_at, OWN_SERVICE) >= self.own_room {
            return;
        }
        self.own_free_at = self.own_free_at.max(self.now) + OWN_SERVICE;
        let waiting = self.waiting(self.free_at, SERVICE);
        let lost = self.chance(if self.hard { 25 } else { 150 }) || (self.hard && self.sent == 1);
        if lost || waiting >= ROOM || self.is_dead() {
            return;
        }
        if waiting >= ROOM / 3 && segment.flags.ecn() != Ecn::NotEct {
            segment.flags.set_ecn(Ecn::Ce);
        }
        self.free_at = self.free_at.max(self.own_free_at) + SERVICE;
        // some overtake others, some come twice, and once the path is much longer for a while
        let late = if self.chance(60) { Time::from_ms(9) } else { Time::ZERO };
        let longer = self.now >= Time::from_ms(400) && self.now < Time::from_ms(440);
        let longer = if longer { Time::from_ms(450) } else { Time::ZERO };
        let at = self.free_at + ONE_WAY + late + longer;
        self.deliver(at, Event::Segment(segment, self.now));
        if self.hard && self.chance(80) {
            self.sent += 1;
            self.deliver(at + Time::from_ps(100_000_000), Event::Segment(segment, self.now));
        }
    }

    fn has_room(&mut self, _payload: Option<u64>) -> bool {
        self.waiting(self.own_free_at, OWN_SERVICE) < self.own_room
    }

    fn room_at(&mut self) -> Time {
        let full = Time::from_ps(OWN_SERVICE.as_ps() * (self.own_room - 1));
        self.own_free_at.saturating_sub(full).max(self.now)
    }
}

struct Conversation {
    sender: Sender,
    receiver: Receiver,
    network: Network,
}

impl Conversation {
    fn new(config: &Config, kind: &str, transfer: &Transfer, hard: bool) -> Self {
        let alpha = if kind == "fast" { r#", "alpha": "8 packets""# } else { "" };
        let params: ControllerParams = serde_json::from_str(&format!(r#"{{ "kind": "{kind}"{alpha} }}"#)).unwrap();
        let facts = PathFacts {
            mss: config.mss,
            packet_bytes: config.mss + 40,
            ack_bytes: 40,
            ack_ratio: config.ack_every,
            initial_window: f64::from(config.initial_window),
            known_base_rtt: Some(ONE_WAY + ONE_WAY + SERVICE),
            byte_counting: None,
            paced: config.pacing == Pacing::On,
        };
        let network = Network {
            now: Time::ZERO,
            hard,
            random: if hard { 0x9e37_79b9_7f4a_7c15 } else { 0x2545_f491_4f6c_dd1d },
            free_at: Time::ZERO,
            own_free_at: Time::ZERO,
            own_room: if config.local == LocalCongestion::Drop { 100 } else { 4 },
            on_the_way: BTreeMap::new(),
            sent: 0,
            acks: 0,
            digest: Digest(0xcbf2_9ce4_8422_2325),
        };
        Self { sender: Sender::new(config, transfer, params.build(&facts)), receiver: Receiver::new(config), network }
    }

    fn acknowledge(&mut self) {
        let plain = self.receiver.acknowledge_without_options();
        let options = if plain { AckOptions::default() } else { self.receiver.acknowledge() };
        assert!(!plain || options.is_empty());
        let (number, echo) = (self.receiver.next(), self.receiver.echo());
        let net = &mut self.network;
        net.acks += 1;
        for (start, end) in options.blocks.unwrap_or_default() {
            net.digest.add(start);
            net.digest.add(end);
        }
        net.digest.add(u64::from(options.wire_bytes()) << 8 | u64::from(echo.flags.bits()));
        net.digest.add(u64::from(options.is_empty()));
        if let Some(option) = options.accecn {
            net.digest.add(u64::from(option.ect0) << 32 | u64::from(option.ce) << 8 | u64::from(option.ect1));
        }
        if net.chance(30) || net.is_dead() {
            return;
        }
        let at = net.now + ONE_WAY;
        net.deliver(at, Event::Ack(number, echo, options, echo.flags));
    }

    fn handle(&mut self, event: Event) {
        let now = self.network.now;
        match event {
            Event::Segment(segment, sent_at) if segment.kind == SegmentKind::Syn => {
                let flags = self.receiver.on_syn(now, sent_at, segment.flags);
                self.network.digest.add(u64::from(flags.bits()));
                self.network.acks += 1;
                self.network.deliver(now + ONE_WAY, Event::SynAck(sent_at, flags));
            }
            Event::Segment(segment, sent_at) => {
                let arrived = DataSegment {
                    seq: segment.seq,
                    payload: segment.payload,
                    fin: segment.kind == SegmentKind::Fin,
                    sent_at,
                    stamp: segment.stamp,
                    flags: segment.flags,
                    ack_ratio: segment.ack_ratio,
                };
                let reaction = self.receiver.on_segment(now, arrived);
                self.network.digest.add(u64::from(reaction.new_data) << 1 | u64::from(reaction.ack_now));
                if reaction.ack_now {
                    self.acknowledge();
                }
            }
            Event::SynAck(sent_at, flags) => {
                let sample = self.sender.on_syn_ack(now, sent_at, flags, &mut self.network);
                self.network.digest.time(sample);
            }
            Event::Ack(number, echo, options, flags) => {
                if let Some(option) = options.accecn {
                    self.sender.set_accecn_option(option);
                }
                let Echo { sent_at, received_at, stamp, .. } = echo;
                let piggybacked = self.network.hard && number.is_multiple_of(16);
                let ack = Acknowledgement { number, sent_at, received_at, stamp, flags, piggybacked };
                let sample = self.sender.on_ack(now, ack, options.blocks.as_ref(), &mut self.network);
                self.network.digest.time(sample);
            }
        }
    }

    /// Adds what can be seen of both endpoints to the digest.
    fn look(&mut self) {
        let counters = self.sender.counters();
        let window = self.sender.decisions().window;
        let d = &mut self.network.digest;
        let sender = &self.sender;
        d.number(window);
        d.number(sender.in_flight_packets());
        for time in [sender.srtt(), sender.last_rtt(), sender.pacing_interval(), sender.completed_at()] {
            d.time(time);
        }
        for time in [sender.next_timer(), self.receiver.due()] {
            d.time(Some(time));
        }
        for count in [counters.retransmits, counters.timeouts, counters.nic_refusals.unwrap_or(u64::MAX)] {
            d.add(count);
        }
        d.number(counters.delivered_ce.unwrap_or(-1.0));
        d.add(sender.acknowledged() << 1 | u64::from(sender.in_recovery()));
        d.add(self.receiver.next() << 1 | u64::from(self.receiver.has_pending()));
        d.add(self.receiver.delivered());
        d.number(sender.controller().slow_start_threshold().unwrap_or(-1.0));
        assert!(self.receiver.delivered() <= SIZE);
        assert!(sender.acknowledged() <= self.receiver.next());
    }

    /// Runs until nothing is left to be done.
    fn run(&mut self, what: &str) {
        for _ in 0..100_000 {
            let arrival = self.network.on_the_way.first_key_value().map_or(Time::MAX, |(key, _)| key.0);
            let next = arrival.min(self.sender.next_timer()).min(self.receiver.due());
            if next == Time::MAX || next > Time::from_ms(600_000) {
                return;
            }
            assert!(next >= self.network.now, "{what}: a timer in the past");
            self.network.now = next;
            if arrival == next
                && let Some((_, event)) = self.network.on_the_way.pop_first()
            {
                self.handle(event);
            } else if self.receiver.due() == next {
                self.acknowledge();
            } else {
                self.sender.on_timer(next, &mut self.network);
            }
            self.look();
        }
        panic!("{what}: no end");
    }
}

fn transfer(application: &str) -> Transfer {
    let (application, stop) = match application {
        "bursts" => (Application::Bursts { bytes: 30 * MSS, every: Time::from_ms(300) }, None),
        "objects" => (Application::Objects { bytes: 20 * MSS + 1 }, None),
        "stopped" => (Application::Bulk, Some(Time::from_ms(800))),
        _ => (Application::Bulk, None),
    };
    Transfer { application, start: Time::from_ms(3), stop, size: Some(SIZE) }
}

fn row((options, kind, application): (&str, &str, &str), hard: bool) -> String {
    let what = format!("{options}; {kind}; {application}");
    let mut talk = Conversation::new(&config(options), kind, &transfer(application), hard);
    talk.run(&what);
    let delivered = talk.receiver.delivered();
    let counters = talk.sender.counters();
    if application != "stopped" {
        assert_eq!(delivered, SIZE, "{what}: not everything arrived");
    }
    let end = talk.sender.completed_at().map_or(f64::NAN, Time::as_secs_f64);
    assert!(end > 0.0, "{what}: the FIN is not acknowledged");
    let digest = talk.network.digest.0;
    format!(
        "{delivered:7} B in {end:8.3} s, {:4} again, {:3} timeouts, {digest:016x}",
        counters.retransmits, counters.timeouts
    )
}

#[test]
fn every_option_over_two_scripted_paths() {
    let mut table = String::new();
    for case in CASES {
        let (options, kind, application) = case;
        let _ = writeln!(table, "{kind}, {application}: {options}");
        for hard in [false, true] {
            let _ = writeln!(table, "  {}", row(case, hard));
        }
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/conversations.txt");
    if std::env::var_os("EDDYLINE_BLESS").is_some() {
        std::fs::write(file, &table).unwrap();
    }
    let known = std::fs::read_to_string(file).unwrap();
    for (line, expected) in table.lines().zip(known.lines()) {
        assert_eq!(line, expected, "an endpoint has changed; see the first lines of this test");
    }
    assert_eq!(table.lines().count(), known.lines().count());
}
