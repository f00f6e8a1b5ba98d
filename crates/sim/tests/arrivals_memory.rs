//! Memory is proportional to the flows present, not to the arrivals so far. A test binary of its own, since it measures the process.
//!
//! `EDDYLINE_CASES=10000000 cargo test --release -p eddyline-sim --test arrivals_memory -- --nocapture` runs ten million transfers.
#![cfg(target_os = "linux")]

#[path = "suite/scenarios/mod.rs"]
mod scenarios;

use scenarios::result_of;

/// Transfers of ten segments on average, 4,167 per second: a load of 0.5 on 1 Gbit/s.
fn scenario(transfers: u64, controller: &str) -> String {
    let duration = transfers as f64 / 4167.0;
    scenarios::head(duration, 0.0, 1)
        + "[[link]]\nname = \"f\"\nrate = \"1 Gbit/s\"\ndelay = \"5 ms\"\n[[link]]\nname = \"b\"\nrate = \"1 Gbit/s\"\ndelay = \"5 ms\"\n"
        + &format!(
            "[[arrivals]]\nname = \"files\"\nrate = \"4167 /s\"\nsize = {{ kind = \"exponential\", mean = \"14600 B\" }}\n\
             controller = {{ {controller} }}\ndata = [\"f\"]\nack = [\"b\"]\n"
        )
}

/// Peak resident set size of the process, in KiB.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc is mounted");
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).expect("a high-water mark");
    line.split_whitespace().nth(1).and_then(|v| v.parse().ok()).expect("a number")
}

#[test]
fn memory_does_not_grow_with_the_number_of_transfers() {
    let many: u64 = std::env::var("EDDYLINE_CASES").ok().and_then(|v| v.parse().ok()).unwrap_or(200_000);
    for controller in ["kind = \"newreno\"", "kind = \"fast\", alpha = \"20 packets\""] {
        result_of(&scenario(20_000, controller));
        let before = peak_kib();
        let files = result_of(&scenario(many, controller)).arrivals.remove(0);
        let after = peak_kib();
        let (arrived, completed) = (files.arrived.expect("counted"), files.completed.expect("counted"));
        println!("{controller}: {arrived} transfers, {before} KiB after 20,000, {after} KiB after them");
        // Poisson: five standard deviations
        assert!(arrived.abs_diff(many) as f64 <= 5.0 * (many as f64).sqrt(), "{arrived} arrived");
        assert!(arrived - completed < 1_000, "{arrived} arrived, {completed} completed");
        // some hundreds are present at a time; keeping every transfer's state would take a hundred megabytes
        assert!(after <= before + 1024, "{before} KiB became {after} KiB");
    }
}
