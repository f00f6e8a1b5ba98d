//! Queue limits as a time or in bandwidth-delay products, replaced by bytes before validation.
//!
//! `"50 ms"` is what the link transmits in that time. `"2 BDP"` is twice the link's rate times the longest base RTT of the flows
//! whose data crosses it, without those that `count = 0` leaves out unless there are no others; `"2 BDP of NAME"` takes the base RTT
//! of that flow, `"2 BDP of 40 ms"` the given one. A base RTT here is the sum of propagation and access delays.

use std::collections::HashMap;

use eddyline_units::{Decimal, Quantity, Rate, Time};

use crate::diagnostic::Report;
use crate::presets::{PresetDirection, presets};
use crate::suggestion::{did_you_mean, listed};
use crate::tree::{Node, Step, Value};

/// Keys of queues, by kind, that are queue limits as `limit` is; of other kinds some are numbers of packets.
const KEYS: [(&str, &[&str]); 4] = [
    ("step", &["threshold"]),
    ("red", &["min_threshold", "max_threshold"]),
    ("per_connection", &["each"]),
    ("ack_priority", &["data_limit", "ack_limit"]),
];

const FORMS: &str = "as in \"1 BDP\", \"0.5 BDP of NAME\" or \"2 BDP of 40 ms\"";

/// Replaces every relative limit of the tree by bytes.
pub(crate) fn resolve(root: &mut Node, report: &mut Report<'_>) {
    let places = places(root);
    if places.is_empty() {
        return;
    }
    let network = BaseRtts::of(root);
    for place in places {
        let path = place.path();
        let mut resolved = "unlimited".to_owned();
        match place.bytes(&network) {
            Ok(Some(bytes)) => resolved = format!("{bytes} B"),
            // reported by the validation of the rate, or of a delay
            Ok(None) => {}
            Err((message, hint)) => report.wrong(root, &path, message, hint),
        }
        if let Some(node) = root.descend(&path) {
            node.value = Value::Text(resolved);
        }
    }
}

/// A relative limit in the tree.
struct Place {
    list: &'static str,
    table: usize,
    direction: Option<&'static str>,
    /// Name of the link.
    link: String,
    /// Its rate, if it is valid.
    rate: Option<Rate>,
    /// Key of the queue.
    key: &'static str,
    limit: String,
}

/// A relative limit.
enum Relative<'a> {
    Time(Time),
    Bdp { share: Decimal, of: Option<&'a str> },
}

type Wrong = (String, Option<String>);

impl Place {
    fn path(&self) -> Vec<Step<'static>> {
        let mut path = vec![Step::Key(self.list), Step::Item(self.table)];
        path.extend(self.direction.map(Step::Key));
        path.extend([Step::Key("queue"), Step::Key(self.key)]);
        path
    }

    fn bytes(&self, network: &BaseRtts) -> Result<Option<u64>, Wrong> {
        let (share, time) = match relative(&self.limit) {
            Some(Relative::Time(time)) => (1.0, time),
            Some(Relative::Bdp { share, of }) => match network.base_rtt(of, &self.link)? {
                Some(time) => (share.as_f64(), time),
                None => return Ok(None),
            },
            None => return Ok(None),
        };
        let Some(rate) = self.rate else { return Ok(None) };
        let bytes = (share * time.as_secs_f64() * rate.as_bps() as f64 / 8.0).round();
        if bytes < 1.0 {
            return Err((format!("{:?} at {rate} is less than a byte", self.limit), None));
        }
        if bytes > 1e15 {
            return Err((format!("{:?} at {rate} is {bytes:.1e} B; at most 1e15 B", self.limit), None));
        }
        Ok(Some(bytes as u64))
    }
}

/// Reads `50 ms`, `2 BDP` and `2 BDP of NAME`.
fn relative(text: &str) -> Option<Relative<'_>> {
    let text = text.trim();
    if let Ok(time) = Time::parse(text) {
        return Some(Relative::Time(time));
    }
    let (share, rest) = text.split_once("BDP")?;
    let share = Decimal::parse(share.trim()).ok()?;
    let of = if rest.trim().is_empty() { None } else { Some(rest.trim_start().strip_prefix("of ")?.trim()) };
    Some(Relative::Bdp { share, of })
}

/// All relative limits, with the rates of their links.
fn places(root: &Node) -> Vec<Place> {
    let mut places = Vec::new();
    for (i, link) in root.tables("link").iter().enumerate() {
        let rate = link.get("rate").and_then(Node::text).and_then(|t| Rate::parse(t).ok());
        places.extend(place("link", i, None, link, name(link).to_owned(), rate));
    }
    for (i, duplex) in root.tables("duplex").iter().enumerate() {
        for (way, preset) in directions(duplex) {
            let Some(direction) = duplex.get(way) else { continue };
            let rate = match direction.get("rate") {
                Some(rate) => rate.text().and_then(|t| Rate::parse(t).ok()),
                None => preset.map(|p| p.rate),
            };
            places.extend(place("duplex", i, Some(way), direction, format!("{}/{way}", name(duplex)), rate));
        }
    }
    places
}

