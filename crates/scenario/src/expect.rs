//! Expectations of a file on its result, and whether they hold.

use eddyline_units::{Bytes, Frequency, Packets, Percent, Quantity, Rate, Time};
use serde::Serialize;
use serde_json::Value as Json;

use crate::diagnostic::Report;
use crate::model::{Bound, Expect, World};
use crate::naming::{Segment, segments};
use crate::result::{ArrivalsResult, FlowResult, GroupResult, LinkResult, ProbeResult, RunResult, TrafficResult};
use crate::suggestion::{did_you_mean, listed};
use crate::tree::{Node, Step, is_bare, quoted};

/// The list of the result that an expectation refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EntityKind {
    /// A flow.
    Flow,
    /// A flow table with `count` above one.
    Group,
    /// A link.
    Link,
    /// A source of unresponsive traffic.
    Traffic,
    /// A table of dynamic flows.
    Arrivals,
    /// A table of latency probes.
    Probe,
}

/// All of them.
const KINDS: [EntityKind; 6] = [
    EntityKind::Flow,
    EntityKind::Group,
    EntityKind::Link,
    EntityKind::Traffic,
    EntityKind::Arrivals,
    EntityKind::Probe,
];

/// One expectation, names resolved, bounds in SI units.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Expectation {
    /// File that it is from.
    pub file: String,
    /// Line in that file.
    pub line: Option<usize>,
    /// As written.
    pub of: String,
    /// Which list of the result.
    pub kind: EntityKind,
    /// The entity's name; none for every entity of the kind.
    pub name: Option<String>,
    /// Dotted name of the value, as written.
    pub what: String,
    /// That in the result of the entity.
    pub field: String,
    /// Not below this.
    pub at_least: Option<f64>,
    /// Not above this.
    pub at_most: Option<f64>,
    /// Near the first, within the second times the first.
    pub near: Option<(f64, f64)>,
    /// The bounds as written.
    pub bound: String,
    /// The world whose result is checked.
    pub world: World,
    /// Why this should be so.
    pub why: Option<String>,
}

/// Whether an expectation held for one entity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExpectationOutcome {
    /// File that the expectation is from.
    pub file: String,
    /// Line in that file.
    pub line: Option<usize>,
    /// The entity, as `flow."flow 1"`.
    pub of: String,
    /// Dotted name of the value.
    pub what: String,
    /// The value in SI units; none if the world does not report it.
    pub value: Option<f64>,
    /// The bounds as written.
    pub bound: String,
    /// Whether the value is within the bounds; a missing value is not.
    pub held: bool,
    /// Why this should be so.
    pub why: Option<String>,
}

/// Checks a result against the expectations for its world; those for other worlds are ignored.
#[must_use]
pub fn check(expectations: &[Expectation], result: &RunResult) -> Vec<ExpectationOutcome> {
    let mut outcomes = Vec::new();
    for expectation in expectations.iter().filter(|e| e.world.name() == result.world) {
        let wanted = |name: &str| expectation.name.as_deref().is_none_or(|n| n == name);
        let previous = outcomes.len();
        match expectation.kind {
            EntityKind::Flow => {
                let all = result.flows.iter().filter(|f| wanted(&f.name));
                outcomes.extend(all.map(|f| expectation.outcome(&f.name, serde_json::to_value(f))));
            }
            EntityKind::Group => {
                let all = result.groups.iter().filter(|g| wanted(&g.name));
                outcomes.extend(all.map(|g| expectation.outcome(&g.name, serde_json::to_value(g))));
            }
            EntityKind::Link => {
                let all = result.links.iter().filter(|l| wanted(&l.name));
                outcomes.extend(all.map(|l| expectation.outcome(&l.name, serde_json::to_value(l))));
            }
            EntityKind::Traffic => {
                let all = result.traffic.iter().filter(|t| wanted(&t.name));
                outcomes.extend(all.map(|t| expectation.outcome(&t.name, serde_json::to_value(t))));
            }
            EntityKind::Arrivals => {
                let all = result.arrivals.iter().filter(|a| wanted(&a.name));
                outcomes.extend(all.map(|a| expectation.outcome(&a.name, serde_json::to_value(a))));
            }
            EntityKind::Probe => {
                let all = result.probes.iter().filter(|p| wanted(&p.name));
                outcomes.extend(all.map(|p| expectation.outcome(&p.name, serde_json::to_value(p))));
            }
        }
        if outcomes.len() == previous {
            // a missing value does not hold
            outcomes.push(expectation.outcome(expectation.name.as_deref().unwrap_or("*"), Ok(Json::Null)));
        }
    }
    outcomes
}

