//! Reports of round trips on synthetic events.

use eddyline_cc::{Ack, RoundMeter, RoundReport, Stamp};
use eddyline_units::Time;

fn ack(sent_ms: u64, received_ms: u64, now_ms: u64, karn: bool) -> Ack {
    let [sent_at, received_at, now] = [sent_ms, received_ms, now_ms].map(Time::from_ms);
    Ack {
        now,
        sent_at,
        received_at,
        rtt: (!karn).then(|| now - sent_at),
        acked: 2.0,
        lost: 0.5,
        in_flight: 7.0,
        stamp: Stamp::default(),
        cwnd_limited: true,
        in_recovery: karn,
    }
}

#[test]
fn a_round_ends_with_a_packet_that_was_sent_in_it() {
    let mut meter = RoundMeter::default();
    assert!(meter.on_ack(&ack(0, 6, 10, false)), "the first acknowledgement ends the first");
    meter.take(Time::from_ms(10));
    assert!(!meter.on_ack(&ack(1, 7, 11, false)));
    assert!(!meter.on_ack(&ack(9, 17, 19, false)));
    assert!(meter.on_ack(&ack(10, 20, 24, false)));
}

/// After a handshake its SYN's sending is known, after a lost SYN that of the first packet.
#[test]
fn the_first_round_begins_with_the_flow() {
    for (mut meter, began) in [(RoundMeter::default(), 81), (RoundMeter::since(Time::from_ms(60)), 60)] {
        meter.on_ack(&ack(81, 90, 100, false));
        meter.on_ack(&ack(82, 91, 101, false));
        assert_eq!(meter.take(Time::from_ms(101)).began, Time::from_ms(began));
        meter.on_ack(&ack(101, 111, 121, false));
        assert_eq!(meter.take(Time::from_ms(121)).began, Time::from_ms(101));
    }
}

#[test]
fn a_report_summarises_its_round_and_resets() {
    let mut meter = RoundMeter::default();
    meter.on_ack(&ack(0, 6, 10, false));
    meter.on_ack(&ack(1, 11, 15, true));
    meter.on_ack(&ack(2, 22, 28, false));
    meter.on_loss();
    meter.on_mark();
    meter.on_mark();
    meter.on_timeout();
    let report = meter.take(Time::from_ms(30));
    assert_eq!(
        report,
        RoundReport {
            began: Time::ZERO,
            now: Time::from_ms(30),
            acks: 3,
            acked: 6.0,
            lost: 1.5,
            in_flight: 7.0,
            first_rtt: Some(Time::from_ms(10)),
            last_rtt: Some(Time::from_ms(26)),
            min_rtt: Some(Time::from_ms(10)),
            // of the two samples 10 and 26: what was sent twice gives none
            mean_rtt: Some(Time::from_ms(18)),
            // of 6, 10 and 20
            forward_delay: Some(Time::from_ms(12)),
            // of 4, 4 and 6 ms, in whole picoseconds
            reverse_delay: Some(Time::from_ps(4_666_666_666)),
            losses: 1,
            marks: 2,
            timeouts: 1,
            cwnd_limited: true,
            in_recovery: false,
        }
    );
    let empty = meter.take(Time::from_ms(40));
    let nothing =
        RoundReport { began: Time::from_ms(30), now: Time::from_ms(40), in_flight: 7.0, ..RoundReport::default() };
    assert_eq!(empty, nothing);
}

#[test]
fn duplicates_report_losses_alone() {
    let mut meter = RoundMeter::default();
    meter.on_duplicate(&ack(0, 6, 10, true));
    meter.on_duplicate(&ack(1, 7, 11, true));
    let report = meter.take(Time::from_ms(30));
    assert_eq!(report, RoundReport { now: Time::from_ms(30), lost: 1.0, ..RoundReport::default() });
}

/// With timestamps acknowledgements behind a gap echo the packet below it, without a sample: the gap is no delay of the return path. Two
/// packets that are sent and arrive together are two.
#[test]
fn a_packet_that_is_echoed_again_gives_no_delay() {
    let mut meter = RoundMeter::default();
    let [together, gap] = [ack(5, 11, 15, false), ack(5, 11, 45, true)];
    for a in [ack(0, 6, 10, false), together, together, gap, gap] {
        meter.on_ack(&a);
    }
    let report = meter.take(Time::from_ms(50));
    assert_eq!(
        (report.acks, report.forward_delay, report.reverse_delay),
        (5, Some(Time::from_ms(6)), Some(Time::from_ms(4)))
    );
    // the same packet in the next interval
    meter.on_ack(&gap);
    let report = meter.take(Time::from_ms(60));
    assert_eq!((report.acks, report.forward_delay, report.reverse_delay), (1, None, None));
    // a retransmission without timestamps is another packet
    meter.on_ack(&ack(50, 56, 60, true));
    assert_eq!(meter.take(Time::from_ms(70)).reverse_delay, Some(Time::from_ms(4)));
}
