//! Parameters of the equations: paths with their delays, unresponsive loads over time, each flow's parameters.

use eddyline_cc::{BaseRttSource, ControllerParams, FastParams, FastProfile, MeanRttSource, Smoothing};
use eddyline_scenario::Network;
use eddyline_scenario::network::{Flow, Pacing};
use eddyline_units::{Rate, Time};

use super::options::{BaseRtts, DynamicsOptions, Filter, Sending};
use crate::approximations::of_dynamics;
use crate::fast::filter_cap;
use crate::model::{mean_rate, spread};
use crate::packets::{ack_bits, ack_ratio, bits};

/// A link on a flow's round trip.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hop {
    pub link: usize,
    /// Seconds from the head of the previous hop's queue (or the sender) to this queue: transmission, propagation,
    /// access.
    pub delay_to_queue: f64,
    /// The same for the handshake's small packets.
    pub syn_delay_to_queue: f64,
    /// Bits that one data packet brings here: P+ on the data path, P- over the packets that one acknowledgement covers
    /// behind it.
    pub bits: f64,
    /// Packets that one data packet brings here.
    pub packets: f64,
}

/// A FAST flow.
#[derive(Debug, Clone)]
pub(super) struct FlowPlan {
    /// Place in the network's flows.
    pub index: usize,
    pub hops: Vec<Hop>,
    /// Hops that data packets take.
    pub data_hops: usize,
    /// Seconds from the head of the last data hop's queue to the receiver.
    pub to_receiver: f64,
    /// Seconds from the head of the last hop's queue to the sender, for the handshake's packets too.
    pub to_sender: f64,
    /// d with the flow's own transmission times, in seconds: the round-trip time without queueing.
    pub base_rtt: f64,
    /// Base round-trip time in seconds that the sender assumes; `None` if it is the smallest sample.
    pub assumed_base_rtt: Option<f64>,
    /// Whether it sends no faster than w / RTT.
    pub paced: bool,
    pub fast: FastParams,
    pub alpha: f64,
    pub gamma: f64,
    /// Queueing delay below which the window doubles, in seconds.
    pub threshold: f64,
    pub averaging: Averaging,
    /// Data packets for each acknowledgement.
    pub ack_ratio: f64,
    pub gain: f64,
    pub cap: f64,
    pub floor: f64,
    pub initial_window: f64,
    pub packet_bits: f64,
    pub payload_bits: f64,
    pub start: f64,
    pub stop: f64,
    /// Data packets to send.
    pub size: f64,
}

/// How a sender averages round-trip times; with both, VFAST's smoothing of FAST's average.
#[derive(Debug, Clone, Copy)]
pub(super) struct Averaging {
    /// FAST's average: each acknowledgement has the weight min(`gain` / w, `cap`).
    pub fast: bool,
    pub smoothed: Option<Smoothed>,
}

/// VFAST's eq. 4.
#[derive(Debug, Clone, Copy)]
pub(super) struct Smoothed {
    /// psi where the sample is larger.
    pub up: f64,
    /// psi where it is not.
    pub down: f64,
    /// Of the samples at updates of the window, not of each acknowledgement.
    pub at_updates: bool,
}

/// Unresponsive load on a link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    pub link: usize,
    pub from: f64,
    pub to: f64,
    pub bps: f64,
    pub packets_per_s: f64,
}

#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub flows: Vec<FlowPlan>,
    pub capacity: Vec<f64>,
    pub loads: Vec<Load>,
    /// Flows at each link: which, and at what hop.
    pub users: Vec<Vec<(usize, usize)>>,
    /// Links of unknown state, since flows or traffic without a model affect them.
    pub unknown: Vec<bool>,
    pub notes: Vec<String>,
}

/// Seconds between the head of a link's queue and the link's far end.
fn across(network: &Network, link: u32, bytes: u32) -> f64 {
    let link = &network.links[link as usize];
    let transmission: Time = Rate::from_bps(link.rate.as_bps()).transmission_time(u64::from(bytes));
    transmission.as_secs_f64() + link.delay.as_secs_f64()
}

impl Plan {
    pub(super) fn new(network: &Network, options: &DynamicsOptions) -> Self {
        let mut plan = Self {
            flows: Vec::new(),
            capacity: network.links.iter().map(|l| l.rate.as_bps() as f64).collect(),
            loads: Vec::new(),
            users: vec![Vec::new(); network.links.len()],
            unknown: vec![false; network.links.len()],
            notes: Vec::new(),
        };
        for (index, flow) in network.flows.iter().enumerate() {
            match plan_flow(network, options, index, flow) {
                Some(planned) => {
                    for (h, hop) in planned.hops.iter().enumerate() {
                        plan.users[hop.link].push((plan.flows.len(), h));
                    }
                    plan.flows.push(planned);
                }
                None => {
                    flow.data.iter().chain(flow.ack.iter()).for_each(|l| plan.unknown[*l as usize] = true);
                    plan.notes.push(format!(
                        "theory has no model of {}: nothing is said of flow {}, nor of what shares a link with it",
                        flow.controller.name(),
                        flow.name
                    ));
                }
            }
            if flow.receive_window.is_some() {
                plan.notes.push(format!("flow {}: the receive window is not modelled", flow.name));
            }
        }
        of_dynamics(network, |s| network.flows[s].controller.fast_law().is_some(), &mut plan.notes);
        for traffic in &network.traffic {
            let Some(bps) = mean_rate(traffic) else {
                traffic.path.iter().for_each(|l| plan.unknown[*l as usize] = true);
                plan.notes.push(format!(
                    "theory does not know the mean rate of {}: nothing is said of what shares a link with it",
                    traffic.name
                ));
                continue;
            };
            let stop = traffic.stop.map_or(f64::INFINITY, Time::as_secs_f64);
            let mut delay_to_queue = 0.0;
            for link in traffic.path.iter() {
                plan.loads.push(Load {
                    link: *link as usize,
                    from: traffic.start.as_secs_f64() + delay_to_queue,
                    to: stop + delay_to_queue,
                    bps,
                    packets_per_s: bps / bits(traffic.packet.max(1)),
                });
                delay_to_queue += across(network, *link, traffic.packet);
            }
        }
        spread(network, &mut plan.unknown);
        plan
    }
}

