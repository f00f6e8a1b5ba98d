//! Latency probes and responsiveness (draft-ietf-ippm-responsiveness).

use std::sync::Arc;

use crate::scenarios;

use eddyline_path::variation::{Conditions, Recording};
use eddyline_scenario::result::ProbeResult;
use eddyline_sim::{LogEvent, LogSelection, Options};
use scenarios::{flow, flow_result, head, near, network, outcome, result_of};

const PROBE: &str = "[[probe]]\nname = \"p\"\ndata = [\"f\"]\nack = [\"b\"]\n";

fn probes(text: &str) -> ProbeResult {
    result_of(text).probes[0].clone()
}

/// Alone, every round trip takes propagation and the transmission of its two packets.
#[test]
fn idle_round_trips_by_hand() {
    let p = probes(&(head(10.0, 0.0, 1) + &scenarios::duplex(1e6, 2e6, 0.04) + PROBE));
    // 40 B; 300 B at 1 Mbit/s and 1,500 B at 2 Mbit/s
    let (syn, request) = (0.04 + 40.0 * 8.0 / 1e6 + 40.0 * 8.0 / 2e6, 0.04 + 300.0 * 8.0 / 1e6 + 1500.0 * 8.0 / 2e6);
    for (times, expected) in [(p.tcp_s, syn), (p.tls_s, request), (p.http_s, request)] {
        for time in [times.mean, times.min, times.p50, times.p99, times.trimmed_mean] {
            near(time.unwrap(), expected, 1e-9, "round trip");
        }
    }
    near(p.idle_s.unwrap(), request, 1e-9, "idle");
    near(p.foreign_rpm.unwrap(), 60.0 * 3.0 / (syn + 2.0 * request), 1e-9, "foreign");
    assert_eq!((p.loaded_rpm, p.responsiveness_rpm), (None, p.foreign_rpm));
    assert_eq!(
        (p.started, p.completed, p.retransmits),
        (Some(101), Some(99), Some(0)),
        "the last two are open at the end"
    );
}

/// From 10 s of 100 on nothing arrives. A message is given up 127 s after it was sent (1 + 2 + ... + 64): none is here, and all that were sent more
/// than 1 s before the end were sent again.
#[test]
fn connections_on_a_dead_line_have_no_answer() {
    let dead = "outages = [{ start = \"10 s\", length = \"500 s\" }]\ndelay";
    let links = scenarios::duplex(20e6, 20e6, 0.02).replacen("delay", dead, 1);
    let of = |seconds| probes(&(head(seconds, 0.0, 1) + &links + PROBE));
    let p = of(100.0);
    // one each 100 ms, at 0 s too; that of 9.9 s ends before 10 s: three round trips of 21 ms
    assert_eq!((p.started, p.completed), (Some(1001), Some(100)), "{p:?}");
    assert_eq!(p.unanswered, Some(1001 - 100 - 10), "those of 99.1 s to 100 s wait for their first answer: {p:?}");
    // 127 s after the last answer the first ones are given up, and counted as before
    assert_eq!(of(300.0).unanswered, Some(3001 - 100 - 10));
}

/// Where propagation varies, the idle time is that of all requests of a run without load.
#[test]
fn idle_time_includes_the_mean_of_what_varies() {
    let jitter = "jitter = { kind = \"exponential\", mean = \"20 ms\" }\nreorder = true\nchanges = [{ at = \"60 s\", delay = \"60 ms\" }]\ndelay";
    let p = probes(&(head(100.0, 20.0, 1) + &scenarios::duplex(1e6, 2e6, 0.04).replacen("delay", jitter, 1) + PROBE));
    let request = 300.0 * 8.0 / 1e6 + 1500.0 * 8.0 / 2e6;
    // half of the window with 20 ms each way, half with 60 ms there and 20 ms back
    let idle = request + (0.04 + 0.08) / 2.0 + 0.02;
    // requests of connections that begin within their handshakes before the change are of the time after it, 0.2 s of 80
    near(p.idle_s.unwrap(), idle, 2e-3, "idle");
    // 800 requests of an exponential delay: four standard errors are 0.14 of 20 ms
    near(p.http_s.mean.unwrap(), idle, 0.0028 / idle, "requests");
}

/// Delays that come and go while handshakes wait: a request is sent after them, so it meets fewer than the mean over time has.
#[test]
fn idle_time_is_of_the_delays_that_requests_meet() {
    let recording = || Recording::csv("time_s,delay_s\n0,0.01\n1,0.15\n1.25,0.01\n1.75,0.01\n", None).unwrap();
    let links = scenarios::duplex(10e6, 50e6, 0.02);
    let mut network = network(&(head(120.0, 10.0, 1) + &links + PROBE + "every = \"510 ms\"\n"));
    for link in &mut network.links {
        let playing = Conditions::playing(link.rate, link.delay, &recording(), true, &[]);
        link.variation.conditions = Some(Arc::new(playing));
    }
    let p = outcome(&network, &Options::default()).result.probes.remove(0);
    let (idle, mean) = (p.idle_s.unwrap(), p.http_s.mean.unwrap());
    // 216 connections; by time the mean delay of both ways is 0.06 s
    assert!(idle < 0.03 && (idle - mean).abs() < 0.003, "{p:?}");
}

