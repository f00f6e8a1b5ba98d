//! Every kind of error: reported in its line, at its key, with a hint. The table is `malformed.toml`.

use crate::common;

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
    expected: Vec<String>,
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

    /// How `errors` differ from what is expected, if they do.
    fn judge(&self, errors: &Diagnostics, with_line: bool) -> Option<String> {
        let message = |d: &Diagnostic| self.expected.iter().all(|part| d.to_string().contains(part));
        let place = |d: &Diagnostic| d.key == self.key && (!with_line || d.line == self.line);
        if !errors.all.iter().any(|d| message(d) && place(d)) {
            return Some(format!("{}:\n{errors}\n", self.name));
        }
        (errors.all.len() != self.count).then(|| format!("{}: {} errors\n{errors}\n", self.name, errors.all.len()))
    }
}

fn cases() -> Vec<Case> {
    let table: Table = ::toml::from_str(include_str!("malformed.toml")).expect("the table of cases is TOML");
    table.case
}

/// What stands twice: a hint names the header with what can be done, and is silent where there is no header.
#[test]
fn a_key_twice_has_the_hint_of_its_shape() {
    let hint = |text: &str| toml(text, &[]).unwrap_err().all[0].hint.clone();
    let list = |name: &str, last: &str| {
        Some(format!("write every table of {name} as [[{name}]], or all of them in one list: {last} = [...]"))
    };
    assert_eq!(hint("link = [{ name = \"a\" }]\n[[link]]\n"), list("link", "link"));
    assert_eq!(hint("link = [{ name = \"a\" }]\n[link]\n"), list("link", "link"));
    assert_eq!(hint("[[link]]\noutages = []\n[[link.outages]]\n"), list("link.outages", "outages"));
    assert_eq!(
        hint("[link] # one\r\n[link] # two\r\n").unwrap(),
        "where there are several, each has two brackets: [[link]]"
    );
    let one = "there is one [record], with the keys of both";
    for second in ["[record]", "[[record]]", "[ record ]"] {
        assert_eq!(hint(&format!("[record]\n{second}\n")).unwrap(), one, "{second}");
    }
    for text in [
        "flow = [\n [{ name = \"a\", name = \"b\" }],\n]",
        "seed = 1\nseed = 2\n",
        "duration = \"1 s\"\n[duration]\n",
        "[\"link\"]\nname = \"a\"\n[\"link\"]\n",
        "[nonsense]\n[nonsense]\n",
    ] {
        assert_eq!(hint(text), None, "{text}");
    }
}

/// A key of another table is proposed only for a value that it can have, a kind only where few take the keys beside it.
#[test]
fn what_is_not_meant_is_not_proposed() {
    let hint = |key: &str, value: &str| toml(TWO_WAY, &[(key, value)]).unwrap_err().all[0].hint.clone();
    assert_eq!(hint("flow.flow 1.delay", "\"20 ms\""), None);
    assert_eq!(hint("flow.flow 1.delay", "\"forward\"").unwrap(), "delay belongs in controller = { ... }");
    assert_eq!(hint("link.backward.queue", "{ limit = \"50 packets\" }"), None);
    assert_eq!(hint("flow.many.controller", "{}"), None);
    let both = "kind = \"csv\" or \"mahimahi\"";
    assert_eq!(hint("link.backward.trace", "{ file = \"a.csv\" }").unwrap(), both);
}

/// Names in a text where a list is needed: the hint has them in quotes, a few of many.
#[test]
fn names_in_a_text_have_a_hint() {
    let hint = |text: &str| {
        let errors = toml(TWO_WAY, &[("flow.many.data", text)]).unwrap_err();
        errors.all[0].hint.clone()
    };
    assert_eq!(hint("\"forward, 'backward'\"").unwrap(), "write it in brackets: [\"forward\", \"backward\"]");
    assert_eq!(hint("\"\""), None);
    assert_eq!(hint("\"[]\""), None);
    assert!(hint(&format!("\"{}\"", "ab,".repeat(50_000))).unwrap().len() < 100);
}

