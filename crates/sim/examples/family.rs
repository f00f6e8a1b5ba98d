//! Tables of all controllers: `cargo run --release -p eddyline-sim --example family -- [TABLE] [KIND...]`.
//!
//! Tables: `response` (mean window at random loss), `loss` (use of a 20 Mbit/s, 40 ms, 100-packet link at loss 1e-5), `ns2`
//! (packets a second on the runs of the reference: 100 Mbit/s, 80 ms), `fairness` (shares of two flows at round-trip times
//! of 40 and 80 ms, and at equal ones), `converge` (time until a late flow has its share), `step` (response to cross traffic
//! at half the capacity for 30 s), `speed` (packets per second of computing against FAST's). Without a name all of them.

use std::ops::ControlFlow;
use std::time::Instant;

use eddyline_cc::KINDS;
use eddyline_scenario::result::RunResult;
use eddyline_scenario::series::{FLOW, Quantity};
use eddyline_scenario::{Format, Input, load};
use eddyline_sim::{Options, run};

fn result_of(toml: &str) -> RunResult {
    simulate(toml, false).0
}

/// A run's result and, if wanted, the flows' throughput over time in Mbit/s.
fn simulate(toml: &str, series: bool) -> (RunResult, Vec<Vec<(f64, f64)>>) {
    let input = Input { text: toml, format: Format::Toml, name: "family.toml", folder: None };
    let network = load(&input, &[]).unwrap_or_else(|e| panic!("{e}\n{toml}")).network;
    let options = Options { series, ..Options::default() };
    let outcome = run(&network, &options, &mut |_| ControlFlow::Continue(())).unwrap_or_else(|e| panic!("{e}"));
    let rates = outcome.series.map_or_else(Vec::new, |s| {
        let of = |flow| s.of(FLOW, flow, Quantity::ThroughputBps).into_iter().map(|(t, v)| (t, v / 1e6)).collect();
        (0..network.flows.len() as u32).map(of).collect()
    });
    (outcome.result, rates)
}

/// The controller's table in a scenario, with its required parameters.
fn controller(kind: &str) -> String {
    let alpha = if matches!(kind, "fast" | "vfast") { ", alpha = \"20 packets\"" } else { "" };
    format!("kind = \"{kind}\"{alpha}")
}

fn links(rate: &str, delay_ms: f64, limit: &str, loss: f64) -> String {
    format!(
        "[[link]]\nname = \"f\"\nrate = \"{rate}\"\ndelay = \"{delay_ms} ms\"\nloss = {loss:?}\n\
         queue = {{ kind = \"droptail\", limit = \"{limit}\" }}\n\
         [[link]]\nname = \"b\"\nrate = \"{rate}\"\ndelay = \"{delay_ms} ms\"\n"
    )
}

fn flow(name: &str, kind: &str, more: &str) -> String {
    format!(
        "[[flow]]\nname = \"{name}\"\ncontroller = {{ {} }}\ndata = [\"f\"]\nack = [\"b\"]\n{more}\n",
        controller(kind)
    )
}

fn head(duration: f64, warmup: f64, seed: u64) -> String {
    format!("duration = \"{duration} s\"\nwarmup = \"{warmup} s\"\nseed = {seed}\n")
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (n, sum) = values.into_iter().fold((0.0, 0.0), |(n, s), v| (n + 1.0, s + v));
    sum / n
}

fn response(kinds: &[&str]) {
    println!("mean window in packets at random loss, 80 ms, no queue");
    println!("{:<12}{:>10}{:>10}{:>10}", "kind", "1e-2", "1e-3", "1e-4");
    // controllers that do not respond to random loss fill any link
    for kind in kinds.iter().filter(|k| !matches!(**k, "fast" | "vfast" | "bbr" | "bbr3" | "copa" | "westwood")) {
        let windows = [1e-2, 1e-3, 1e-4].map(|p| {
            let one = |seed| {
                let text = head(30.0 + 0.1 / p, 30.0, seed) + &links("10 Gbit/s", 40.0, "unlimited", p);
                result_of(&(text + &flow("x", kind, ""))).flows[0].window_packets.mean.unwrap_or(f64::NAN)
            };
            mean((0..4).map(one))
        });
        println!("{kind:<12}{:>10.1}{:>10.1}{:>10.1}", windows[0], windows[1], windows[2]);
    }
}

