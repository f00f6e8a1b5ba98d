//! Files that a scenario refers to.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::Report;
use crate::tree::{Node, Step};

/// Larger files are no traces.
const MOST_BYTES: u64 = 256 << 20;

/// A trace file's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// The text as read.
    pub text: String,
}

impl Trace {
    /// What a trace file says.
    ///
    /// # Errors
    /// Why the text is no trace.
    pub fn parse(text: String) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("nothing in it".to_owned());
        }
        Ok(Self { text })
    }
}

/// Traces of a scenario.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    /// One per traffic table, where its model names a file.
    pub of_traffic: Vec<Option<Arc<Trace>>>,
    /// Every file read, once, as the scenario names it relative to its folder.
    pub files: Vec<PathBuf>,
}

/// Reads the files that traffic models name; what cannot be read is reported at the key.
pub(crate) fn read(root: &Node, folder: Option<&Path>, report: &mut Report<'_>) -> Traces {
    let mut known: HashMap<&str, Option<Arc<Trace>>> = HashMap::new();
    let mut traces = Traces::default();
    for (i, traffic) in root.tables("traffic").iter().enumerate() {
        let file = traffic.get("model").and_then(|m| m.get("file")).and_then(Node::text);
        // a model that has no `file` has been refused already
        let Some(file) = file.filter(|_| !report.touched("traffic", i)) else {
            traces.of_traffic.push(None);
            continue;
        };
        let trace = known.entry(file).or_insert_with(|| {
            let path = folder.map_or_else(|| PathBuf::from(file), |folder| folder.join(file));
            let path_in_file = [Step::Key("traffic"), Step::Item(i), Step::Key("model"), Step::Key("file")];
            match load(&path)
                .and_then(|text| Trace::parse(text).map_err(|e| format!("{} is no trace: {e}", path.display())))
            {
                Ok(trace) => {
                    traces.files.push(path);
                    Some(Arc::new(trace))
                }
                Err(message) => {
                    let hint = "relative paths start at the scenario's folder";
                    report.wrong(root, &path_in_file, message, Some(hint.to_owned()));
                    None
                }
            }
        });
        traces.of_traffic.push(trace.clone());
    }
    traces
}

fn load(path: &Path) -> Result<String, String> {
    let cannot = |why: String| format!("cannot read {}: {why}", path.display());
    let about = fs::metadata(path).map_err(|e| cannot(e.to_string()))?;
    if !about.is_file() {
        return Err(cannot("not a file".to_owned()));
    }
    if about.len() > MOST_BYTES {
        return Err(cannot(format!("larger than {} MiB", MOST_BYTES >> 20)));
    }
    fs::read_to_string(path).map_err(|e| cannot(e.to_string()))
}
