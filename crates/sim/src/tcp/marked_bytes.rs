//! The AccECN option (RFC 9768, 3.2.3): payload bytes by the ECN field with which they arrived.

use eddyline_path::Ecn;

/// Bits of a field.
const FIELD: u32 = (1 << 24) - 1;

/// What an acknowledgement with the option says: the last 24 bits of each count. A count that has never changed is not on the wire,
/// and stands here as it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkedBytes {
    ect0: u32,
    ce: u32,
    ect1: u32,
    /// Fields on the wire.
    fields: u8,
}

impl Default for MarkedBytes {
    fn default() -> Self {
        // 3.2.1
        Self { ect0: 1, ce: 0, ect1: 1, fields: 0 }
    }
}

impl MarkedBytes {
    /// A data packet with so much payload arrived. Gives whether a count changed.
    pub fn count(&mut self, ecn: Ecn, payload: u32) -> bool {
        let began = Self::default();
        let count = match ecn {
            Ecn::NotCapable => return false,
            Ecn::Ect0 => &mut self.ect0,
            Ecn::Ect1 => &mut self.ect1,
            Ecn::Ce => &mut self.ce,
        };
        *count = count.wrapping_add(payload) & FIELD;
        // table 5: what is behind the last count that ever changed may be left out, and the order is the sender's choice
        let (ect0, ce, ect1) = (self.ect0 != began.ect0, self.ce != began.ce, self.ect1 != began.ect1);
        let fields = if ect0 && ect1 { 3 } else { 1 + u8::from(ce) };
        self.fields = self.fields.max(fields);
        true
    }

    /// Bytes on the wire: kind, length and three a field, made up to whole words (RFC 9293, 3.1).
    pub fn wire_bytes(&self) -> u32 {
        (2 + 3 * u32::from(self.fields)).next_multiple_of(4)
    }

    /// Marked bytes since `before`, if fewer than half of what fits into a field (appendix A.1); none where this is the older.
    pub fn marked_since(&self, before: &Self) -> Option<u32> {
        let since = self.ce.wrapping_sub(before.ce) & FIELD;
        (since <= FIELD / 2).then_some(since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 5 with 3.2.3.3: one field for ECT(0) alone, two with CE, three only if both kinds of ECT came; in whole words.
    #[test]
    fn as_long_as_need_be() {
        for (arrived, wire) in [
            (&[Ecn::Ect0][..], 8),
            (&[Ecn::Ect1], 8),
            (&[Ecn::Ce], 8),
            (&[Ecn::Ect0, Ecn::Ce], 8),
            (&[Ecn::Ce, Ecn::Ect1], 8),
            (&[Ecn::Ect0, Ecn::Ect1], 12),
            (&[Ecn::Ect0, Ecn::Ect1, Ecn::Ce], 12),
        ] {
            let mut bytes = MarkedBytes::default();
            arrived.iter().for_each(|ecn| assert!(bytes.count(*ecn, 1000)));
            assert_eq!(bytes.wire_bytes(), wire, "{arrived:?}");
        }
        let mut bytes = MarkedBytes::default();
        assert!(!bytes.count(Ecn::NotCapable, 1000));
        assert_eq!(bytes, MarkedBytes::default());
    }

    /// Counts go round after 16 MiB, and a difference is right as long as it is below half of that.
    #[test]
    fn counts_go_round() {
        let mut bytes = MarkedBytes::default();
        let (mut before, mut sum) = (bytes, 0u64);
        for i in 0..50_000u32 {
            bytes.count(if i % 3 == 0 { Ecn::Ect0 } else { Ecn::Ce }, 1448);
            if i % 5_500 == 5_499 {
                assert_eq!(before.marked_since(&bytes), None, "the older");
                sum += u64::from(bytes.marked_since(&before).unwrap());
                before = bytes;
            }
        }
        let all = (0..49_500u64).filter(|i| i % 3 != 0).count() as u64 * 1448;
        assert!(all > 2 << 24, "it has gone round several times");
        assert_eq!(sum, all);
        assert_eq!(bytes.wire_bytes(), 8);
    }
}
