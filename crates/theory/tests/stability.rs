//! dev
use eddyline_theory::stability::*;

fn single(u: f64, rho: f64, tau: f64) -> OperatingPoint {
    OperatingPoint {
        links: vec![0],
        flows: vec![FlowPoint { rtt_s: tau, gain: u / tau, rho, filter_s: 0.0, crossings: vec![Crossing { link: 0, share: 1.0, forward_s: 0.3 * tau }] }],
        undetermined: 0,
        notes: vec![],
    }
}

#[test]
fn dev() {
    for model in [LinkModel::Integrator, LinkModel::AckClocked] {
        for (u, rho) in [(5.0, 0.66), (5.0, 0.664), (0.5, 0.1)] {
            let p = single(u, rho, 0.1);
            let f = Characteristic::new(&p, model);
            let t = std::time::Instant::now();
            let r = rightmost(&f, 8);
            println!("{model:?} u {u} rho {rho} {:?} conv {} right {:?}", t.elapsed(), r.converged, r.right);
            for r in r.found { println!("   {:?} {:e}", r.at, r.residual); }
        }
    }
}
