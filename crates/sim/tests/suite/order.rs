//! The order of tables in a file, and tables that have nothing to do with the others, change nothing: random scenarios, shuffled, and
//! beside copies of themselves.

use std::collections::BTreeMap;

use eddyline_path::random::Stream;
use eddyline_scenario::result::RunResult;
use eddyline_scenario::{Format, Input, load};
use eddyline_sim::{LogSelection, Options, Outcome};
use serde_json::Value as Json;

use crate::drawn_scenarios::draw;
use crate::scenarios::{self, network, outcome};

const TABLES: [&str; 6] = ["link", "duplex", "flow", "traffic", "arrivals", "probe"];

fn loaded(text: &str, format: Format) -> Option<eddyline_scenario::Scenario> {
    load(&Input { text, format, name: "t", folder: None }, &[]).ok()
}

/// The canonical forms of the scenarios of `n` seeds that the loader accepts.
fn drawn(n: u64) -> impl Iterator<Item = (u64, Json)> {
    (0..n).filter_map(|seed| {
        let scenario = loaded(&draw(seed), Format::Toml)?;
        Some((seed, serde_json::from_str(&scenario.canonical).unwrap()))
    })
}

fn tables<'a>(file: &'a mut Json, name: &str) -> Option<&'a mut Vec<Json>> {
    file.get_mut(name).and_then(Json::as_array_mut)
}

fn shuffle(file: &mut Json, random: &mut Stream) {
    for name in TABLES {
        let Some(tables) = tables(file, name) else { continue };
        for i in (1..tables.len()).rev() {
            tables.swap(i, random.below(i as u64 + 1) as usize);
        }
    }
}

/// The names in a table's references, and its own.
fn rename(table: &mut Json, to: &dyn Fn(&str) -> String) {
    for key in ["name", "data", "ack", "path", "host", "piggyback", "medium"] {
        match table.get_mut(key) {
            Some(Json::String(name)) => *name = to(name),
            Some(Json::Array(names)) => {
                names.iter_mut().for_each(|name| *name = Json::String(to(name.as_str().unwrap())));
            }
            Some(Json::Object(medium)) => medium["name"] = Json::String(to(medium["name"].as_str().unwrap())),
            _ => {}
        }
    }
}

/// Adds a copy of all tables in front, whose names are those with `prefix`.
fn add_copy(file: &mut Json, prefix: &str) {
    for name in TABLES {
        let Some(tables) = tables(file, name) else { continue };
        let mut copies = tables.clone();
        copies.iter_mut().for_each(|table| rename(table, &|name| format!("{prefix}{name}")));
        tables.splice(0..0, copies);
    }
}

fn simulate(file: &Json) -> Outcome {
    let text = file.to_string();
    let scenario = loaded(&text, Format::Json).unwrap_or_else(|| panic!("{text}"));
    outcome(&scenario.network, &Options { series: true, packet_log: Some(LogSelection::All), ..Options::default() })
}

/// What each entity has, by kind and name.
fn rows(result: &RunResult) -> BTreeMap<(String, String), Json> {
    let mut rows = BTreeMap::new();
    let document = serde_json::to_value(result).unwrap();
    for kind in ["flows", "links", "groups", "arrivals", "traffic", "probes"] {
        for row in document[kind].as_array().into_iter().flatten() {
            rows.insert((kind.to_owned(), row["name"].as_str().unwrap().to_owned()), row.clone());
        }
    }
    rows
}

#[test]
fn the_order_of_tables_changes_nothing() {
    let (mut cases, mut moved) = (0, 0);
    for (seed, file) in drawn(60) {
        let mut random = Stream::new(seed, "order", "shuffle");
        let mut shuffled = file.clone();
        shuffle(&mut shuffled, &mut random);
        let (one, other) = (simulate(&file), simulate(&shuffled));
        cases += 1;
        moved += usize::from(shuffled != file);
        assert_eq!(rows(&one.result), rows(&other.result), "{seed}: {file}");
        assert_eq!(one.result.counters, other.result.counters, "{seed}");
        let (one, other) = (one.log.unwrap(), other.log.unwrap());
        assert!(one.time_s == other.time_s && one.seq == other.seq && one.bytes == other.bytes, "{seed}");
    }
    assert!(cases > 40 && moved > cases / 2, "{moved} of {cases} shuffled");
}

#[test]
fn an_unrelated_copy_changes_nothing() {
    for (seed, file) in drawn(60) {
        // names in front of, behind and between the others
        let prefix = ["", "~", "a", "k"][(seed % 4) as usize].to_owned() + "copy of ";
        let mut both = file.clone();
        add_copy(&mut both, &prefix);
        let with_copy = rows(&simulate(&both).result);
        for (key, row) in rows(&simulate(&file).result) {
            assert_eq!(with_copy[&key], row, "{seed}: {key:?} in {file}");
        }
    }
}

/// Equal flows that start together, and a queue that hashes them: the case in which positions used to decide.
#[test]
fn flows_that_start_together_keep_their_places() {
    for queue in [
        "droptail\", limit = \"40 packets",
        "sfq\", queues = 4, limit = \"60 packets",
        "fq_codel\", queues = 4, limit = \"60 packets",
        "drr\", queues = 4, limit = \"60 packets",
        "cake",
        "red",
    ] {
        let head = scenarios::head(4.0, 1.0, 5) + &scenarios::duplex(10e6, 10e6, 0.04);
        let head = head.replace("name = \"f\"", &format!("name = \"f\"\nqueue = {{ kind = \"{queue}\" }}"));
        let flow = |i: usize| {
            let (data, ack) = if i.is_multiple_of(2) { ("f", "b") } else { ("b", "f") };
            scenarios::flow(&format!("flow {i}"), "kind = \"cubic\"", data, ack, "")
        };
        let run = |order: [usize; 6]| {
            let text = head.clone() + &order.map(flow).concat();
            let result = outcome(&network(&text), &Options::default()).result;
            let names: Vec<_> = result.flows.iter().map(|f| f.name.clone()).collect();
            assert_eq!(names, order.map(|i| format!("flow {i}")), "rows are in the order of the file");
            rows(&result)
        };
        let first = run([0, 1, 2, 3, 4, 5]);
        assert_ne!(first[&("flows".into(), "flow 0".into())]["delivered_bytes"], Json::Null);
        for order in [[5, 4, 3, 2, 1, 0], [2, 0, 4, 1, 5, 3], [1, 3, 0, 5, 2, 4]] {
            assert_eq!(run(order), first, "{queue}, {order:?}");
        }
    }
}
