//! The points of a sweep, all of them checked before any of them runs.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use eddyline_scenario::{Copies, Diagnostic, Diagnostics, Input};
use pyo3::prelude::*;

use crate::custom::{current, load_installed};
use crate::errors::{guarded, internal};
use crate::load::{controllers, format_named};
use crate::run::lacking;

/// Overrides of one point, in order.
type Overrides = Vec<(String, String)>;

/// The result of checking points.
#[pyclass(frozen, get_all, module = "eddyline._core")]
#[derive(Default)]
pub(crate) struct Checked {
    /// Files that the points refer to, folder included.
    files: BTreeSet<PathBuf>,
    /// Validation errors as text and as JSON, each once.
    errors: Vec<(String, String)>,
    /// Unknown controllers that they name.
    unknown_controllers: BTreeSet<String>,
}

/// Loads the scenario once for every point, to validate it, and makes sure that the world has what it asks for. The first `given` overrides
/// of a point are those of the whole sweep (`--set`), the others its own (`--vary`). Of files with a copy, given with their paths, the copy
/// is read.
#[pyfunction]
#[pyo3(signature = (text, format, name, folder, points, given, world, copies = HashMap::new()))]
#[pyo3(text_signature = "(text, format, name, folder, points, given, world, copies={})")]
#[expect(clippy::too_many_arguments, reason = "they are named in Python")]
pub(crate) fn check_points(
    py: Python<'_>,
    text: &str,
    format: &str,
    name: &str,
    folder: Option<PathBuf>,
    points: Vec<Overrides>,
    given: usize,
    world: &str,
    copies: HashMap<PathBuf, PathBuf>,
) -> PyResult<Checked> {
    let format = format_named(format)?;
    let input = Input { text, format, name, folder: folder.as_deref() };
    let files = Copies(copies);
    let checked = || py.detach(|| guarded(|| check(&input, &points, given, world, &files)));
    let (mut found, kinds) = checked()?;
    if load_installed(py, &kinds.iter().map(String::as_str).collect::<Vec<_>>())? {
        (found, _) = checked()?;
    }
    Ok(found)
}

/// The result, and the controllers that the points name.
fn check(
    input: &Input<'_>,
    points: &[Overrides],
    given: usize,
    world: &str,
    files: &Copies,
) -> PyResult<(Checked, BTreeSet<String>)> {
    let vocabulary = current();
    let mut checked = Checked::default();
    let mut kinds = BTreeSet::new();
    let mut seen = HashSet::new();
    for overrides in points {
        let loaded = eddyline_scenario::load_from(&vocabulary, input, overrides, files);
        kinds.extend(controllers(&loaded).into_iter().map(str::to_owned));
        let mut wrong = Vec::new();
        match loaded {
            Ok(scenario) => {
                if let Some((message, hint)) = lacking(world, &scenario.network) {
                    wrong.extend(Diagnostics::of_file(input.name, message, Some(hint)).all);
                }
                checked.files.extend(scenario.files);
            }
            Err(diagnostics) => {
                checked.unknown_controllers.extend(diagnostics.unknown_controllers);
                wrong.extend(diagnostics.all);
            }
        }
        for mut diagnostic in wrong {
            name_the_option(&mut diagnostic, &overrides[given.min(overrides.len())..]);
            let text = diagnostic.to_string();
            if seen.insert(text.clone()) {
                let json = serde_json::to_string(&diagnostic).map_err(|e| internal(e.to_string()))?;
                checked.errors.push((text, json));
            }
        }
    }
    Ok((checked, kinds))
}

/// Replaces `--set`, as the loader calls overrides, by `--vary` for a point's own.
fn name_the_option(diagnostic: &mut Diagnostic, varied: &[(String, String)]) {
    let Some(pair) = diagnostic.file.strip_prefix("--set ") else { return };
    if varied.iter().any(|(key, value)| pair == format!("{key}={value}")) {
        diagnostic.file = format!("--vary {pair}");
    }
}