/// A text where a table with a kind is needed: the hint has the kind that it names or misspells, not the first of all.
#[test]
fn a_kind_in_a_text_has_a_hint() {
    let hint = |key: &str, text: &str| {
        let errors = toml(TWO_WAY, &[(key, text)]).unwrap_err();
        errors.all[0].hint.clone().unwrap()
    };
    for (text, kind) in
        [("fq_codel", "fq_codel"), ("fq-codel", "fq_codel"), ("FQ_Codel", "fq_codel"), ("kuchen", "...")]
    {
        assert_eq!(
            hint("link.forward.queue", &format!("\"{text}\"")),
            format!("write a table: {{ kind = \"{kind}\" }}")
        );
    }
    assert_eq!(hint("link.forward.queue", "\"50 packets\""), "write a table: { kind = \"...\" }");
    assert_eq!(hint("link.forward.jitter", "\"5 ms\""), "write a table: { kind = \"normal\", sd = \"5 ms\" }");
}

/// A list is written in other ways below a header, in a line, in JSON and in an override: each hint can be typed where the error is.
#[test]
fn one_table_for_a_list_has_the_hint_of_its_place() {
    let header = TWO_WAY.replacen("[[traffic]]", "[link.outages]\n[[traffic]]", 1);
    let dotted = TWO_WAY.replacen("\"backward\"\n", "\"backward\"\noutages.start = '1 s'\n", 1);
    let line = TWO_WAY.replacen("\"backward\"\n", "\"backward\"\noutages = { start = '1 s' }\n", 1);
    let hint = |found: Result<eddyline_scenario::Scenario, Diagnostics>| found.unwrap_err().all[0].hint.clone();
    assert_eq!(hint(toml(&header, &[])).unwrap(), "write the table with two brackets: [[link.outages]]");
    let brackets = Some("put it into brackets: [{ ... }]".to_owned());
    assert_eq!(hint(toml(&line, &[])), brackets);
    assert_eq!(hint(toml(&dotted, &[])), brackets);
    assert_eq!(
        hint(toml(&TWO_WAY.replacen("[[traffic]]", "[traffic]", 1), &[])).unwrap(),
        "write the table with two brackets: [[traffic]]"
    );
    assert_eq!(hint(json(&as_json(&header), &[])), brackets);
    assert_eq!(hint(toml(TWO_WAY, &[("link.backward.outages", "{start='1 s'}")])), brackets);
}

#[test]
fn toml_errors_name_line_key_and_remedy() {
    let judged = cases().into_iter().filter_map(|case| match toml(&case.text(), &case.overrides()) {
        Ok(_) => Some(format!("{}: accepted\n", case.name)),
        Err(errors) => case.judge(&errors, true),
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
        // only a text file has a second line to point at
        case.expected.retain(|part| !part.contains("in line"));
        for errors in [json(&text, &case.overrides()), dict(&text, &case.overrides())] {
            match errors {
                Ok(_) => short.push(format!("{}: accepted\n", case.name)),
                Err(errors) => short.extend(case.judge(&errors, false)),
            }
        }
        let errors = json(&text, &case.overrides()).unwrap_err();
        let placed = errors.all.iter().filter(|d| !d.file.starts_with("--set"));
        assert!(placed.clone().all(|d| d.line.is_some() && d.pointer.is_some()), "{}:\n{errors}", case.name);
    }
    assert!(short.is_empty(), "{} cases fall short\n{}", short.len(), short.join("\n"));
}

#[test]
fn there_is_a_case_for_every_kind() {
    assert!(cases().len() >= 45, "{}", cases().len());
}

#[test]
fn json_errors_have_positions() {
    let text = "{\n  \"duration\": \"1 s\",\n  \"link\": [{\"name\": \"a\", \"rate\": 3, \"delay\": \"1 ms\"}]\n}";
    let errors = json(text, &[]).unwrap_err();
    let rate = errors.all.iter().find(|d| d.key == "link.a.rate").expect("an error for the rate");
    assert_eq!((rate.line, rate.column, rate.pointer.as_deref()), (Some(3), Some(34), Some("/link/0/rate")));
    for (text, expected) in [
        ("{\"a\": 1,}", "not JSON"),
        ("{\"a\": 1 // why\n}", "not JSON"),
        ("{'a': 1}", "not JSON"),
        ("duration = \"1 s\"", "TOML is read from files whose names do not end in .json"),
        ("{\"a\": 1, \"a\": 2}", "twice"),
        ("", "not JSON"),
        ("[1]", "a list; a scenario is a table"),
        ("{} {}", "not JSON"),
        ("{\"duration\": 0x10}", "not JSON"),
    ] {
        let errors = json(text, &[]).unwrap_err().to_string();
        assert!(errors.contains(expected), "{text}: {errors}");
    }
}
