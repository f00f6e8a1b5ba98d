//! Results of unresponsive traffic and of request-response objects, against closed forms.

use crate::scenarios;

use eddyline_scenario::result::TrafficResult;
use eddyline_sim::{LogEvent, LogSelection, Options};
use scenarios::{duplex, flow_result, head, link, network, outcome, result_of};

fn near(value: Option<f64>, wanted: f64, within: f64) {
    let value = value.unwrap();
    assert!((value - wanted).abs() <= within, "{value} instead of {wanted} within {within}");
}

fn source(name: &str, rate: &str, bytes: u32, more: &str) -> String {
    format!(
        "[[traffic]]\nname = \"{name}\"\npath = [\"f\"]\nmodel = {{ kind = \"cbr\", rate = \"{rate}\" }}\n\
         packet = \"{bytes} B\"\n{more}\n"
    )
}

fn traffic_result<'a>(all: &'a [TrafficResult], name: &str) -> &'a TrafficResult {
    all.iter().find(|t| t.name == name).unwrap()
}

/// 200 B at 1 Mbit/s are 1.6 ms, and 10 ms of propagation.
#[test]
fn an_idle_link_delays_by_transmission_and_propagation() {
    let result = result_of(
        &(head(10.0, 0.0, 1) + &duplex(1e6, 1e6, 0.02) + &source("call", "80 kbit/s", 200, "stop = \"9.9 s\"")),
    );
    let call = traffic_result(&result.traffic, "call");
    near(call.one_way_delay_s.mean, 0.0116, 1e-12);
    near(call.one_way_delay_s.min, 0.0116, 1e-12);
    near(call.one_way_delay_s.p99, 0.0116, 0.0116 / 32.0);
    near(call.jitter_s, 0.0, 1e-15);
    near(call.loss_ratio, 0.0, 0.0);
    assert_eq!(call.packets_sent, Some(495));
    assert_eq!(call.packets_delivered, call.packets_sent);
    near(call.throughput_bps, 80e3, 1e-6);
}

/// A second of 4 Mbit/s over 280 ms. What varies about the link is long over, has no effect, or is a shorter delay later.
#[test]
fn the_rate_of_short_traffic_does_not_depend_on_what_varies_elsewhere() {
    for (variation, delay_s) in [
        ("", 0.28),
        ("outages = [{ start = \"1 s\", length = \"1 s\" }]\n", 0.28),
        ("changes = [{ at = \"2 s\", rate = \"10 Mbit/s\" }]\n", 0.28),
        ("jitter = { kind = \"normal\", sd = \"0 s\", mean = \"0 s\" }\n", 0.28),
        ("changes = [{ at = \"2 s\", delay = \"300 ms\" }]\n", 0.3),
    ] {
        let text = head(20.0, 0.0, 1)
            + &format!("[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"280 ms\"\n{variation}")
            + &source("call", "4 Mbit/s", 1000, "start = \"10 s\"\nstop = \"11 s\"");
        let result = result_of(&text);
        let call = traffic_result(&result.traffic, "call");
        near(call.one_way_delay_s.mean, delay_s + 0.0008, 1e-9);
        // to the last arrival, 20 ms later where the delay has grown
        let alive = 1.0 + (delay_s - 0.28);
        near(call.throughput_bps, 4e6 / alive, 4e6 * 0.003);
    }
}

/// A large packet every 20 ms takes 8 ms; small ones every 10 ms alternately arrive 1 ms after one and wait 7 ms, or do not wait.
#[test]
fn jitter_is_the_mean_difference_of_successive_delays() {
    let text = head(10.0, 0.0, 1)
        + &duplex(1e6, 1e6, 0.02)
        + &source("film", "400 kbit/s", 1000, "")
        + &source("call", "80 kbit/s", 100, "start = \"1 ms\"");
    let result = result_of(&text);
    let call = traffic_result(&result.traffic, "call");
    near(call.jitter_s, 0.007, 1e-9);
    near(call.one_way_delay_s.min, 0.0108, 1e-12);
    // an even number of packets, half of them late by 7 ms
    near(call.one_way_delay_s.mean, 0.0108 + 0.0035, 1e-5);
    near(call.one_way_delay_s.p99, 0.0178, 0.0178 / 32.0);
}

/// A load of 2: half is dropped, and every packet that passes waits behind ten.
#[test]
fn an_overloaded_link_drops_what_it_cannot_carry() {
    let text = head(20.0, 5.0, 1) + &duplex(1e6, 1e6, 0.02) + &source("film", "2 Mbit/s", 1250, "");
    let text = text.replacen("[[link]]", "[[link]]\nqueue = { kind = \"droptail\", limit = \"10 packets\" }", 1);
    let result = result_of(&text);
    let film = traffic_result(&result.traffic, "film");
    // 10 of some 4,000 stand in the queue
    near(film.loss_ratio, 0.5, 0.003);
    near(film.throughput_bps, 1e6, 1e3);
    // between 9 and 10 packets of 10 ms before it, its own transmission, propagation
    near(film.one_way_delay_s.mean, 0.010 + 0.010 + 0.0975, 0.003);
    assert_eq!(film.packets_dropped, link(&result, "f").drops.cross);
    let in_flight = film.packets_sent.unwrap() - film.packets_delivered.unwrap() - film.packets_dropped.unwrap();
    assert_eq!(Some(in_flight), result.counters.packets_in_flight);
}

