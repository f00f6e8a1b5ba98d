//! Random scenarios, by seed: links of every kind and option, flows of every kind and option.

use eddyline_cc::KINDS as CONTROLLERS;
use eddyline_path::queue::KINDS;
use eddyline_path::random::Stream;

fn pick<'a>(random: &mut Stream, from: &[&'a str]) -> &'a str {
    from[(random.uniform() * from.len() as f64) as usize]
}

/// A controller with options in four of ten draws, else any registered kind.
pub fn draw_controller(r: &mut Stream) -> String {
    if r.uniform() < 0.4 {
        let controller = pick(
            r,
            &[
                "kind = \"reno\"",
                "kind = \"newreno\"",
                "kind = \"newreno\", slow_start = \"hystart++\"",
                "kind = \"fast\", alpha = \"20 packets\"",
                "kind = \"fast\", alpha = \"5 packets\", profile = \"ns2-1.1.3\"",
                "kind = \"fast\", alpha = \"100 packets\", base_rtt = \"known\"",
                "kind = \"cubic\", slow_start = \"hystart++\"",
                "kind = \"cubic\", profile = \"2008\"",
                "kind = \"cubic\", profile = \"linux\"",
                "kind = \"vegas\", base_rtt = \"known\"",
                "kind = \"ledbat\", profile = \"ledbat++\"",
                "kind = \"copa\", competitive = false",
            ],
        );
        return format!("{{ {controller} }}");
    }
    let kind = &CONTROLLERS[r.below(CONTROLLERS.len() as u64) as usize];
    kind.example.replace("\": ", "\" = ")
}

/// Drop-tail with all kinds of limits in two of three draws, else any registered discipline.
pub fn draw_queue(r: &mut Stream) -> String {
    let limit = pick(
        r,
        &[
            "1 packets",
            "5 packets",
            "50 packets",
            "3000 B",
            "20000 B",
            "100000 B",
            "60 cells",
            "2000 cells",
            "unlimited",
        ],
    );
    if r.uniform() < 0.67 {
        return format!("{{ kind = \"droptail\", limit = \"{limit}\" }}");
    }
    let kind = &KINDS[r.below(KINDS.len() as u64) as usize];
    kind.example.replace("\": ", "\" = ")
}

/// Adds framing and reconstruction to links, and puts the first two on one half-duplex medium in half of the draws.
fn with_link_options(r: &mut Stream, text: &str) -> String {
    let framing = pick(r, &["\"pppoe-llcsnap\"", "\"docsis\"", "{ overhead = \"30 B\", linklayer = \"ptm\" }"]);
    let turnaround = pick(r, &["0 s", "50 us"]);
    let shared = r.uniform() < 0.5;
    let mut result = String::new();
    for (i, line) in text.lines().enumerate() {
        result += line;
        result.push('\n');
        if line.starts_with("rate") && i % 2 == 0 {
            result += &format!("framing = {framing}\n");
        }
        if line.starts_with("rate") && i % 3 == 0 {
            result += "reconstruct = { every = \"3 kB\", hold = \"50 ms\" }\n";
        }
        if shared && (line == "name = \"l0\"" || line == "name = \"l1\"") {
            result += &format!("medium = {{ name = \"air\", turnaround = \"{turnaround}\" }}\n");
        }
    }
    result
}

/// Adds variation to links: steps, outages, profiles, jitter with and without reordering, policers.
fn with_variation(seed: u64, text: &str) -> String {
    let mut r = Stream::new(seed, "invariants", "variation");
    let mut varying = String::new();
    let mut own_loss = true;
    for line in text.lines() {
        // that profile says itself how many packets are lost
        varying += if own_loss || !line.starts_with("loss") { line } else { "loss = 0.0" };
        varying.push('\n');
        if !line.starts_with("rate") {
            continue;
        }
        let conditions = pick(
            &mut r,
            &[
                "",
                "changes = [{ at = \"1 s\", rate = \"200 kbit/s\" }, { at = \"2 s\", delay = \"1 ms\", loss = 0.02 }]\n",
                "changes = [{ at = \"1500 ms\", rate = \"90 Mbit/s\", delay = \"40 ms\" }]\n",
                "trace = { kind = \"lte\" }\n",
                "trace = { kind = \"starlink\" }\n",
                "trace = { kind = \"wifi\" }\n",
            ],
        );
        own_loss = !conditions.contains("starlink");
        varying += conditions;
        varying += pick(&mut r, &["", "outages = [{ start = \"900 ms\", length = \"300 ms\", every = \"1 s\" }]\n"]);
        varying += pick(
            &mut r,
            &[
                "",
                "jitter = { kind = \"normal\", sd = \"2 ms\", correlation = \"5 ms\" }\n",
                "jitter = { kind = \"exponential\", mean = \"3 ms\" }\n",
            ],
        );
        varying += pick(&mut r, &["", "reorder = true\n"]);
        varying += pick(&mut r, &["", "", "policer = { rate = \"1 Mbit/s\", burst = \"20 kB\" }\n"]);
    }
    varying
}

