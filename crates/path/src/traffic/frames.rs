//! Shared by `vbr` and `trace`: sequences of frames, several viewers, and fragmentation of frames into packets.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use eddyline_units::{Bytes, Time};

use super::frame::Frame;
use super::model::Emission;
use crate::ParamError;

/// A sequence of frames in time order, none of them empty.
pub(super) trait Frames {
    fn next_frame(&mut self) -> Option<Frame>;
}

/// Fragmentation of a frame: full packets and one with the rest, each with a header.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fragmentation {
    pub(super) payload: u32,
    pub(super) header: u32,
}

impl Fragmentation {
    /// For packets of at most `packet` bytes; a header that leaves no room is truncated to leave one byte of payload.
    pub(super) fn new(packet: u32, header: Bytes) -> Self {
        let packet = packet.max(1);
        let header = u32::try_from(header.get()).unwrap_or(u32::MAX).min(packet - 1);
        Self { payload: packet - header, header }
    }

    /// Bytes on the wire for a frame.
    pub(super) fn wire_bytes(self, frame: u32) -> u64 {
        u64::from(frame) + u64::from(self.header) * u64::from(frame.div_ceil(self.payload))
    }

    /// Checks a header for packets of this size.
    pub(super) fn errors(packet: u32, header: Bytes, found: &mut Vec<ParamError>) {
        if header.get() >= u64::from(packet) {
            found.push(ParamError::new("header", format!("must be below the packet, {packet} B")));
        }
    }
}

/// Frames of many viewers as one sequence of packets: frames in order of time, then of viewer, each frame's packets back to back at
/// the frame's time (the link spaces them).
///
/// Synchronised viewers share one player, each frame of which is sent once per viewer; others have their own player.
#[derive(Debug, Clone)]
pub(super) struct ViewerStreams<F> {
    players: Vec<F>,
    /// Each player's next frame: time, player, bytes.
    due: BinaryHeap<Reverse<(Time, u32, u32)>>,
    viewers: u32,
    cut: Fragmentation,
    frame: Frame,
    /// Bytes of the frame still to be sent to the current viewer.
    left: u32,
    viewers_left: u32,
}

impl<F: Frames> ViewerStreams<F> {
    /// Each player's frames go to `viewers` viewers.
    pub(super) fn new(mut players: Vec<F>, viewers: u32, cut: Fragmentation) -> Self {
        let first = |(i, p): (usize, &mut F)| p.next_frame().map(|f| Reverse((f.at, i as u32, f.bytes)));
        let due = players.iter_mut().enumerate().filter_map(first).collect();
        let frame = Frame { at: Time::ZERO, bytes: 0 };
        Self { players, due, viewers, cut, frame, left: 0, viewers_left: 0 }
    }

    pub(super) fn next(&mut self) -> Option<Emission> {
        if self.left == 0 {
            if self.viewers_left == 0 {
                self.load()?;
                self.viewers_left = self.viewers;
            }
            self.viewers_left -= 1;
            self.left = self.frame.bytes;
        }
        let payload = self.left.min(self.cut.payload);
        self.left -= payload;
        Some(Emission { at: self.frame.at, bytes: payload + self.cut.header })
    }

    /// Takes the earliest frame due and puts its player's next one in its place.
    fn load(&mut self) -> Option<()> {
        let mut top = self.due.peek_mut()?;
        let Reverse((at, player, bytes)) = *top;
        self.frame = Frame { at, bytes };
        match self.players[player as usize].next_frame() {
            Some(next) => *top = Reverse((next.at, player, next.bytes)),
            None => drop(PeekMut::pop(top)),
        }
        Some(())
    }
}
