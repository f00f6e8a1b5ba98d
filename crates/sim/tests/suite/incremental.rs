//! `Incremental`: a run in pieces gives the result, the series and the packet log of a run in one piece.

use std::ops::ControlFlow;

use eddyline_scenario::{Format, Input, Network, load};
use eddyline_sim::{Incremental, LogSelection, Options, Progress, SimError, run};
use eddyline_units::Time;

const TEXT: &str = r#"
duration = "3 s"
warmup = "1 s"
seed = 3

[[link]]
name = "down"
rate = "10 Mbit/s"
delay = "10 ms"
queue = { kind = "codel" }
loss = 0.001

[[link]]
name = "up"
rate = "1 Mbit/s"
delay = "10 ms"

[[flow]]
name = "download"
controller = { kind = "cubic" }
data = ["down"]
ack = ["up"]

[[flow]]
name = "upload"
controller = { kind = "newreno" }
data = ["up"]
ack = ["down"]
start = "500 ms"
"#;

fn network() -> Network {
    load(&Input { text: TEXT, format: Format::Toml, name: "incremental", folder: None }, &[]).unwrap().network
}

fn options() -> Options {
    Options { series: true, packet_log: Some(LogSelection::All), ..Options::default() }
}

fn go(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn pieces_have_no_effect_on_the_outcome() {
    let whole = run(&network(), &options(), &mut go).unwrap();
    let log = whole.log.unwrap();
    for piece in [Time::from_ms(1), Time::from_ms(70), Time::from_ms(2999), Time::from_ms(5000)] {
        let mut pieces = Incremental::new(&network(), &options()).unwrap();
        let (mut to, mut times, mut rows) = (Time::ZERO, Vec::new(), 0);
        while pieces.now() < Time::from_ms(3000) {
            to += piece;
            pieces.advance(to, &mut go).unwrap();
            times.extend(pieces.take_log().unwrap().time_s);
            let so_far = pieces.series().unwrap().value.len();
            assert!(so_far >= rows);
            rows = so_far;
        }
        assert!(pieces.flow(1).unwrap().0.delivered_bytes > 0 && pieces.flow(2).is_none());
        let outcome = pieces.finish(&mut go).unwrap();
        assert_eq!(outcome.result, whole.result, "{piece:?}");
        assert_eq!(outcome.series, whole.series, "{piece:?}");
        times.extend(outcome.log.unwrap().time_s);
        assert_eq!(times, log.time_s, "{piece:?}");
    }
}

#[test]
fn an_interrupted_piece_can_be_continued() {
    let network = network();
    let whole = run(&network, &Options::default(), &mut go).unwrap();
    let mut pieces = Incremental::new(&network, &Options::default()).unwrap();
    let mut stops = 0;
    loop {
        match pieces.advance(Time::MAX, &mut |_| ControlFlow::Break(())) {
            Ok(()) => break,
            Err(e) => assert_eq!(e, SimError::Interrupted),
        }
        stops += 1;
        assert!(stops < 10_000);
    }
    assert_eq!(pieces.finish(&mut go).unwrap().result, whole.result);
}
