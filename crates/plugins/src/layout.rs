//! What crosses the interface as bytes of a WebAssembly memory, which is little-endian everywhere.

use std::mem::{offset_of, size_of};

use eddyline_controller::abi::{
    Ack, Allowed, Decisions, Handshake, Loss, Marks, MaybeTime, Path, Recovered, Sent, Time, Timeout,
};

/// Bytes of the largest event.
pub(crate) const EVENT: usize = size_of::<Ack>();
/// Bytes of the decisions.
pub(crate) const DECISIONS: usize = size_of::<Decisions>();
/// Bytes of the path facts.
pub(crate) const PATH: usize = size_of::<Path>();

/// A type of the interface that a module reads.
pub(crate) trait Layout {
    /// Writes it to the beginning of `memory`; returns its size.
    fn write(&self, memory: &mut [u8; EVENT]) -> usize;
}

/// A field.
trait Field: Copy {
    fn put(self, memory: &mut [u8]);
}

impl Field for f64 {
    #[inline]
    fn put(self, memory: &mut [u8]) {
        memory.copy_from_slice(&self.to_le_bytes());
    }
}

impl Field for f32 {
    #[inline]
    fn put(self, memory: &mut [u8]) {
        memory.copy_from_slice(&self.to_le_bytes());
    }
}

impl Field for u32 {
    #[inline]
    fn put(self, memory: &mut [u8]) {
        memory.copy_from_slice(&self.to_le_bytes());
    }
}

impl Field for bool {
    #[inline]
    fn put(self, memory: &mut [u8]) {
        memory[0] = u8::from(self);
    }
}

impl Field for Time {
    #[inline]
    fn put(self, memory: &mut [u8]) {
        memory.copy_from_slice(&self.as_ps().to_le_bytes());
    }
}

impl Field for MaybeTime {
    #[inline]
    fn put(self, memory: &mut [u8]) {
        memory.copy_from_slice(&self.as_raw().to_le_bytes());
    }
}

const fn size<T>(_field: &T) -> usize {
    size_of::<T>()
}

macro_rules! layouts {
    ($($type:ident { $($field:ident),* })*) => {$(
        impl Layout for $type {
            #[inline]
            fn write(&self, memory: &mut [u8; EVENT]) -> usize {
                $(
                    let from = offset_of!($type, $field);
                    self.$field.put(&mut memory[from..from + size(&self.$field)]);
                )*
                size_of::<Self>()
            }
        }
    )*};
}

layouts! {
    Path { initial_window, byte_counting, known_base_rtt, mss, packet_bytes, ack_bytes, ack_ratio, paced }
    Handshake { now, rtt }
    Sent { now, in_flight, cwnd_limited }
    Ack { now, sent_at, received_at, rtt, acked, lost, in_flight, stamp, cwnd_limited, in_recovery }
    Loss { now, flight_size }
    Marks { now, sent_at, acked, marked }
    Timeout { now, flight_size, repeated }
    Recovered { now }
    Allowed { window }
}

/// The decisions that a module wrote.
#[inline]
pub(crate) fn decisions_of(memory: &[u8; DECISIONS]) -> Decisions {
    let eight = |from: usize| u64::from_le_bytes(std::array::from_fn(|i| memory[from + i]));
    let four = |from: usize| u32::from_le_bytes(std::array::from_fn(|i| memory[from + i]));
    let limits = offset_of!(Decisions, flight_limits);
    Decisions {
        window: f64::from_bits(eight(offset_of!(Decisions, window))),
        flight_limits: [f64::from_bits(eight(limits)), f64::from_bits(eight(limits + 8))],
        slow_start_threshold: f64::from_bits(eight(offset_of!(Decisions, slow_start_threshold))),
        pacing_interval: MaybeTime::from_raw(eight(offset_of!(Decisions, pacing_interval))),
        base_rtt: MaybeTime::from_raw(eight(offset_of!(Decisions, base_rtt))),
        stamp: f32::from_bits(four(offset_of!(Decisions, stamp))),
        ack_ratio: four(offset_of!(Decisions, ack_ratio)),
        partial_ack: four(offset_of!(Decisions, partial_ack)),
        ecn_response: four(offset_of!(Decisions, ecn_response)),
    }
}
