//! Loading of a scenario, or of all errors in it.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::check::{capacity, media, names, nic, piggyback, semantics, variation};
use crate::diagnostic::{Diagnostics, Report};
use crate::expect::{self, Expectation};
use crate::files::{Disk, Files, MAX_BYTES};
use crate::input::{Format, Input};
use crate::network::Network;
use crate::tree::{Node, Value};
use crate::typed::Typed;
use crate::vocabulary::Vocabulary;
use crate::{
    build, cake_limit, overrides, preset_limit, read, relative_limit, schema, trace, trace_packet, trace_rate,
};

/// A valid scenario.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The network, the input of the worlds.
    pub network: Network,
    /// Canonical JSON: overrides applied, defaults written out, a fixed order of keys.
    pub canonical: String,
    /// SHA-256 of the canonical JSON, in hexadecimal.
    pub sha256: String,
    /// The expectations on the result.
    pub expectations: Vec<Expectation>,
    /// Files that it refers to, with the folder.
    pub files: Vec<PathBuf>,
}

/// Loads a scenario, with overrides as `--set KEY=VALUE` gives them.
///
/// # Errors
/// All errors of the text and the overrides.
pub fn load(input: &Input<'_>, overrides: &[(String, String)]) -> Result<Scenario, Diagnostics> {
    load_with(Vocabulary::builtin(), input, overrides)
}

/// The same with registered controllers.
///
/// # Errors
/// All errors of the text and the overrides.
pub fn load_with(
    vocabulary: &Vocabulary,
    input: &Input<'_>,
    overrides: &[(String, String)],
) -> Result<Scenario, Diagnostics> {
    load_from(vocabulary, input, overrides, &Disk)
}

/// The same where the files that the scenario refers to are elsewhere.
///
/// # Errors
/// All errors of the text and the overrides.
pub fn load_from(
    vocabulary: &Vocabulary,
    input: &Input<'_>,
    overrides: &[(String, String)],
    files: &dyn Files,
) -> Result<Scenario, Diagnostics> {
    // ignore a byte order mark
    let input = &Input { text: input.text.trim_start_matches('\u{feff}'), ..*input };
    let mut report = Report::new(input, overrides);
    match parse_and_check(vocabulary, input, overrides, files, &mut report) {
        Some(scenario) if report.is_clean() => Ok(scenario),
        _ => Err(report.finish()),
    }
}

fn parse_and_check(
    vocabulary: &Vocabulary,
    input: &Input<'_>,
    overrides: &[(String, String)],
    files: &dyn Files,
    report: &mut Report<'_>,
) -> Option<Scenario> {
    let mut root = read::read(input, vocabulary.compiled_schema(), report)?;
    if !matches!(root.value, Value::Table(_)) {
        let message = format!("{}; a scenario is a table with duration, link and flow", root.show());
        report.wrong(&root, &[], message, None);
        return None;
    }
    overrides::apply(&mut root, overrides, vocabulary.compiled_schema(), report);
    trace_rate::fill_in(&mut root, input.folder, files, report);
    trace_packet::fill_in(&mut root, input.folder, files);
    preset_limit::fill_in(&mut root);
    cake_limit::fill_in(&mut root);
    relative_limit::resolve(&mut root, report);
    schema::validate(&root, &mut Vec::new(), &root, vocabulary.compiled_schema(), report);
    names::check(&root, report);
    let typed = Typed::read(&root, vocabulary, report);
    semantics::check(&root, &typed, report);
    piggyback::check(&root, &typed, report);
    media::check(&root, &typed, report);
    variation::check(&root, &typed, report);
    nic::check(&root, &typed, report);
    let traces = trace::read(&root, &typed, input.folder, files, report);
    capacity::check(&root, &typed, &traces, report);
    let expectations = expectations(&root, &typed, input, report);
    if !report.is_clean() {
        return None;
    }
    let mut file = typed.whole()?;
    file.title.get_or_insert_with(|| input.default_title());
    for duplex in &mut file.duplex {
        duplex.write_out_scaled_queues();
    }
    for flow in &mut file.flow {
        // the canonical form has only one of the two keys
        if flow.delayed_ack.take() == Some(true) {
            flow.tcp.ack_every = Some(2);
        }
    }
    for arrivals in &mut file.arrivals {
        if arrivals.delayed_ack.take() == Some(true) {
            arrivals.tcp.ack_every = Some(2);
        }
    }
    let canonical = serde_json::to_string_pretty(&file).ok()? + "\n";
    let sha256 = Sha256::digest(canonical.as_bytes()).iter().map(|b| format!("{b:02x}")).collect::<String>();
    let network = build::network(&file, sha256.clone(), &traces.of_traffic, &traces.of_arrivals, &traces.of_links);
    Some(Scenario { network, canonical, sha256, expectations, files: traces.files })
}

fn expectations(root: &Node, typed: &Typed, input: &Input<'_>, report: &mut Report<'_>) -> Vec<Expectation> {
    let tables = typed.expect.iter().enumerate().filter_map(|(i, e)| Some((i, e.as_ref()?)));
    tables.filter_map(|(i, e)| expect::resolve(e, i, root, input.name, report)).collect()
}

/// Reads and loads a file: JSON with the extension `.json`, else TOML.
///
/// # Errors
/// The file cannot be read or is not text, or all errors in it.
pub fn load_file(path: &Path, overrides: &[(String, String)]) -> Result<Scenario, Diagnostics> {
    load_file_with(Vocabulary::builtin(), path, overrides)
}

/// The same with registered controllers.
///
/// # Errors
/// The file cannot be read or is not text, or all errors in it.
pub fn load_file_with(
    vocabulary: &Vocabulary,
    path: &Path,
    overrides: &[(String, String)],
) -> Result<Scenario, Diagnostics> {
    let name = path.display().to_string();
    let refuse = |message: String, hint: Option<&str>| Diagnostics::of_file(&name, message, hint.map(str::to_owned));
    let about = fs::metadata(path).map_err(|e| refuse(format!("cannot read: {e}"), None))?;
    if !about.is_file() {
        return Err(refuse("not a file".to_owned(), Some("name a scenario file, .toml or .json")));
    }
    if about.len() > MAX_BYTES {
        return Err(refuse(format!("larger than {} MiB", MAX_BYTES >> 20), None));
    }
    let bytes = fs::read(path).map_err(|e| refuse(format!("cannot read: {e}"), None))?;
    let text = String::from_utf8(bytes).map_err(|e| {
        let line = e.as_bytes()[..e.utf8_error().valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
        refuse(format!("not UTF-8 text (line {line})"), Some("a scenario is a TOML or JSON file"))
    })?;
    let json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    let format = if json { Format::Json } else { Format::Toml };
    load_with(vocabulary, &Input { text: &text, format, name: &name, folder: path.parent() }, overrides)
}
