//! A proof that there is no equilibrium, for flows that do not measure the queueing delay of acknowledgements.
//!
//! The rate of such a flow is alpha over the prices of its data path, so in equilibrium one of these links is
//! saturated. The largest feasible load of a link is a linear program: maximise (A x)_l subject to A x <= c - b, x >= 0.
//! If that is below capacity for all links of a data path, there is no equilibrium.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT::NonnegativeConeT,
};

use super::problem::Problem;
use crate::error::{TheoryError, Which};

/// Slack, as a share of capacity, that the proof requires: more than the error of the solver.
const MIN_SLACK: f64 = 1e-6;

/// The error, if there is a proof.
pub(super) fn proof(problem: &Problem) -> Option<TheoryError> {
    let forward_only = || (0..problem.flows.len()).filter(|s| problem.ack_wait_of(*s) == 0.0);
    forward_only().find_map(|s| {
        let flow = &problem.flows[s];
        let slack = flow.data.iter().all(|l| max_load(problem, *l as usize).is_some_and(|load| load < 1.0 - MIN_SLACK));
        let link = flow.ack.first().filter(|_| slack)?;
        Some(TheoryError::Unconstrained { flow: Which::Number(s), link: Which::Number(*link as usize) })
    })
}

/// The largest load of a link, as a share of what unresponsive traffic leaves.
fn max_load(problem: &Problem, link: usize) -> Option<f64> {
    let (n, m) = (problem.flows.len(), problem.capacity.len());
    let left: Vec<f64> = problem.capacity.iter().zip(&problem.unresponsive).map(|(c, b)| c - b).collect();
    let mut triplets: (Vec<usize>, Vec<usize>, Vec<f64>) = Default::default();
    let mut cost = vec![0.0; n];
    for (s, cost) in cost.iter_mut().enumerate() {
        // in units of the rate that the flow could have alone
        let crossed = || problem.crossings(s);
        let unit = crossed().fold(0.0f64, |max, (l, bits)| max.max(bits / left[l]));
        let mut column = std::collections::BTreeMap::new();
        crossed().for_each(|(l, bits)| *column.entry(l).or_insert(0.0) += bits / left[l] / unit);
        for (l, share) in column {
            triplets.0.push(l);
            triplets.1.push(s);
            triplets.2.push(share);
            if l == link {
                *cost = -share;
            }
        }
        triplets.0.push(m + s);
        triplets.1.push(s);
        triplets.2.push(-1.0);
    }
    let matrix = CscMatrix::new_from_triplets(m + n, n, triplets.0, triplets.1, triplets.2);
    let bounds: Vec<f64> = std::iter::repeat_n(1.0, m).chain(std::iter::repeat_n(0.0, n)).collect();
    let settings = DefaultSettingsBuilder::default().verbose(false).build().ok()?;
    let cones = [NonnegativeConeT(m + n)];
    let mut solver = DefaultSolver::new(&CscMatrix::zeros((n, n)), &cost, &matrix, &bounds, &cones, settings).ok()?;
    solver.solve();
    (solver.solution.status == SolverStatus::Solved).then_some(-solver.solution.obj_val)
}
