//! Changing rates, outages, policers and loss in bursts against their closed forms.

use crate::test_packet;

use std::sync::Arc;

use eddyline_path::Class;
use eddyline_path::framing::Framing;
use eddyline_path::loss::{Loss, LossParams, LossPattern};
use eddyline_path::random::Stream;
use eddyline_path::variation::{
    ChangeParams, Conditions, Jitter, JitterParams, LinkTrace, OutageParams, Policer, PolicerParams, Profile,
    Propagation, Recording, RecordingError, Side, Variation, unlisted_outages,
};
use eddyline_units::{Bytes, Rate, Time};
use test_packet::{Constant, constant, link, serve, varying_link};

const S: u64 = 1_000;

fn mbps(n: u64) -> Rate {
    Rate::from_bps(n * 1_000_000)
}

fn ms(n: u64) -> Time {
    Time::from_ms(n)
}

fn change(at_ms: u64, rate: Option<u64>, delay_ms: Option<u64>, loss: Option<f64>) -> ChangeParams {
    ChangeParams { at: ms(at_ms), rate: rate.map(mbps), delay: delay_ms.map(ms), loss }
}

#[track_caller]
fn near(value: f64, wanted: f64, tolerance: f64) {
    assert!((value - wanted).abs() <= tolerance, "{value} is not {wanted} +- {tolerance}");
}

/// Stationary loss `(r good + p bad) / (p + r)`; bursts are geometric with mean 1/r where every packet of the bad state
/// is lost.
#[test]
fn losses_come_in_bursts_of_the_given_length() {
    let n = 1_000_000;
    let run = |json: &str| -> Vec<bool> {
        let params: LossParams = serde_json::from_str(json).unwrap();
        let mut loss = Loss::new(params, 7, "link");
        (0..n).map(|_| loss.takes(Class::Data)).collect()
    };
    let (p, r) = (0.01, 0.25);
    let lost = run(&format!("{{\"kind\": \"gilbert-elliott\", \"p\": {p}, \"r\": {r}}}"));
    let share = lost.iter().filter(|l| **l).count() as f64 / n as f64;
    let bursts: Vec<usize> = lost.split(|l| !l).map(<[bool]>::len).filter(|len| *len > 0).collect();
    // four standard deviations each: of a chain's mean, whose correlation 1 - p - r makes its variance 6.7 times as
    // large; of the mean of some 9,600 geometric lengths; of a share of them
    near(share, p / (p + r), 2.0e-3);
    near(bursts.iter().sum::<usize>() as f64 / bursts.len() as f64, 1.0 / r, 0.15);
    let of_one = bursts.iter().filter(|len| **len == 1).count() as f64 / bursts.len() as f64;
    near(of_one, r, 0.018);
    let mean = |json: &str| serde_json::from_str::<LossPattern>(json).unwrap().mean();
    near(mean(&format!("{{\"kind\": \"gilbert-elliott\", \"p\": {p}, \"r\": {r}}}")), p / (p + r), 1e-15);
    near(mean("{\"kind\": \"periodic\", \"every\": 8}"), 0.125, 0.0);
    // with losses in both states
    let lost = run("{\"kind\": \"gilbert-elliott\", \"p\": 0.02, \"r\": 0.08, \"good\": 0.01, \"bad\": 0.5}");
    near(lost.iter().filter(|l| **l).count() as f64 / n as f64, (0.08 * 0.01 + 0.02 * 0.5) / 0.1, 3.5e-3);
}

/// In any time from the start a policer lets through its burst and its rate, to within a packet, of whatever offers
/// more.
#[test]
fn a_policer_lets_through_its_rate_and_its_burst() {
    let params = PolicerParams { rate: mbps(8), burst: Bytes::new(50_000) };
    let mut policer = Policer::new(params);
    let mut passed = 0;
    let mut stream = Stream::new(3, "policer", "sizes");
    let until = ms(20 * S);
    let mut now = Time::ZERO;
    while now < until {
        let bytes = 40 + stream.below(1461) as u32;
        passed += if policer.admits(now, bytes) { u64::from(bytes) } else { 0 };
        now += mbps(24).transmission_time(u64::from(bytes));
    }
    let allowed = 50_000.0 + 1e6 * 20.0;
    assert!(passed as f64 <= allowed && passed as f64 > allowed - 1500.0, "{passed} of {allowed}");
    // what offers less passes whole
    let mut policer = Policer::new(params);
    assert!((0..1000).all(|i| policer.admits(ms(2 * i), 1500)));
    // a packet above the burst never does
    assert!(!policer.admits(ms(60 * S), 50_001));
}

