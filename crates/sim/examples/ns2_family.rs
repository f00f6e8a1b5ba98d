//! The controllers compared with ns-2.35's modules of Linux 2.6.22, every number of `tests/suite/linux_modules/family.json`:
//! `cargo run --release -p eddyline-sim --example ns2_family -- [KIND...] > docs/controllers/ns2.md`.
//!
//! Exits with an error if a deviation is beyond every bound.

#[path = "../tests/suite/linux_modules/mod.rs"]
mod linux_modules;

use std::process::ExitCode;

use linux_modules::{Bounds, Cell, Effort, MODULES, Setting, Verdict, beside, judge, median, simulate};

const HEAD: &str = include_str!("../tests/suite/linux_modules/head.md");
const BOUNDS: Bounds = Bounds { same: 0.15, switched: 0.1, moved: 0.01 };
const EFFORT: Effort = Effort { symmetric_s: 300, seeds: 3, beside_s: 300, asymmetric_s: 600 };

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let chosen: Vec<_> =
        MODULES.iter().filter(|(kind, _)| arguments.is_empty() || arguments.iter().any(|w| w == kind)).collect();
    let of = |kind, setting: &Setting| beside(kind, &simulate(kind, setting, EFFORT));
    let rows: Vec<_> = chosen.iter().map(|(kind, table)| (*kind, *table, of(kind, &Setting::module(table)))).collect();
    let cells: Vec<_> = rows.iter().flat_map(|r| &r.2).map(|cell| (cell, judge(cell, BOUNDS))).collect();
    let count = |verdict: Verdict| cells.iter().filter(|(_, v)| *v == verdict).count();
    let (same, unexplained, beyond) = (count(Verdict::Same), count(Verdict::Unexplained), count(Verdict::Beyond));
    let switched = cells.len() - same - unexplained - beyond;
    let counts = format!(
        "{} cells: {same} within 15 %, {switched} within 10 % with a rule of the module replaced, {unexplained} unexplained, {beyond} beyond every bound",
        cells.len()
    );
    println!("{HEAD}\n## Result\n\n{counts}.");
    print_unexplained(&cells);
    print_medians(&rows);
    print_cells(&cells);
    print_defaults(chosen.iter().flat_map(|(kind, _)| of(kind, &Setting::default_of(kind))).collect());
    eprintln!("{counts}");
    if beyond > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn print_unexplained(cells: &[(&Cell, Verdict)]) {
    println!("\n## Unexplained\n\n| module | run | case | number | ns-2 | here | deviation |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (cell, _) in cells.iter().filter(|(_, v)| *v == Verdict::Unexplained) {
        println!("{}", numbers(cell));
    }
}

fn print_medians(rows: &[(&str, &str, Vec<Cell>)]) {
    println!("\n## Medians\n\nWith the replaced rules.\n\n| module | here | cells | median deviation |");
    println!("| --- | --- | --- | --- |");
    for (kind, controller, cells) in rows {
        println!("| {kind} | `{controller}` | {} | {:.1} % |", cells.len(), 100.0 * median(cells));
    }
}

fn print_cells(cells: &[(&Cell, Verdict)]) {
    println!("\n## Every cell\n");
    println!("| module | run | case | number | ns-2 | here | deviation | ns-2, rule replaced | deviation | judged |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (cell, verdict) in cells {
        let judged = match verdict {
            Verdict::Same => "",
            Verdict::Switched(rule) => rule,
            Verdict::Unexplained => "unexplained",
            Verdict::Beyond => "beyond every bound",
        };
        let replaced = cell
            .switched
            .map_or_else(|| " | ".to_owned(), |theirs| format!("{theirs:.1} | {:+.1} %", 100.0 * cell.remaining()));
        println!("{} {replaced} | {judged} |", numbers(cell));
    }
}

fn print_defaults(cells: Vec<Cell>) {
    let (near, far): (Vec<_>, Vec<_>) = cells.into_iter().partition(|c| c.deviation().abs() <= BOUNDS.same);
    println!("\n## Default parameters\n");
    println!(
        "Each kind and the sender with their defaults, beside the same numbers of ns-2. {} cells are within 15 %, the other {} are below; \
         each kind's page says which of the two follows its paper.\n",
        near.len(),
        far.len()
    );
    println!("| module | run | case | number | ns-2 | here, defaults | deviation |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for cell in &far {
        println!("{}", numbers(cell));
    }
}

/// A cell's columns up to the deviation from the module as shipped.
fn numbers(cell: &Cell) -> String {
    format!(
        "| {} | {} | {} | {} | {:.1} | {:.1} | {:+.1} % |",
        cell.kind,
        cell.part.replace('_', " "),
        cell.case,
        cell.of.replace('_', " "),
        cell.theirs,
        cell.ours,
        100.0 * cell.deviation()
    )
}
