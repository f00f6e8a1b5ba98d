//! The registered properties of kinds agree with their behaviour and their parameters.

use eddyline_cc::{Controller, ControllerParams, EcnFeedback, EcnResponse, KINDS, PathFacts, Properties, SawtoothCut};
use serde_json::Value;

/// The schema of a kind's table.
fn schema(kind: &str) -> Value {
    let whole = schemars::schema_for!(ControllerParams).to_value();
    let tables = whole["oneOf"].as_array().expect("a choice of kinds");
    let of_kind = |table: &&Value| table["properties"]["kind"]["const"] == kind;
    let table = tables.iter().find(of_kind).expect("a table for each kind").clone();
    match table["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/")) {
        Some(name) => whole["$defs"][name].clone(),
        None => table,
    }
}

#[test]
fn parameters_are_as_the_kind_says() {
    for kind in KINDS {
        let schema = schema(kind.name);
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        assert_eq!(required.contains(&"alpha".into()), kind.properties.alpha.is_some(), "{}", kind.name);
        assert_eq!(schema["properties"]["base_rtt"].is_object(), kind.properties.base_rtt, "{}", kind.name);
    }
}

#[test]
fn senders_that_count_marks_need_accurate_feedback() {
    for kind in KINDS {
        let params: ControllerParams = serde_json::from_str(kind.example).expect("an example");
        let response = params.build(&PathFacts::default()).ecn_response();
        let counts = response != EcnResponse::AsLoss;
        assert_eq!(counts, kind.properties.ecn == EcnFeedback::Accurate, "{}", kind.name);
    }
}

#[test]
fn response_functions_have_their_sources() {
    let of = |name: &str| KINDS.iter().find(|kind| kind.name == name).expect("a kind").properties.response_function;
    let known: Vec<&str> = KINDS.iter().filter(|k| k.properties.response_function.is_some()).map(|k| k.name).collect();
    assert_eq!(known, ["reno", "newreno", "cubic", "highspeed", "scalable"]);
    for (name, source) in
        [("newreno", "Mathis"), ("cubic", "RFC 9438"), ("highspeed", "RFC 3649"), ("scalable", "Kelly")]
    {
        assert!(of(name).is_some_and(|text| text.contains(source)), "{name}: {:?}", of(name));
    }
}

#[test]
fn laws_by_delay_and_saw_teeth_are_known() {
    let of = |has: fn(&Properties) -> bool| -> Vec<&str> {
        KINDS.iter().filter(|kind| has(&kind.properties)).map(|kind| kind.name).collect()
    };
    let by_delay = ["fast", "vfast", "vegas", "compound", "illinois", "veno", "yeah", "ledbat", "copa"];
    assert_eq!(of(|p| p.delay_based), by_delay);
    assert_eq!(of(|p| p.sawtooth == Some(SawtoothCut::Half)), ["reno", "newreno"]);
    assert_eq!(of(|p| p.sawtooth == Some(SawtoothCut::ByShare)), ["dctcp"]);
}