/// A link whose steps change nothing equals one without steps, to the picosecond.
#[test]
fn steps_without_effect_change_nothing() {
    let sources = [
        Constant { flow: 0, host: 0, bytes: 1499, kbps: 9_000 },
        Constant { flow: 1, host: 1, bytes: 77, kbps: 4_000 },
    ];
    let arrivals = constant(&sources, ms(2 * S));
    let fifo = r#"{ "kind": "droptail", "limit": "20 packets" }"#;
    let same = Conditions::stepping(mbps(10), ms(5), &[change(333, Some(10), None, None)], &[]);
    let mut plain = link(fifo, 10, Framing::default());
    let mut stepping = varying_link(fifo, 10, same);
    let (a, b) = (serve(&mut plain, &arrivals, ms(2 * S)), serve(&mut stepping, &arrivals, ms(2 * S)));
    assert_eq!(a.1, b.1);
    let key = |sent: &[test_packet::Sent]| sent.iter().map(|s| (s.end, s.waited, s.packet.id)).collect::<Vec<_>>();
    assert_eq!(key(&a.0), key(&b.0));
}

fn random_conditions(stream: &mut Stream) -> Conditions {
    let mut at = 0;
    let changes: Vec<ChangeParams> = (0..1 + stream.below(20))
        .map(|_| {
            at += 1 + stream.below(300);
            change(at, Some(1 + stream.below(100)), None, None)
        })
        .collect();
    let start = ms(stream.below(3_000));
    let length = ms(1 + stream.below(500));
    let every = (stream.uniform() < 0.5).then(|| length + ms(1 + stream.below(900)));
    let outages = [OutageParams { start, length, every }];
    let outages = &outages[..stream.below(2) as usize];
    if stream.uniform() < 0.5 {
        return Conditions::stepping(mbps(20), ms(10), &changes, outages);
    }
    let mut text = "time_s,rate_bps\n0,3e6\n".to_owned();
    for c in &changes {
        text +=
            &format!("{},{}\n", c.at.as_secs_f64(), if stream.uniform() < 0.3 { 0 } else { c.rate.unwrap().as_bps() });
    }
    let recording = Recording::csv(&text, None).unwrap();
    Conditions::playing(mbps(20), ms(10), &recording, stream.uniform() < 0.8, outages)
}

/// The integral of the rate over a transmission is the packet's bits, whatever steps, recordings and outages there are.
#[test]
fn a_transmission_ends_where_the_integral_says() {
    let mut stream = Stream::new(1, "conditions", "test");
    let mut ended = 0;
    for _ in 0..3_000 {
        let c = random_conditions(&mut stream);
        let start = ms(stream.below(10_000));
        let bytes = 1 + stream.below(3_000_000);
        let end = c.end(start, bytes);
        if end == Time::MAX {
            // the rate stays zero: the last line of a recording that does not repeat
            assert_eq!(c.bits(ms(20_000), ms(900_000)), 0.0);
            continue;
        }
        ended += 1;
        // a picosecond of rounding at 100 Mbit/s, and the sum's last bits
        near(c.bits(start, end), 8.0 * bytes as f64, 1e-4 + 1e-9 * bytes as f64);
        assert!(c.end(start, bytes + 1) > end, "more bytes take longer");
        assert!(c.end(start + ms(1), bytes) >= end, "who starts later is not done earlier");
    }
    assert!(ended > 2_500, "{ended}");
}