impl Averaging {
    /// A flow's own if each sender's own is requested.
    fn of(requested: Filter, controller: &ControllerParams) -> Self {
        let every_ack = |up, down| Some(Smoothed { up, down, at_updates: false });
        match (requested, controller) {
            (Filter::None, _) => Self { fast: false, smoothed: None },
            (Filter::Asymmetric { up, down }, _) => Self { fast: false, smoothed: every_ack(up, down) },
            (Filter::Fast, ControllerParams::Vfast(p)) => {
                let smoothed =
                    Smoothed { up: p.psi_up, down: p.psi_down, at_updates: p.smoothing == Smoothing::Update };
                Self {
                    fast: p.mean_rtt != MeanRttSource::Srtt,
                    smoothed: (p.mean_rtt != MeanRttSource::Average).then_some(smoothed),
                }
            }
            (Filter::Fast, _) => Self { fast: true, smoothed: None },
        }
    }

    /// Whether there is any.
    pub fn is_any(&self) -> bool {
        self.fast || self.smoothed.is_some()
    }
}

fn plan_flow(network: &Network, options: &DynamicsOptions, index: usize, flow: &Flow) -> Option<FlowPlan> {
    let fast = flow.controller.fast_law()?;
    let mut hops = Vec::new();
    let (mut delay_to_queue, mut syn_delay_to_queue, mut base_rtt) = (0.0, 0.0, 0.0);
    for link in flow.data.iter() {
        hops.push(Hop {
            link: *link as usize,
            delay_to_queue,
            syn_delay_to_queue,
            bits: bits(flow.packet),
            packets: 1.0,
        });
        base_rtt += delay_to_queue;
        delay_to_queue = across(network, *link, flow.packet);
        syn_delay_to_queue = across(network, *link, flow.ack_packet);
    }
    // the uncongested access follows the last link, as in the packet simulator
    delay_to_queue += flow.access_data.as_secs_f64();
    syn_delay_to_queue += flow.access_data.as_secs_f64();
    let to_receiver = delay_to_queue;
    for link in flow.ack.iter() {
        let (bits, packets) = (ack_bits(flow), 1.0 / ack_ratio(flow));
        hops.push(Hop { link: *link as usize, delay_to_queue, syn_delay_to_queue, bits, packets });
        base_rtt += delay_to_queue;
        delay_to_queue = across(network, *link, flow.ack_packet);
        syn_delay_to_queue = delay_to_queue;
    }
    delay_to_queue += flow.access_ack.as_secs_f64();
    base_rtt += delay_to_queue;
    let assumed_base_rtt = match &options.base_rtt {
        BaseRtts::Exact => Some(base_rtt),
        BaseRtts::Given(all) => all.get(index).copied(),
        BaseRtts::AsConfigured => match fast.base_rtt {
            BaseRttSource::Known => Some(network.propagation_rtt(flow).as_secs_f64()),
            BaseRttSource::Estimated => None,
        },
    };
    let paced = match (options.sending, flow.tcp.pacing) {
        (Sending::Paced, _) | (Sending::AsConfigured, Pacing::On) => true,
        (Sending::Window, _) | (Sending::AsConfigured, Pacing::Off) => false,
        (Sending::AsConfigured, Pacing::Controller) => fast.profile == FastProfile::Clean,
    };
    let floor = fast.min_window.get().max(1.0);
    Some(FlowPlan {
        index,
        data_hops: flow.data.len(),
        hops,
        to_receiver,
        to_sender: delay_to_queue,
        base_rtt,
        assumed_base_rtt,
        paced,
        fast: fast.clone(),
        alpha: fast.alpha.get(),
        gamma: fast.gamma,
        threshold: fast.mi_threshold.as_secs_f64(),
        averaging: Averaging::of(options.filter, &flow.controller),
        ack_ratio: ack_ratio(flow),
        gain: fast.filter_gain,
        cap: filter_cap(fast),
        floor,
        initial_window: f64::from(flow.tcp.initial_window).max(floor),
        packet_bits: bits(flow.packet),
        payload_bits: bits(flow.mss()),
        start: flow.start.as_secs_f64(),
        stop: flow.stop.map_or(f64::INFINITY, Time::as_secs_f64),
        size: flow.size.map_or(f64::INFINITY, |bytes| bytes as f64 / f64::from(flow.mss())),
    })
}