fn loss(kinds: &[&str]) {
    println!("20 Mbit/s, 40 ms, 100 packets, loss 1e-5, 120 s");
    println!("{:<12}{:>12}{:>14}{:>12}", "kind", "use in %", "queue, packets", "retransmits");
    for kind in kinds {
        let r =
            result_of(&(head(120.0, 10.0, 1) + &links("20 Mbit/s", 20.0, "100 packets", 1e-5) + &flow("x", kind, "")));
        println!(
            "{kind:<12}{:>12.1}{:>14.1}{:>12}",
            100.0 * r.links[0].data_utilisation.unwrap_or(f64::NAN),
            r.links[0].queue_packets.mean.unwrap_or(f64::NAN),
            r.flows[0].retransmits.unwrap_or(0)
        );
    }
}

fn ns2(kinds: &[&str]) {
    println!("packets a second: 100 Mbit/s, 80 ms, 1,000 B payload of 1,050 B, 300 s");
    println!(
        "{:<12}{:>10}{:>10}{:>12}{:>12}{:>16}",
        "kind", "p 0.01", "p 0.0001", "250 packets", "1000 packets", "beside reno"
    );
    let wire = "packet = \"1050 B\"\nheader = \"50 B\"\nack_packet = \"50 B\"";
    for kind in kinds {
        let rate = |seed, limit: &str, p| {
            let text = head(300.0, 30.0, seed) + &links("100 Mbit/s", 40.0, limit, p) + &flow("x", kind, wire);
            result_of(&text).flows[0].packets_per_s.unwrap_or(f64::NAN)
        };
        let lossy = [0.01, 0.0001].map(|p| mean((0..3).map(|seed| rate(seed, "1000 packets", p))));
        let short = ["250 packets", "1000 packets"].map(|limit| rate(1, limit, 0.0));
        let beside = head(300.0, 30.0, 1)
            + &links("100 Mbit/s", 40.0, "250 packets", 0.0)
            + &flow("x", kind, wire)
            + &flow("reno", "reno", &format!("{wire}\nstart = \"0.1 s\""));
        let r = result_of(&beside);
        let [a, b] = [0, 1].map(|i| r.flows[i].packets_per_s.unwrap_or(f64::NAN));
        println!("{kind:<12}{:>10.1}{:>10.1}{:>12.0}{:>12.0}{a:>9.0}{b:>7.0}", lossy[0], lossy[1], short[0], short[1]);
    }
}

fn fairness(kinds: &[&str]) {
    println!(
        "two flows and 1 Mbit/s of Poisson traffic, 20 Mbit/s, 100 packets, 300 s: throughput of the one with 40 ms over that of the other"
    );
    println!("{:<12}{:>12}{:>12}", "kind", "40, 40 ms", "40, 80 ms");
    for kind in kinds {
        let ratio = |more: &str| {
            let text = head(300.0, 60.0, 1)
                + &links("20 Mbit/s", 20.0, "100 packets", 0.0)
                + &flow("near", kind, "")
                + &flow("far", kind, &format!("start = \"1 s\"\n{more}"))
                // random arrivals of another packet size break the phase effects of drop-tail queues (Floyd and Jacobson 1991)
                + "[[traffic]]\nname = \"noise\"\npath = [\"f\"]\npacket = \"173 B\"\nmodel = { kind = \"poisson\", rate = \"1 Mbit/s\" }\n";
            let r = result_of(&text);
            r.flows[0].throughput_bps.unwrap_or(f64::NAN) / r.flows[1].throughput_bps.unwrap_or(f64::NAN)
        };
        let far = "access_delay = { data = \"20 ms\", ack = \"20 ms\" }";
        println!("{kind:<12}{:>12.2}{:>12.2}", ratio(""), ratio(far));
    }
}