/// A millisecond that carries a whole number of packets carries them all, before a gap of seconds: no packet that fills it to the last bit
/// waits for the end of the gap, though none of them takes a whole number of picoseconds.
#[test]
fn packets_that_fill_a_rate_before_a_gap_do_not_wait_for_its_end() {
    for n in 1..50 {
        let recording = Recording::mahimahi(&format!("{}4000\n5000\n", "1000\n".repeat(n))).unwrap();
        let c = Conditions::playing(mbps(20), ms(10), &recording, true, &[]);
        let mut now = ms(999);
        for _ in 0..n {
            now = c.end(now, 1500);
        }
        assert!(now > ms(1000) - Time::from_ps(n as u64 + 1) && now <= ms(1000), "{n} packets: {now:?}");
        assert!(c.end(now, 1500) > ms(3999), "{n} packets");
    }
}

/// When a transmission ends, piece by piece: what the integral's bisection has to give to the picosecond.
fn walked(c: &Conditions, start: Time, bytes: u64) -> Time {
    let (mut now, mut rest) = (start, u128::from(bytes) * 8_000_000_000_000);
    while now < Time::MAX {
        let (rate, until) = c.rate(now);
        let bps = u128::from(rate.as_bps());
        let room = bps * u128::from((until - now).as_ps());
        if bps > 0 && room >= rest {
            return now + Time::from_ps((rest / bps) as u64);
        }
        rest -= room;
        now = until;
    }
    Time::MAX
}

/// Odd periods in picoseconds, several outages, some that are listed and some that are too many: the end is that of a
/// linear scan.
#[test]
fn binary_search_equals_a_linear_scan() {
    let mut stream = Stream::new(2, "conditions", "walk");
    for n in 0..150 {
        let ps = |stream: &mut Stream, max: u64| Time::from_ps(1 + stream.below(max));
        let outages: Vec<OutageParams> = (0..stream.below(4))
            .map(|_| {
                let length = ps(&mut stream, 2_000_000_000);
                let every = (stream.uniform() < 0.7).then(|| {
                    // whole milliseconds repeat soon, picoseconds never
                    if n % 2 == 0 { length + ps(&mut stream, 3_000_000_000) } else { ms(3 + stream.below(4)) }
                });
                OutageParams { start: ps(&mut stream, 30_000_000_000), length, every }
            })
            .collect();
        let rows: String = (0..12)
            .map(|i| {
                format!(
                    "{},{}\n",
                    f64::from(i) * 1e-3,
                    if stream.uniform() < 0.4 { 0 } else { stream.below(30_000_000) }
                )
            })
            .collect();
        let recording = Recording::csv(&format!("time_s,rate_bps\n{rows}"), None).unwrap();
        let c = if stream.uniform() < 0.8 {
            Conditions::playing(mbps(20), ms(10), &recording, true, &outages)
        } else {
            Conditions::stepping(
                mbps(20),
                ms(10),
                &[change(7, Some(3), None, None), change(11, Some(9), None, None)],
                &outages,
            )
        };
        for _ in 0..20 {
            let mut start = ps(&mut stream, 80_000_000_000);
            if stream.uniform() < 0.3 {
                // about where the list ends of 12 pieces in 12 ms that never repeat: 2^20 / 12 laps
                start += ms((1 << 20) / 12 * 12 - 40);
            }
            let max = if stream.uniform() < 0.5 { 3_000 } else { 200_000 };
            let bytes = stream.below(max);
            if c.bits(start, start + ms(2_000)) < 8.0 * bytes as f64 {
                continue;
            }
            assert_eq!(c.end(start, bytes), walked(&c, start, bytes), "{start:?} {bytes} {outages:?}");
        }
    }
}

/// The list of a recording of one rate, whose laps are of one piece, ends where its last lap does.
#[test]
fn a_recording_of_one_rate_goes_on_after_its_list() {
    let recording = Recording::mahimahi("1\n2\n3\n").unwrap();
    // laps of 3 ms and outages every 2 ms and a picosecond have no common period below months
    let outages = [OutageParams { start: Time::ZERO, length: ms(1), every: Some(ms(2) + Time::from_ps(1)) }];
    let c = Conditions::playing(mbps(1), ms(0), &recording, true, &outages);
    for n in 0..400 {
        let start = ms(3 * ((1 << 20) - 100) + n);
        assert_eq!(c.end(start, 2_000), walked(&c, start, 2_000), "{n}");
    }
}

