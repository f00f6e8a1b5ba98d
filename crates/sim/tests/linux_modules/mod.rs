//! The runs of `family.json` in this simulator, for the test and the example.
#![allow(dead_code, reason = "test and example each use a part")]

use std::ops::ControlFlow;

use eddyline_scenario::result::RunResult;
use eddyline_scenario::{Format, Input, load};
use eddyline_sim::{Options, run};
use serde_json::Value;

mod causes;
pub use causes::cause;

/// Each algorithm of ns-2.35's modules of Linux 2.6.22, and its controller table here.
pub const MODULES: [(&str, &str); 13] = [
    ("reno", "kind = \"newreno\", whole_packets = true"),
    ("highspeed", "kind = \"highspeed\""),
    // its estimate of delayed acknowledgements stays at 31/16 where there are none
    ("bic", "kind = \"bic\", ack_ratio = 1.9375"),
    ("htcp", "kind = \"htcp\""),
    // a packet for min(window, 50) acknowledged, an eighth less per loss at any window
    ("scalable", "kind = \"scalable\", a = 0.02, legacy_window = 0.0, at_least_reno = true"),
    ("cubic", "kind = \"cubic\", profile = \"2008\""),
    // its threshold is Reno's, its clock has ticks of a millisecond
    ("westwood", "kind = \"westwood\", at_least_half = true, tick = \"1 ms\""),
    ("vegas", "kind = \"vegas\""),
    // a loss leaves beta of the window instead of 1 - beta
    ("illinois", "kind = \"illinois\", leaves_beta = true"),
    ("veno", "kind = \"veno\""),
    ("compound", "kind = \"compound\""),
    ("yeah", "kind = \"yeah\""),
    ("hybla", "kind = \"hybla\""),
];

/// What Agent/TCP/Linux has in place of RFC 6675: a window that comes down over a round trip, notice of lost retransmissions,
/// growth by bytes (RFC 3465).
const SENDER: &str = "initial_window = 2, timestamps = true, prr = true, rack = true, byte_counting = 1";

/// The parts of the reference in the order of its file.
pub const PARTS: [&str; 5] =
    ["random_loss", "buffer_limited", "beside_reno", "asymmetric_both_at_once", "asymmetric_upload_joins_after_15s"];

/// One number of the reference and ours.
#[derive(Debug, Clone)]
pub struct Cell {
    pub part: &'static str,
    pub kind: &'static str,
    /// Loss or buffers, as the reference has it.
    pub case: String,
    /// The quantity: whose rate, in which unit.
    pub of: &'static str,
    pub theirs: f64,
    pub ours: f64,
}

impl Cell {
    /// Ours over theirs, less one.
    pub fn deviation(&self) -> f64 {
        self.ours / self.theirs - 1.0
    }
}

/// A deviation beyond this needs a documented cause.
pub const SAME: f64 = 0.15;