fn converge(kinds: &[&str]) {
    println!("a second flow joins at 30 s, 20 Mbit/s, 40 ms, 100 packets: seconds until its mean over 5 s is 8 Mbit/s");
    println!("{:<12}{:>10}", "kind", "s");
    for kind in kinds {
        let text = head(330.0, 0.0, 1)
            + "record = { interval = \"1 s\" }\n"
            + &links("20 Mbit/s", 20.0, "100 packets", 0.0)
            + &flow("first", kind, "")
            + &flow("second", kind, "start = \"30 s\"");
        let rates: Vec<f64> = simulate(&text, true).1[1].iter().filter(|(t, _)| *t > 30.0).map(|r| r.1).collect();
        let when = rates.windows(5).position(|w| mean(w.iter().copied()) >= 8.0);
        println!("{kind:<12}{:>10}", when.map_or_else(|| "never".to_owned(), |s| (s + 5).to_string()));
    }
}

fn step(kinds: &[&str]) {
    println!("10 of 20 Mbit/s are taken from 60 to 90 s, 40 ms, 100 packets");
    println!("{:<12}{:>12}{:>14}{:>20}", "kind", "lost, 60-90", "Mbit/s 60-90", "s to 90 % after it");
    for kind in kinds {
        let text = |end: f64| {
            head(end, 0.0, 1)
                + "record = { interval = \"100 ms\" }\n"
                + &links("20 Mbit/s", 20.0, "100 packets", 0.0)
                + &flow("x", kind, "")
                + "[[traffic]]\nname = \"taken\"\npath = [\"f\"]\nstart = \"60 s\"\nstop = \"90 s\"\n\
                   model = { kind = \"cbr\", rate = \"10 Mbit/s\" }\n"
        };
        let lost = [60.0, 90.0].map(|end| result_of(&text(end)).links[0].drops.data.unwrap_or(0));
        let rates = &simulate(&text(150.0), true).1[0];
        let during = mean(rates.iter().filter(|(t, _)| *t > 62.0 && *t <= 90.0).map(|r| r.1));
        // the first interval after it ends at 90.1 s
        let after = rates.iter().find(|(t, rate)| *t > 90.05 && *rate >= 18.0).map(|r| r.0 - 90.0);
        let after = after.map_or_else(|| "never".to_owned(), |s| format!("{s:.1}"));
        println!("{kind:<12}{:>12}{during:>14.2}{after:>20}", lost[1] - lost[0]);
    }
}

fn speed(kinds: &[&str]) {
    println!(
        "1 Gbit/s, 20 ms, 400 packets, 10 s: data packets per second of computing over FAST's, best of five in turn"
    );
    let one = |kind: &str| {
        let text = head(10.0, 1.0, 1) + &links("1 Gbit/s", 10.0, "400 packets", 0.0) + &flow("x", kind, "");
        let begin = Instant::now();
        let delivered = result_of(&text).counters.data_packets_delivered.unwrap_or(0);
        delivered as f64 / begin.elapsed().as_secs_f64()
    };
    println!("{:<12}{:>10}{:>12}", "kind", "ratio", "packets/s");
    for kind in kinds {
        let (mut ours, mut fast) = (0.0f64, 0.0f64);
        for _ in 0..5 {
            ours = ours.max(one(kind));
            fast = fast.max(one("fast"));
        }
        println!("{kind:<12}{:>10.2}{:>12.3e}", ours / fast, ours);
    }
}

/// Prints one of the tables for some kinds.
type Table = fn(&[&str]);

const TABLES: [(&str, Table); 7] = [
    ("response", response),
    ("loss", loss),
    ("ns2", ns2),
    ("fairness", fairness),
    ("converge", converge),
    ("step", step),
    ("speed", speed),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let tables: Vec<_> = TABLES.iter().filter(|(name, _)| arguments.iter().any(|w| w == name)).collect();
    let kinds: Vec<&str> = KINDS.iter().map(|k| k.name).filter(|k| arguments.iter().any(|w| w == k)).collect();
    let kinds = if kinds.is_empty() { KINDS.iter().map(|k| k.name).collect() } else { kinds };
    for (name, table) in if tables.is_empty() { TABLES.iter().collect() } else { tables } {
        println!("# {name}");
        table(&kinds);
        println!();
    }
}
