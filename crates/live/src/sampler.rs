//! Samples of the senders' states during a run.

use std::sync::atomic::Ordering;

use eddyline_scenario::network::Application;
use eddyline_scenario::series::{FLOW, Quantity, Series};
use eddyline_units::Time;

use crate::emulator::Shared;
use crate::flow_state::{FlowState, SenderState};
use crate::watch::Watch;

/// Time between two samples of all flows ...
const SPACING: Time = Time::from_ms(5);
/// ... but at least this for each flow, so that sampling takes a few percent of a processor at most.
const PER_FLOW: Time = Time::from_ps(100_000_000);

/// Samples of one flow over the part of the summary window in which it is alive.
#[derive(Debug, Clone, Default)]
pub struct FlowSamples {
    /// Number of samples.
    pub count: u64,
    /// Samples in which the sender had room in its window and its buffer, and nothing to send, though its application has no end of data.
    pub starved: u64,
    /// Those among them in which the slowest link of its data was idle.
    pub idle: u64,
    /// Sum of congestion windows in packets.
    pub cwnd: f64,
    /// Minimum and maximum congestion window in packets.
    pub cwnd_range: Option<(f64, f64)>,
    /// Sum of smoothed round-trip times in seconds, each times what was delivered since the sample before: a mean over packets, as that of the
    /// simulated worlds, not over time.
    pub rtt: f64,
    /// Sum of those bytes.
    pub rtt_bytes: u64,
    /// Sum of minimum round-trip times in seconds; not a number where the sender does not know one.
    pub min_rtt: f64,
    /// The last state seen.
    pub last: Option<SenderState>,
    /// Time and delivered bytes where the summary window begins for the flow.
    pub begin: Option<(Time, u64)>,
    /// The same at the end.
    pub end: Option<(Time, u64)>,
}

/// Samples until the end of the run.
#[must_use]
pub fn run(
    shared: &Shared,
    flows: &[std::sync::Arc<FlowState>],
    mut watch: Option<Watch>,
) -> (Vec<FlowSamples>, Series) {
    let network = &shared.network;
    let spacing = SPACING.max(PER_FLOW.saturating_mul(flows.len() as u64));
    let spacing = shared.series.map_or(spacing, |series| spacing.min(series.max(PER_FLOW)));
    let mut samples = vec![FlowSamples::default(); flows.len()];
    let mut series = Series::default();
    let (mut next, mut tick, mut before) = (Time::ZERO, shared.series.unwrap_or(Time::MAX), vec![0; flows.len()]);
    loop {
        let at = next.min(tick).min(network.duration);
        // the summary window begins at a sample
        let at = if network.warmup > shared.clock.now() { at.min(network.warmup) } else { at };
        shared.clock.sleep_until(at);
        let now = shared.clock.now();
        for (i, flow) in flows.iter().enumerate() {
            sample(&mut samples[i], shared, i, flow, now);
        }
        if let Some(watch) = &mut watch {
            watch.write_if_due(shared, flows, &samples, now);
        }
        if now >= tick {
            let span = shared.series.unwrap_or(tick).as_secs_f64();
            for (i, flow) in flows.iter().enumerate() {
                let delivered = flow.delivered.load(Ordering::Relaxed);
                rows(&mut series, tick, i, samples[i].last, (delivered - before[i]) as f64 * 8.0 / span);
                before[i] = delivered;
            }
            tick = tick.saturating_add(shared.series.unwrap_or(Time::MAX));
        }
        if now >= network.duration {
            return (samples, series);
        }
        next = now.saturating_add(spacing);
    }
}

fn sample(samples: &mut FlowSamples, shared: &Shared, i: usize, flow: &FlowState, now: Time) {
    let from = shared.network.warmup.max(shared.network.flows[i].start);
    let delivered = flow.delivered.load(Ordering::Relaxed);
    let before = samples.end.map_or(0, |(_, before)| before);
    if now >= from && samples.begin.is_none() {
        // a flow that starts in the summary window has delivered nothing before
        let starts_after_warmup = shared.network.flows[i].start >= shared.network.warmup;
        samples.begin = Some(if starts_after_warmup { (from, 0) } else { (now, delivered) });
    }
    let completed = flow.completed.get().copied();
    // what is read after the completion counts, the time does not
    samples.end = Some((completed.unwrap_or(now).min(now), delivered));
    let Some(state) = flow.now() else { return };
    samples.last = Some(state);
    let Some(rtt) = state.rtt.filter(|_| now >= from && completed.is_none()) else { return };
    samples.count += 1;
    let spec = &shared.network.flows[i];
    let endless =
        spec.application == Application::Bulk && spec.size.is_none() && spec.stop.is_none_or(|stop| now < stop);
    if endless && state.starved {
        samples.starved += 1;
        // what it could have sent is missing only where the slowest link has nothing to do
        let slowest = spec.data.iter().min_by_key(|l| shared.network.links[**l as usize].rate);
        samples.idle += u64::from(slowest.is_some_and(|l| shared.held[*l as usize].load(Ordering::Relaxed) == 0));
    }
    samples.cwnd += state.cwnd;
    let (low, high) = samples.cwnd_range.unwrap_or((state.cwnd, state.cwnd));
    samples.cwnd_range = Some((low.min(state.cwnd), high.max(state.cwnd)));
    let bytes = delivered - before;
    samples.rtt += rtt * bytes as f64;
    samples.rtt_bytes += bytes;
    samples.min_rtt += state.min_rtt.unwrap_or(f64::NAN);
}

fn rows(series: &mut Series, at: Time, flow: usize, state: Option<SenderState>, goodput: f64) {
    let mut row = |q, v| series.push(at.as_secs_f64(), FLOW, flow as u32, q, v);
    if let Some(state) = state {
        row(Quantity::CwndPackets, state.cwnd);
        row(Quantity::InFlightPackets, state.in_flight);
        if let Some(rtt) = state.rtt {
            row(Quantity::SrttS, rtt);
        }
        if let Some(rate) = state.pacing {
            row(Quantity::PacingBps, rate);
        }
    }
    row(Quantity::GoodputBps, goodput);
}