fn place(
    list: &'static str,
    table: usize,
    direction: Option<&'static str>,
    node: &Node,
    link: String,
    rate: Option<Rate>,
) -> Vec<Place> {
    let Some(queue) = node.get("queue") else { return Vec::new() };
    let kind = queue.get("kind").and_then(Node::text);
    let own = KEYS.iter().filter(|(name, _)| kind == Some(name)).flat_map(|(_, keys)| *keys);
    let given = std::iter::once(&"limit").chain(own).filter_map(|key| Some((*key, queue.get(key)?.text()?)));
    let relative = given.filter(|(_, limit)| relative(limit).is_some());
    relative
        .map(|(key, limit)| Place { list, table, direction, link: link.clone(), rate, key, limit: limit.to_owned() })
        .collect()
}

pub(crate) fn directions(duplex: &Node) -> [(&'static str, Option<&'static PresetDirection>); 2] {
    let preset = duplex.get("preset").and_then(Node::text).and_then(|t| presets().iter().find(|p| p.name == t));
    [("down", preset.map(|p| &p.down)), ("up", preset.map(|p| &p.up))]
}

fn name(table: &Node) -> &str {
    table.get("name").and_then(Node::text).unwrap_or_default()
}

fn time(table: &Node, key: &str) -> Option<Time> {
    Time::parse(table.get(key)?.text()?).ok()
}

/// Base RTTs of flows.
struct BaseRtts {
    flows: Vec<FlowPath>,
}

struct FlowPath {
    name: String,
    /// Links that its data crosses.
    data: Vec<String>,
    /// None where a link or its delay cannot be read.
    base_rtt: Option<Time>,
    /// `count = 0` leaves it out.
    absent: bool,
}

impl BaseRtts {
    fn of(root: &Node) -> Self {
        let mut delays: HashMap<String, Time> = HashMap::new();
        for link in root.tables("link") {
            delays.extend(time(link, "delay").map(|delay| (name(link).to_owned(), delay)));
        }
        for duplex in root.tables("duplex") {
            for (way, preset) in directions(duplex) {
                let given = duplex.get(way).and_then(|direction| time(direction, "delay"));
                delays.extend(given.or(preset.map(|p| p.delay)).map(|d| (format!("{}/{way}", name(duplex)), d)));
            }
        }
        let flow = |table: &Node| {
            let links = |key: &str| table.get(key).map_or(&[][..], Node::items).iter().filter_map(Node::text);
            let access = |key: &str| table.get("access_delay").and_then(|a| time(a, key)).unwrap_or(Time::ZERO);
            let mut crossed = links("data").chain(links("ack")).map(|l| delays.get(l).copied());
            let propagation = crossed.try_fold(Time::ZERO, |sum, delay| Some(sum.saturating_add(delay?)));
            let base_rtt = propagation.map(|p| p.saturating_add(access("data")).saturating_add(access("ack")));
            let absent = table.get("count").is_some_and(|count| count.to_json().as_u64() == Some(0));
            FlowPath {
                name: name(table).to_owned(),
                data: links("data").map(str::to_owned).collect(),
                base_rtt,
                absent,
            }
        };
        Self { flows: ["flow", "arrivals"].iter().flat_map(|list| root.tables(list)).map(flow).collect() }
    }

    /// The base RTT that `of` says: a time, a flow's, or the longest of the flows that cross the link; none if it cannot be known.
    fn base_rtt(&self, of: Option<&str>, link: &str) -> Result<Option<Time>, Wrong> {
        let Some(of) = of else {
            let mut crossing: Vec<_> = self.flows.iter().filter(|flow| flow.data.iter().any(|l| l == link)).collect();
            if crossing.is_empty() {
                let message = format!("the data of no flow crosses {link}, so there is no base RTT for the BDP");
                let first = self.flows.iter().find(|flow| !flow.name.is_empty());
                let named = first.map(|flow| format!("{:?} or ", format!("1 BDP of {}", flow.name)));
                return Err((message, Some(format!("as in {}\"1 BDP of 40 ms\"", named.unwrap_or_default()))));
            }
            if crossing.iter().any(|flow| !flow.absent) {
                crossing.retain(|flow| !flow.absent);
            }
            let known: Option<Vec<Time>> = crossing.into_iter().map(|flow| flow.base_rtt).collect();
            return Ok(known.and_then(|known| known.into_iter().max()));
        };
        if let Ok(time) = Time::parse(of) {
            return Ok(Some(time));
        }
        let names = || self.flows.iter().map(|flow| flow.name.as_str());
        let named = self.flows.iter().find(|flow| flow.name == of);
        named.map(|flow| flow.base_rtt).ok_or_else(|| {
            let message = format!("BDP of {of:?}: not a time and no flow; flows are {}", listed(names()));
            (message, did_you_mean(of, names()).or(Some(FORMS.to_owned())))
        })
    }
}
