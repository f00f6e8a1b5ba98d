//! The runs of `family.json` in this simulator, for the test and the example.
#![allow(dead_code, reason = "test and example each use a part")]

use std::ops::ControlFlow;

use eddyline_scenario::result::RunResult;
use eddyline_scenario::{Format, Input, load};
use eddyline_sim::{Options, run};
use serde_json::Value;

mod causes;
pub use causes::{Bounds, Verdict, judge};

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
const AGENT: &str = "initial_window = 2, timestamps = true, prr = true, rack = true, byte_counting = 1";
/// Hybla's module has growth of its own, by acknowledgements.
const WITHOUT_BYTES: &str = "initial_window = 2, timestamps = true, prr = true, rack = true";

/// A controller's table and its sender's options.
#[derive(Debug, Clone)]
pub struct Setting {
    controller: String,
    tcp: &'static str,
}

impl Setting {
    /// As ns-2's module and agent.
    pub fn module(controller: &str) -> Self {
        let tcp = if controller.contains("hybla") { WITHOUT_BYTES } else { AGENT };
        Self { controller: controller.to_owned(), tcp }
    }

    /// The kind's and the sender's defaults.
    pub fn default_of(kind: &str) -> Self {
        let kind = if kind == "reno" { "newreno" } else { kind };
        Self { controller: format!("kind = \"{kind}\""), tcp: "" }
    }
}

/// The parts of the reference in the order of its file.
pub const PARTS: [&str; 5] =
    ["random_loss", "buffer_limited", "beside_reno", "asymmetric_both_at_once", "asymmetric_upload_joins_after_15s"];

/// One of our numbers.
#[derive(Debug, Clone)]
pub struct Ours {
    part: &'static str,
    /// Loss or buffers, as the reference has it.
    case: String,
    /// The quantity: whose rate, in which unit.
    of: &'static str,
    value: f64,
}

/// One number of the reference and ours.
#[derive(Debug, Clone)]
pub struct Cell {
    pub part: &'static str,
    pub kind: &'static str,
    pub case: String,
    pub of: &'static str,
    pub theirs: f64,
    /// ns-2's with a rule of its module replaced.
    pub switched: Option<f64>,
    pub ours: f64,
}

impl Cell {
    /// Ours over theirs, less one.
    pub fn deviation(&self) -> f64 {
        self.ours / self.theirs - 1.0
    }

    /// The same with the module's rule replaced, if there is such a number.
    pub fn remaining(&self) -> f64 {
        self.ours / self.switched.unwrap_or(self.theirs) - 1.0
    }
}

/// The median of the absolute deviations that remain with the rules replaced.
pub fn median(cells: &[Cell]) -> f64 {
    let mut sizes: Vec<f64> = cells.iter().map(|c| c.remaining().abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let middle = sizes.len() / 2;
    if sizes.len() % 2 == 1 { sizes[middle] } else { f64::midpoint(sizes[middle - 1], sizes[middle]) }
}

fn reference() -> Value {
    serde_json::from_str(include_str!("family.json")).expect("the reference is JSON")
}

/// Length and number of runs. The reference has 300 s, three seeds at random loss, and 600 s.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    pub symmetric_s: u32,
    pub seeds: u64,
    pub beside_s: u32,
    pub asymmetric_s: u32,
}

/// Our numbers in the cases that the reference has for an algorithm.
pub fn simulate(kind: &str, setting: &Setting, effort: Effort) -> Vec<Ours> {
    let reference = reference();
    let mut found = Vec::new();
    for part in PARTS {
        for case in reference[part][kind].as_object().into_iter().flat_map(|cases| cases.keys()) {
            let values = one_case(part, case, setting, effort);
            found.extend(values.into_iter().map(|(of, value)| Ours { part, case: case.clone(), of, value }));
        }
    }
    found
}

/// These numbers beside those of an algorithm, where it has the case.
pub fn beside(kind: &'static str, ours: &[Ours]) -> Vec<Cell> {
    let reference = reference();
    let number = |of: &Value, o: &Ours| of[o.part][kind][&o.case][o.of].as_f64();
    let cell = |o: &Ours| {
        let theirs = number(&reference, o)?;
        let switched = number(&reference["switched"], o);
        Some(Cell { part: o.part, kind, case: o.case.clone(), of: o.of, theirs, switched, ours: o.value })
    };
    ours.iter().filter_map(cell).collect()
}

