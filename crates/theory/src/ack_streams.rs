//! Equilibria with ACK congestion control: senders reduce the rate of acknowledgements to keep `ack_alpha` of them queued.
//!
//! The acknowledgements of such a flow are a FAST flow of their own on the way back: a = ack_alpha / q_ack, one for
//! every x / a packets. With w P_ack a / (P x) for its weight, the flow measures x q = x q_data + w a q_ack, so
//! it keeps alpha - w ack_alpha packets queued on the way out, w = P_ack / P_data for `weighted` and 0 for `forward`:
//! data and acknowledgements are coupled only through the capacity of links. That holds while a <= x; else
//! each packet is acknowledged and the two are one flow. Which case holds for which flow is found by iteration.

use eddyline_scenario::Network;

use crate::equilibrium::{Equilibria, Equilibrium, Problem, ProblemFlow, solve};
use crate::error::TheoryError;

/// Target of each flow of a problem, in packets; none without ACK congestion control.
pub(crate) type Targets = Vec<Option<f64>>;

/// The targets of `network` by index in a problem.
pub(crate) fn targets(network: &Network, place: &[Option<usize>], flows: usize) -> Targets {
    let mut targets = vec![None; flows];
    for (flow, place) in network.flows.iter().zip(place) {
        if let Some(s) = place {
            targets[*s] = flow.controller.delay_options().and_then(|o| o.ack_alpha).map(|a| a.get());
        }
    }
    targets
}

/// [`solve`] with acknowledgements as streams of their own.
pub(crate) fn solve_streams(problem: &Problem, targets: &Targets) -> Result<Equilibria, TheoryError> {
    let mut separate: Vec<bool> = targets.iter().map(Option::is_some).collect();
    loop {
        let (streamed, stream) = split(problem, targets, &mut separate);
        let mut solved = solve(&streamed)?;
        let Some(first) = solved.found.first() else { return Ok(solved) };
        let more = |s: usize| stream[s].is_some_and(|a| first.rates[a] > first.rates[s]);
        let joined: Vec<usize> = (0..targets.len()).filter(|s| more(*s)).collect();
        if joined.is_empty() {
            solved.found.iter_mut().for_each(|at| merge(at, problem, &stream));
            return Ok(solved);
        }
        joined.into_iter().for_each(|s| separate[s] = false);
    }
}

/// The problem with a stream of acknowledgements for each flow that is `separate`, and the streams' indices.
fn split(problem: &Problem, targets: &Targets, separate: &mut [bool]) -> (Problem, Vec<Option<usize>>) {
    let mut streamed = problem.clone();
    let n = problem.flows.len();
    streamed.ack_wait = (0..n).map(|s| problem.ack_wait_of(s)).collect();
    streamed.base_rtt_error = (0..n).map(|s| problem.error_of(s)).collect();
    streamed.reaching = (0..n).map(|s| problem.reaching_of(s).into()).collect();
    let ack_priority = problem.ack_priority();
    let mut stream = vec![None; n];
    for (s, target) in targets.iter().enumerate() {
        let Some(target) = target.filter(|_| separate[s]) else { continue };
        let flow = &mut streamed.flows[s];
        let left = flow.alpha - problem.ack_wait_of(s) * target;
        // a target above what alpha leaves is never reached; prioritised acknowledgements do not queue
        let first = flow.ack.iter().any(|l| ack_priority[*l as usize]);
        if left <= 0.0 || first || flow.ack.is_empty() || flow.ack_bits <= 0.0 {
            separate[s] = false;
            continue;
        }
        flow.alpha = left;
        let acks = ProblemFlow {
            alpha: target,
            packet_bits: flow.ack_bits,
            ack_bits: 0.0,
            data: flow.ack.clone(),
            ack: [].into(),
        };
        // the shares of the flow's path first, those of its acknowledgements are the stream's
        let shares = problem.reaching_of(s);
        let (data, back) = shares.split_at(flow.data.len().min(shares.len()));
        flow.ack = [].into();
        streamed.reaching[s] = data.into();
        stream[s] = Some(streamed.flows.len());
        streamed.flows.push(acks);
        streamed.ack_wait.push(1.0);
        streamed.base_rtt_error.push(0.0);
        streamed.reaching.push(back.into());
    }
    (streamed, stream)
}

/// Merges the streams of acknowledgements into their flows' results.
fn merge(at: &mut Equilibrium, problem: &Problem, stream: &[Option<usize>]) {
    let n = problem.flows.len();
    for (s, acks) in stream.iter().enumerate() {
        if let Some(a) = acks {
            at.reverse_delays[s] = at.forward_delays[*a];
            at.delays[s] = problem.flows[s].alpha / at.rates[s];
        }
    }
    at.rates.truncate(n);
    at.delays.truncate(n);
    at.forward_delays.truncate(n);
    at.reverse_delays.truncate(n);
}
