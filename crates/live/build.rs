//! Compiles the BPF programs, where the feature `bpf` asks for them.

use std::env;
use std::path::PathBuf;
use std::process::{Command, exit};

/// The program, and what it includes.
const SOURCES: [&str; 5] = ["bpf/fast.bpf.c", "bpf/window_law.h", "bpf/clock_drift.h", "bpf/delay.h", "bpf/options.h"];

fn main() {
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
    }
    if env::var_os("CARGO_FEATURE_BPF").is_none() {
        return;
    }
    let object = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("fast.bpf.o");
    let compiled = Command::new("clang")
        .args(["-O2", "-g", "-Wall", "-Werror", "-target", "bpf", "-mcpu=v3", "-c", SOURCES[0], "-o"])
        .arg(&object)
        .status();
    match compiled {
        Ok(status) if status.success() => {}
        Ok(status) => {
            println!("cargo::error=clang: {status}");
            exit(1);
        }
        Err(e) => {
            println!("cargo::error=clang: {e}; apt install clang, or build without the feature bpf");
            exit(1);
        }
    }
}
