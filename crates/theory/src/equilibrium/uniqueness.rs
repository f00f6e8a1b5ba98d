//! Proofs that the equilibrium of a component is unique.
//!
//! Two, both exact. If loads and delays add up with the same weights but for one factor a link and one a class
//! (A = D1 G D2), equilibrium is the maximum of a strictly concave utility, as with one-way traffic. Otherwise: the
//! difference of the loads at prices p and p' is exactly -A D G^T (p - p') with D = diag(y y') > 0, so if A D G^T is a
//! P-matrix for every positive D, some link would have both a higher price and a lower load, or the reverse, at
//! the two, which contradicts complementarity. By the Cauchy-Binet formula it is a P-matrix if for every set I of links no set J of as
//! many classes has det A_IJ det G_IJ below zero, and one has it above.

use super::reduce::Component;
use crate::linear::{DenseLu, null_space};

/// Rank of the rows given, each of length `n`.
pub(super) fn rank(n: usize, rows: impl Iterator<Item = Vec<f64>>) -> usize {
    n - null_space(n, rows).len()
}

/// Whether the rates are proved to be unique.
pub(super) fn proven(component: &Component) -> bool {
    symmetrisable(component) || p_matrix(component)
}

/// Whether A = D1 G D2: follow the ratios through the graph of links and classes and see whether they close.
fn symmetrisable(component: &Component) -> bool {
    let (links, classes) = (component.links.len(), component.classes.len());
    let mut users: Vec<Vec<(usize, f64)>> = vec![Vec::new(); links];
    for (k, class) in component.classes.iter().enumerate() {
        for e in &class.entries {
            if e.load <= 0.0 || e.delay <= 0.0 {
                return false;
            }
            users[e.link].push((k, e.load / e.delay));
        }
    }
    let mut of_link: Vec<Option<f64>> = vec![None; links];
    let mut of_class: Vec<Option<f64>> = vec![None; classes];
    let mut waiting = Vec::new();
    if links > 0 {
        of_link[0] = Some(1.0);
        waiting.push(0);
    }
    while let Some(l) = waiting.pop() {
        let Some(link) = of_link[l] else { continue };
        for (k, ratio) in &users[l] {
            if of_class[*k].is_some() {
                continue;
            }
            let class = ratio / link;
            of_class[*k] = Some(class);
            for e in &component.classes[*k].entries {
                if of_link[e.link].is_none() {
                    of_link[e.link] = Some(e.load / e.delay / class);
                    waiting.push(e.link);
                }
            }
        }
    }
    let closes = |(l, k, ratio): (usize, usize, f64)| match (of_link[l], of_class[k]) {
        (Some(link), Some(class)) => (link * class - ratio).abs() <= 1e-12 * ratio,
        _ => false,
    };
    let mut all = users.iter().enumerate().flat_map(|(l, u)| u.iter().map(move |(k, ratio)| (l, *k, *ratio)));
    all.all(closes)
}

/// Limit on minors for the check.
const MAX_MINORS: usize = 60_000;

fn p_matrix(component: &Component) -> bool {
    let (links, classes) = (component.links.len(), component.classes.len());
    if links > 8 || minors(links, classes).is_none_or(|count| count > MAX_MINORS) {
        return false;
    }
    let mut load = vec![0.0; links * classes];
    let mut delay = vec![0.0; links * classes];
    for (k, class) in component.classes.iter().enumerate() {
        for e in &class.entries {
            load[e.link * classes + k] = e.load;
            delay[e.link * classes + k] = e.delay;
        }
    }
    for bits in 1..1usize << links {
        let rows: Vec<usize> = (0..links).filter(|l| bits >> l & 1 == 1).collect();
        if rows.len() > classes {
            return false;
        }
        let mut positive = false;
        let mut columns: Vec<usize> = (0..rows.len()).collect();
        loop {
            let minor = |m: &[f64]| {
                let cells = rows.iter().flat_map(|l| columns.iter().map(move |k| m[l * classes + k])).collect();
                DenseLu::factor(rows.len(), cells).map_or(0, |lu| lu.sign())
            };
            match minor(&load) * minor(&delay) {
                1 => positive = true,
                0 => {}
                _ => return false,
            }
            if !next_choice(&mut columns, classes) {
                break;
            }
        }
        if !positive {
            return false;
        }
    }
    true
}

fn minors(links: usize, classes: usize) -> Option<usize> {
    // sum of C(links, m) C(classes, m) over m is C(links + classes, links)
    let mut count = 1usize;
    for i in 1..=links {
        count = count.checked_mul(classes + i)? / i;
    }
    Some(count)
}

/// The next combination of numbers below `n` in lexicographic order.
fn next_choice(chosen: &mut [usize], n: usize) -> bool {
    let m = chosen.len();
    for i in (0..m).rev() {
        if chosen[i] < n - m + i {
            chosen[i] += 1;
            for j in i + 1..m {
                chosen[j] = chosen[j - 1] + 1;
            }
            return true;
        }
    }
    false
}
