//! A run from the first namespace to the result.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use eddyline_path::loss::LossParams;
use eddyline_quic_host::{Crypto, Pair, pair};
use eddyline_scenario::Network;
use eddyline_scenario::network::{Flow, Link};
use eddyline_scenario::result::{Cost, RunResult};
use eddyline_scenario::series::Series;
use eddyline_units::{Rate, Time};
use nix::sys::prctl;
use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadPriorityValue, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id,
};

use crate::approximations;
use crate::clock::Clock;
use crate::controllers::Controllers;
use crate::emulator::{self, Captured, LaneReport, Lateness, Shared};
use crate::error::LiveError;
use crate::flow_state::FlowState;
use crate::host::{self, Host};
use crate::path_check;
use crate::placement::Placement;
use crate::quic::{self, is_quic};
use crate::sampler::{self, FlowSamples};
use crate::summary::{Ending, summarise};
use crate::tcp;
use crate::timestamps;
use crate::trust::{BaseRtt, CLOCK_TICK, Faults, Starved, TIMESTAMP_TICK};
use crate::watch::Watch;

/// From the creation of threads to the start of the run.
const PREPARATION: Duration = Duration::from_millis(100);
/// Above this rate real-time priority of the emulator starves the end systems.
const FASTEST_WITH_PRIORITY: u64 = 500_000_000;
/// Real-time priority of the emulator, between 1 and 99.
pub const PRIORITY: u8 = 50;
/// Stack of the threads of flows.
const STACK: usize = 128 << 10;

/// What to do besides running.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Record series.
    pub series: bool,
    /// Write captures of the hosts' interfaces to this folder.
    pub pcap: Option<PathBuf>,
    /// Check rate, delay and queue of a link first.
    pub check: bool,
    /// Write what flows and links are doing to this file during the run.
    pub watch: Option<PathBuf>,
}

/// What a run gives.
#[derive(Debug)]
pub struct Outcome {
    /// Summaries.
    pub result: RunResult,
    /// Series, if they were asked for.
    pub series: Option<Series>,
}

/// Runs a scenario.
///
/// # Errors
/// It asks for what this world does not have, this machine cannot run it, or something fails.
pub fn run(network: Network, options: &Options) -> Result<Outcome, LiveError> {
    approximations::check(&network)?;
    let began = Instant::now();
    host::become_root()?;
    let watch = options.watch.as_deref().map(|file| open(file, &network)).transpose()?;
    let check = if options.check { path_check::check(&network)? } else { None };
    let placement = Placement::of(&network);
    let network = Arc::new(network);
    let create = |number| Host::create(&network, number, &placement.sender);
    let hosts = [create(0)?, create(1)?];
    let controllers = Controllers::load(&network, &hosts)?;
    let shared = Arc::new(Shared {
        routes: emulator::routes(&network, &placement),
        held: emulator::empty(&network),
        placement,
        hosts,
        clock: Clock::starting_in(PREPARATION + Duration::from_millis(network.flows.len() as u64)),
        series: options.series.then_some(network.record_interval.max(Time::from_ps(1))),
        capture: options.pcap.is_some(),
        any_packet: false,
        stopped: AtomicBool::new(false),
        network: Arc::clone(&network),
    });
    let lanes = start_lanes(&shared)?;
    let flows = start_flows(&shared, &controllers.names)?;
    let (samples, of_flows) = sampler::run(&shared, &flows, watch);
    let mut faults = Faults { real_time: true, check, ..Faults::default() };
    let mut reports = Vec::new();
    for lane in lanes {
        let (report, real_time) =
            lane.join().map_err(|_| LiveError::Failed("a thread of the emulator panicked".to_owned()))??;
        faults.real_time &= real_time;
        faults.add(&report);
        reports.push(report);
    }
    for host in &shared.hosts {
        let (device, sockets) = host.drops()?;
        faults.device_drops += device;
        faults.socket_drops += sockets;
    }
    let of = |flow: &Flow, s: &FlowSamples| {
        let share = |samples: u64| samples as f64 / s.count.max(1) as f64;
        Starved { flow: flow.name.clone(), late: share(s.starved), idle: share(s.idle) }
    };
    faults.starved = network.flows.iter().zip(&samples).map(|(f, s)| of(f, s)).collect();
    faults.base_rtts = base_rtts(&network, &samples);
    faults.endpoints = endpoints(&network, &flows);
    faults.failures = flows.iter().filter_map(|f| f.failure()).collect();
    if let Some(folder) = &options.pcap {
        let captured: Vec<&Captured> = reports.iter().map(|r| &r.captured).collect();
        Captured::write(folder, &captured).map_err(|e| LiveError::call(&folder.display().to_string(), e))?;
    }
    let series = options.series.then(|| joined(of_flows, &reports));
    let mut result =
        summarise(&Ending { network: &network, reports: &reports, flows: &flows, samples: &samples, faults: &faults });
    result.cost = Cost { cpu_s: cpu_s(), wall_s: began.elapsed().as_secs_f64() };
    Ok(Outcome { result, series })
}

