//! What both sides of the interface must agree on.

use std::sync::{Arc, Mutex};

use eddyline_cc::Controller as _;
use eddyline_controller::abi::{self, Decisions, MaybeTime, symbols};
use eddyline_controller::{Params, Time};
use serde_json::json;

use crate::controller::{Event, Flow, Handler, PluginController, Started};
use crate::description::Description;
use crate::layout::{DECISIONS, EVENT, Layout as _, decisions_of};

#[test]
fn handlers_have_the_names_of_the_interface() {
    let named = [
        (Handler::Ack, "on_ack"),
        (Handler::Loss, "on_loss"),
        (Handler::Timeout, "on_timeout"),
        (Handler::Sent, "on_sent"),
        (Handler::Handshake, "on_handshake"),
        (Handler::Duplicate, "on_duplicate"),
        (Handler::Recovered, "on_recovered"),
        (Handler::TimeoutRecovered, "on_timeout_recovered"),
        (Handler::Ecn, "on_ecn"),
        (Handler::Marks, "on_marks"),
        (Handler::SpuriousTimeout, "on_spurious_timeout"),
        (Handler::Idle, "on_idle"),
    ];
    assert_eq!(named.len(), Handler::COUNT);
    for (handler, name) in named {
        assert_eq!(symbols::HANDLERS[handler as usize], format!("eddyline_{name}"));
    }
}

#[test]
fn an_acknowledgement_has_the_bytes_of_the_header() {
    let ack = abi::Ack {
        now: Time::from_ps(1),
        sent_at: Time::from_ps(2),
        received_at: Time::from_ps(3),
        rtt: MaybeTime::NONE,
        acked: 1.5,
        lost: 2.5,
        in_flight: 3.5,
        stamp: 4.5,
        cwnd_limited: false,
        in_recovery: true,
    };
    let mut expected = Vec::new();
    for time in [1, 2, 3, u64::MAX] {
        expected.extend(time.to_le_bytes());
    }
    for amount in [1.5_f64, 2.5, 3.5] {
        expected.extend(amount.to_le_bytes());
    }
    expected.extend(4.5_f32.to_le_bytes());
    expected.extend([0, 1, 0, 0]);
    let mut memory = [0; EVENT];
    assert_eq!(ack.write(&mut memory), EVENT);
    assert_eq!(memory.as_slice(), expected);
}

/// Writes down the `lost` of every acknowledgement.
struct Ear(Arc<Mutex<Vec<f64>>>);

impl Flow for Ear {
    fn has(&self, handler: Handler) -> bool {
        handler == Handler::Ack
    }

    fn call<E: Event>(&mut self, _: Handler, event: &E, _: &mut Decisions) -> Result<bool, String> {
        let mut memory = [0; EVENT];
        event.write(&mut memory);
        self.0.lock().unwrap().push(f64::from_le_bytes(memory[40..48].try_into().unwrap()));
        Ok(false)
    }
}

/// Losses that are found between acknowledgements are told with the next one, once.
#[test]
fn losses_between_acknowledgements_are_told() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let started = Started { flow: Ear(Arc::clone(&heard)), decisions: Decisions::window(10.0) };
    let facts = eddyline_cc::PathFacts { mss: 1460, initial_window: 10.0, ..eddyline_cc::PathFacts::default() };
    let mut controller = PluginController::new(Ok(started), &facts);
    let [sent_at, received_at, now] = [1, 2, 3].map(eddyline_units::Time::from_ms);
    let ack = eddyline_cc::Ack {
        now,
        sent_at,
        received_at,
        rtt: None,
        acked: 1.0,
        lost: 0.5,
        in_flight: 4.0,
        stamp: eddyline_cc::Stamp::default(),
        cwnd_limited: true,
        in_recovery: false,
    };
    controller.on_ack(&ack);
    controller.on_lost(2.0);
    controller.on_lost(1.0);
    controller.on_ack(&ack);
    controller.on_ack(&ack);
    assert_eq!(*heard.lock().unwrap(), [0.5, 3.5, 0.5]);
}

