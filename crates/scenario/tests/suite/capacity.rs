//! How much unresponsive traffic may wait in a queue without a limit.

use std::fmt::Write as _;

use crate::common;

use common::toml;

/// Sources at `mbit` Mbit/s over a link of 10, with these starts and stops in seconds.
fn over_ten(mbit: u32, duration_s: u32, times: impl IntoIterator<Item = (u32, u32)>) -> String {
    let mut text =
        format!("duration = \"{duration_s} s\"\nlink = [{{ name = \"l\", rate = \"10 Mbit/s\", delay = \"5 ms\" }}]\n");
    for (i, (start, stop)) in times.into_iter().enumerate() {
        write!(
            text,
            "[[traffic]]\nname = \"t{i}\"\npath = [\"l\"]\npacket = \"100 B\"\nstart = \"{start} s\"\nstop = \"{stop} s\"\n\
             model = {{ kind = \"cbr\", rate = \"{mbit} Mbit/s\" }}\n"
        )
        .unwrap();
    }
    text
}

/// A source counts while it sends: a hundred in turn never exceed the link, and a burst of ten seconds leaves what it brings.
#[test]
fn sources_count_while_they_send() {
    for text in [
        over_ten(9, 1000, (0..100).map(|i| (10 * i, 10 * i + 10))),
        over_ten(20, 86_400, [(43_200, 43_210)]),
        // after the run's end
        over_ten(1000, 1000, [(2000, 3000)]),
    ] {
        toml(&text, &[]).unwrap();
    }
}

/// 96 Mbit/s above the rate for a thousand seconds are 120 million packets of 100 B, from one source or from more, whatever comes after.
#[test]
fn what_waits_is_summed_over_time() {
    for text in [
        over_ten(106, 100_000, [(100, 1100)]),
        over_ten(106, 1100, [(100, 90_000)]),
        over_ten(53, 100_000, [(100, 1100); 2]),
        over_ten(53, 100_000, [(100, 1100), (50, 1100)]),
    ] {
        let errors = toml(&text, &[]).unwrap_err();
        let said = errors.to_string();
        assert!(said.contains("leaves 1.2e8 packets waiting"), "{said}");
        assert!(said.contains("give the queue a limit"), "{said}");
    }
}

/// What a run has in packets follows what is carried: 10 Tbit/s for a second of two hundred days is a burst, for all of them too much.
#[test]
fn a_burst_is_no_long_run() {
    let of = |stop: &str| {
        toml(
            &format!(
                "duration = \"200 d\"\nlink = [{{ name = \"l\", rate = \"10 Tbit/s\", delay = \"1 ms\" }}]\n[record]\ninterval = \"1 h\"\n\
                 [[traffic]]\nname = \"t\"\npath = [\"l\"]\nstop = \"{stop}\"\nmodel = {{ kind = \"cbr\", rate = \"9 Tbit/s\" }}\n"
            ),
            &[],
        )
    };
    of("1 s").unwrap();
    let said = of("200 d").unwrap_err().to_string();
    assert!(said.contains("at most 10 trillion"), "{said}");
}