/// Our values of the reference's quantities in a case, by name.
fn one_case(part: &str, case: &str, setting: &Setting, effort: Effort) -> Vec<(&'static str, f64)> {
    let own = ("x", setting);
    let seconds = (30, effort.symmetric_s);
    match part {
        "random_loss" => {
            let rate = |seed| packets_per_s(&symmetric(&[own], "1000 packets", case, seed, seconds), 0);
            vec![("pkts_per_s", (0..effort.seeds).map(rate).sum::<f64>() / effort.seeds as f64)]
        }
        "buffer_limited" => vec![("pkts_per_s", packets_per_s(&symmetric(&[own], case, "0.0", 1, seconds), 0))],
        "beside_reno" => {
            let reno = if setting.tcp.is_empty() { Setting::default_of("reno") } else { Setting::module(MODULES[0].1) };
            let result = symmetric(&[own, ("reno", &reno)], case, "0.0", 1, (30, effort.beside_s));
            vec![("pkts_per_s", packets_per_s(&result, 0)), ("reno_pkts_per_s", packets_per_s(&result, 1))]
        }
        _ => {
            let starts_ms = match part {
                "asymmetric_upload_joins_after_15s" => vec![15_000],
                _ if case.starts_with("up 75000") => drop_tail_starts_ms(),
                _ => vec![100],
            };
            let mut sums = [0.0; 2];
            for start_ms in &starts_ms {
                let result = asymmetric(setting, case, *start_ms, effort);
                for (sum, flow) in sums.iter_mut().zip(&result.flows) {
                    *sum += flow.goodput_bps.unwrap_or(f64::NAN) / 1e3;
                }
            }
            let [download, upload] = sums.map(|sum| sum / starts_ms.len() as f64);
            vec![("download_kbps", download), ("upload_kbps", upload)]
        }
    }
}

fn packets_per_s(result: &RunResult, flow: usize) -> f64 {
    result.flows[flow].packets_per_s.unwrap_or(f64::NAN)
}

/// 100 Mbit/s, 40 ms each way, 1,050 B on the wire; the second flow joins after 0.1 s.
fn symmetric(flows: &[(&str, &Setting)], limit: &str, loss: &str, seed: u64, seconds: (u32, u32)) -> RunResult {
    let mut text = format!(
        "duration = \"{} s\"\nwarmup = \"{} s\"\nseed = {seed}\n\
         [[link]]\nname = \"f\"\nrate = \"100 Mbit/s\"\ndelay = \"40 ms\"\nloss = {loss}\n\
         queue = {{ kind = \"droptail\", limit = \"{limit}\" }}\n\
         [[link]]\nname = \"b\"\nrate = \"100 Mbit/s\"\ndelay = \"40 ms\"\n",
        seconds.1, seconds.0
    );
    for (i, (name, Setting { controller, tcp })) in flows.iter().enumerate() {
        text += &format!(
            "[[flow]]\nname = \"{name}\"\ncontroller = {{ {controller} }}\ndata = [\"f\"]\nack = [\"b\"]\npacket = \"1050 B\"\n\
             header = \"50 B\"\nack_packet = \"50 B\"\nstart = \"{} ms\"\ntcp = {{ {tcp} }}\n",
            100 * i
        );
    }
    result_of(&text)
}

/// Starts of the upload over two long buffers. Which packets these lose depends on it: one run of ns-2's differs from the next by
/// up to a factor of three, so the cell is the mean.
fn drop_tail_starts_ms() -> Vec<u32> {
    (0..400).step_by(20).collect()
}

/// A download and an upload over 2 Mbit/s and 192 kbit/s, buffers as `case` says: "up 6000 B, down 75000 B".
fn asymmetric(setting: &Setting, case: &str, start_ms: u32, effort: Effort) -> RunResult {
    let Setting { controller, tcp } = setting;
    let (up, down) = case.split_once(", ").expect("two buffers");
    let limit = |way: &str| way.split_once(' ').expect("which way, and how much").1.to_owned();
    let warmup = if start_ms >= 15_000 { "20" } else { "0.2" };
    let mut text = format!("duration = \"{} s\"\nwarmup = \"{warmup} s\"\n", effort.asymmetric_s);
    for (name, rate, limit) in [("down", "2 Mbit/s", limit(down)), ("up", "192 kbit/s", limit(up))] {
        text += &format!(
            "[[link]]\nname = \"{name}\"\nrate = \"{rate}\"\ndelay = \"20 ms\"\nqueue = {{ kind = \"droptail\", limit = \"{limit}\" }}\n"
        );
    }
    let comma = if tcp.is_empty() { "" } else { ", " };
    for (name, data, ack, access, start) in
        [("download", "down", "up", 1.1, 0), ("upload", "up", "down", 5.1, start_ms)]
    {
        text += &format!(
            "[[flow]]\nname = \"{name}\"\ncontroller = {{ {controller} }}\ndata = [\"{data}\"]\nack = [\"{ack}\"]\n\
             packet = \"1510 B\"\nheader = \"50 B\"\nack_packet = \"50 B\"\nstart = \"{start} ms\"\n\
             access_delay = {{ data = \"{access} ms\", ack = \"{access} ms\" }}\n\
             tcp = {{ {tcp}{comma}ack_every = 2, ack_timer = \"100 ms\" }}\n"
        );
    }
    result_of(&text)
}

fn result_of(toml: &str) -> RunResult {
    let input = Input { text: toml, format: Format::Toml, name: "family.toml", folder: None };
    let network = load(&input, &[]).unwrap_or_else(|e| panic!("{e}\n{toml}")).network;
    run(&network, &Options::default(), &mut |_| ControlFlow::Continue(())).unwrap_or_else(|e| panic!("{e}")).result
}
