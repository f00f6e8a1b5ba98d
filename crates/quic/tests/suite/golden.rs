//! Determinism: the same file and seed give the same bytes, in every build and on every platform. The digests in `golden/digests.txt`
//! are of result (without its cost), packet log and series; `EDDYLINE_BLESS=1` writes them anew, only for intended changes of results.

use crate::networks;

use std::fmt::Write as _;
use std::path::PathBuf;

use eddyline_quic::Crypto;
use eddyline_sim::Outcome;
use networks::{bottleneck, logged};

/// Scenarios of one or two flows: every option that draws random numbers, and controllers with much arithmetic.
fn scenarios() -> [(&'static str, String); 6] {
    let lossy = |controller: &str, link: &str, flow: &str| {
        let text =
            bottleneck(20.0, controller, 40, flow).replace("delay = \"20 ms\"", &format!("delay = \"20 ms\"\n{link}"));
        format!("warmup = \"2 s\"\nseed = 7\n{text}")
    };
    let back = "tcp = { timestamps = true }\npiggyback = \"two\"\n[[flow]]\nname = \"two\"\ncontroller = { kind = \"copa\" }\ndata = [\"b\"]\nack = [\"f\"]\nsize = \"5 MB\"";
    let jitter = "jitter = { kind = \"exponential\", mean = \"3 ms\" }\nreorder = true\ncorrupt = 0.001";
    [
        ("fast", lossy("kind = \"fast\", alpha = \"20 packets\"", "", "tcp = { ecn = true }")),
        ("forward", lossy("kind = \"fast\", alpha = \"10 packets\", delay = \"forward\"", "", back)),
        ("bbr3", lossy("kind = \"bbr3\"", "loss = 0.001", "tcp = { ack_every = 2 }")),
        ("cubic", lossy("kind = \"cubic\"", jitter, "")),
        (
            "noq-newreno",
            lossy("kind = \"noq-newreno\"", jitter, "application = { kind = \"objects\", bytes = \"50 kB\" }"),
        ),
        // the cube root is the platform's: none that is known changes a byte
        ("noq-cubic", lossy("kind = \"noq-cubic\"", "loss = 0.001", "")),
    ]
}

/// FNV-1a, 64 bits.
fn digest(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

fn row(name: &str, outcome: &Outcome) -> String {
    let log = outcome.log.as_ref().expect("a log");
    let series = outcome.series.as_ref().expect("series");
    let document = digest(serde_json::to_string(&outcome.result).expect("a document").into_bytes());
    let times = log.time_s.iter().flat_map(|t| t.to_le_bytes());
    let numbers = log.seq.iter().flat_map(|n| n.to_le_bytes());
    let packets = digest(times.chain(numbers).chain(log.event.iter().copied()).chain(log.packet.iter().copied()));
    let values = digest(series.value.iter().chain(&series.time_s).flat_map(|v| v.to_le_bytes()));
    let n = &outcome.result.counters;
    let (sent, dropped) = (n.packets_sent.unwrap_or(0), n.packets_dropped.unwrap_or(0));
    format!("{name:<12} {sent:>8} {dropped:>8} {document:016x} {packets:016x} {values:016x}\n")
}

#[test]
fn the_digests_of_the_golden_scenarios() {
    let mut table = "# scenario       sent  dropped result           packets          series\n".to_owned();
    for (name, text) in scenarios() {
        let _ = write!(table, "{}", row(name, &logged(&text, Crypto::null())));
    }
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/suite/golden/digests.txt");
    if std::env::var_os("EDDYLINE_BLESS").is_some() {
        std::fs::write(&file, &table).expect("a file");
    }
    assert_eq!(
        std::fs::read_to_string(&file).expect("a file"),
        table,
        "results changed; see the first lines of this test"
    );
}
