//! The buffer model against hand calculation, its own limits and the closed form of one duplex link.

use crate::common;

use common::close;
use eddyline_theory::TheoryError;
use eddyline_theory::buffer::{
    Case, Connections, Duplex, LinkDirection, Losses, Propagation, Readings, SawTooth, Setting, Unit, case,
    download_queue, estimate, round_trip, rule_of_thumb, shares, steady_state, upload_queue,
};
use eddyline_theory::closed_form::{self, Direction, DuplexFlow};
use proptest::prelude::*;

const C_D: f64 = 2e6;
const C_U: f64 = 192e3;

/// The paper's link: Section 3.1, delayed acknowledgements.
fn paper(window: f64, up: f64, down: f64, tp: f64) -> Setting {
    let way = |rate_bps, buffer| LinkDirection { rate_bps, buffer, unit: Unit::Bytes };
    let side = Connections { flows: 1, window, base_rtt_s: 2.0 * tp };
    Setting {
        link: Duplex { down: way(C_D, down), up: way(C_U, up) },
        downloads: side,
        uploads: side,
        packet: 1500.0,
        ack: 40.0,
        acks_every: 2.0,
    }
}

fn counted(unit: Unit, up: f64, down: f64, acks_every: f64) -> Setting {
    let mut s = paper(65_536.0, up, down, 0.02);
    (s.link.down.unit, s.link.up.unit, s.acks_every) = (unit, unit, acks_every);
    s
}

#[test]
fn equations_1_to_4() {
    // eq. 1: 40 ms and 41.7 ms
    close(round_trip(10_000.0, 1_000.0, C_D, C_U), 0.04 + 8e3 / 192e3, 1e-12);
    // eq. 2 put into eq. 1 is eq. 3, whatever waits for the uplink; likewise eq. 4
    for d_u in [0.0, 500.0, 4_000.0] {
        close(round_trip(download_queue(60_000.0, d_u, C_D, C_U), d_u, C_D, C_U), 8.0 * 60_000.0 / C_D, 1e-12);
    }
    for d_d in [0.0, 5_000.0, 40_000.0] {
        close(round_trip(d_d, upload_queue(9_000.0, d_d, C_D, C_U), C_D, C_U), 8.0 * 9_000.0 / C_U, 1e-12);
    }
}

#[test]
fn the_three_cases() {
    // 60 kB are 0.24 s of downlink, 9 kB 0.375 s of uplink: the downlink is empty
    let s = steady_state(60_000.0, 9_000.0, C_D, C_U).expect("windows");
    assert_eq!((s.case, s.queue_down), (Case::DownEmpty, 0.0));
    close(s.rtt_s, 0.375, 1e-12);
    close(s.queue_up, 9_000.0, 1e-12);
    close(s.utilisation_down, 0.64, 1e-12);
    assert_eq!(s.utilisation_up, 1.0);
    let s = steady_state(60_000.0, 3_000.0, C_D, C_U).expect("windows");
    assert_eq!((s.case, s.queue_up), (Case::UpEmpty, 0.0));
    close(s.queue_down, 60_000.0, 1e-12);
    close(s.utilisation_up, 3_000.0 / 5_760.0, 1e-12);
    // windows in proportion to capacities, and only these, fill both
    let s = steady_state(62_500.0, 6_000.0, C_D, C_U).expect("windows");
    assert_eq!(s.case, Case::BothBusy);
    close(round_trip(s.queue_down, s.queue_up, C_D, C_U), s.rtt_s, 1e-12);
    assert_eq!((s.utilisation_down, s.utilisation_up), (1.0, 1.0));
    assert_eq!(case(1.0, 0.0, C_D, C_U), Case::UpEmpty);
    assert!(steady_state(0.0, 1.0, C_D, C_U).is_err());
}

#[test]
fn rule_of_thumb_of_300_ms() {
    close(rule_of_thumb(0.3, C_D, 1500.0).expect("numbers") * 1500.0, 75_000.0, 1e-12);
    // the paper says 9,000
    close(rule_of_thumb(0.3, C_U, 1500.0).expect("numbers") * 1500.0, 7_200.0, 1e-12);
    assert!(matches!(rule_of_thumb(0.3, 0.0, 1500.0), Err(TheoryError::OutOfRange { .. })));
}

#[test]
fn ratio_of_about_ten_at_20_ms_and_less_at_100() {
    let e = estimate(&paper(65_536.0, 9_000.0, 75_000.0, 0.02), &Readings::default()).expect("a setting");
    // 9,000 - 65,536 * 40 / (2 * 1500) = 8,126; 8,126 + 960 = 9,086
    close(e.room_up, 9_000.0 - 65_536.0 / 75.0, 1e-12);
    close(e.ratio, 65_536.0 / (0.75 * (e.room_up + 960.0)), 1e-12);
    close(e.ratio, 9.617, 1e-3);
    assert!(e.down_limited_by_window && !e.up_limited_by_window && !e.up_starves);
    let far = estimate(&paper(65_536.0, 9_000.0, 75_000.0, 0.1), &Readings::default()).expect("a setting");
    close(far.ratio, 65_536.0 / (0.75 * (e.room_up + 4_800.0)), 1e-12);
    assert!(far.ratio < 7.0);
    // without delayed acknowledgements they take twice the room
    let mut every = paper(65_536.0, 9_000.0, 75_000.0, 0.02);
    every.acks_every = 1.0;
    let e = estimate(&every, &Readings::default()).expect("a setting");
    close(e.room_up, 9_000.0 - 65_536.0 * 40.0 / 1500.0, 1e-12);
}

