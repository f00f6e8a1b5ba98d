//! The equations: windows, links in both models, what senders measure.

use super::breaking_points::{BreakingPoint, BreakingPoints, Packet};
use super::dde::{Past, System};
use super::options::{DynamicsOptions, Gain};
use super::plan::{FlowPlan, Plan};
use super::steady_state::SteadyState;
use crate::fast::{WindowLaw, between_samples, between_updates, follows};
use crate::link_model::LinkModel;

/// Unknowns of a flow: window, average round-trip time, packets sent, bits that arrived at the receiver (integrator
/// only).
pub(super) const WINDOW: usize = 0;
pub(super) const AVERAGE: usize = 1;
pub(super) const SENT: usize = 2;
const RECEIVED: usize = 3;
/// Unknowns of a link: queueing delay, bits that arrived, bits that left, packets that arrived.
pub(super) const DELAY: usize = 0;
pub(super) const ARRIVED: usize = 1;
pub(super) const LEFT: usize = 2;
pub(super) const PACKETS: usize = 3;
const UNKNOWNS: usize = 4;

/// An empty queue begins to fill when y / c - 1 exceeds this, which rounding does not.
const FILL_THRESHOLD: f64 = 1e-7;
/// Packets missing in flight are sent at this rate per round-trip time: integrated rates alone would drift away from
/// "sent - acknowledged = window". It also spreads the initial window.
const CATCH_UP: f64 = 5.0;
/// Limit on the rate of a filter per round-trip time: a faster one is equivalent to none, but would force small steps.
const FASTEST_FILTER: f64 = 50.0;
/// Seconds between the two thresholds of start-up, which keeps rounding from switching it on and off.
const HYSTERESIS: f64 = 1e-9;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Not started, or in the handshake.
    Idle,
    Open,
    Closed,
}

/// Discrete state of a flow, and the values computed last.
#[derive(Debug, Clone)]
pub(super) struct FlowState {
    pub phase: Phase,
    /// The first acknowledgement has arrived.
    pub established: bool,
    pub doubling: bool,
    /// The smallest sample so far, in seconds.
    pub min_rtt: f64,
    /// R of the acknowledgement that arrives now.
    pub rtt: f64,
    /// Packets acknowledged.
    pub acknowledged: f64,
}

pub(super) struct Model {
    pub plan: Plan,
    pub(super) options: DynamicsOptions,
    pub flows: Vec<FlowState>,
    pub busy: Vec<bool>,
    /// Load at each link in bit/s and packet/s.
    load: Vec<(f64, f64)>,
    pub(super) breaking_points: BreakingPoints,
    earliest: f64,
    pub min_base_rtt: f64,
    /// The initial equilibrium, unless the network starts empty.
    steady: Option<SteadyState>,
}

impl Model {
    pub(super) fn new(plan: Plan, options: DynamicsOptions) -> Self {
        let min_base_rtt = plan.flows.iter().map(|f| f.base_rtt).fold(f64::INFINITY, f64::min);
        let min_base_rtt = if min_base_rtt.is_finite() { min_base_rtt.max(1e-9) } else { 1e-3 };
        let generations = match plan.flows.len() {
            0..=4 => 3,
            5..=16 => 2,
            _ => 1,
        };
        let mut breaking_points = BreakingPoints::new(generations, 1e-8 * min_base_rtt);
        let flow = FlowState {
            phase: Phase::Idle,
            established: false,
            doubling: options.start_up,
            min_rtt: f64::INFINITY,
            rtt: 0.0,
            acknowledged: 0.0,
        };
        for (s, f) in plan.flows.iter().enumerate() {
            breaking_points.add(f.start, BreakingPoint::Start(s));
            breaking_points.add(f.stop, BreakingPoint::Stop(s));
        }
        for load in &plan.loads {
            breaking_points.add(load.from, BreakingPoint::Load);
            breaking_points.add(load.to, BreakingPoint::Load);
        }
        Self {
            flows: vec![flow; plan.flows.len()],
            busy: vec![false; plan.capacity.len()],
            load: vec![(0.0, 0.0); plan.capacity.len()],
            plan,
            options,
            breaking_points,
            earliest: f64::NEG_INFINITY,
            min_base_rtt,
            steady: None,
        }
    }

