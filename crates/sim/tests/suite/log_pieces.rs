//! A packet log that is passed on in pieces: joined, they are the log that is kept otherwise.

use crate::scenarios;

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use eddyline_sim::{Incremental, LogSelection, LogSink, Options, PacketLog};
use scenarios::{flow, head, network, outcome};

/// The pieces, joined, and the rows of each.
#[derive(Debug, Default)]
struct Joined(Mutex<(PacketLog, Vec<usize>)>);

impl LogSink for Joined {
    fn append(&self, rows: &PacketLog) {
        let (log, pieces) = &mut *self.0.lock().unwrap();
        log.append(rows);
        pieces.push(rows.time_s.len());
    }
}

/// Two flows with losses, unresponsive traffic and transfers that come and go.
fn busy(duration_s: f64) -> String {
    let queue = "queue = { kind = \"droptail\", limit = \"100 packets\" }\nloss = 0.001\ndelay";
    head(duration_s, 1.0, 3)
        + &scenarios::duplex(10e6, 10e6, 0.03).replace("delay", queue)
        + &flow("x", "kind = \"cubic\"", "f", "b", "")
        + &flow("y", "kind = \"newreno\"", "b", "f", "")
        + "[[traffic]]\nname = \"noise\"\npath = [\"f\"]\npacket = \"173 B\"\n"
        + "model = { kind = \"poisson\", rate = \"100 kbit/s\" }\n"
        + "[[arrivals]]\nname = \"short\"\nrate = \"5 /s\"\nsize = { kind = \"exponential\", mean = \"20 kB\" }\ndata = [\"f\"]\nack = [\"b\"]\n"
        + "controller = { kind = \"newreno\" }\n"
}

fn passed_on(duration_s: f64, selection: &LogSelection) -> (PacketLog, Vec<usize>, Option<PacketLog>) {
    let sink = Arc::new(Joined::default());
    let packet_log = Some(selection.clone());
    let options = Options { packet_log, log_sink: Some(sink.clone()), ..Options::default() };
    let kept = outcome(&network(&busy(duration_s)), &options).log;
    let (log, pieces) = std::mem::take(&mut *sink.0.lock().unwrap());
    (log, pieces, kept)
}

#[test]
fn joined_pieces_are_the_whole_log() {
    let of = |name: &str| LogSelection::Entity(name.to_owned());
    for (selection, least) in [(LogSelection::All, 3), (of("x"), 2), (of("short"), 1), (of("f"), 1), (of("noise"), 1)] {
        let options = Options { packet_log: Some(selection.clone()), ..Options::default() };
        let whole = outcome(&network(&busy(30.0)), &options).log.unwrap();
        let (log, pieces, kept) = passed_on(30.0, &selection);
        assert!(kept.is_none());
        assert!(log == whole, "{selection:?}: {} rows, not {}", log.time_s.len(), whole.time_s.len());
        assert!(pieces.len() >= least, "{selection:?}: {pieces:?}");
        let (last, full) = pieces.split_last().unwrap();
        assert!(full.iter().all(|&rows| rows == PacketLog::PIECE) && (1..=PacketLog::PIECE).contains(last));
    }
}

/// No row: no piece, and no log either, because the sink has it.
#[test]
fn a_log_without_rows_has_no_pieces() {
    let text = head(2.0, 1.0, 3) + &scenarios::duplex(1e6, 1e6, 0.03) + &flow("x", "kind = \"reno\"", "f", "b", "");
    let text = text + "start = \"1.9 s\"\n" + &flow("late", "kind = \"reno\"", "f", "b", "start = \"1.99 s\"\n");
    let sink = Arc::new(Joined::default());
    let packet_log = Some(LogSelection::Entity("late".into()));
    let options = Options { packet_log, log_sink: Some(sink.clone()), ..Options::default() };
    let text = text.replacen("duration = \"2 s\"", "duration = \"1.98 s\"", 1);
    assert!(outcome(&network(&text), &options).log.is_none());
    assert_eq!(*sink.0.lock().unwrap(), (PacketLog::default(), Vec::new()));
}

/// A simulation that is run in pieces of time gives its rows to the sink too, not to both.
#[test]
fn the_sink_of_an_incremental_simulation_has_all_rows() {
    let (whole, ..) = passed_on(5.0, &LogSelection::All);
    let sink = Arc::new(Joined::default());
    let options = Options { packet_log: Some(LogSelection::All), log_sink: Some(sink.clone()), ..Options::default() };
    let mut go = |_| ControlFlow::Continue(());
    let mut simulation = Incremental::new(&network(&busy(5.0)), &options).unwrap();
    simulation.advance(eddyline_units::Time::from_ms(1234), &mut go).unwrap();
    assert!(simulation.take_log().is_none());
    assert!(simulation.finish(&mut go).unwrap().log.is_none());
    assert!(sink.0.lock().unwrap().0 == whole);
}
