//! Every kind of error: reported in its line, at its key, with a hint. The table is `malformed.toml`.

mod common;

use common::{TWO_WAY, as_json, dict, json, toml};
use eddyline_scenario::{Diagnostic, Diagnostics};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    change: Option<[String; 2]>,
    text: Option<String>,
    #[serde(default)]
    set: Vec<[String; 2]>,
    line: Option<usize>,
    key: String,
    says: Vec<String>,
    #[serde(default = "one")]
    count: usize,
}

#[derive(Deserialize)]
struct Table {
    case: Vec<Case>,
}

fn one() -> usize {
    1
}

impl Case {
    fn text(&self) -> String {
        match (&self.text, &self.change) {
            (Some(text), _) => text.clone(),
            (None, Some([from, to])) => {
                assert!(TWO_WAY.contains(from.as_str()), "{}: {from} is not in the scenario", self.name);
                TWO_WAY.replacen(from.as_str(), to, 1)
            }
            (None, None) => TWO_WAY.to_owned(),
        }
    }

    fn overrides(&self) -> Vec<(&str, &str)> {
        self.set.iter().map(|[k, v]| (k.as_str(), v.as_str())).collect()
    }

    /// What is wrong with what was told, if anything.
    fn judge(&self, told: &Diagnostics, with_line: bool) -> Option<String> {
        let says = |d: &Diagnostic| self.says.iter().all(|words| d.to_string().contains(words));
        let place = |d: &Diagnostic| d.key == self.key && (!with_line || d.line == self.line);
        if !told.all.iter().any(|d| says(d) && place(d)) {
            return Some(format!("{}:\n{told}\n", self.name));
        }
        (told.all.len() != self.count).then(|| format!("{}: {} errors\n{told}\n", self.name, told.all.len()))
    }
}

fn cases() -> Vec<Case> {
    let table: Table = ::toml::from_str(include_str!("malformed.toml")).expect("the table of cases is TOML");
    table.case
}

#[test]
fn toml_names_line_key_and_remedy() {
    let judged = cases().into_iter().filter_map(|case| match toml(&case.text(), &case.overrides()) {
        Ok(_) => Some(format!("{}: accepted\n", case.name)),
        Err(told) => case.judge(&told, true),
    });
    let short: Vec<String> = judged.collect();
    assert!(short.is_empty(), "{} cases fall short\n{}", short.len(), short.join("\n"));
}

#[test]
fn json_and_dict_name_the_same_keys() {
    // what is no TOML is no JSON either, and a date is only TOML
    let documents = cases().into_iter().filter(|c| {
        ::toml::from_str::<serde_json::Value>(&c.text()).is_ok() && c.name != "a date" && c.name != "not a number"
    });
    let mut short = Vec::new();
    for mut case in documents {
        let text = as_json(&case.text());
        // only a file of lines can point at a second line
        case.says.retain(|words| !words.contains("in line"));
        for told in [json(&text, &case.overrides()), dict(&text, &case.overrides())] {
            match told {
                Ok(_) => short.push(format!("{}: accepted\n", case.name)),
                Err(told) => short.extend(case.judge(&told, false)),
            }
        }
        let told = json(&text, &case.overrides()).unwrap_err();
        let placed = told.all.iter().filter(|d| !d.file.starts_with("--set"));
        assert!(placed.clone().all(|d| d.line.is_some() && d.pointer.is_some()), "{}:\n{told}", case.name);
    }
    assert!(short.is_empty(), "{} cases fall short\n{}", short.len(), short.join("\n"));
}

#[test]
fn there_is_a_case_for_every_kind() {
    assert!(cases().len() >= 45, "{}", cases().len());
}

#[test]
fn json_points_into_the_text() {
    let text = "{\n  \"duration\": \"1 s\",\n  \"link\": [{\"name\": \"a\", \"rate\": 3, \"delay\": \"1 ms\"}]\n}";
    let told = json(text, &[]).unwrap_err();
    let rate = told.all.iter().find(|d| d.key == "link.a.rate").expect("the rate is told");
    assert_eq!((rate.line, rate.column, rate.pointer.as_deref()), (Some(3), Some(34), Some("/link/0/rate")));
    for (text, says) in [
        ("{\"a\": 1,}", "not JSON"),
        ("{\"a\": 1 // why\n}", "not JSON"),
        ("{'a': 1}", "not JSON"),
        ("{\"a\": 1, \"a\": 2}", "twice"),
        ("", "not JSON"),
        ("[1]", "a list; a scenario is a table"),
        ("{} {}", "not JSON"),
        ("{\"duration\": 0x10}", "not JSON"),
    ] {
        let told = json(text, &[]).unwrap_err().to_string();
        assert!(told.contains(says), "{text}: {told}");
    }
}
