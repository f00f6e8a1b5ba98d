//! No input causes a panic, a hang or unbounded use of memory. `EDDYLINE_FUZZ_CASES` sets how many inputs are tried.

use crate::common;

use std::time::{Duration, Instant};

use common::{TWO_WAY, as_json, dict, json, toml};
use proptest::prelude::*;

fn cases() -> u32 {
    std::env::var("EDDYLINE_FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2000)
}

/// Loads a text in all formats; the canonical form of what loads must load and be canonical.
fn survives(text: &str) {
    for loaded in [toml(text, &[]), json(text, &[]), dict(text, &[])] {
        match loaded {
            Ok(scenario) => {
                let reloaded = json(&scenario.canonical, &[]).unwrap_or_else(|e| panic!("{text}\n{e}"));
                assert_eq!(reloaded.canonical, scenario.canonical, "{text}");
            }
            Err(errors) => assert!(!errors.all.is_empty() && !errors.to_string().is_empty()),
        }
    }
}

/// Tokens of the formats, and values at the limits of the checks.
const PIECES: &[&str] = &[
    "\"",
    "'",
    "[",
    "]",
    "{",
    "}",
    "[[",
    "]]",
    "=",
    ",",
    ".",
    "\n",
    "#",
    "0",
    "-1",
    "1e308",
    "1e-308",
    "nan",
    "inf",
    "18446744073709551615",
    "9223372036854775808",
    "0.0",
    "\"0 s\"",
    "\"200 d\"",
    "\"213 d\"",
    "\"1 h\"",
    "\"0 B\"",
    "\"1 GB\"",
    "\"18446744073709551615 B\"",
    "\"1 bit/s\"",
    "\"10 Tbit/s\"",
    "\"1e15 packets\"",
    "\"1e308 packets\"",
    "\"1e-320 packets\"",
    "\"7.13 %\"",
    "\"unlimited\"",
    "true",
    "false",
    "null",
    "[]",
    "{}",
    "1979-05-27",
    "\u{0}",
    "\u{feff}",
    "µ",
    "[[link]]",
    "[[flow]]",
    "[[expect]]",
    "[[arrivals]]",
    "[[duplex]]",
    "\"forward\"",
    "\"many[1]\"",
    "\"\"\"",
    "count = 1000000",
    "kind",
    "name",
];

/// One change of a text.
#[derive(Debug, Clone)]
enum Change {
    Cut(prop::sample::Index, usize),
    Put(prop::sample::Index, &'static str),
    Swap(prop::sample::Index, prop::sample::Index),
    Repeat(prop::sample::Index, usize),
    Value(prop::sample::Index, &'static str),
}

fn change() -> impl Strategy<Value = Change> {
    let place = any::<prop::sample::Index>;
    let piece = || prop::sample::select(PIECES);
    prop_oneof![
        (place(), 1..40usize).prop_map(|(at, n)| Change::Cut(at, n)),
        (place(), piece()).prop_map(|(at, piece)| Change::Put(at, piece)),
        (place(), place()).prop_map(|(a, b)| Change::Swap(a, b)),
        (place(), 1..4usize).prop_map(|(at, n)| Change::Repeat(at, n)),
        (place(), piece()).prop_map(|(at, piece)| Change::Value(at, piece)),
    ]
}

/// The last boundary between characters at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

fn changed(text: &str, changes: &[Change]) -> String {
    let mut text = text.to_owned();
    for change in changes {
        let mut lines: Vec<&str> = text.lines().collect();
        let boundary = |at: &prop::sample::Index| floor(&text, at.index(text.len().max(1)));
        text = match change {
            _ if text.is_empty() => break,
            Change::Cut(at, n) => {
                let at = boundary(at);
                format!("{}{}", &text[..at], &text[floor(&text, at + n).max(at)..])
            }
            Change::Put(at, piece) => {
                let at = boundary(at);
                format!("{}{piece}{}", &text[..at], &text[at..])
            }
            Change::Swap(a, b) => {
                let (a, b) = (a.index(lines.len()), b.index(lines.len()));
                lines.swap(a, b);
                lines.join("\n")
            }
            Change::Repeat(at, n) => {
                let line = lines[at.index(lines.len())];
                let at = at.index(lines.len());
                lines.splice(at..at, std::iter::repeat_n(line, *n));
                lines.join("\n")
            }
            Change::Value(at, piece) => {
                let at = at.index(lines.len());
                let (key, _) = lines[at].split_once(['=', ':']).unwrap_or((lines[at], ""));
                let (equals, comma) = if text.starts_with('{') { (":", ",") } else { ("=", "") };
                let line = format!("{key}{equals} {piece}{comma}");
                lines[at] = &line;
                lines.join("\n")
            }
        };
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in "\\PC{0,200}") {
        survives(&text);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        survives(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_mutation_of_toml_panics(changes in prop::collection::vec(change(), 1..6)) {
        survives(&changed(TWO_WAY, &changes));
    }

    #[test]
    fn no_mutation_of_json_panics(changes in prop::collection::vec(change(), 1..6)) {
        survives(&changed(&as_json(TWO_WAY), &changes));
    }

    #[test]
    fn no_override_panics(
        key in "([a-z.*'\"\\[\\]0-9 ]{0,20}|(link|flow|duplex|traffic|expect|record)\\.(forward|\\*|many|home|\"flow 1\")\\.[a-z_]{1,8}(\\.[a-z]{1,5})?)",
        value in "([ -~]{0,20}|[0-9]{1,3} (ms|s|packets|B|Mbit/s)|\\{.{0,10}\\}|\\[.{0,10}\\])",
    ) {
        let _ = toml(TWO_WAY, &[(&key, &value)]);
    }
}

/// Loads a text; fails if that takes 20 s or the report is huge.
fn loads_in_time(name: &str, text: &str) {
    let begun = Instant::now();
    for loaded in [toml(text, &[]), json(text, &[])] {
        if let Err(errors) = loaded {
            assert!(errors.all.len() <= 1000 && errors.to_string().len() < 2_000_000, "{name}");
        }
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "{name}: {:?}", begun.elapsed());
}

#[test]
fn hostile_input_is_rejected_in_time() {
    let many = |line: &str, n: usize| line.repeat(n);
    loads_in_time("deep lists", &format!("a = {}", many("[", 100_000)));
    loads_in_time("deep lists, JSON", &many("[", 100_000));
    loads_in_time("deep tables, JSON", &many("{\"a\":", 100_000));
    loads_in_time("deep keys", &format!("{}a = 1", many("a.", 100_000)));
    loads_in_time("many unknown keys", &(0..100_000).map(|i| format!("key{i} = 1\n")).collect::<String>());
    loads_in_time("a long line", &format!("a = \"{}\"", many("x", 5_000_000)));
    loads_in_time("many errors in one line", &format!("{{\"link\": [{}{{}}]}}", many("{\"rate\": 1},", 50_000)));
    let link = |i| format!("[[link]]\nname = \"l{i}\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n");
    let links: String = (0..5_000).map(link).collect();
    let unknown: String = (0..20_000).map(|i| format!("\"k{i}\",")).collect();
    let flow = |data: &str| {
        format!("[[flow]]\nname = \"f\"\ncontroller = {{ kind = \"reno\" }}\ndata = [{data}]\nack = [\"l1\"]\n")
    };
    loads_in_time("many unknown links", &format!("duration = \"1 s\"\n{links}{}", flow(&unknown)));
    loads_in_time("a long path", &format!("duration = \"1 s\"\n{links}{}", flow(&many("\"l1\",", 100_000))));
    let flows = many(&format!("{}count = 1000000\n", flow("\"l1\"")), 2_000);
    loads_in_time("huge counts", &format!("duration = \"1 s\"\n{links}{flows}"));
    loads_in_time(
        "a device",
        &TWO_WAY.replace("kind = \"cbr\", rate = \"1 Mbit/s\"", "kind = \"trace\", file = \"/dev/zero\""),
    );
    loads_in_time("huge numbers", &TWO_WAY.replace("100 s", &format!("{} s", many("9", 100_000))));
    loads_in_time("a huge seed", &TWO_WAY.replace("= 1\n", &format!("= {}\n", many("9", 10_000))));
}

#[test]
fn a_hundred_thousand_flows_load() {
    let flow = |i: usize| {
        serde_json::json!({
            "name": format!("flow {i}"), "controller": {"kind": "fast", "alpha": "20 packets", "gamma": 0.5},
            "data": [format!("l{}", i % 50)], "ack": ["back"], "packet": "1040 B", "count": 100, "stagger": "1 ms",
        })
    };
    let link = |name: String| serde_json::json!({"name": name, "rate": "1 Gbit/s", "delay": "10 ms"});
    let links: Vec<_> = (0..50).map(|i| format!("l{i}")).chain(["back".to_owned()]).map(link).collect();
    let flows: Vec<_> = (0..1000).map(flow).collect();
    let text = serde_json::json!({"duration": "10 s", "link": links, "flow": flows}).to_string();
    let begun = Instant::now();
    let scenario = json(&text, &[]).unwrap_or_else(|e| panic!("{e}"));
    println!("100,000 flows: {:?}", begun.elapsed());
    assert_eq!(scenario.network.flows.len(), 100_000);
}
