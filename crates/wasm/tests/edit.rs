//! Changes of values in a scenario's text.

use eddyline_wasm::edited;

const TEXT: &str = r#"# two links
duration = "60 s"   # a minute

[[link]]
name  = "down"
rate  = "10 Mbit/s"
queue = { kind = "droptail", limit = "50 packets" }

[[link]]
name  = "up"
rate  = "1 Mbit/s"

[[flow]]
name = "a"
controller = { kind = "cubic" }   # Linux's
data = ["down"]
ack = ["up"]
"#;

fn set(path: &[&str], literal: &str) -> String {
    edited(TEXT, path, Some(literal)).unwrap()
}

#[test]
fn a_value_changes_and_nothing_else() {
    assert_eq!(set(&["link", "1", "rate"], "\"2 Mbit/s\""), TEXT.replace("\"1 Mbit/s\"", "\"2 Mbit/s\""));
    assert_eq!(set(&["duration"], "\"1 s\""), TEXT.replace("\"60 s\"", "\"1 s\""));
    let kind = set(&["flow", "0", "controller", "kind"], "\"bbr\"");
    assert_eq!(kind, TEXT.replace("\"cubic\"", "\"bbr\""));
    let queue = set(&["link", "0", "queue"], "{ kind = \"fq_codel\" }");
    assert_eq!(queue, TEXT.replace("{ kind = \"droptail\", limit = \"50 packets\" }", "{ kind = \"fq_codel\" }"));
}

#[test]
fn a_missing_key_is_added_to_its_own_table() {
    let expected = TEXT.replace("rate  = \"1 Mbit/s\"\n", "rate  = \"1 Mbit/s\"\ndelay = \"5 ms\"\n");
    assert_eq!(set(&["link", "1", "delay"], "\"5 ms\""), expected);
    let inline = set(&["flow", "0", "controller", "alpha"], "\"20 packets\"");
    assert_eq!(inline, TEXT.replace("{ kind = \"cubic\" }", "{ kind = \"cubic\", alpha = \"20 packets\" }"));
    let top = set(&["seed"], "7");
    assert_eq!(top, TEXT.replace("# a minute\n", "# a minute\nseed = 7\n"));
}

#[test]
fn missing_tables_on_the_way_are_made() {
    let tcp = set(&["flow", "0", "tcp", "ecn"], "true");
    assert_eq!(tcp, TEXT.replace("ack = [\"up\"]\n", "ack = [\"up\"]\ntcp = { ecn = true }\n"));
}

#[test]
fn a_key_is_removed_with_its_line_or_comma() {
    let queue = edited(TEXT, &["link", "0", "queue", "limit"], None).unwrap();
    assert_eq!(queue, TEXT.replace(", limit = \"50 packets\"", ""));
    let kind = edited(TEXT, &["link", "0", "queue", "kind"], None).unwrap();
    assert_eq!(kind, TEXT.replace("kind = \"droptail\", ", ""));
    let rate = edited(TEXT, &["link", "1", "rate"], None).unwrap();
    assert_eq!(rate, TEXT.replace("rate  = \"1 Mbit/s\"\n", ""));
    assert_eq!(edited(TEXT, &["seed"], None).unwrap(), TEXT);
}

#[test]
fn lists_of_inline_tables_work_too() {
    let text =
        "flow = [\n  { name = \"a\", controller = { kind = \"reno\" } },\n  { name = \"b\" },\n]\nduration = \"1 s\"\n";
    let kind = edited(text, &["flow", "0", "controller", "kind"], Some("\"cubic\"")).unwrap();
    assert_eq!(kind, text.replace("reno", "cubic"));
    let start = edited(text, &["flow", "1", "start"], Some("\"2 s\"")).unwrap();
    assert_eq!(start, text.replace("{ name = \"b\" }", "{ name = \"b\", start = \"2 s\" }"));
}

#[test]
fn what_cannot_be_changed_is_refused() {
    for (path, literal) in [(&["duration", "x"][..], "1"), (&["link", "9", "rate"], "1"), (&["duration"], "= =")] {
        assert!(edited(TEXT, path, Some(literal)).is_err(), "{path:?}");
    }
    assert!(edited("= no", &["duration"], Some("1")).is_err());
}
