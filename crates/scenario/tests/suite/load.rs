//! One scenario, three ways to write it, and what becomes of it.

use crate::common;

use common::{MINIMAL, TWO_WAY, as_json, dict, json, toml};
use eddyline_path::traffic::Source;
use eddyline_scenario::network::{Application, Pacing};
use eddyline_scenario::{Format, Input, json_schema, load, load_file, presets};
use eddyline_units::{Rate, Time};

#[test]
fn three_errors_are_reported_at_once() {
    let text = TWO_WAY.replacen("gamma", "gama", 1).replacen("[\"forward\"]", "[\"forwrd\"]", 1).replacen(
        "delay = \"10 ms\"",
        "delay = 10",
        1,
    );
    let errors = toml(&text, &[]).unwrap_err();
    assert_eq!(errors.all.iter().map(|d| d.line).collect::<Vec<_>>(), [Some(11), Some(29), Some(30)], "{errors}");
}

#[test]
fn toml_json_and_dict_give_the_same_network() {
    let a = toml(TWO_WAY, &[]).unwrap();
    let text = as_json(TWO_WAY);
    for other in [json(&text, &[]).unwrap(), dict(&text, &[]).unwrap()] {
        assert_eq!(format!("{:?}", a.network), format!("{:?}", other.network));
        assert_eq!(a.canonical, other.canonical);
        assert_eq!(a.sha256, other.sha256);
    }
}

#[test]
fn the_canonical_form_is_its_own() {
    for text in [TWO_WAY, MINIMAL] {
        let a = toml(text, &[]).unwrap();
        let b = json(&a.canonical, &[]).unwrap();
        assert_eq!(a.canonical, b.canonical);
        assert_eq!(format!("{:?}", a.network), format!("{:?}", b.network));
    }
    // comments and spelling are no part of it
    let spelled = toml(&MINIMAL.replace("1 ms", "1000 us").replace("[[link]]", "[[link]] # why"), &[]).unwrap();
    assert_eq!(spelled.sha256, toml(MINIMAL, &[]).unwrap().sha256);
    assert_eq!(spelled.sha256.len(), 64);
}

#[test]
fn defaults_are_the_documented_ones() {
    let s = toml(MINIMAL, &[]).unwrap();
    let n = &s.network;
    assert_eq!((n.title.as_str(), n.warmup, n.seed, n.record_interval), ("case", Time::ZERO, 0, Time::from_ms(1)));
    let f = &n.flows[0];
    assert_eq!((f.packet, f.header, f.ack_packet, f.receive_window), (1500, 40, 40, None));
    assert_eq!((f.tcp.sack, f.tcp.initial_window, f.tcp.ack_every, f.tcp.ecn), (true, 10, 1, false));
    assert_eq!(
        (f.tcp.min_rto, f.tcp.ack_timer, f.tcp.pacing),
        (Time::from_ms(200), Time::from_ms(200), Pacing::Controller)
    );
    assert_eq!((f.application, f.start, f.stop, f.size), (Application::Bulk, Time::ZERO, None, None));
    assert_eq!(serde_json::to_value(n.links[0].queue).unwrap()["limit"], "unlimited");
    assert!(n.groups.is_empty() && n.traffic.is_empty());
}

#[test]
fn every_key_reaches_the_network() {
    let n = toml(TWO_WAY, &[]).unwrap().network;
    let names: Vec<_> = n.links.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["forward", "backward", "home/down", "home/up"]);
    let names: Vec<_> = n.flows.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["flow 1", "many[0]", "many[1]", "many[2]"]);
    let f = &n.flows[0];
    assert_eq!((f.packet, f.header, f.ack_packet, f.tcp.ack_every), (1040, 40, 52, 2));
    assert_eq!((f.access_data, f.access_ack), (Time::from_ms(1), Time::from_ms(2)));
    assert_eq!((f.receive_window, f.size, f.tcp.pacing), (Some(1_000_000), Some(100_000_000), Pacing::Off));
    let m = &n.flows[3];
    assert_eq!((&*m.data, &*m.ack, m.start, m.tcp.ack_every), (&[0, 2][..], &[3, 1][..], Time::from_ms(200), 4));
    assert_eq!(m.application, Application::Bursts { bytes: 1_000_000, every: Time::SECOND * 2 });
    assert!(std::sync::Arc::ptr_eq(&n.flows[1].controller, &m.controller), "flows of a table share what they can");
    assert_eq!((n.groups[0].name.as_str(), n.groups[0].first, n.groups[0].count), ("many", 1, 3));
    assert_eq!((n.traffic[0].packet, &*n.traffic[0].path), (1000, &[1][..]));
    assert_eq!(n.links[3].rate, Rate::from_bps(2_000_000));
    assert_eq!(n.links[3].delay, n.links[2].delay, "what a duplex does not say is the preset's");
}

