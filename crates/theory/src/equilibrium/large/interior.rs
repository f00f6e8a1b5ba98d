//! The interior-point method of [`interior`](crate::equilibrium::interior) with iterative linear algebra: slower than Newton's
//! method on the smoothed equations, but it converges from further away.

use super::routes::Routes;
use crate::equilibrium::gmres;

const MAX_STEPS: usize = 150;
const MAX_PRODUCTS: usize = 400;

/// Prices, slacks and rates, all above zero; x r = alpha and load + s = 1 hold in the end only.
pub(super) struct Interior<'a, 'b> {
    routes: &'a Routes<'b>,
    /// Price that would saturate each link alone: the unit of prices.
    unit: Vec<f64>,
    /// Links that some flow loads.
    places: Vec<usize>,
    pub prices: Vec<f64>,
    slack: Vec<f64>,
    rates: Vec<f64>,
    margins: Vec<f64>,
}

/// A change of prices and what follows from it.
struct Move {
    prices: Vec<f64>,
    slack: Vec<f64>,
    margins: Vec<f64>,
    rates: Vec<f64>,
}

impl<'a, 'b> Interior<'a, 'b> {
    /// Starts from `prices`, at which every q - e must be above zero.
    pub fn new(routes: &'a Routes<'b>, prices: Vec<f64>, unit: Vec<f64>) -> Option<Self> {
        let mut margins = vec![0.0; routes.flows()];
        let mut loads = vec![0.0; prices.len()];
        if !routes.loads(&prices, &mut margins, &mut loads) {
            return None;
        }
        let rates = margins.iter().zip(routes.alpha()).map(|(r, alpha)| alpha / r).collect();
        let places = (0..prices.len()).filter(|l| routes.used[*l]).collect();
        let slack = loads.iter().map(|load| (1.0 - load).max(0.1)).collect();
        Some(Self { routes, unit, places, prices, slack, rates, margins })
    }

    /// Mean of price times slack, prices in their units.
    pub fn gap(&self) -> f64 {
        let sum = self.places.iter().fold(0.0, |sum, l| sum + self.prices[*l] / self.unit[*l] * self.slack[*l]);
        sum / self.places.len() as f64
    }

    /// Steps until the gap is below `enough`; false where it cannot get there.
    pub fn run(&mut self, enough: f64) -> bool {
        for _ in 0..MAX_STEPS {
            let gap = self.gap();
            if gap < enough {
                return true;
            }
            if self.advance(gap).is_none() {
                return false;
            }
        }
        false
    }

    fn advance(&mut self, gap: f64) -> Option<()> {
        let links = self.prices.len();
        let weights: Vec<f64> = self.rates.iter().zip(&self.margins).map(|(x, r)| x / r).collect();
        let alpha = self.routes.alpha();
        let mismatch: Vec<f64> = (0..weights.len()).map(|s| alpha[s] - self.rates[s] * self.margins[s]).collect();
        let mut diagonal = vec![0.0; links];
        self.routes.diagonal(&weights, &mut diagonal);
        let mut wanted = vec![0.0; links];
        self.routes.pass(&self.prices, &mut wanted, |s, _| self.rates[s] + mismatch[s] / self.margins[s]);
        // (M + diag(s / p)) dp = load + A (alpha - x r) / r - 1 + mu / p
        let (mut column, mut row, mut extra) = (vec![0.0; links], vec![0.0; links], vec![0.0; links]);
        let (mut plain, mut towards) = (vec![0.0; links], vec![0.0; links]);
        for l in self.places.iter().copied() {
            let ratio = self.slack[l] / self.prices[l];
            let whole = diagonal[l] + ratio;
            column[l] = 1.0 / diagonal[l];
            row[l] = diagonal[l] / whole;
            extra[l] = ratio / whole;
            plain[l] = row[l] * (wanted[l] - 1.0);
            towards[l] = row[l] * (gap * self.unit[l] / self.prices[l]);
        }
        let mut scaled = vec![0.0; links];
        let mut solve = |right: &[f64]| {
            let product = |v: &[f64], out: &mut [f64]| {
                for (scaled, (v, c)) in scaled.iter_mut().zip(v.iter().zip(&column)) {
                    *scaled = v * c;
                }
                self.routes.pass(&scaled, out, |s, sum| weights[s] * sum);
                for l in 0..links {
                    out[l] = row[l] * out[l] + extra[l] * v[l];
                }
            };
            let (x, left) = gmres::solve(right, 1e-6, MAX_PRODUCTS, product);
            (left < 0.1).then(|| x.iter().zip(&column).map(|(v, c)| v * c).collect::<Vec<f64>>())
        };
        let (predictor, centre) = (solve(&plain)?, solve(&towards)?);
        let straight = self.max_step(&self.towards(0.0, gap, &mismatch, &predictor, &centre)).min(1.0);
        let aim = ((1.0 - straight) * (1.0 - straight) * (1.0 - straight)).max(1e-4);
        let step = self.towards(aim, gap, &mismatch, &predictor, &centre);
        let part = (self.max_step(&step) * (0.9f64).max(1.0 - gap)).min(1.0);
        if part.is_nan() || part <= 1e-12 {
            return None;
        }
        for (values, d) in
            [(&mut self.prices, &step.prices), (&mut self.rates, &step.rates), (&mut self.slack, &step.slack)]
        {
            for (v, d) in values.iter_mut().zip(d) {
                *v += part * d;
            }
        }
        let mut loads = vec![0.0; links];
        self.routes.loads(&self.prices, &mut self.margins, &mut loads).then_some(())
    }

    /// The step that aims at `aim` of the gap.
    fn towards(&self, aim: f64, gap: f64, mismatch: &[f64], predictor: &[f64], centre: &[f64]) -> Move {
        let prices: Vec<f64> = predictor.iter().zip(centre).map(|(a, b)| a + aim * b).collect();
        let mut slack = vec![0.0; prices.len()];
        for l in self.places.iter().copied() {
            let (p, s) = (self.prices[l], self.slack[l]);
            slack[l] = (aim * gap * self.unit[l] - p * s - s * prices[l]) / p;
        }
        let (mut margins, mut rates) = (vec![0.0; mismatch.len()], vec![0.0; mismatch.len()]);
        let mut unused = vec![0.0; prices.len()];
        self.routes.pass(&prices, &mut unused, |s, dr| {
            margins[s] = dr;
            rates[s] = (mismatch[s] - self.rates[s] * dr) / self.margins[s];
            0.0
        });
        Move { prices, slack, margins, rates }
    }

    /// The longest step that keeps all variables above zero.
    fn max_step(&self, step: &Move) -> f64 {
        let limit = |v: &[f64], d: &[f64]| {
            v.iter().zip(d).fold(f64::INFINITY, |t, (v, d)| if *d < 0.0 { t.min(-v / d) } else { t })
        };
        limit(&self.margins, &step.margins)
            .min(limit(&self.rates, &step.rates))
            .min(limit(&self.prices, &step.prices))
            .min(limit(&self.slack, &step.slack))
    }
}
