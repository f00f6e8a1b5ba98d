use std::ops::ControlFlow;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&a[1]).unwrap();
    let s = match eddyline_scenario::load(&eddyline_scenario::Input { text: &text, format: eddyline_scenario::Format::Toml, name: &a[1], folder: None }, &[]) { Ok(s) => s, Err(e) => { println!("{e}"); return; } };
    for general in [false] {
        let t = std::time::Instant::now();
        let o = eddyline_sim::run(&s.network, &eddyline_sim::Options { general_queues: general, ..Default::default() }, &mut |_| ControlFlow::Continue(())).unwrap();
        println!("== general {general} {:.3} s {:?}", t.elapsed().as_secs_f64(), o.result.counters);
        for f in &o.result.flows { println!("{}", serde_json::to_string(f).unwrap()); }
        for f in &o.result.links { println!("{}", serde_json::to_string(f).unwrap()); }
    }
}
