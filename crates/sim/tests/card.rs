//! A sender and its own network card: what happens when the card's queue is full.

mod scenarios;

use eddyline_scenario::result::RunResult;
use eddyline_scenario::series::{FLOW, Quantity};
use eddyline_scenario::{Format, Input, load};
use eddyline_sim::Options;
use scenarios::{answer, head, link, near, network, of, outcome};

/// A card of 10 Mbit/s with 30 packets in front of a line that is ten times as fast; 100 ms there and back.
fn path(limit: &str) -> String {
    format!(
        "[[link]]\nname = \"card\"\nrate = \"10 Mbit/s\"\ndelay = \"0 s\"\n\
         queue = {{ kind = \"droptail\", limit = \"{limit}\" }}\n\
         [[link]]\nname = \"line\"\nrate = \"100 Mbit/s\"\ndelay = \"50 ms\"\n\
         [[link]]\nname = \"back\"\nrate = \"100 Mbit/s\"\ndelay = \"50 ms\"\n"
    )
}

fn flow(name: &str, controller: &str, tcp: &str, more: &str) -> String {
    format!(
        "[[flow]]\nname = \"{name}\"\ncontroller = {{ {controller} }}\ndata = [\"card\", \"line\"]\nack = [\"back\"]\n\
         packet = \"1000 B\"\ntcp = {{ {tcp} }}\n{more}\n"
    )
}

fn alone(controller: &str, tcp: &str) -> RunResult {
    answer(&(head(120.0, 40.0, 1) + &path("30 packets") + &flow("x", controller, tcp, "")))
}

const RENO: &str = "kind = \"newreno\"";
/// Transmission of a packet on the card, and of packet and acknowledgement on the lines.
const SLOT: f64 = 0.8e-3;
const LINES: f64 = 0.1 + 0.08e-3 + 3.2e-6;

/// Nobody who does not ask hears of it: the key's default is what was before, down to the scenario's digest.
#[test]
fn drop_is_the_default() {
    let digest = |tcp: &str| {
        let text = head(1.0, 0.0, 1) + &path("30 packets") + &flow("x", RENO, tcp, "");
        network(&text).scenario_sha256
    };
    assert_eq!(digest("local = \"drop\""), digest(""));
    assert_ne!(digest("local = \"cwr\""), digest(""));
    let run = alone(RENO, "");
    assert_eq!(of(&run, "x").card_refusals, None);
    assert!(link(&run, "card").drops.data.unwrap() > 20);
}

/// The queue stays full, nothing is lost, the round trip is that of a full queue, and the window stops where it no longer
/// is what holds the sender back.
#[test]
fn backpressure_fills_the_card() {
    let run = alone(RENO, "local = \"backpressure\"");
    let (x, card) = (of(&run, "x"), link(&run, "card"));
    assert_eq!((x.retransmits, x.timeouts, card.drops.data), (Some(0), Some(0), Some(0)));
    near(card.utilisation.unwrap(), 1.0, 1e-4, "utilisation");
    assert_eq!(card.queue_packets.max, Some(30.0));
    // a packet finds 30 before it or 29, as the one that leaves makes room for it
    near(card.queue_packets.mean.unwrap(), 30.0, 0.01, "queue");
    near(x.rtt_s.mean.unwrap(), LINES + 31.0 * SLOT, 1e-3, "round trip");
    let pipe = (LINES + 31.0 * SLOT) / SLOT;
    assert!(x.window_packets.max.unwrap() > pipe, "{x:?}");
    assert_eq!(x.window_packets.min, x.window_packets.max);
}

