//! Registered controllers: scenarios use them like built-in ones, with the same validation.

use crate::common;

use std::sync::Arc;

use eddyline_cc::{Ack, Controller, CustomKind, Loss, PathFacts, Timeout, custom};
use eddyline_scenario::{Diagnostics, Format, Input, Scenario, Vocabulary, VocabularyError, load, load_with};
use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StillParams {
    /// Packets that it keeps in flight.
    #[serde(default = "ten")]
    #[schemars(range(min = 1.0))]
    window: f64,
    /// How long it waits.
    #[serde(default)]
    wait: Time,
}

fn ten() -> f64 {
    10.0
}

struct Still(f64);

impl Controller for Still {
    fn on_ack(&mut self, _ack: &Ack) {}
    fn on_loss(&mut self, _loss: &Loss) {}
    fn on_timeout(&mut self, _timeout: &Timeout) {}
    fn on_idle(&mut self, _restart_window: f64) {}
    fn window(&self) -> f64 {
        self.0
    }
}

fn still(name: &str) -> Arc<dyn CustomKind> {
    custom(name, "keeps a window", "nobody", |p: &StillParams, _: &PathFacts| Still(p.window))
}

fn with_controller(controller: &str) -> Result<Scenario, Diagnostics> {
    let text = format!(
        "duration = \"1 s\"\n[[link]]\nname = \"l\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n[[flow]]\nname = \"f\"\n\
         controller = {controller}\ndata = [\"l\"]\nack = [\"l\"]\n"
    );
    let vocabulary = Vocabulary::new(vec![still("still")]).unwrap();
    load_with(&vocabulary, &Input { text: &text, format: Format::Toml, name: "case.toml", folder: None }, &[])
}

#[test]
fn a_scenario_names_it_and_its_defaults_are_written_out() {
    let scenario = with_controller(r#"{ kind = "still", wait = "2 ms" }"#).unwrap();
    assert_eq!(scenario.network.flows[0].controller.name(), "still");
    let canonical: serde_json::Value = serde_json::from_str(&scenario.canonical).unwrap();
    assert_eq!(
        canonical["flow"][0]["controller"],
        serde_json::json!({ "kind": "still", "window": 10.0, "wait": "2 ms" })
    );
    let respelled = with_controller(r#"{ kind = "still", window = 10, wait = "2000 us" }"#).unwrap();
    assert_eq!(scenario.sha256, respelled.sha256, "equivalent tables have the same digest");
    let mut built = scenario.network.flows[0].controller.build(&PathFacts::default());
    assert_eq!(built.window(), 10.0);
    built.on_idle(1.0);
    assert_eq!(built.window(), 10.0);
}

#[test]
fn errors_are_reported_as_for_built_in_kinds() {
    for (controller, expected) in [
        (r#"{ kind = "still", wait = 2 }"#, "8:39: flow.f.controller.wait: 2 is a bare number"),
        (r#"{ kind = "still", window = 0.5 }"#, "flow.f.controller.window: 0.5 is out of range; at least 1"),
        (r#"{ kind = "still", widow = 5 }"#, "unknown key; one of kind, wait, window\n  hint: did you mean window?"),
        (r#"{ kind = "stil" }"#, "did you mean still?"),
    ] {
        let message = with_controller(controller).unwrap_err().to_string();
        assert!(message.contains(expected), "{controller}: {message}");
    }
}

#[test]
fn without_the_vocabulary_it_is_unknown() {
    let text = common::TWO_WAY.replacen("kind = \"fast\"", "kind = \"still\"", 1);
    assert_ne!(text, common::TWO_WAY);
    let input = Input { text: &text, format: Format::Toml, name: "case.toml", folder: None };
    let refused = load(&input, &[]).unwrap_err();
    assert!(refused.to_string().contains("unknown kind \"still\""));
    assert_eq!(refused.unknown_controllers, ["still"]);
}

#[test]
fn unknown_controllers_are_named_once_and_nothing_else_is() {
    let kinds = common::TWO_WAY
        .replace("kind = \"fast\"", "kind = \"still\"")
        .replace("kind = \"droptail\"", "kind = \"dorptail\"");
    let input = Input { text: &kinds, format: Format::Toml, name: "case.toml", folder: None };
    let set = [("flow.*.controller.kind".to_owned(), "moving".to_owned())];
    assert_eq!(load(&input, &[]).unwrap_err().unknown_controllers, ["still"]);
    assert_eq!(load(&input, &set).unwrap_err().unknown_controllers, ["moving"]);
    let known = Input { text: common::TWO_WAY, ..input };
    let wrong = [("duration".to_owned(), "1".to_owned())];
    assert!(load(&known, &wrong).unwrap_err().unknown_controllers.is_empty());
}

#[test]
fn built_in_kinds_are_the_same_beside_it() {
    let input = Input { text: common::TWO_WAY, format: Format::Toml, name: "case.toml", folder: None };
    let vocabulary = Vocabulary::new(vec![still("still")]).unwrap();
    assert_eq!(load(&input, &[]).unwrap().canonical, load_with(&vocabulary, &input, &[]).unwrap().canonical);
    assert!(Vocabulary::builtin().schema() != vocabulary.schema());
}

#[test]
fn names_are_unused_identifiers() {
    let refused = |name: &str| Vocabulary::new(vec![still("mine"), still(name)]).unwrap_err();
    assert_eq!(refused("reno"), VocabularyError::Taken("reno".to_owned()));
    assert_eq!(refused("mine"), VocabularyError::Taken("mine".to_owned()));
    for bad in ["", "two words", "7up", "naïve", "a\"b"] {
        assert_eq!(refused(bad), VocabularyError::BadName(bad.to_owned()));
    }
}

#[test]
fn entries_have_the_properties_of_a_kind() {
    let vocabulary = Vocabulary::new(vec![still("still")]).unwrap();
    let entry = |entries: Vec<serde_json::Value>, name: &str| {
        entries.into_iter().find(|e| e["name"] == name).unwrap_or_else(|| panic!("{name} is listed"))
    };
    let fast = entry(vocabulary.controllers(), "fast");
    assert_eq!(fast["alpha"], serde_json::json!({ "delay_s": 0.005, "min_packets": 4.0, "access_packets": 10.0 }));
    assert_eq!(entry(vocabulary.controllers(), "prague")["ecn"], "accurate");
    let still = entry(vocabulary.controllers(), "still");
    assert_eq!((still["summary"].as_str(), still["ecn"].as_str()), (Some("keeps a window"), Some("classic")));
    assert_eq!((&still["alpha"], &still["delay_based"]), (&serde_json::Value::Null, &serde_json::json!(false)));
    let fq_codel = entry(vocabulary.queues(), "fq_codel");
    assert_eq!((fq_codel["delay_set_by"].as_str(), fq_codel["ecn"].as_bool()), (Some("target"), Some(true)));
    let plain = |e: &serde_json::Value| e["drop_tail"] == true;
    assert_eq!(vocabulary.queues().iter().filter(|e| plain(e)).count(), 1);
}
