//! Groups of links put together into domains of about equal load: each grows from one group by the neighbour with which it shares most
//! traffic (greedy graph growing: Karypis and Kumar, A fast and high quality multilevel scheme for partitioning irregular graphs, 1998).

use std::collections::{BTreeMap, BTreeSet};

use eddyline_scenario::network::LinkId;

use super::groups::Groups;
use super::partition::Traffic;

/// At most so many domains: the domain of each link, and the load of each domain.
pub fn grow(groups: &mut Groups, traffic: &Traffic, domains: usize) -> (Vec<u32>, Vec<f64>) {
    let loads = groups.sums(&traffic.of_link);
    let mut neighbours: BTreeMap<LinkId, BTreeMap<LinkId, f64>> = BTreeMap::new();
    for ((from, to), packets) in &traffic.between {
        let (from, to) = (groups.root(*from), groups.root(*to));
        if from != to {
            *neighbours.entry(from).or_default().entry(to).or_default() += packets;
            *neighbours.entry(to).or_default().entry(from).or_default() += packets;
        }
    }
    let mut left: BTreeSet<LinkId> = loads.keys().copied().collect();
    let mut domain_of: BTreeMap<LinkId, u32> = BTreeMap::new();
    let mut sums = Vec::new();
    let mut rest: f64 = loads.values().sum();
    // traffic between the domain that grows and each group around it
    let mut border: BTreeMap<LinkId, f64> = BTreeMap::new();
    while let Some(first) = left.first().copied() {
        let target = rest / (domains - sums.len().min(domains - 1)) as f64;
        // where the last domain ended, so that no gaps are left
        let mut next = Some(border.keys().next().copied().unwrap_or(first));
        border.clear();
        let mut load = 0.0;
        while let Some(group) = next {
            left.remove(&group);
            border.remove(&group);
            domain_of.insert(group, sums.len() as u32);
            load += loads[&group];
            for (other, packets) in neighbours.get(&group).into_iter().flatten().filter(|(g, _)| left.contains(g)) {
                *border.entry(*other).or_default() += packets;
            }
            let most = border.iter().max_by(|a, b| a.1.total_cmp(b.1)).map(|(g, _)| *g);
            // a part of the network that nothing connects with the rest may join
            let candidate = most.or_else(|| left.first().copied());
            let last = sums.len() + 1 == domains;
            next = candidate.filter(|g| last || load + loads[g] / 2.0 <= target);
        }
        rest -= load;
        sums.push(load);
    }
    let of_link = (0..traffic.of_link.len() as LinkId).map(|link| domain_of[&groups.root(link)]).collect();
    (of_link, sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of sixteen links, each with the traffic of its neighbours, becomes four arcs of four.
    #[test]
    fn a_ring_becomes_arcs() {
        let between = (0..16).map(|link| ((link, (link + 1) % 16), 1.0)).collect();
        let traffic = Traffic { of_link: vec![1.0; 16], between };
        let (of_link, loads) = grow(&mut Groups::new(16), &traffic, 4);
        assert_eq!(loads, [4.0; 4]);
        let borders = (0..16).filter(|link| of_link[*link] != of_link[(link + 1) % 16]).count();
        assert!(borders <= 8, "{of_link:?}");
    }

    /// What is together stays together, however large it is.
    #[test]
    fn groups_are_not_divided() {
        let between = (0..9).map(|link| ((link, link + 1), 1.0)).collect();
        let traffic = Traffic { of_link: vec![1.0; 10], between };
        let mut groups = Groups::new(10);
        (0..7).for_each(|link| groups.unite(link, link + 1));
        let (of_link, loads) = grow(&mut groups, &traffic, 3);
        assert!(of_link[..8].iter().all(|domain| *domain == of_link[0]), "{of_link:?}");
        assert_eq!(loads.iter().sum::<f64>(), 10.0);
    }
}
