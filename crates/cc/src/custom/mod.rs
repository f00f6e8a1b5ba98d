//! Controllers that are not built in: whoever writes one names it, says what its parameters are, and a scenario may name it.

pub(crate) mod registered;
pub(crate) mod round_report;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::controller::{Controller, PathFacts};
use crate::custom::registered::Registered;
use crate::properties::Properties;

/// A table of parameters by name.
pub type ParamTable = Map<String, Value>;

/// A kind of controller that somebody adds.
///
/// [`custom`] makes one of a type of parameters and a function; other languages implement this.
pub trait CustomKind: fmt::Debug + Send + Sync {
    /// As written in a scenario file.
    fn name(&self) -> &str;

    /// What it does, in a line.
    fn summary(&self) -> &str;

    /// Where it is from.
    fn source(&self) -> &str;

    /// What is particular about it.
    fn properties(&self) -> Properties {
        Properties::DEFAULT
    }

    /// JSON Schema of its parameters: a table. Scenario files are held against it, as against the schema of a built-in
    /// kind, quantities and ranges included.
    fn schema(&self) -> Value;

    /// Reads parameters that fit the schema.
    ///
    /// # Errors
    /// What the schema could not say is wrong with them.
    fn read(&self, table: &ParamTable) -> Result<Arc<dyn CustomParams>, String>;
}

/// Parameters of a [`CustomKind`].
pub trait CustomParams: fmt::Debug + Send + Sync {
    /// All of them, those that were left out too: two tables that mean the same give the same.
    fn canonical(&self) -> ParamTable;

    /// A controller for one flow.
    fn build(&self, facts: &PathFacts) -> Box<dyn Controller + Send>;
}

/// A controller that is not built in, with its parameters.
#[derive(Debug, Clone)]
pub struct Custom {
    name: Arc<str>,
    canonical: ParamTable,
    params: Arc<dyn CustomParams>,
}

impl Custom {
    /// A controller of `kind`.
    ///
    /// # Errors
    /// What is wrong with the parameters.
    pub fn new(kind: &dyn CustomKind, table: &ParamTable) -> Result<Self, String> {
        Ok(Self::of(kind.name(), kind.read(table)?))
    }

    /// A controller called `name`.
    #[must_use]
    pub fn of(name: &str, params: Arc<dyn CustomParams>) -> Self {
        Self { name: name.into(), canonical: params.canonical(), params }
    }

    /// The kind's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn build(&self, facts: &PathFacts) -> Box<Registered> {
        Registered::new(self.params.build(facts))
    }
}

impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.canonical == other.canonical
    }
}

impl Serialize for Custom {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1 + self.canonical.len()))?;
        map.serialize_entry("kind", &*self.name)?;
        for (key, value) in &self.canonical {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// A kind whose parameters are the type `P` (give all its fields defaults, and `#[serde(deny_unknown_fields)]`) and whose
/// state `new` makes.
pub fn custom<P, C>(name: &str, summary: &str, source: &str, new: fn(&P, &PathFacts) -> C) -> Arc<dyn CustomKind>
where
    P: Serialize + DeserializeOwned + JsonSchema + fmt::Debug + Send + Sync + 'static,
    C: Controller + Send + 'static,
{
    Arc::new(Typed { name: name.into(), summary: summary.into(), source: source.into(), new, types: PhantomData })
}

struct Typed<P, C> {
    name: String,
    summary: String,
    source: String,
    new: fn(&P, &PathFacts) -> C,
    types: PhantomData<fn() -> (P, C)>,
}

impl<P, C> fmt::Debug for Typed<P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomKind").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<P, C> CustomKind for Typed<P, C>
where
    P: Serialize + DeserializeOwned + JsonSchema + fmt::Debug + Send + Sync + 'static,
    C: Controller + Send + 'static,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn summary(&self) -> &str {
        &self.summary
    }

    fn source(&self) -> &str {
        &self.source
    }

    fn schema(&self) -> Value {
        schemars::schema_for!(P).to_value()
    }

    fn read(&self, table: &ParamTable) -> Result<Arc<dyn CustomParams>, String> {
        let params: P = serde_json::from_value(Value::Object(table.clone())).map_err(|e| e.to_string())?;
        Ok(Arc::new(Read { params, new: self.new }))
    }
}

struct Read<P, C> {
    params: P,
    new: fn(&P, &PathFacts) -> C,
}

impl<P: fmt::Debug, C> fmt::Debug for Read<P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.params.fmt(f)
    }
}

impl<P, C> CustomParams for Read<P, C>
where
    P: Serialize + fmt::Debug + Send + Sync,
    C: Controller + Send + 'static,
{
    fn canonical(&self) -> ParamTable {
        match serde_json::to_value(&self.params) {
            Ok(Value::Object(table)) => table,
            _ => ParamTable::new(), // parameters of no table: a unit struct
        }
    }

    fn build(&self, facts: &PathFacts) -> Box<dyn Controller + Send> {
        Box::new((self.new)(&self.params, facts))
    }
}
