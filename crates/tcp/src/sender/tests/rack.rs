//! RACK-TLP: the examples of RFC 8985, section 9.1, and its probe.

use eddyline_cc::ControllerParams;
use eddyline_units::Time;

use super::{BULK, Bench, new, newreno, resent};
use crate::config::{Application, Transfer};
use crate::segment::Acknowledgement;

/// `n` segments of 1,000 bytes every ten seconds.
fn bursts(n: u64) -> Transfer {
    Transfer { application: Application::Bursts { bytes: n * 1000, every: Time::SECOND * 10 }, ..BULK }
}

/// A sender with RACK that has just sent `n` segments.
fn burst(n: u64, options: &str) -> Bench {
    let mut bench = Bench::open_with(&format!("rack = true, {options}"), &bursts(n), &newreno());
    assert_eq!(bench.numbers().len() as u64, n);
    bench
}

/// When the next timer expires, in milliseconds.
fn timer(bench: &Bench) -> u64 {
    bench.sender.next_timer().as_ps() / Time::from_ms(1).as_ps()
}

/// Example 1: of three segments the first and the last are lost. The second is evidence against the first once the reordering
/// window has passed, the retransmission of the first against the third: no timeout.
#[test]
fn losses_at_the_end_of_a_flight() {
    let mut bench = burst(3, "");
    bench.wait_until(200);
    bench.ack(0, &[(1, 2)]);
    assert!(bench.numbers().is_empty(), "it may be late only");
    assert_eq!(timer(&bench), 225, "a quarter of the minimum round-trip time of 100 ms");
    bench.wait_until(225);
    assert_eq!(bench.numbers(), [resent(0)]);
    bench.wait_until(325);
    bench.ack(2, &[]);
    assert_eq!(bench.numbers(), [resent(2)]);
    bench.wait_until(425);
    bench.ack(3, &[]);
    assert_eq!(bench.sender.counters().timeouts, 0);
    assert_eq!(bench.sender.tx.seq.una, bench.sender.tx.seq.nxt);
    // without it: two duplicates short of three, then the timer
    let mut plain = Bench::open_with("", &bursts(3), &newreno());
    plain.sent();
    plain.wait_until(200);
    plain.ack(0, &[(1, 2)]);
    assert!(timer(&plain) >= 400 && plain.numbers().is_empty());
}

/// Example 2: the first two of three are lost, and the retransmission of the first too; the acknowledgement of the second's retransmission reveals it.
#[test]
fn a_lost_retransmission() {
    let mut bench = burst(3, "");
    bench.wait_until(200);
    bench.ack(0, &[(2, 3)]);
    bench.wait_until(225);
    assert_eq!(bench.numbers(), [resent(0), resent(1)]);
    bench.wait_until(325);
    bench.ack(0, &[(1, 3)]);
    assert_eq!(bench.numbers(), [resent(0)]);
    bench.wait_until(425);
    bench.ack(3, &[]);
    assert_eq!((bench.sender.tx.seq.una, bench.sender.counters().timeouts), (3000, 0));
}

/// The same with timestamps: acknowledgements of segments above a hole echo the timestamp of the segment below it (RFC 7323, 4.3),
/// which does not make retransmissions above the hole spurious.
#[test]
fn a_lost_retransmission_with_timestamps() {
    let mut bench = burst(3, "timestamps = true");
    let echo_before_hole = |ack: &mut Acknowledgement| ack.sent_at = Time::ZERO;
    bench.wait_until(200);
    bench.ack_with(0, &[(2, 3)], echo_before_hole);
    bench.wait_until(225);
    assert_eq!(bench.numbers(), [resent(0), resent(1)]);
    bench.wait_until(325);
    bench.ack_with(0, &[(1, 3)], echo_before_hole);
    assert_eq!(bench.numbers(), [resent(0)]);
    bench.wait_until(425);
    bench.ack(3, &[]);
    assert_eq!((bench.sender.tx.seq.una, bench.sender.counters().timeouts), (3000, 0));
}

