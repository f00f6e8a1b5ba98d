//! A queue discipline under TCP: queueing delay, utilisation and drops of one link, as a Markdown table.
//!
//! `standing_queues [QUEUE] [CONTROLLER]`: the queue and the flows' controller as a scenario file writes them, without braces.
//! CoDel and NewReno by default. Flows of 1500-byte packets, round trip 100 ms, 120 s with a warm-up of 40 s.

use std::io::Write as _;
use std::ops::ControlFlow;
use std::process::ExitCode;

use eddyline_scenario::result::RunResult;
use eddyline_scenario::{Format, Input, load};
use eddyline_sim::{Options, run};

const RATES_MBPS: [f64; 6] = [0.25, 1.0, 4.0, 10.0, 40.0, 100.0];
const FLOWS: [u32; 3] = [1, 10, 100];

fn simulate(queue: &str, controller: &str, mbps: f64, flows: u32) -> Result<RunResult, String> {
    let text = format!(
        "duration = \"120 s\"\nwarmup = \"40 s\"\nseed = 1\n\
         [[link]]\nname = \"f\"\nrate = \"{mbps} Mbit/s\"\ndelay = \"50 ms\"\nqueue = {{ {queue} }}\n\
         [[link]]\nname = \"b\"\nrate = \"1 Gbit/s\"\ndelay = \"50 ms\"\n\
         [[flow]]\nname = \"x\"\ncontroller = {{ {controller} }}\ndata = [\"f\"]\nack = [\"b\"]\n\
         packet = \"1500 B\"\ncount = {flows}\nstagger = \"37 ms\"\n"
    );
    let input = Input { text: &text, format: Format::Toml, name: "standing_queues", folder: None };
    let scenario = load(&input, &[]).map_err(|e| e.to_string())?;
    let outcome = run(&scenario.network, &Options::default(), &mut |_| ControlFlow::Continue(()));
    outcome.map(|o| o.result).map_err(|e| e.to_string())
}

fn table(queue: &str, controller: &str) -> Result<String, String> {
    let mut lines = vec![
        "| Mbit/s | flows | mean wait, ms | 99th percentile, ms | mean queue, packets | utilisation | dropped |"
            .to_owned(),
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |".to_owned(),
    ];
    for mbps in RATES_MBPS {
        for flows in FLOWS {
            let result = simulate(queue, controller, mbps, flows)?;
            let link = &result.links[0];
            let wait = link.queueing_delay_s;
            let drops = link.drops.data.unwrap_or(0) as f64;
            let sent = result.counters.data_packets_delivered.unwrap_or(0) as f64 + drops;
            lines.push(format!(
                "| {mbps} | {flows} | {:.1} | {:.1} | {:.1} | {:.1} % | {:.2} % |",
                wait.mean.unwrap_or(0.0) * 1e3,
                wait.p99.unwrap_or(0.0) * 1e3,
                link.queue_packets.mean.unwrap_or(0.0),
                link.utilisation.unwrap_or(0.0) * 100.0,
                drops / sent * 100.0
            ));
        }
    }
    Ok(lines.join("\n") + "\n")
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |n: usize, default: &'static str| arguments.get(n).map_or(default, String::as_str).to_owned();
    let table = table(&argument(0, "kind = \"codel\""), &argument(1, "kind = \"newreno\""));
    match table.and_then(|t| std::io::stdout().write_all(t.as_bytes()).map_err(|e| e.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
