//! RFC 3168: what is ECN-capable, and how the sender responds to echoes.

use eddyline_cc::ControllerParams;

use super::{BULK, Bench, RTT, newreno, resent};
use crate::accecn_option::INITIAL_CE_COUNT;
use crate::ecn::Ecn;
use crate::segment::{Acknowledgement, SegmentFlags};

fn echo(ack: &mut Acknowledgement) {
    ack.flags.set_ece(true);
}

/// Number, ECN field, CWR.
fn labels(bench: &mut Bench) -> Vec<(u64, Ecn, bool)> {
    bench.sent().iter().map(|s| (s.seq / 1000, s.flags.ecn(), s.flags.cwr())).collect()
}

#[test]
fn only_if_negotiated() {
    let mut off = Bench::open("");
    assert!(labels(&mut off).iter().all(|l| l.1 == Ecn::NotEct));
    let mut on = Bench::open("ecn = true");
    assert!(labels(&mut on).iter().all(|l| l.1 == Ecn::Ect0 && !l.2));
    let mut syn = Bench::closed("ecn = true", &BULK, &newreno());
    syn.wait_until(0);
    let flags = syn.sent()[0].flags;
    assert!(flags.ece() && flags.cwr() && flags.ecn() == Ecn::NotEct, "an ECN-setup SYN, not ECT itself");
    // a receiver that does not accept
    syn.now = RTT;
    syn.sender.on_syn_ack(RTT, syn.now - RTT, SegmentFlags::default(), &mut syn.wire);
    assert!(labels(&mut syn).iter().all(|l| l.1 == Ecn::NotEct));
    syn.ack_with(1, &[], echo);
    assert_eq!(syn.window(), 11.0, "its echoes are ignored too");
}

/// A window of ten, one mark: halved at the first echo, CWR on the next new packet, no other reduction until that is acknowledged.
#[test]
fn one_reduction_per_window() {
    let mut bench = Bench::open("ecn = true");
    bench.sent();
    bench.wait_until(200);
    bench.ack(1, &[]);
    assert_eq!(labels(&mut bench), [(10, Ecn::Ect0, false), (11, Ecn::Ect0, false)]);
    bench.ack_with(2, &[], echo);
    // FlightSize before it: segments 1 to 11
    assert_eq!(bench.window(), 5.5);
    for number in 3..=6 {
        bench.ack_with(number, &[], echo);
    }
    assert!(bench.sent().is_empty(), "12 - 6 = 6 in flight");
    bench.ack_with(7, &[], echo);
    assert_eq!(labels(&mut bench), [], "5 in flight, a sixth would be beyond 5.5");
    bench.ack_with(8, &[], echo);
    assert_eq!(labels(&mut bench), [(12, Ecn::Ect0, true)], "CWR once");
    for number in 9..=12 {
        bench.ack_with(number, &[], echo);
        assert_eq!(bench.window(), 5.5, "no growth on an echo, no second reduction");
    }
    assert!(labels(&mut bench).iter().all(|l| !l.2));
    // the packet with CWR is acknowledged: an echo is a new event
    bench.ack_with(13, &[], echo);
    assert!(bench.window() < 3.0, "{}", bench.window());
}

/// Accurate ECN without CWR: an acknowledgement covers the last packet before a reduction and the first after it. Its mark is taken for that
/// of the former; two are one of each.
#[test]
fn marks_of_an_acknowledgement_across_a_reduction_are_first_of_what_came_before_it() {
    for (across, windows) in [(1, [5.0, 5.0]), (2, [5.0, 2.5])] {
        let mut bench = Bench::open("accurate_ecn = ace, ack_every = 2");
        bench.sent();
        bench.wait_until(200);
        let mut marked = 0;
        let mut ack = |bench: &mut Bench, number: u64, marks: u8| {
            marked += marks;
            bench.ack_with(number, &[], |ack| ack.flags.set_ace((INITIAL_CE_COUNT + marked) & 0b111));
        };
        ack(&mut bench, 1, 1);
        assert_eq!(bench.window(), windows[0]);
        (3..=9).step_by(2).for_each(|number| ack(&mut bench, number, 1));
        assert_eq!((bench.window(), bench.numbers().last()), (windows[0], Some(&(13, false))), "reduced once");
        // 9 was sent before the reduction, 10 after it
        ack(&mut bench, 11, across);
        let least = bench.window();
        assert!((least - windows[1]).abs() < 0.3, "{across}: {least}");
    }
}

