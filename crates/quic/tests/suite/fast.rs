//! FAST in a QUIC stack is where our TCP and theory have it: with the packet sizes of QUIC, rates within 3 % of both and queues within
//! two packets, although stack, acknowledgements and pacing are another's.
//!
//! Alpha is what FAST makes of its round-trip time beyond the known one, which is propagation alone: packets that wait and packets that
//! are being transmitted. Theory's queue holds all of it. So it is compared with both together; results count the waiting ones.
//!
//!     cargo test -p eddyline-quic fast:: -- --nocapture --test-threads 1
//!
//! prints a row for each case, those of `docs/concepts/quic.md`.

use crate::networks;

use eddyline_scenario::result::{LinkResult, RunResult};
use networks::{network, quic, sim};

const DOCUMENT: &str = include_str!("../../../../docs/concepts/quic.md");

/// Mean size of an acknowledgement with 40 bytes of headers: 71 to 76 bytes, by its numbers.
const ACK: u32 = 75;

/// FAST flows, with a known base round-trip time or by forward delay, over two links: `rates` in Mbit/s and `delay_ms` forward and backward, and for each flow
/// whether it goes backward and its alpha.
fn two_way(rates: [f64; 2], delay_ms: u32, flows: &[(bool, u32)], forward_delay: bool) -> String {
    let (signal, timestamps) = match forward_delay {
        true => ("delay = \"forward\"", ", timestamps = true"),
        false => ("base_rtt = \"known\"", ""),
    };
    // a round trip takes at most a second: twenty to settle, ten and more to average
    let mut text = "duration = \"30 s\"\nwarmup = \"20 s\"\nseed = 1\n".to_owned();
    for (name, rate) in ["forward", "backward"].iter().zip(rates) {
        text += &format!("[[link]]\nname = \"{name}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"{delay_ms} ms\"\n");
    }
    for (i, (backward, alpha)) in flows.iter().enumerate() {
        let (data, ack) = if *backward { ("backward", "forward") } else { ("forward", "backward") };
        text += &format!(
            "[[flow]]\nname = \"flow {i}\"\ncontroller = {{ kind = \"fast\", alpha = \"{alpha} packets\", {signal} }}\n\
             data = [\"{data}\"]\nack = [\"{ack}\"]\npacket = \"1240 B\"\nack_packet = \"{ACK} B\"\ntcp = {{ initial_window = 2{timestamps} }}\n"
        );
    }
    text
}

/// Packets that wait for a link, and with `transmitted` the one that it transmits for a part of the time.
fn held(link: &LinkResult, transmitted: bool) -> f64 {
    let in_transmission = if transmitted { link.utilisation.expect("a utilisation") } else { 0.0 };
    link.queue_packets.mean.expect("a queue") + in_transmission
}

/// Rates within 3 %, queues within `allowed` of `held`; the largest differences of both.
#[track_caller]
fn agree(
    what: &str,
    (got, held): (&RunResult, impl Fn(&LinkResult) -> f64),
    want: &RunResult,
    allowed: impl Fn(f64) -> f64,
    text: &str,
) -> [f64; 2] {
    let mut largest = [0.0_f64; 2];
    for (got, want) in got.flows.iter().zip(&want.flows) {
        let (rate, expected) = (got.packets_per_s.expect("a rate"), want.packets_per_s.expect("a rate"));
        let off = (rate / expected - 1.0).abs();
        assert!(off < 0.03, "{what}, {}: {rate} against {expected} packets/s\n{text}", got.name);
        largest[0] = largest[0].max(off);
    }
    for (got, want) in got.links.iter().zip(&want.links) {
        // theory has none where acknowledgements fill a link
        let Some(expected) = want.queue_packets.mean else { continue };
        let off = (held(got) - expected).abs();
        assert!(off < allowed(expected), "{what}, {}: {} against {expected} packets\n{text}", got.name, held(got));
        largest[1] = largest[1].max(off);
    }
    largest
}

/// Rates within 3 % of both other worlds, queues within two packets.
#[track_caller]
fn check(case: &str, text: &str) {
    let (got, tcp) = (quic(text).result, sim(text).result);
    let by_sim = agree("sim", (&got, |link| held(link, false)), &tcp, |_| 2.0, text);
    let theory = eddyline_theory::run(&network(text)).unwrap_or_else(|e| panic!("{e}"));
    let by_theory = agree("theory", (&got, |link| held(link, true)), &theory, |_| 2.0, text);
    let queues = |result: &RunResult| {
        let queue = |l: &LinkResult| l.queue_packets.mean.map_or("none".to_owned(), |queue| format!("{queue:.2}"));
        result.links.iter().map(queue).collect::<Vec<_>>().join(", ")
    };
    let percent = |off: f64| 100.0 * off;
    let row = format!(
        "| {case} | {:.2} %, {:.2} % | {} | {} | {} | {:.2} | {:.2} |",
        percent(by_theory[0]),
        percent(by_sim[0]),
        queues(&theory),
        queues(&tcp),
        queues(&got),
        by_theory[1],
        by_sim[1],
    );
    println!("{row}");
    assert!(DOCUMENT.contains(&row), "docs/concepts/quic.md has another row: {row}");
}

