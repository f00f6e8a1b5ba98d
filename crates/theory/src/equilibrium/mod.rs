//! The equilibrium of FAST flows on any network: a complementarity problem and its solution.
//!
//! Flow s keeps `alpha_s` packets queued, so its rate is `x_s = alpha_s / q_s`, where `q_s` is the sum of the prices
//! (queueing delays) of the links that its data and its acknowledgements cross. Links carry `A x` bits a second,
//! `A = R+ P+ + R- P-`, and prices are positive only where a link is full:
//!
//! `x_s = alpha_s / (q_s - e_s)`, `q = G^T p`, `G = R+ + R-`, `A x <= c`, `p >= 0`, `p . (c - A x) = 0`.
//!
//! A flow may weight the queueing delay of its acknowledgements, or ignore it ([`Problem::ack_wait`]):
//! G = R+ + R- diag(w). With w = P- / P+ prices add up with the weights of loads, A = G diag(P+), and the equilibrium is
//! weighted proportional fairness. With w = 0 there is none where only acknowledgements can saturate a link.
//!
//! Sources: Ge, Chan, Andrew, Li, Tan, Zukerman, "Performance Effects of Two-way FAST TCP", Sections 2.1 and 4.1; rates
//! as in Theorem 1 of Jin, Wei, Low, INFOCOM 2004. With acknowledgements this is no convex program, because bits and
//! delays add up with different weights, and there may be several solutions: `docs/theory/equilibrium.md`.

pub(crate) mod common_delay;
mod determinacy;
mod enumerate;
mod gmres;
mod infeasible;
mod interior;
mod large;
mod newton;
mod problem;
mod recover;
mod reduce;
mod search;
mod system;
mod table;
mod uniqueness;
mod vegas;

pub use problem::{Equilibria, Equilibrium, FlowRow, Method, Problem, ProblemFlow};
pub use table::{FlowTable, LargeProblem};
pub use vegas::{EVERY_CORNER, VegasBand, vegas};

use crate::error::{TheoryError, Which};
use enumerate::Solution;
use reduce::{Component, Reduced};
use system::System;

/// Largest residual that counts as converged.
pub const TOLERANCE: f64 = 1e-8;

/// A link counts as full when its slack is below this share of its capacity.
pub(crate) const TIGHT: f64 = 1e-10;

/// Limit on the listed combinations of the equilibria of independent components.
const MAX_LISTED: usize = 64;

/// Beyond this many flows the solver for large networks is tried before flows are grouped into classes.
const MAX_GROUPED: usize = 200_000;

/// Links of a component up to which several equilibria are searched for.
const MAX_SEARCHED: usize = 64;

/// The solutions of one component.
struct Part {
    found: Vec<Solution>,
    unique: bool,
    method: Method,
}

