//! GMRES (Saad and Schultz 1986) with restarts, for matrices given by their product with a vector.

/// Vectors kept before a restart.
const MAX_KEPT: usize = 40;

/// Solves A x = b to `tolerance` of b's norm within `max_products` products with A; also returns the norm of the residual
/// relative to that of b.
///
/// `product(v, out)` writes A v.
pub(super) fn solve(
    b: &[f64],
    tolerance: f64,
    max_products: usize,
    mut product: impl FnMut(&[f64], &mut [f64]),
) -> (Vec<f64>, f64) {
    let n = b.len();
    let mut x = vec![0.0; n];
    let target = norm(b);
    if target == 0.0 || !target.is_finite() {
        return (x, if target == 0.0 { 0.0 } else { f64::INFINITY });
    }
    let mut rest = b.to_vec();
    let mut left = target;
    let mut done = 0;
    while left > tolerance * target && done < max_products {
        let previous = left;
        let step = cycle(&rest, left, tolerance * target, &mut product, max_products - done);
        done += step.products + 1;
        for (x, d) in x.iter_mut().zip(&step.change) {
            *x += d;
        }
        product(&x, &mut rest);
        for (r, b) in rest.iter_mut().zip(b) {
            *r = b - *r;
        }
        left = norm(&rest);
        if left.is_nan() || left > 0.999 * previous {
            break;
        }
    }
    (x, left / target)
}

struct Cycle {
    change: Vec<f64>,
    products: usize,
}

fn cycle(
    rest: &[f64],
    size: f64,
    enough: f64,
    product: &mut impl FnMut(&[f64], &mut [f64]),
    max_products: usize,
) -> Cycle {
    let n = rest.len();
    let mut basis: Vec<Vec<f64>> = vec![rest.iter().map(|v| v / size).collect()];
    // columns of the triangular factor, the Givens rotations, and the rotated right-hand side
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut rotations: Vec<(f64, f64)> = Vec::new();
    let mut right = vec![size];
    while columns.len() < MAX_KEPT.min(max_products) {
        let j = columns.len();
        let mut w = vec![0.0; n];
        product(&basis[j], &mut w);
        let mut column: Vec<f64> = Vec::with_capacity(j + 2);
        for v in &basis {
            let part = dot(v, &w);
            for (w, v) in w.iter_mut().zip(v) {
                *w -= part * v;
            }
            column.push(part);
        }
        let length = norm(&w);
        for (i, (c, s)) in rotations.iter().enumerate() {
            let (a, b) = (column[i], column[i + 1]);
            column[i] = c * a + s * b;
            column[i + 1] = c * b - s * a;
        }
        let radius = (column[j] * column[j] + length * length).sqrt();
        if !(radius > 0.0 && radius.is_finite()) {
            break;
        }
        let (c, s) = (column[j] / radius, length / radius);
        column[j] = radius;
        rotations.push((c, s));
        let last = right[j];
        right[j] = c * last;
        right.push(-s * last);
        columns.push(column);
        if (s * last).abs() <= enough || length <= 1e-14 * radius {
            break;
        }
        basis.push(w.iter().map(|v| v / length).collect());
    }
    let m = columns.len();
    let mut weights = vec![0.0; m];
    for i in (0..m).rev() {
        let sum = (i + 1..m).fold(right[i], |sum, j| sum - columns[j][i] * weights[j]);
        weights[i] = sum / columns[i][i];
    }
    let mut change = vec![0.0; n];
    for (v, weight) in basis.iter().zip(&weights) {
        for (x, v) in change.iter_mut().zip(v) {
            *x += weight * v;
        }
    }
    Cycle { change, products: m }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

pub(super) fn norm(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}
