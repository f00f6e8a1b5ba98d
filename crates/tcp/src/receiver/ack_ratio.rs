//! Congestion control of acknowledgements, the data receiver's side (RFC 5690, 4.3 and 4.6): it acknowledges as many segments
//! together as the sender requests.

/// Out-of-order segments of one reordering event that are acknowledged at once.
const MAX_AT_ONCE: u32 = 3;

/// The ratio that the sender requested, and the current reordering event.
#[derive(Debug, Clone, Copy)]
pub struct RequestedRatio {
    ratio: u32,
    /// Segments acknowledged at once since the first out-of-order one.
    duplicates: u32,
}

impl RequestedRatio {
    pub fn new(ratio: u32) -> Self {
        Self { ratio, duplicates: 0 }
    }

    /// A data segment requests `ratio`; 0: none.
    pub fn on_request(&mut self, ratio: u32) {
        if ratio > 0 {
            self.ratio = ratio;
        }
    }

    /// Segments per acknowledgement.
    pub fn ratio(&self) -> u32 {
        self.ratio
    }

    /// Nothing is out of order any more.
    pub fn on_in_order(&mut self) {
        self.duplicates = 0;
    }

    /// An out-of-order segment arrived, and `pending` segments are unacknowledged; returns whether to acknowledge now.
    pub fn acknowledges_at_once(&mut self, pending: u32) -> bool {
        let at_once = self.ratio <= 2 || self.duplicates < MAX_AT_ONCE;
        self.duplicates += u32::from(at_once);
        at_once || pending >= self.ratio
    }
}