/// A lost retransmission is a second event (RFC 5681, 4.3), a loss of the same flight that is detected later is not.
#[test]
fn one_reduction_for_each_flight() {
    let mut bench = burst(10, "");
    bench.wait_until(200);
    (2..=4).for_each(|end| bench.ack(0, &[(1, end)]));
    assert_eq!((bench.window(), bench.numbers()), (5.0, vec![resent(0)]));
    bench.wait_until(210);
    bench.ack(0, &[(1, 4), (5, 7)]);
    assert_eq!((bench.window(), bench.numbers()), (5.0, vec![resent(4)]), "lost with the first");
    bench.wait_until(310);
    bench.ack(0, &[(1, 7)]);
    assert_eq!((bench.window(), bench.numbers()[0]), (2.5, resent(0)), "4 was sent again after it and has arrived");
}

/// Example 3: the last of three arrives first. Within a quarter of the round trip nothing is retransmitted, after it the missing ones are.
#[test]
fn reordering() {
    for (late, resent) in [(224, false), (226, true)] {
        let mut bench = burst(3, "");
        bench.wait_until(200);
        bench.ack(0, &[(2, 3)]);
        bench.wait_until(late);
        assert_eq!(!bench.numbers().is_empty(), resent, "{late} ms");
        bench.ack(3, &[]);
        assert_eq!(bench.sender.tx.seq.una, 3000);
    }
}

/// Three segments beyond a hole are evidence at once, as long as no reordering was seen.
#[test]
fn three_duplicates_until_reordering_is_seen() {
    let mut bench = burst(10, "");
    bench.wait_until(200);
    bench.ack(0, &[(1, 2)]);
    bench.ack(0, &[(1, 3)]);
    assert!(bench.numbers().is_empty());
    bench.ack(0, &[(1, 4)]);
    assert_eq!(bench.numbers(), [resent(0)]);
    let mut wary = burst(10, "");
    wary.wait_until(200);
    wary.ack(0, &[(1, 2)]);
    wary.ack(2, &[]);
    (4..=7).for_each(|end| wary.ack(2, &[(3, end)]));
    assert!(wary.numbers().is_empty(), "0 came after 1");
    wary.wait_until(225);
    assert_eq!(wary.numbers(), [resent(2)]);
}

/// The last segment is lost: after two round trips the probe retransmits it, and the later acknowledgement shows that it was a
/// loss (7.4.2).
#[test]
fn a_probe_repairs_the_last_segment() {
    let mut bench = burst(3, "");
    bench.wait_until(200);
    bench.ack(2, &[]);
    assert_eq!(timer(&bench), 400, "two smoothed round trips");
    bench.wait_until(400);
    assert_eq!(bench.numbers(), [resent(2)]);
    bench.wait_until(500);
    let prior = bench.window();
    bench.ack(3, &[]);
    assert_eq!(bench.window(), prior, "an acknowledgement like any other");
    bench.wait_until(10_000);
    assert_eq!(bench.numbers(), [new(3), new(4), new(5)]);
    bench.wait_until(10_100);
    bench.ack(4, &[]);
    assert!(bench.window() < prior, "{} after {prior}", bench.window());
    assert_eq!(bench.sender.counters().timeouts, 0);
}

/// Both copies of the last segment arrived: the DSACK ends the probe episode.
#[test]
fn an_unnecessary_probe_does_not_reduce_the_window() {
    let mut bench = burst(3, "");
    bench.wait_until(200);
    bench.ack(2, &[]);
    bench.wait_until(400);
    bench.sent();
    let prior = bench.window();
    bench.ack(3, &[]);
    bench.ack(3, &[(2, 3)]);
    bench.wait_until(10_000);
    bench.sent();
    bench.wait_until(10_100);
    bench.ack(4, &[]);
    assert!(bench.window() >= prior);
}

/// With data left the probe is new data, one segment beyond the window; a second probe waits for the acknowledgement of the first,
/// and the retransmission timer is restarted.
#[test]
fn a_probe_of_new_data_without_any_acknowledgement() {
    let mut bench = Bench::open("rack = true");
    bench.sent();
    assert_eq!(timer(&bench), 300);
    bench.wait_until(300);
    assert_eq!(bench.numbers(), [new(10)]);
    // the timer starts over with the probe: 100 ms smoothed and 200 ms of spread
    assert_eq!(timer(&bench), 600);
    bench.wait_until(600);
    assert_eq!(bench.sender.counters().timeouts, 1);
    assert_eq!(bench.numbers(), [resent(0)]);
    bench.wait_until(700);
    bench.ack(1, &[]);
    assert_eq!(bench.numbers(), [resent(1), resent(2)], "sent before what was just delivered: all of them");
}