/// A link whose outages cover all times at which it could transmit never transmits, and this is found at once, whether the outages are
/// listed or periodic.
#[test]
fn a_permanent_outage_ends_no_transmission() {
    let text = "time_s,rate_bps\n0,1e6\n0.001,0\n";
    let recording = Recording::csv(text, None).unwrap();
    let outage = |length: u64, every: u64| OutageParams {
        start: Time::ZERO,
        length: Time::from_ps(length),
        every: Some(Time::from_ps(every)),
    };
    // the link transmits in the first of every two milliseconds and is out for the first one and a half of them
    let c = Conditions::playing(mbps(1), ms(0), &recording, true, &[outage(1_500_000_000, 2_000_000_000)]);
    assert_eq!(c.end(ms(1), 1), Time::MAX);
    // two outages that share no period below years
    let covering = [outage(1_999_999_999, 2_000_000_000), outage(1, 1_999_999_967)];
    let c = Conditions::playing(mbps(1), ms(0), &recording, true, &covering);
    assert_eq!(c.end(ms(1), 1), Time::MAX);
    // of every three milliseconds one and a half are left, in which it transmits in some
    let c = Conditions::playing(mbps(1), ms(0), &recording, true, &[outage(1_500_000_000, 3_000_000_000)]);
    // up in [1.5, 3), [4.5, 6), ...: transmits in [2, 3), [4.5, 5), so 1.5 ms of 6, 1,500 bits
    assert_eq!(c.bits(Time::ZERO, ms(6)), 1_500.0);
    assert_eq!(c.end(Time::ZERO, 125), ms(3));
    assert_eq!(c.end(Time::ZERO, 1_500_000), ms(48_000 - 1));
}

/// Outages that do not repeat together soon are followed one by one, so many and no more.
#[test]
fn a_transmission_through_too_many_outages_ends_after_the_run() {
    let every = |start: u64, length: u64, period: u64| OutageParams {
        start: Time::from_ps(start),
        length: Time::from_ps(length),
        every: Some(Time::from_ps(period)),
    };
    let outages = [every(1_000, 400_000, 999_983), every(0, 300_000, 1_000_003)];
    let second = unlisted_outages(&outages, Time::SECOND);
    assert_eq!(second, 1_000_016 + 999_997);
    assert_eq!(unlisted_outages(&outages[..1], Time::SECOND), 0, "one period is listed");
    let bits = |n: u64| Conditions::stepping(Rate::from_bps(n), Time::ZERO, &[], &outages);
    // 8 kbit at 100 kbit/s take 80 ms without outages; they leave a bit more than 0.6 * 0.7 of the time
    let end = bits(100_000).end(Time::ZERO, 1000).as_secs_f64();
    near(end, 0.08 / 0.42, 0.01);
    // 8 ks without outages
    assert_eq!(bits(1).end(Time::ZERO, 1000), Time::MAX);
}

