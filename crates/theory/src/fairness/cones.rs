//! Fair rates as a convex program, by an interior-point method.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus,
    SupportedConeT::{ExponentialConeT, NonnegativeConeT, PowerConeT},
};

use super::scaled::Scaled;
use crate::error::TheoryError;

/// Variables z and t a flow under A z <= 1, t below log z or z^(1 - e); beyond e = 1 a third, above exp((1 - e) t):
/// what is not linear is a cone of dimension three.
pub(super) fn by_cones(scaled: &Scaled) -> Result<(Vec<f64>, Vec<f64>), TheoryError> {
    let (n, m) = (scaled.columns.len(), scaled.links);
    let mut triplets: (Vec<usize>, Vec<usize>, Vec<f64>) = Default::default();
    let mut put = |row: usize, column: usize, value: f64| {
        triplets.0.push(row);
        triplets.1.push(column);
        triplets.2.push(value);
    };
    let mut b = vec![1.0; m];
    let e = scaled.exponent;
    // t <= log z, or t <= z^(1 - e)
    let (first, z, t) = if e < 1.0 { (PowerConeT(1.0 - e), 0, 2) } else { (ExponentialConeT(), 2, 0) };
    let mut cones = vec![NonnegativeConeT(m)];
    for (s, column) in scaled.columns.iter().enumerate() {
        column.iter().for_each(|(l, a)| put(*l, s, *a));
        put(m + 3 * s + z, s, -1.0);
        put(m + 3 * s + t, n + s, -1.0);
        b.extend([0.0, 1.0, 0.0]);
        cones.push(first.clone());
    }
    let mut cost = vec![0.0; n];
    if e > 1.0 {
        // exp((1 - e) t) <= u
        for s in 0..n {
            put(m + 3 * (n + s), n + s, e - 1.0);
            put(m + 3 * (n + s) + 2, 2 * n + s, -1.0);
            b.extend([0.0, 1.0, 0.0]);
            cones.push(ExponentialConeT());
        }
        cost.extend(std::iter::repeat_n(0.0, n));
        cost.extend(&scaled.weight);
    } else {
        cost.extend(scaled.weight.iter().map(|w| -w));
    }
    let matrix = CscMatrix::new_from_triplets(b.len(), cost.len(), triplets.0, triplets.1, triplets.2);
    let failed = |what: String| TheoryError::NoFairRates {
        exponent: e,
        residual: format!("unknown, the convex solver says {what}"),
    };
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .max_iter(300)
        .tol_gap_abs(1e-11)
        .tol_gap_rel(1e-11)
        .tol_feas(1e-11)
        .build()
        .map_err(|e| failed(e.to_string()))?;
    let quadratic = CscMatrix::zeros((cost.len(), cost.len()));
    let mut solver =
        DefaultSolver::new(&quadratic, &cost, &matrix, &b, &cones, settings).map_err(|e| failed(e.to_string()))?;
    solver.solve();
    let solution = &solver.solution;
    // if it does not reach these tolerances, the polish and the check decide
    if matches!(solution.status, SolverStatus::PrimalInfeasible | SolverStatus::DualInfeasible | SolverStatus::Unsolved)
    {
        return Err(failed(format!("{:?}", solution.status)));
    }
    // the cost is |1 - e| times the utility
    let scale = if e == 1.0 { 1.0 } else { (1.0 - e).abs() };
    Ok((solution.x[..n].to_vec(), solution.z[..m].iter().map(|p| p.max(0.0) / scale).collect()))
}