impl Expectation {
    fn outcome(&self, name: &str, entity: Result<Json, serde_json::Error>) -> ExpectationOutcome {
        let entity = entity.unwrap_or_default();
        let value = match self.field.split('.').try_fold(&entity, |v, key| v.get(key)) {
            Some(Json::Bool(b)) => Some(f64::from(u8::from(*b))),
            Some(v) => v.as_f64(),
            None => None,
        };
        let list = match self.kind {
            EntityKind::Link => "link",
            EntityKind::Traffic => "traffic",
            EntityKind::Arrivals => "arrivals",
            EntityKind::Probe => "probe",
            EntityKind::Flow | EntityKind::Group => "flow",
        };
        ExpectationOutcome {
            file: self.file.clone(),
            line: self.line,
            of: if name == "*" { self.of.clone() } else { format!("{list}.{}", key(name)) },
            what: self.what.clone(),
            value,
            bound: self.bound.clone(),
            held: value.is_some_and(|v| self.holds(v)),
            why: self.why.clone(),
        }
    }

    /// Whether a value is within the bounds.
    #[must_use]
    pub fn holds(&self, value: f64) -> bool {
        value.is_finite()
            && self.at_least.is_none_or(|least| value >= least)
            && self.at_most.is_none_or(|most| value <= most)
            // 0.95 is within 5 % of 1, despite rounding of the difference
            && self.near.is_none_or(|(aim, within)| (value - aim).abs() <= within * aim.abs() * (1.0 + 1e-12))
    }
}

/// A name as a part of a dotted key.
fn key(name: &str) -> String {
    if is_bare(name) { name.to_owned() } else { format!("{name:?}") }
}

/// Resolves one table; reports its errors.
pub(crate) fn resolve(
    table: &Expect,
    item: usize,
    root: &Node,
    file: &str,
    report: &mut Report<'_>,
) -> Option<Expectation> {
    let place = [Step::Key("expect"), Step::Item(item)];
    let errors = report.count();
    let mut wrong = |key: &'static str, (message, hint): Wrong| {
        let path: Vec<Step<'_>> = place.into_iter().chain((!key.is_empty()).then_some(Step::Key(key))).collect();
        report.wrong(root, &path, message, hint);
    };
    let entity = entity(&table.of, root).map_err(|e| wrong("of", e)).ok();
    let alone = matches!(&entity, Some((EntityKind::Flow, Some(name)))
        if root.tables("flow").iter().any(|t| t.get("name").and_then(Node::text) == Some(name)));
    // of a table of one flow, the sum (mean, ...) over its flows is the flow's: the count may be varied
    let group = alone && fields(EntityKind::Flow).iter().all(|f| !is_in(f, &table.what));
    let field = match (&entity, table.what.rsplit_once('.')) {
        (Some(_), Some((of_flow, "sum" | "mean" | "min" | "max")))
            if group && field(EntityKind::Group, &table.what).is_ok() =>
        {
            field(EntityKind::Flow, of_flow).map(|()| of_flow.to_owned())
        }
        (Some((kind, _)), _) => field(*kind, &table.what).map(|()| table.what.clone()),
        (None, _) => Ok(table.what.clone()),
    };
    let field = field.map_err(|e| wrong("what", e)).ok();
    let kinds = entity.as_ref().map_or(KINDS.to_vec(), |(kind, _)| vec![*kind]);
    let named = field.as_deref().unwrap_or(&table.what);
    let known = kinds.into_iter().flat_map(fields).any(|f| is_in(&f, named));
    let mut bound = |key: &'static str, given: &Option<Bound>| {
        let given = given.as_ref().filter(|_| known); // the name of a field says its unit, a misspelt one does not
        let read = |b: &Bound| value(&table.what, b).map_err(|e| wrong(key, e)).ok();
        given.and_then(read)
    };
    let (at_least, at_most) = (bound("at_least", &table.at_least), bound("at_most", &table.at_most));
    let near = bound("near", &table.near);
    let none = |b: &Option<Bound>| b.is_none();
    if none(&table.at_least) && none(&table.at_most) && none(&table.near) {
        wrong("", ("no bound; one of at_least, at_most, or near with within".to_owned(), None));
    }
    if table.near.is_some() && table.within.is_none() {
        wrong("near", ("near needs within".to_owned(), Some("within = \"3 %\"".to_owned())));
    }
    if table.near.is_none() && table.within.is_some() {
        wrong("within", ("within needs near".to_owned(), Some("near = VALUE".to_owned())));
    }
    if let (Some(least), Some(most)) = (at_least, at_most)
        && least > most
    {
        wrong("at_least", ("above at_most: no value is both".to_owned(), None));
    }
    let line = root.tables("expect").get(item).and_then(|node| report.line(node.at));
    if report.count() > errors {
        return None;
    }
    let (kind, name) = entity?;
    let said = |word: &str, b: &Option<Bound>| b.as_ref().map(|b| format!("{word} {}", b.text()));
    let within = table.within.map(|w| format!("within {w}"));
    let bounds =
        [said("at least", &table.at_least), said("at most", &table.at_most), said("near", &table.near), within];
    Some(Expectation {
        file: file.to_owned(),
        line,
        of: table.of.clone(),
        kind,
        name,
        what: table.what.clone(),
        field: field?,
        at_least,
        at_most,
        near: near.zip(table.within.map(Percent::get)),
        bound: bounds.into_iter().flatten().collect::<Vec<_>>().join(", "),
        world: table.world,
        why: table.why.clone(),
    })
}

