//! Data packets a CPU second, for docs/concepts/performance.md: one flow over 100 Mbit/s, and a thousand at once, with the null session and
//! with TLS.
//!
//! cargo run --release -p eddyline-quic --example throughput

use std::ops::ControlFlow;
use std::time::Duration;

use eddyline_quic::Crypto;
use eddyline_scenario::{Format, Input, Vocabulary, load_with};
use eddyline_sim::Options;

#[path = "../tests/tls/mod.rs"]
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

fn measure(what: &str, text: &str, crypto: Crypto) {
    let vocabulary = Vocabulary::new(eddyline_quic::kinds()).expect("names of their own");
    let input = Input { text, format: Format::Toml, name: "throughput", folder: None };
    let network = load_with(&vocabulary, &input, &[]).unwrap_or_else(|e| panic!("{e}")).network;
    let before = cpu();
    let run = eddyline_quic::run_with(&network, &Options::default(), crypto, &mut |_| ControlFlow::Continue(()));
    let (packets, seconds) =
        (run.unwrap_or_else(|e| panic!("{e}")).result.counters.data_packets_delivered, (cpu() - before).as_secs_f64());
    println!("{what:40} {:8.0} data packets a CPU second", packets.unwrap_or(0) as f64 / seconds);
}

fn main() {
    for (name, crypto) in [("null", Crypto::null()), ("TLS", tls::crypto())] {
        for controller in ["kind = \"noq-cubic\"", "kind = \"cubic\"", "kind = \"fast\", alpha = \"100 packets\""] {
            measure(&format!("{name}: {controller}"), &ONE.replace("CONTROLLER", controller), crypto.clone());
        }
        let every_second = ONE.replace("CONTROLLER", "kind = \"noq-cubic\"") + "tcp = { ack_every = 2 }\n";
        measure(&format!("{name}: noq-cubic, ACK per 2 packets"), &every_second, crypto.clone());
        let thousand = ONE.replace("CONTROLLER", "kind = \"cubic\"") + "count = 1000\nstagger = \"1 ms\"\n";
        measure(&format!("{name}: a thousand flows"), &thousand, crypto);
    }
}
