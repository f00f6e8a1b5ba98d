//! Recovery with the options of today, from the wire: proportional rate reduction, losses by time, probes, spurious timeouts.

mod scenarios;

use eddyline_scenario::result::RunResult;
use eddyline_sim::{LogSelection, Options, PacketLog};
use scenarios::{answer, duplex, flow, head, link, near, network, of, outcome};

/// A 10 Mbit/s bottleneck of 100 ms with a buffer of a bandwidth-delay product.
fn bottleneck(tcp: &str) -> String {
    head(60.0, 10.0, 1)
        + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\nqueue = { kind = \"droptail\", limit = \"120 packets\" }\n\
           [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\n"
        + &flow("x", "kind = \"newreno\"", "f", "b", &format!("tcp = {{ {tcp} }}"))
}

/// Moments at which data leaves, and whether for the first time.
fn departures(log: &PacketLog) -> Vec<(f64, bool)> {
    let rows = (0..log.time_s.len()).filter(|i| log.event[*i] == 0 && log.packet[*i] == 0);
    rows.map(|i| (log.time_s[i], log.retransmission[i])).collect()
}

/// The longest silence in the round trip that follows each fast retransmit after 20 s, the longest of all.
fn silence(tcp: &str) -> f64 {
    let options = Options { packet_log: Some(LogSelection::All), ..Options::default() };
    let o = outcome(&network(&bottleneck(tcp)), &options);
    let sent = departures(o.log.as_ref().unwrap());
    let mut longest: f64 = 0.0;
    let mut episodes = 0;
    let mut quiet_until = 20.0;
    for (i, (at, _)) in sent.iter().enumerate().filter(|(_, (at, again))| *again && *at > 20.0) {
        if *at < quiet_until {
            continue;
        }
        quiet_until = at + 1.0;
        episodes += 1;
        let round = sent[i..].iter().map(|s| s.0).take_while(|t| *t < at + 0.2).collect::<Vec<_>>();
        longest = round.windows(2).map(|w| w[1] - w[0]).fold(longest, f64::max);
    }
    assert!(episodes >= 2, "{tcp}: {episodes} episodes");
    longest
}

/// A window of 240 packets halves: without reduction in proportion the sender is silent for 120 packet times, with it for two.
#[test]
fn half_a_window_of_silence_or_none() {
    let packet = 1040.0 * 8.0 / 10e6;
    near(silence(""), 120.0 * packet, 0.1, "without");
    let with = silence("prr = true");
    assert!(with < 4.0 * packet, "{} packet times", with / packet);
}

/// The window at the end of recovery is the same, so is the mean: 1.22 sqrt(n) (periodic loss) within 4 %.
#[test]
fn reduction_in_proportion_keeps_the_response_function() {
    for tcp in ["prr = true", "rack = true", "prr = true, rack = true, timestamps = true", "frto = true"] {
        let text = head(600.0, 30.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"10 Gbit/s\"\ndelay = \"40 ms\"\nloss = { kind = \"periodic\", every = 3000 }\n\
               [[link]]\nname = \"b\"\nrate = \"10 Gbit/s\"\ndelay = \"40 ms\"\n"
            + &flow("x", "kind = \"newreno\"", "f", "b", &format!("tcp = {{ {tcp} }}"));
        let r = answer(&text);
        near(of(&r, "x").window_packets.mean.unwrap(), 1.22 * 3000f64.sqrt(), 0.04, tcp);
        assert_eq!(of(&r, "x").timeouts, Some(0), "{tcp}");
        let (again, lost) = (of(&r, "x").retransmits.unwrap(), link(&r, "f").lost.unwrap());
        assert!(again.abs_diff(lost) <= 1, "{tcp}: {again} sent again, {lost} lost");
    }
}

/// A flow that fills three seconds of buffer and overflows it, by SACK without RACK (RFC 6675). A retransmission is lost in the
/// full queue; the timer, by then two round trips and more, sends it once more into the full queue; with its next expiry, twice
/// that, all is well. Nothing is wrong with any step (RFC 6298, 5.5): 26 s without an advance. RACK needs one round trip.
#[test]
fn a_retransmission_lost_twice_waits_for_the_timer_twice() {
    let longest = |rack: bool| {
        let text = head(60.0, 0.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"1 Mbit/s\"\ndelay = \"20 ms\"\nqueue = { kind = \"droptail\", limit = \"300 packets\" }\n\
               [[link]]\nname = \"b\"\nrate = \"1 Mbit/s\"\ndelay = \"20 ms\"\n"
            + &flow("x", "kind = \"hybla\"", "f", "b", &format!("tcp = {{ rack = {rack} }}"))
                .replace("1040 B", "1500 B");
        let options = Options { packet_log: Some(LogSelection::All), ..Options::default() };
        let o = outcome(&network(&text), &options);
        let log = o.log.unwrap();
        let (mut high, mut at, mut longest) = (0, 0.0, 0.0f64);
        // acknowledgements that reached the sender
        for i in (0..log.time_s.len()).filter(|i| log.event[*i] == 4 && log.packet[*i] == 3) {
            if log.seq[i] > high {
                longest = longest.max(log.time_s[i] - at);
                (high, at) = (log.seq[i], log.time_s[i]);
            }
        }
        longest
    };
    let (without, with) = (longest(false), longest(true));
    // 300 packets of 12 ms, and propagation
    let round_trip = 300.0 * 0.012 + 0.04;
    // the timer: 7.19 s, then twice 9.41 s, and the round trip of what it sent at last, through an empty queue
    near(without, 7.19 + 2.0 * 9.41 + 0.052, 0.01, "without RACK");
    assert!(with < 1.1 * round_trip, "{with} s with RACK");
}

/// Slow start overflows a queue of 500 packets by 501. Each acknowledgement of recovery that shows a hole lets two packets out, which fills
/// the queue once more: with RACK, which finds holes two packets earlier than three duplicates do, by one packet too much. New data
/// is lost in the window after the reduction, a second event (RFC 5681, 4.3). With PRR one packet leaves for one delivered.
#[test]
fn new_data_lost_in_a_recovery() {
    let run = |tcp: &str| {
        let text = head(5.0, 4.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"100 Mbit/s\"\ndelay = \"100 ms\"\nqueue = { kind = \"droptail\", limit = \"500 packets\" }\n\
               [[link]]\nname = \"b\"\nrate = \"100 Mbit/s\"\ndelay = \"100 ms\"\n"
            + &flow("x", "kind = \"newreno\"", "f", "b", &format!("tcp = {{ {tcp} }}")).replace("1040 B", "1500 B");
        let o = outcome(&network(&text), &Options { packet_log: Some(LogSelection::All), ..Options::default() });
        let log = o.log.as_ref().unwrap();
        let rows = (0..log.time_s.len()).filter(|i| log.event[*i] == 2 && log.packet[*i] == 0);
        let drops: Vec<f64> = rows.map(|i| log.time_s[i]).collect();
        let x = of(&o.result, "x");
        assert_eq!(x.retransmits.unwrap(), drops.len() as u64, "{tcp}: none needlessly");
        (drops.iter().filter(|t| **t > 2.0).count(), x.window_packets.mean.unwrap())
    };
    // 2,281 packets out when the first loss is noticed: half of it, and half of that; since then a packet each round trip of 200 ms,
    // nine to ten from the end of recovery at 2.5 to 2.7 s to the middle of the last second
    for (tcp, late, window) in
        [("", 0, 1140.5), ("rack = true", 1, 570.25), ("prr = true", 0, 1140.5), ("rack = true, prr = true", 0, 1140.5)]
    {
        let (drops, mean) = run(tcp);
        assert_eq!(drops, late, "{tcp}");
        near(mean, window + 9.5, 0.002, tcp);
    }
}

/// Ten segments of which the last is lost, the FIN behind it. It arrives out of order, and a quarter of a round trip later that
/// is enough for RACK; one duplicate is not enough for anybody else.
#[test]
fn the_last_segment() {
    let completion = |tcp: &str| {
        let text = head(10.0, 0.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\nloss = { kind = \"periodic\", every = 10 }\n\
               [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\n"
            + &flow("x", "kind = \"newreno\"", "f", "b", &format!("size = \"10 kB\"\ntcp = {{ {tcp} }}"));
        let r = answer(&text);
        (of(&r, "x").completed_at_s.unwrap(), of(&r, "x").timeouts.unwrap())
    };
    let (packet, ack) = (1040.0 * 8.0 / 10e6, 40.0 * 8.0 / 10e6);
    // SYN, ten segments and a FIN, a quarter of the handshake's round trip, the segment and its acknowledgement
    let syn = 0.1 + 2.0 * ack;
    let round = 0.1 + packet + ack;
    let (rack, timeouts) = completion("rack = true");
    near(rack, syn + 0.1 + 10.0 * packet + 2.0 * ack + syn / 4.0 + round, 0.002, "RACK");
    assert_eq!(timeouts, 0);
    let (plain, timeouts) = completion("");
    assert_eq!(timeouts, 1);
    // the timer starts with the last acknowledgement that advances: the smoothed round trip and 200 ms at least
    assert!(plain > syn + 0.1 + 0.3 + round, "{plain}");
}

/// Ten segments of a stream that goes on later: nothing follows the lost one, and the probe is sent after two round trips.
#[test]
fn a_probe_at_the_end_of_a_burst() {
    let run = |tcp: &str| {
        let text = head(9.0, 0.0, 1)
            + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\nloss = { kind = \"periodic\", every = 10 }\n\
               [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\n"
            + &flow(
                "x",
                "kind = \"newreno\"",
                "f",
                "b",
                &format!(
                    "application = {{ kind = \"bursts\", bytes = \"10 kB\", every = \"10 s\" }}\ntcp = {{ {tcp} }}"
                ),
            );
        let o = outcome(&network(&text), &Options { packet_log: Some(LogSelection::All), ..Options::default() });
        let again = departures(o.log.as_ref().unwrap()).into_iter().find(|(_, again)| *again).unwrap().0;
        (again, of(&o.result, "x").timeouts.unwrap())
    };
    let (packet, ack) = (1040.0 * 8.0 / 10e6, 40.0 * 8.0 / 10e6);
    let last_ack = 0.1 + 2.0 * ack + 0.1 + 9.0 * packet + ack;
    let (probe, timeouts) = run("rack = true");
    assert_eq!(timeouts, 0);
    // one sample a round trip went into the smoothed one: the handshake's 100 ms and a first segment's 101
    near(probe - last_ack, 2.0 * 0.1001, 0.005, "two smoothed round trips");
    let (timer, timeouts) = run("");
    assert_eq!(timeouts, 1);
    near(timer - last_ack, 0.1001 + 0.2, 0.005, "the retransmission timer");
}

/// At 10 % loss retransmissions are lost as well; by time that is noticed, by counting it takes the timer.
#[test]
fn lost_retransmissions() {
    let run = |tcp: &str| -> (u64, f64) {
        let runs = (0..6).map(|seed| {
            let text = head(100.0, 0.0, seed)
                + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\nloss = 0.1\n\
                   [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n"
                + &flow("x", "kind = \"newreno\"", "f", "b", &format!("tcp = {{ {tcp} }}"));
            let r = answer(&text);
            (of(&r, "x").timeouts.unwrap(), of(&r, "x").goodput_bps.unwrap())
        });
        runs.fold((0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    };
    let (plain, rack) = (run(""), run("rack = true"));
    assert!(2 * rack.0 < plain.0, "timeouts: {} with, {} without", rack.0, plain.0);
    assert!(rack.1 > plain.1, "goodput: {} with, {} without", rack.1, plain.1);
    // what arrives beyond a hole is evidence with timestamps too
    let stamped = run("rack = true, timestamps = true");
    assert_eq!(stamped.0, rack.0, "timeouts with timestamps");
    near(stamped.1, rack.1, 0.001, "goodput with timestamps");
}

/// Cross traffic fills the return link for half a second: all acknowledgements are late by more than the timer waits.
fn late_acknowledgements(tcp: &str) -> RunResult {
    let text = head(30.0, 0.0, 1)
        + &duplex(10e6, 1e6, 0.100)
        + &flow("x", "kind = \"newreno\"", "f", "b", &format!("receive_window = \"60 kB\"\ntcp = {{ {tcp} }}"))
        + "[[traffic]]\nname = \"burst\"\npath = [\"b\"]\nmodel = { kind = \"cbr\", rate = \"3 Mbit/s\" }\n\
           start = \"10 s\"\nstop = \"10.4 s\"\n";
    answer(&text)
}

/// Nothing is lost: each segment that is sent again is needless. F-RTO sends one for each time that the timer goes off.
#[test]
fn a_spurious_timeout_costs_one_segment() {
    let plain = late_acknowledgements("");
    let x = of(&plain, "x");
    assert!(x.timeouts.unwrap() >= 1 && x.retransmits.unwrap() > 20, "{x:?}");
    for tcp in
        ["frto = true", "frto = true, sack = false", "frto = true, rack = true", "frto = true, timestamps = true"]
    {
        let r = late_acknowledgements(tcp);
        let x = of(&r, "x");
        // by time a probe may answer what the timer would have
        assert!(x.timeouts.unwrap() >= 1 || tcp.contains("rack"), "{tcp}: {x:?}");
        assert!(x.retransmits.unwrap() <= x.timeouts.unwrap() + 1, "{tcp}: {x:?}");
        assert!(x.delivered_bytes >= of(&plain, "x").delivered_bytes, "{tcp}: {x:?}");
    }
}