/// Adds corruption to half of the links.
fn with_corruption(seed: u64, text: &str) -> String {
    let mut r = Stream::new(seed, "invariants", "corruption");
    let mut add = |line: &str| {
        let corrupt = pick(&mut r, &["", "", "corrupt = 0.01\n", "corrupt = 0.2\n"]);
        format!("{line}\n{}", if line.starts_with("rate") { corrupt } else { "" })
    };
    text.lines().map(&mut add).collect()
}

/// TCP's options: the defaults for half of the flows, a random mixture for the others.
fn draw_tcp(r: &mut Stream) -> String {
    if r.uniform() < 0.5 {
        return String::new();
    }
    let sack = r.uniform() < 0.8;
    let mut keys = vec![format!("sack = {sack}")];
    let mut may = |keys: &mut Vec<String>, share: f64, choices: &[&str]| {
        if r.uniform() < share {
            keys.push(pick(r, choices).to_owned());
        }
    };
    let acknowledgements =
        ["ack_every = 2", "ack_every = 2, ack_timer = \"40 ms\"", "ack_every = 9", "ack_congestion_control = true"];
    may(&mut keys, 0.6, &acknowledgements);
    may(&mut keys, 0.2, &["quick_acks = 1", "quick_acks = 16"]);
    may(&mut keys, 0.3, &["initial_window = 1", "initial_window = 1, min_rto = \"1 s\"", "min_rto = \"1 ms\""]);
    may(&mut keys, 0.4, &["pacing = true", "pacing = false", "pacing = true, pacing_gain = { avoidance = 1.0 }"]);
    may(&mut keys, 0.3, &["byte_counting = 1", "byte_counting = 2", "byte_counting = 100"]);
    may(&mut keys, 0.2, &["limited_transmit = false"]);
    may(&mut keys, 0.3, &["timestamps = true"]);
    may(&mut keys, 0.4, &["ecn = true", "accurate_ecn = true", "accurate_ecn = \"option\""]);
    may(&mut keys, 0.4, &["frto = true"]);
    may(&mut keys, 0.3, &["rto_every_ack = true"]);
    if sack {
        may(&mut keys, 0.5, &["prr = true"]);
        may(&mut keys, 0.5, &["rack = true"]);
    } else {
        may(&mut keys, 0.3, &["fast_retransmit = false"]);
        may(&mut keys, 0.3, &["partial_ack_timer = \"slow-but-steady\"", "partial_ack_timer = \"impatient\""]);
    }
    format!("tcp = {{ {} }}\n", keys.join(", "))
}

/// When a flow starts, what it sends and how.
pub fn draw_flow_options(r: &mut Stream) -> String {
    let mut text = format!("start = \"{:.3} s\"\n", r.uniform());
    text += pick(r, &["", "size = \"1 B\"\n", "size = \"12345 B\"\n", "size = \"200 kB\"\n", "stop = \"2 s\"\n"]);
    text += pick(
        r,
        &[
            "",
            "receive_window = \"20 kB\"\n",
            "application = { kind = \"bursts\", bytes = \"10001 B\", every = \"700 ms\" }\n",
        ],
    );
    text += &draw_tcp(r);
    text += pick(
        r,
        &[
            "",
            "access_delay = { data = \"3 ms\", ack = \"1 ms\" }\n",
            "packet = \"300 B\"\n",
            "count = 3\nstagger = \"10 ms\"\n",
        ],
    );
    text
}

