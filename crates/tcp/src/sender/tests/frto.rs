//! F-RTO in the sender: a delay spike, and a genuine loss of a whole flight.

use eddyline_cc::Controller as _;
use eddyline_units::Time;

use super::{BULK, Bench, Sent, new, newreno, resent};
use crate::config::Transfer;

/// Sends segments, without an acknowledgement until the timer expires; returns how many are outstanding.
fn timed_out(tcp: &str) -> (Bench, u64) {
    let mut bench = Bench::open(tcp);
    let mut out = bench.numbers().len() as u64;
    while bench.sender.counters().timeouts == 0 {
        // with RACK a probe is sent first
        out += bench.numbers().len() as u64;
        bench.wait_until(bench.now.as_ps() / Time::from_ms(1).as_ps() + 10);
    }
    assert_eq!(bench.numbers(), [resent(0)], "{tcp}");
    assert_eq!(bench.window(), 1.0);
    (bench, out)
}

/// All acknowledgements of the flight arrive after the timeout; returns what is sent then.
fn spike(tcp: &str) -> (Vec<Sent>, Bench, u64) {
    let (mut bench, out) = timed_out(tcp);
    let mut sent = Vec::new();
    for number in 1..=out {
        bench.ack(number, &[]);
        sent.extend(bench.numbers());
    }
    (sent, bench, out)
}

#[test]
fn after_a_delay_spike_nothing_is_retransmitted() {
    for tcp in
        ["frto = true", "frto = true, sack = false", "frto = true, rack = true", "frto = true, rack = true, prr = true"]
    {
        let (sent, bench, out) = spike(tcp);
        assert!(sent.iter().all(|(_, retransmission)| !retransmission), "{tcp}: {sent:?}");
        assert_eq!(sent[..2], [new(out), new(out + 1)], "{tcp}: at the first acknowledgement");
        assert_eq!(
            bench.sender.controller().slow_start_threshold(),
            Some(f64::INFINITY),
            "{tcp}: slow start continues"
        );
        // at the second acknowledgement `out` in flight, and one acknowledged; then slow start
        assert_eq!(bench.window(), (out + 1 + out - 2) as f64, "{tcp}");
    }
    let (sent, bench, _) = spike("");
    assert!(sent.iter().filter(|(_, retransmission)| *retransmission).count() >= 5, "{sent:?}");
    assert!(bench.window() < 12.0);
}

/// The whole flight is lost: the new segments cause duplicates, and the rest is retransmitted in slow start.
#[test]
fn after_a_genuine_loss_all_is_retransmitted() {
    for (tcp, sack) in [("frto = true", true), ("frto = true, sack = false", false), ("frto = true, rack = true", true)]
    {
        let (mut bench, out) = timed_out(tcp);
        let mut ms = bench.now.as_ps() / Time::from_ms(1).as_ps() + 100;
        bench.wait_until(ms);
        bench.ack(1, &[]);
        assert_eq!(bench.numbers(), [new(out), new(out + 1)], "{tcp}");
        bench.wait_until(ms + 100);
        let block = [(out, out + 1)];
        bench.ack(1, if sack { &block } else { &[] });
        let mut sent = bench.numbers();
        assert!(!sent.is_empty() && sent.len() <= 3 && sent[0] == resent(1), "{tcp}: {sent:?}");
        assert!(bench.window() <= 3.0);
        // from here on everything arrives
        let mut received = vec![0, out, out + 1];
        ms += 100;
        while !sent.is_empty() {
            ms += 100;
            bench.wait_until(ms);
            for (number, _) in std::mem::take(&mut sent) {
                received.push(number);
                let next = (0..).find(|n| !received.contains(n)).unwrap();
                if next <= 20 {
                    bench.ack(next, &[]);
                    sent.extend(bench.numbers());
                }
            }
        }
        assert!(bench.sender.tx.seq.una >= 12_000, "{tcp}: {}", bench.sender.tx.seq.una);
        assert_eq!(bench.sender.counters().timeouts, 1, "{tcp}");
    }
}

/// Two selective acknowledgements before the timeout and one after it are no three duplicates of one hole: the spurious timeout ended the
/// count.
#[test]
fn duplicates_before_a_spurious_timeout_do_not_count_after_it() {
    let mut bench = Bench::open("frto = true");
    bench.numbers();
    bench.ack(0, &[(1, 2)]);
    bench.ack(0, &[(1, 3)]);
    while bench.sender.counters().timeouts == 0 {
        bench.numbers();
        bench.wait_until(bench.now.as_ps() / Time::from_ms(1).as_ps() + 10);
    }
    assert_eq!(bench.numbers(), [resent(0)]);
    bench.ack(3, &[]);
    assert!(bench.numbers().iter().all(|(_, retransmission)| !retransmission), "it may be spurious");
    bench.ack(3, &[(4, 5)]);
    let sent = bench.numbers();
    assert!(!sent.is_empty() && sent.iter().all(|(_, retransmission)| !retransmission), "{sent:?}");
}

/// Without new data to send the timeout is treated as genuine (step 2b).
#[test]
fn without_new_data_recovery_is_conventional() {
    let mut bench = Bench::open_with("frto = true", &Transfer { size: Some(10_000), ..BULK }, &newreno());
    bench.sent();
    bench.wait_until(410);
    assert_eq!(bench.numbers(), [resent(0)]);
    bench.ack(1, &[]);
    assert_eq!(bench.numbers(), [resent(1), resent(2)]);
}