/// A loss in a window that a mark has halved does not reduce it again; retransmissions are Not-ECT.
#[test]
fn marks_and_losses_of_one_window_are_one_event() {
    let mut bench = Bench::open("ecn = true");
    bench.sent();
    bench.wait_until(200);
    bench.ack_with(1, &[], echo);
    assert_eq!(bench.window(), 5.0);
    for end in 3..=8 {
        bench.ack(1, &[(2, end)]);
    }
    assert_eq!(bench.window(), 5.0, "reduced once");
    let all = labels(&mut bench);
    assert_eq!(all[0], (1, Ecn::NotEct, false), "fast retransmit");
    // everything sent before the mark is acknowledged: the next loss counts
    let next = bench.sender.tx.seq.nxt / 1000;
    bench.ack(next, &[]);
    bench.sent();
    let prior = bench.window();
    for end in 2..=4 {
        bench.ack(next, &[(next + 1, next + end)]);
    }
    assert!(bench.window() < 0.7 * prior, "{} after {prior}", bench.window());
    assert!(bench.numbers().contains(&resent(next)));
}

/// With ECN, CWR follows a loss too.
#[test]
fn cwr_follows_a_loss() {
    let mut bench = Bench::open("ecn = true");
    bench.sent();
    bench.wait_until(200);
    for end in 2..=10 {
        bench.ack(0, &[(1, end)]);
    }
    let sent = labels(&mut bench);
    let cwr: Vec<u64> = sent.iter().filter(|l| l.2).map(|l| l.0).collect();
    assert_eq!(cwr.len(), 1, "{sent:?}");
    let first_new_after = sent.iter().skip_while(|l| l.0 != 0).find(|l| l.0 > 0).expect("new data in recovery");
    assert_eq!(first_new_after.0, cwr[0]);
}

/// The packet with CWR is lost, so the receiver echoes on, and then the timer expires: no new data can carry CWR again before the repair, which
/// needs a window that grows.
#[test]
fn an_echo_does_not_stop_the_repair_after_a_timeout() {
    let mut bench = Bench::open("ecn = true");
    bench.sent();
    bench.wait_until(500);
    assert_eq!((bench.window(), bench.numbers()), (1.0, vec![resent(0)]));
    bench.ack_with(1, &[], echo);
    assert_eq!(bench.window(), 2.0, "slow start");
    assert_eq!(bench.numbers(), [resent(1), resent(2)]);
    bench.ack_with(3, &[], echo);
    assert!(bench.window() > 2.0);
    // all is repaired: new data carries CWR, and an echo stops growth again
    bench.ack_with(10, &[], echo);
    let window = bench.window();
    assert!(labels(&mut bench).contains(&(10, Ecn::Ect0, true)));
    bench.ack_with(11, &[], echo);
    assert!(bench.window() <= window);
}

/// RFC 8257, 3.5: a sender that responds to the share of marks halves its window for a loss beside them, however losses are detected.
#[test]
fn a_loss_beside_marks_counts_for_dctcp() {
    let dctcp: ControllerParams = serde_json::from_value(serde_json::json!({ "kind": "dctcp" })).expect("a kind");
    for options in ["ecn = true", "ecn = true, rack = true"] {
        let mut bench = Bench::open_with(options, &BULK, &dctcp);
        bench.sent();
        bench.wait_until(200);
        bench.ack_with(1, &[], echo);
        let reduced = bench.window();
        assert!(reduced < 10.0, "{options}: {reduced}");
        bench.ack(1, &[(2, 8)]);
        assert_eq!(bench.window(), reduced / 2.0, "{options}");
    }
}
