//! A first-in, first-out queue in one array, whose size is a power of two: a place in it takes no division or comparison.

/// A queue of values that are copied in and out.
#[derive(Debug, Clone)]
pub struct Ring<T> {
    slots: Vec<T>,
    /// Slot of the first value, modulo the number of slots.
    head: usize,
    len: usize,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), head: 0, len: 0 }
    }
}

impl<T: Copy + Default> Ring<T> {
    /// Number of values.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// There is none.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The slot of the value at `index`.
    #[inline]
    fn slot(&self, index: usize) -> usize {
        self.head.wrapping_add(index) & self.slots.len().wrapping_sub(1)
    }

    /// The first value.
    #[inline]
    #[must_use]
    pub fn front(&self) -> Option<&T> {
        self.get(0)
    }

    /// The value with `index` others before it.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&T> {
        if index < self.len { self.slots.get(self.slot(index)) } else { None }
    }

    /// The first value, removed.
    #[inline]
    pub fn pop_front(&mut self) -> Option<T> {
        let value = *self.front()?;
        self.head = self.head.wrapping_add(1);
        self.len -= 1;
        Some(value)
    }

    /// The first value, removed, and the one that is first then.
    #[inline]
    pub fn pop_and_look(&mut self) -> Option<(&T, Option<&T>)> {
        let (first, next) = (self.slot(0), self.slot(1));
        self.len = self.len.checked_sub(1)?;
        self.head = self.head.wrapping_add(1);
        let next = if self.len > 0 { self.slots.get(next) } else { None };
        Some((self.slots.get(first)?, next))
    }

    /// Removes values from the front as long as `leaves` says so of the first.
    #[inline]
    pub fn pop_while(&mut self, mut leaves: impl FnMut(&T) -> bool) {
        let mut left = 0;
        while self.get(left).is_some_and(&mut leaves) {
            left += 1;
        }
        self.head = self.head.wrapping_add(left);
        self.len -= left;
    }

    /// Adds a value at the end.
    #[inline(always)]
    pub fn push_back(&mut self, value: T) {
        if self.len == self.slots.len() {
            self.grow();
        }
        let slot = self.slot(self.len);
        self.slots[slot] = value;
        self.len += 1;
    }

    /// Doubles the number of slots.
    // without the value that is to be added, which therefore need not be in memory
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut slots = Vec::with_capacity((2 * self.slots.len()).max(4));
        slots.extend((0..self.len).map(|i| self.slots[self.slot(i)]));
        slots.resize(slots.capacity().next_power_of_two(), T::default());
        (self.slots, self.head) = (slots, 0);
    }

    /// Adds a value that has `index` others before it.
    pub fn insert(&mut self, index: usize, value: T) {
        self.push_back(value);
        for i in (index + 1..self.len).rev() {
            let (to, from) = (self.slot(i), self.slot(i - 1));
            self.slots[to] = self.slots[from];
        }
        let slot = self.slot(index);
        self.slots[slot] = value;
    }

    /// How many values there are before the first of which `before` does not hold; it holds of all before that one.
    pub fn partition_point(&self, mut before: impl FnMut(&T) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if before(&self.slots[self.slot(middle)]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::Ring;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn agrees_with_a_double_ended_queue(steps in prop::collection::vec((0u8..5, 0u32..40), 1..200)) {
            let (mut ring, mut plain) = (Ring::default(), VecDeque::new());
            for (step, value) in steps {
                match step {
                    0 | 1 => {
                        ring.push_back(value);
                        plain.push_back(value);
                    }
                    2 if value % 2 == 0 => prop_assert_eq!(ring.pop_front(), plain.pop_front()),
                    2 => {
                        let popped = ring.pop_and_look().map(|(first, next)| (*first, next.copied()));
                        prop_assert_eq!(popped, plain.pop_front().map(|first| (first, plain.front().copied())));
                    }
                    3 => {
                        ring.pop_while(|v| *v < value);
                        while plain.front().is_some_and(|v| *v < value) {
                            plain.pop_front();
                        }
                    }
                    _ => {
                        let index = value as usize % (plain.len() + 1);
                        ring.insert(index, value);
                        plain.insert(index, value);
                    }
                }
                prop_assert_eq!(ring.len(), plain.len());
                prop_assert_eq!(ring.is_empty(), plain.is_empty());
                prop_assert!((0..=plain.len()).all(|i| ring.get(i) == plain.get(i)));
            }
            let mut sorted = Ring::default();
            let mut values: Vec<u32> = plain.into_iter().collect();
            values.sort_unstable();
            values.iter().for_each(|v| sorted.push_back(*v));
            prop_assert_eq!(sorted.partition_point(|v| *v < 20), values.partition_point(|v| *v < 20));
        }
    }
}
