//! Files that a scenario refers to, given by the caller.

use std::collections::BTreeMap;
use std::path::Path;

use eddyline_scenario::{Files, Unreadable};
use js_sys::{Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use crate::errors::error;

/// Texts by the path that a scenario writes.
#[derive(Debug, Default)]
pub(crate) struct Given(BTreeMap<String, String>);

impl Given {
    /// From an object of texts by path.
    pub(crate) fn of(files: &JsValue) -> Result<Self, JsValue> {
        let Some(object) = files.dyn_ref::<Object>() else { return Ok(Self::default()) };
        let mut given = BTreeMap::new();
        for key in Object::keys(object).iter() {
            let text = Reflect::get(object, &key)?.as_string();
            let (Some(path), Some(text)) = (key.as_string(), text) else {
                return Err(error("TypeError", "files is an object of texts by path"));
            };
            given.insert(path, text);
        }
        Ok(Self(given))
    }
}

impl Files for Given {
    fn read(&self, path: &Path) -> Result<String, Unreadable> {
        let name = path.display().to_string();
        self.0.get(&name).cloned().ok_or_else(|| Unreadable::new(path, "the file was not given"))
    }
}
