//! Recovery without SACK: duplicates of segments sent during recovery (RFC 6582, 3.2 and 4).

use std::sync::Arc;

use eddyline_cc::{
    Ack, AnyController, Controller, ControllerParams, Custom, CustomParams, DynController, Loss, ParamTable,
    PartialAck, PathFacts, Timeout,
};
use eddyline_units::Time;

use super::super::episode::Episode;
use super::{BULK, Bench, MSS, new, newreno, resent};

/// NewReno's window with another response to partial acknowledgements.
#[derive(Debug)]
struct WithPartialAck(AnyController, PartialAck);

impl Controller for WithPartialAck {
    fn on_ack(&mut self, ack: &Ack) {
        self.0.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.0.on_loss(loss);
    }

    fn on_recovered(&mut self, now: Time) {
        self.0.on_recovered(now);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.0.on_timeout(timeout);
    }

    fn on_timeout_recovered(&mut self) {
        self.0.on_timeout_recovered();
    }

    fn on_idle(&mut self, restart_window: f64) {
        self.0.on_idle(restart_window);
    }

    fn window(&self) -> f64 {
        self.0.window()
    }

    fn partial_ack(&self) -> PartialAck {
        self.1
    }
}

#[derive(Debug)]
struct Params(PartialAck);

impl CustomParams for Params {
    fn canonical(&self) -> ParamTable {
        ParamTable::new()
    }

    fn build(&self, facts: &PathFacts) -> Box<dyn DynController> {
        Box::new(WithPartialAck(newreno().build(facts), self.0))
    }
}

/// A sender with NewReno's window.
fn open(options: &str, partial_ack: PartialAck) -> Bench {
    let controller = ControllerParams::Custom(Custom::of("newreno", Arc::new(Params(partial_ack))));
    Bench::open_with(options, &BULK, &controller)
}

/// Of ten segments 0 and 5 are lost, and of those sent during recovery 12, the first after the recovery point. 0 has been
/// acknowledged, 5 has been retransmitted, and so many `duplicates` of segments after 12 have arrived.
fn recovering(duplicates: usize, partial_ack: PartialAck) -> Bench {
    let mut bench = open("sack = false", partial_ack);
    bench.sent();
    bench.wait_until(200);
    for _ in 0..8 {
        bench.ack(0, &[]);
    }
    // the first two duplicates let out 10 and 11 (RFC 3042); half a window later each one a new segment
    assert_eq!(bench.numbers(), [new(10), new(11), resent(0), new(12)]);
    bench.wait_until(300);
    bench.ack(0, &[]);
    bench.ack(0, &[]);
    bench.ack(5, &[]);
    assert_eq!(bench.numbers(), [new(13), new(14), resent(5), new(15)]);
    bench.wait_until(400);
    for _ in 0..duplicates {
        bench.ack(5, &[]);
    }
    assert_eq!(bench.numbers().len(), duplicates, "each allows one segment");
    bench
}

/// The acknowledgement that ends recovery covers exactly what is below the recovery point, as will those that follow.
#[test]
fn a_hole_at_the_recovery_point_needs_no_timeout() {
    let mut bench = recovering(2, PartialAck::Persist);
    bench.ack(12, &[]);
    assert_eq!(
        (bench.sender.tx.recovery.episode(), bench.sender.tx.recovery.duplicate_bytes()),
        (Episode::None, 2 * MSS),
        "13 and 14 have arrived"
    );
    assert_eq!(bench.numbers(), [new(18)], "12 and 15 to 17 may be on their way");
    bench.ack(12, &[]);
    assert_eq!(bench.numbers().first(), Some(&resent(12)), "the third duplicate");
    assert_eq!(bench.sender.counters().timeouts, 0);
}

/// If three duplicates arrived before recovery ended, the next recovery begins at once.
#[test]
fn duplicates_of_recovery_begin_the_next_one() {
    let mut bench = recovering(3, PartialAck::Persist);
    let window = bench.window();
    bench.ack(12, &[]);
    assert_eq!(bench.numbers().first(), Some(&resent(12)));
    assert_eq!(bench.window(), (window / 2.0).max(2.0), "a loss of the next window is a new event");
}

