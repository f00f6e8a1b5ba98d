//! A sender and its local (NIC) queue: what `tcp.local` does when that queue is full.

use crate::scenarios;

use eddyline_scenario::result::RunResult;
use eddyline_scenario::series::{FLOW, Quantity};
use eddyline_scenario::{Format, Input, load};
use eddyline_sim::Options;
use scenarios::{flow_result, head, link, near, network, outcome, result_of};

/// A NIC of 10 Mbit/s with a queue of `limit` in front of a path that is ten times as fast; round trip 100 ms.
fn path(limit: &str) -> String {
    format!(
        "[[link]]\nname = \"nic\"\nrate = \"10 Mbit/s\"\ndelay = \"0 s\"\n\
         queue = {{ kind = \"droptail\", limit = \"{limit}\" }}\n\
         [[link]]\nname = \"wan\"\nrate = \"100 Mbit/s\"\ndelay = \"50 ms\"\n\
         [[link]]\nname = \"back\"\nrate = \"100 Mbit/s\"\ndelay = \"50 ms\"\n"
    )
}

fn flow(name: &str, controller: &str, tcp: &str, more: &str) -> String {
    format!(
        "[[flow]]\nname = \"{name}\"\ncontroller = {{ {controller} }}\ndata = [\"nic\", \"wan\"]\nack = [\"back\"]\n\
         packet = \"1000 B\"\ntcp = {{ {tcp} }}\n{more}\n"
    )
}

fn alone(controller: &str, tcp: &str) -> RunResult {
    result_of(&(head(120.0, 40.0, 1) + &path("30 packets") + &flow("x", controller, tcp, "")))
}

const RENO: &str = "kind = \"newreno\"";
/// Transmission time of a packet on the NIC.
const SLOT: f64 = 0.8e-3;
/// Round trip beyond the NIC: propagation, and transmission of packet and acknowledgement.
const WAN: f64 = 0.1 + 0.08e-3 + 3.2e-6;

/// `local = "drop"` is the default: it leaves the scenario's digest unchanged.
#[test]
fn drop_is_the_default() {
    let digest = |tcp: &str| {
        let text = head(1.0, 0.0, 1) + &path("30 packets") + &flow("x", RENO, tcp, "");
        network(&text).scenario_sha256
    };
    assert_eq!(digest("local = \"drop\""), digest(""));
    assert_ne!(digest("local = \"cwr\""), digest(""));
    let run = alone(RENO, "");
    assert_eq!(flow_result(&run, "x").card_refusals, None);
    assert!(link(&run, "nic").drops.data.unwrap() > 20);
}

/// The queue stays full, nothing is lost, the round trip is that of a full queue, and the window stops growing once it no
/// longer limits the sender.
#[test]
fn backpressure_fills_the_nic_queue() {
    let run = alone(RENO, "local = \"backpressure\"");
    let (x, nic) = (flow_result(&run, "x"), link(&run, "nic"));
    assert_eq!((x.retransmits, x.timeouts, nic.drops.data), (Some(0), Some(0), Some(0)));
    near(nic.utilisation.unwrap(), 1.0, 1e-4, "utilisation");
    assert_eq!(nic.queue_packets.max, Some(30.0));
    // a packet finds 30 before it or 29, as the one that leaves makes room for it
    near(nic.queue_packets.mean.unwrap(), 30.0, 0.01, "queue");
    near(x.rtt_s.mean.unwrap(), WAN + 31.0 * SLOT, 1e-3, "round trip");
    let pipe = (WAN + 31.0 * SLOT) / SLOT;
    assert!(x.window_packets.max.unwrap() > pipe, "{x:?}");
    assert_eq!(x.window_packets.min, x.window_packets.max);
}

