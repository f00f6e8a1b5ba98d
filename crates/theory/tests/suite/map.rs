//! Maps: axes, brackets, boundaries as polylines, cells compared with the documents of one scenario.

use crate::common;

use std::collections::BTreeMap;

use common::{close, fast_flow, fast_with_gamma, flow, link, network, problem};
use eddyline_scenario::Network;
use eddyline_scenario::network::Group;
use eddyline_theory::equilibrium::solve;
use eddyline_theory::map::{Axis, AxisError, CellValue, Located, MAX_POINTS, Map, Show, Spacing, evaluate};
use eddyline_theory::stability::{Options, boundary, crossing, single};
use eddyline_theory::{LinkModel, TheoryError, equilibria_document, stability_document};
use eddyline_units::Rate;

fn axis(text: &str) -> Axis {
    Axis::parse("link.l.rate", text).expect("an axis")
}

#[test]
fn ranges() {
    let a = axis("10 Mbit/s..20 Mbit/s:3");
    assert_eq!((a.unit, a.spacing), ("bit/s", Spacing::Linear));
    assert_eq!(a.values, [1e7, 1.5e7, 2e7]);
    assert_eq!(a.settings, ["10 Mbit/s", "15 Mbit/s", "20 Mbit/s"]);
    let a = axis("100 kbit/s .. 10 Mbit/s : 3 : log");
    assert_eq!(a.settings, ["0.1 Mbit/s", "1 Mbit/s", "10 Mbit/s"]);
    assert!(a.is_log());
    assert_eq!(axis("1 ms..2 s").values.len(), 41);
    assert_eq!(axis("1 ms..2 s:log").values.len(), 41);
    assert_eq!(axis("0.1..0.5:5:linear").settings, ["0.1", "0.2", "0.3", "0.4", "0.5"]);
    let a = axis("1 packets, 2 packets,5.5 packets");
    assert_eq!((a.unit, a.spacing), ("packets", Spacing::List));
    assert_eq!(a.settings, ["1 packets", "2 packets", "5.5 packets"]);
    assert_eq!(axis("1 ms, 2 ms").values, [1e-3, 2e-3]);
    // every ratio of a logarithmic range is the same, to the twelve digits that settings have
    let a = axis("3 Mbit/s..700 Mbit/s:30:log");
    for pair in a.values.windows(2) {
        close(pair[1] / pair[0], libm::pow(700.0 / 3.0, 1.0 / 29.0), 1e-11);
    }
    assert!(a.settings.iter().all(|s| s.len() <= "700.000000000 Mbit/s".len()), "{:?}", a.settings);
}

#[test]
fn one_value_or_many() {
    assert_eq!(Axis::values("20 ms"), Ok((vec![0.02], "s")));
    assert_eq!(Axis::values("0.1 %"), Ok((vec![0.001], "")));
    assert_eq!(Axis::values("1e-3"), Ok((vec![0.001], "")));
    assert_eq!(Axis::values("1 %, 2 %"), Ok((vec![0.01, 0.02], "")));
    assert_eq!(Axis::values("1..3:3"), Ok((vec![1.0, 2.0, 3.0], "")));
    assert_eq!(Axis::values("20ms"), Axis::values("20 ms"));
    assert_eq!(Axis::values("1Mbps..2 Mb/s:2"), Ok((vec![1e6, 2e6], "bit/s")));
    assert_eq!(Axis::parse("k", "1Mbps..2Mbps:2").map(|a| a.settings), Ok(vec!["1 Mbit/s".into(), "2 Mbit/s".into()]));
    assert!(matches!(Axis::values("20 parsec"), Err(AxisError::NotANumber { .. })));
    assert!(matches!(Axis::values("ms"), Err(AxisError::NotANumber { .. })));
}

