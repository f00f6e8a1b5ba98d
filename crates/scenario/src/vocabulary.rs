//! The kinds of controllers and queues that scenarios may use: built-in ones and registered controllers.

use std::sync::{Arc, OnceLock};

use eddyline_cc::{CustomKind, KINDS};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use thiserror::Error;

use crate::schema::{Schema, compile, json_schema};

/// Maximum depth of nested references in a schema.
const MAX_DEPTH: usize = 16;

/// The vocabulary of scenario files: everything built in, and registered kinds of controllers.
#[derive(Debug)]
pub struct Vocabulary {
    kinds: Vec<Arc<dyn CustomKind>>,
    schema: Json,
    compiled: Schema,
}

/// Why a kind cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VocabularyError {
    /// The name belongs to a built-in kind or to another registered one.
    #[error("there is a controller called {0:?} already")]
    Taken(String),
    /// The name is not a valid identifier.
    #[error("{0:?} is no name for a controller: letters, digits, - and _, a letter first")]
    BadName(String),
    /// The schema is not one of an object.
    #[error("the schema of controller {0:?} is not one of a table")]
    NoTable(String),
}

impl Vocabulary {
    /// The built-in vocabulary and `kinds`.
    ///
    /// # Errors
    /// [`VocabularyError`].
    pub fn new(kinds: Vec<Arc<dyn CustomKind>>) -> Result<Self, VocabularyError> {
        let mut schema = json_schema();
        for (i, kind) in kinds.iter().enumerate() {
            let name = kind.name();
            let rest = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+' | '.');
            if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(rest) {
                return Err(VocabularyError::BadName(name.to_owned()));
            }
            if KINDS.iter().any(|k| k.name == name) || kinds[..i].iter().any(|k| k.name() == name) {
                return Err(VocabularyError::Taken(name.to_owned()));
            }
            let variant = variant(&**kind).ok_or_else(|| VocabularyError::NoTable(name.to_owned()))?;
            let variants = schema.pointer_mut("/$defs/ControllerParams/oneOf").and_then(Json::as_array_mut);
            variants.expect("the schema of controllers is a choice of kinds").push(variant);
        }
        let compiled = compile(&schema);
        Ok(Self { kinds, schema, compiled })
    }

    /// The built-in vocabulary.
    #[must_use]
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<Vocabulary> = OnceLock::new();
        BUILTIN.get_or_init(Self::default)
    }

    /// The JSON Schema of scenario files that use it.
    #[must_use]
    pub fn schema(&self) -> &Json {
        &self.schema
    }

    /// Registered kinds of controllers.
    #[must_use]
    pub fn kinds(&self) -> &[Arc<dyn CustomKind>] {
        &self.kinds
    }

    /// The controllers, built-in ones first: `name`, `summary`, `source` and the fields of [`eddyline_cc::Properties`].
    #[must_use]
    pub fn controllers(&self) -> Vec<Json> {
        let built_in = KINDS.iter().map(|k| entry(k.name, k.summary, k.source, &k.properties));
        built_in.chain(self.kinds.iter().map(|k| entry(k.name(), k.summary(), k.source(), &k.properties()))).collect()
    }

    /// The queue disciplines: `name`, `summary`, `source` and the fields of [`eddyline_path::queue::Properties`].
    #[must_use]
    pub fn queues(&self) -> Vec<Json> {
        eddyline_path::queue::KINDS.iter().map(|k| entry(k.name, k.summary, k.source, &k.properties)).collect()
    }

    pub(crate) fn compiled_schema(&self) -> &Schema {
        &self.compiled
    }

    /// The registered kind of this name.
    pub(crate) fn kind(&self, name: &str) -> Option<&dyn CustomKind> {
        self.kinds.iter().find(|k| k.name() == name).map(|k| &**k)
    }
}

impl Default for Vocabulary {
    /// The built-in vocabulary.
    fn default() -> Self {
        let schema = json_schema();
        let compiled = compile(&schema);
        Self { kinds: Vec::new(), schema, compiled }
    }
}

fn entry(name: &str, summary: &str, source: &str, properties: &impl Serialize) -> Json {
    let mut entry = json!({ "name": name, "summary": summary, "source": source });
    if let (Some(entry), Ok(Json::Object(properties))) = (entry.as_object_mut(), serde_json::to_value(properties)) {
        entry.extend(properties);
    }
    entry
}

/// The schema of a registered kind, as a variant like those of built-in ones.
fn variant(kind: &dyn CustomKind) -> Option<Json> {
    let schema = kind.schema();
    let inlined = inlined(&schema, &schema["$defs"], 0);
    let table = inlined.as_object()?;
    let mut properties = Map::new();
    properties.insert("kind".to_owned(), json!({ "type": "string", "const": kind.name() }));
    match table.get("properties") {
        Some(Json::Object(own)) if !own.contains_key("kind") => properties.extend(own.clone()),
        Some(_) => return None,
        None => {}
    }
    let own = table.get("required").and_then(Json::as_array).cloned().unwrap_or_default();
    let required: Vec<Json> = std::iter::once(json!("kind")).chain(own).collect();
    Some(json!({
        "description": kind.summary(),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": table.get("additionalProperties").cloned().unwrap_or(json!(false)),
    }))
}

/// A schema with its references inlined, because its definitions are not those of the file's schema.
fn inlined(schema: &Json, defs: &Json, depth: usize) -> Json {
    if let Some(name) = schema["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/"))
        && depth < MAX_DEPTH
    {
        let mut whole = inlined(&defs[name], defs, depth + 1);
        if let (Some(whole), Some(siblings)) = (whole.as_object_mut(), schema.as_object()) {
            whole.extend(siblings.iter().filter(|(k, _)| *k != "$ref").map(|(k, v)| (k.clone(), v.clone())));
        }
        return whole;
    }
    match schema {
        Json::Object(map) => Json::Object(map.iter().map(|(k, v)| (k.clone(), inlined(v, defs, depth))).collect()),
        Json::Array(items) => Json::Array(items.iter().map(|v| inlined(v, defs, depth)).collect()),
        other => other.clone(),
    }
}
