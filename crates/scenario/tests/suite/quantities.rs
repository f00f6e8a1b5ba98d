//! Numbers of networks and results by hand, units that people write, and what errors look like.

use crate::common;

use common::{MINIMAL, json, toml};
use eddyline_scenario::result::jain_index;
use eddyline_units::Time;

#[test]
fn capacity_is_rate_times_time() {
    let network = toml(MINIMAL, &[]).unwrap().network;
    let bits = network.links[0].capacity_bits(Time::SECOND, Time::from_ms(3_500));
    assert!((bits - 2.5e6).abs() < 1e-3, "{bits}");
    let halved = MINIMAL.replace("delay = ", "changes = [{ at = \"2 s\", rate = \"500 kbit/s\" }]\ndelay = ");
    let network = toml(&halved, &[("duration", "9 s")]).unwrap().network;
    let bits = network.links[0].capacity_bits(Time::SECOND, Time::from_ms(3_500));
    assert!((bits - 1.75e6).abs() < 1e-3, "{bits}");
}

/// (1 + 2 + 3)^2 / (3 (1 + 4 + 9)).
#[test]
fn jains_index_by_hand() {
    let index = jain_index(&[1.0, 2.0, 3.0]).unwrap();
    assert!((index - 36.0 / 42.0).abs() < 1e-15, "{index}");
    assert_eq!((jain_index(&[5.0]), jain_index(&[0.0, 0.0]), jain_index(&[])), (Some(1.0), None, None));
    // equal rates are at most 1, whatever is rounded on the way
    for rate in (1..1000).map(|k| 0.1 * f64::from(k)) {
        let index = jain_index(&[rate; 3]).unwrap();
        assert!(index <= 1.0 && index > 1.0 - 1e-15, "{rate}: {index}");
    }
}

#[test]
fn units_as_people_write_them_are_answered_with_ours() {
    let answers = [
        ("1 sec", "1 s"),
        ("1 msec", "1 ms"),
        ("5 milliseconds", "5 ms"),
        ("1 usec", "1 us"),
        ("1 \u{3bc}s", "1 us"),
        ("2 minutes", "2 min"),
        ("1 hour", "1 h"),
    ];
    for (given, ours) in answers {
        let errors = toml(MINIMAL, &[("link.l.delay", given)]).unwrap_err().to_string();
        assert!(errors.contains(ours), "{given}: {errors}");
    }
}

/// A medium that two links name, one of which has an error of its own.
#[test]
fn a_medium_whose_other_link_is_wrong_is_no_error() {
    let first = MINIMAL.replace("delay = ", "medium = \"air\"\ndelay = ");
    let second = "[[link]]\nname = \"m\"\nrate = \"1 parsec\"\ndelay = \"1 ms\"\nmedium = \"air\"\n";
    let errors = toml(&format!("{first}{second}"), &[]).unwrap_err();
    assert_eq!(errors.all.len(), 1, "{errors}");
    let alone = toml(&first, &[]).unwrap_err();
    assert!(alone.to_string().contains("no other link names the medium"), "{alone}");
}

#[test]
fn errors_are_a_paragraph_each_and_the_rest_is_counted() {
    let two = MINIMAL.replace("\"1 Mbit/s\"", "\"1 parsec\"").replace("\"1 ms\"", "\"1 parsec\"");
    let mut errors = toml(&two, &[]).unwrap_err();
    let [first, second] = &errors.all[..] else { panic!("{errors}") };
    assert_eq!(errors.to_string(), format!("{first}\n{second}"));
    errors.more = 3;
    assert!(errors.to_string().ends_with("\nand 3 more"), "{errors}");
}

#[test]
fn options_that_are_off_are_not_in_the_canonical_form() {
    let off = toml(MINIMAL, &[]).unwrap().canonical;
    assert!(!off.contains("accurate_ecn") && !off.contains("timestamps"), "{off}");
    for choice in ["true", "\"option\""] {
        let on = toml(MINIMAL, &[("flow.f.tcp.accurate_ecn", choice)]).unwrap().canonical;
        assert!(on.contains("\"accurate_ecn\""), "{on}");
        assert_eq!(json(&on, &[]).unwrap().canonical, on);
    }
}

#[test]
fn starts_reach_the_network() {
    let network = toml(MINIMAL, &[("flow.f.start", "300 ms")]).unwrap().network;
    assert_eq!(network.flows[0].start, Time::from_ms(300));
}

#[test]
fn a_missing_list_of_names_has_an_example() {
    let errors = toml(&MINIMAL.replace("data = [\"l\"]\n", ""), &[]).unwrap_err().to_string();
    assert!(errors.contains("data = [\"...\"]"), "{errors}");
}

/// Of CAKE without a limit: four `rtt` at its bandwidth or the link's rate, within Linux's bounds.
#[test]
fn a_cake_has_the_limit_of_linux() {
    let of = |rate: &str, more: &str| {
        let queue = format!("rate = \"{rate}\"\nqueue = {{ kind = \"cake\"{more} }}");
        let text = MINIMAL.replace("rate = \"1 Mbit/s\"", &queue);
        let written: serde_json::Value = serde_json::from_str(&toml(&text, &[]).unwrap().canonical).unwrap();
        written["link"][0]["queue"]["limit"].as_str().unwrap().to_owned()
    };
    assert_eq!(of("10 Mbit/s", ""), "4194304 B", "at least 4 MiB");
    assert_eq!(of("200 Mbit/s", ""), "10000000 B");
    assert_eq!(of("200 Mbit/s", ", rtt = \"60 ms\""), "6000000 B");
    assert_eq!(of("1 Gbit/s", ", bandwidth = \"200 Mbit/s\""), "10000000 B");
    assert_eq!(of("1 Gbit/s", ""), "15503360 B", "at most 10,240 packets of 1514 B");
    assert_eq!(of("1 Gbit/s", ", limit = \"50 packets\""), "50 packets");
    let mut document: serde_json::Value = serde_json::from_str(&toml(MINIMAL, &[]).unwrap().canonical).unwrap();
    document["link"][0]["rate"] = "200 Mbit/s".into();
    document["link"][0]["queue"] = serde_json::json!({ "kind": "cake", "bandwidth": null });
    let canonical = json(&document.to_string(), &[]).unwrap().canonical;
    assert!(canonical.contains("\"10000000 B\""), "null is no bandwidth: {canonical}");
}
