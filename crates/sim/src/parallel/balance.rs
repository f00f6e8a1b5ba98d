//! Which thread simulates which domains.

/// The domains of each of `threads` threads: the largest loads first, each to the thread with the least so far (Graham, Bounds on multiprocessing
/// timing anomalies, 1969).
pub fn assign(loads: &[f64], threads: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..loads.len()).collect();
    order.sort_by(|a, b| loads[*b].total_cmp(&loads[*a]));
    let mut assigned: Vec<(f64, Vec<usize>)> = vec![(0.0, Vec::new()); threads];
    for domain in order {
        if let Some((sum, domains)) = assigned.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0)) {
            *sum += loads[domain];
            domains.push(domain);
        }
    }
    assigned.into_iter().map(|(_, domains)| domains).collect()
}

/// The load of the thread that has most, as a multiple of the mean.
pub fn imbalance(loads: &[f64], assigned: &[Vec<usize>]) -> f64 {
    let total: f64 = loads.iter().sum();
    let most = assigned.iter().map(|domains| domains.iter().map(|d| loads[*d]).sum::<f64>()).fold(0.0, f64::max);
    if total > 0.0 { most * assigned.len() as f64 / total } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_go_first() {
        let loads = [1.0, 5.0, 3.0, 2.0, 4.0];
        let assigned = assign(&loads, 2);
        assert_eq!(assigned, [vec![1, 3, 0], vec![4, 2]], "5 + 2 + 1 and 4 + 3");
        assert!((imbalance(&loads, &assigned) - 16.0 / 15.0).abs() < 1e-12);
    }
}
