//! Scenarios with elementary closed forms.

use crate::scenarios;

use eddyline_sim::{LogSelection, Options};
use scenarios::{duplex, flow, flow_result, head, link, near, network, outcome, result_of};

const KNOWN: &str = "kind = \"fast\", alpha = \"50 packets\", base_rtt = \"known\"";

/// alpha packets are queued, the one in transmission among them; queue statistics leave that one out.
#[test]
fn a_lone_fast_flow_keeps_alpha_packets_queued() {
    let text = head(60.0, 30.0, 1) + &duplex(20e6, 20e6, 0.030) + &flow("x", KNOWN, "f", "b", "");
    let r = result_of(&text);
    let packet = 1040.0 * 8.0 / 20e6;
    // a paced flow's last packet joins up to one packet time after the average
    near(flow_result(&r, "x").rtt_s.mean.unwrap(), 0.030 + 50.0 * packet, 0.01, "RTT");
    near(link(&r, "f").queue_packets.mean.unwrap(), 49.0, 0.02, "queue");
    near(link(&r, "f").utilisation.unwrap(), 1.0, 1e-4, "utilisation");
    assert_eq!(link(&r, "b").queue_packets.max, Some(0.0), "ACKs never wait");
}

/// A load of 2 on a queue of N packets: half is lost, the queue stays full, every packet waits N transmission times.
#[test]
fn constant_rate_at_twice_the_capacity() {
    let text = head(100.0, 10.0, 1)
        + "[[link]]\nname = \"f\"\nrate = \"4 Mbit/s\"\ndelay = \"5 ms\"\nqueue = { kind = \"droptail\", limit = \"20 packets\" }\n\
           [[traffic]]\nname = \"c\"\npath = [\"f\"]\npacket = \"1000 B\"\nmodel = { kind = \"cbr\", rate = \"8 Mbit/s\" }\n";
    let r = result_of(&text);
    let f = link(&r, "f");
    let packet = 1000.0 * 8.0 / 4e6;
    near(f.drops.cross.unwrap() as f64, 50_000.0, 0.001, "drops");
    near(f.utilisation.unwrap(), 1.0, 5e-5, "utilisation, to a packet");
    assert_eq!(f.queue_packets.max, Some(20.0));
    // a packet joins at the moment that another leaves: between 19 and 20 wait
    let wait = f.queueing_delay_s.mean.unwrap() / packet;
    assert!((19.0..=20.0).contains(&wait), "{wait} packets");
    let mean = f.queue_packets.mean.unwrap();
    assert!((19.0..=20.0).contains(&mean), "{mean} packets");
}

/// Slow start from ten segments doubles each round trip until the link is full, then it runs at line rate.
#[test]
fn completion_time_of_a_finite_transfer() {
    let text =
        head(20.0, 0.0, 1) + &duplex(10e6, 10e6, 0.100) + &flow("x", "kind = \"reno\"", "f", "b", "size = \"1 MB\"");
    let r = result_of(&text);
    let x = flow_result(&r, "x");
    // SYN and SYN-ACK: one round trip and two 40-byte packets. Then 10, 20, 40, 80 segments a round trip; the pipe holds
    // 120, so from the round of 80 on each ACK finds the link busier and the last 850 segments leave back to back.
    let (packet, ack) = (1040.0 * 8.0 / 10e6, 40.0 * 8.0 / 10e6);
    let syn = 0.100 + 2.0 * ack;
    let round = 0.100 + packet + ack;
    // The round of 160 begins four rounds after the first and keeps the link busy ever after: 1000 - 150 segments.
    let ideal = syn + 4.0 * round + 850.0 * packet + 0.100 + 2.0 * ack;
    near(x.completed_at_s.unwrap(), ideal, 0.002, "completion");
    assert_eq!(x.delivered_bytes, Some(1_000_000));
    assert_eq!((x.retransmits, x.timeouts), (Some(0), Some(0)));
}

#[test]
fn an_acknowledgement_for_every_second_segment() {
    let base = head(20.0, 0.0, 1) + &duplex(10e6, 10e6, 0.020);
    let acks = |more: &str| {
        let r = result_of(&(base.clone() + &flow("x", "kind = \"reno\"", "f", "b", more)));
        // SYN-ACK and ACKs on the return link, FIN's included, by their bits
        let bits = link(&r, "b").ack_utilisation.unwrap() * 10e6 * 20.0;
        (bits / 320.0, r.counters.data_packets_delivered.unwrap())
    };
    // 1,001 segments, SYN-ACK, FIN
    let (n, data) = acks("size = \"1001 kB\"\n");
    assert_eq!((n.round() as u64, data), (1_003, 1_001));
    // 500 pairs; the odd last segment is acknowledged with the FIN
    let (n, _) = acks("size = \"1001 kB\"\ndelayed_ack = true\n");
    assert_eq!(n.round() as u64, 502);
    // a lone segment waits for the timer
    let text = head(20.0, 1.0, 1)
        + &duplex(10e6, 10e6, 0.020)
        + &flow(
            "x",
            "kind = \"reno\"",
            "f",
            "b",
            "tcp = { ack_every = 2, ack_timer = \"100 ms\" }\nreceive_window = \"1000 B\"",
        );
    let r = result_of(&text);
    near(
        flow_result(&r, "x").rtt_s.mean.unwrap(),
        0.1 + 0.020 + (1040.0 + 40.0) * 8.0 / 10e6,
        0.002,
        "delayed by the timer",
    );
}

