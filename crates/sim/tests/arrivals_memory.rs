//! Memory follows the flows that are present, not those that ever came. Alone in its process, since the process is measured.
//!
//! `EDDYLINE_CASES=10000000 cargo test --release -p eddyline-sim --test arrivals_memory -- --nocapture` for as many transfers.
#![cfg(target_os = "linux")]

mod scenarios;

use scenarios::answer;

/// Ten segments on the average, 4,167 a second: half of a gigabit a second.
fn scenario(transfers: u64, controller: &str) -> String {
    let duration = transfers as f64 / 4167.0;
    scenarios::head(duration, 0.0, 1)
        + "[[link]]\nname = \"f\"\nrate = \"1 Gbit/s\"\ndelay = \"5 ms\"\n[[link]]\nname = \"b\"\nrate = \"1 Gbit/s\"\ndelay = \"5 ms\"\n"
        + &format!(
            "[[arrivals]]\nname = \"files\"\nrate = \"4167 /s\"\nsize = {{ kind = \"exponential\", mean = \"14600 B\" }}\n\
             controller = {{ {controller} }}\ndata = [\"f\"]\nack = [\"b\"]\n"
        )
}

/// The most memory that the process ever had resident, in KiB.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).expect("a high-water mark");
    line.split_whitespace().nth(1).and_then(|v| v.parse().ok()).expect("a number")
}

#[test]
fn memory_does_not_grow_with_the_number_of_transfers() {
    let many: u64 = std::env::var("EDDYLINE_CASES").ok().and_then(|v| v.parse().ok()).unwrap_or(200_000);
    for controller in ["kind = \"newreno\"", "kind = \"fast\", alpha = \"20 packets\""] {
        answer(&scenario(20_000, controller));
        let before = peak_kib();
        let files = answer(&scenario(many, controller)).arrivals.remove(0);
        let after = peak_kib();
        let (arrived, completed) = (files.arrived.expect("counted"), files.completed.expect("counted"));
        println!("{controller}: {arrived} transfers, {before} KiB after 20,000, {after} KiB after them");
        // Poisson: five standard deviations
        assert!(arrived.abs_diff(many) as f64 <= 5.0 * (many as f64).sqrt(), "{arrived} arrived");
        assert!(arrived - completed < 1_000, "{arrived} arrived, {completed} completed");
        // some hundreds are present at a time; a transfer's state alone is some hundred bytes, a hundred million for all
        assert!(after <= before + 1024, "{before} KiB became {after} KiB");
    }
}
