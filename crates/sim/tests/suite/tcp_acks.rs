//! Acknowledgement policies of the receiver, and the sender's response to them.

use crate::scenarios;

use scenarios::{duplex, flow, flow_result, head, link, near, result_of};

/// Acknowledgements, SYN-ACK among them, of 1,001 segments and a FIN over 10 Mbit/s and 20 ms.
fn acknowledgements(tcp: &str) -> u64 {
    let text = head(20.0, 0.0, 1)
        + &duplex(10e6, 10e6, 0.020)
        + &flow("x", "kind = \"reno\"", "f", "b", &format!("size = \"1001 kB\"\ntcp = {{ {tcp} }}"));
    let r = result_of(&text);
    assert_eq!(flow_result(&r, "x").delivered_bytes, Some(1_001_000), "{tcp}");
    let bits = link(&r, "b").ack_utilisation.unwrap() * 10e6 * 20.0;
    (bits / 320.0).round() as u64
}

/// The last segments go with the FIN's acknowledgement.
#[test]
fn number_of_acknowledgements() {
    assert_eq!(acknowledgements(""), 1 + 1_001 + 1);
    assert_eq!(acknowledgements("ack_every = 2"), 1 + 500 + 1);
    // sixteen at once, then pairs of 985
    assert_eq!(acknowledgements("ack_every = 2, quick_acks = 16"), 1 + 16 + 492 + 1);
    assert_eq!(acknowledgements("ack_every = 8"), 1 + 125 + 1);
    assert_eq!(acknowledgements("ack_every = 8, quick_acks = 1"), 1 + 1 + 125 + 1);
}

/// Acknowledgements by the timer alone: one 40 ms after the first unacknowledged packet.
#[test]
fn acknowledgements_by_timer_alone() {
    let text = head(30.0, 10.0, 1)
        + &duplex(10e6, 10e6, 0.020)
        + &flow(
            "x",
            "kind = \"newreno\"",
            "f",
            "b",
            "tcp = { ack_every = 1000000, ack_timer = \"40 ms\", byte_counting = 1000000, pacing = true }",
        );
    let r = result_of(&text);
    // the link is busy, so the next packet follows a packet time after each acknowledgement
    let every = 0.040 + 1040.0 * 8.0 / 10e6;
    let acks = link(&r, "b").ack_utilisation.unwrap() * 10e6 / 320.0;
    near(acks, 1.0 / every, 0.02, "acknowledgements a second");
    assert!(link(&r, "f").utilisation.unwrap() > 0.99);
}

/// With an acknowledgement for every eighth segment slow start grows by 1 + 1/8 per round trip; with byte counting it doubles.
#[test]
fn byte_counting_doubles_whatever_the_receiver_does() {
    let completion = |tcp: &str| {
        let text = head(30.0, 0.0, 1)
            + &duplex(100e6, 100e6, 0.100)
            + &flow("x", "kind = \"reno\"", "f", "b", &format!("size = \"1270 kB\"\ntcp = {{ {tcp} }}"));
        flow_result(&result_of(&text), "x").completed_at_s.unwrap()
    };
    // SYN; six rounds of 10, 20, ... 320, and one of 640, which takes 53 ms to transmit, with the FIN
    let transmission = 640.0 * 1040.0 * 8.0 / 100e6;
    let ideal = 0.1 + 6.0 * 0.1 + transmission + 0.1;
    near(completion(""), ideal, 0.005, "every segment");
    // up to seven packets of a round wait for the next
    near(completion("ack_every = 8, byte_counting = 8"), ideal, 0.1, "every eighth, bytes");
    // L = 2 of eight: 1 + 1/4 a round trip: 10 (1.25^n - 1) / 0.25 = 1,270 after 15.7, and up to a quarter more for those
    // that wait; by acknowledgements 10 (1.125^n - 1) / 0.125 = 1,270 after 23.9
    let rounds = |tcp: &str| (completion(tcp) - 0.1) / 0.1;
    let (two, one) = (rounds("ack_every = 8, byte_counting = 2"), rounds("ack_every = 8"));
    assert!((15.7..1.25 * 15.7).contains(&two), "every eighth, at most two: {two} round trips");
    assert!((23.9..1.25 * 23.9).contains(&one), "every eighth, by acknowledgements: {one} round trips");
}