#[test]
fn invalid_ranges() {
    let wrong = |text: &str| Axis::parse("link.l.rate", text).expect_err(text);
    for text in ["", "10 Mbit/s", "10"] {
        assert_eq!(wrong(text), AxisError::OneValue, "{text}");
    }
    assert!(matches!(wrong("20 Mbit/s..10 Mbit/s"), AxisError::Reversed { .. }));
    assert!(wrong("2 s..10 ms").to_string().contains("write 10 ms..2000 ms"), "{}", wrong("2 s..10 ms"));
    assert!(matches!(wrong("10 Mbit/s..10 Mbit/s"), AxisError::Empty { .. }));
    for text in ["10..20 Mbit/s", "10 Mbit/s..20", "10 Mbit/s, 20"] {
        assert!(matches!(wrong(text), AxisError::UnitMissing { .. }), "{text}: {:?}", wrong(text));
    }
    assert!(wrong("10 Mbit/s..20").to_string().ends_with("write 20 Mbit/s"), "{}", wrong("10 Mbit/s..20"));
    // the same share, not a hundredth of it
    assert!(wrong("0.01 %, 0.007").to_string().ends_with("write 0.7 %"), "{}", wrong("0.01 %, 0.007"));
    assert!(matches!(wrong("10 Mbit/s..20 ms"), AxisError::Kinds { .. }));
    for text in ["a..b", "10 parsec..20 parsec", "Mbit/s..20 Mbit/s", "..", "1,", "inf..nan", "1e400..1e401"] {
        assert!(matches!(wrong(text), AxisError::NotANumber { .. }), "{text}: {:?}", wrong(text));
    }
    assert!(matches!(wrong("-1 ms..1 ms"), AxisError::Negative { .. }));
    for text in ["1..2:1", "1..2:0", "1..2:1000000000", "1..2:3.5", "1..2:-4", "1..2:", "1..2::log"] {
        assert!(matches!(wrong(text), AxisError::Points { .. }), "{text}: {:?}", wrong(text));
    }
    for text in ["1..2:cubic", "1..2:5:cubic", "1..2:log:5", "1..2:5:log:log"] {
        assert!(matches!(wrong(text), AxisError::Spacing { .. }), "{text}: {:?}", wrong(text));
    }
    assert!(matches!(wrong("0 ms..1 ms:5:log"), AxisError::LogFromZero { .. }));
    assert!(matches!(wrong("1 ms, 3 ms, 2 ms"), AxisError::Order { .. }));
    assert!(matches!(wrong("1 ms, 1 ms"), AxisError::Order { .. }));
    // closer than twelve digits resolve
    assert!(matches!(wrong("1..1.0000000000001:41"), AxisError::Order { .. }));
    let many = (0..=MAX_POINTS).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    assert!(matches!(wrong(&many), AxisError::Points { .. }));
}

#[test]
fn the_bracket_converges_to_the_sign_change() {
    let calls = std::cell::Cell::new(0);
    let count = |m: Option<f64>| {
        calls.set(calls.get() + 1);
        m
    };
    let root = crossing((0.0, -2.0), (2.0, 2.0), false, 1e-12, |y| count(Some(y * y - 2.0)));
    assert!((root - 2f64.sqrt()).abs() < 2e-12, "{root}");
    assert!(calls.get() <= 20, "{} evaluations", calls.get());
    let root = crossing((1.0, 3.0), (1e6, -3.0), true, 1e-12, |y| Some(3.0 - libm::log10(y)));
    assert!((root / 1000.0 - 1.0).abs() < 5e-11, "{root}");
    // a jump, with sizes that mislead the secant: never more than one evaluation beyond bisection
    calls.set(0);
    let jump = crossing((0.0, -1e-9), (1.0, 1e9), false, 1e-12, |y| count(Some(if y > 0.3 { 1e9 } else { -1e-9 })));
    assert!((jump - 0.3).abs() < 1e-12, "{jump}");
    assert!(calls.get() <= 41, "{} evaluations", calls.get());
    // without values in between, somewhere between
    let lost = crossing((0.0, -1.0), (1.0, 1.0), false, 1e-12, |_| None);
    assert!((0.0..=1.0).contains(&lost));
    // all of them, and only them
    let found = boundary(&[0.5, 2.0], (-3.0, 3.0), 12, false, |x, y| Some(x - y * y));
    for (x, ys) in [0.5f64, 2.0].iter().zip(found) {
        assert_eq!(ys.len(), 2);
        assert!((ys[0] + x.sqrt()).abs() < 1e-12 && (ys[1] - x.sqrt()).abs() < 1e-12, "{ys:?}");
    }
}

