//! Accurate ECN on the wire (RFC 9768): initial values, and the AccECN option (3.2.3), payload bytes by the ECN field with which they arrived.

use crate::ecn::Ecn;

/// AE, CWR and ECE of a SYN-ACK that accepts accurate ECN for a SYN that arrived as Not-ECT (RFC 9768, table 2).
pub const SYN_NOT_ECT: u8 = 0b010;
/// Initial value of the counter of marked packets (RFC 9768, 3.2.1).
pub const INITIAL_CE_COUNT: u8 = 5;
/// Largest value of a field of 24 bits.
const FIELD: u32 = (1 << 24) - 1;

/// The last 24 bits of each byte count. A count that has never changed is not on the wire and has its initial value here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccEcnOption {
    /// Bytes that arrived as ECT(0), modulo 2^24.
    pub ect0: u32,
    /// Bytes that arrived as CE, modulo 2^24.
    pub ce: u32,
    /// Bytes that arrived as ECT(1), modulo 2^24.
    pub ect1: u32,
    /// Number of fields on the wire.
    pub fields: u8,
}

impl Default for AccEcnOption {
    fn default() -> Self {
        // 3.2.1
        Self { ect0: 1, ce: 0, ect1: 1, fields: 0 }
    }
}

impl AccEcnOption {
    /// Counts a data segment with `payload` bytes; returns whether a count changed.
    pub fn count(&mut self, ecn: Ecn, payload: u32) -> bool {
        let initial = Self::default();
        let count = match ecn {
            Ecn::NotEct => return false,
            Ecn::Ect0 => &mut self.ect0,
            Ecn::Ect1 => &mut self.ect1,
            Ecn::Ce => &mut self.ce,
        };
        *count = count.wrapping_add(payload) & FIELD;
        // table 5: fields after the last count that ever changed may be omitted, and the sender chooses the order
        let (ect0, ce, ect1) = (self.ect0 != initial.ect0, self.ce != initial.ce, self.ect1 != initial.ect1);
        let fields = if ect0 && ect1 { 3 } else { 1 + u8::from(ce) };
        self.fields = self.fields.max(fields);
        true
    }

    /// Bytes on the wire: kind, length and three per field, padded to whole words (RFC 9293, 3.1).
    #[must_use]
    pub fn wire_bytes(&self) -> u32 {
        (2 + 3 * u32::from(self.fields)).next_multiple_of(4)
    }

    /// CE-marked bytes since `earlier`, if below half of a field's range (appendix A.1); `None` if this option is the older.
    #[must_use]
    pub fn marked_since(&self, earlier: &Self) -> Option<u32> {
        let since = self.ce.wrapping_sub(earlier.ce) & FIELD;
        (since <= FIELD / 2).then_some(since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 5 with 3.2.3.3: one field for ECT(0) alone, two with CE, three only if both kinds of ECT came; in whole words.
    #[test]
    fn wire_length_grows_with_the_counts_in_use() {
        for (arrived, wire) in [
            (&[Ecn::Ect0][..], 8),
            (&[Ecn::Ect1], 8),
            (&[Ecn::Ce], 8),
            (&[Ecn::Ect0, Ecn::Ce], 8),
            (&[Ecn::Ce, Ecn::Ect1], 8),
            (&[Ecn::Ect0, Ecn::Ect1], 12),
            (&[Ecn::Ect0, Ecn::Ect1, Ecn::Ce], 12),
        ] {
            let mut bytes = AccEcnOption::default();
            arrived.iter().for_each(|ecn| assert!(bytes.count(*ecn, 1000)));
            assert_eq!(bytes.wire_bytes(), wire, "{arrived:?}");
        }
        let mut bytes = AccEcnOption::default();
        assert!(!bytes.count(Ecn::NotEct, 1000));
        assert_eq!(bytes, AccEcnOption::default());
    }

    /// Counts wrap after 16 MiB; a difference is right as long as it is below half of that.
    #[test]
    fn counts_wrap() {
        let mut bytes = AccEcnOption::default();
        let (mut earlier, mut sum) = (bytes, 0u64);
        for i in 0..50_000u32 {
            bytes.count(if i % 3 == 0 { Ecn::Ect0 } else { Ecn::Ce }, 1448);
            if i % 5_500 == 5_499 {
                assert_eq!(earlier.marked_since(&bytes), None, "the older");
                sum += u64::from(bytes.marked_since(&earlier).unwrap());
                earlier = bytes;
            }
        }
        let all = (0..49_500u64).filter(|i| i % 3 != 0).count() as u64 * 1448;
        assert!(all > 2 << 24, "it wrapped several times");
        assert_eq!(sum, all);
        assert_eq!(bytes.wire_bytes(), 8);
    }
}