/// A message with its hint.
type Wrong = (String, Option<String>);

/// The list and the name in it.
fn entity(of: &str, root: &Node) -> Result<(EntityKind, Option<String>), Wrong> {
    let parts = segments(of).map_err(|e| (e, None))?;
    let lists = ["flow", "link", "traffic", "arrivals", "probe"];
    let [Segment::Name(list), which] = parts.as_slice() else {
        let forms = "KIND.NAME or KIND.*, where KIND is flow, link, traffic, arrivals or probe";
        return Err((format!("{} names no entity; write {forms}", quoted(of)), Some("as in flow.NAME".to_owned())));
    };
    let names = |list: &'static str| root.tables(list).iter().filter_map(|t| t.get("name")?.text().map(|n| (t, n)));
    let table = |list: &'static str, are: &str, name: &String, kind| {
        let known = || names(list).map(|(_, n)| n);
        if known().any(|n| n == name) {
            return Ok((kind, Some(name.clone())));
        }
        let message = format!("there is no {list} {}; {are}: {}", quoted(name), listed(known()));
        Err((message, did_you_mean(name, known())))
    };
    match (list.as_str(), which) {
        ("flow", Segment::All) => Ok((EntityKind::Flow, None)),
        ("link", Segment::All) => Ok((EntityKind::Link, None)),
        ("traffic", Segment::All) => Ok((EntityKind::Traffic, None)),
        ("arrivals", Segment::All) => Ok((EntityKind::Arrivals, None)),
        ("probe", Segment::All) => Ok((EntityKind::Probe, None)),
        ("flow", Segment::Name(name)) => {
            let count = |t: &Node| t.get("count").and_then(|c| c.to_json().as_u64()).unwrap_or(1);
            if let Some((table, _)) = names("flow").find(|(_, n)| n == name) {
                if count(table) == 0 {
                    return Err((format!("flow {} has a count of 0 and is not in the result", quoted(name)), None));
                }
                let kind = if count(table) > 1 { EntityKind::Group } else { EntityKind::Flow };
                return Ok((kind, Some(name.clone())));
            }
            let instance = name.strip_suffix(']').and_then(|n| n.rsplit_once('['));
            if let Some((base, index)) = instance
                && let Some((table, _)) = names("flow").find(|(_, n)| *n == base)
                && index.parse::<u64>().is_ok_and(|i| i < count(table) && count(table) > 1)
            {
                return Ok((EntityKind::Flow, Some(name.clone())));
            }
            let known = || names("flow").map(|(_, n)| n);
            Err((
                format!("there is no flow {}; flows are: {}", quoted(name), listed(known())),
                did_you_mean(name, known()),
            ))
        }
        ("link", Segment::Name(name)) => {
            let made = names("duplex").flat_map(|(_, d)| [format!("{d}/down"), format!("{d}/up")]);
            let all: Vec<String> = names("link").map(|(_, n)| n.to_owned()).chain(made).collect();
            if all.contains(name) {
                return Ok((EntityKind::Link, Some(name.clone())));
            }
            let known = || all.iter().map(String::as_str);
            Err((
                format!("there is no link {}; links are: {}", quoted(name), listed(known())),
                did_you_mean(name, known()),
            ))
        }
        ("traffic", Segment::Name(name)) => table("traffic", "traffic is", name, EntityKind::Traffic),
        ("arrivals", Segment::Name(name)) => table("arrivals", "arrivals are", name, EntityKind::Arrivals),
        ("probe", Segment::Name(name)) => table("probe", "probes are", name, EntityKind::Probe),
        ("duplex", Segment::Name(name)) => Err((
            "a duplex has no result of its own".to_owned(),
            Some(format!("link.\"{name}/down\" or link.\"{name}/up\"")),
        )),
        _ => Err((
            format!("{} is no kind of entity; one of {}", quoted(list), lists.join(", ")),
            did_you_mean(list, lists),
        )),
    }
}