#[test]
fn flows_one_way_share_by_alpha() {
    check("one flow", &two_way([10.0, 10.0], 20, &[(false, 50)], false));
    check("two flows", &two_way([10.0, 10.0], 20, &[(false, 20), (false, 40)], false));
    let four = [(false, 20), (false, 40), (false, 80), (false, 10)];
    check("four flows", &two_way([50.0, 10.0], 20, &four, false));
}

/// Example 4 of "Performance Effects of Two-way FAST TCP", with QUIC's packet sizes.
fn example_4() -> String {
    two_way([100.0, 10.0], 10, &[(false, 100), (true, 30), (false, 200)], false)
}

/// Examples 1 to 5 of that paper.
#[test]
fn the_examples_of_two_way_fast() {
    check("example 1", &two_way([100.0, 1.0], 10, &[(false, 100), (false, 200)], false));
    check("example 2", &two_way([100.0, 100.0], 10, &[(false, 300), (false, 200), (true, 100)], false));
    check("example 3", &two_way([100.0, 10.0], 10, &[(false, 100), (true, 30)], false));
    check("example 4", &example_4());
    check("example 5", &two_way([10.0, 10.0], 1, &[(false, 30), (true, 30)], false));
}

/// Alphas of which the forward flow has `forward` of 100 packets.
fn share(forward: u32) -> String {
    two_way([20.0, 10.0], 10, &[(false, forward), (true, 100 - forward)], false)
}

/// The forward flow's share of all alphas, from a tenth to nine tenths.
#[test]
fn shares_of_alpha_swept() {
    for forward in [10, 25, 50, 75, 90] {
        check(&format!("alpha {forward} and {}", 100 - forward), &share(forward));
    }
}

/// Where alpha is, in packets.
struct AlphaBreakdown {
    waiting: f64,
    transmitted: f64,
    /// Not in flight although the window has room.
    unused: f64,
}

/// Where the alphas of a scenario's flows are.
fn alpha_breakdown(text: &str, alphas: &[f64]) -> AlphaBreakdown {
    let result = quic(text).result;
    let mut unused = 0.0;
    for (flow, alpha) in result.flows.iter().zip(alphas) {
        let rtt = flow.rtt_s.mean.expect("a round-trip time");
        let queueing_share = 1.0 - flow.base_rtt_s.expect("known") / rtt;
        let window = flow.window_packets.mean.expect("a window");
        // the law of FAST, in equilibrium
        assert!(
            (window * queueing_share - alpha).abs() < 0.05,
            "{}: {} of {alpha}\n{text}",
            flow.name,
            window * queueing_share
        );
        let in_flight = flow.packets_per_s.expect("a rate") * rtt;
        assert!((in_flight / window - 1.0).abs() < 0.005, "{}: {in_flight} of {window}\n{text}", flow.name);
        unused += (window - in_flight) * queueing_share;
    }
    let waiting: f64 = result.links.iter().map(|link| held(link, false)).sum();
    let both: f64 = result.links.iter().map(|link| held(link, true)).sum();
    AlphaBreakdown { waiting, transmitted: both - waiting, unused }
}

/// Where the alphas are, to a tenth of a packet: they wait or are being transmitted, on both links, but for the unused part of each window.
/// Packets in flight are whole and at most the window and `pacing_slack`, one packet, so they are a little fewer than the window. With a
/// slack of four packets the pacer alone decides, and no window has an unused part.
#[test]
fn every_packet_of_alpha_is_accounted_for() {
    for (case, text, alphas) in
        [("example 4", example_4(), &[100.0, 30.0, 200.0][..]), ("alpha 75 and 25", share(75), &[75.0, 25.0])]
    {
        let all: f64 = alphas.iter().sum();
        for slack in [1, 4] {
            let known = "base_rtt = \"known\"";
            let text = text.replace(known, &format!("{known}, pacing_slack = \"{slack} packets\""));
            let AlphaBreakdown { waiting, transmitted, unused } = alpha_breakdown(&text, alphas);
            println!("{case}, slack {slack}: {waiting:.2} waiting, {transmitted:.2} transmitted, {unused:.2} unused");
            assert!((waiting + transmitted + unused - all).abs() < 0.1, "{case}: {waiting} {transmitted} {unused}");
            assert_eq!(unused > 0.0, slack == 1, "{case}: {unused}");
        }
    }
}

/// 2 Mbit/s down, 192 kbit/s up: the download collapses beside an upload, and does not with forward delay, for which the endpoints
/// hand on when packets arrived.
#[test]
fn an_asymmetric_link() {
    let flows = [(false, 10), (true, 10)];
    check("2 and 0.192 Mbit/s", &two_way([2.0, 0.192], 20, &flows, false));
    let text = two_way([2.0, 0.192], 20, &flows, true);
    let (got, want) = (quic(&text).result, sim(&text).result);
    // of nearly 300 packets most are acknowledgements, whose sizes vary by 5 bytes
    agree("sim", (&got, |link| held(link, false)), &want, |packets| f64::max(2.0, 0.03 * packets), &text);
    let down = |result: &RunResult| result.flows[0].throughput_bps.expect("a rate");
    assert!(down(&got) > 1.5e6, "{}", down(&got));
}
