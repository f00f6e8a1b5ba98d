//! Reduction of a problem to a smaller one with the same equilibria.
//!
//! Four steps, all exact. Links that cannot be saturated because all of their flows cross a tighter link have
//! price zero in every equilibrium. Links whose queueing delay no flow measures have no say in the rates, which the solution must
//! leave feasible there. Flows with the same sum of the remaining prices have rates in proportion to alpha and
//! become one class. Links that share no class, directly or through others, form independent components.

use std::collections::BTreeMap;

use super::problem::Problem;

/// A link on a class's round trip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Entry {
    /// Index in [`Component::links`].
    pub link: usize,
    /// How often the round trip includes its queueing delay, times the link's price scale: seconds of delay for each unit
    /// of scaled price; 0 where only acknowledgements without queueing delay cross it.
    pub delay: f64,
    /// Seconds of transmission that a class whose q - e is 1 s puts on the link each second.
    pub load: f64,
}

/// Flows with the same queueing delay.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Class {
    /// e in seconds.
    pub error: f64,
    /// Links crossed, by index.
    pub entries: Vec<Entry>,
}

/// A connected component of links and classes.
///
/// Prices are scaled: price = scale x pi, where scale is the price at which the link alone would be just saturated. Every pi of an equilibrium is in [0, 1], whatever the units and sizes of the network.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Component {
    /// Numbers of the links in the problem.
    pub links: Vec<usize>,
    /// Price scale of each link in seconds.
    pub scale: Vec<f64>,
    /// The classes.
    pub classes: Vec<Class>,
}

impl Component {
    /// q - e of each class.
    pub fn margins(&self, pi: &[f64]) -> Vec<f64> {
        let sum = |class: &Class| class.entries.iter().fold(0.0, |sum, e| sum + e.delay * pi[e.link]) - class.error;
        self.classes.iter().map(sum).collect()
    }

    /// Load of each link as a share of what unresponsive traffic leaves.
    pub fn loads(&self, rates: &[f64]) -> Vec<f64> {
        let mut loads = vec![0.0; self.links.len()];
        for (class, y) in self.classes.iter().zip(rates) {
            for e in &class.entries {
                loads[e.link] += e.load * y;
            }
        }
        loads
    }
}

/// A round trip: flows that share one differ in rate by alpha alone.
#[derive(Debug, Clone)]
pub(super) struct Trip {
    /// (link, weight of its queueing delay, bits a packet puts on it), by link.
    pub row: Vec<(usize, f64, f64)>,
    /// e in seconds.
    pub error: f64,
    /// Sum of the flows' alphas.
    pub alpha: f64,
}

/// The reduced problem.
#[derive(Debug)]
pub(super) struct Reduced {
    /// The trip of each flow.
    pub trip_of: Vec<usize>,
    /// The distinct trips.
    pub trips: Vec<Trip>,
    /// Links that may be saturated in some equilibrium.
    kept: Vec<bool>,
    /// The independent components.
    pub components: Vec<Component>,
    /// Links that only acknowledgements cross whose queueing delay nobody measures.
    pub unmeasured: Vec<usize>,
}

impl Reduced {
    /// A flow that measures the delay of no link that can be saturated, and the link that its acknowledgements would saturate.
    pub fn unbounded(&self) -> Option<(usize, usize)> {
        self.trip_of.iter().enumerate().find_map(|(flow, trip)| {
            let mut crossed = self.trips[*trip].row.iter().filter(|r| self.kept[r.0]);
            let first = crossed.next()?;
            let unconstrained = first.1 <= 0.0 && crossed.all(|r| r.1 <= 0.0);
            unconstrained.then_some((flow, first.0))
        })
    }

    /// The component whose prices set a flow's rate.
    pub fn component_of(&self, flow: usize) -> Option<usize> {
        let row = &self.trips[self.trip_of[flow]].row;
        self.components.iter().position(|c| row.iter().any(|(l, _, _)| c.links.contains(l)))
    }

    pub fn new(problem: &Problem) -> Self {
        let (trip_of, trips) = trips(problem);
        let left: Vec<f64> = problem.capacity.iter().zip(&problem.unresponsive).map(|(c, b)| c - b).collect();
        let kept = can_fill(&trips, &left);
        let measured = measured(&trips, &kept);
        let components = components(&trips, &measured, &left);
        let unmeasured = (0..kept.len()).filter(|l| kept[*l] && !measured[*l]).collect();
        Self { trip_of, trips, kept, components, unmeasured }
    }
}

fn trips(problem: &Problem) -> (Vec<usize>, Vec<Trip>) {
    let ack_priority = problem.ack_priority();
    let mut known = BTreeMap::new();
    let mut trips: Vec<Trip> = Vec::new();
    let mut trip_of = Vec::with_capacity(problem.flows.len());
    for (s, flow) in problem.flows.iter().enumerate() {
        let error = problem.error_of(s);
        let ack_wait = problem.ack_wait_of(s);
        let key = (
            &*flow.data,
            &*flow.ack,
            flow.packet_bits.to_bits(),
            flow.ack_bits.to_bits(),
            // -0.0 and 0.0 are the same error
            (error + 0.0).to_bits(),
            (ack_wait + 0.0).to_bits(),
            problem.reaching_of(s).iter().map(|share| share.to_bits()).collect::<Vec<u64>>(),
        );
        let at = *known.entry(key).or_insert_with(|| {
            let mut row: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
            for (at, (l, bits)) in problem.crossings(s).enumerate() {
                let entry = row.entry(l).or_default();
                entry.0 += match at >= flow.data.len() {
                    true if ack_priority[l] => 0.0,
                    true => ack_wait,
                    false => 1.0,
                };
                entry.1 += bits;
            }
            let row = row.into_iter().map(|(l, (times, bits))| (l, times, bits)).collect();
            trips.push(Trip { row, error, alpha: 0.0 });
            trips.len() - 1
        });
        trips[at].alpha += flow.alpha;
        trip_of.push(at);
    }
    (trip_of, trips)
}

