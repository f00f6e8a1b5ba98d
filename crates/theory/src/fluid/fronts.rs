//! Discontinuities on their way: each leaves a sender or a queue, arrives at the next, and sets off others there.

use super::dde::Past;
use super::marks::{Errand, Front, Mark};
use super::model::{AVERAGE, DELAY, Model, Phase};
use crate::link_model::LinkModel;

impl Model {
    pub(super) fn open(&mut self, s: usize, at: f64, y: &mut [f64], past: &Past) {
        let flow = &self.plan.flows[s];
        let rtt = at - self.sent_at(past, flow, flow.hops.len(), flow.to_sender, at).0;
        y[self.of_flow(s, AVERAGE)] = rtt;
        self.flows[s].phase = Phase::Open;
        self.depart(s, at, 0, 0, Errand::First);
    }

    /// A discontinuity leaves the sender.
    pub(super) fn depart(&mut self, flow: usize, at: f64, level: u8, generation: u8, errand: Errand) {
        let time = at + self.plan.flows[flow].hops[0].lead;
        self.marks.add(time, Mark::Packet(Front { flow, hop: 0, level, generation, errand }));
    }

    /// It leaves a queue that it entered at `at`, `wait` seconds later.
    fn forward(&mut self, front: Front, at: f64, wait: f64) {
        let flow = &self.plan.flows[front.flow];
        let hop = front.hop + 1;
        let small = front.errand == Errand::Syn;
        let lead = flow.hops.get(hop).map_or(flow.to_sender, |h| if small { h.syn_lead } else { h.lead });
        self.marks.add(at + wait + lead, Mark::Packet(Front { hop, ..front }));
    }

    pub(super) fn arrive(&mut self, front: Front, at: f64, y: &mut [f64], past: &Past) {
        // the integrator's queues smooth by one order what the joint model's hand on in full
        let smoother = u8::from(self.options.link_model == LinkModel::Integrator);
        if let Some(hop) = self.plan.flows[front.flow].hops.get(front.hop) {
            let link = hop.link;
            let wait = past.value(self.of_link(link, DELAY), at).max(0.0);
            self.forward(front, at, wait);
            if self.busy[link] && front.errand != Errand::Syn {
                for i in 0..self.plan.users[link].len() {
                    let (flow, hop) = self.plan.users[link][i];
                    let (level, generation) = (front.level + smoother, front.generation + 1);
                    if flow != front.flow && self.flows[flow].phase != Phase::Idle {
                        self.forward(Front { flow, hop, level, generation, errand: Errand::None }, at, wait);
                    }
                }
            }
            return;
        }
        let s = front.flow;
        match front.errand {
            Errand::Syn => {
                if self.flows[s].phase == Phase::Idle {
                    let start = self.plan.flows[s].start;
                    self.flows[s].smallest = at - start;
                    self.open(s, at, y, past);
                }
                return;
            }
            Errand::First => self.flows[s].heard = true,
            Errand::None => {}
        }
        self.depart(s, at, front.level + smoother, front.generation + 1, Errand::None);
    }

    /// A queue became empty, or began to fill: what leaves it from now on has a kink.
    pub(super) fn kink(&mut self, link: usize, at: f64, level: u8) {
        for i in 0..self.plan.users[link].len() {
            let (flow, hop) = self.plan.users[link][i];
            if self.flows[flow].phase != Phase::Idle {
                self.forward(Front { flow, hop, level, generation: 1, errand: Errand::None }, at, 0.0);
            }
        }
    }
}
