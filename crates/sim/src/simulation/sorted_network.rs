//! A network in order of names, so that the order of tables in a file decides nothing.
//!
//! Events at the same picosecond are handled in the order of their sources. In a sorted network that is an order of names, which
//! neither another order of the tables nor another table changes. Results are given back in the order of the file.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use eddyline_scenario::Network;
use eddyline_scenario::network::LinkId;
use eddyline_scenario::result::RunResult;

/// A network whose links, flows, traffic, arrivals and probes are in order of their names.
#[derive(Debug, Clone)]
pub struct SortedNetwork<'a> {
    network: Cow<'a, Network>,
    places: Places,
}

/// Places in the file, of what has the places 0, 1, ... in order of names.
#[derive(Debug, Clone)]
struct Places {
    links: Vec<u32>,
    flows: Vec<u32>,
    traffic: Vec<u32>,
    arrivals: Vec<u32>,
    probes: Vec<u32>,
}

impl Deref for SortedNetwork<'_> {
    type Target = Network;

    fn deref(&self) -> &Network {
        &self.network
    }
}

impl<'a> SortedNetwork<'a> {
    /// `network` in order of names; borrowed if it is so already.
    #[must_use]
    pub fn of(network: &'a Network) -> Self {
        let places = Places {
            links: sorted(network.links.iter().map(|l| l.name.as_str())),
            flows: sorted_flows(network),
            traffic: sorted(network.traffic.iter().map(|t| t.name.as_str())),
            arrivals: sorted(network.arrivals.iter().map(|a| a.name.as_str())),
            probes: sorted(network.probes.iter().map(|p| p.name.as_str())),
        };
        let mut network = Cow::Borrowed(network);
        let all = [&places.links, &places.flows, &places.traffic, &places.arrivals, &places.probes];
        if all.iter().any(|order| !order.is_sorted()) {
            places.apply(network.to_mut());
        }
        Self { network, places }
    }

    /// The same with a network of its own.
    #[must_use]
    pub fn into_owned(self) -> SortedNetwork<'static> {
        SortedNetwork { network: Cow::Owned(self.network.into_owned()), places: self.places }
    }

    /// Place in this network of the flow that has this place in the file.
    #[must_use]
    pub fn flow_of_file(&self, place: usize) -> Option<usize> {
        self.places.flows.iter().position(|p| *p as usize == place)
    }

    /// Places in the file of the flows.
    pub(crate) fn flow_places(&self) -> &[u32] {
        &self.places.flows
    }

    /// Places in the file of the links.
    pub(crate) fn link_places(&self) -> &[u32] {
        &self.places.links
    }

    /// Places in the file of all sources of packets, those of each kind continued by those of the next: flows, traffic, probes, arrivals.
    pub(crate) fn source_places(&self) -> Vec<u32> {
        let Places { flows, traffic, arrivals, probes, .. } = &self.places;
        let mut all = Vec::with_capacity(flows.len() + traffic.len() + probes.len() + arrivals.len());
        for places in [flows, traffic, probes, arrivals] {
            let first = all.len() as u32;
            all.extend(places.iter().map(|place| first + place));
        }
        all
    }

    /// Puts the rows of a result of this network into the order of the file.
    pub(crate) fn restore(&self, result: &mut RunResult) {
        restore(&mut result.links, &self.places.links);
        restore(&mut result.flows, &self.places.flows);
        restore(&mut result.traffic, &self.places.traffic);
        restore(&mut result.arrivals, &self.places.arrivals);
        restore(&mut result.probes, &self.places.probes);
    }
}

impl Places {
    /// Puts the network of the file in order.
    fn apply(&self, network: &mut Network) {
        sort(&mut network.links, &self.links);
        sort(&mut network.flows, &self.flows);
        sort(&mut network.traffic, &self.traffic);
        sort(&mut network.arrivals, &self.arrivals);
        sort(&mut network.probes, &self.probes);
        let flows = inverse(&self.flows);
        for flow in &mut network.flows {
            flow.peer = flow.peer.map(|peer| flows[peer as usize]);
        }
        for group in &mut network.groups {
            group.first = flows[group.first] as usize;
        }
        let mut paths = Paths { links: inverse(&self.links), known: HashMap::new() };
        let dynamic = network.arrivals.iter_mut().map(|a| &mut a.flow);
        let mut last = None;
        for flow in network.flows.iter_mut().chain(dynamic) {
            // the flows of one table follow each other
            if let Some((old, new)) = &last
                && Arc::ptr_eq(old, &flow.table)
            {
                flow.table = Arc::clone(new);
                continue;
            }
            let old = Arc::clone(&flow.table);
            paths.renumber(&mut flow.data);
            paths.renumber(&mut flow.ack);
            last = Some((old, Arc::clone(&flow.table)));
        }
        for traffic in &mut network.traffic {
            paths.renumber(&mut traffic.path);
        }
        for probe in &mut network.probes {
            paths.renumber(&mut probe.data);
            paths.renumber(&mut probe.ack);
        }
    }
}