#[test]
fn decisions_are_read_as_the_header_lays_them_out() {
    let mut memory = [0; DECISIONS];
    for (place, value) in [7.5_f64, 8.5, 9.5, 10.5].into_iter().enumerate() {
        memory[8 * place..8 * place + 8].copy_from_slice(&value.to_le_bytes());
    }
    memory[32..40].copy_from_slice(&11_u64.to_le_bytes());
    memory[40..48].copy_from_slice(&u64::MAX.to_le_bytes());
    memory[48..52].copy_from_slice(&12.5_f32.to_le_bytes());
    for (place, value) in [(52, 13_u32), (56, 2), (60, 1)] {
        memory[place..place + 4].copy_from_slice(&value.to_le_bytes());
    }
    let expected = Decisions {
        window: 7.5,
        flight_limits: [8.5, 9.5],
        slow_start_threshold: 10.5,
        pacing_interval: Some(Time::from_ps(11)).into(),
        base_rtt: MaybeTime::NONE,
        stamp: 12.5,
        ack_ratio: 13,
        partial_ack: 2,
        ecn_response: 1,
    };
    assert_eq!(decisions_of(&memory), expected);
}

fn described(parameters: &serde_json::Value) -> Result<Description, String> {
    Description::read(&json!({ "name": "mine", "parameters": parameters }).to_string())
}

#[test]
fn parameters_have_defaults_and_two_forms() {
    let description = described(&json!({ "type": "object", "properties": {
        "target": { "type": "string", "format": "time", "default": "5 ms" },
        "share": { "type": "string", "format": "percent", "default": "50 %" },
        "gain": { "type": "number", "default": 1 },
        "name": { "type": "string", "default": "a \"b\" \\ ü" },
        "flag": { "type": "boolean", "default": true },
        "none": { "type": "number" },
    } }));
    let description = description.expect("the defaults are valid");
    let given = json!({ "target": "0.02 s" });
    let values = description.values(given.as_object().expect("a table")).expect("valid");
    assert_eq!(values.canonical["target"], "20 ms");
    assert_eq!(values.canonical["gain"], json!(1.0));
    let params = Params::read(&serde_json::Value::Object(values.plain).to_string()).expect("a table of plain values");
    assert_eq!(params.time("target"), Time::from_ps(20_000_000_000));
    assert!((params.number("share") - 0.5).abs() < 1e-12);
    assert!((params.number("gain") - 1.0).abs() < 1e-12);
    assert_eq!(params.text("name"), "a \"b\" \\ ü");
    assert!(params.flag("flag"));
    assert!(std::panic::catch_unwind(|| params.number("none")).is_err());
}

#[test]
fn a_default_that_is_no_quantity_is_found_at_once() {
    let bad = described(&json!({ "properties": { "target": { "format": "time", "default": "5 apples" } } }));
    let error = bad.expect_err("there are no apples of time");
    assert!(error.starts_with("the default of parameter target: \"5 apples\": "), "{error}");
}

#[test]
fn a_quantity_that_is_a_number_is_refused() {
    for kind in [json!("number"), json!("integer"), json!(["number", "null"])] {
        let bad =
            described(&json!({ "properties": { "beta": { "type": kind, "format": "percent", "default": 0.7 } } }));
        let error = bad.expect_err("a bare number would be taken, and \"70 %\" refused");
        assert!(error.starts_with("parameter beta: with \"format\": \"percent\" it is a quantity"), "{error}");
    }
    // other formats say nothing of units
    assert!(described(&json!({ "properties": { "n": { "type": "integer", "format": "uint32" } } })).is_ok());
}

#[test]
fn what_is_no_table_of_plain_values_is_refused() {
    for text in ["", "{", "[]", "{\"a\": }", "{\"a\": 1} x", "{\"a\": [1]}", "{\"a\" 1}", "{\"a\": \"b}"] {
        assert!(Params::read(text).is_none(), "{text}");
    }
    assert!(Params::read(" { \"a\" : -1.5e3 , \"b\" : null } ").is_some());
}