/// A saw-tooth without losses: the window grows until path and queue are full, loses half, and so on. Reductions are once a window,
/// so refusals while one is under way do nothing.
#[test]
fn cwr_halves_once_a_window() {
    let text = head(120.0, 40.0, 1)
        + "record = { interval = \"20 ms\" }\n"
        + &path("30 packets")
        + &flow("x", RENO, "local = \"cwr\"", "");
    let run = outcome(&network(&text), &Options { series: true, ..Options::default() });
    let (x, card) = (of(&run.result, "x"), link(&run.result, "card"));
    assert_eq!((x.retransmits, x.timeouts, card.drops.data), (Some(0), Some(0), Some(0)));
    assert_eq!(card.queue_packets.max, Some(30.0));
    let windows = run.series.unwrap().of(FLOW, 0, Quantity::CwndPackets);
    let windows: Vec<(f64, f64)> = windows.into_iter().filter(|(t, _)| *t > 40.0).collect();
    let falls: Vec<f64> = windows.windows(2).filter(|w| w[1].1 < 0.9 * w[0].1).map(|w| w[1].1 / w[0].1).collect();
    assert!(falls.len() > 5 && falls.iter().all(|f| (f - 0.5).abs() < 0.02), "{falls:?}");
    // full: what the path holds without a queue, the packet in transmission, and thirty
    let full = LINES / SLOT + 31.0;
    near(x.window_packets.max.unwrap(), full, 0.02, "largest window");
    near(x.window_packets.min.unwrap(), full / 2.0, 0.02, "smallest window");
    // it grows by one a round trip, of 100 ms and what waits
    let tooth = |w: f64| (w * SLOT).max(LINES + SLOT);
    let (low, steps) = (full / 2.0, full / 2.0);
    let period: f64 = (0..steps as u32).map(|k| tooth(low + f64::from(k))).sum();
    near(80.0 / falls.len() as f64, period, 0.1, "period");
    assert!(x.card_refusals.unwrap() > falls.len() as u64);
}

/// A refusal and a loss of the same window are one reason: the line loses packets too, and the window never falls by more than
/// half in a round trip.
#[test]
fn card_and_line_together() {
    let text = head(300.0, 10.0, 1)
        + "record = { interval = \"100 ms\" }\n"
        + &path("30 packets").replace(
            "rate = \"100 Mbit/s\"\ndelay = \"50 ms\"\n[[link]]\nname = \"back\"",
            "rate = \"100 Mbit/s\"\ndelay = \"50 ms\"\nloss = 1e-4\n[[link]]\nname = \"back\"",
        )
        + &flow("x", RENO, "local = \"cwr\"", "");
    let run = outcome(&network(&text), &Options { series: true, ..Options::default() });
    assert!(link(&run.result, "line").lost.unwrap() > 10);
    let windows = run.series.unwrap().of(FLOW, 0, Quantity::CwndPackets);
    for w in windows.windows(2).filter(|w| w[0].0 > 10.0) {
        assert!(w[1].1 > 0.45 * w[0].1, "{w:?}");
    }
}

/// Senders of one card wait for it in turn: none starves, whoever comes first, whether the window of each would fill it or not.
#[test]
fn senders_of_one_card_take_turns() {
    for (controller, limit) in
        [(RENO, "30 packets"), ("kind = \"fast\", alpha = \"100 packets\"", "30 packets"), (RENO, "12000 B")]
    {
        let text = head(120.0, 60.0, 1)
            + &path(limit)
            + &flow("x", controller, "local = \"backpressure\"", "count = 3\nstagger = \"1 s\"");
        let run = answer(&text);
        assert_eq!(link(&run, "card").drops.data, Some(0), "{controller}");
        near(link(&run, "card").utilisation.unwrap(), 1.0, 1e-3, controller);
        let rates: Vec<f64> = run.flows.iter().map(|f| f.goodput_bps.unwrap()).collect();
        for rate in &rates {
            near(*rate, rates.iter().sum::<f64>() / 3.0, 0.25, &format!("{controller}, {limit}"));
        }
    }
}