/// A sawtooth without losses: the window grows until path and queue are full, then halves. It is reduced once per window,
/// so refusals during a reduction have no effect.
#[test]
fn cwr_halves_once_a_window() {
    let text = head(120.0, 40.0, 1)
        + "record = { interval = \"20 ms\" }\n"
        + &path("30 packets")
        + &flow("x", RENO, "local = \"cwr\"", "");
    let run = outcome(&network(&text), &Options { series: true, ..Options::default() });
    let (x, nic) = (flow_result(&run.result, "x"), link(&run.result, "nic"));
    assert_eq!((x.retransmits, x.timeouts, nic.drops.data), (Some(0), Some(0), Some(0)));
    assert_eq!(nic.queue_packets.max, Some(30.0));
    let windows = run.series.unwrap().of(FLOW, 0, Quantity::CwndPackets);
    let windows: Vec<(f64, f64)> = windows.into_iter().filter(|(t, _)| *t > 40.0).collect();
    let falls: Vec<f64> = windows.windows(2).filter(|w| w[1].1 < 0.9 * w[0].1).map(|w| w[1].1 / w[0].1).collect();
    assert!(falls.len() > 5 && falls.iter().all(|f| (f - 0.5).abs() < 0.02), "{falls:?}");
    // full: what the path holds without a queue, the packet in transmission, and thirty
    let full = WAN / SLOT + 31.0;
    near(x.window_packets.max.unwrap(), full, 0.02, "largest window");
    near(x.window_packets.min.unwrap(), full / 2.0, 0.02, "smallest window");
    // it grows by one packet per round trip, which is 100 ms and the queueing delay
    let tooth = |w: f64| (w * SLOT).max(WAN + SLOT);
    let (low, steps) = (full / 2.0, full / 2.0);
    let period: f64 = (0..steps as u32).map(|k| tooth(low + f64::from(k))).sum();
    near(80.0 / falls.len() as f64, period, 0.1, "period");
    assert!(x.card_refusals.unwrap() > falls.len() as u64);
}

/// A refusal and a loss in the same window cause one reduction: with a lossy link behind the NIC the window never falls by
/// more than half in a round trip.
#[test]
fn refusal_and_loss_reduce_once() {
    let text = head(300.0, 10.0, 1)
        + "record = { interval = \"100 ms\" }\n"
        + &path("30 packets").replace(
            "rate = \"100 Mbit/s\"\ndelay = \"50 ms\"\n[[link]]\nname = \"back\"",
            "rate = \"100 Mbit/s\"\ndelay = \"50 ms\"\nloss = 1e-4\n[[link]]\nname = \"back\"",
        )
        + &flow("x", RENO, "local = \"cwr\"", "");
    let run = outcome(&network(&text), &Options { series: true, ..Options::default() });
    assert!(link(&run.result, "wan").lost.unwrap() > 10);
    let windows = run.series.unwrap().of(FLOW, 0, Quantity::CwndPackets);
    for w in windows.windows(2).filter(|w| w[0].0 > 10.0) {
        assert!(w[1].1 > 0.45 * w[0].1, "{w:?}");
    }
}

/// Senders that share a NIC share its rate: none starves, whichever starts first, whether or not each window alone would fill
/// the queue.
#[test]
fn senders_of_one_nic_share_it() {
    for (controller, limit) in
        [(RENO, "30 packets"), ("kind = \"fast\", alpha = \"100 packets\"", "30 packets"), (RENO, "12000 B")]
    {
        let text = head(120.0, 60.0, 1)
            + &path(limit)
            + &flow("x", controller, "local = \"backpressure\"", "count = 3\nstagger = \"1 s\"");
        let run = result_of(&text);
        assert_eq!(link(&run, "nic").drops.data, Some(0), "{controller}");
        near(link(&run, "nic").utilisation.unwrap(), 1.0, 1e-3, controller);
        let rates: Vec<f64> = run.flows.iter().map(|f| f.goodput_bps.unwrap()).collect();
        for rate in &rates {
            near(*rate, rates.iter().sum::<f64>() / 3.0, 0.25, &format!("{controller}, {limit}"));
        }
    }
}

/// With every other TCP option a sender under `local` loses nothing at its NIC and completes.
#[test]
fn with_every_tcp_option() {
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
                let run = result_of(&text);
                let what = format!("{local}{tcp}, {controller}");
                assert_eq!(link(&run, "nic").drops.data, Some(0), "{what}");
                assert_eq!(flow_result(&run, "x").delivered_bytes, Some(20_000_000), "{what}");
                // 20 MB of payload take 16.7 s on the NIC
                let done = flow_result(&run, "x").completed_at_s.unwrap_or_else(|| panic!("{what}: not done"));
                assert!(done < 40.0, "{what}: {done} s");
            }
        }
    }
}

