//! The states (n, m) that a truncated chain keeps: for each level n + m one interval of n.

/// States by level k = n + m, each level an interval of n.
#[derive(Debug, Clone)]
pub(super) struct Space {
    /// First and last n of each level.
    range: Vec<(u32, u32)>,
    /// Number of the first state of each level, and of the state after the last.
    offset: Vec<usize>,
}

impl Space {
    /// Levels 0 to `top`, each with the n within `half(level)` of `share * level`.
    ///
    /// From level to level an interval's ends move by at most one, upwards only, so that every state but those of the
    /// first level has a neighbour below it and every state but those of the last has one above.
    pub fn band(top: u32, share: f64, half: impl Fn(f64) -> f64) -> Self {
        let mut range = vec![(0u32, 0u32)];
        for level in 1..=top {
            let (low, high) = range[level as usize - 1];
            let k = f64::from(level);
            let (centre, half) = (share * k, half(k));
            let wanted_low = (centre - half).max(0.0) as u32;
            let wanted_high = (centre + half).min(k).ceil() as u32;
            range.push((wanted_low.clamp(low, low + 1), wanted_high.clamp(high, (high + 1).min(level))));
        }
        Self::of(range)
    }

    /// Levels 0 to `top` in full; where a rate of arrival is zero, only the states that are ever entered.
    pub fn line(top: u32, along_n: bool) -> Self {
        Self::of((0..=top).map(|k| if along_n { (k, k) } else { (0, 0) }).collect())
    }

    fn of(range: Vec<(u32, u32)>) -> Self {
        let mut offset = vec![0];
        for (low, high) in &range {
            offset.push(offset[offset.len() - 1] + (high - low + 1) as usize);
        }
        Self { range, offset }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.offset[self.offset.len() - 1]
    }

    /// The last level.
    pub fn top(&self) -> u32 {
        (self.range.len() - 1) as u32
    }

    /// Number of the state (n, m), where it is kept.
    pub fn find(&self, n: u32, m: u32) -> Option<usize> {
        let level = (n + m) as usize;
        let (low, high) = *self.range.get(level)?;
        (low <= n && n <= high).then(|| self.offset[level] + (n - low) as usize)
    }

    /// All states in the order of their numbers.
    pub fn states(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.range
            .iter()
            .enumerate()
            .flat_map(|(level, (low, high))| (*low..=*high).map(move |n| (n, level as u32 - n)))
    }
}

#[cfg(test)]
mod tests {
    use super::Space;

    #[test]
    fn numbers_and_states_agree() {
        for space in [Space::band(40, 0.3, |k| 2.0 + k.sqrt()), Space::line(9, true), Space::line(9, false)] {
            let mut count = 0;
            for (i, (n, m)) in space.states().enumerate() {
                assert_eq!(space.find(n, m), Some(i));
                count += 1;
            }
            assert_eq!(count, space.len());
        }
    }

    #[test]
    fn every_state_has_neighbours_on_both_sides() {
        let space = Space::band(200, 0.7, |k| 1.5 * k.sqrt());
        for (n, m) in space.states().filter(|(n, m)| n + m > 0) {
            let below = (n > 0 && space.find(n - 1, m).is_some()) || (m > 0 && space.find(n, m - 1).is_some());
            let above = space.find(n + 1, m).is_some() || space.find(n, m + 1).is_some();
            assert!(below && (above || n + m == space.top()));
        }
    }
}