/// Every equilibrium of `problem` that was found.
///
/// A problem without flows has one: all prices zero.
///
/// # Errors
/// [`TheoryError::OutOfRange`], [`TheoryError::Length`], [`TheoryError::Overload`] where the problem is not valid;
/// [`TheoryError::Unconstrained`], [`TheoryError::Starved`] where there is no equilibrium; [`TheoryError::NotConverged`] where
/// no point with x = alpha / q was found. A result whose residual is above [`TOLERANCE`] is returned with
/// `converged` false.
pub fn solve(problem: &Problem) -> Result<Equilibria, TheoryError> {
    problem.check()?;
    let mut large_failed = false;
    let special = problem.is_special();
    if !special && problem.flows.len() > MAX_GROUPED && problem.capacity.len() > MAX_SEARCHED {
        let solved = solve_large(&LargeProblem::from(problem))?;
        if solved.converged {
            return Ok(solved);
        }
        large_failed = true;
    }
    let reduced = Reduced::new(problem);
    if let Some((flow, link)) = reduced.unbounded() {
        return Err(match problem.ack_wait_of(flow) {
            0.0 => TheoryError::Unconstrained { flow: Which::Number(flow), link: Which::Number(link) },
            _ => TheoryError::Starved { link: Which::Number(link) },
        });
    }
    let systems: Vec<System> = reduced.components.iter().map(System::new).collect();
    if !special && !large_failed && systems.iter().any(System::is_too_dense) {
        let mut solved = solve_large(&LargeProblem::from(problem))?;
        if solved.converged || systems.iter().any(System::is_out_of_reach) {
            let proven = reduced.components.iter().all(|c| common_delay::solve(c).is_some() || uniqueness::proven(c));
            solved.unique = proven.then_some(true);
            return Ok(solved);
        }
    }
    let pairs = systems.iter().zip(&reduced.components);
    let parts = pairs.map(|(s, c)| solve_component(s, c)).collect::<Result<Vec<Part>, TheoryError>>();
    let parts = parts.map_err(|e| infeasible::proof(problem).unwrap_or(e))?;
    let method = parts.iter().map(|p| p.method).max().unwrap_or(Method::ClosedForm);
    let proven = parts.iter().all(|p| p.unique);
    let mut found: Vec<Equilibrium> = combinations(&parts)
        .into_iter()
        .map(|choice| {
            let chosen: Vec<&Solution> = parts.iter().zip(choice).map(|(p, i)| &p.found[i]).collect();
            recover::build(problem, &reduced, &chosen)
        })
        .collect();
    let overloads = |e: &Equilibrium, l: usize| e.loads[l] > problem.capacity[l] * (1.0 + TOLERANCE);
    let fits = |e: &Equilibrium| !reduced.unmeasured.iter().any(|l| overloads(e, *l));
    if found.iter().any(fits) {
        found.retain(fits);
    } else if let Some((flow, link)) = reduced.unmeasured.iter().find_map(|l| {
        let mut users = (0..problem.flows.len()).filter(|s| problem.flows[*s].ack.contains(&(*l as u32)));
        let first = users.clone().next()?;
        let known = users.all(|s| reduced.component_of(s).is_none_or(|at| parts[at].unique));
        (known && found.iter().all(|e| overloads(e, *l))).then_some((first, *l))
    }) {
        // the only rates of these flows that the measured links allow
        return Err(TheoryError::Unconstrained { flow: Which::Number(flow), link: Which::Number(link) });
    }
    // the order must not depend on the order of flows and links
    let throughput = |e: &Equilibrium| e.rates.iter().zip(&problem.flows).map(|(x, f)| x * f.packet_bits).sum::<f64>();
    found.sort_by(|a, b| {
        let stays = |e: &Equilibrium| e.index != Some(-1);
        stays(b).cmp(&stays(a)).then(throughput(b).total_cmp(&throughput(a)))
    });
    let converged = found.iter().all(|e| e.residual <= TOLERANCE);
    if let Some(none) = infeasible::proof(problem).filter(|_| !converged) {
        return Err(none);
    }
    if !converged && !special && !large_failed && !systems.iter().any(System::is_too_dense) {
        // another method may converge
        let mut other = solve_large(&LargeProblem::from(problem))?;
        if other.converged {
            other.unique = proven.then_some(true);
            return Ok(other);
        }
    }
    let unique = match (found.len() > 1, proven) {
        (true, _) => Some(false),
        (false, true) => Some(true),
        (false, false) => None,
    };
    Ok(Equilibria { found, unique, method, converged })
}

/// An equilibrium of a network of up to millions of flows, by iterative linear algebra and without a search for others.
///
/// Time and memory grow with the total length of the flows' paths, not with its square:
/// `docs/theory/equilibrium.md` has a table. For small networks [`solve`] gives more.
///
/// # Errors
/// As [`solve`]; a result whose residual is above [`TOLERANCE`] is returned with `converged` false.
pub fn solve_large(problem: &LargeProblem) -> Result<Equilibria, TheoryError> {
    problem.check()?;
    let solved = large::solve(&large::Routes::new(problem));
    let found = large::recover::build(problem, solved);
    let converged = found.residual <= TOLERANCE;
    Ok(Equilibria { found: vec![found], unique: None, method: Method::SmoothingNewton, converged })
}

fn solve_component(system: &System, component: &Component) -> Result<Part, TheoryError> {
    let extreme = || TheoryError::NotConverged("unknown, because the sizes in the network differ too much".to_owned());
    if !component.scale.iter().all(|s| s.is_finite() && *s > 0.0) {
        return Err(extreme());
    }
    if let Some((pi, method)) = common_delay::solve(component) {
        let index = enumerate::index(system, component, &pi, &component.margins(&pi));
        return Ok(Part { found: vec![Solution { pi, index }], unique: true, method });
    }
    let unique = uniqueness::proven(component);
    if !unique && enumerate::affordable(component) {
        let found = enumerate::solve(system, component);
        if !found.is_empty() {
            return Ok(Part { found, unique, method: Method::Enumeration });
        }
    }
    let search = !unique && component.links.len() <= MAX_SEARCHED;
    let found = search::from_starts(system, component, search).ok_or_else(extreme)?;
    Ok(Part { found, unique, method: if search { Method::MultiStart } else { Method::InteriorPoint } })
}

/// Combinations of one equilibrium from each component, at most [`MAX_LISTED`].
fn combinations(parts: &[Part]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::with_capacity(parts.len())];
    for part in parts {
        let choices = if all.len() * part.found.len() <= MAX_LISTED { part.found.len() } else { 1 };
        all = all
            .into_iter()
            .flat_map(|chosen| {
                (0..choices).map(move |i| {
                    let mut chosen = chosen.clone();
                    chosen.push(i);
                    chosen
                })
            })
            .collect();
    }
    all
}
