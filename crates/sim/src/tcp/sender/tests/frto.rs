//! F-RTO at work: a delay spike, and a true loss of a whole flight.

use eddyline_cc::Controller as _;
use eddyline_units::Time;

use super::{Bench, Sent, again, new};

/// Segments out, and nothing heard until the timer expires. Gives how many are out.
fn timed_out(tcp: &str) -> (Bench, u64) {
    let mut bench = Bench::open(tcp);
    let mut out = bench.numbers().len() as u64;
    while bench.sender.timeouts == 0 {
        // losses by time send a probe before
        out += bench.numbers().len() as u64;
        bench.wait_until(bench.now.as_ps() / Time::from_ms(1).as_ps() + 10);
    }
    assert_eq!(bench.numbers(), [again(0)], "{tcp}");
    assert_eq!(bench.window(), 1.0);
    (bench, out)
}

/// All acknowledgements of the flight arrive late, after the timeout. Gives what they let out.
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
fn after_a_delay_spike_nothing_is_sent_again() {
    for tcp in
        ["frto = true", "frto = true, sack = false", "frto = true, rack = true", "frto = true, rack = true, prr = true"]
    {
        let (sent, bench, out) = spike(tcp);
        assert!(sent.iter().all(|(_, again)| !again), "{tcp}: {sent:?}");
        assert_eq!(sent[..2], [new(out), new(out + 1)], "{tcp}: at the first acknowledgement");
        assert_eq!(bench.sender.controller.slow_start_threshold(), Some(f64::INFINITY), "{tcp}: slow start goes on");
        // at the second acknowledgement `out` in flight, and one acknowledged; then slow start
        assert_eq!(bench.window(), (out + 1 + out - 2) as f64, "{tcp}");
    }
    let (sent, bench, _) = spike("");
    assert!(sent.iter().filter(|(_, again)| *again).count() >= 5, "{sent:?}");
    assert!(bench.window() < 12.0);
}

/// The whole flight is lost: the new segments cause duplicates, and the rest is sent again in slow start.
#[test]
fn after_a_true_loss_all_is_sent_again() {
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
        assert!(!sent.is_empty() && sent.len() <= 3 && sent[0] == again(1), "{tcp}: {sent:?}");
        assert!(bench.window() <= 3.0);
        // from here on everything arrives
        let mut there = vec![0, out, out + 1];
        ms += 100;
        while !sent.is_empty() {
            ms += 100;
            bench.wait_until(ms);
            for (number, _) in std::mem::take(&mut sent) {
                there.push(number);
                let next = (0..).find(|n| !there.contains(n)).unwrap();
                if next <= 20 {
                    bench.ack(next, &[]);
                    sent.extend(bench.numbers());
                }
            }
        }
        assert!(bench.sender.una >= 12_000, "{tcp}: {}", bench.sender.una);
        assert_eq!(bench.sender.timeouts, 1, "{tcp}");
    }
}

/// Nothing new to send: the timeout is taken for true (step 2b).
#[test]
fn without_new_data_as_ever() {
    let mut bench = Bench::open_with("controller = { kind = \"newreno\" }\ntcp = { frto = true }\nsize = \"10 kB\"");
    bench.sent();
    bench.wait_until(410);
    assert_eq!(bench.numbers(), [again(0)]);
    bench.ack(1, &[]);
    assert_eq!(bench.numbers(), [again(1), again(2)]);
}