    /// Starts from an equilibrium instead of an empty network.
    pub(super) fn from_steady_state(plan: Plan, options: DynamicsOptions, steady: SteadyState) -> Self {
        let mut model = Self::new(plan, options);
        // all flows have started, and none leaves
        model.breaking_points.clear();
        for (state, flow) in model.flows.iter_mut().zip(&model.plan.flows) {
            state.phase = Phase::Open;
            state.established = true;
            state.doubling = false;
            state.min_rtt = flow.base_rtt;
        }
        for (busy, delay) in model.busy.iter_mut().zip(&steady.delays) {
            *busy = *delay > 0.0;
        }
        model.load.clone_from(&steady.unresponsive);
        model.steady = Some(steady);
        model
    }

    pub(super) fn of_flow(&self, flow: usize, unknown: usize) -> usize {
        UNKNOWNS * flow + unknown
    }

    pub(super) fn of_link(&self, link: usize, unknown: usize) -> usize {
        UNKNOWNS * (self.plan.flows.len() + link) + unknown
    }

    pub(super) fn initial(&self) -> Vec<f64> {
        let mut y = vec![0.0; self.unknowns()];
        for (s, f) in self.plan.flows.iter().enumerate() {
            y[self.of_flow(s, WINDOW)] = f.initial_window;
            y[self.of_flow(s, AVERAGE)] = f.base_rtt;
        }
        let Some(steady) = &self.steady else { return y };
        for (s, f) in steady.flows.iter().enumerate() {
            y[self.of_flow(s, WINDOW)] = f.rate * f.rtt;
            y[self.of_flow(s, AVERAGE)] = f.rtt;
        }
        for (l, delay) in steady.delays.iter().enumerate() {
            y[self.of_link(l, DELAY)] = *delay;
        }
        y
    }

    /// Bits of flow `s` that had arrived at its receiver at the beginning, counted as [`received`](Self::received)
    /// does.
    pub(super) fn received_at_first(&self, s: usize) -> f64 {
        match (&self.steady, self.options.link_model) {
            (None, _) | (_, LinkModel::Integrator) => 0.0,
            (Some(steady), LinkModel::AckClocked | LinkModel::Joint) => {
                let flow = &self.plan.flows[s];
                -steady.flows[s].rate * steady.forward_delay(flow) * flow.packet_bits
            }
        }
    }

    /// When the packet that at time `t` is `delay` seconds past the queue before hop `hop` was sent; and the ratio of the
    /// present rate to that at the sender: every queue stretches the spacing of packets by 1 + p'.
    pub(super) fn sent_at(&self, past: &Past, flow: &FlowPlan, hop: usize, delay: f64, t: f64) -> (f64, f64) {
        let mut u = t - delay;
        let mut share = 1.0;
        for h in (0..hop).rev() {
            let (entered, slope) = past.entered(self.of_link(flow.hops[h].link, DELAY), u);
            // without arrivals p' = -1; then the capacity limits the rate
            share /= (1.0 + slope).max(1e-9);
            u = entered - flow.hops[h].delay_to_queue;
        }
        (u, share)
    }

    /// Packets a second of flow `s` that pass a point now; see [`sent_at`](Self::sent_at). With it the moment they were
    /// sent.
    fn rate_at(&self, past: &Past, s: usize, hop: usize, delay: f64, t: f64) -> (f64, f64) {
        let flow = &self.plan.flows[s];
        let (sent, share) = self.sent_at(past, flow, hop, delay, t);
        let (_, rate) = past.both(self.of_flow(s, SENT), sent);
        let rate = rate.max(0.0);
        match self.options.link_model {
            LinkModel::Integrator => (rate, sent),
            LinkModel::AckClocked | LinkModel::Joint => {
                // no link exceeds its capacity
                let limits = flow.hops[..hop].iter().map(|h| self.plan.capacity[h.link] / h.bits.max(1e-300));
                (limits.fold(rate * share, f64::min), sent)
            }
        }
    }

