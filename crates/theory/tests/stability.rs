//! dev
mod common;
use common::*;
use eddyline_path::random::Stream;
use eddyline_theory::LinkModel;
use eddyline_theory::equilibria;
use eddyline_theory::stability::*;

#[test]
fn dev() {
    for (u, r) in [
        (0.5, 0.0),
        (0.6, 0.09016339391593937),
        (1.0, 0.4263841560480928),
        (5.0, 0.6622512157401653),
        (10000.0, 0.6366560933218657),
    ] {
        println!("{u} {r} {} {}", single::boundary(u), single::boundary_with_lag(u));
    }
    println!("{:?}", single::worst_case());
    let nets = [
        (
            "ex3",
            network(
                vec![link("f", 100_000_000, 10), link("b", 10_000_000, 10)],
                vec![fast_flow("1", 100.0, &[0], &[1]), fast_flow("2", 30.0, &[1], &[0])],
            ),
        ),
        (
            "balance",
            network(
                vec![link("f", 10_000_000, 10), link("b", 10_000_000, 10)],
                vec![fast_flow("1", 30.0, &[0], &[1]), fast_flow("2", 30.0, &[1], &[0])],
            ),
        ),
        (
            "balance1",
            network(vec![link("f", 10_000_000, 10), link("b", 400_000, 10)], vec![fast_flow("1", 30.0, &[0], &[1])]),
        ),
    ];
    for (name, net) in &nets {
        for model in [LinkModel::Integrator, LinkModel::AckClocked] {
            let t = std::time::Instant::now();
            let s = stability(net, model).unwrap();
            println!("{name} {:?} {:#?}", t.elapsed(), s);
        }
    }
    let mut random = Stream::new(7, "ten", "test");
    for _ in 0..3 {
        let links =
            vec![link("a", 50_000_000, 5), link("b", 20_000_000, 8), link("c", 30_000_000, 3), link("d", 8_000_000, 3)];
        let flows = (0..10)
            .map(|i| {
                let d = path(&mut random, 4, 2);
                let a = path(&mut random, 4, 2);
                let mut f = fast_flow(&format!("{i}"), magnitude(&mut random, 20.0, 200.0), &d, &a);
                f.access_data = eddyline_units::Time::from_ms(below(&mut random, 30) as u64);
                f
            })
            .collect();
        let net = network(links, flows);
        let e = equilibria(&net).unwrap();
        println!("{} equilibria, bottlenecks {:?}", e.found.len(), e.found[0].bottlenecks);
        for model in [LinkModel::Integrator, LinkModel::AckClocked] {
            for m in [false, true] {
                let t = std::time::Instant::now();
                let s = stability_at(&net, &e.found[0], model, &Options { margins: m, ..Options::default() }).unwrap();
                println!("{:?} {:?}", t.elapsed(), s);
            }
        }
    }
}
