//! Data packets a CPU second, for docs/concepts/performance.md: one flow over 100 Mbit/s, and a thousand at once, with the null session and
//! with TLS.
//!
//! cargo run --release -p eddyline-quic --example throughput [PART OF A NAME [SECONDS]]
//!
//! With other seconds than 60 it is for counts of instructions: `valgrind --tool=callgrind` on two lengths of one run.

use std::ops::ControlFlow;
use std::time::Duration;

use eddyline_quic::Crypto;
use eddyline_scenario::{Format, Input, Vocabulary, load_with};
use eddyline_sim::Options;

#[path = "../tests/suite/tls/mod.rs"]
mod tls;

const ONE: &str = r#"
duration = "60 s"
[[link]]
name = "there"
rate = "100 Mbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit = "400 packets" }
[[link]]
name = "back"
rate = "100 Mbit/s"
delay = "20 ms"
[[flow]]
name = "flow"
controller = { CONTROLLER }
data = ["there"]
ack = ["back"]
"#;

/// CPU time of this process so far.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<u64>().ok()).unwrap_or(0);
    // user and system time, in hundredths of a second on Linux
    Duration::from_millis(10 * (ticks(11) + ticks(12)))
}

/// What is asked for on the command line: a part of the name, and the simulated time.
struct Selection {
    name: String,
    seconds: String,
}

fn measure(asked: &Selection, what: &str, text: &str, crypto: Crypto) {
    if !what.contains(&asked.name) {
        return;
    }
    let text = &text.replacen("60 s", &format!("{} s", asked.seconds), 1);
    let vocabulary = Vocabulary::new(eddyline_quic::kinds()).expect("names of their own");
    let input = Input { text, format: Format::Toml, name: "throughput", folder: None };
    let network = load_with(&vocabulary, &input, &[]).unwrap_or_else(|e| panic!("{e}")).network;
    let before = cpu();
    let run = eddyline_quic::run_with(&network, &Options::default(), crypto, &mut |_| ControlFlow::Continue(()));
    let (packets, seconds) =
        (run.unwrap_or_else(|e| panic!("{e}")).result.counters.data_packets_delivered, (cpu() - before).as_secs_f64());
    let packets = packets.unwrap_or(0);
    println!("{what:40} {packets:9} data packets, {:8.0} a CPU second", packets as f64 / seconds);
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let asked = Selection { name, seconds: arguments.next().unwrap_or_else(|| "60".to_owned()) };
    for (name, crypto) in [("null", Crypto::null()), ("TLS", tls::crypto())] {
        for controller in ["kind = \"noq-cubic\"", "kind = \"cubic\"", "kind = \"fast\", alpha = \"100 packets\""] {
            measure(&asked, &format!("{name}: {controller}"), &ONE.replace("CONTROLLER", controller), crypto.clone());
        }
        let every_second = ONE.replace("CONTROLLER", "kind = \"noq-cubic\"") + "tcp = { ack_every = 2 }\n";
        measure(&asked, &format!("{name}: noq-cubic, ACK per 2 packets"), &every_second, crypto.clone());
        let thousand = ONE.replace("CONTROLLER", "kind = \"cubic\"") + "count = 1000\nstagger = \"1 ms\"\n";
        measure(&asked, &format!("{name}: a thousand flows"), &thousand, crypto);
    }
}
