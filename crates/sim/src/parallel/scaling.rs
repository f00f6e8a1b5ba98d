//! Counts what more processors would do.

use super::balance::assign;
use crate::simulation::{PROCESSORS, Scaling};

impl Scaling {
    /// A window in which the domains had so many events.
    pub fn add(&mut self, events: &[u64]) {
        let loads: Vec<f64> = events.iter().map(|n| *n as f64).collect();
        for (longest, processors) in self.longest.iter_mut().zip(PROCESSORS) {
            let shares = assign(&loads, processors);
            let sums = shares.iter().map(|domains| domains.iter().map(|d| events[*d]).sum::<u64>());
            *longest += sums.max().unwrap_or(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_wait_for_the_longest_share() {
        let mut scaling = Scaling::default();
        scaling.add(&[4, 3, 2, 1]);
        scaling.add(&[0, 0, 9, 1]);
        assert_eq!(scaling.longest, [20, 5 + 9, 4 + 9, 4 + 9, 4 + 9, 4 + 9, 4 + 9]);
    }
}