/// The median absolute deviation.
pub fn median(cells: &[Cell]) -> f64 {
    let mut sizes: Vec<f64> = cells.iter().map(|c| c.deviation().abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let middle = sizes.len() / 2;
    if sizes.len() % 2 == 1 { sizes[middle] } else { f64::midpoint(sizes[middle - 1], sizes[middle]) }
}

/// ns-2's downloads over two buffers of 75,000 B, with six start times of the upload: minimum and maximum.
pub fn phases(kind: &str) -> (f64, f64) {
    let all = numbers(&reference()["asymmetric_phases"][kind]);
    (all.iter().copied().fold(f64::INFINITY, f64::min), all.iter().copied().fold(0.0, f64::max))
}

/// Whether ours is within that range, extended by the share `beyond`.
pub fn within_phases(cell: &Cell, beyond: f64) -> bool {
    let (min, max) = phases(cell.kind);
    (min * (1.0 - beyond)..=max * (1.0 + beyond)).contains(&cell.ours)
}

/// Mean rates of Westwood at loss 0.01 in the seconds 10 to 50, before ns-2 retransmits much needlessly: ns-2's and ours.
pub fn westwood_start(seeds: u64) -> (f64, f64) {
    let theirs = numbers(&reference()["westwood_start"]);
    let (_, controller) = MODULES.iter().find(|m| m.0 == "westwood").expect("a module");
    let rate = |seed| packets_per_s(&symmetric(&[("x", controller)], "1000 packets", "0.01", seed, (10, 50)), 0);
    (theirs.iter().sum::<f64>() / theirs.len() as f64, (0..seeds).map(rate).sum::<f64>() / seeds as f64)
}

fn reference() -> Value {
    serde_json::from_str(include_str!("family.json")).expect("the reference is JSON")
}

fn numbers(of: &Value) -> Vec<f64> {
    of.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

/// Length and number of runs. The reference has 300 s, three seeds at random loss, and 600 s.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    pub symmetric_s: u32,
    pub seeds: u64,
    pub beside_s: u32,
    pub asymmetric_s: u32,
}

/// Every cell of an algorithm.
pub fn cells(kind: &'static str, controller: &str, effort: Effort) -> Vec<Cell> {
    let reference = reference();
    let mut found = Vec::new();
    for part in PARTS {
        let Some(cases) = reference[part][kind].as_object() else { continue };
        for (case, numbers) in cases {
            for (of, ours) in simulate(part, case, controller, effort) {
                let theirs = numbers[of].as_f64().expect("the reference has this number");
                found.push(Cell { part, kind, case: case.clone(), of, theirs, ours });
            }
        }
    }
    found
}

/// Our values of the reference's quantities in a case, by name.
fn simulate(part: &str, case: &str, controller: &str, effort: Effort) -> Vec<(&'static str, f64)> {
    let own = ("x", controller);
    let seconds = (30, effort.symmetric_s);
    match part {
        "random_loss" => {
            let rate = |seed| packets_per_s(&symmetric(&[own], "1000 packets", case, seed, seconds), 0);
            vec![("pkts_per_s", (0..effort.seeds).map(rate).sum::<f64>() / effort.seeds as f64)]
        }
        "buffer_limited" => vec![("pkts_per_s", packets_per_s(&symmetric(&[own], case, "0.0", 1, seconds), 0))],
        "beside_reno" => {
            let result = symmetric(&[own, ("reno", MODULES[0].1)], case, "0.0", 1, (30, effort.beside_s));
            vec![("pkts_per_s", packets_per_s(&result, 0)), ("reno_pkts_per_s", packets_per_s(&result, 1))]
        }
        _ => {
            let joins = part == "asymmetric_upload_joins_after_15s";
            let result = asymmetric(controller, case, joins, effort);
            let kbps = |i: usize| result.flows[i].goodput_bps.unwrap_or(f64::NAN) / 1e3;
            vec![("download_kbps", kbps(0)), ("upload_kbps", kbps(1))]
        }
    }
}

fn packets_per_s(result: &RunResult, flow: usize) -> f64 {
    result.flows[flow].packets_per_s.unwrap_or(f64::NAN)
}

/// 100 Mbit/s, 40 ms each way, 1,050 B on the wire; the second flow joins after 0.1 s.
fn symmetric(flows: &[(&str, &str)], limit: &str, loss: &str, seed: u64, seconds: (u32, u32)) -> RunResult {
    let mut text = format!(
        "duration = \"{} s\"\nwarmup = \"{} s\"\nseed = {seed}\n\
         [[link]]\nname = \"f\"\nrate = \"100 Mbit/s\"\ndelay = \"40 ms\"\nloss = {loss}\n\
         queue = {{ kind = \"droptail\", limit = \"{limit}\" }}\n\
         [[link]]\nname = \"b\"\nrate = \"100 Mbit/s\"\ndelay = \"40 ms\"\n",
        seconds.1, seconds.0
    );
    for (i, (name, controller)) in flows.iter().enumerate() {
        text += &format!(
            "[[flow]]\nname = \"{name}\"\ncontroller = {{ {controller} }}\ndata = [\"f\"]\nack = [\"b\"]\npacket = \"1050 B\"\n\
             header = \"50 B\"\nack_packet = \"50 B\"\nstart = \"{} ms\"\ntcp = {{ {SENDER} }}\n",
            100 * i
        );
    }
    result_of(&text)
}

/// A download and an upload over 2 Mbit/s and 192 kbit/s, buffers as `case` says: "up 6000 B, down 75000 B".
fn asymmetric(controller: &str, case: &str, joins: bool, effort: Effort) -> RunResult {
    let (up, down) = case.split_once(", ").expect("two buffers");
    let limit = |way: &str| way.split_once(' ').expect("which way, and how much").1.to_owned();
    let mut text =
        format!("duration = \"{} s\"\nwarmup = \"{} s\"\n", effort.asymmetric_s, if joins { "20" } else { "0.2" });
    for (name, rate, limit) in [("down", "2 Mbit/s", limit(down)), ("up", "192 kbit/s", limit(up))] {
        text += &format!(
            "[[link]]\nname = \"{name}\"\nrate = \"{rate}\"\ndelay = \"20 ms\"\nqueue = {{ kind = \"droptail\", limit = \"{limit}\" }}\n"
        );
    }
    let start = if joins { 15.0 } else { 0.1 };
    for (name, data, ack, access, start) in [("download", "down", "up", 1.1, 0.0), ("upload", "up", "down", 5.1, start)]
    {
        text += &format!(
            "[[flow]]\nname = \"{name}\"\ncontroller = {{ {controller} }}\ndata = [\"{data}\"]\nack = [\"{ack}\"]\n\
             packet = \"1510 B\"\nheader = \"50 B\"\nack_packet = \"50 B\"\nstart = \"{start} s\"\n\
             access_delay = {{ data = \"{access} ms\", ack = \"{access} ms\" }}\n\
             tcp = {{ {SENDER}, ack_every = 2, ack_timer = \"100 ms\" }}\n"
        );
    }
    result_of(&text)
}

fn result_of(toml: &str) -> RunResult {
    let input = Input { text: toml, format: Format::Toml, name: "family.toml", folder: None };
    let network = load(&input, &[]).unwrap_or_else(|e| panic!("{e}\n{toml}")).network;
    run(&network, &Options::default(), &mut |_| ControlFlow::Continue(())).unwrap_or_else(|e| panic!("{e}")).result
}