#[test]
fn options_of_tcp_reach_the_network() {
    let keys = "ecn = true, quick_acks = 16, byte_counting = 2, limited_transmit = false, timestamps = true, prr = true, \
                rack = true, frto = true, rto_every_ack = true, ack_congestion_control = true, pacing = true, pacing_gain = { avoidance = 1.0 }, send_buffer = \"64 KiB\", \
                receive_buffer = \"1 MB\"";
    let text =
        MINIMAL.replace("reno\" }", "newreno\", slow_start = \"hystart++\" }") + &format!("tcp = {{ {keys} }}\n");
    let loaded = toml(&text, &[]).unwrap();
    let t = loaded.network.flows[0].tcp;
    assert!(
        t.ecn
            && t.timestamps
            && t.prr
            && t.rack
            && t.frto
            && t.rto_every_ack
            && t.ack_congestion_control
            && !t.limited_transmit,
        "{t:?}"
    );
    assert_eq!((t.quick_acks, t.byte_counting, t.pacing, t.ack_every), (16, Some(2), Pacing::On, 2));
    assert_eq!((t.pacing_gain.slow_start, t.pacing_gain.avoidance), (2.0, 1.0));
    assert_eq!((t.send_buffer, t.receive_buffer), (Some(65_536), Some(1_000_000)));
    assert_eq!(json(&loaded.canonical, &[]).unwrap().canonical, loaded.canonical);
    // options that are off are not in the canonical form, so scenarios without them keep their digests
    let off = "quick_acks = 0, limited_transmit = true, fast_retransmit = true, timestamps = false, prr = false, rack = false, frto = false, rto_every_ack = false, \
               ack_congestion_control = false, pacing_gain = { slow_start = 2.0, avoidance = 1.2 }";
    let plain = toml(MINIMAL, &[]).unwrap();
    for name in [
        "quick_acks",
        "limited_transmit",
        "fast_ret",
        "partial_ack",
        "timestamps",
        "prr",
        "rack",
        "frto",
        "rto_every",
        "congestion",
        "gain",
        "slow",
        "piggy",
        "_buffer",
    ] {
        assert!(!plain.canonical.contains(name), "{name}: {}", plain.canonical);
    }
    let explicit = MINIMAL.replace("reno\" }", "reno\", slow_start = \"standard\" }") + &format!("tcp = {{ {off} }}\n");
    assert_eq!(toml(&explicit, &[]).unwrap().sha256, plain.sha256);
}

#[test]
fn two_directions_of_a_connection_are_linked() {
    let text = MINIMAL.to_owned()
        + "[[flow]]\nname = \"g\"\ncontroller = { kind = \"reno\" }\ndata = [\"l\"]\nack = [\"l\"]\ncount = 2\n\
           [[flow]]\nname = \"h\"\ncontroller = { kind = \"reno\" }\ndata = [\"l\"]\nack = [\"l\"]\npiggyback = \"f\"\n";
    let loaded = toml(&text, &[]).unwrap();
    let peers: Vec<_> = loaded.network.flows.iter().map(|f| f.peer).collect();
    assert_eq!(peers, [Some(3), None, None, Some(0)]);
    assert_eq!(json(&loaded.canonical, &[]).unwrap().canonical, loaded.canonical);
    assert_eq!(toml(&text, &[("flow.f.piggyback", "h")]).unwrap().network.flows[0].peer, Some(3), "either or both");
}

#[test]
fn overrides_reach_what_they_name() {
    let set = |key, value| toml(TWO_WAY, &[(key, value)]).unwrap_or_else(|e| panic!("{e}")).network;
    assert_eq!(set("duration", "40 s").duration, Time::SECOND * 40);
    assert_eq!(set("link.forward.rate", "\"1 Mbit/s\"").links[0].rate, Rate::from_bps(1_000_000));
    assert_eq!(set("link.\"forward\".delay", "1 ms").links[0].delay, Time::from_ms(1));
    assert_eq!(set("link.*.delay", "1 ms").links.iter().filter(|l| l.delay == Time::from_ms(1)).count(), 4);
    assert_eq!(set("link.\"home/down\".rate", "5 Mbit/s").links[2].rate, Rate::from_bps(5_000_000));
    assert_eq!(set("duplex.home.up.rate", "5 Mbit/s").links[3].rate, Rate::from_bps(5_000_000));
    assert_eq!(set("flow.'flow 1'.tcp.initial_window", "4").flows[0].tcp.initial_window, 4);
    assert_eq!(set("flow.\"flow 1\".ack", "[\"home/up\"]").flows[0].ack[..], [3]);
    assert_eq!(set("record.interval", "1 s").record_interval, Time::SECOND);
    assert_eq!(set("title", "another").title, "another");
    assert_eq!(set("flow.many.controller", "{ kind = \"reno\" }").flows[1].controller.name(), "reno");
    let all_reno = set("flow.*.controller.kind", "reno");
    assert!(all_reno.flows.iter().all(|f| f.controller.name() == "reno"), "parameters go with their kind");
    let small = toml(MINIMAL, &[("link.l.queue.limit", "7 packets")]).unwrap().network;
    assert_eq!(serde_json::to_value(small.links[0].queue).unwrap()["limit"], "7 packets");
    let twice = toml(TWO_WAY, &[("seed", "3"), ("seed", "4")]).unwrap();
    assert_eq!(twice.network.seed, 4, "the last one holds");
    assert_ne!(twice.sha256, toml(TWO_WAY, &[]).unwrap().sha256);
}

