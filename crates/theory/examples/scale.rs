//! Time against size of the equilibrium of random networks:
//! `cargo run --release -p eddyline-theory --example scale -- 1000000`.
//!
//! Flows of random routes (two to eight links for data, as many for acknowledgements), alphas and packet sizes all
//! different, one link for every hundred flows. Arguments are numbers of flows; 1,000 to 1,000,000 without.

use std::time::Instant;

use eddyline_path::random::Stream;
use eddyline_theory::equilibrium::{FlowRow, FlowTable, LargeProblem, solve_large};

fn draw(flows: usize) -> LargeProblem {
    let links = (flows / 100).max(10);
    let mut random = Stream::new(flows as u64, "scale", "benchmark");
    let capacity: Vec<f64> = (0..links).map(|_| 1e8 * (1.0 + 99.0 * random.uniform())).collect();
    let mut table = FlowTable::with_capacity(flows, 11 * flows);
    let route = |random: &mut Stream| {
        let mut path: Vec<u32> = Vec::with_capacity(8);
        let hops = 2 + random.below(7) as usize;
        while path.len() < hops {
            let l = random.below(links as u64) as u32;
            if !path.contains(&l) {
                path.push(l);
            }
        }
        path
    };
    for _ in 0..flows {
        let row = FlowRow {
            alpha: 1.0 + 199.0 * random.uniform(),
            packet_bits: 4000.0 + 8000.0 * random.uniform(),
            ack_bits: 320.0,
            base_rtt_error: 0.0,
        };
        let (data, ack) = (route(&mut random), route(&mut random));
        table.push(row, &data, &ack);
    }
    LargeProblem { unresponsive: vec![0.0; links], capacity, flows: table }
}

/// Peak resident memory in MiB, where the system reports it.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1024.0
}

/// Seconds that this process has spent on a processor, where the system reports it.
fn on_processor() -> f64 {
    let line = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    line.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1e9
}

fn main() {
    let asked: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let sizes = if asked.is_empty() { vec![1_000, 10_000, 100_000, 1_000_000] } else { asked };
    println!(
        "{:>9} {:>7} {:>10} {:>6} {:>10} {:>10} {:>10} {:>9}",
        "flows", "links", "crossings", "full", "residual", "seconds", "CPU s", "peak MiB"
    );
    for flows in sizes {
        let problem = draw(flows);
        let paths = |s| problem.flows.paths(s);
        let crossings: usize = (0..flows).map(|s| paths(s).0.len() + paths(s).1.len()).sum();
        let (begun, used) = (Instant::now(), on_processor());
        match solve_large(&problem) {
            Ok(solved) => {
                let (wall, cpu) = (begun.elapsed().as_secs_f64(), on_processor() - used);
                let at = &solved.found[0];
                let full = at.bottlenecks.iter().filter(|b| **b).count();
                let links = problem.capacity.len();
                println!(
                    "{flows:>9} {links:>7} {crossings:>10} {full:>6} {:>10.1e} {wall:>10.3} {cpu:>10.3} {:>9.0}",
                    at.residual,
                    peak()
                );
            }
            Err(error) => println!("{flows:>9} {error}"),
        }
    }
}