/// What comes after the run is no part of it: an outage at its end counts alike, however long it would last.
#[test]
fn idle_time_ends_with_the_run() {
    let of = |length: &str| {
        let outage = format!("outages = [{{ start = \"59.9 s\", length = \"{length}\" }}]\ndelay");
        let links = scenarios::duplex(50e6, 10e6, 0.01).replacen("delay", &outage, 1);
        probes(&(head(60.0, 10.0, 1) + &links + PROBE)).idle_s.unwrap()
    };
    let idle = 0.01 + 300.0 * 8.0 / 50e6 + 1500.0 * 8.0 / 10e6;
    // a window shorter than a connection
    let short = scenarios::duplex(1e7, 1e7, 0.4).replacen(
        "delay",
        "changes = [{ at = \"1 s\", rate = \"9 Mbit/s\" }]\ndelay",
        1,
    );
    let p = probes(&(head(20.0, 19.0, 1) + &short + PROBE));
    near(p.idle_s.unwrap(), 0.4 + 300.0 * 8.0 / 9e6 + 1500.0 * 8.0 / 1e7, 1e-9, "a second");
    near(of("1 h"), idle, 1e-9, "an hour");
    near(of("100 ms"), idle, 1e-9, "to the end of the run");
}

/// Where the rate varies, the idle time is that of requests at the rates of the time, waits for the end of outages included.
#[test]
fn idle_time_is_of_the_rates_of_the_time() {
    let of = |variation: &str| {
        let duplex = scenarios::duplex(50e6, 2e6, 0.04).replacen("delay", &format!("{variation}\ndelay"), 1);
        probes(&(head(100.0, 20.0, 1) + &duplex + PROBE)).idle_s.unwrap()
    };
    let back = 1500.0 * 8.0 / 2e6 + 0.04;
    let step = |at: u32| format!("changes = [{{ at = \"{at} s\", rate = \"500 kbit/s\" }}]");
    near(of(&step(10)), back + 300.0 * 8.0 / 5e5, 1e-9, "before the window");
    // so do requests of connections that begin within their handshakes before it, 0.1 s of 80
    near(of(&step(60)), back + (300.0 * 8.0 / 5e5 + 300.0 * 8.0 / 50e6) / 2.0, 2e-4, "in its middle");
    // the handshakes of a tenth of the connections wait; of requests those in whose handshake of TLS an outage begins, and then for all of it
    let outages = "outages = [{ start = \"25 s\", length = \"2 s\", every = \"20 s\" }]";
    near(of(outages), back + 300.0 * 8.0 / 50e6 + (0.04 + back - 0.02) / 20.0 * 2.0, 0.05, "outages");
}

/// The idle time of a link with outages is what requests take without load: a loaded one is not graded by what its handshakes waited.
#[test]
fn idle_time_is_of_requests_where_there_are_outages() {
    let outages = "outages = [{ start = \"50 s\", length = \"10 s\" }]\ndelay";
    let links = scenarios::duplex(20e6, 20e6, 0.04).replacen("delay", outages, 1);
    let p = probes(&(head(100.0, 0.0, 1) + &links + PROBE));
    let (idle, mean) = (p.idle_s.unwrap(), p.http_s.mean.unwrap());
    assert!(p.tcp_s.mean.unwrap() > 0.4, "handshakes wait for the end: {p:?}");
    assert!((0.04..0.06).contains(&idle) && (idle - mean).abs() < 0.015, "{p:?}");
}

/// In long runs too: starts that keep step with outages would meet all of them, or none.
#[test]
fn idle_time_of_outages_does_not_depend_on_how_often_they_come() {
    let outages = "outages = [{ start = \"4 s\", length = \"1 s\", every = \"9 s\" }]\ndelay";
    let links = scenarios::duplex(10e6, 5e6, 0.04).replace("delay", outages);
    for seconds in [90.0, 600.0, 900.0, 1200.0, 1800.0, 3600.0] {
        let p = probes(
            &(head(seconds, 0.0, 1) + &links + PROBE + "every = \"50 s\"\nrequest = \"40 B\"\nresponse = \"40 B\"\n"),
        );
        // 40.1 ms, and of the starts within a round trip before an outage about 1 s, each 9 s
        near(p.idle_s.unwrap(), 0.040_096 + 0.0401 / 9.0, 0.01, &format!("{seconds} s"));
    }
}

