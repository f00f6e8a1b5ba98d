//! The controllers compared with ns-2.35's modules of Linux 2.6.22, every number of `tests/linux_modules/family.json`:
//! `cargo run --release -p eddyline-sim --example ns2_family -- [KIND...] > docs/controllers/ns2.md`.
//!
//! Exits with an error if a deviation beyond 15 % has no documented cause.

#[path = "../tests/linux_modules/mod.rs"]
mod linux_modules;

use std::process::ExitCode;

use linux_modules::{Cell, Effort, MODULES, SAME, cause, cells, median, phases, westwood_start, within_phases};

const HEAD: &str = include_str!("../tests/linux_modules/head.md");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let effort = Effort { symmetric_s: 300, seeds: 3, beside_s: 300, asymmetric_s: 600 };
    let chosen = MODULES.iter().filter(|(kind, _)| arguments.is_empty() || arguments.iter().any(|w| w == kind));
    let rows: Vec<_> = chosen.map(|(kind, controller)| (*kind, *controller, cells(kind, controller, effort))).collect();
    print!("{HEAD}");
    println!(
        "\n## Medians\n\n| module | here | cells | median deviation | beyond 15 % |\n| --- | --- | --- | --- | --- |"
    );
    for (kind, controller, cells) in &rows {
        let beyond = cells.iter().filter(|c| c.deviation().abs() > SAME).count();
        println!("| {kind} | `{controller}` | {} | {:.1} % | {beyond} |", cells.len(), 100.0 * median(cells));
    }
    println!(
        "\n## Every cell\n\n| module | run | case | number | ns-2 | here | deviation | cause |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    let mut unexplained = 0;
    for cell in rows.iter().flat_map(|r| &r.2) {
        unexplained += u32::from(print_row(cell));
    }
    println!(
        "\n## Two buffers of 75,000 B\n\n| module | ns-2, minimum to maximum | here | |\n| --- | --- | --- | --- |"
    );
    for cell in rows.iter().flat_map(|r| &r.2).filter(|c| c.case.starts_with("up 75000") && c.of == "download_kbps") {
        let (min, max) = phases(cell.kind);
        let verdict = if within_phases(cell, 0.0) { "within" } else { "beyond" };
        println!("| {} | {min:.0} to {max:.0} | {:.0} | {verdict} |", cell.kind, cell.ours);
    }
    let (theirs, ours) = westwood_start(8);
    println!("\n## Westwood before needless retransmissions\n");
    println!("Loss 0.01, mean of eight seeds over the seconds 10 to 50: ns-2 {theirs:.0} packet/s, here {ours:.0}.");
    if unexplained > 0 {
        eprintln!("{unexplained} cells deviate without a documented cause");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Prints a cell; true if it deviates without a documented cause.
fn print_row(cell: &Cell) -> bool {
    let deviates = cell.deviation().abs() > SAME;
    let why = if deviates { cause(cell) } else { None };
    let part = cell.part.replace('_', " ");
    println!(
        "| {} | {part} | {} | {} | {:.1} | {:.1} | {:+.1} % | {} |",
        cell.kind,
        cell.case,
        cell.of.replace('_', " "),
        cell.theirs,
        cell.ours,
        100.0 * cell.deviation(),
        why.unwrap_or(if deviates { "not known" } else { "" })
    );
    deviates && why.is_none()
}