/// The file of the lines for whoever watches the run.
fn open(file: &Path, network: &Network) -> Result<Watch, LiveError> {
    let opened = OpenOptions::new().write(true).open(file);
    opened.map(|f| Watch::new(f, network.flows.len())).map_err(|e| LiveError::call(&file.display().to_string(), e))
}

/// Minimum round-trip times of the flows whose path has a constant one.
fn base_rtts(network: &Network, samples: &[FlowSamples]) -> Vec<BaseRtt> {
    let constant = |f: &Flow| path(network, f).all(|link| link.variation.is_steady());
    let measured = network.flows.iter().zip(samples).filter(|(f, _)| constant(f));
    measured
        .filter_map(|(flow, samples)| {
            // of QUIC's packets the smallest that is acknowledged depends on the stack
            let smallest = if is_quic(flow) { flow.header } else { flow.ack_packet };
            let handshake = path(network, flow).fold(Time::ZERO, |sum, link| sum + link.transmission_time(smallest));
            let expected = network.propagation_rtt(flow) + handshake;
            Some(BaseRtt {
                flow: flow.name.clone(),
                measured: samples.last.and_then(|state| state.min_rtt)?,
                expected: expected.as_secs_f64(),
                tick: if flow.tcp.timestamps && !timestamps::are_fine(flow) { TIMESTAMP_TICK } else { CLOCK_TICK },
                alone: !is_quic(flow) && has_quiet_handshake(network, flow, expected),
            })
        })
        .collect()
}

/// The links of a flow's packets and acknowledgements.
fn path<'a>(network: &'a Network, flow: &'a Flow) -> impl Iterator<Item = &'a Link> {
    flow.data.iter().chain(flow.ack.iter()).map(|l| &network.links[*l as usize])
}

/// Whether the handshake, which takes `expected`, meets no other packets and is not lost: the samples of other packets are longer.
fn has_quiet_handshake(network: &Network, flow: &Flow, expected: Time) -> bool {
    let lossless = |link: &Link| link.loss == LossParams::default() && link.corrupt == 0.0;
    // twice, because it may be late
    let over = flow.start.saturating_add(expected).saturating_add(expected);
    network.flows.len() == 1 && path(network, flow).all(lossless) && network.traffic.iter().all(|t| t.start >= over)
}

/// How late the ends of connections were that do not belong to the kernel.
fn endpoints(network: &Network, flows: &[Arc<FlowState>]) -> Vec<(String, Lateness)> {
    let lateness = |state: &FlowState| state.lateness.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let quic = network.flows.iter().zip(flows).filter(|(flow, _)| is_quic(flow));
    quic.map(|(flow, state)| (flow.name.clone(), lateness(state))).collect()
}

/// A thread of the emulator; it tells whether it has real-time priority.
pub type Lane = JoinHandle<Result<(LaneReport, bool), LiveError>>;

/// Starts the threads of the emulator.
///
/// # Errors
/// The system refuses.
pub fn start_lanes(shared: &Arc<Shared>) -> Result<Vec<Lane>, LiveError> {
    let start = |number: usize| {
        let shared = Arc::clone(shared);
        let serve = move || {
            let real_time = prioritise(&shared.network, PRIORITY);
            let report = emulator::run(&shared, number);
            // never back: another thread may have failed before this one ended
            shared.stopped.fetch_or(report.is_err(), Ordering::Relaxed);
            report.map(|r| (r, real_time)).map_err(|e| LiveError::call("network device", e))
        };
        thread::Builder::new().name(format!("path {number}")).spawn(serve).map_err(|e| LiveError::call("thread", e))
    };
    (0..shared.placement.lanes).map(start).collect()
}

/// Gives the current thread real-time priority where that is allowed and of use; returns whether it has it.
pub fn prioritise(network: &Network, priority: u8) -> bool {
    // wake when asked, not up to 50 us later
    let _ = prctl::set_timerslack(1);
    let fastest = network.links.iter().map(|l| l.rate).max().unwrap_or(Rate::from_bps(0));
    if fastest.as_bps() > FASTEST_WITH_PRIORITY {
        return false;
    }
    take_priority(priority)
}

/// Gives the current thread a real-time priority where that is allowed; returns whether it has it.
pub fn take_priority(priority: u8) -> bool {
    let Ok(value) = ThreadPriorityValue::try_from(priority) else { return false };
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Crossplatform(value), policy).is_ok()
}

