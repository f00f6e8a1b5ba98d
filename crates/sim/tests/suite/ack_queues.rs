//! Queues for acknowledgements (priority, filters, reconstruction) under TCP.

use crate::scenarios;

use eddyline_scenario::result::RunResult;
use scenarios::{flow_result, link, near, result_of};

/// 10 Mbit/s down and 32 kbit/s up: the uplink takes 100 acknowledgements of 40 bytes a second, the downlink 833 packets.
fn asymmetric(up: &str, more: &str) -> String {
    format!(
        "duration = \"120 s\"\nwarmup = \"60 s\"\nseed = 3\n\
         [[link]]\nname = \"down\"\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nqueue = {{ kind = \"droptail\", limit = \"100 packets\" }}\n\
         [[link]]\nname = \"up\"\nrate = \"32 kbit/s\"\ndelay = \"10 ms\"\nqueue = {{ {up} }}\n\
         [[flow]]\nname = \"x\"\ncontroller = {{ kind = \"newreno\" }}\ndata = [\"down\"]\nack = [\"up\"]\n{more}\n"
    )
}

/// RFC 3449, section 3.1: if every acknowledgement must pass, their rate limits the data rate.
#[test]
fn acknowledgements_limit_the_download_unless_filtered() {
    let window = "receive_window = \"600 kB\"";
    let r = result_of(&asymmetric("kind = \"droptail\"", window));
    near(flow_result(&r, "x").packets_per_s.unwrap(), 100.0, 0.01, "one packet an acknowledgement");
    near(link(&r, "up").ack_utilisation.unwrap(), 1.0, 0.01, "the uplink is full of them");
    for queue in ["kind = \"ack_filter\"", "kind = \"ack_filter\", rule = \"aggressive\""] {
        let r = result_of(&asymmetric(queue, window));
        let used = link(&r, "down").utilisation.unwrap();
        assert!(used > 0.9, "{queue}: {used}");
    }
    // one in four passes and covers four packets; bursts cost some: above 300 a second
    let decimated =
        "kind = \"ack_decimation\", threshold = \"2 packets\", drop = { kind = \"every\", keep_one_in = 4 }";
    let r = result_of(&asymmetric(decimated, window));
    let packets = flow_result(&r, "x").packets_per_s.unwrap();
    assert!(packets > 300.0, "{packets}");
}

/// Transfers complete with every such queue, also with loss in both directions.
#[test]
fn transfers_complete() {
    let queues = [
        "kind = \"headdrop\", limit = \"3 packets\"",
        "kind = \"ack_priority\", limit = \"3 packets\"",
        "kind = \"ack_filter\", limit = \"5 packets\"",
        "kind = \"ack_filter\", rule = \"conservative\"",
        "kind = \"ack_filter\", rule = \"aggressive\", place = \"tail\"",
        "kind = \"ack_decimation\", threshold = \"1 packets\", drop = { kind = \"every\", keep_one_in = 10 }",
        "kind = \"ack_decimation\", threshold = \"0 packets\", drop = { kind = \"random\", probability = 0.9 }",
        "kind = \"per_connection\", each = \"2 packets\"",
        "kind = \"cake\", bandwidth = \"30 kbit/s\", ack_filter = \"aggressive\"",
    ];
    for queue in queues {
        for (sack, loss) in [(true, 0.0), (false, 0.0), (true, 0.1), (false, 0.1)] {
            let text = asymmetric(queue, &format!("size = \"300 kB\"\ntcp = {{ sack = {sack} }}"))
                .replace("120 s", "2 h")
                .replace("delay = \"10 ms\"", &format!("delay = \"10 ms\"\nloss = {loss}"));
            let r = result_of(&text);
            let x = flow_result(&r, "x");
            assert_eq!(x.delivered_bytes, Some(300_000), "{queue}, sack {sack}, loss {loss}: {x:?}");
            assert!(x.completed_at_s.is_some(), "{queue}, sack {sack}, loss {loss}: {x:?}");
        }
    }
}

/// An upload fills the uplink. In a FIFO queue a download's acknowledgements wait for the whole queue; with priority, for at
/// most the packet in transmission.
#[test]
fn priority_bounds_the_wait_of_acknowledgements() {
    let wait = |queue: &str| {
        let text = format!(
            "duration = \"60 s\"\nwarmup = \"10 s\"\n\
             [[link]]\nname = \"down\"\nrate = \"2 Mbit/s\"\ndelay = \"20 ms\"\nqueue = {{ kind = \"droptail\", limit = \"50 packets\" }}\n\
             [[link]]\nname = \"up\"\nrate = \"192 kbit/s\"\ndelay = \"20 ms\"\nqueue = {{ {queue} }}\n\
             [[flow]]\nname = \"download\"\ncontroller = {{ kind = \"newreno\" }}\ndata = [\"down\"]\nack = [\"up\"]\n\
             [[flow]]\nname = \"upload\"\ncontroller = {{ kind = \"newreno\" }}\ndata = [\"up\"]\nack = [\"down\"]\n"
        );
        let r = result_of(&text);
        let x = flow_result(&r, "download");
        (x.reverse_queueing_delay_s.unwrap(), x.throughput_bps.unwrap())
    };
    let (fifo, slow) = wait("kind = \"droptail\", limit = \"50 packets\"");
    let (first, fast) = wait("kind = \"ack_priority\", limit = \"50 packets\"");
    // half of 1,500 B at 192 kbit/s on average, and some more for acknowledgements queued together
    assert!(first < 0.0625, "{first}");
    assert!(fifo > 0.5, "{fifo}");
    assert!(fast > 1.8e6 && slow < 1.5e6, "{fast} {slow}");
}

/// A filter passes one acknowledgement in four, and each releases a burst of four packets, which queue. Reconstruction
/// recreates the others for the sender; it counts them as sent, so packet conservation, checked in every run, holds. The window
/// is too small to fill the downlink, so only bursts queue.
#[test]
fn reconstruction_restores_the_ack_clock() {
    let run = |reconstruct: &str| {
        let text = asymmetric("kind = \"ack_filter\"", "receive_window = \"24 kB\"\ntcp = { initial_window = 1 }");
        let queue = "queue = { kind = \"ack_filter\" }";
        result_of(&text.replace(queue, &format!("{queue}\n{reconstruct}")))
    };
    let (without, with) = (run(""), run("reconstruct = { every = \"1460 B\" }"));
    let acks = |r: &RunResult| {
        let data = r.counters.data_packets_delivered.unwrap();
        (r.counters.packets_delivered.unwrap() - data) as f64 / data as f64
    };
    assert!(acks(&without) < 0.26, "{}", acks(&without));
    near(acks(&with), 1.0, 0.001, "one each");
    let c = with.counters;
    let accounted = c.packets_delivered.unwrap() + c.packets_dropped.unwrap() + c.packets_in_flight.unwrap();
    assert_eq!(c.packets_sent.unwrap(), accounted);
    let longest = |r: &RunResult| link(r, "down").queue_packets.max.unwrap();
    assert!(longest(&without) >= 3.0 && longest(&with) <= 1.0, "{} {}", longest(&without), longest(&with));
    assert!(flow_result(&with, "x").packets_per_s.unwrap() > 350.0);
}