/// Whatever else is on, a sender that hears of its card loses nothing there, finishes, and accounts hold.
#[test]
fn with_all_that_tcp_can_do() {
    for local in ["cwr", "backpressure"] {
        for tcp in [
            "",
            ", sack = false",
            ", prr = true, ecn = true",
            ", rack = true, frto = true",
            ", pacing = true",
            ", initial_window = 200",
        ] {
            for controller in [RENO, "kind = \"cubic\"", "kind = \"fast\", alpha = \"60 packets\"", "kind = \"bbr\""] {
                let text = head(60.0, 0.0, 1)
                    + &path("10 packets")
                    + &flow("x", controller, &format!("local = \"{local}\"{tcp}"), "size = \"20 MB\"");
                let run = answer(&text);
                let what = format!("{local}{tcp}, {controller}");
                assert_eq!(link(&run, "card").drops.data, Some(0), "{what}");
                assert_eq!(of(&run, "x").delivered_bytes, Some(20_000_000), "{what}");
                // 20 MB of payload take 16.7 s on the card
                let done = of(&run, "x").completed_at_s.unwrap_or_else(|| panic!("{what}: not done"));
                assert!(done < 40.0, "{what}: {done} s");
            }
        }
    }
}

/// FAST hears its own card as a queue like any other: with room for alpha it rests there, with less it cannot.
#[test]
fn fast_needs_alpha_packets_of_room() {
    let run = |alpha: u32, local: &str| {
        // without doubling, which overshoots any queue shorter than the path
        let controller = format!("kind = \"fast\", alpha = \"{alpha} packets\", mi_threshold = \"0 s\"");
        alone(&controller, &format!("local = \"{local}\""))
    };
    let calm = run(15, "cwr");
    assert_eq!(of(&calm, "x").card_refusals, Some(0));
    near(link(&calm, "card").utilisation.unwrap(), 1.0, 1e-3, "alpha 15");
    near(link(&calm, "card").queue_packets.mean.unwrap(), 15.0 - 1.0, 0.1, "alpha 15");
    let cut = run(60, "cwr");
    assert!(of(&cut, "x").card_refusals.unwrap() > 20);
    assert!(link(&cut, "card").utilisation.unwrap() < 0.97);
    let stopped = run(60, "backpressure");
    near(link(&stopped, "card").utilisation.unwrap(), 1.0, 1e-3, "alpha 60");
    // what is in flight, not what it would like to be, enters the law: w <- (1 - g) w + g (flight base / rtt + alpha)
    let pipe = (LINES + SLOT) / SLOT;
    near(of(&stopped, "x").window_packets.mean.unwrap(), pipe + 60.0, 0.02, "alpha 60");
}

#[test]
fn only_a_plain_queue_can_tell() {
    let mistakes = |link: &str| {
        let text = head(1.0, 0.0, 1)
            + &format!("[[link]]\nname = \"card\"\nrate = \"1 Mbit/s\"\ndelay = \"0 s\"\n{link}\n")
            + "[[link]]\nname = \"line\"\nrate = \"1 Mbit/s\"\ndelay = \"0 s\"\nmedium = \"air\"\n\
               [[link]]\nname = \"back\"\nrate = \"1 Mbit/s\"\ndelay = \"0 s\"\nmedium = \"air\"\n"
            + &flow("x", RENO, "local = \"cwr\"", "");
        let input = Input { text: &text, format: Format::Toml, name: "test.toml", folder: None };
        load(&input, &[]).err().map(|m| m.to_string())
    };
    assert_eq!(mistakes(""), None);
    for (link, word) in [
        ("queue = { kind = \"codel\" }", "another queue than droptail"),
        ("medium = \"air\"", "half-duplex medium"),
        ("reconstruct = { every = \"1000 B\" }", "reconstructs"),
    ] {
        let said = mistakes(link).unwrap();
        assert!(said.contains("tcp.local") && said.contains(word), "{said}");
    }
    let text = head(1.0, 0.0, 1) + &path("30 packets") + &flow("x", RENO, "local = \"cwrr\"", "");
    let said = load(&Input { text: &text, format: Format::Toml, name: "test.toml", folder: None }, &[]).unwrap_err();
    assert!(said.to_string().contains("did you mean cwr?"), "{said}");
}