/// Losses on links and in queues are counted per source: 10 % of 8,000 within four standard deviations.
#[test]
fn losses_are_counted_per_source() {
    let text = head(80.0, 0.0, 3) + &duplex(1e7, 1e7, 0.02) + &source("lossy", "80 kbit/s", 100, "");
    let text = text.replacen("[[link]]", "[[link]]\nloss = 0.1", 1)
        + &source("other", "80 kbit/s", 100, "").replace("\"f\"", "\"b\"");
    let result = result_of(&text);
    near(traffic_result(&result.traffic, "lossy").loss_ratio, 0.1, 4.0 * (0.09f64 / 8000.0).sqrt());
    near(traffic_result(&result.traffic, "other").loss_ratio, 0.0, 0.0);
    assert_eq!(traffic_result(&result.traffic, "lossy").packets_dropped, link(&result, "f").lost);
}

#[test]
fn no_traffic_no_entry() {
    let text = head(1.0, 0.0, 1) + &duplex(1e6, 1e6, 0.02) + &scenarios::flow("a", "kind = \"reno\"", "f", "b", "");
    let result = result_of(&text);
    assert!(result.traffic.is_empty());
    assert!(!serde_json::to_string(&result).unwrap().contains("\"traffic\""));
}

/// Ten objects of one packet each: a round trip for the handshake and one each; transmission at 1 Gbit/s is negligible.
#[test]
fn objects_come_one_round_trip_after_the_other() {
    let page = |objects: u32| {
        let more = format!("application = {{ kind = \"objects\", bytes = \"1 kB\" }}\nsize = \"{objects} kB\"");
        let flow = scenarios::flow("page", "kind = \"reno\"", "f", "b", &more);
        let result = result_of(&(head(5.0, 0.0, 1) + &duplex(1e9, 1e9, 0.04) + &flow));
        assert_eq!(flow_result(&result, "page").delivered_bytes, Some(u64::from(objects) * 1000));
        flow_result(&result, "page").completed_at_s
    };
    near(page(10), 0.44, 0.001);
    near(page(1), 0.08, 0.001);
}

/// A load of 10 with an unlimited queue: after `stop` the backlog keeps arriving at the rate of the link. The throughput is the
/// same if the warm-up ends in that phase.
#[test]
fn backlog_at_the_stop_drains_at_the_link_rate() {
    for warmup in [0.0, 3.0, 20.0] {
        let text =
            head(60.0, warmup, 1) + &duplex(1e6, 1e6, 0.02) + &source("film", "10 Mbit/s", 1500, "stop = \"5 s\"");
        let film = result_of(&text).traffic[0].clone();
        let rate = film.throughput_bps.unwrap();
        // 50 Mbit of packets of 12 ms, one more or less at the edge of the window
        near(Some(rate), 1e6, if warmup == 0.0 { 1.0 } else { 12e3 / (50.0 - warmup) });
    }
}

/// The propagation delay exceeds the run, so nothing arrives.
#[test]
fn a_rate_over_no_time_is_none() {
    let text = head(1.0, 0.0, 1) + &duplex(1e6, 1e6, 4.0) + &source("call", "80 kbit/s", 200, "");
    assert_eq!(result_of(&text).traffic[0].throughput_bps, None);
}

/// Packets of 200 ms, of which half are lost or damaged: what counts in a window of 1.03 s, wherever in a packet it begins and ends, are the
/// parts of the packets that a longer run receives. A packet at an end of the window that is lost later does not count, whether it is
/// still being transmitted or propagates.
#[test]
fn what_arrives_of_lost_packets_does_not_count() {
    for (what, delay_s) in [
        ("loss = 0.5", 0.5),
        ("loss = 0.5", 0.02),
        ("changes = [{ at = \"1 s\", loss = 0.5 }]", 0.5),
        ("changes = [{ at = \"1 s\", loss = 0.5 }]", 0.02),
        ("outages = [{ start = \"1 s\", length = \"1 ms\" }]\nloss = 0.5", 0.02),
        ("outages = [{ start = \"1 s\", length = \"1 ms\" }]\ncorrupt = 0.5", 0.02),
    ] {
        let text = |duration_s, warmup_s| {
            head(duration_s, warmup_s, 1)
                + &format!("[[link]]\nname = \"f\"\nrate = \"40 kbit/s\"\ndelay = \"{delay_s} s\"\n{what}\n")
                + &source("call", "36 kbit/s", 1000, "")
        };
        let options = Options { packet_log: Some(LogSelection::All), ..Options::default() };
        let log = outcome(&network(&text(25.0, 0.0)), &options).log.unwrap();
        let received = (0..log.time_s.len()).filter(|i| log.event[*i] == LogEvent::Receive as u8);
        let received: Vec<f64> = received.map(|i| log.time_s[i]).collect();
        for window in 0..40 {
            let begin = 20.0 + 0.03 * f64::from(window);
            let end = begin + 1.03;
            let share = |at: &f64| (at.min(end) - (at - 0.2).max(begin)).max(0.0) / 0.2;
            let bits: f64 = received.iter().map(|at| share(at) * 8000.0).sum();
            let result = result_of(&text(end, begin));
            // the log has nanoseconds, so each end of the window may be 40e-6 bit off
            near(traffic_result(&result.traffic, "call").throughput_bps, bits / 1.03, 1e-3);
        }
    }
}
