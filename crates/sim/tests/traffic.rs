//! What is said of unresponsive traffic, and objects in turn, against closed forms.

mod scenarios;

use eddyline_scenario::result::TrafficResult;
use scenarios::{answer, duplex, head, link, of};

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

fn says<'a>(all: &'a [TrafficResult], name: &str) -> &'a TrafficResult {
    all.iter().find(|t| t.name == name).unwrap()
}

/// 200 B at 1 Mbit/s are 1.6 ms, and 10 ms of propagation.
#[test]
fn an_idle_link_delays_by_transmission_and_propagation() {
    let result =
        answer(&(head(10.0, 0.0, 1) + &duplex(1e6, 1e6, 0.02) + &source("call", "80 kbit/s", 200, "stop = \"9.9 s\"")));
    let call = says(&result.traffic, "call");
    near(call.one_way_delay_s.mean, 0.0116, 1e-12);
    near(call.one_way_delay_s.min, 0.0116, 1e-12);
    near(call.one_way_delay_s.p99, 0.0116, 0.0116 / 32.0);
    near(call.jitter_s, 0.0, 1e-15);
    near(call.loss_ratio, 0.0, 0.0);
    assert_eq!(call.packets_sent, Some(495));
    assert_eq!(call.packets_delivered, call.packets_sent);
    near(call.throughput_bps, 80e3, 1e-6);
}

/// A large packet every 20 ms takes 8 ms; a small one every 10 ms comes 1 ms after it and waits 7 ms, or not at all.
#[test]
fn jitter_is_the_mean_difference_between_neighbours() {
    let text = head(10.0, 0.0, 1)
        + &duplex(1e6, 1e6, 0.02)
        + &source("film", "400 kbit/s", 1000, "")
        + &source("call", "80 kbit/s", 100, "start = \"1 ms\"");
    let result = answer(&text);
    let call = says(&result.traffic, "call");
    near(call.jitter_s, 0.007, 1e-9);
    near(call.one_way_delay_s.min, 0.0108, 1e-12);
    // an even number of packets, half of them late by 7 ms
    near(call.one_way_delay_s.mean, 0.0108 + 0.0035, 1e-5);
    near(call.one_way_delay_s.p99, 0.0178, 0.0178 / 32.0);
}

/// Twice what the link carries: half is dropped, and all that pass wait behind ten packets.
#[test]
fn an_overloaded_link_drops_what_it_cannot_carry() {
    let text = head(20.0, 5.0, 1) + &duplex(1e6, 1e6, 0.02) + &source("film", "2 Mbit/s", 1250, "");
    let text = text.replacen("[[link]]", "[[link]]\nqueue = { kind = \"droptail\", limit = \"10 packets\" }", 1);
    let result = answer(&text);
    let film = says(&result.traffic, "film");
    // 10 of some 4,000 stand in the queue
    near(film.loss_ratio, 0.5, 0.003);
    near(film.throughput_bps, 1e6, 1e3);
    // between 9 and 10 packets of 10 ms before it, its own transmission, propagation
    near(film.one_way_delay_s.mean, 0.010 + 0.010 + 0.0975, 0.003);
    assert_eq!(film.packets_dropped, link(&result, "f").drops.cross);
    let in_flight = film.packets_sent.unwrap() - film.packets_delivered.unwrap() - film.packets_dropped.unwrap();
    assert_eq!(Some(in_flight), result.counters.packets_in_flight);
}

/// Each source is told its own losses, on the wire as in queues: 10 % of 8,000 within four standard deviations.
#[test]
fn losses_belong_to_their_source() {
    let text = head(80.0, 0.0, 3) + &duplex(1e7, 1e7, 0.02) + &source("lossy", "80 kbit/s", 100, "");
    let text = text.replacen("[[link]]", "[[link]]\nloss = 0.1", 1)
        + &source("other", "80 kbit/s", 100, "").replace("\"f\"", "\"b\"");
    let result = answer(&text);
    near(says(&result.traffic, "lossy").loss_ratio, 0.1, 4.0 * (0.09f64 / 8000.0).sqrt());
    near(says(&result.traffic, "other").loss_ratio, 0.0, 0.0);
    assert_eq!(says(&result.traffic, "lossy").packets_dropped, link(&result, "f").lost);
}

#[test]
fn no_traffic_no_entry() {
    let text = head(1.0, 0.0, 1) + &duplex(1e6, 1e6, 0.02) + &scenarios::flow("a", "kind = \"reno\"", "f", "b", "");
    let result = answer(&text);
    assert!(result.traffic.is_empty());
    assert!(!serde_json::to_string(&result).unwrap().contains("\"traffic\""));
}

/// Ten objects of one packet each: a round trip for the handshake and one for each, as 1 Gbit/s costs next to nothing.
#[test]
fn objects_come_one_round_trip_after_the_other() {
    let page = |objects: u32| {
        let more = format!("application = {{ kind = \"objects\", bytes = \"1 kB\" }}\nsize = \"{objects} kB\"");
        let flow = scenarios::flow("page", "kind = \"reno\"", "f", "b", &more);
        let result = answer(&(head(5.0, 0.0, 1) + &duplex(1e9, 1e9, 0.04) + &flow));
        assert_eq!(of(&result, "page").delivered_bytes, Some(u64::from(objects) * 1000));
        of(&result, "page").completed_at_s
    };
    near(page(10), 0.44, 0.001);
    near(page(1), 0.08, 0.001);
}

/// Five times what the link carries: what is queued at `stop` goes on arriving for ten times as long, at the rate of the link.
/// The same where the summary window begins while it does.
#[test]
fn what_waits_at_the_stop_arrives_at_the_rate_of_the_link() {
    for warmup in [0.0, 3.0, 20.0] {
        let text =
            head(60.0, warmup, 1) + &duplex(1e6, 1e6, 0.02) + &source("film", "10 Mbit/s", 1500, "stop = \"5 s\"");
        let film = answer(&text).traffic[0].clone();
        let rate = film.throughput_bps.unwrap();
        // 50 Mbit of packets of 12 ms, one more or less at the edge of the window
        near(Some(rate), 1e6, if warmup == 0.0 { 1.0 } else { 12e3 / (50.0 - warmup) });
    }
}

/// Nothing that was sent can arrive within the run.
#[test]
fn a_rate_over_no_time_is_none() {
    let text = head(1.0, 0.0, 1) + &duplex(1e6, 1e6, 4.0) + &source("call", "80 kbit/s", 200, "");
    assert_eq!(answer(&text).traffic[0].throughput_bps, None);
}
