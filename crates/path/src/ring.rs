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

    /// The value with `index` others before it.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&T> {
        if index < self.len { self.slots.get(self.slot(index)) } else { None }
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
}

#[cfg(test)]
mod tests {
    use super::Ring;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn agrees_with_a_double_ended_queue(steps in prop::collection::vec((0u8..4, 0u32..40), 1..200)) {
            let (mut ring, mut plain) = (Ring::default(), VecDeque::new());
            for (step, value) in steps {
                if step < 3 {
                    ring.push_back(value);
                    plain.push_back(value);
                } else {
                    ring.pop_while(|v| *v < value);
                    while plain.front().is_some_and(|v| *v < value) {
                        plain.pop_front();
                    }
                }
                prop_assert_eq!(ring.len(), plain.len());
                prop_assert_eq!(ring.is_empty(), plain.is_empty());
                prop_assert!((0..=plain.len()).all(|i| ring.get(i) == plain.get(i)));
            }
        }
    }
}
