//! The controllers that this process knows besides the built-in ones.

use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use eddyline_cc::CustomKind;
use eddyline_scenario::Vocabulary;
use pyo3::prelude::*;

use super::kind::{PyClass, PyKind};
use crate::errors::{InputError, guarded, internal};

/// Where installed packages are asked for controllers.
const INSTALLED: &str = "eddyline.controllers.installed";

#[derive(Default)]
struct Known {
    kinds: Vec<Arc<dyn CustomKind>>,
    vocabulary: Arc<Vocabulary>,
}

static KNOWN: LazyLock<RwLock<Known>> = LazyLock::new(RwLock::default);

/// The words of scenarios now.
pub(crate) fn current() -> Arc<Vocabulary> {
    Arc::clone(&KNOWN.read().unwrap_or_else(PoisonError::into_inner).vocabulary)
}

/// Whether installed packages had controllers of these names that were not known before and are now. Python raises where one
/// of them is broken, or a name means two things.
pub(crate) fn met(py: Python<'_>, kinds: &[&str]) -> PyResult<bool> {
    if kinds.is_empty() {
        return Ok(false);
    }
    py.import(INSTALLED)?.call_method1("meet", (kinds.to_vec(),))?.extract()
}

fn change(edit: impl FnOnce(&mut Vec<Arc<dyn CustomKind>>)) -> PyResult<()> {
    let mut kinds = KNOWN.read().unwrap_or_else(PoisonError::into_inner).kinds.clone();
    edit(&mut kinds);
    let vocabulary = Vocabulary::new(kinds.clone()).map_err(|e| InputError::new_err(e.to_string()))?;
    *KNOWN.write().unwrap_or_else(PoisonError::into_inner) = Known { kinds, vocabulary: Arc::new(vocabulary) };
    Ok(())
}

/// Adds a class as controller `name`; another one of that name that was added before goes. `schema` is the JSON Schema of
/// its parameters; `read` gives, for a table of them as JSON, the constructor's keywords and the canonical table as JSON;
/// `handlers` are the methods that it has.
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
        change(|kinds| match kinds.iter_mut().find(|k| k.name() == kind.name()) {
            Some(old) => *old = kind,
            None => kinds.push(kind),
        })
    })
}

/// Forgets the controller of that name that was added; says whether there was one.
#[pyfunction]
pub(crate) fn remove_controller(name: &str) -> PyResult<bool> {
    guarded(|| {
        let mut found = false;
        change(|kinds| {
            let before = kinds.len();
            kinds.retain(|k| k.name() != name);
            found = kinds.len() < before;
        })?;
        Ok(found)
    })
}
