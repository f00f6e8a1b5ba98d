//! Controllers as text: `newreno`, `fast(alpha = 20)`, `ledbat(target = 60 ms)`, `fast(alpha = 20, drain.every = 5 s)`.
//!
//! Parameters have the names and values of Eddyline's scenario files. Texts need no quotation marks, and numbers of packets no unit.

use eddyline_cc::{ControllerParams, KINDS};
use serde_json::{Map, Value};

use crate::config::Error;
use crate::schema::Parameters;

/// Reads a controller.
pub(crate) fn parse(text: &str) -> Result<ControllerParams, Error> {
    let (kind, list) = split(text)?;
    if !KINDS.iter().any(|k| k.name == kind) {
        let known = KINDS.iter().map(|k| k.name).collect::<Vec<_>>().join(", ");
        return Err(Error::UnknownKind { name: kind.to_owned(), known });
    }
    let refuse = |reason: String| Error::Parameter { kind: kind.to_owned(), reason };
    let parameters = Parameters::of(kind);
    let mut table = Map::new();
    table.insert("kind".to_owned(), kind.into());
    for item in items(list) {
        let syntax = || syntax(text, format!("{item:?} is not parameter = value"));
        let (path, value) = item.split_once('=').ok_or_else(syntax)?;
        let (path, value) = (path.trim(), value.trim());
        if path.is_empty() || value.is_empty() {
            return Err(syntax());
        }
        let value = parameters.value(path, value).map_err(&refuse)?;
        insert(&mut table, path, value).map_err(&refuse)?;
    }
    serde_json::from_value(Value::Object(table)).map_err(|e| refuse(e.to_string()))
}

/// The kind, and what is between the parentheses.
fn split(text: &str) -> Result<(&str, &str), Error> {
    let text = text.trim();
    let Some((kind, rest)) = text.split_once('(') else { return Ok((text, "")) };
    let list = rest.strip_suffix(')').ok_or_else(|| syntax(text, "the closing parenthesis is missing".to_owned()))?;
    Ok((kind.trim(), list))
}

/// Items between commas; no value has a comma.
fn items(list: &str) -> impl Iterator<Item = &str> {
    let mut items: Vec<_> = list.split(',').map(str::trim).collect();
    if items.last().is_some_and(|last| last.is_empty()) {
        items.pop();
    }
    items.into_iter()
}

/// Sets `a.b.c` to a value.
fn insert(table: &mut Map<String, Value>, path: &str, value: Value) -> Result<(), String> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let Some(rest) = rest else {
        return match table.insert(first.to_owned(), value) {
            None => Ok(()),
            Some(_) => Err(format!("{path} is given twice")),
        };
    };
    match table.entry(first).or_insert_with(|| Value::Object(Map::new())) {
        Value::Object(inner) => insert(inner, rest, value),
        _ => Err(format!("{first} is a value and a table")),
    }
}

fn syntax(text: &str, reason: String) -> Error {
    Error::Syntax { text: text.to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Value {
        serde_json::to_value(parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))).unwrap()
    }

    fn message(text: &str) -> String {
        parse(text).expect_err(text).to_string()
    }

    #[test]
    fn values_have_the_types_of_their_parameters() {
        let fast = json("fast(alpha = 20, gamma = 0.25, base_rtt = known, update_period = 5 ms, drain = true)");
        assert_eq!(fast["alpha"], "20 packets");
        assert_eq!(fast["gamma"], 0.25);
        assert_eq!(fast["base_rtt"], "known");
        assert_eq!(fast["update_period"], "5 ms");
        assert_eq!(fast["drain"], true);
        assert_eq!(json(r#" fast ( alpha="20 packets", ) "#)["alpha"], "20 packets", "quotation marks are allowed");
    }

    #[test]
    fn parameters_of_a_table_are_dotted() {
        let fast = json("fast(alpha = 20, drain.every = 5 s)");
        assert_eq!(fast["drain"]["every"], "5 s");
    }

    #[test]
    fn every_kind_reads_its_example() {
        for kind in KINDS {
            let example: Map<String, Value> = serde_json::from_str(kind.example).unwrap();
            let list: Vec<_> = example
                .iter()
                .filter(|(key, _)| *key != "kind")
                .map(|(key, value)| format!("{key} = {value}"))
                .collect();
            let expected: ControllerParams = serde_json::from_str(kind.example).unwrap();
            assert_eq!(parse(&format!("{}({})", kind.name, list.join(", "))).unwrap(), expected);
        }
    }

    #[test]
    fn errors_name_the_parameter() {
        assert!(message("fst(alpha = 20)").contains("unknown controller \"fst\"; known: fast, vfast"));
        assert!(message("fast").contains("missing field `alpha`"));
        assert!(message("fast(alpha = 20").contains("closing parenthesis"));
        assert!(message("fast(alpha)").contains("\"alpha\" is not parameter = value"));
        assert!(message("fast(alpha = 20, alpha = 30)").contains("alpha is given twice"));
        assert!(message("fast(alhpa = 20)").contains("alhpa"));
        assert!(
            message("fast(alpha = 20, gamma = 2)").contains("gamma = 2: at most 1"),
            "{}",
            message("fast(alpha = 20, gamma = 2)")
        );
        assert!(message("fast(alpha = 0)").contains("alpha = 0: above 0"), "{}", message("fast(alpha = 0)"));
        assert!(message("fast(alpha = 20 ms)").contains("unknown unit"));
        assert!(message("fast(alpha = 20, update_period = 5)").contains("a bare number; write the unit"));
    }
}