    /// Bits of flow `s` that have arrived at its receiver. The ack-clocked model conserves packets, so they
    /// are those sent up to the time at which the packet that arrives now was sent. The integrator's rates are no
    /// departures and have to be integrated.
    pub(super) fn received(&self, past: &Past, s: usize, y: &[f64], t: f64) -> f64 {
        let flow = &self.plan.flows[s];
        match self.options.link_model {
            LinkModel::Integrator => y[self.of_flow(s, RECEIVED)],
            LinkModel::AckClocked | LinkModel::Joint => {
                let (sent, _) = self.sent_at(past, flow, flow.data_hops, flow.to_receiver, t);
                past.value(self.of_flow(s, SENT), sent) * flow.packet_bits
            }
        }
    }

    /// The base round-trip time that a sender assumes after the sample `rtt`.
    pub(super) fn assumed_base_rtt(&self, s: usize, rtt: f64) -> f64 {
        self.plan.flows[s].assumed_base_rtt.unwrap_or_else(|| self.flows[s].min_rtt.min(rtt))
    }

    /// The window's derivative, where the law multiplies `window_at_sending`, and by how much the sender's queueing delay exceeds the
    /// threshold of start-up.
    fn window_rate(
        &self,
        s: usize,
        (w, window_at_sending, average): (f64, f64, f64),
        rtt: f64,
        acknowledged: f64,
    ) -> (f64, f64) {
        let (flow, state) = (&self.plan.flows[s], &self.flows[s]);
        let base = self.assumed_base_rtt(s, rtt);
        let average = if flow.averaging.is_any() { average } else { rtt };
        let above = average - base - flow.threshold;
        let rate = if state.doubling {
            match self.options.link_model {
                // with x = w / R, doubling in a round trip
                LinkModel::Integrator => std::f64::consts::LN_2 * w / rtt,
                LinkModel::AckClocked | LinkModel::Joint => acknowledged,
            }
        } else {
            let gain = match self.options.gain {
                Gain::Continuous => flow.gamma,
                Gain::Sampled => (-libm::log1p(-flow.gamma)).min(7.0),
            };
            // two-way eq. 2, q / (d + q) = 1 - base / RTT; FAST at most doubles
            (gain * (flow.alpha - w + window_at_sending * base / average)).min(w) / between_updates(&flow.fast, rtt)
        };
        // the floor, smoothly
        (rate.max((flow.floor - w) * 10.0 / rtt), above)
    }

    fn filter_rate(&self, s: usize, (w, average): (f64, f64), rtt: f64, acknowledged: f64) -> f64 {
        let flow = &self.plan.flows[s];
        let acks = acknowledged / flow.ack_ratio;
        let fast = flow.averaging.fast.then(|| follows((flow.gain / w.max(1.0)).min(flow.cap), acks));
        let smoothed = flow.averaging.smoothed.map(|smoothed| {
            let weight = if rtt > average { smoothed.up } else { smoothed.down };
            follows(weight, if smoothed.at_updates { 1.0 / between_samples(&flow.fast, rtt) } else { acks })
        });
        let rate = match (fast, smoothed) {
            (None, None) => return 0.0,
            (Some(rate), None) | (None, Some(rate)) => rate,
            // one after the other, to first order
            (Some(average), Some(smoothed)) => 1.0 / (1.0 / average + 1.0 / smoothed),
        };
        let rate = rate.min(FASTEST_FILTER / rtt);
        rate * (rtt - average)
    }
}

impl System for Model {
    fn unknowns(&self) -> usize {
        UNKNOWNS * (self.plan.flows.len() + self.plan.capacity.len())
    }

