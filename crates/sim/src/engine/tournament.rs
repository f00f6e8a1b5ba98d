//! Which of many sources has the next event: a tournament tree, four players to a table.
//!
//! A source's time changes in place, so there is one entry per source and none is ever stale. Ties go to the lower
//! source: the order of events never depends on history.

use eddyline_units::Time;

const SEATS: usize = 4;

#[derive(Debug, Clone, Copy)]
struct Table {
    at: [u64; SEATS],
    /// The source that each player stands for.
    who: [u32; SEATS],
}

impl Table {
    /// Nobody plays yet; seats stand for sources from `first` on, `each` apart.
    fn new(first: usize, each: usize) -> Self {
        Self { at: [u64::MAX; SEATS], who: std::array::from_fn(|i| (first + i * each) as u32) }
    }

    /// Time and source of the earliest; the lowest seat among equals.
    #[inline]
    fn winner(&self) -> (u64, u32) {
        let duel = |a: (u64, u32), b: (u64, u32)| if b.0 < a.0 { b } else { a };
        let p = |i: usize| (self.at[i], self.who[i]);
        duel(duel(p(0), p(1)), duel(p(2), p(3)))
    }
}

/// Next event of each source, and the earliest of them all.
#[derive(Debug)]
pub struct Tournament {
    /// From the sources' own tables up to the final one.
    rounds: Vec<Vec<Table>>,
    first: (Time, u32),
}

impl Tournament {
    /// `n` sources without an event.
    pub fn new(n: usize) -> Self {
        let (mut rounds, mut players, mut each) = (Vec::new(), n.max(1), 1);
        loop {
            let tables = players.div_ceil(SEATS);
            rounds.push((0..tables).map(|t| Table::new(t * SEATS * each, each)).collect::<Vec<_>>());
            (players, each) = (tables, each * SEATS);
            if tables == 1 {
                return Self { rounds, first: (Time::MAX, 0) };
            }
        }
    }

    /// Makes room for at least `n` sources; the new ones have no event.
    pub fn grow(&mut self, n: usize) {
        let room = self.rounds[0].len() * SEATS;
        if n <= room {
            return;
        }
        let mut larger = Self::new(n.max(2 * room));
        for source in 0..room as u32 {
            larger.set(source, self.get(source));
        }
        *self = larger;
    }

    /// The earliest event and its source.
    #[inline]
    pub fn first(&self) -> (Time, u32) {
        self.first
    }

    /// When `source` has its event.
    #[inline]
    pub fn get(&self, source: u32) -> Time {
        Time::from_ps(self.rounds[0][source as usize / SEATS].at[source as usize % SEATS])
    }

    /// Moves the event of `source`.
    #[inline]
    pub fn set(&mut self, source: u32, at: Time) {
        let (mut player, mut best) = (source as usize, (at.as_ps(), source));
        for round in &mut self.rounds {
            let table = &mut round[player / SEATS];
            (table.at[player % SEATS], table.who[player % SEATS]) = best;
            best = table.winner();
            player /= SEATS;
        }
        self.first = (Time::from_ps(best.0), best.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_scan(n in 1usize..700, moves in prop::collection::vec((any::<u32>(), 0u64..50), 1..300)) {
            let mut tree = Tournament::new(n);
            let mut plain = vec![Time::MAX; n];
            for (source, at) in moves {
                let source = source as usize % n;
                plain[source] = Time::from_ps(at);
                tree.set(source as u32, plain[source]);
                let (i, t) = plain.iter().enumerate().min_by_key(|(i, t)| (**t, *i)).unwrap();
                prop_assert_eq!(tree.first(), (*t, i as u32));
                prop_assert_eq!(tree.get(source as u32), plain[source]);
            }
        }
    }
}