/// Section 3.1's grid at both propagation delays.
fn grid() -> impl Iterator<Item = Setting> {
    [0.02, 0.1].into_iter().flat_map(|tp| {
        [16_384.0, 32_768.0, 65_536.0, 131_072.0].into_iter().flat_map(move |w| {
            [6_000.0, 9_000.0, 15_000.0, 30_000.0]
                .into_iter()
                .flat_map(move |up| [22_500.0, 37_500.0, 75_000.0].into_iter().map(move |down| paper(w, up, down, tp)))
        })
    })
}

#[test]
fn interpretations_differ_as_expected() {
    let printed = Readings::default();
    let smaller = Readings { saw_tooth: SawTooth::Smaller, ..printed };
    let bits = Readings { propagation: Propagation::AsPrinted, ..printed };
    let ratio = |s: &Setting, r: &Readings| estimate(s, r).expect("a setting").ratio;
    let changed = grid().filter(|s| (ratio(s, &printed) / ratio(s, &smaller) - 1.0).abs() > 1e-9).count();
    assert_eq!((grid().count(), changed), (96, 14));
    for s in grid() {
        let e = estimate(&s, &bits).expect("a setting");
        let path = C_U * s.uploads.base_rtt_s;
        let max = e.room_up + path;
        close(e.window_up, if max > s.uploads.window { s.uploads.window } else { 0.75 * max }, 1e-12);
    }
}

/// "the throughput ratio r does not depend on k": without propagation not at all.
#[test]
fn the_ratio_is_independent_of_capacity() {
    let ratios: Vec<f64> = [1.0, 3.0, 10.0, 50.0]
        .into_iter()
        .map(|k| {
            let mut s = paper(131_072.0, 9_000.0, 75_000.0, 0.0);
            s.link.down.rate_bps = k * C_U;
            estimate(&s, &Readings::default()).expect("a setting").ratio
        })
        .collect();
    ratios.windows(2).for_each(|pair| close(pair[1], pair[0], 1e-12));
}

#[test]
fn buffers_in_packets() {
    // 43.7 packets outstanding down: 21.8 acknowledgements wait where there are delayed ones
    let e = estimate(&counted(Unit::Packets, 27.0, 50.0, 2.0), &Readings::default()).expect("a setting");
    close(e.room_up, (27.0 - 65_536.0 / 3_000.0) * 1500.0, 1e-12);
    close(e.ratio, 65_536.0 / (0.75 * (e.room_up + 960.0)), 1e-12);
    // ns-2 has 10.24 there
    close(e.ratio, 10.24, 0.05);
    let every = estimate(&counted(Unit::Packets, 27.0, 50.0, 1.0), &Readings::default()).expect("a setting");
    assert!(every.up_starves, "43.7 acknowledgements for 27 places");
    // with large windows the minimum uplink is the paper's half of the downlink, path included, and all of it without
    // delay
    for (acks_every, share) in [(2.0, 0.5), (1.0, 1.0)] {
        let mut s = counted(Unit::Packets, 27.0, 50.0, acks_every);
        (s.downloads.window, s.downloads.base_rtt_s) = (1e6, 0.0);
        close(s.least_uplink(0.0).expect("a setting"), share * 50.0, 1e-12);
    }
}

/// A buffer of cells is one of bytes but for rounding: 32 cells a packet, one an acknowledgement.
#[test]
fn buffers_in_cells() {
    assert_eq!((Unit::Cells.of(1500.0), Unit::Cells.of(40.0), Unit::Cells.of(41.0)), (32.0, 1.0, 2.0));
    let cells = estimate(&counted(Unit::Cells, 192.0, 1600.0, 2.0), &Readings::default()).expect("a setting");
    let bytes = estimate(&paper(65_536.0, 9_000.0, 75_000.0, 0.02), &Readings::default()).expect("a setting");
    close(cells.room_up, (192.0 - 65_536.0 / 3_000.0) * 1500.0 / 32.0, 1e-12);
    close(cells.ratio, bytes.ratio, 0.05);
}

