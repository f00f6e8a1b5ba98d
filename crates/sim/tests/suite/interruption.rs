//! A run ends while an event sends very many packets.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use eddyline_sim::{Interruption, Options, SimError, run};

use crate::scenarios;

/// Requested when it is asked for the tenth time.
#[derive(Debug, Default)]
struct Tenth(AtomicU64);

impl Interruption for Tenth {
    fn is_requested(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) + 1 >= 10
    }
}

/// A queue of 100 packets drops what a window of 1e15 sends at once: memory never ends that.
#[test]
fn a_burst_without_end_is_interrupted() {
    let fast = "kind = \"fast\", alpha = \"10 packets\", min_window = \"1e15 packets\"";
    let text = scenarios::head(10.0, 0.0, 1)
        + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nqueue = { kind = \"droptail\", limit = \"100 packets\" }\n"
        + "[[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\n"
        + &scenarios::flow("large", fast, "f", "b", "");
    let tenth = Arc::new(Tenth::default());
    let options = Options { interruption: Some(tenth.clone()), ..Options::default() };
    let mut observed = 0;
    let ended = run(&scenarios::network(&text), &options, &mut |_| {
        observed += 1;
        ControlFlow::Continue(())
    });
    assert_eq!(ended.unwrap_err(), SimError::Interrupted);
    assert!(observed <= 1, "the observer was called {observed} times");
    assert!(tenth.0.load(Ordering::Relaxed) < 500);
}
