//! The schemas of results and series describe what is written.

use eddyline_scenario::{result, series};
use serde_json::Value as Json;

#[test]
fn every_field_of_a_result_is_described() {
    let schema = result::schema();
    let tables = schema["$defs"].as_object().unwrap().iter().map(|(name, table)| (name.as_str(), table));
    for (name, table) in tables.chain([("RunResult", &schema)]) {
        assert!(table["description"].is_string(), "{name}");
        for (field, of) in table["properties"].as_object().unwrap() {
            assert!(of["description"].is_string(), "{name}.{field}");
        }
    }
}

#[test]
fn names_that_end_in_a_unit_have_it() {
    let schema = result::schema();
    let units =
        [("packets_per_s", "packets/s"), ("_bps", "bit/s"), ("_bytes", "B"), ("_packets", "packets"), ("_s", "s")];
    for (name, table) in schema["$defs"].as_object().unwrap() {
        for (field, of) in table["properties"].as_object().unwrap() {
            if let Some((_, unit)) = units.iter().find(|(ending, _)| field.ends_with(ending)) {
                assert_eq!(of["x-unit"].as_str(), Some(*unit), "{name}.{field}");
            }
        }
    }
}

#[test]
fn the_schema_of_series_has_the_names_of_the_columns() {
    let schema = series::schema();
    let named: Vec<&str> = schema["oneOf"].as_array().unwrap().iter().filter_map(|q| q["const"].as_str()).collect();
    assert_eq!(named, series::Quantity::NAMES);
    let described = |q: &Json| ["description", "x-of", "x-unit"].iter().all(|key| q[key].is_string());
    assert!(schema["oneOf"].as_array().unwrap().iter().all(described));
}