/// Renumbers the links of paths; flows that shared a path share it afterwards.
struct Paths {
    links: Vec<u32>,
    known: HashMap<Arc<[LinkId]>, Arc<[LinkId]>>,
}

impl Paths {
    fn renumber(&mut self, path: &mut Arc<[LinkId]>) {
        let links = &self.links;
        let known = self.known.entry(Arc::clone(path));
        *path = Arc::clone(known.or_insert_with_key(|path| path.iter().map(|l| links[*l as usize]).collect()));
    }
}

/// The places of `names`, in their order.
fn sorted<'n>(names: impl Iterator<Item = &'n str>) -> Vec<u32> {
    let mut places: Vec<(&str, u32)> = names.zip(0..).collect();
    places.sort_by(|(a, _), (b, _)| natural(a, b));
    places.into_iter().map(|(_, place)| place).collect()
}

/// The places of the flows: those of one table together, in order of their tables.
fn sorted_flows(network: &Network) -> Vec<u32> {
    let mut tables = Vec::new();
    let (mut first, mut groups) = (0, network.groups.iter().peekable());
    while first < network.flows.len() {
        let (name, count) = match groups.next_if(|g| g.first == first) {
            Some(group) => (&group.name, group.count),
            None => (&network.flows[first].name, 1),
        };
        tables.push((name, first, count));
        first += count;
    }
    tables.sort_by(|(a, ..), (b, ..)| natural(a, b));
    tables.into_iter().flat_map(|(_, first, count)| (first..first + count).map(|place| place as u32)).collect()
}

/// Compares names by their characters, and numbers in them by their values: tables that are numbered stay in order of their numbers.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    while let ([x, ..], [y, ..]) = (left, right) {
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (one, other) = (number(&mut left), number(&mut right));
            one.len().cmp(&other.len()).then_with(|| one.cmp(other))
        } else {
            (left, right) = (&left[1..], &right[1..]);
            x.cmp(y)
        };
        if order.is_ne() {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| a.cmp(b))
}

/// Takes the digits in front, without leading zeros.
fn number<'t>(text: &mut &'t [u8]) -> &'t [u8] {
    let digits = text.iter().take_while(|c| c.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    *text = rest;
    let zeros = number.iter().take_while(|c| **c == b'0').count();
    &number[zeros..]
}

/// Where each place has gone.
fn inverse(places: &[u32]) -> Vec<u32> {
    let mut inverse = vec![0; places.len()];
    for (place, rank) in places.iter().zip(0..) {
        inverse[*place as usize] = rank;
    }
    inverse
}

fn sort<T: Clone>(items: &mut Vec<T>, places: &[u32]) {
    *items = places.iter().map(|place| items[*place as usize].clone()).collect();
}

/// The reverse of [`sort`].
fn restore<T>(items: &mut [T], places: &[u32]) {
    let mut places = places.to_vec();
    for i in 0..places.len() {
        while places[i] as usize != i {
            let place = places[i] as usize;
            items.swap(i, place);
            places.swap(i, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_in_names_count() {
        let names = ["b", "a10", "a9", "a", "a09", "a[2]", "a[10]", "B"];
        let order: Vec<&str> = sorted(names.into_iter()).into_iter().map(|i| names[i as usize]).collect();
        assert_eq!(order, ["B", "a", "a09", "a9", "a10", "a[2]", "a[10]", "b"]);
    }

    proptest! {
        #[test]
        fn the_order_is_total(a in "[a-b0-1]{0,4}", b in "[a-b0-1]{0,4}", c in "[a-b0-1]{0,4}") {
            prop_assert_eq!(natural(&a, &b), natural(&b, &a).reverse());
            prop_assert_eq!(natural(&a, &b) == Ordering::Equal, a == b);
            if natural(&a, &b).is_le() && natural(&b, &c).is_le() {
                prop_assert!(natural(&a, &c).is_le());
            }
        }

        #[test]
        fn restoring_undoes_sorting(places in Just((0u32..9).collect::<Vec<u32>>()).prop_shuffle()) {
            let file: Vec<usize> = (0..9).collect();
            let mut items = file.clone();
            sort(&mut items, &places);
            prop_assert!(items.iter().zip(&places).all(|(item, place)| *item == *place as usize));
            restore(&mut items, &places);
            prop_assert_eq!(items, file);
        }
    }
}