/// Dotted names of the numbers in the result of an entity, also of those that only some options give it.
fn fields(kind: EntityKind) -> Vec<String> {
    let entity = match kind {
        EntityKind::Flow => serde_json::to_value(FlowResult {
            card_refusals: Some(0),
            delivered_ce: Some(0.0),
            ..FlowResult::default()
        }),
        EntityKind::Group => serde_json::to_value(GroupResult::default()),
        EntityKind::Link => serde_json::to_value(LinkResult { corrupted: Some(0), ..LinkResult::default() }),
        EntityKind::Traffic => serde_json::to_value(TrafficResult::default()),
        EntityKind::Arrivals => serde_json::to_value(ArrivalsResult::default()),
        EntityKind::Probe => serde_json::to_value(ProbeResult::default()),
    };
    let mut leaves = Vec::new();
    leaves_of(&entity.unwrap_or_default(), "", &mut leaves);
    leaves
}

/// Whether a field is the one of this name, or in it.
fn is_in(field: &str, name: &str) -> bool {
    field.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether the result of an entity has this field, and a number in it.
fn field(kind: EntityKind, what: &str) -> Result<(), Wrong> {
    let leaves = fields(kind);
    if leaves.iter().any(|leaf| leaf == what) {
        return Ok(());
    }
    let inside: Vec<&str> = leaves.iter().filter(|l| is_in(l, what)).map(String::as_str).collect();
    if !inside.is_empty() {
        return Err((format!("{} holds several numbers; one of {}", quoted(what), listed(inside)), None));
    }
    let known = || leaves.iter().map(String::as_str);
    Err((format!("{} is not in the result; one of {}", quoted(what), listed(known())), did_you_mean(what, known())))
}

/// Dotted names of all fields that are or may be numbers.
fn leaves_of(value: &Json, prefix: &str, found: &mut Vec<String>) {
    match value {
        Json::Object(fields) => {
            for (name, inner) in fields {
                let dotted = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                leaves_of(inner, &dotted, found);
            }
        }
        Json::Null | Json::Number(_) | Json::Bool(_) => found.push(prefix.to_owned()),
        Json::String(_) | Json::Array(_) => {}
    }
}

/// A bound in SI units; its unit must match the dimension in the field's name.
fn value(what: &str, bound: &Bound) -> Result<f64, Wrong> {
    let read = |parse: fn(&str) -> Result<f64, String>, example: &str, plain: bool| match bound {
        Bound::Plain(number) if plain => Ok(*number),
        Bound::Plain(number) => {
            Err((format!("{number} is a bare number; {what} needs a unit"), Some(format!("as in {example}"))))
        }
        Bound::Quantity(text) => parse(text)
            .map_err(|e| (format!("{} does not fit {what}: {e}", quoted(text)), Some(format!("as in {example}")))),
    };
    fn si<Q: Quantity>(text: &str) -> Result<f64, String> {
        Q::parse(text).map(Quantity::si).map_err(|e| e.to_string())
    }
    // the innermost part with a unit decides: `rtt_s.mean`, `goodput_bps.sum`
    for part in what.rsplit('.') {
        if part.ends_with("_per_s") {
            return read(si::<Frequency>, "\"100 /s\"", false);
        } else if part.ends_with("_bps") {
            return read(si::<Rate>, "\"20 Mbit/s\"", false);
        } else if part.ends_with("_s") {
            return read(si::<Time>, "\"20 ms\"", false);
        } else if part.ends_with("_bytes") {
            return read(si::<Bytes>, "\"1 MB\"", false);
        } else if part.ends_with("_packets") {
            return read(si::<Packets>, "\"50 packets\"", true);
        }
    }
    const SHARES: [&str; 5] = ["utilisation", "ratio", "share", "index", "compression"];
    if what.split('.').any(|part| SHARES.iter().any(|end| part.ends_with(end))) {
        return read(si::<Percent>, "\"5 %\" or the plain number 0.05", true);
    }
    match bound {
        Bound::Plain(number) => Ok(*number),
        Bound::Quantity(text) => count(text, what.ends_with("_rpm")).ok_or_else(|| {
            (format!("{} does not fit {what}: it is a number without unit", quoted(text)), Some("as in 100".to_owned()))
        }),
    }
}

/// A number of events, packets or, `a_minute`, round trips a minute, with or without quotation marks and unit.
fn count(text: &str, a_minute: bool) -> Option<f64> {
    let number = if a_minute { text.strip_suffix("/min").unwrap_or(text).trim_end() } else { text };
    match number.parse::<f64>() {
        Ok(number) => Some(number).filter(|n| n.is_finite()),
        Err(_) if a_minute => None,
        Err(_) => Packets::parse(text).map(Quantity::si).ok(),
    }
}

impl Bound {
    fn text(&self) -> String {
        match self {
            Self::Plain(number) => number.to_string(),
            Self::Quantity(text) => text.clone(),
        }
    }
}