/// FAST treats the NIC queue as any other: if it holds alpha packets FAST is in equilibrium there, else it cannot be.
#[test]
fn fast_needs_room_for_alpha_packets() {
    let run = |alpha: u32, local: &str| {
        // without multiplicative increase, which overshoots any queue shorter than a BDP
        let controller = format!("kind = \"fast\", alpha = \"{alpha} packets\", mi_threshold = \"0 s\"");
        alone(&controller, &format!("local = \"{local}\""))
    };
    let below = run(15, "cwr");
    assert_eq!(flow_result(&below, "x").card_refusals, Some(0));
    near(link(&below, "nic").utilisation.unwrap(), 1.0, 1e-3, "alpha 15");
    near(link(&below, "nic").queue_packets.mean.unwrap(), 15.0 - 1.0, 0.1, "alpha 15");
    let reduced = run(60, "cwr");
    assert!(flow_result(&reduced, "x").card_refusals.unwrap() > 20);
    assert!(link(&reduced, "nic").utilisation.unwrap() < 0.97);
    let stalled = run(60, "backpressure");
    near(link(&stalled, "nic").utilisation.unwrap(), 1.0, 1e-3, "alpha 60");
    // the law uses the packets in flight, not the window: w <- (1 - g) w + g (flight base / rtt + alpha)
    let pipe = (WAN + SLOT) / SLOT;
    near(flow_result(&stalled, "x").window_packets.mean.unwrap(), pipe + 60.0, 0.02, "alpha 60");
}

/// `tcp.local` needs a drop-tail queue on a full-duplex link without reconstruction.
#[test]
fn only_a_droptail_link_can_refuse() {
    let errors = |link: &str| {
        let text = head(1.0, 0.0, 1)
            + &format!("[[link]]\nname = \"nic\"\nrate = \"1 Mbit/s\"\ndelay = \"0 s\"\n{link}\n")
            + "[[link]]\nname = \"wan\"\nrate = \"1 Mbit/s\"\ndelay = \"0 s\"\nmedium = \"air\"\n\
               [[link]]\nname = \"back\"\nrate = \"1 Mbit/s\"\ndelay = \"0 s\"\nmedium = \"air\"\n"
            + &flow("x", RENO, "local = \"cwr\"", "");
        let input = Input { text: &text, format: Format::Toml, name: "test.toml", folder: None };
        load(&input, &[]).err().map(|m| m.to_string())
    };
    assert_eq!(errors(""), None);
    for (link, phrase) in [
        ("queue = { kind = \"codel\" }", "another queue than droptail"),
        ("medium = \"air\"", "half-duplex medium"),
        ("reconstruct = { every = \"1000 B\" }", "reconstructs"),
    ] {
        let message = errors(link).unwrap();
        assert!(message.contains("tcp.local") && message.contains(phrase), "{message}");
    }
    let text = head(1.0, 0.0, 1) + &path("30 packets") + &flow("x", RENO, "local = \"cwrr\"", "");
    let message = load(&Input { text: &text, format: Format::Toml, name: "test.toml", folder: None }, &[]).unwrap_err();
    assert!(message.to_string().contains("did you mean cwr?"), "{message}");
}

/// A full NIC queue and a receive window are no want of data: BBR takes its rate samples as those of a bottleneck
/// (draft-ietf-ccwg-bbr, "Considerations Related to Receiver Flow Control Limits"), and leaves Startup, whose pacing would keep
/// the queue full.
#[test]
fn bbr_leaves_startup_behind_a_receive_window_or_a_full_nic_queue() {
    for kind in ["bbr", "bbr3"] {
        for (tcp, more) in [("local = \"backpressure\"", ""), ("", "receive_window = \"200 kB\"")] {
            let controller = format!("kind = \"{kind}\"");
            let text = head(20.0, 10.0, 1)
                + &path("20 packets")
                + &flow("x", &controller, tcp, more)
                + "[record]\ninterval = \"100 ms\"\n";
            let run = outcome(&network(&text), &Options { series: true, ..Options::default() });
            let paced = run.series.unwrap().of(FLOW, 0, Quantity::PacingBps);
            let (low, high) = paced
                .iter()
                .filter(|(t, _)| *t > 10.0)
                .fold((f64::INFINITY, 0.0f64), |(low, high), (_, v)| (low.min(*v), high.max(*v)));
            // the gains while probing for bandwidth are at most 1.25, Startup's 2.8
            assert!(low > 7e6 && high < 13e6, "{kind}, {tcp}{more}: {low} to {high}");
        }
    }
}