/// A receiver that may delay acknowledgements gets the time for it when one segment is out.
#[test]
fn a_probe_waits_for_a_delayed_acknowledgement() {
    let bench = burst(1, "ack_every = 2, ack_timer = 40");
    assert_eq!(timer(&bench), 340);
    let bench = burst(2, "ack_every = 2, ack_timer = 40");
    assert_eq!(timer(&bench), 300);
}

/// RFC 8985, 7.2: only one segment in flight makes the probe wait for a delayed acknowledgement; several small ones are several.
#[test]
fn small_segments_are_segments() {
    let messages = Application::Bursts { bytes: 100, every: Time::from_ms(60) };
    let transfer = Transfer { application: messages, stop: Some(Time::from_ms(125)), ..BULK };
    let mut bench = Bench::open_with("rack = true, ack_every = 2", &transfer, &newreno());
    bench.wait_until(130);
    let sizes: Vec<_> = bench.sent().iter().map(|s| s.payload).collect();
    assert_eq!(sizes, [100, 100, 100, 0], "three messages, FIN");
    assert_eq!(timer(&bench), 325, "two round trips after the last");
}

/// When the timeout is due, in milliseconds.
fn deadline(bench: &Bench) -> u64 {
    bench.sender.tx.rto.deadline().as_ps() / Time::from_ms(1).as_ps()
}

/// A sender with RACK that has just sent segment 1 again, at 225 ms: 2 came after 3, so that reordering is seen, and what is missing is
/// lost a quarter of the round trip later.
fn one_late_and_one_lost(options: &str, controller: &ControllerParams) -> Bench {
    let mut bench = Bench::open_with(&format!("rack = true, {options}"), &BULK, controller);
    bench.wait_until(200);
    bench.ack(1, &[]);
    bench.ack(1, &[(3, 4)]);
    bench.ack(1, &[(2, 4)]);
    bench.sent();
    bench.wait_until(225);
    assert!(bench.numbers().contains(&resent(1)));
    bench
}

/// With `rto_every_ack`, as in Linux: SACK of what was sent before the first segment was retransmitted starts the timer anew, with a timeout that
/// exceeds its round trip; SACK of what was sent after it does not.
#[test]
fn sack_restarts_the_timer_of_an_older_retransmission() {
    for (options, restarts) in
        [("", false), ("rto_every_ack = true", true), ("rto_every_ack = true, timestamps = true", true)]
    {
        let mut bench = one_late_and_one_lost(options, &newreno());
        let before = deadline(&bench);
        bench.wait_until(230);
        bench.ack(1, &[(2, 14)]);
        let after = deadline(&bench);
        // min_rto is 200 ms, the round trip 130 ms
        assert_eq!(after, if restarts { 230 + 130 + 200 } else { before }, "{options}");
        let (last, again) = *bench.numbers().last().expect("new data");
        assert!(!again);
        bench.wait_until(330);
        bench.ack(1, &[(2, 14), (last, last + 1)]);
        assert_eq!(deadline(&bench), after, "{options}: the last was sent after the retransmission");
    }
}

/// An acknowledgement that a later one has overtaken does not restart it, whatever SACK reports first there.
#[test]
fn an_overtaken_acknowledgement_restarts_no_timer() {
    for (number, restarts) in [(0, false), (1, true)] {
        let mut bench = one_late_and_one_lost("rto_every_ack = true, timestamps = true", &newreno());
        let before = deadline(&bench);
        bench.wait_until(230);
        bench.ack(number, &[(2, 10)]);
        assert_eq!(deadline(&bench) > before, restarts, "{number}");
    }
}

/// VFAST's own timeout (`rto = "eq6"`) is as without the option.
#[test]
fn a_timeout_of_the_controller_s_own_is_left_alone() {
    let vfast = serde_json::from_value(
        serde_json::json!({ "kind": "vfast", "alpha": "20 packets", "rto": "eq6", "base_rtt": "known" }),
    )
    .expect("a kind");
    let of = |options: &str| {
        let mut bench = one_late_and_one_lost(options, &vfast);
        bench.wait_until(230);
        bench.ack(1, &[(2, 10)]);
        (deadline(&bench), bench.sender.tx.rto.timeout())
    };
    assert_eq!(of("rto_every_ack = true"), of(""));
}