/// What a busy link carries is the integral of its rate, to within a packet.
#[test]
fn a_busy_link_carries_the_integral() {
    let outages = [OutageParams { start: ms(1_500), length: ms(400), every: Some(ms(1_100)) }];
    let conditions = Conditions::stepping(
        mbps(10),
        ms(5),
        &[change(700, Some(3), None, None), change(2_000, Some(25), None, None)],
        &outages,
    );
    let until = ms(4_000);
    // 10 x 0.7 + 3 x 0.8 + 3 x 0.1 + 25 x (2.6 - 2.0 + 3.7 - 3.0) + 0, in Mbit
    let wanted: f64 = 7e6 + 2.4e6 + 0.3e6 + 32.5e6;
    near(conditions.bits(Time::ZERO, until), wanted, 1.0);
    let mut busy = varying_link(r#"{ "kind": "droptail", "limit": "20 packets" }"#, 10, conditions);
    let arrivals = constant(&[Constant { flow: 0, host: 0, bytes: 1000, kbps: 40_000 }], until);
    let (sent, _) = serve(&mut busy, &arrivals, until);
    let carried = 8_000.0 * sent.len() as f64;
    assert!(carried <= wanted && carried >= wanted - 8_000.0, "{carried} of {wanted}");
}

/// Delay and loss follow the steps; packets keep their order unless they need not.
#[test]
fn delay_and_loss_follow_the_steps() {
    let changes = [change(1_000, None, Some(30), None), change(2_000, None, Some(10), Some(1.0))];
    let conditions = Some(Arc::new(Conditions::stepping(mbps(10), ms(20), &changes, &[])));
    let way = |reorder| {
        let variation = Variation { conditions: conditions.clone(), reorder, ..Variation::default() };
        Propagation::new(&variation, ms(20), 1, "link").unwrap()
    };
    let (mut kept, mut free) = (way(false), way(true));
    for (now, arrives, overtakes) in
        [(0, 20, 20), (999, 1_019, 1_019), (1_000, 1_030, 1_030), (1_995, 2_025, 2_025), (2_000, 2_025, 2_010)]
    {
        assert_eq!((kept.arrival(ms(now)), free.arrival(ms(now))), (ms(arrives), ms(overtakes)), "{now}");
    }
    assert_eq!((kept.loses(ms(1_500)), kept.loses(ms(2_500))), (None, Some(true)));
    assert!(Propagation::new(&Variation::default(), ms(20), 1, "link").is_none(), "steady links have none");
}

#[test]
fn recordings_are_read_from_named_columns() {
    let text = "# both ways\ntime_s, down_rate_bps, down_delay_s, up_rate_bps, up_loss\n0, 1e6, 0.02, 2e5, 0\n0.5, , 0.05, 0,\n";
    let down = Recording::csv(text, Some(Side::Down)).unwrap();
    assert_eq!(down.length(), Time::SECOND);
    let read: Vec<_> = down.rows().iter().map(|l| (l.from, l.rate, l.delay, l.loss)).collect();
    assert_eq!(
        read,
        [(Time::ZERO, Some(mbps(1)), Some(ms(20)), None), (ms(500), Some(mbps(1)), Some(ms(50)), None)],
        "an empty cell is as the line above"
    );
    let up = Recording::csv(text, Some(Side::Up)).unwrap();
    assert_eq!(up.rows()[1].rate, Some(Rate::from_bps(0)));
    assert_eq!(up.rows()[1].loss, Some(0.0));
    assert_eq!(Recording::csv(&down.to_csv(), None).unwrap(), down);
    let quoted = r#"
        "", "time_s", "a, ""b"" # c", "rate_bps", "delay_s", ""
        "1", 0, "x, ""y"" # z", " 1e6 ", 0.02, ""  # a "comment", of two
        "2", "0.5", 5" disk, "", 0.05,
    "#;
    assert_eq!(Recording::csv(quoted, None).unwrap(), down, "quotes around cells are none of their text");
    let shifted = "time_s,\"place, town\",rate_bps,delay_s,\n0,\"a,b\",1e6,0.02,\n0.5,\"a,b\",,0.05,\n";
    assert_eq!(Recording::csv(shifted, None).unwrap(), down, "a comma within is none between cells");

    for (text, side, expected) in [
        ("", None, "fewer than two"),
        ("time_s,rate_bps\n0,1\n", None, "fewer than two"),
        ("t,rate_bps\n0,1\n1,1\n", None, "no column time_s; columns are: t, rate_bps"),
        ("time_s,down_loss\n0,1\n1,1\n", None, "needs the key direction"),
        ("time_s,down_loss\n0,1\n1,1\n", Some(Side::Up), "up_rate_bps, up_delay_s or up_loss"),
        ("time_s,loss\n0,1\n1,1.5\n", None, "line 3: \"1.5\" is no loss: a probability"),
        ("time_s,rate_bps\n0,-3\n1,1\n", None, "line 2: \"-3\" is no rate_bps"),
        ("time_s,rate_bps\n0,nan\n1,1\n", None, "is no rate_bps"),
        ("time_s,rate_bps\n0.1,3\n1,1\n", None, "line 2: times begin at 0"),
        ("time_s,rate_bps\n0,3\n1,1\n1,2\n", None, "line 4: times begin at 0 and grow"),
        ("time_s,rate_bps\n0,3\n,1\n", None, "line 3: times"),
        ("time_s,rate_bps\n0,0\n1,0\n", None, "0 all the time"),
        ("time_s,rate_bps\n0,0,5e6\n1,0,3e6\n", None, "line 2: 3 cells, 2 columns; decimals have a point"),
        ("time_s,rate_bps,loss\n0,5e6,0\n1\n", None, "line 3: 1 cells, 3 columns"),
        (
            "time_s,down_rate,down_delay_s\n0,1,1\n1,1,1\n",
            Some(Side::Down),
            "line 1: column \"down_rate\" is not read; the one that is read is called down_rate_bps",
        ),
        (
            "time_s,rate_bps,delay_ms\n0,1,1\n1,1,1\n",
            None,
            "column \"delay_ms\" is not read; the one that is read is called delay_s",
        ),
        (
            "time_s,down_rate_bps,delay_s\n0,1,1\n1,1,1\n",
            Some(Side::Down),
            "column \"delay_s\" is not read; the one that is read is called down_delay_s",
        ),
        (
            "time_s,rate_bps,down_delay_s\n0,1,1\n1,1,1\n",
            None,
            "column \"down_delay_s\" is not read; the one that is read is called delay_s",
        ),
        // the quantity is there in both forms
        (
            "time_s,down_rate_bps,rate_bps\n0,1,1\n1,1,1\n",
            None,
            "column \"down_rate_bps\" is not read; the one that is read is called rate_bps; the key direction of the link reads",
        ),
        (
            "time_s,down_rate_bps,rate_bps\n0,1,1\n1,1,1\n",
            Some(Side::Down),
            "column \"rate_bps\" is not read; the one that is read is called down_rate_bps; without the key direction",
        ),
        (
            "time_s,rate_bps,Loss_pct\n0,1,1\n1,1,1\n",
            None,
            "column \"Loss_pct\" is not read; the one that is read is called loss, a probability",
        ),
        ("time_s,rate_mbps,loss\n0,80,0\n1,95,0\n", None, "the one that is read is called rate_bps, in bit/s"),
        ("time_s,rate_bps\n0,80\n1,95.2\n", None, "at most 95 bit/s; rates are in bit/s, 95 Mbit/s are 95e6"),
    ] {
        let message = Recording::csv(text, side).unwrap_err().to_string();
        assert!(message.contains(expected), "{text:?}: {message}");
    }
    // a document of another kind in one line
    let message = Recording::csv(&"{\"interval\": \"\u{fc}\"}, ".repeat(100_000), None).unwrap_err().to_string();
    assert!(message.contains("no column time_s") && message.len() < 300, "{}", message.len());
}

/// 10 ms for 2 s and 40 ms for 1 s, again and again. Cells beyond the columns may be there if they are empty.
#[test]
fn delays_have_a_minimum() {
    let recording = Recording::csv("time_s,delay_s\n0,0.010,\n2,0.040\n3,0.010\n4,0.010,\n", None).unwrap();
    assert_eq!(recording.length(), ms(5_000));
    assert_eq!(Conditions::playing(mbps(1), ms(7), &recording, true, &[]).min_delay(), ms(10));
    let steps = Conditions::stepping(mbps(1), ms(7), &[change(1_000, None, Some(9), None)], &[]);
    assert_eq!(steps.min_delay(), ms(7));
}

/// The mean that is stated is that of what is drawn, within four standard errors; a normal delay around 0 is cut off there.
#[test]
fn jitter_has_the_mean_that_is_stated() {
    for json in [
        r#"{ "kind": "normal", "sd": "5 ms" }"#,
        r#"{ "kind": "normal", "sd": "5 ms", "mean": "20 ms" }"#,
        r#"{ "kind": "normal", "sd": "5 ms", "mean": "0 s" }"#,
        r#"{ "kind": "normal", "sd": "0 s", "mean": "3 ms" }"#,
        r#"{ "kind": "exponential", "mean": "4 ms" }"#,
    ] {
        let params: JitterParams = serde_json::from_str(json).unwrap();
        let mut jitter = Jitter::new(params, 3, "link");
        let n = 200_000;
        let drawn: f64 = (0..n).map(|i| jitter.draw(ms(i)).as_secs_f64()).sum();
        near(drawn / n as f64, params.mean_s(), 4.0 * 0.005 / (n as f64).sqrt());
    }
    // a half-normal delay: sd / sqrt(2 pi)
    let half: JitterParams = serde_json::from_str(r#"{ "kind": "normal", "sd": "5 ms", "mean": "0 s" }"#).unwrap();
    near(half.mean_s(), 0.005 / (2.0 * std::f64::consts::PI).sqrt(), 1e-15);
}

/// Every line of a packet-delivery trace is 1,500 bytes, by its millisecond.
#[test]
fn packet_delivery_traces_keep_their_integral() {
    let recording = Recording::mahimahi("1\n1\n3\n10\n10\n10\n").unwrap();
    let c = Conditions::playing(mbps(1), ms(0), &recording, true, &[]);
    assert_eq!(recording.length(), ms(10));
    for (until_ms, packets) in [(1, 2), (2, 2), (3, 3), (9, 3), (10, 6), (11, 8), (20, 12), (1_000, 600)] {
        near(c.bits(Time::ZERO, ms(until_ms)), f64::from(packets) * 12_000.0, 1e-6);
    }
    for (text, expected) in [
        ("", "no line after millisecond 0"),
        ("0\n0\n0\n0\n", "no line after millisecond 0: the last line is the length"),
        ("1\n0.5\n", "line 2: \"0.5\" is no millisecond"),
        ("2\n1\n", "line 2: time goes back"),
    ] {
        let message = Recording::mahimahi(text).unwrap_err().to_string();
        assert!(message.contains(expected), "{text:?}: {message}");
    }
    assert_eq!(Recording::mahimahi("0\n"), Err(RecordingError::Length));
}

/// Each profile has the link's rate as its mean, never less than its delay, other numbers with another seed, and the
/// spread that is documented.
#[test]
fn profiles_have_their_documented_moments() {
    let (rate, delay) = (mbps(40), ms(12));
    for profile in [Profile::Lte, Profile::Starlink, Profile::Cable, Profile::Wifi] {
        let make = |seed| profile.recording(rate, delay, seed, "down");
        assert_eq!(make(1), make(1));
        assert_ne!(make(1), make(2));
        let mut spreads = Vec::new();
        for seed in 0..40 {
            let r = make(seed);
            let c = Conditions::playing(mbps(1), ms(0), &r, true, &[]);
            near(c.bits(Time::ZERO, r.length()) / 120.0, 40e6, 1e3);
            assert!(r.rows().iter().all(|l| l.delay >= Some(delay)));
            let rates: Vec<f64> = r.rows().iter().map(|l| l.rate.unwrap().as_bps() as f64 / 40e6).collect();
            spreads.push(rates.iter().map(|x| (x - 1.0).powi(2)).sum::<f64>() / rates.len() as f64);
        }
        let spread = spreads.iter().sum::<f64>() / 40.0;
        // squared coefficients of variation: lognormal e^(s^2) - 1 (with one gap in 200 for lte), less what correlation
        // over two minutes hides; eight equally frequent rates for wifi, whose random walk needs longer than two minutes
        let (low, high) = match profile {
            Profile::Lte => (0.36, 0.47),
            Profile::Starlink => (0.08, 0.16),
            Profile::Cable => (0.015, 0.024),
            Profile::Wifi => (0.2, 0.45),
        };
        assert!((low..high).contains(&spread), "{profile:?}: {spread}");
    }
}

#[test]
fn traces_are_tagged_by_kind() {
    let read = |json: &str| serde_json::from_str::<LinkTrace>(json);
    let csv = read(r#"{ "kind": "csv", "file": "a.csv", "direction": "up", "repeat": false }"#).unwrap();
    assert_eq!((csv.file(), csv.repeats(), csv.profile()), (Some("a.csv"), false, None));
    let lte = read(r#"{ "kind": "lte" }"#).unwrap();
    assert_eq!((lte.file(), lte.repeats(), lte.profile()), (None, true, Some(Profile::Lte)));
    assert!(read(r#"{ "kind": "lte", "file": "a" }"#).is_err());
}
