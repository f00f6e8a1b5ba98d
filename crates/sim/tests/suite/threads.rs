//! A network divided into domains, on one thread or several, gives the bytes that it gives as a whole.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use eddyline_path::random::Stream;
use eddyline_scenario::{Network, load_file};
use eddyline_sim::{Execution, Options, Outcome, SimError, run};

use crate::drawn_scenarios::{self, draw_controller, draw_flow_options, draw_queue};
use crate::scenarios::{network, outcome};

const THREADS: [usize; 4] = [1, 2, 3, 8];

/// The outcome on so many threads, divided if it can be.
fn on(network: &Network, threads: usize) -> Outcome {
    outcome(network, &Options { threads, divide_always: true, series: true, ..Options::default() })
}

/// Compares the results of the whole with those of its domains on threads; returns into how many domains the network was divided.
fn compare(name: &str, network: &Network, threads: &[usize]) -> usize {
    let one = outcome(network, &Options { series: true, ..Options::default() });
    let document = |outcome: &Outcome| serde_json::to_string(&outcome.result).unwrap();
    let mut domains = 1;
    for threads in threads {
        let several = on(network, *threads);
        assert!(document(&one) == document(&several), "{name} on {threads} threads: {:?}", several.execution);
        assert!(one.series == several.series, "the series of {name} on {threads} threads");
        domains = domains.max(several.execution.domains);
    }
    domains
}

/// A chain of nodes with links both ways, of which few are alike, and flows between any two nodes.
fn draw_chain(seed: u64) -> String {
    let mut r = Stream::new(seed, "threads", "chain");
    let nodes = 3 + r.below(6);
    let mut text =
        format!("duration = \"{} ms\"\nwarmup = \"{} ms\"\nseed = {seed}\n", 1500 + r.below(1500), r.below(900));
    for node in 0..nodes - 1 {
        for way in ["east", "west"] {
            let (rate, delay) = (500 + r.below(20_000), r.below(20_000));
            let delay = if r.uniform() < 0.1 { 0 } else { delay };
            text += &format!("[[link]]\nname = \"{way} {node}\"\nrate = \"{rate} kbit/s\"\ndelay = \"{delay} us\"\n");
            text += &format!("queue = {}\n", draw_queue(&mut r));
            if r.uniform() < 0.15 {
                text += "loss = 0.01\n";
            }
            if r.uniform() < 0.1 {
                text += "jitter = { kind = \"normal\", sd = \"2 ms\" }\n";
            }
        }
    }
    let path = |from: u64, to: u64| {
        let names: Vec<String> = if from < to {
            (from..to).map(|n| format!("\"east {n}\"")).collect()
        } else {
            (to..from).rev().map(|n| format!("\"west {n}\"")).collect()
        };
        names.join(", ")
    };
    for flow in 0..2 + r.below(8) {
        let from = r.below(nodes);
        let to = (from + 1 + r.below(nodes - 1)) % nodes;
        let (data, ack) = (path(from, to), path(to, from));
        let controller = draw_controller(&mut r);
        text +=
            &format!("[[flow]]\nname = \"flow {flow}\"\ncontroller = {controller}\ndata = [{data}]\nack = [{ack}]\n");
        text += &draw_flow_options(&mut r);
    }
    if r.uniform() < 0.3 {
        text += &format!(
            "[[arrivals]]\nname = \"short\"\nrate = \"20 /s\"\nsize = {{ kind = \"exponential\", mean = \"20 kB\" }}\ncontroller = {{ kind = \"newreno\" }}\n\
             data = [{}]\nack = [{}]\n",
            path(0, 1),
            path(1, 0)
        );
    }
    if r.uniform() < 0.3 {
        let path = path(nodes - 2, nodes - 1);
        text += &format!(
            "[[traffic]]\nname = \"noise\"\nmodel = {{ kind = \"poisson\", rate = \"100 kbit/s\" }}\npath = [{path}]\n"
        );
    }
    if r.uniform() < 0.3 {
        let (data, ack) = (path(0, 2), path(2, 0));
        text += &format!("[[probe]]\nname = \"probe\"\ndata = [{data}]\nack = [{ack}]\n");
    }
    text
}

/// `EDDYLINE_CASES` says how many.
#[test]
fn random_chains_are_the_same_on_any_number_of_threads() {
    let cases = std::env::var("EDDYLINE_CASES").map_or(24, |n| n.parse().unwrap());
    let mut divided = 0;
    for seed in 0..cases {
        let text = draw_chain(seed);
        let threads = THREADS[seed as usize % THREADS.len()];
        divided += u64::from(compare(&text, &network(&text), &[threads]) > 1);
    }
    assert!(divided * 2 > cases, "{divided} of {cases} divided: too few to say anything");
}