/// Links that may be saturated in some equilibrium.
///
/// If all flows of link a cross link l, then a carries at most max(A_as / A_ls) times what l can carry; where that is
/// below a's own capacity, a is slack whenever l is not overloaded.
fn can_fill(trips: &[Trip], left: &[f64]) -> Vec<bool> {
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); left.len()];
    for (t, trip) in trips.iter().enumerate() {
        for (l, _, bits) in &trip.row {
            if *bits > 0.0 {
                users[*l].push(t);
            }
        }
    }
    let bits_on = |t: usize, l: usize| {
        let row = &trips[t].row;
        row.binary_search_by_key(&l, |r| r.0).map_or(0.0, |at| row[at].2)
    };
    let held = |a: usize, l: usize| {
        let mut ratio = 0.0f64;
        for t in &users[a] {
            let tighter = bits_on(*t, l);
            if tighter <= 0.0 {
                return false;
            }
            ratio = ratio.max(bits_on(*t, a) / tighter);
        }
        ratio * left[l] < left[a] * (1.0 - 1e-12)
    };
    let keep = |a: usize| {
        let Some(first) = users[a].first() else { return false };
        !trips[*first].row.iter().any(|(l, _, _)| *l != a && held(a, *l))
    };
    (0..left.len()).map(keep).collect()
}

/// Those of the links `kept` whose queueing delay some flow measures.
fn measured(trips: &[Trip], kept: &[bool]) -> Vec<bool> {
    let mut measured = vec![false; kept.len()];
    for (l, times, _) in trips.iter().flat_map(|trip| &trip.row) {
        measured[*l] |= kept[*l] && *times > 0.0;
    }
    measured
}

fn components(trips: &[Trip], kept: &[bool], left: &[f64]) -> Vec<Component> {
    let mut parent: Vec<usize> = (0..kept.len()).collect();
    fn root(parent: &mut [usize], mut l: usize) -> usize {
        while parent[l] != l {
            parent[l] = parent[parent[l]];
            l = parent[l];
        }
        l
    }
    for trip in trips {
        let mut links = trip.row.iter().map(|r| r.0).filter(|l| kept[*l]);
        let Some(first) = links.next() else { continue };
        for l in links {
            let (a, b) = (root(&mut parent, first), root(&mut parent, l));
            // the smaller number becomes the root, so components come in the order of their first links
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut place = vec![usize::MAX; kept.len()];
    let mut component_of_root = BTreeMap::new();
    let mut components: Vec<Component> = Vec::new();
    for l in (0..kept.len()).filter(|l| kept[*l]) {
        let at = *component_of_root.entry(root(&mut parent, l)).or_insert_with(|| {
            components.push(Component { links: Vec::new(), scale: Vec::new(), classes: Vec::new() });
            components.len() - 1
        });
        place[l] = components[at].links.len();
        components[at].links.push(l);
    }

    let mut known = BTreeMap::new();
    for trip in trips {
        let row: Vec<_> = trip.row.iter().filter(|r| kept[r.0]).collect();
        let Some(first) = row.first() else { continue };
        let at = component_of_root[&root(&mut parent, first.0)];
        let crossed: Vec<(usize, u64)> = row.iter().map(|r| (r.0, r.1.to_bits())).collect();
        let key = (crossed, (trip.error + 0.0).to_bits());
        let (component, class) = *known.entry(key).or_insert_with(|| {
            let entries = row.iter().map(|r| Entry { link: place[r.0], delay: r.1, load: 0.0 }).collect();
            components[at].classes.push(Class { error: trip.error, entries });
            (at, components[at].classes.len() - 1)
        });
        let entries = &mut components[component].classes[class].entries;
        for (entry, (l, _, bits)) in entries.iter_mut().zip(row) {
            entry.load += trip.alpha * (bits / left[*l]);
        }
    }
    for component in &mut components {
        set_scale(component);
    }
    components
}

/// Computes the price at which each link alone would be just saturated, and scales prices by it.
fn set_scale(component: &mut Component) {
    let mut scale = vec![0.0; component.links.len()];
    let mut error = vec![0.0f64; component.links.len()];
    for class in &component.classes {
        for e in class.entries.iter().filter(|e| e.delay > 0.0) {
            scale[e.link] += e.load / e.delay;
            error[e.link] = error[e.link].max(class.error / e.delay);
        }
    }
    for (scale, error) in scale.iter_mut().zip(error) {
        *scale += error;
    }
    for class in &mut component.classes {
        for e in &mut class.entries {
            e.delay *= scale[e.link];
        }
    }
    component.scale = scale;
}
