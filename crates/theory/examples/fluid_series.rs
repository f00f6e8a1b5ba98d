//! Series of the fluid model as CSV: `fluid_series FILE [key=value]...`.
//!
//! Keys: `model` integrator|ack_clocked, `sending` window|paced, `law` present|at_sending, `gain` continuous|sampled,
//! `filter` none|fast|asymmetric, `base` configured|exact, `start_up` and `handshake` yes|no, `tolerance` a number.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use eddyline_scenario::series::{FLOW, Quantity};
use eddyline_theory::fluid::{BaseRtts, DynamicsOptions, Filter, Gain, Sending, dynamics};
use eddyline_theory::{LinkModel, WindowLaw};

fn options(arguments: &[String]) -> Result<DynamicsOptions, String> {
    let mut o = DynamicsOptions::default();
    for argument in arguments {
        match argument.split_once('=').unwrap_or((argument, "")) {
            ("model", "integrator") => o.link_model = LinkModel::Integrator,
            ("model", "ack_clocked") => o.link_model = LinkModel::AckClocked,
            ("sending", "window") => o.sending = Sending::Window,
            ("sending", "paced") => o.sending = Sending::Paced,
            ("law", "present") => o.law = WindowLaw::Present,
            ("law", "at_sending") => o.law = WindowLaw::AtSending,
            ("gain", "continuous") => o.gain = Gain::Continuous,
            ("gain", "sampled") => o.gain = Gain::Sampled,
            ("filter", "none") => o.filter = Filter::None,
            ("filter", "fast") => o.filter = Filter::Fast,
            ("filter", "asymmetric") => o.filter = Filter::Asymmetric { up: 0.75, down: 0.5 },
            ("base", "configured") => o.base_rtt = BaseRtts::AsConfigured,
            ("base", "exact") => o.base_rtt = BaseRtts::Exact,
            ("start_up", v @ ("yes" | "no")) => o.start_up = v == "yes",
            ("handshake", v @ ("yes" | "no")) => o.handshake = v == "yes",
            ("tolerance", v) => o.tolerance = v.parse().map_err(|_| format!("no number: {v}"))?,
            _ => return Err(format!("not known: {argument}")),
        }
    }
    Ok(o)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((file, rest)) = arguments.split_first() else {
        eprintln!("usage: fluid_series FILE [key=value]...");
        return ExitCode::from(2);
    };
    let answer = options(rest).and_then(|options| {
        let scenario = eddyline_scenario::load_file(Path::new(file), &[]).map_err(|e| format!("{e:?}"))?;
        let d = dynamics(&scenario.network, &options).map_err(|e| e.to_string())?;
        Ok((scenario.network, d))
    });
    let (network, d) = match answer {
        Ok(answer) => answer,
        Err(why) => {
            eprintln!("error: {why}");
            return ExitCode::from(2);
        }
    };
    eprintln!("{:?}; from equilibrium: {:?}", d.statistics, d.from_equilibrium);
    d.notes.iter().for_each(|note| eprintln!("{note}"));
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let s = &d.series;
    let mut written = writeln!(out, "time_s,kind,entity,quantity,value");
    for i in 0..s.value.len() {
        let e = s.entity[i] as usize;
        let (kind, name) =
            if s.kind[i] == FLOW { ("flow", &network.flows[e].name) } else { ("link", &network.links[e].name) };
        let quantity = Quantity::NAMES[usize::from(s.quantity[i])];
        written = written.and_then(|()| writeln!(out, "{},{kind},{name},{quantity},{}", s.time_s[i], s.value[i]));
    }
    match written.and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