#[test]
fn random_scenarios_are_the_same_on_three_threads() {
    for seed in 0..16 {
        let text = drawn_scenarios::draw(seed);
        compare(&text, &network(&text), &[3]);
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
    all.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    all.sort();
    all
}

/// The first two seconds of every scenario of the tree.
#[test]
fn the_scenarios_of_the_tree_are_the_same_on_two_threads() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut read = 0;
    for file in files(&root.join("examples")).into_iter().chain(files(&root.join("python/eddyline/papers"))) {
        let overrides = [("duration".to_owned(), "2 s".to_owned()), ("warmup".to_owned(), "1 s".to_owned())];
        let Ok(scenario) = load_file(&file, &overrides) else { continue };
        if let Err(SimError::OtherWorld { .. }) =
            run(&scenario.network, &Options::default(), &mut |_| ControlFlow::Continue(()))
        {
            continue;
        }
        compare(&file.display().to_string(), &scenario.network, &[2]);
        read += 1;
    }
    assert!(read > 20, "{read} scenarios");
}

/// A ring of links of 5 ms, each with `flows` flows over three of them.
fn ring(flows: u32, duration: &str) -> Network {
    let mut text = format!("duration = \"{duration}\"\n");
    for link in 0..24 {
        text += &format!("[[link]]\nname = \"link {link}\"\nrate = \"1 Gbit/s\"\ndelay = \"5 ms\"\n");
        let path =
            |first: u64| (first..first + 3).map(|l| format!("\"link {}\"", l % 24)).collect::<Vec<_>>().join(", ");
        text += &format!(
            "[[flow]]\nname = \"flow {link}\"\ncount = {flows}\ncontroller = {{ kind = \"newreno\" }}\ndata = [{}]\nack = [{}]\n",
            path(link),
            path(link + 21)
        );
    }
    network(&text)
}

/// It is divided at any of its links; what one thread does, two do.
#[test]
fn a_ring_is_divided_where_that_pays() {
    let network = ring(1, "1 s");
    let two = outcome(&network, &Options { threads: 2, ..Options::default() });
    assert_eq!(two.result, outcome(&network, &Options::default()).result);
    let processors = std::thread::available_parallelism().unwrap().get();
    assert_eq!((two.execution.threads, two.execution.one_because), (processors.min(2), None));
    assert_eq!(two.execution.lookahead.as_secs_f64(), 0.005);
    assert!(two.execution.domains > 2 && two.execution.windows >= 200, "{:?}", two.execution);
}

/// More flows than a cache holds: one thread simulates domain after domain.
#[test]
fn a_large_network_is_divided_on_one_thread() {
    let execution = outcome(&ring(1_400, "60 ms"), &Options::default()).execution;
    assert_eq!((execution.threads, execution.domains), (1, 2));
    assert_eq!(outcome(&ring(10, "60 ms"), &Options::default()).execution, Execution::ONE);
}

/// Progress is reported as often as on one thread, at times that never go back, and a run can be stopped at any of them.
#[test]
fn progress_is_reported_and_can_end_a_run() {
    let network = ring(1, "1 s");
    let options = Options { threads: 2, ..Options::default() };
    let mut times = Vec::new();
    let done = run(&network, &options, &mut |progress| {
        times.push(progress.now);
        ControlFlow::Continue(())
    });
    let events = done.unwrap().result.counters.events.unwrap();
    assert!(times.len() as u64 >= events / (1 << 17), "{} times in {events} events", times.len());
    assert!(times.is_sorted());
    for calls in [1, 2, times.len()] {
        let mut left = calls;
        let stopped = run(&network, &options, &mut |_| {
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(stopped.err(), Some(SimError::Interrupted), "at call {calls}");
    }
}

/// One link each way has one queue that matters: a run on one thread says why. The faster the link the more is to be done in a window, but
/// what one thread has in its cache is done sooner than handed over.
#[test]
fn a_single_bottleneck_runs_on_one_thread() {
    let upload = include_str!("../../../../examples/upload.toml").to_owned();
    let fast = "duration = \"100 ms\"\n\
        link = [{ name = \"f\", rate = \"1 Gbit/s\", delay = \"10 ms\" }, { name = \"b\", rate = \"1 Gbit/s\", delay = \"10 ms\" }]\n\
        flow = [{ name = \"x\", controller = { kind = \"cubic\" }, data = [\"f\"], ack = [\"b\"] }]\n";
    for text in [upload, fast.to_owned(), fast.replace("1 Gbit/s", "100 Gbit/s")] {
        let outcome = outcome(&network(&text), &Options { threads: 4, ..Options::default() });
        let Execution { threads, one_because, .. } = outcome.execution;
        assert_eq!(threads, 1);
        assert!(one_because.is_some());
    }
}