/// Of a kind that is changed alone those parameters remain that say the same of both kinds, and what limits a queue.
#[test]
fn parameters_of_another_kind_go_with_it() {
    let text = MINIMAL
        .replace("kind = \"reno\"", "kind = \"fast\", alpha = \"20 packets\", gamma = 0.4")
        .replace("[[flow]]", "queue = { kind = \"codel\", limit = \"9 packets\", target = \"8 ms\" }\n[[flow]]");
    let with = |overrides: &[(&str, &str)]| {
        let loaded = toml(&text, overrides).unwrap_or_else(|e| panic!("{e}"));
        let written: serde_json::Value = serde_json::from_str(&loaded.canonical).unwrap();
        (written["flow"][0]["controller"].clone(), written["link"][0]["queue"].clone())
    };
    let (vegas, _) = with(&[("flow.*.controller.kind", "vegas")]);
    assert_eq!((&vegas["alpha"], &vegas["gamma"]), (&"2 packets".into(), &"1 packets".into()), "its defaults");
    let (vfast, _) = with(&[("flow.*.controller.kind", "vfast")]);
    assert_eq!((&vfast["alpha"], &vfast["gamma"]), (&"20 packets".into(), &0.4.into()), "the same law");
    let (given, _) = with(&[("flow.*.controller.alpha", "3 packets"), ("flow.*.controller.kind", "vegas")]);
    assert_eq!(given["alpha"], "3 packets", "given beside it");
    let (fast, _) = with(&[("flow.*.controller.kind", "fast")]);
    assert_eq!(fast["gamma"], 0.4, "the same kind");
    // what the new kind has no default for is the file's
    let back =
        text.replace("kind = \"fast\", alpha = \"20 packets\", gamma = 0.4", "kind = \"vegas\", alpha = \"7 packets\"");
    let loaded = toml(&back, &[("flow.*.controller.kind", "fast")]).unwrap_or_else(|e| panic!("{e}"));
    assert!(loaded.canonical.contains("\"7 packets\""), "{}", loaded.canonical);
    let jitter = text.replace(
        "delay = \"1 ms\"",
        "delay = \"1 ms\"\njitter = { kind = \"normal\", mean = \"3 ms\", sd = \"1 ms\" }",
    );
    let loaded = toml(&jitter, &[("link.l.jitter.kind", "exponential")]).unwrap_or_else(|e| panic!("{e}"));
    assert!(loaded.canonical.contains("\"3 ms\""), "{}", loaded.canonical);
    let (_, pie) = with(&[("link.l.queue.kind", "pie")]);
    assert_eq!((&pie["limit"], &pie["target"]), (&"9 packets".into(), &"15 ms".into()));
    let (_, fair) = with(&[("link.l.queue.kind", "fq_codel")]);
    assert_eq!((&fair["limit"], &fair["target"]), (&"9 packets".into(), &"8 ms".into()));
}

