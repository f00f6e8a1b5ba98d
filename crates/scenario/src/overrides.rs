//! Overrides of the file: `--set KEY=VALUE`, one key at a time.

use crate::check::names::NAMED;
use crate::diagnostic::Report;
use crate::naming::{Segment, segments};
use crate::read::toml_value;
use crate::schema::{Key, Schema};
use crate::suggestion::{listed, nearest};
use crate::tree::{At, Entry, Node, Value};

/// Writes the overrides into the tree, in order.
pub(crate) fn apply(root: &mut Node, overrides: &[(String, String)], schema: &Schema, report: &mut Report<'_>) {
    // the file, from before a kind is changed
    let mut file = None;
    for (i, (key, text)) in overrides.iter().enumerate() {
        let at = At::Override(i);
        let outcome = segments(key).map_err(|e| (e, None)).and_then(|path| {
            if path.last().and_then(Segment::name) == Some("kind") {
                file.get_or_insert_with(|| root.clone());
            }
            let value = toml_value(text, at).filter(|n| !matches!(n.value, Value::Date(_)));
            let value = value.unwrap_or_else(|| Node { value: Value::Text(text.trim().to_owned()), at });
            set(root, &path, &value)
        });
        if let Err((message, hint)) = outcome {
            report.raw(at, "", message, hint);
        }
    }
    if let Some(file) = file {
        remove_stale_parameters(root, Some(&file), schema);
    }
}

type Outcome = Result<(), (String, Option<String>)>;

fn wrong(message: impl Into<String>, hint: Option<String>) -> Outcome {
    Err((message.into(), hint))
}

fn set(root: &mut Node, path: &[Segment], value: &Node) -> Outcome {
    let Some(list) = path[0].name() else {
        return wrong("* stands for every table of a list, as in flow.*.start", None);
    };
    if list == "expect" {
        return wrong("the tables of expect have no names; change them in the file", None);
    }
    if !NAMED.contains(&list) {
        return descend(root, path, value);
    }
    let [_, which, inside @ ..] = path else {
        return wrong(format!("a whole list; name one of its tables: {list}.NAME.KEY"), None);
    };
    if inside.is_empty() {
        return wrong("a whole table; name one of its keys", Some(format!("{list}.NAME.KEY=VALUE")));
    }
    let mut names = Vec::new();
    let mut hits = 0;
    for table in tables(root, list) {
        let name = table.get("name").and_then(Node::text).unwrap_or_default().to_owned();
        if which.matches(&name) {
            hits += 1;
            descend(table, inside, value)?;
        }
        names.push(name);
    }
    if list == "link" {
        // a duplex makes two links: their keys are those of its directions
        for table in tables(root, "duplex") {
            let name = table.get("name").and_then(Node::text).unwrap_or_default().to_owned();
            for direction in ["down", "up"] {
                let link = format!("{name}/{direction}");
                if which.matches(&link) {
                    hits += 1;
                    descend(child(table, direction, value.at)?, inside, value)?;
                }
                names.push(link);
            }
        }
    }
    let known = || names.iter().map(String::as_str);
    match which.name() {
        _ if hits > 0 => Ok(()),
        None => wrong(format!("the file has no {list}"), None),
        Some(_) if names.is_empty() => wrong(format!("the file has no {list}"), None),
        Some(name) => wrong(
            format!("there is no {list} called {name:?}; one of {}", listed(known())),
            instance(name, &names)
                .map(|table| format!("one of many flows; {table} sets them all"))
                .or_else(|| nearest(name, known()).map(|n| format!("did you mean {n}?"))),
        ),
    }
}

/// The table that makes the flow called `name`, where `name` is `NAME[3]`.
fn instance<'a>(name: &'a str, tables: &[String]) -> Option<&'a str> {
    let (table, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    (index.parse::<u32>().is_ok() && tables.iter().any(|t| t == table)).then_some(table)
}

