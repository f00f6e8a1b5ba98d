//! One scenario, three ways to write it, and what becomes of it.

mod common;

use common::{TWO_WAY, as_json, json, toml};
use eddyline_scenario::{Format, Input, load};

#[test]
fn three_mistakes_are_told_at_once() {
    let text = TWO_WAY.replacen("gamma", "gama", 1).replacen("[\"forward\"]", "[\"forwrd\"]", 1).replacen(
        "delay = \"10 ms\"",
        "delay = 10",
        1,
    );
    let all = toml(&text, &[]).unwrap_err();
    assert_eq!(all.all.len(), 3, "{all}");
}

#[test]
fn toml_json_and_dict_give_the_same_network() {
    let a = toml(TWO_WAY, &[]).unwrap();
    let text = as_json(TWO_WAY);
    let b = json(&text, &[]).unwrap();
    let c = load(&Input { text: &text, format: Format::Dict, name: "dict", folder: None }, &[]).unwrap();
    for other in [b, c] {
        assert_eq!(format!("{:?}", a.network), format!("{:?}", other.network));
        assert_eq!(a.canonical, other.canonical);
    }
}
