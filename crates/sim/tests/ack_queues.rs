//! What queues do to acknowledgements, under real TCP.

mod scenarios;

use eddyline_scenario::result::RunResult;
use scenarios::{answer, link, near, of};

/// 10 Mbit/s down and 32 kbit/s up: the uplink takes 100 acknowledgements of 40 bytes a second, the downlink 833 packets.
fn asymmetric(up: &str, more: &str) -> String {
    format!(
        "duration = \"120 s\"\nwarmup = \"60 s\"\nseed = 3\n\
         [[link]]\nname = \"down\"\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nqueue = {{ kind = \"droptail\", limit = \"100 packets\" }}\n\
         [[link]]\nname = \"up\"\nrate = \"32 kbit/s\"\ndelay = \"10 ms\"\nqueue = {{ {up} }}\n\
         [[flow]]\nname = \"x\"\ncontroller = {{ kind = \"newreno\" }}\ndata = [\"down\"]\nack = [\"up\"]\n{more}\n"
    )
}

/// RFC 3449, section 3.1: where every acknowledgement has to get through, data go no faster than they do.
#[test]
fn acknowledgements_limit_the_download_unless_filtered() {
    let window = "receive_window = \"600 kB\"";
    let r = answer(&asymmetric("kind = \"droptail\"", window));
    near(of(&r, "x").packets_per_s.unwrap(), 100.0, 0.01, "one packet an acknowledgement");
    near(link(&r, "up").ack_utilisation.unwrap(), 1.0, 0.01, "the uplink is full of them");
    for queue in ["kind = \"ack_filter\"", "kind = \"ack_filter\", rule = \"aggressive\""] {
        let r = answer(&asymmetric(queue, window));
        let used = link(&r, "down").utilisation.unwrap();
        assert!(used > 0.9, "{queue}: {used}");
    }
    // one in four passes, so each that does covers four packets: above 300 a second, with what bursts cost
    let decimated =
        "kind = \"ack_decimation\", threshold = \"2 packets\", drop = { kind = \"every\", keep_one_in = 4 }";
    let r = answer(&asymmetric(decimated, window));
    let packets = of(&r, "x").packets_per_s.unwrap();
    assert!(packets > 300.0, "{packets}");
}

/// Whatever a queue does to acknowledgements, transfers complete, under loss both ways too.
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
            let r = answer(&text);
            let x = of(&r, "x");
            assert_eq!(x.delivered_bytes, Some(300_000), "{queue}, sack {sack}, loss {loss}: {x:?}");
            assert!(x.completed_at_s.is_some(), "{queue}, sack {sack}, loss {loss}: {x:?}");
        }
    }
}

/// An upload fills the uplink. First come, first served a download's acknowledgements wait for the whole queue; with
/// priority, for one packet in transmission at most.
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
        let r = answer(&text);
        let x = of(&r, "download");
        (x.reverse_queueing_delay_s.unwrap(), x.throughput_bps.unwrap())
    };
    let (fifo, slow) = wait("kind = \"droptail\", limit = \"50 packets\"");
    let (first, fast) = wait("kind = \"ack_priority\", limit = \"50 packets\"");
    // 1,500 B at 192 kbit/s, half of it on average, and some for acknowledgements that wait together
    assert!(first < 0.0625, "{first}");
    assert!(fifo > 0.5, "{fifo}");
    assert!(fast > 1.8e6 && slow < 1.5e6, "{fast} {slow}");
}

/// Behind a filter one acknowledgement in four arrives, and each sets off a burst of as many packets that wait for one
/// another. Reconstruction gives the sender the others back, and what it creates is counted as sent: every run checks that
/// nothing else appears or vanishes. The window is below what would fill the downlink, so only bursts wait.
#[test]
fn reconstruction_restores_the_clock() {
    let run = |reconstruct: &str| {
        let text = asymmetric("kind = \"ack_filter\"", "receive_window = \"24 kB\"\ntcp = { initial_window = 1 }");
        let queue = "queue = { kind = \"ack_filter\" }";
        answer(&text.replace(queue, &format!("{queue}\n{reconstruct}")))
    };
    let (without, with) = (run(""), run("reconstruct = { every = \"1460 B\" }"));
    let acks = |r: &RunResult| {
        let data = r.counters.data_packets_delivered.unwrap();
        (r.counters.packets_delivered.unwrap() - data) as f64 / data as f64
    };
    assert!(acks(&without) < 0.26, "{}", acks(&without));
    near(acks(&with), 1.0, 0.001, "one each");
    let c = with.counters;
    let gone = c.packets_delivered.unwrap() + c.packets_dropped.unwrap() + c.packets_in_flight.unwrap();
    assert_eq!(c.packets_sent.unwrap(), gone);
    let longest = |r: &RunResult| link(r, "down").queue_packets.max.unwrap();
    assert!(longest(&without) >= 3.0 && longest(&with) <= 1.0, "{} {}", longest(&without), longest(&with));
    assert!(of(&with, "x").packets_per_s.unwrap() > 350.0);
}