/// Two flows that share one connection: the second uses the paths of the first swapped; their other keys are independent.
fn draw_connection(r: &mut Stream, data: &str, ack: &str) -> String {
    let mut text = String::new();
    let delays = [("0 s", "0 s"), ("2 ms", "500 us")][r.below(2) as usize];
    for (name, data, ack, delays) in [("there", data, ack, delays), ("back", ack, data, (delays.1, delays.0))] {
        let controller = pick(r, &["kind = \"reno\"", "kind = \"newreno\"", "kind = \"fast\", alpha = \"10 packets\""]);
        text += &format!(
            "[[flow]]\nname = \"{name}\"\ncontroller = {{ {controller} }}\ndata = [{data}]\nack = [{ack}]\n\
             access_delay = {{ data = \"{}\", ack = \"{}\" }}\n",
            delays.0, delays.1
        );
        text += pick(r, &["", "start = \"700 ms\"\n", "size = \"150 kB\"\n", "stop = \"1500 ms\"\n"]);
        text += pick(
            r,
            &[
                "",
                "packet = \"400 B\"\n",
                "application = { kind = \"bursts\", bytes = \"900 B\", every = \"60 ms\" }\n",
            ],
        );
        text += &draw_tcp(r);
    }
    text + "piggyback = \"there\"\n"
}

/// A scenario with two to five links, up to five flows of every kind and option, and in some draws a shared connection, arrivals or
/// cross traffic.
pub fn draw(seed: u64) -> String {
    let mut r = Stream::new(seed, "invariants", "scenario");
    let links = 2 + (r.uniform() * 4.0) as usize;
    let mut text = format!(
        "title = \"case {seed}\"\nduration = \"{:.3} s\"\nwarmup = \"{:.3} s\"\nseed = {seed}\n",
        2.0 + 6.0 * r.uniform(),
        r.uniform()
    );
    for i in 0..links {
        let rate = 10f64.powf(5.0 + 3.0 * r.uniform());
        let queue = draw_queue(&mut r);
        let loss = pick(
            &mut r,
            &[
                "0.0",
                "0.0",
                "0.001",
                "0.05",
                "0.3",
                "{ kind = \"periodic\", every = 37 }",
                "{ kind = \"gilbert-elliott\", p = 0.02, r = 0.3 }",
            ],
        );
        text += &format!(
            "[[link]]\nname = \"l{i}\"\nrate = \"{rate:.0} bit/s\"\ndelay = \"{:.0} us\"\nloss = {loss}\nqueue = {queue}\n",
            50_000.0 * r.uniform() * r.uniform()
        );
    }
    if r.uniform() < 0.3 {
        text = with_link_options(&mut r, &text);
    }
    if seed % 3 == 2 {
        text = with_variation(seed, &text);
    }
    if seed % 5 == 4 {
        text = with_corruption(seed, &text);
    }
    let path = |r: &mut Stream| {
        let n = 1 + (r.uniform() * 3.0) as usize;
        (0..n).map(|_| format!("\"l{}\"", (r.uniform() * links as f64) as usize)).collect::<Vec<_>>().join(", ")
    };
    for i in 0..1 + (r.uniform() * 5.0) as usize {
        let controller = draw_controller(&mut r);
        let (data, ack) = (path(&mut r), path(&mut r));
        text += &format!("[[flow]]\nname = \"f{i}\"\ncontroller = {controller}\ndata = [{data}]\nack = [{ack}]\n");
        text += &draw_flow_options(&mut r);
    }
    if r.uniform() < 0.4 {
        let (data, ack) = (path(&mut r), path(&mut r));
        text += &draw_connection(&mut r, &data, &ack);
    }
    if r.uniform() < 0.3 {
        let (data, ack) = (path(&mut r), path(&mut r));
        text += &format!(
            "[[arrivals]]\nname = \"a\"\nrate = \"5 /s\"\nsize = {{ kind = \"pareto\", mean = \"30 kB\", shape = 1.5 }}\n\
             controller = {{ kind = \"newreno\" }}\ndata = [{data}]\nack = [{ack}]\n"
        );
    }
    if r.uniform() < 0.4 {
        let p = path(&mut r);
        text += &format!(
            "[[traffic]]\nname = \"x\"\npath = [{p}]\nmodel = {{ kind = \"poisson\", rate = \"300 kbit/s\" }}\n"
        );
    }
    text
}
