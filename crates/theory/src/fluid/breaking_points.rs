//! Breaking points: times at which derivatives are discontinuous. Flows start and stop, loads change, and these
//! discontinuities propagate through the network with its delays.

/// What happens at a breaking point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BreakingPoint {
    /// A flow starts.
    Start(usize),
    /// A flow sends no more.
    Stop(usize),
    /// Unresponsive load changes.
    Load,
    /// A packet that left its sender or a queue at a breaking point arrives at a hop of its flow; after the last hop, at
    /// the sender.
    Arrival(Discontinuity),
}

/// A propagating discontinuity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Discontinuity {
    pub flow: usize,
    pub hop: usize,
    /// The lowest derivative of the rate that jumps; 0 is the rate itself.
    pub order: u8,
    /// How often it has spread to other flows or gone round the loop.
    pub generation: u8,
    pub packet: Packet,
}

/// The packet that carries a discontinuity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packet {
    /// The handshake's packet.
    Syn,
    /// The first packet of data.
    First,
    /// Any other.
    None,
}

/// Limit on pending discontinuities; more are left to error control.
const MAX_POINTS: usize = 4096;

/// Pending breaking points in order of time.
#[derive(Debug)]
pub(super) struct BreakingPoints {
    /// Latest first.
    list: Vec<(f64, BreakingPoint)>,
    /// Limit on generations.
    generations: u8,
    /// Breaking points of one packet closer than this many seconds are merged.
    resolution: f64,
}

impl BreakingPoints {
    pub(super) fn new(generations: u8, resolution: f64) -> Self {
        Self { list: Vec::new(), generations, resolution }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    pub(super) fn next(&self) -> f64 {
        self.list.last().map_or(f64::INFINITY, |m| m.0)
    }

    /// The next breaking point, if it is not after `t`.
    pub(super) fn due(&mut self, t: f64) -> Option<(f64, BreakingPoint)> {
        if self.next() <= t { self.list.pop() } else { None }
    }

    pub(super) fn add(&mut self, time: f64, mark: BreakingPoint) {
        if let BreakingPoint::Arrival(discontinuity) = mark {
            let plain = discontinuity.packet == Packet::None;
            if plain
                && (discontinuity.order > 1
                    || discontinuity.generation > self.generations
                    || self.list.len() > MAX_POINTS)
            {
                return;
            }
            let same = |m: &BreakingPoint| matches!(m, BreakingPoint::Arrival(f) if f.flow == discontinuity.flow && f.hop == discontinuity.hop);
            let near = self.list.partition_point(|m| m.0 > time + self.resolution);
            let known = self.list[near..].iter().take_while(|m| m.0 >= time - self.resolution).any(|m| same(&m.1));
            if plain && known {
                return;
            }
        }
        if time.is_finite() {
            let at = self.list.partition_point(|m| m.0 > time);
            self.list.insert(at, (time, mark));
        }
    }
}