fn tables<'a>(root: &'a mut Node, list: &str) -> impl Iterator<Item = &'a mut Node> {
    let entries = if let Value::Table(entries) = &mut root.value { entries.as_mut_slice() } else { &mut [] };
    let node = entries.iter_mut().find(|e| e.key == list).map(|e| &mut e.node);
    let items = match node.map(|n| &mut n.value) {
        Some(Value::List(items)) => items.as_mut_slice(),
        _ => &mut [],
    };
    items.iter_mut()
}

/// The table under `key`, made where there is none.
fn child<'a>(table: &'a mut Node, key: &str, at: At) -> Result<&'a mut Node, (String, Option<String>)> {
    let shown = table.show();
    let is_list = matches!(table.value, Value::List(_));
    let Value::Table(entries) = &mut table.value else {
        let hint = is_list.then(|| "a list is given whole: KEY=[\"a\", \"b\"]".to_owned());
        return Err((format!("{key} is looked for inside {shown}, which has no keys"), hint));
    };
    let place = match entries.iter().position(|e| e.key == key) {
        Some(place) => place,
        None => {
            // A queue has a default kind, whose parameters may be given without repeating it.
            let kind =
                Entry { key: "kind".to_owned(), at, node: Node { value: Value::Text("droptail".to_owned()), at } };
            let inner = if key == "queue" { vec![kind] } else { Vec::new() };
            entries.push(Entry { key: key.to_owned(), at, node: Node { value: Value::Table(inner), at } });
            entries.len() - 1
        }
    };
    Ok(&mut entries[place].node)
}

fn descend(node: &mut Node, path: &[Segment], value: &Node) -> Outcome {
    let mut node = node;
    for (i, segment) in path.iter().enumerate() {
        let Some(key) = segment.name() else {
            return wrong("* stands for every table of a list, not for keys", None);
        };
        if i + 1 < path.len() {
            node = child(node, key, value.at)?;
        } else {
            let place = child(node, key, value.at)?;
            *place = value.clone();
            if let Value::Table(entries) = &mut node.value
                && let Some(entry) = entries.iter_mut().find(|e| e.key == key)
            {
                entry.at = value.at;
            }
        }
    }
    Ok(())
}

/// Where an override changed a kind, removes the parameters of the file that do not say the same of the new kind: its `alpha` may be
/// another quantity, or have a default of its own. What limits a queue remains.
fn remove_stale_parameters(node: &mut Node, file: Option<&Node>, schema: &Schema) {
    match (schema, &mut node.value) {
        (Schema::List { of, .. }, Value::List(items)) => {
            for (i, item) in items.iter_mut().enumerate() {
                remove_stale_parameters(item, file.and_then(|f| f.items().get(i)), of);
            }
        }
        (Schema::Table(table), Value::Table(entries)) => {
            for entry in entries {
                if let Some(key) = table.key(&entry.key) {
                    remove_stale_parameters(&mut entry.node, file.and_then(|f| f.get(&entry.key)), &key.schema);
                }
            }
        }
        (Schema::Kinds(kinds), Value::Table(entries)) => {
            let table =
                |kind: Option<&str>| kinds.iter().find(|(k, _)| Some(k.as_str()) == kind).map(|(_, table)| table);
            let given = entries.iter().find(|e| e.key == "kind" && matches!(e.at, At::Override(_)));
            let Some(new) = table(given.and_then(|e| e.node.text())) else { return };
            let old = table(file.and_then(|f| f.get("kind")).and_then(Node::text));
            entries.retain(|e| {
                let key = new.key(&e.key);
                let meant = |key: &Key| old.and_then(|old| old.key(&e.key)).is_none_or(|old| key.says_the_same_as(old));
                matches!(e.at, At::Override(_)) || key.is_some_and(|key| e.key == "limit" || meant(key))
            });
        }
        (Schema::Choice(alternatives), Value::Table(_)) => {
            if let Some(kinds) = alternatives.iter().find(|s| matches!(s, Schema::Kinds(_))) {
                remove_stale_parameters(node, file, kinds);
            }
        }
        _ => {}
    }
}
