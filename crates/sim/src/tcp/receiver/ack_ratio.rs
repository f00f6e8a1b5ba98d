//! Congestion control of acknowledgements, the data receiver's half (RFC 5690, 4.3 and 4.6): it acknowledges as many segments
//! together as the sender asks for.

/// Out-of-order segments that are acknowledged at once in a reordering event.
const AT_ONCE: u32 = 3;

/// What the sender asked for, and the present reordering event.
#[derive(Debug, Clone, Copy)]
pub struct AskedRatio {
    ratio: u32,
    /// Acknowledged at once since the first out-of-order segment.
    duplicates: u32,
}

impl AskedRatio {
    pub fn new(ratio: u32) -> Self {
        Self { ratio, duplicates: 0 }
    }

    /// A data packet asks for `ratio`.
    pub fn ask(&mut self, ratio: u32) {
        if ratio > 0 {
            self.ratio = ratio;
        }
    }

    /// Segments per acknowledgement.
    pub fn ratio(&self) -> u32 {
        self.ratio
    }

    /// All that arrived is in order.
    pub fn in_order(&mut self) {
        self.duplicates = 0;
    }

    /// An out-of-order segment arrived, with `pending` of them not acknowledged: whether they are now.
    pub fn acknowledges(&mut self, pending: u32) -> bool {
        let at_once = self.ratio <= 2 || self.duplicates < AT_ONCE;
        self.duplicates += u32::from(at_once);
        at_once || pending >= self.ratio
    }
}