/// An acknowledgement of everything clears the duplicates.
#[test]
fn acknowledged_duplicates_are_cleared() {
    let mut bench = recovering(3, PartialAck::Persist);
    let next = bench.sender.tx.seq.nxt / MSS;
    bench.ack(next, &[]);
    assert_eq!(bench.sender.tx.recovery.duplicate_bytes(), 0);
}

/// After a timeout everything is retransmitted. If most of it had arrived, the acknowledgement of the hole jumps and the duplicates
/// that follow are of spurious retransmissions; if it advances by at most four segments they report a loss (4.1).
#[test]
fn duplicates_after_a_timeout() {
    for (first, expected) in [(6, None), (4, Some(resent(10)))] {
        let mut bench = open("sack = false, limited_transmit = false", PartialAck::Persist);
        bench.sent();
        bench.wait_until(450);
        assert_eq!(bench.sender.counters().timeouts, 1);
        assert_eq!(bench.numbers(), [resent(0)]);
        bench.ack(10 - first, &[]);
        bench.sent();
        bench.ack(10, &[]);
        assert_eq!(bench.sender.tx.recovery.episode(), Episode::None, "all that was out is acknowledged");
        bench.sent();
        for _ in 0..3 {
            bench.ack(10, &[]);
        }
        assert_eq!(
            bench.numbers().into_iter().find(|(_, retransmission)| *retransmission),
            expected,
            "by {first} segments"
        );
    }
}

/// Of ten segments 0, 2, 4, 6 and 8 are lost; each partial acknowledgement comes 100 ms after the one before. Returns when the timer
/// expires after the last of them, at 500 ms.
fn expiry(options: &str) -> Option<Time> {
    let mut bench = open(&format!("sack = false, {options}"), PartialAck::Stay);
    bench.wait_until(200);
    for _ in 0..5 {
        bench.ack(0, &[]);
    }
    for (at, number) in [(300, 2), (400, 4), (500, 6)] {
        bench.wait_until(at);
        bench.ack(number, &[]);
        assert_eq!(bench.numbers().iter().rfind(|s| s.1), Some(&resent(number)), "one hole per round trip");
    }
    let due = bench.sender.next_timer();
    bench.wait_until(2_000);
    (bench.sender.counters().timeouts > 0).then_some(due)
}

/// The timeout is 300 ms, the round trip and `min_rto` (RFC 3782, 4).
#[test]
fn the_first_partial_acknowledgement_restarts_the_timer() {
    assert_eq!(expiry(""), Some(Time::from_ms(600)), "300 ms after the first");
    assert_eq!(expiry("partial_ack_timer = slow-but-steady"), Some(Time::from_ms(800)), "300 ms after the last");
}

/// A timeout costs controllers that persist more than a recovery of one hole a round trip.
#[test]
fn slow_but_steady_controllers_restart_the_timer() {
    let holds = |partial_ack| recovering(0, partial_ack).sender.tx.rto.is_held();
    assert!(!holds(PartialAck::Persist) && holds(PartialAck::Stay));
}

/// NewReno itself waits for the timer (RFC 6582, 3.2 step 2).
#[test]
fn newreno_waits_for_the_timer() {
    let mut bench = recovering(3, PartialAck::Stay);
    bench.ack(12, &[]);
    bench.sent();
    for _ in 0..4 {
        bench.ack(12, &[]);
    }
    assert!(bench.numbers().iter().all(|(_, retransmission)| !retransmission));
    bench.wait_until(1_000);
    assert_eq!((bench.numbers().first(), bench.sender.counters().timeouts), (Some(&resent(12)), 1));
}

/// RFC 5681, section 2 (e): a duplicate has the number of the greatest acknowledgement. One that a later one has overtaken is none.
#[test]
fn overtaken_acknowledgements_are_no_duplicates() {
    let mut bench = Bench::open("sack = false");
    bench.sent();
    bench.wait_until(200);
    bench.ack(4, &[]);
    bench.numbers();
    for old in [1, 2, 3, 3] {
        bench.ack(old, &[]);
    }
    assert_eq!((bench.numbers(), bench.sender.tx.recovery.episode()), (vec![], Episode::None));
    for _ in 0..3 {
        bench.ack(4, &[]);
    }
    assert!(bench.numbers().contains(&resent(4)));
}