    fn history(&self, dy: &mut [f64]) {
        let Some(steady) = &self.steady else { return };
        for (s, f) in steady.flows.iter().enumerate() {
            dy[self.of_flow(s, SENT)] = f.rate;
        }
        for (l, (bps, packets)) in steady.arriving(&self.plan).into_iter().enumerate() {
            dy[self.of_link(l, ARRIVED)] = bps;
            dy[self.of_link(l, LEFT)] = bps;
            dy[self.of_link(l, PACKETS)] = packets;
        }
    }

    /// One a link (it empties, or fills), two a flow (start-up ends or begins again; all data are sent).
    fn events(&self) -> usize {
        self.plan.capacity.len() + 2 * self.plan.flows.len()
    }

    fn rates(&mut self, t: f64, y: &[f64], past: &Past, dy: &mut [f64], events: &mut [f64]) {
        let (links, flows) = (self.plan.capacity.len(), self.plan.flows.len());
        let mut arriving = self.load.clone();
        for s in 0..flows {
            let at = self.of_flow(s, 0);
            dy[at..at + UNKNOWNS].fill(0.0);
            let of_events = links + 2 * s;
            events[of_events..of_events + 2].fill(-1.0);
            if self.flows[s].phase == Phase::Idle {
                continue;
            }
            let flow = &self.plan.flows[s];
            let (w, average) = (y[at + WINDOW], y[at + AVERAGE]);
            let (acks, sent) = self.rate_at(past, s, flow.hops.len(), flow.to_sender, t);
            let rtt = (t - sent).max(1e-3 * flow.base_rtt);
            let acknowledged = past.value(at + SENT, sent);
            let established = self.flows[s].established;
            if self.flows[s].phase == Phase::Open {
                let window_at_sending = match self.options.law {
                    WindowLaw::Present => w,
                    WindowLaw::AtSending => past.value(at + WINDOW, sent),
                };
                let (grow, above) = self.window_rate(s, (w, window_at_sending, average), rtt, acks);
                dy[at + WINDOW] = if established {
                    grow + self.steady.as_ref().map_or(0.0, |r| r.flows[s].perturbation_rate(t))
                } else {
                    0.0
                };
                dy[at + AVERAGE] = if established { self.filter_rate(s, (w, average), rtt, acks) } else { 0.0 };
                dy[at + SENT] = match self.options.link_model {
                    // two-way, before eq. 1
                    LinkModel::Integrator => w / rtt,
                    // d/dt of: packets sent = packets acknowledged + w
                    LinkModel::AckClocked | LinkModel::Joint => {
                        let missing = acknowledged + w - y[at + SENT];
                        let room = (acks + dy[at + WINDOW] + CATCH_UP / flow.base_rtt * missing).max(0.0);
                        if flow.paced { room.min(w / rtt) } else { room }
                    }
                };
                if self.options.start_up && established {
                    let doubling = self.flows[s].doubling;
                    events[of_events] = if doubling { above } else { -above - HYSTERESIS };
                }
                events[of_events + 1] = y[at + SENT] - flow.size;
            }
            let flow = &self.plan.flows[s];
            if self.options.link_model == LinkModel::Integrator {
                let (arrived, _) = self.rate_at(past, s, flow.data_hops, flow.to_receiver, t);
                dy[at + RECEIVED] = arrived * flow.packet_bits;
            }
            for (h, hop) in flow.hops.iter().enumerate() {
                let (x, _) = self.rate_at(past, s, h, hop.delay_to_queue, t);
                arriving[hop.link].0 += x * hop.bits;
                arriving[hop.link].1 += x * hop.packets;
            }
            let state = &mut self.flows[s];
            (state.rtt, state.acknowledged) = (rtt, acknowledged);
        }
        for (l, (bps, packets)) in arriving.iter().enumerate() {
            let (at, c) = (self.of_link(l, 0), self.plan.capacity[l]);
            let busy = self.busy[l];
            // two-way eq. 3
            let growth = bps / c - 1.0;
            dy[at + DELAY] = if busy { growth } else { 0.0 };
            dy[at + ARRIVED] = *bps;
            dy[at + LEFT] = if busy { c } else { *bps };
            dy[at + PACKETS] = *packets;
            events[l] = if busy { -y[at + DELAY] } else { growth - FILL_THRESHOLD };
        }
    }

