//! Trace files: every form, every error with its line.

use eddyline_path::traffic::{SizeUnit, Trace, TraceError, TraceFormat, TraceReading};
use eddyline_units::Time;
use proptest::prelude::*;

fn frames(trace: &Trace) -> Vec<(u64, u32)> {
    trace.frames().iter().map(|f| (f.at.as_ps() / 1_000_000_000, f.bytes)).collect()
}

fn error(text: &str) -> String {
    Trace::parse(text).expect_err("an error").to_string()
}

#[test]
fn verbose_frames_are_played_in_order_of_time() {
    // coding order: each P before the B frames that need it
    let text = "# Star something\n\n 0\tI\t0\t1234\n1 P 120 600 # inline\r\n2 B 40 200\n3 B 80 100\n";
    let trace = Trace::parse(text).expect("a trace");
    assert_eq!(frames(&trace), [(0, 1234), (40, 200), (80, 100), (120, 600)]);
    assert_eq!((trace.begin(), trace.duration()), (Time::ZERO, Time::from_ms(160)));
}

#[test]
fn terse_frames_are_forty_milliseconds_apart_by_default() {
    let trace = Trace::parse("\u{feff}100\n0\n# nothing\n300\n0").expect("a trace");
    // a skipped frame takes its time and sends nothing
    assert_eq!(frames(&trace), [(0, 100), (80, 300)]);
    assert_eq!(trace.duration(), Time::from_ms(160));
    let how = TraceReading { interval: Time::from_ms(33), unit: SizeUnit::Bits, ..TraceReading::default() };
    let trace = Trace::read("8\n9\n17", &how).expect("a trace");
    assert_eq!(frames(&trace), [(0, 1), (33, 2), (66, 3)]);
    assert_eq!(trace.duration(), Time::from_ms(99));
}

#[test]
fn two_columns_are_seconds_unless_the_scenario_says_milliseconds() {
    let text = "10.5 1500\n10.5 40\n1.1e1 60";
    assert_eq!(frames(&Trace::parse(text).expect("a trace")), [(10_500, 1500), (10_500, 40), (11_000, 60)]);
    let how = TraceReading { format: Some(TraceFormat::FrameTimes), ..TraceReading::default() };
    assert_eq!(frames(&Trace::read("0 5\n77 6", &how).expect("a trace")), [(0, 5), (77, 6)]);
}

#[test]
fn a_trace_of_one_time_has_a_length() {
    let trace = Trace::parse("1 100\n1 200").expect("a trace");
    assert_eq!(trace.duration(), Time::from_ms(40));
    assert_eq!(Trace::parse("100").expect("a trace").duration(), Time::from_ms(40));
}

#[test]
fn errors_name_the_line_and_the_valid_forms() {
    assert_eq!(error("# only a comment\n\n"), "no frames in it");
    assert_eq!(Trace::parse("0\n0"), Err(TraceError::Empty));
    assert!(error("\n# c\n1 2 3").starts_with("line 3: 3 columns; a trace has 4 (number, type, ms, bytes)"));
    assert!(error("1 2 3 4 5 6").starts_with("line 1: 6 columns"));
    assert_eq!(
        error("0 I 0 100\n1 P 40"),
        "line 2: 3 columns where frame number, frame type, time in ms, size should be"
    );
    assert!(error("100\n12x").starts_with("line 2: \"12x\" is no size: a whole number"));
    assert!(error("100\n-5").starts_with("line 2: \"-5\" is no size"));
    assert!(error("5000000000").starts_with("line 1: \"5000000000\" is no size"));
    assert!(error("0 I soon 100").starts_with("line 1: \"soon\" is no time in ms"));
    assert!(error("0.0 10\n-0.1 10").starts_with("line 2: \"-0.1\" is no time in s"));
    // seconds since 1970 do not fit: the message says what to do
    assert!(error("1700000000.5 10").contains("subtract the first"));
    assert_eq!(error("2.0 10\n1.0 10"), "line 2: time goes back; lines of this form must be in time order");
    let header = error("Frame No | Frametype | Time[ms] | Length [byte]\n0 I 0 100");
    assert!(header.contains("line 1") && header.contains("comments begin with #"), "{header}");
}

#[test]
fn long_invalid_lines_are_quoted_in_part() {
    let dashes = "-".repeat(1_000_000);
    assert!(error(&dashes).len() < 200);
    assert!(error(&format!("{dashes} 10")).len() < 200);
    assert!(error(&format!("1e{} 10", "9".repeat(1000))).len() < 200);
    assert!(Trace::parse("1e-999999 10").is_ok());
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC*") {
        let _ = Trace::parse(&text);
    }

    #[test]
    fn no_text_like_a_trace_makes_the_parser_panic(text in "([0-9.eE+#PI -]{0,12}[ \t\n]){0,20}", format in 0..5usize, bits: bool) {
        let formats = [None, Some(TraceFormat::Verbose), Some(TraceFormat::Terse), Some(TraceFormat::FrameTimes),
            Some(TraceFormat::Packets)];
        let unit = if bits { SizeUnit::Bits } else { SizeUnit::Bytes };
        let how = TraceReading { format: formats[format], unit, interval: Time::MAX };
        if let Ok(trace) = Trace::read(&text, &how) {
            prop_assert!(!trace.frames().is_empty() && trace.duration() > Time::ZERO);
            prop_assert!(trace.frames().windows(2).all(|w| w[0].at <= w[1].at));
            prop_assert!(trace.frames().iter().all(|f| f.bytes > 0));
        }
    }

    #[test]
    fn written_frames_are_read_back(sizes in prop::collection::vec(1u32.., 1..50), gap in 1u64..500) {
        let text: String = sizes.iter().enumerate().map(|(i, s)| format!("{i} P {} {s}\n", i as u64 * gap)).collect();
        let trace = Trace::parse(&text).expect("a trace");
        let wanted: Vec<_> = sizes.iter().enumerate().map(|(i, s)| (i as u64 * gap, *s)).collect();
        prop_assert_eq!(frames(&trace), wanted);
    }
}
