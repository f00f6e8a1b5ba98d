//! The first of the random networks on file, for those who put them to the packet simulator: the file holds what is
//! drawn, and what the roots say of senders as they are, which no command asks for.
//!
//! `EDDYLINE_BLESS=1 cargo test -p eddyline-theory stability_cases::` writes it anew.

use crate::common;

use common::cases::{Kind, draw};
use eddyline_cc::{ControllerParams, FastProfile};
use eddyline_path::random::Stream;
use eddyline_scenario::Network;
use eddyline_scenario::network::Flow;
use eddyline_theory::stability::{OperatingPoint, Options, UpdatePeriod, judge};
use eddyline_theory::{LinkModel, WindowLaw, equilibria};
use serde_json::{Value, json};

const FILE: &str = "../../python/eddyline/papers/asymmetric_fast/stability-cases.json";
const CASES: usize = 60;

/// What a disturbance gains in the longest round trip, as a power of e, where the law multiplies the window at sending
/// and looks at the average of round-trip times.
fn growth(n: &Network, model: LinkModel) -> f64 {
    let at = equilibria(n).expect("solved").found.remove(0);
    let point =
        OperatingPoint::new(n, &at, UpdatePeriod::Controller, true).expect("a point").with_law(WindowLaw::AtSending);
    let options = Options { margins: false, roots: 1, ..Options::default() };
    let grown = judge(&point, model, &options).roots[0].0 * point.round_trips().expect("a queue").1;
    (grown * 1e4).round() / 1e4
}

fn described(kind: Kind, n: &Network) -> Value {
    let micros = |ps: u64| ps / 1_000_000;
    let link = |l: &eddyline_scenario::network::Link| json!([l.rate.as_bps() / 1000, micros(l.delay.as_ps())]);
    let flow = |f: &Flow| {
        let ControllerParams::Fast(law) = &*f.controller else { unreachable!("all are FAST") };
        let period = (law.profile == FastProfile::Ns2).then(|| law.update_period.map(|t| micros(t.as_ps()))).flatten();
        let data: Vec<u32> = f.data.to_vec();
        let ack: Vec<u32> = f.ack.to_vec();
        json!({
            "alpha": law.alpha.get(),
            "gamma": law.gamma,
            "period_us": period,
            "data": data,
            "ack": ack,
            "access_us": micros(f.access_data.as_ps()),
        })
    };
    let kind = match kind {
        Kind::OneWay => "one way",
        Kind::BothWays => "both ways",
        Kind::Several => "several queues",
    };
    json!({
        "kind": kind,
        "growth_of_own_law": { "integrator": growth(n, LinkModel::Integrator), "ack_clocked": growth(n, LinkModel::AckClocked) },
        "links_kbps_us": n.links.iter().map(link).collect::<Vec<_>>(),
        "flows": n.flows.iter().map(flow).collect::<Vec<_>>(),
    })
}

#[test]
fn the_stored_cases_are_reproducible() {
    let mut random = Stream::new(11, "stability", "cases");
    let lines: Vec<String> = (0..CASES)
        .map(|_| {
            let (kind, n) = draw(&mut random);
            assert!(n.flows.iter().all(|f| f.packet == 1000 && f.header == 0 && f.ack_packet == 40));
            described(kind, &n).to_string()
        })
        .collect();
    let drawn = format!("[\n{}\n]\n", lines.join(",\n"));
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var_os("EDDYLINE_BLESS").is_some() {
        std::fs::write(&file, &drawn).expect("written");
    }
    let on_file = std::fs::read_to_string(&file).expect("the file of cases");
    let read = |text: &str| -> Vec<Value> { serde_json::from_str(text).expect("a list") };
    let (mut theirs, mut ours) = (read(&on_file), read(&drawn));
    for (case, (a, b)) in theirs.iter_mut().zip(&mut ours).enumerate() {
        let (a, b) = (a["growth_of_own_law"].take(), b["growth_of_own_law"].take());
        for model in ["integrator", "ack_clocked"] {
            let (a, b) = (a[model].as_f64().expect("a number"), b[model].as_f64().expect("a number"));
            // four digits are written
            assert!((a - b).abs() < 2e-4, "case {}: {model} {b}, on file {a}", case + 1);
        }
    }
    assert!(theirs == ours, "the file of cases is not what is drawn; EDDYLINE_BLESS=1 writes it anew");
}