/// A stability map of made-up margins.
fn made(columns: usize, rows: usize, margin: impl Fn(f64, f64) -> Option<f64>) -> Map {
    let text = |n: usize| format!("0..{}:{n}", n - 1);
    let x = Axis::parse("a", &text(columns)).expect("an axis");
    let y = Axis::parse("b", &text(rows)).expect("an axis");
    let say = |m: f64| CellValue::Stability {
        stable: Some(m > 0.0),
        neutral: Some(false),
        root_re_per_s: Some(-m),
        root_im_per_s: Some(0.0),
        equilibria: Some(1),
    };
    let cells = y.values.iter().flat_map(|y| x.values.iter().map(move |x| (*x, *y)));
    let values = cells.map(|(x, y)| margin(x, y).map(say).ok_or_else(|| "nothing".to_owned())).collect();
    let net = network(vec![link("l", 1, 1)], Vec::new());
    let mut map = Map::new(&net, &Show::Stability(LinkModel::Integrator), x, y, values);
    let look = |sample| (sample, map.locate(sample, |x, y| margin(x, y).map(say)));
    let found: BTreeMap<_, Located> = map.samples().into_iter().map(look).collect();
    map.draw(found);
    map
}

fn lines(map: &Map) -> &[Vec<[f64; 2]>] {
    map.boundary.as_deref().expect("drawn")
}

#[test]
fn a_closed_boundary_is_one_line_on_the_curve() {
    let circle = made(11, 11, |x, y| Some(3.3 * 3.3 - (x - 5.0) * (x - 5.0) - (y - 5.0) * (y - 5.0)));
    let [line] = lines(&circle) else { panic!("{} lines", lines(&circle).len()) };
    assert_eq!(line.first(), line.last());
    assert!(line.len() > 20);
    for [x, y] in line {
        close((x - 5.0).hypot(y - 5.0), 3.3, 1e-9);
    }
    // neighbours on the line are neighbours in the plane
    for pair in line.windows(2) {
        assert!((pair[0][0] - pair[1][0]).hypot(pair[0][1] - pair[1][1]) <= 2f64.sqrt() + 1e-12);
    }
}

#[test]
fn open_and_adjacent_boundaries() {
    let split = made(9, 5, |x, y| Some(x - 3.5 - 0.1 * y));
    let [line] = lines(&split) else { panic!("one line") };
    for (end, wanted) in [(line[0], [3.5, 0.0]), (line[line.len() - 1], [3.9, 4.0])] {
        assert!((end[0] - wanted[0]).abs() < 1e-9 && end[1] == wanted[1], "{end:?}");
    }
    // a saddle in the middle of a square: the two lines follow the hyperbola, whose branches depend on the sign in the
    // middle
    for level in [0.2, -0.2] {
        let saddle = made(6, 6, |x, y| Some((x - 2.5) * (y - 2.5) + level));
        assert_eq!(lines(&saddle).len(), 2);
        for line in lines(&saddle) {
            for [x, y] in line {
                assert!(((x - 2.5) * (y - 2.5) + level).abs() < 1e-8);
            }
            let side = |at: &[f64; 2]| (at[0] > 2.5, at[1] > 2.5);
            assert!(line.iter().all(|at| side(at) == side(&line[0])), "{line:?} leaves its branch");
        }
    }
    let hole = made(9, 5, |x, y| (y != 2.0).then_some(x - 3.5));
    assert_eq!(hole.failed, 9);
    assert!(hole.cells.iter().filter(|c| c.y == 2.0).all(|c| c.error.as_deref() == Some("nothing")));
    assert_eq!(lines(&hole).len(), 2, "above and below the row without values");
    assert!(lines(&made(4, 4, |_, _| Some(1.0))).is_empty());
}

/// One FAST flow on one link: u = gamma, rho = q / R.
fn single_flow(alpha: f64, gamma: f64) -> Network {
    let mut one = fast_flow("one", alpha, &[0], &[1]);
    one.controller = fast_with_gamma(alpha, gamma);
    network(vec![link("there", 8_000_000, 20), link("back", 1_000_000_000, 20)], vec![one])
}

