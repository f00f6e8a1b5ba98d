//! Propagation of discontinuities: each leaves a sender or a queue, arrives at the next, and spreads to other flows there.

use super::breaking_points::{BreakingPoint, Discontinuity, Packet};
use super::dde::Past;
use super::model::{AVERAGE, DELAY, Model, Phase};
use crate::link_model::LinkModel;

impl Model {
    pub(super) fn open(&mut self, s: usize, at: f64, y: &mut [f64], past: &Past) {
        let flow = &self.plan.flows[s];
        let rtt = at - self.sent_at(past, flow, flow.hops.len(), flow.to_sender, at).0;
        y[self.of_flow(s, AVERAGE)] = rtt;
        self.flows[s].phase = Phase::Open;
        self.depart(s, at, 0, 0, Packet::First);
    }

    /// A discontinuity leaves the sender.
    pub(super) fn depart(&mut self, flow: usize, at: f64, order: u8, generation: u8, packet: Packet) {
        let time = at + self.plan.flows[flow].hops[0].delay_to_queue;
        self.breaking_points
            .add(time, BreakingPoint::Arrival(Discontinuity { flow, hop: 0, order, generation, packet }));
    }

    /// It leaves a queue that it entered at `at`, `wait` seconds later.
    fn forward(&mut self, discontinuity: Discontinuity, at: f64, wait: f64) {
        let flow = &self.plan.flows[discontinuity.flow];
        let hop = discontinuity.hop + 1;
        let small = discontinuity.packet == Packet::Syn;
        let delay =
            flow.hops.get(hop).map_or(flow.to_sender, |h| if small { h.syn_delay_to_queue } else { h.delay_to_queue });
        self.breaking_points.add(at + wait + delay, BreakingPoint::Arrival(Discontinuity { hop, ..discontinuity }));
    }

    pub(super) fn arrive(&mut self, discontinuity: Discontinuity, at: f64, y: &mut [f64], past: &Past) {
        // integrator queues smooth a discontinuity by one order; ack-clocked ones pass it on
        let smoother = u8::from(self.options.link_model == LinkModel::Integrator);
        if let Some(hop) = self.plan.flows[discontinuity.flow].hops.get(discontinuity.hop) {
            let link = hop.link;
            let wait = past.value(self.of_link(link, DELAY), at).max(0.0);
            self.forward(discontinuity, at, wait);
            if self.busy[link] && discontinuity.packet != Packet::Syn {
                for i in 0..self.plan.users[link].len() {
                    let (flow, hop) = self.plan.users[link][i];
                    let (order, generation) = (discontinuity.order + smoother, discontinuity.generation + 1);
                    if flow != discontinuity.flow && self.flows[flow].phase != Phase::Idle {
                        self.forward(Discontinuity { flow, hop, order, generation, packet: Packet::None }, at, wait);
                    }
                }
            }
            return;
        }
        let s = discontinuity.flow;
        match discontinuity.packet {
            Packet::Syn => {
                if self.flows[s].phase == Phase::Idle {
                    let start = self.plan.flows[s].start;
                    self.flows[s].min_rtt = at - start;
                    self.open(s, at, y, past);
                }
                return;
            }
            Packet::First => self.flows[s].established = true,
            Packet::None => {}
        }
        self.depart(s, at, discontinuity.order + smoother, discontinuity.generation + 1, Packet::None);
    }

    /// A queue became empty or began to fill: the rate at which packets leave it has a discontinuity.
    pub(super) fn queue_switched(&mut self, link: usize, at: f64, order: u8) {
        for i in 0..self.plan.users[link].len() {
            let (flow, hop) = self.plan.users[link][i];
            if self.flows[flow].phase != Phase::Idle {
                self.forward(Discontinuity { flow, hop, order, generation: 1, packet: Packet::None }, at, 0.0);
            }
        }
    }
}
