//! Links that stay together: disjoint sets with union by size (Tarjan, Efficiency of a good but not linear set union algorithm, JACM 22(2), 1975).

use std::collections::BTreeMap;

use eddyline_scenario::network::LinkId;

/// Sets of links.
#[derive(Debug, Clone)]
pub struct Groups {
    parent: Vec<LinkId>,
    size: Vec<u32>,
}

impl Groups {
    /// Each of so many links alone.
    pub fn new(links: usize) -> Self {
        Self { parent: (0..links as LinkId).collect(), size: vec![1; links] }
    }

    /// The link that stands for the group of `link`.
    pub fn root(&mut self, link: LinkId) -> LinkId {
        let mut at = link;
        while self.parent[at as usize] != at {
            let above = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = above;
            at = above;
        }
        at
    }

    /// Puts the groups of two links together.
    pub fn unite(&mut self, a: LinkId, b: LinkId) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (large, small) = if self.size[a as usize] >= self.size[b as usize] { (a, b) } else { (b, a) };
        self.parent[small as usize] = large;
        self.size[large as usize] += self.size[small as usize];
    }

    /// Puts the groups of all these links together.
    pub fn unite_all<'a>(&mut self, mut links: impl Iterator<Item = &'a LinkId>) {
        if let Some(first) = links.next() {
            links.for_each(|link| self.unite(*first, *link));
        }
    }

    /// The sum of the values of each group's links, by its root.
    pub fn sums(&mut self, values: &[f64]) -> BTreeMap<LinkId, f64> {
        let mut sums = BTreeMap::new();
        for (link, value) in (0..).zip(values) {
            *sums.entry(self.root(link)).or_default() += value;
        }
        sums
    }
}
