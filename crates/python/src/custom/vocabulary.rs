//! The controllers of this process besides the built-in ones: those of the QUIC stack, and registered ones.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use eddyline_cc::CustomKind;
use eddyline_scenario::{Vocabulary, VocabularyError};
use pyo3::prelude::*;

use super::class::PyClass;
use super::kind::PyKind;
use crate::errors::{InputError, guarded, internal};

/// The Python module that loads controllers from installed packages.
const INSTALLED: &str = "eddyline.controllers.installed";

struct Registered {
    kinds: Vec<Arc<dyn CustomKind>>,
    vocabulary: Arc<Vocabulary>,
}

impl Registered {
    /// These kinds and those of the QUIC stack.
    fn new(kinds: Vec<Arc<dyn CustomKind>>) -> Result<Self, VocabularyError> {
        let all = eddyline_quic::kinds().into_iter().chain(kinds.iter().cloned()).collect();
        Ok(Self { kinds, vocabulary: Arc::new(Vocabulary::new(all)?) })
    }
}

static REGISTERED: LazyLock<RwLock<Registered>> =
    LazyLock::new(|| RwLock::new(Registered::new(Vec::new()).expect("the stack's kinds have names of their own")));

/// The vocabulary of scenarios, registered controllers included.
pub(crate) fn current() -> Arc<Vocabulary> {
    Arc::clone(&REGISTERED.read().unwrap_or_else(PoisonError::into_inner).vocabulary)
}

/// Registers controllers of these kinds from installed packages; returns whether there were new ones. Raises if a package is
/// broken or two provide the same kind.
pub(crate) fn load_installed(py: Python<'_>, kinds: &[&str]) -> PyResult<bool> {
    if kinds.is_empty() {
        return Ok(false);
    }
    py.import(INSTALLED)?.call_method1("import_declared", (kinds.to_vec(),))?.extract()
}

fn change(edit: impl FnOnce(&mut Vec<Arc<dyn CustomKind>>)) -> PyResult<()> {
    let mut kinds = REGISTERED.read().unwrap_or_else(PoisonError::into_inner).kinds.clone();
    edit(&mut kinds);
    let registered = Registered::new(kinds).map_err(|e| InputError::new_err(e.to_string()))?;
    *REGISTERED.write().unwrap_or_else(PoisonError::into_inner) = registered;
    Ok(())
}

/// Registers a class as controller `name`, replacing one registered by that name. `schema` is the JSON Schema of its
/// parameters; `read` returns, for a table of them as JSON, the constructor's keywords and the canonical table as JSON;
/// `handlers` are the event handlers that it defines.
#[pyfunction]
#[pyo3(signature = (name, class, *, class_name, summary, source, schema, read, handlers))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of a Python function")]
pub(crate) fn add_controller(
    name: String,
    class: Py<PyAny>,
    class_name: String,
    summary: String,
    source: String,
    schema: &str,
    read: Py<PyAny>,
    handlers: Vec<String>,
) -> PyResult<()> {
    guarded(|| {
        let schema = serde_json::from_str(schema).map_err(|e| internal(e.to_string()))?;
        let class = Arc::new(PyClass { kind: name.clone(), name: class_name, class, read, handlers });
        let kind: Arc<dyn CustomKind> = Arc::new(PyKind { name, summary, source, schema, class });
        add(kind)
    })
}

/// Loads the controller in a file, a library or a WebAssembly module, and registers it, replacing one registered by its name;
/// returns the name.
#[pyfunction]
pub(crate) fn load_plugin(path: PathBuf) -> PyResult<String> {
    guarded(|| {
        let kind = eddyline_plugins::open(&path).map_err(|e| InputError::new_err(e.to_string()))?;
        let name = kind.name().to_owned();
        add(kind)?;
        Ok(name)
    })
}

/// Registers a kind, replacing one registered by its name.
fn add(kind: Arc<dyn CustomKind>) -> PyResult<()> {
    change(|kinds| match kinds.iter_mut().find(|k| k.name() == kind.name()) {
        Some(old) => *old = kind,
        None => kinds.push(kind),
    })
}

/// Removes the registered controller of that name; returns whether there was one.
#[pyfunction]
pub(crate) fn remove_controller(name: &str) -> PyResult<bool> {
    guarded(|| {
        let mut found = false;
        change(|kinds| {
            let count = kinds.len();
            kinds.retain(|k| k.name() != name);
            found = kinds.len() < count;
        })?;
        Ok(found)
    })
}