    fn fire(&mut self, i: usize, t: f64, y: &mut [f64], _past: &Past) {
        let links = self.plan.capacity.len();
        if i < links {
            self.busy[i] = !self.busy[i];
            y[self.of_link(i, DELAY)] = 0.0;
            let abrupt = !self.busy[i] && self.options.link_model == LinkModel::AckClocked;
            self.queue_switched(i, t, u8::from(!abrupt));
            return;
        }
        let s = (i - links) / 2;
        if (i - links).is_multiple_of(2) {
            self.flows[s].doubling = !self.flows[s].doubling;
            self.depart(s, t, u8::from(self.options.link_model == LinkModel::Integrator), 1, Packet::None);
        } else {
            self.flows[s].phase = Phase::Closed;
            self.depart(s, t, 0, 0, Packet::None);
        }
    }

    fn next_stop(&self) -> f64 {
        self.breaking_points.next()
    }

    fn stopped(&mut self, t: f64, y: &mut [f64], past: &Past) {
        while let Some((at, mark)) = self.breaking_points.due(t) {
            match mark {
                BreakingPoint::Start(s) if self.options.handshake => {
                    self.depart(s, at, 0, 0, Packet::Syn);
                }
                BreakingPoint::Start(s) => self.open(s, at, y, past),
                BreakingPoint::Stop(s) => {
                    self.flows[s].phase = match self.flows[s].phase {
                        // a flow that has not started never does
                        Phase::Idle | Phase::Closed => Phase::Closed,
                        Phase::Open => {
                            self.depart(s, at, 0, 0, Packet::None);
                            Phase::Closed
                        }
                    };
                }
                BreakingPoint::Load => {
                    self.load.fill((0.0, 0.0));
                    for load in self.plan.loads.iter().filter(|l| l.from <= t && t < l.to) {
                        self.load[load.link].0 += load.bps;
                        self.load[load.link].1 += load.packets_per_s;
                    }
                }
                BreakingPoint::Arrival(discontinuity) => self.arrive(discontinuity, at, y, past),
            }
        }
    }

    fn stepped(&mut self, t: f64, y: &[f64], past: &Past) {
        let mut earliest = t;
        for s in 0..self.plan.flows.len() {
            let flow = &self.plan.flows[s];
            let (sent, _) = self.sent_at(past, flow, flow.hops.len(), flow.to_sender, t);
            earliest = earliest.min(sent);
            if self.flows[s].established {
                self.flows[s].min_rtt = self.flows[s].min_rtt.min(t - sent);
            }
        }
        for l in 0..self.plan.capacity.len() {
            earliest = earliest.min(t - y[self.of_link(l, DELAY)]);
        }
        self.earliest = earliest - 1e-6 * self.min_base_rtt;
    }

    fn scales(&self, y: &[f64], scales: &mut [f64]) {
        scales.fill(f64::INFINITY);
        for (s, f) in self.plan.flows.iter().enumerate() {
            let window = y[self.of_flow(s, WINDOW)].max(1.0);
            scales[self.of_flow(s, WINDOW)] = window;
            scales[self.of_flow(s, SENT)] = window;
            scales[self.of_flow(s, AVERAGE)] = f.base_rtt;
        }
        for l in 0..self.plan.capacity.len() {
            let at = self.of_link(l, DELAY);
            scales[at] = y[at].max(self.min_base_rtt);
        }
    }

    fn earliest(&self) -> f64 {
        self.earliest
    }
}