/// A drop-tail queue of one bandwidth-delay product keeps the link busy through Reno's halving.
#[test]
fn a_buffer_of_one_bandwidth_delay_product_suffices() {
    let text = head(300.0, 60.0, 1)
        + "[[link]]\nname = \"f\"\nrate = \"20 Mbit/s\"\ndelay = \"40 ms\"\nqueue = { kind = \"droptail\", limit = \"193 packets\" }\n\
           [[link]]\nname = \"b\"\nrate = \"20 Mbit/s\"\ndelay = \"40 ms\"\n"
        + &flow("x", "kind = \"newreno\"", "f", "b", "");
    let r = result_of(&text);
    assert!(link(&r, "f").utilisation.unwrap() > 0.99, "{:?}", link(&r, "f"));
    assert!(link(&r, "f").drops.data.unwrap() > 0 && flow_result(&r, "x").timeouts == Some(0));
}

/// A window of N segments gives N segments a round trip.
#[test]
fn the_receive_window_limits() {
    let text = head(30.0, 10.0, 1)
        + &duplex(50e6, 50e6, 0.050)
        + &flow("x", "kind = \"reno\"", "f", "b", "receive_window = \"20 kB\"");
    let r = result_of(&text);
    let rtt = 0.050 + (1040.0 + 40.0) * 8.0 / 50e6;
    near(flow_result(&r, "x").packets_per_s.unwrap(), 20.0 / rtt, 0.001, "rate");
}

/// After a pause longer than the timeout the window starts over: a burst takes the same time as the first one.
#[test]
fn idle_restart() {
    let text = head(41.0, 35.0, 1)
        + &duplex(100e6, 100e6, 0.100)
        + &flow(
            "x",
            "kind = \"reno\"",
            "f",
            "b",
            "application = { kind = \"bursts\", bytes = \"300 kB\", every = \"10 s\" }",
        );
    let r = result_of(&text);
    let window = flow_result(&r, "x").window_packets.min.unwrap();
    assert!((window - 10.0).abs() < 1.0, "restart window of ten packets, not {window}");
}

/// `start` and `stop`: no data before or after, FIN at the stop, everything delivered.
#[test]
fn start_and_stop() {
    let text = head(20.0, 0.0, 1)
        + &duplex(8.32e6, 8.32e6, 0.020)
        + &flow("x", "kind = \"fast\", alpha = \"20 packets\"", "f", "b", "start = \"5 s\"\nstop = \"15 s\"");
    let r = result_of(&text);
    let x = flow_result(&r, "x");
    let done = x.completed_at_s.unwrap();
    assert!((15.0..15.2).contains(&done), "{done}");
    // 1,000 packets a second for ten seconds, less the start
    near(x.delivered_bytes.unwrap() as f64, 10e6, 0.02, "delivered");
    assert_eq!(r.counters.packets_in_flight, Some(0));
    // `stop` cuts a transfer that is not complete by then, and does not affect one that is
    let sized = |size: &str| result_of(&text.replace("stop =", &format!("size = \"{size}\"\nstop =")));
    assert_eq!(flow_result(&sized("1 GB"), "x").delivered_bytes, x.delivered_bytes);
    assert_eq!(flow_result(&sized("1 MB"), "x").delivered_bytes, Some(1_000_000));
}

/// The third duplicate acknowledgement triggers the retransmission at once, even if the window is full (RFC 5681, 3.2 step 3;
/// RFC 6675, 5 step 4.3).
#[test]
fn fast_retransmit_ignores_the_window() {
    for (kind, sack) in [("reno", true), ("reno", false), ("newreno", false), ("fast\", alpha = \"50 packets", true)] {
        let text = head(5.0, 0.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\nloss = { kind = \"periodic\", every = 30 }\n\
               [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\n"
            + &flow(
                "x",
                &format!("kind = \"{kind}\""),
                "f",
                "b",
                &format!(
                    "size = \"55 kB\"\nreceive_window = \"20 kB\"\ntcp = {{ sack = {sack}, initial_window = 20, pacing = false }}"
                ),
            );
        let options = Options { packet_log: Some(LogSelection::All), ..Options::default() };
        let log = outcome(&network(&text), &options).log.unwrap();
        let sent = |seq: u64, retransmission: bool| {
            let row = |i: &usize| log.event[*i] == 0 && log.packet[*i] == 0 && log.seq[*i] == seq;
            let i = (0..log.time_s.len()).filter(row).find(|i| log.retransmission[*i] == retransmission);
            log.time_s[i.unwrap_or_else(|| panic!("{kind}: {seq} was not sent, retransmission {retransmission}"))]
        };
        // the 30th segment is lost, the 33rd causes the third duplicate; no packet queues
        let round = 0.1 + (1040.0 + 40.0) * 8.0 / 10e6;
        near(sent(29_000, true) - sent(32_000, false), round, 1e-9, kind);
    }
}