/// The draft's formula, computed from the packet log: first request of each exchange to first response, trimmed means, mean of both
/// responsivenesses; with losses, so that retransmissions are part of the times.
#[test]
fn responsiveness_from_the_packet_log() {
    let text = head(60.0, 10.0, 3)
        + &scenarios::duplex(10e6, 2e6, 0.03).replacen(
            "delay",
            "queue = { kind = \"droptail\", limit = \"100 packets\" }\nloss = 0.02\ndelay",
            1,
        )
        + &flow("load", "kind = \"reno\"", "f", "b", "")
        + PROBE;
    let options = Options { packet_log: Some(LogSelection::Entity("p".into())), ..Options::default() };
    let result = outcome(&network(&text), &options);
    let (p, log) = (&result.result.probes[0], result.log.unwrap());
    let mut began = std::collections::HashMap::new();
    let mut ended = std::collections::HashMap::new();
    let endpoint = |row: usize| log.link[row] == u32::MAX;
    for row in 0..log.time_s.len() {
        let (exchange, response) = (log.seq[row] / 2, log.seq[row] % 2 == 1);
        if log.event[row] == LogEvent::Send as u8 && !response {
            began.entry(exchange).or_insert(log.time_s[row]);
        } else if log.event[row] == LogEvent::Receive as u8 && response && endpoint(row) {
            ended.entry(exchange).or_insert(log.time_s[row]);
        }
    }
    let trimmed = |stage: u64| {
        let of_stage = ended.iter().filter(|(e, at)| *e % 3 == stage && **at > 10.0);
        let mut times: Vec<f64> = of_stage.map(|(e, at)| at - began[e]).collect();
        times.sort_by(f64::total_cmp);
        let kept = (times.len() as f64 * 0.95).floor() as usize;
        assert!(kept > 400, "{kept}");
        times[..kept].iter().sum::<f64>() / kept as f64
    };
    let foreign = 60.0 / ((trimmed(0) + trimmed(1) + trimmed(2)) / 3.0);
    near(p.foreign_rpm.unwrap(), foreign, 1e-9, "foreign");
    assert!(p.retransmits.unwrap() > 10, "{p:?}");
    let loaded = flow_result(&result.result, "load").responsiveness_rpm.unwrap();
    near(p.loaded_rpm.unwrap(), loaded, 1e-12, "the only flow");
    near(p.responsiveness_rpm.unwrap(), (foreign + loaded) / 2.0, 1e-9, "both");
}

/// A download through a deep drop-tail queue delays everybody; FQ-CoDel delays neither new connections nor, much, the download.
#[test]
fn a_queue_discipline_shows() {
    let rpm = |queue: &str| {
        let links = scenarios::duplex(10e6, 10e6, 0.02).replacen("delay", &format!("queue = {{ {queue} }}\ndelay"), 1);
        probes(&(head(40.0, 10.0, 1) + &links + &flow("load", "kind = \"cubic\"", "f", "b", "") + PROBE))
    };
    let (deep, fair) = (rpm("kind = \"droptail\", limit = \"500 ms\""), rpm("kind = \"fq_codel\""));
    // 60 s / 20 ms is 3,000; a full queue of 500 ms allows 60 / 0.52 = 115, an emptier one some more
    assert!((115.0..250.0).contains(&deep.responsiveness_rpm.unwrap()), "{deep:?}");
    assert!(fair.foreign_rpm.unwrap() > 2000.0 && fair.loaded_rpm.unwrap() > 1200.0, "{fair:?}");
}

/// Each connection is a flow of its own to a fair queue: ten a second, which together want more than a flow's share, wait for few packets.
#[test]
fn connections_are_flows_to_fair_queues() {
    for queue in ["kind = \"fq_codel\"", "kind = \"cake\"", "kind = \"drr\", limit = \"2000 packets\""] {
        let links = scenarios::duplex(10e6, 1e6, 0.02).replacen(
            "name = \"b\"",
            &format!("name = \"b\"\nqueue = {{ {queue} }}"),
            1,
        );
        let load = flow("load", "kind = \"cubic\"", "b", "f", "count = 24");
        let p = probes(&(head(40.0, 10.0, 1) + &links + &load + PROBE));
        // a round of 24 queues with quanta of 1514 B takes 0.3 s at 1 Mbit/s; one queue for all probes falls behind by seconds
        assert!(p.http_s.mean.unwrap() < 0.5, "{queue}: {p:?}");
    }
}

/// Where nothing comes back, connections are given up after six retransmissions, and the run ends.
#[test]
fn a_dead_path() {
    let links = scenarios::duplex(1e6, 1e6, 0.02).replacen(
        "delay",
        "outages = [{ start = \"0 s\", length = \"1000 s\" }]\nqueue = { kind = \"droptail\", limit = \"1 packets\" }\ndelay",
        1,
    );
    let p = probes(&(head(300.0, 0.0, 1) + &links + &PROBE.replace("[\"b\"]", "[\"b\"]\nevery = \"1 s\"")));
    assert_eq!((p.started, p.completed, p.responsiveness_rpm), (Some(301), Some(0), None));
    // six each, but those of the last 127 s (1 + 2 + 4 + 8 + 16 + 32 + 64) have not timed out so often
    let given_up = 300 - 127;
    assert!(p.retransmits.unwrap() >= 6 * given_up && p.retransmits.unwrap() <= 6 * 301, "{p:?}");
}