/// Losses at every n-th packet: with delayed acknowledgements the mean window is 1.22 sqrt(n / 2) by acknowledgements, but
/// 1.22 sqrt(n) by bytes, as without delay. Within 4 %, the round trip of recovery.
#[test]
fn byte_counting_restores_the_window() {
    for (more, ratio) in [("", std::f64::consts::FRAC_1_SQRT_2), (", byte_counting = 2", 1.0)] {
        let text = head(600.0, 30.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"10 Gbit/s\"\ndelay = \"40 ms\"\nloss = { kind = \"periodic\", every = 3000 }\n\
               [[link]]\nname = \"b\"\nrate = \"10 Gbit/s\"\ndelay = \"40 ms\"\n"
            + &flow("x", "kind = \"newreno\"", "f", "b", &format!("tcp = {{ ack_every = 2{more} }}"));
        let r = result_of(&text);
        near(flow_result(&r, "x").window_packets.mean.unwrap(), 1.22 * 3000f64.sqrt() * ratio, 0.04, more);
    }
}

/// Acknowledgements by the timer, paced packets: without timestamps the RTT sample is of the last packet, with them of the first,
/// whose acknowledgement is delayed by the whole 40 ms.
#[test]
fn timestamps_measure_the_delay_of_acknowledgements() {
    let rtt = |tcp: &str| {
        let text = head(30.0, 10.0, 1)
            + &duplex(10e6, 10e6, 0.020)
            + &flow(
                "x",
                "kind = \"newreno\"",
                "f",
                "b",
                &format!(
                    "receive_window = \"20 kB\"\n\
                     tcp = {{ ack_every = 1000000, ack_timer = \"40 ms\", pacing = true{tcp} }}"
                ),
            );
        flow_result(&result_of(&text), "x").rtt_s.mean.unwrap()
    };
    let first = 0.020 + 0.040 + (1040.0 + 40.0) * 8.0 / 10e6;
    near(rtt(", timestamps = true"), first, 0.002, "the first of those acknowledged");
    assert!(rtt("") < first - 0.010, "{}", rtt(""));
}

/// At 10 % loss windows are small; three duplicates are more frequent if the first two release new data (RFC 3042).
#[test]
fn limited_transmit_saves_timeouts() {
    let timeouts = |on: bool| -> u64 {
        let run = |seed| {
            let text = head(100.0, 0.0, seed)
                + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\nloss = 0.1\n\
                   [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n"
                + &flow("x", "kind = \"newreno\"", "f", "b", &format!("tcp = {{ limited_transmit = {on} }}"));
            flow_result(&result_of(&text), "x").timeouts.unwrap()
        };
        (0..8).map(run).sum()
    };
    let (with, without) = (timeouts(true), timeouts(false));
    assert!(with * 10 < without * 9, "{with} with, {without} without");
}

/// Without fast retransmit every loss costs a timeout of 200 ms.
#[test]
fn without_fast_retransmit_every_loss_is_a_timeout() {
    let run = |on: bool| {
        let text = head(100.0, 0.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n\
               loss = { kind = \"periodic\", every = 1000 }\n\
               [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n"
            + &flow("x", "kind = \"newreno\"", "f", "b", &format!("tcp = {{ sack = false, fast_retransmit = {on} }}"));
        let result = result_of(&text);
        let lost = result.links[0].lost.unwrap();
        let x = flow_result(&result, "x");
        (x.timeouts.unwrap(), lost, x.goodput_bps.unwrap())
    };
    let (with, without) = (run(true), run(false));
    // the overshoot of slow start may cost one
    assert!(with.0 <= 1, "{with:?}");
    // the last timer may not have expired yet; a retransmission may be lost too
    assert!(without.1 > 10 && without.1.abs_diff(without.0) <= 1, "{without:?}");
    assert!(without.2 < 0.95 * with.2, "{without:?} {with:?}");
}