#[test]
fn several_uploads() {
    let mut s = paper(131_072.0, 9_000.0, 75_000.0, 0.02);
    s.uploads.flows = 10;
    let ratio = |losses| estimate(&s, &Readings { losses, ..Readings::default() }).expect("a setting").ratio;
    // 3/4 of what fits against 1 - 1/40 of it
    close(ratio(Losses::Together) / ratio(Losses::OneAtATime), 0.975 / 0.75, 1e-12);
    // ten small windows fit: 10 W, no loss
    (s.uploads.window, s.link.up.buffer) = (1_500.0, 30_000.0);
    let e = estimate(&s, &Readings::default()).expect("a setting");
    assert!(e.up_limited_by_window);
    close(e.window_up, 15_000.0, 1e-12);
}

#[test]
fn unequal_round_trips() {
    // 100 kB down at 100 ms, 3 kB up at 40 ms; only the downlink is full: x / (0.1 + q) + ... = 2 Mbit/s
    let mut s = paper(65_536.0, 9_000.0, 75_000.0, 0.02);
    (s.downloads.base_rtt_s, s.ack) = (0.1, 0.0);
    let got = shares(&s, 100_000.0, 3_000.0).expect("a setting");
    close(got.queueing_delay_s, 0.3, 1e-12);
    close(got.download_bps, C_D, 1e-12);
    close(got.upload_bps, 24_000.0 / 0.34, 1e-12);
    // the same windows at the same distance: r is their ratio, eq. 8
    s.downloads.base_rtt_s = 0.04;
    let got = shares(&s, 100_000.0, 3_000.0).expect("a setting");
    close(got.download_bps / got.upload_bps, 100.0 / 3.0, 1e-12);
    // nothing is full
    let got = shares(&s, 3_000.0, 300.0).expect("a setting");
    assert_eq!(got.queueing_delay_s, 0.0);
}

#[test]
fn invalid_arguments() {
    type Change = fn(&mut Setting);
    let changes: [(&str, Change); 8] = [
        ("the uplink's rate", |s| s.link.up.rate_bps = 0.0),
        ("the downlink's buffer", |s| s.link.down.buffer = -1.0),
        ("the number of uploads", |s| s.uploads.flows = 0),
        ("the window of downloads", |s| s.downloads.window = f64::NAN),
        ("the base round-trip time of uploads", |s| s.uploads.base_rtt_s = f64::INFINITY),
        ("the size of a packet", |s| s.packet = 0.0),
        ("the size of an acknowledgement", |s| s.ack = -40.0),
        ("the number of packets for each acknowledgement", |s| s.acks_every = 0.5),
    ];
    for (what, change) in changes {
        let mut s = paper(65_536.0, 9_000.0, 75_000.0, 0.02);
        change(&mut s);
        let error = estimate(&s, &Readings::default()).expect_err(what);
        assert!(error.to_string().starts_with(what), "{error}");
    }
    // acknowledgements fill the buffer and there is no path: nothing is left for the upload
    let mut s = counted(Unit::Packets, 10.0, 50.0, 1.0);
    s.uploads.base_rtt_s = 0.0;
    assert!(estimate(&s, &Readings::default()).is_err());
}

proptest! {
    /// Without propagation both flows see q alone, and Theorem 1 of the two-way paper gives the same with alpha = cwnd.
    #[test]
    fn the_closed_form_of_one_duplex_link(
        down in 1.0f64..100.0, up in 1.0f64..100.0, k in 0.2f64..50.0, acks_every in 1.0f64..4.0,
    ) {
        let mut s = paper(65_536.0, 9_000.0, 75_000.0, 0.0);
        (s.link.down.rate_bps, s.acks_every) = (k * C_U, acks_every);
        let got = shares(&s, 1500.0 * down, 1500.0 * up).expect("a setting");
        let flow = |alpha, direction| DuplexFlow { alpha, packet_bits: 12_000.0, ack_bits: 320.0 / acks_every, direction };
        let flows = [flow(down, Direction::Forward), flow(up, Direction::Backward)];
        let want = closed_form::duplex(&flows, k * C_U, C_U).expect("flows");
        close(got.queueing_delay_s, want.delay, 1e-9);
        close(got.download_bps, want.rates[0] * 12_000.0, 1e-9);
        close(got.upload_bps, want.rates[1] * 12_000.0, 1e-9);
    }

    /// No direction carries more than it can, and one is full if there is queueing.
    #[test]
    fn capacities_are_kept(
        down in 1.0f64..1e6, up in 1.0f64..1e6, base_d in 0.0f64..0.5, base_u in 0.0f64..0.5, k in 0.2f64..50.0,
    ) {
        let mut s = paper(65_536.0, 9_000.0, 75_000.0, 0.0);
        (s.link.down.rate_bps, s.downloads.base_rtt_s, s.uploads.base_rtt_s) = (k * C_U, base_d, base_u);
        let got = shares(&s, down, up).expect("a setting");
        let max = got.utilisation_down.max(got.utilisation_up);
        prop_assert!(max <= 1.0 + 1e-9);
        prop_assert!(got.queueing_delay_s == 0.0 || max >= 1.0 - 1e-9, "{got:?}");
    }
}