#[test]
fn files_are_read_with_their_traces() {
    let folder = std::env::temp_dir().join(format!("eddyline-scenario-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("traces")).unwrap();
    std::fs::write(folder.join("traces/film.dat"), "1 I 0 1000\n2 B 40 500\n3 P 80 700\n").unwrap();
    let model = "{ kind = \"trace\", file = \"traces/film.dat\", copies = 2 }";
    let two = format!(
        "{MINIMAL}\n[[traffic]]\nname = \"a\"\npath = [\"l\"]\nmodel = {model}\n\
         [[traffic]]\nname = \"b\"\npath = [\"l\"]\nmodel = {model}\n"
    );
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let scenario = load_file(&write("film.toml", two.as_bytes()), &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scenario.network.title, "film");
    assert_eq!(scenario.files, [folder.join("traces/film.dat")]);
    let traces: Vec<_> = scenario.network.traffic.iter().map(|t| t.trace.clone().unwrap()).collect();
    assert!(std::sync::Arc::ptr_eq(&traces[0], &traces[1]));
    let errors = load_file(&write("noise.toml", &(0..=255).collect::<Vec<u8>>()), &[]).unwrap_err();
    assert!(errors.to_string().contains("not UTF-8"), "{errors}");
    assert!(load_file(&write("case.json", b"{}"), &[]).unwrap_err().to_string().contains("duration is missing"));
    assert!(load_file(&folder, &[]).unwrap_err().to_string().contains("not a file"));
    assert!(load_file(&folder.join("absent.toml"), &[]).unwrap_err().to_string().contains("cannot read"));
    write("traces/film.dat", b"\xff\xfe");
    let errors = load_file(&folder.join("film.toml"), &[]).unwrap_err();
    assert_eq!((errors.all.len(), errors.all[0].key.as_str()), (1, "traffic.a.model.file"), "{errors}");
    assert_eq!(errors.all[0].hint.as_deref(), Some("save it as UTF-8"));
    write("traces/film.dat", b"\x1f\x8b\x08\0\xff");
    let errors = load_file(&folder.join("film.toml"), &[]).unwrap_err();
    assert_eq!(errors.all[0].hint.as_deref(), Some("it is compressed: decompress it first"));
    // pcapng may be valid UTF-8
    write("traces/film.dat", b"\n\r\r\n\x1c\0\0\0\x4d\x3c\x2b\x1a");
    let errors = load_file(&folder.join("film.toml"), &[]).unwrap_err();
    assert!(errors.all[0].message.contains("a capture of packets"), "{errors}");
    assert!(errors.all[0].hint.as_deref().is_some_and(|hint| hint.contains("tshark -r FILE")));
    // what its packets are, a recording of a link or a list of transfers cannot be
    let others = [
        ("[link.trace]\nkind = \"mahimahi\"\nfile = \"traces/film.dat\"\n", "here: a line per packet of 1500 B"),
        ("[link.trace]\nkind = \"csv\"\nfile = \"traces/film.dat\"\n", "here: a line of names"),
        (
            "[[arrivals]]\nname = \"w\"\nrate = \"1 /s\"\nsize = { kind = \"trace\", file = \"traces/film.dat\" }\n\
             controller = { kind = \"reno\" }\ndata = [\"l\"]\nack = [\"l\"]\n",
            "here: one size a line",
        ),
    ];
    for (table, form) in others {
        let errors = load_file(&write("film.toml", format!("{MINIMAL}\n{table}").as_bytes()), &[]).unwrap_err();
        let hint =
            errors.all.iter().find(|e| e.message.contains("a capture of packets")).and_then(|e| e.hint.as_deref());
        assert!(hint.is_some_and(|hint| hint.starts_with("packets are traffic") && hint.contains(form)), "{errors}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn every_preset_makes_two_links() {
    assert_eq!(presets().len(), 6);
    for preset in presets() {
        let text = format!(
            "duration = \"1 s\"\nduplex = [{{ name = \"d\", preset = \"{}\" }}]\n\
             [[flow]]\nname = \"f\"\ncontroller = {{ kind = \"reno\" }}\ndata = [\"d/down\"]\nack = [\"d/up\"]\n",
            preset.name
        );
        let links = toml(&text, &[]).unwrap_or_else(|e| panic!("{e}")).network.links;
        assert_eq!((links[0].rate, links[1].delay), (preset.down.rate, preset.up.delay));
        assert!(preset.down.rate > preset.up.rate && !preset.source.is_empty(), "{}", preset.name);
    }
}

#[test]
fn the_schema_describes_every_key() {
    fn undescribed(schema: &serde_json::Value, path: &str, found: &mut Vec<String>) {
        if let Some(keys) = schema["properties"].as_object() {
            assert_eq!(schema["additionalProperties"], false, "{path} takes unknown keys");
            for (name, key) in keys {
                if key["description"].is_null() && name != "kind" {
                    found.push(format!("{path}.{name}"));
                }
                undescribed(key, &format!("{path}.{name}"), found);
            }
        }
        for list in ["oneOf", "anyOf"] {
            for inner in schema[list].as_array().into_iter().flatten() {
                undescribed(inner, path, found);
            }
        }
    }
    let schema = json_schema();
    let mut found = Vec::new();
    undescribed(&schema, "", &mut found);
    for (name, def) in schema["$defs"].as_object().unwrap() {
        undescribed(def, name, &mut found);
    }
    assert!(found.is_empty(), "{found:?}");
    for key in
        ["title", "duration", "warmup", "seed", "record", "link", "duplex", "flow", "traffic", "arrivals", "expect"]
    {
        assert!(schema["properties"][key].is_object(), "{key}");
    }
    assert_eq!(schema["required"], serde_json::json!(["duration"]));
    assert_eq!(schema["properties"]["duration"]["format"], "time");
}

#[test]
fn a_file_may_name_its_schema_and_null_means_default() {
    let text = r#"{"$schema": "eddyline.schema.json", "duration": "1 s", "seed": 7.0,
        "link": [{"name": "l", "rate": "1 Mbit/s", "delay": "1 ms"}],
        "flow": [{"name": "f", "controller": {"kind": "reno"}, "data": ["l"], "ack": ["l"], "stop": null}]}"#;
    let s = json(text, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert!(!s.canonical.contains("$schema"));
    assert_eq!(s.network.seed, 7);
    let errors = json(&text.replace("\"seed\": 7.0", "\"seed\": null"), &[]).unwrap_err();
    assert!(errors.to_string().contains("leave the key out"), "{errors}");
}

#[test]
fn ranges_include_their_bounds() {
    for (key, value) in [
        ("duration", "1 ms"),
        ("duration", "200 d"),
        ("seed", "9223372036854775807"),
        ("link.l.rate", "1 bit/s"),
        ("link.l.rate", "10 Tbit/s"),
        ("link.l.delay", "0 s"),
        ("link.l.delay", "1 h"),
        ("link.l.loss", "0.999999"),
        ("link.l.queue.limit", "1 packets"),
        ("link.l.queue.limit", "1500 B"),
        ("flow.f.count", "1000000"),
        ("flow.f.header", "0 B"),
        ("flow.f.packet", "41 B"),
        ("flow.f.receive_window", "1460 B"),
        ("flow.f.start", "200 d"),
        ("flow.f.tcp.pacing", "true"),
        ("flow.f.delayed_ack", "false"),
        ("flow.f.tcp.ack_every", "1"),
        ("flow.f.tcp.quick_acks", "1000000"),
        ("flow.f.tcp.byte_counting", "1"),
        ("flow.f.tcp.ack_timer", "1 us"),
        ("flow.f.tcp.pacing_gain.slow_start", "1000"),
        ("flow.f.tcp.pacing_gain", "{ avoidance = 0.1 }"),
    ] {
        let loaded = toml(MINIMAL, &[(key, value)]);
        assert!(loaded.is_ok(), "{key} = {value}: {}", loaded.unwrap_err());
    }
}

#[test]
fn crlf_and_byte_order_marks_are_accepted() {
    let plain = toml(TWO_WAY, &[]).unwrap();
    for text in [TWO_WAY.replace('\n', "\r\n"), format!("\u{feff}{TWO_WAY}")] {
        assert_eq!(toml(&text, &[]).unwrap_or_else(|e| panic!("{e}")).sha256, plain.sha256);
    }
    let text = as_json(TWO_WAY).replace('\n', "\r\n");
    assert_eq!(json(&text, &[]).unwrap().sha256, plain.sha256);
    assert_eq!(json(&format!("\u{feff}{text}"), &[]).unwrap_or_else(|e| panic!("{e}")).sha256, plain.sha256);
    let errors = toml(&TWO_WAY.replace("gamma", "gama").replace('\n', "\r\n"), &[]).unwrap_err();
    assert_eq!(errors.all[0].line, Some(29));
}

#[test]
fn framing_media_and_hosts_reach_the_network() {
    let text = MINIMAL
        .replace("delay = \"1 ms\"", "delay = \"1 ms\"\nframing = \"pppoe-llcsnap\"\nmedium = \"air\"")
        .replace("data = [\"l\"]", "data = [\"l\"]\ncount = 2\nhost = \"laptop\"")
        + "[[duplex]]\nname = \"home\"\npreset = \"adsl2+\"\nup = { medium = { name = \"air\", turnaround = \"1 ms\" }, \
           framing = { overhead = \"20 B\", minimum = \"64 B\" } }\n\
           [[traffic]]\nname = \"call\"\npath = [\"l\"]\nmodel = { kind = \"cbr\", rate = \"64 kbit/s\" }\n\
           [[arrivals]]\nname = \"pages\"\nrate = \"1 /s\"\nsize = { kind = \"fixed\", size = \"1 kB\" }\n\
           controller = { kind = \"reno\" }\ndata = [\"l\"]\nack = [\"l\"]\nhost = \"call\"\n";
    let loaded = toml(&text, &[]).unwrap();
    let n = &loaded.network;
    let line = |l: usize, bytes| n.links[l].framing.line_bytes(bytes);
    // l, home/down, home/up
    assert_eq!([line(0, 1500), line(1, 1500), line(2, 40)], [33 * 53, 1500, 64]);
    assert_eq!(n.links[0].transmission_time(1500), Time::from_ps(33 * 53 * 8 * 1_000_000));
    assert_eq!(n.links.iter().map(|l| l.medium).collect::<Vec<_>>(), [Some(0), None, Some(0)]);
    assert_eq!((n.media[0].name.as_str(), n.media[0].turnaround), ("air", Time::from_ms(1)));
    assert_eq!(n.hosts, ["laptop", "call"], "a table without a host is one");
    assert_eq!(n.flows.iter().map(|f| f.host).collect::<Vec<_>>(), [0, 0]);
    assert_eq!((n.traffic[0].host, n.arrivals[0].flow.host), (1, 1));
    assert_eq!(json(&loaded.canonical, &[]).unwrap().canonical, loaded.canonical);
    let named = toml(&text, &[("link.l.framing", "docsis"), ("flow.f.host", "tower")]).unwrap().network;
    assert_eq!((named.links[0].framing.line_bytes(40), named.hosts[0].as_str()), (64, "tower"));
}

/// Limits in time and in bandwidth-delay products become bytes: the base RTT is that of propagation and access.
#[test]
fn relative_limits_become_bytes() {
    let bytes = |limit: &str, extra: &str| {
        let queue = format!("delay = \"1 ms\"\nqueue = {{ kind = \"codel\", limit = \"{limit}\" }}");
        let text = MINIMAL.replace("delay = \"1 ms\"", &queue) + extra;
        serde_json::to_value(toml(&text, &[]).unwrap().network.links[0].queue).unwrap()["limit"].clone()
    };
    assert_eq!(bytes("100 ms", ""), "12500 B");
    assert_eq!(bytes("100ms", ""), "12500 B");
    // 1 Mbit/s, 1 ms each way and 198 ms of access
    let access = "access_delay = { data = \"98 ms\", ack = \"100 ms\" }";
    assert_eq!(bytes("1 BDP", access), "25000 B");
    assert_eq!(bytes("0.5 BDP of f", access), "12500 B");
    assert_eq!(bytes("2 BDP of 40 ms", access), "10000 B");
    // a flow that is left out counts where it is named, and where there is no other
    let long = "\n[[flow]]\nname = \"long\"\ncount = COUNT\ncontroller = { kind = \"reno\" }\ndata = [\"l\"]\nack = [\"l\"]\n\
                access_delay = { data = \"998 ms\" }";
    let long = |count: &str| format!("{access}{}", long.replace("COUNT", count));
    assert_eq!(bytes("1 BDP", &long("1")), "125000 B");
    assert_eq!(bytes("1 BDP", &long("0")), "25000 B");
    assert_eq!(bytes("1 BDP of long", &long("0")), "125000 B");
    let other = "\n[[traffic]]\nname = \"t\"\npath = [\"l\"]\nmodel = { kind = \"cbr\", rate = \"1 kbit/s\" }\n";
    assert_eq!(bytes("1 BDP", &format!("{access}\ncount = 0{other}")), "25000 B");
    // so do other keys of that type
    let of = |queue: &str| {
        let text = MINIMAL.replace("delay = \"1 ms\"", &format!("delay = \"1 ms\"\nqueue = {{ {queue} }}")) + access;
        serde_json::to_value(toml(&text, &[]).unwrap().network.links[0].queue).unwrap()
    };
    assert_eq!(of("kind = \"step\", threshold = \"0.5 BDP\", limit = \"4 BDP\"")["threshold"], "12500 B");
    let red = of("kind = \"red\", min_threshold = \"50 ms\", max_threshold = \"1 BDP\"");
    assert_eq!((&red["min_threshold"], &red["max_threshold"]), (&"6250 B".into(), &"25000 B".into()));
    assert_eq!(of("kind = \"per_connection\", each = \"2 BDP\"")["each"], "50000 B");
    let split = of("kind = \"ack_priority\", data_limit = \"100 ms\", ack_limit = \"10 ms\"");
    assert_eq!((&split["data_limit"], &split["ack_limit"]), (&"12500 B".into(), &"1250 B".into()));
    let refused = |limit: &str| {
        let queue = format!("delay = \"1 ms\"\nqueue = {{ kind = \"droptail\", limit = \"{limit}\" }}");
        toml(&MINIMAL.replace("delay = \"1 ms\"", &queue), &[]).unwrap_err().all[0].message.clone()
    };
    assert!(refused("3 us").ends_with("is less than a byte"));
    // a byte is one, though no packet fits
    assert!(!refused("8 us").contains("less than a byte"));
    assert!(refused("1e6 BDP of 200 d").ends_with("2.2e18 B; at most 1e15 B"));
}

/// Outages that repeat together only after days are enumerated: some do, a billion would take longer than any run.
#[test]
fn outages_that_take_for_ever_are_refused() {
    let text = |ends: &str| {
        let one = |start: &str, length: &str, every: &str| {
            format!("{{ start = \"{start}\", length = \"{length}{ends}\", every = \"{every}{ends}\" }}")
        };
        let outages = [one("1 s", "400", "999.983"), one("0 s", "300", "1000.003")].join(", ");
        let text = MINIMAL.replace("delay = \"1 ms\"", &format!("delay = \"1 ms\"\noutages = [{outages}]"));
        text.replace("duration = \"1 s\"", "duration = \"1 h\"")
    };
    toml(&text(" ms"), &[]).unwrap();
    toml(&text(" us"), &[("duration", "1 min")]).unwrap();
    let errors = toml(&text(" us"), &[]).unwrap_err();
    assert_eq!(errors.all.len(), 1, "{errors}");
    let message = "7199050 outages in 1 h that do not repeat together soon; at most 5 million";
    assert_eq!(errors.all[0].message, message);
    // one period alone is a closed form
    toml(&text(" ns"), &[("link.l.outages", "[{ start = \"0 s\", length = \"1 ns\", every = \"3 ns\" }]")]).unwrap();
}

/// Recorded packets are sent as they were recorded, also those above the default size, and the canonical form says so.
#[test]
fn recorded_packets_are_not_split() {
    let folder = std::env::temp_dir().join(format!("eddyline-trace-packet-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("full.txt", "0.0 1514\n0.1 66\n0.2 1514\n");
    write("small.txt", "0.0 1200\n0.1 66\n");
    write("film.txt", "1 I 0 4000\n2 B 40 500\n");
    let with = |model: &str, more: &str| {
        let tables =
            format!("[[traffic]]\nname = \"t\"\npath = [\"l\"]\nmodel = {{ kind = \"trace\", {model} }}\n{more}");
        let text = format!("{MINIMAL}\n{tables}\n");
        load(&Input { text: &text, format: Format::Toml, name: "case.toml", folder: Some(&folder) }, &[])
    };
    let sent = |model: &str, more: &str| {
        let loaded = with(model, more).unwrap_or_else(|e| panic!("{e}"));
        let t = &loaded.network.traffic[0];
        let mut source = Source::new(&t.model, t.trace.as_ref(), t.packet, t.start, t.stop, 1, &t.name);
        let sizes: Vec<u32> = (0..3).map_while(|_| source.next()).map(|packet| packet.bytes).collect();
        let written: serde_json::Value = serde_json::from_str(&loaded.canonical).unwrap();
        (sizes, written["traffic"][0]["packet"].as_str().unwrap().to_owned())
    };
    let of = |sizes: [u32; 3], packet: &str| (sizes.to_vec(), packet.to_owned());
    assert_eq!(sent("file = \"full.txt\"", ""), of([1514, 66, 1514], "1514 B"));
    assert_eq!(sent("file = \"full.txt\", header = \"4 B\"", ""), of([1518, 70, 1518], "1518 B"));
    assert_eq!(sent("file = \"full.txt\"", "packet = \"9000 B\""), of([1514, 66, 1514], "9 kB"));
    assert_eq!(sent("file = \"small.txt\"", ""), of([1200, 66, 1200], "1500 B"));
    assert_eq!(sent("file = \"film.txt\"", ""), of([1500, 1500, 1000], "1500 B"), "frames are");
    for (file, packet, largest) in [("full.txt", "1500 B", "1514 B"), ("small.txt", "999 B", "1200 B")] {
        let errors = with(&format!("file = \"{file}\""), &format!("packet = \"{packet}\"")).unwrap_err();
        let [error] = errors.all.as_slice() else { panic!("{errors}") };
        assert_eq!(error.key, "traffic.t.packet");
        assert_eq!(error.message, format!("{packet} is less than the trace's largest packet, {largest}"));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A link that leaves its rate to its trace has the trace's mean, for queue limits too, and the canonical form says so.
#[test]
fn a_trace_gives_a_link_its_rate() {
    let folder = std::env::temp_dir().join(format!("eddyline-trace-rate-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    // 4 Mbit/s for 1 s, then 1 Mbit/s for 2 s, as long as the line before
    write("drive.csv", "time_s,rate_bps,delay_s\n0,4e6,0.01\n1,1e6,\n2,1e6,\n");
    // 3 packets of 1,500 bytes in 4 ms
    write("packets.down", "1\n1\n4\n");
    write("late.csv", "time_s,rate_bps\n0,\n1,1e6\n");
    write("delays.csv", "time_s,delay_s\n0,0.1\n1,0.2\n");
    let with = |trace: &str| {
        let queue = "queue = { kind = \"droptail\", limit = \"100 ms\" }";
        let text = MINIMAL.replace("rate = \"1 Mbit/s\"", &format!("trace = {trace}\n{queue}"));
        load(&Input { text: &text, format: Format::Toml, name: "case.toml", folder: Some(&folder) }, &[])
    };
    let case = |file: &str| with(&format!("{{ kind = \"csv\", file = \"{file}\" }}"));
    let of = |loaded: eddyline_scenario::Scenario| {
        let canonical = &loaded.canonical;
        let again =
            load(&Input { text: canonical, format: Format::Json, name: "case.json", folder: Some(&folder) }, &[]);
        assert_eq!(again.unwrap().canonical, *canonical);
        let written: serde_json::Value = serde_json::from_str(canonical).unwrap();
        (loaded.network.links[0].rate.as_bps(), written["link"][0]["queue"]["limit"].clone())
    };
    assert_eq!(of(case("drive.csv").unwrap()), (2_000_000, "25000 B".into()));
    assert_eq!(of(with("{ kind = \"mahimahi\", file = \"packets.down\" }").unwrap()), (9_000_000, "112500 B".into()));
    let messages = |errors: eddyline_scenario::Diagnostics| {
        errors.all.iter().map(|e| format!("{}: {}", e.key, e.message)).collect::<Vec<_>>()
    };
    for (file, none) in [("late.csv", "none before 1 s"), ("delays.csv", "no column rate_bps with values")] {
        let [error] = messages(case(file).unwrap_err()).try_into().unwrap();
        assert!(error.starts_with("link.l.trace: the link has no rate") && error.contains(file), "{error}");
        assert!(error.ends_with(none), "{error}");
    }
    write("ways.csv", "time_s,down_throughput,down_delay_s\n0,4e6,0.1\n1,5e6,0.2\n");
    let [error] = messages(with("{ kind = \"csv\", file = \"ways.csv\", direction = \"down\" }").unwrap_err())
        .try_into()
        .unwrap();
    assert!(error.ends_with("no column down_rate_bps with values"), "{error}");
    write("slow.down", "17280000000\n");
    write("fast.down", &"1\n".repeat(900_000));
    for file in ["slow.down", "fast.down"] {
        let errors = with(&format!("{{ kind = \"mahimahi\", file = \"{file}\" }}")).unwrap_err();
        let [error] = messages(errors).try_into().unwrap();
        assert!(error.starts_with("link.l.trace: the mean rate of ") && error.contains(file), "{error}");
    }
    // in Mbit/s: an error of the recording, not of the queue whose 100 ms would be a byte
    write("unit.csv", "time_s,rate_bps\n0,80\n1,95.2\n");
    let [error] = messages(case("unit.csv").unwrap_err()).try_into().unwrap();
    assert!(error.starts_with("link.l.trace.file: ") && error.contains("rates are in bit/s"), "{error}");
    let [error] = messages(case("none.csv").unwrap_err()).try_into().unwrap();
    assert!(error.starts_with("link.l.trace.file: cannot read"), "{error}");
    // a file that cannot be read is looked for elsewhere, one that can is in another form
    let hint = |e: eddyline_scenario::Diagnostics| e.all[0].hint.clone().unwrap_or_default();
    assert!(hint(case("none.csv").unwrap_err()).contains("relative paths"));
    let csv = hint(case("packets.down").unwrap_err());
    assert!(["time_s", "rate_bps", "delay_s", "loss"].iter().all(|column| csv.contains(column)), "{csv}");
    write("twice.csv", "time_s,rate_bps,delay_s,rate_bps\n0,4e6,0.01,1e6\n1,1e6,,1e6\n");
    let [error] = messages(case("twice.csv").unwrap_err()).try_into().unwrap();
    assert!(error.contains("line 1: column rate_bps is there 2 times"), "{error}");
    write("other-twice.csv", "time_s,rate_bps,note,note\n0,4e6,a,b\n1,1e6,c,d\n");
    case("other-twice.csv").unwrap(); // nothing reads them
    assert!(hint(with("{ kind = \"mahimahi\", file = \"drive.csv\" }").unwrap_err()).contains("millisecond"));
    // a text where a table must be becomes a table with what its kind needs
    assert_eq!(hint(with("\"drive.csv\"").unwrap_err()), "write a table: { kind = \"csv\", file = \"drive.csv\" }");
    assert_eq!(hint(with("\"mahimahi\"").unwrap_err()), "write a table: { kind = \"mahimahi\", file = \"...\" }");
    let [error] = messages(with("{ kind = \"csv\" }").unwrap_err()).try_into().unwrap();
    assert!(error.contains("the key file is missing"), "{error}");
    // a profile takes its mean from the link
    let [error] = messages(with("{ kind = \"lte\" }").unwrap_err()).try_into().unwrap();
    assert!(error.contains("the key rate is missing"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A file that was read is not looked for elsewhere: what is said is what it should contain.
#[test]
fn files_of_another_form_are_answered_with_their_form() {
    let folder = std::env::temp_dir().join(format!("eddyline-forms-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("commas.txt"), "0.0,1500\n0.1,1500\n").unwrap();
    let hint = |tables: &str| {
        let text = format!("{MINIMAL}\n{tables}\n");
        let input = Input { text: &text, format: Format::Toml, name: "case.toml", folder: Some(&folder) };
        let errors = load(&input, &[]).unwrap_err();
        let [error] = errors.all.as_slice() else { panic!("{errors}") };
        error.hint.clone().unwrap_or_default()
    };
    let traffic = |file: &str, format: &str| {
        hint(&format!(
            "[[traffic]]\nname = \"t\"\npath = [\"l\"]\nmodel = {{ kind = \"trace\", file = \"{file}\"{format} }}"
        ))
    };
    assert!(traffic("none.txt", "").contains("relative paths"));
    let any = traffic("commas.txt", "");
    assert!(any.contains("separated by white space: time in s and size; or"), "{any}");
    let packets = traffic("commas.txt", ", format = \"packets\"");
    assert!(packets.ends_with("separated by white space: time in s, size"), "{packets}");
    let sizes = |file: &str| {
        hint(&format!(
            "[[arrivals]]\nname = \"a\"\nrate = \"1 /s\"\nsize = {{ kind = \"trace\", file = \"{file}\" }}\n\
             controller = {{ kind = \"reno\" }}\ndata = [\"l\"]\nack = [\"l\"]"
        ))
    };
    assert!(sizes("none.txt").contains("relative paths"));
    assert!(sizes("commas.txt").contains("one size a line"));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The limit of a preset's queue follows a changed rate, and the canonical form says so.
#[test]
fn queues_of_presets_follow_the_rate() {
    let limit = |rate: &str| {
        let text = MINIMAL
            .replace("[[flow]]", &format!("[[duplex]]\nname = \"d\"\npreset = \"docsis-3.1\"\n{rate}\n[[flow]]"));
        let s = toml(&text, &[]).unwrap();
        assert_eq!(json(&s.canonical, &[]).unwrap().canonical, s.canonical);
        let canonical: serde_json::Value = serde_json::from_str(&s.canonical).unwrap();
        let links = &s.network.links;
        assert_eq!(serde_json::to_value(links[2].queue).unwrap()["limit"], "625000 B");
        let written = canonical["duplex"][0]["down"]["queue"]["limit"].clone();
        (serde_json::to_value(links[1].queue).unwrap()["limit"].clone(), written)
    };
    assert_eq!(limit(""), ("3125000 B".into(), serde_json::Value::Null));
    assert_eq!(limit("down = { rate = \"100 Mbit/s\" }"), ("625000 B".into(), "625000 B".into()));
    // a queue of the preset's kind keeps the limit, unless it says another
    let kind = |rest: &str| limit(&format!("down = {{ queue = {{ kind = \"droptail\"{rest} }} }}"));
    assert_eq!(kind(""), ("3125000 B".into(), "3125000 B".into()));
    assert_eq!(limit("down = { rate = \"100 Mbit/s\", queue = { kind = \"droptail\" } }").0, "625000 B");
    assert_eq!(kind(", limit = \"unlimited\"").0, "unlimited");
}

/// Jittered starts differ between flows and seeds, lie within the jitter, and do not depend on other flows.
#[test]
fn whole_numbers_with_an_exponent() {
    let seed = |text: &str| toml(&format!("seed = {text}\n{MINIMAL}"), &[]).map(|s| s.network.seed);
    assert_eq!(seed("1e3").unwrap(), 1000);
    assert_eq!(seed("1e16").unwrap(), 10_u64.pow(16));
    assert_eq!(seed("9e18").unwrap(), 9 * 10_u64.pow(18));
    assert!(seed("1e19").unwrap_err().to_string().contains("seed: 1e19 is out of range"));
    let every = |text: &str| {
        let text = format!("loss = {{ kind = \"periodic\", every = {text} }}\ndelay");
        toml(&MINIMAL.replacen("delay", &text, 1), &[]).err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert_eq!(every("1e16"), "");
    assert!(every("1e30").contains("every: 1e30 is out of range; at most 18446744073709551615"), "{}", every("1e30"));
}

#[test]
fn starts_are_jittered_by_seed_and_name() {
    let starts = |seed: &str, count: &str| {
        let key = format!("start = \"100 ms\"\nstart_jitter = \"50 ms\"\ncount = {count}");
        let text = format!("seed = {seed}\n{}", MINIMAL.replace("[[flow]]", &format!("[[flow]]\n{key}")));
        toml(&text, &[]).unwrap().network.flows.iter().map(|f| f.start).collect::<Vec<_>>()
    };
    let (one, two) = (starts("1", "8"), starts("2", "8"));
    assert!(one.iter().chain(&two).all(|s| (Time::from_ms(100)..Time::from_ms(150)).contains(s)), "{one:?} {two:?}");
    assert!(one.iter().zip(&two).all(|(a, b)| a != b) && one.windows(2).all(|w| w[0] != w[1]), "{one:?} {two:?}");
    assert_eq!(starts("1", "20")[..8], one);
}

/// A count of zero leaves a flow out; nothing may be left of a scenario then but other senders.
#[test]
fn a_count_of_zero_leaves_flows_out() {
    let two = MINIMAL.to_owned() + &MINIMAL[MINIMAL.find("[[flow]]").unwrap()..].replace("\"f\"", "\"g\"");
    let one = toml(&two, &[("flow.f.count", "0")]).unwrap();
    assert_eq!(one.network.flows.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["g"]);
    let errors = toml(&two, &[("flow.*.count", "0")]).unwrap_err().to_string();
    assert!(errors.contains("nothing would be sent"), "{errors}");
}