#[test]
fn the_boundary_of_one_flow_is_that_of_the_loop_in_two_numbers() {
    let show = Show::Stability(LinkModel::Integrator);
    let x = Axis::parse("alpha", "1 packets..60 packets:9:log").expect("an axis");
    let y = Axis::parse("gamma", "0.45..1:12").expect("an axis");
    let say = |alpha: f64, gamma: f64| evaluate(&single_flow(alpha, gamma), &show).expect("an answer");
    let cells = y.values.iter().flat_map(|y| x.values.iter().map(move |x| Ok(say(*x, *y)))).collect();
    let mut map = Map::new(&single_flow(10.0, 0.5), &show, x, y, cells);
    let found: BTreeMap<_, Located> =
        map.samples().into_iter().map(|s| (s, map.locate(s, |x, y| Some(say(x, y))))).collect();
    map.draw(found);
    let [line] = lines(&map) else { panic!("one line") };
    assert!(line.len() > 8, "{line:?}");
    // a packet takes 1 ms, its acknowledgement 0.32 us
    let base = 0.04 + 1e-3 + 320.0 / 1e9;
    for [alpha, gamma] in line {
        let q = alpha * 1e-3;
        let rho = q / (base + q);
        assert!((rho - single::boundary(*gamma)).abs() < 1e-8, "gamma {gamma}: {rho} for {}", single::boundary(*gamma));
    }
}

#[test]
fn cells_agree_with_the_documents() {
    let two = |alpha: f64| {
        let flows = vec![fast_flow("a", alpha, &[0], &[1]), fast_flow("b", 30.0, &[1], &[0])];
        network(vec![link("f", 20_000_000, 10), link("b", 10_000_000, 10)], flows)
    };
    for alpha in [1.0, 20.0, 55.0, 200.0] {
        let net = two(alpha);
        let document = equilibria_document(&net).expect("solved");
        let first = &document.equilibria[0];
        let Ok(CellValue::Bottleneck { region, equilibria, bottlenecks }) = evaluate(&net, &Show::Bottleneck) else {
            panic!("no answer")
        };
        let full: Vec<&str> =
            first.links.iter().filter(|l| l.bottleneck == Some(true)).map(|l| l.name.as_str()).collect();
        assert_eq!(region.as_deref(), Some(full.join(" + ").as_str()));
        assert_eq!((equilibria, bottlenecks.expect("some")[0].len()), (Some(1), full.len()));
        for model in [LinkModel::Integrator, LinkModel::AckClocked, LinkModel::Joint] {
            let judged = stability_document(&net, model, &Options::default()).expect("judged");
            let Ok(CellValue::Stability { stable, root_re_per_s, root_im_per_s, .. }) =
                evaluate(&net, &Show::Stability(model))
            else {
                panic!("no answer")
            };
            assert_eq!(stable, Some(judged.stable));
            assert_eq!([root_re_per_s, root_im_per_s], judged.roots[0].map(Some), "{model:?} at {alpha}");
        }
        let rate = |flow: Option<&str>| match evaluate(&net, &Show::Throughput(flow.map(str::to_owned))) {
            Ok(CellValue::Throughput { packets_per_s: Some(x), goodput_bps: Some(g), .. }) => (x, g),
            other => panic!("{other:?}"),
        };
        assert_eq!(rate(Some("a")), (first.flows[0].packets_per_s, first.flows[0].packets_per_s * 960.0 * 8.0));
        let sum = first.flows[0].packets_per_s + first.flows[1].packets_per_s;
        assert_eq!(rate(None).0, sum);
    }
}