/// Two threads a flow. They end with the process.
fn start_flows(shared: &Arc<Shared>, controls: &[Option<String>]) -> Result<Vec<Arc<FlowState>>, LiveError> {
    let ready = Arc::new(Barrier::new(controls.len() + 1));
    let (mut flows, mut clients) = (Vec::new(), Vec::new());
    let spawn = |name: String, body: Box<dyn FnOnce() + Send>| {
        let thread = thread::Builder::new().name(name).stack_size(STACK).spawn(body);
        thread.map(drop).map_err(|e| LiveError::call("thread", e))
    };
    for i in 0..controls.len() {
        let state = Arc::new(FlowState::default());
        flows.push(Arc::clone(&state));
        let (shared, ready) = (Arc::clone(shared), Arc::clone(&ready));
        let flow = &shared.network.flows[i];
        let receive: Box<dyn FnOnce() + Send> = if is_quic(flow) {
            let Pair { client, server, opening } = pair(&shared.network, flow, &flow.name, &Crypto::null(), false);
            clients.push(Some((client, opening)));
            Box::new(move || quic::receive(&shared, i, &state, server, &ready))
        } else {
            clients.push(None);
            Box::new(move || tcp::receive(&shared, i, &state, &ready))
        };
        spawn(format!("sink {i}"), receive)?;
    }
    ready.wait();
    for (i, (control, client)) in controls.iter().zip(clients).enumerate() {
        let (shared, state, control) = (Arc::clone(shared), Arc::clone(&flows[i]), control.clone());
        let send: Box<dyn FnOnce() + Send> = match client {
            Some((client, opening)) => Box::new(move || quic::send(&shared, i, &state, client, opening)),
            None => Box::new(move || tcp::send(&shared, i, &state, control.as_deref().unwrap_or_default())),
        };
        spawn(format!("sender {i}"), send)?;
    }
    Ok(flows)
}

/// All series, in order of time, flows before links.
fn joined(flows: Series, reports: &[LaneReport]) -> Series {
    let parts: Vec<&Series> = std::iter::once(&flows).chain(reports.iter().map(|r| &r.series)).collect();
    let mut rows: Vec<(usize, usize)> =
        parts.iter().enumerate().flat_map(|(p, s)| (0..s.value.len()).map(move |row| (p, row))).collect();
    rows.sort_by(|(p, a), (q, b)| parts[*p].time_s[*a].total_cmp(&parts[*q].time_s[*b]));
    let mut all = Series::default();
    for (p, row) in rows {
        let from = parts[p];
        all.time_s.push(from.time_s[row]);
        all.kind.push(from.kind[row]);
        all.entity.push(from.entity[row]);
        all.quantity.push(from.quantity[row]);
        all.value.push(from.value[row]);
    }
    all
}

/// Processor time of this process so far.
fn cpu_s() -> f64 {
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map_or(0.0, |t| t.tv_sec() as f64 + t.tv_nsec() as f64 * 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the handshake of the first of `flows` is quiet with `traffic` beside it and `loss` of acknowledgements.
    fn is_quiet(flows: u32, traffic_start: &str, loss: f64, corrupt: f64) -> bool {
        let text = format!(
            r#"{{ "duration": "4 s", "link": [
            {{ "name": "a", "rate": "2 Mbit/s", "delay": "20 ms", "corrupt": {corrupt} }},
            {{ "name": "b", "rate": "2 Mbit/s", "delay": "20 ms", "loss": {loss} }}],
            "traffic": [{{ "name": "video", "path": ["a"], "start": "{traffic_start}", "model": {{ "kind": "cbr", "rate": "0.5 Mbit/s" }} }}],
            "flow": [{{ "name": "f", "count": {flows}, "controller": {{ "kind": "reno" }}, "data": ["a"], "ack": ["b"] }}] }}"#
        );
        let input =
            eddyline_scenario::Input { text: &text, format: eddyline_scenario::Format::Json, name: "t", folder: None };
        let network = eddyline_scenario::load(&input, &[]).expect("valid").network;
        has_quiet_handshake(&network, &network.flows[0], Time::from_ms(40))
    }

    #[test]
    fn handshakes_that_may_wait_or_be_lost_are_not_quiet() {
        assert!(is_quiet(1, "100 ms", 0.0, 0.0));
        assert!(!is_quiet(1, "0 s", 0.0, 0.0), "its SYN may wait behind the first packet of the traffic");
        assert!(!is_quiet(1, "40 ms", 0.0, 0.0));
        assert!(!is_quiet(2, "100 ms", 0.0, 0.0));
        assert!(!is_quiet(1, "100 ms", 0.1, 0.0), "the first sample may be of a packet of data");
        assert!(!is_quiet(1, "100 ms", 0.0, 0.1));
    }
}
