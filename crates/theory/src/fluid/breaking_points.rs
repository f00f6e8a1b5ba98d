//! Known moments at which something is not smooth: starts, stops, and the jumps that they send round the network.

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BreakingPoint {
    /// A flow wants to begin.
    Start(usize),
    /// A flow sends no more.
    Stop(usize),
    /// Unresponsive load changes.
    Load,
    /// A packet that left its sender, or a queue, at a moment of discontinuity arrives at hop `hop` of its flow; behind
    /// the last hop is the sender.
    Arrival(Discontinuity),
}

/// A discontinuity on its way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Discontinuity {
    pub flow: usize,
    pub hop: usize,
    /// The lowest derivative of the rate that jumps; 0 is the rate itself.
    pub level: u8,
    /// How often it was handed on, to other flows or round the loop.
    pub generation: u8,
    pub packet: Packet,
}

/// What a discontinuity means to its sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packet {
    /// The handshake's packet.
    Syn,
    /// The first packet of data.
    First,
    /// Nothing besides the discontinuity.
    None,
}

/// Fronts that may be on their way at once; more are left to error control.
const MAX_POINTS: usize = 4096;

/// BreakingPoints in order of time.
#[derive(Debug)]
pub(super) struct BreakingPoints {
    /// Latest first.
    list: Vec<(f64, BreakingPoint)>,
    /// Generations that are followed.
    generations: u8,
    /// BreakingPoints closer than this many seconds are one.
    apart: f64,
}

impl BreakingPoints {
    pub(super) fn new(generations: u8, apart: f64) -> Self {
        Self { list: Vec::new(), generations, apart }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    pub(super) fn next(&self) -> f64 {
        self.list.last().map_or(f64::INFINITY, |m| m.0)
    }

    /// The next mark, if it is not after `t`.
    pub(super) fn due(&mut self, t: f64) -> Option<(f64, BreakingPoint)> {
        if self.next() <= t { self.list.pop() } else { None }
    }

    pub(super) fn add(&mut self, time: f64, mark: BreakingPoint) {
        if let BreakingPoint::Arrival(discontinuity) = mark {
            let idle = discontinuity.packet == Packet::None;
            if idle
                && (discontinuity.level > 1
                    || discontinuity.generation > self.generations
                    || self.list.len() > MAX_POINTS)
            {
                return;
            }
            let same = |m: &BreakingPoint| matches!(m, BreakingPoint::Arrival(f) if f.flow == discontinuity.flow && f.hop == discontinuity.hop);
            let near = self.list.partition_point(|m| m.0 > time + self.apart);
            let known = self.list[near..].iter().take_while(|m| m.0 >= time - self.apart).any(|m| same(&m.1));
            if idle && known {
                return;
            }
        }
        if time.is_finite() {
            let at = self.list.partition_point(|m| m.0 > time);
            self.list.insert(at, (time, mark));
        }
    }
}