#[test]
fn several_equilibria_are_counted_and_named() {
    // docs/theory/equilibrium.md: 10 Mbit/s shared, then 3.6 Mbit/s, by which the other's acknowledgements return
    let there = fast_flow("long", 100.0, &[0, 1], &[0]);
    let other = fast_flow("short", 100.0, &[0], &[1]);
    let net = network(vec![link("shared", 10_000_000, 10), link("second", 3_600_000, 10)], vec![there, other]);
    let document = equilibria_document(&net).expect("solved");
    let Ok(CellValue::Bottleneck { equilibria, bottlenecks: Some(sets), .. }) = evaluate(&net, &Show::Bottleneck)
    else {
        panic!("no answer")
    };
    assert_eq!(equilibria, Some(3));
    assert_eq!(sets.len(), document.equilibria.len());
    for (names, at) in sets.iter().zip(&document.equilibria) {
        let full = at.links.iter().filter(|l| l.bottleneck == Some(true)).map(|l| &l.name);
        assert!(names.iter().eq(full), "{names:?}");
    }
    let stated =
        problem(&[1e7, 3.6e6], vec![flow(100.0, 8000.0, 320.0, &[0, 1], &[0]), flow(100.0, 8000.0, 320.0, &[0], &[1])]);
    assert_eq!(solve(&stated).expect("solved").found.len(), sets.len());
}

#[test]
fn throughput_of_one_flow_or_of_all() {
    let flows: Vec<_> = (0..3).map(|i| fast_flow(&format!("many[{i}]"), 10.0, &[0], &[1])).collect();
    let mut net = network(vec![link("l", 8_000_000, 10), link("m", 80_000_000, 10)], flows);
    net.flows.push(fast_flow("alone", 10.0, &[0], &[1]));
    net.groups.push(Group { name: "many".to_owned(), first: 0, count: 3 });
    let rate = |net: &Network, flow: &str| match evaluate(net, &Show::Throughput(Some(flow.to_owned()))) {
        Ok(CellValue::Throughput { packets_per_s: Some(x), .. }) => x,
        other => panic!("{other:?}"),
    };
    // 1,000 packets a second, shared by four
    close(rate(&net, "many"), 750.0, 1e-9);
    close(rate(&net, "many[1]"), 250.0, 1e-9);
    close(rate(&net, "alone"), 250.0, 1e-9);
    net.links[0].rate = Rate::from_bps(16_000_000);
    close(rate(&net, "alone"), 500.0, 1e-9);
}

#[test]
fn networks_without_modelled_flows_are_errors() {
    let empty = network(vec![link("l", 8_000_000, 10)], Vec::new());
    for show in [Show::Bottleneck, Show::Stability(LinkModel::AckClocked), Show::Throughput(None)] {
        assert_eq!(evaluate(&empty, &show), Err(TheoryError::NoFlow), "{show:?}");
    }
    let mut reno = fast_flow("reno", 1.0, &[0], &[0]);
    reno.controller =
        std::sync::Arc::new(eddyline_cc::ControllerParams::NewReno(eddyline_cc::NewRenoParams::default()));
    let net = network(vec![link("l", 8_000_000, 10)], vec![reno]);
    for show in [Show::Bottleneck, Show::Stability(LinkModel::AckClocked), Show::Throughput(None)] {
        assert!(matches!(evaluate(&net, &show), Err(TheoryError::NoModel { .. })), "{show:?}");
    }
}

proptest::proptest! {
    /// Any text: an axis whose settings read back as its values, or a message.
    #[test]
    fn no_axis_text_panics(text in "[-+.,: 0-9eE]{0,12}( (Mbit/s|ms|s|packets|B|kB|/s|%))?(\\.\\.|, )?[-+. 0-9eE]{0,8}( (kbit/s|Mbit/s|s|packets|%))?(:[0-9]{0,3})?(:log)?") {
        match Axis::parse("k", &text) {
            Err(e) => assert!(!e.to_string().is_empty()),
            Ok(axis) => {
                assert!(axis.values.len() >= 2 && axis.values.len() == axis.settings.len(), "{text}");
                assert!(axis.values.windows(2).all(|w| w[0] < w[1]), "{text}");
                for (value, setting) in axis.values.iter().zip(&axis.settings) {
                    let (read, unit) = Axis::values(setting).expect("the printed setting is a value");
                    assert_eq!((read[0], unit), (*value, axis.unit), "{text}: {setting}");
                }
            }
        }
    }
}
