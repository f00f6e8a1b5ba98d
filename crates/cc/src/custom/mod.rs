//! Controllers that are not built in. A registered kind has a name and a schema of its parameters, and scenarios can use it.

pub(crate) mod lost_between;
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
use crate::custom::registered::{DynController, Registered};
use crate::properties::Properties;

/// A table of parameters by name.
pub type ParamTable = Map<String, Value>;

/// A kind of controller that is registered at run time.
///
/// [`custom`] makes one of a parameter type and a constructor; bindings of other languages implement the trait.
pub trait CustomKind: fmt::Debug + Send + Sync {
    /// As written in a scenario file.
    fn name(&self) -> &str;

    /// A one-line description.
    fn summary(&self) -> &str;

    /// Its source, such as a paper.
    fn source(&self) -> &str;

    /// Its properties.
    fn properties(&self) -> Properties {
        Properties::DEFAULT
    }

    /// JSON Schema of its parameters, an object. Scenario files are validated against it, quantities and ranges included, as against
    /// the schema of a built-in kind.
    fn schema(&self) -> Value;

    /// Reads parameters that are valid by the schema.
    ///
    /// # Errors
    /// Errors that the schema cannot express.
    fn read(&self, table: &ParamTable) -> Result<Arc<dyn CustomParams>, String>;
}

/// Parameters of a [`CustomKind`].
pub trait CustomParams: fmt::Debug + Send + Sync {
    /// All parameters, defaults included: equivalent tables have the same canonical form.
    fn canonical(&self) -> ParamTable;

    /// The only world that has this controller, if it is part of one.
    fn only_in(&self) -> Option<&'static str> {
        None
    }

    /// A controller for one flow.
    fn build(&self, facts: &PathFacts) -> Box<dyn DynController>;
}

/// A registered controller with its parameters.
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
    /// The parameters are invalid; the reason.
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

    /// The only world that has it, if it is part of one.
    #[must_use]
    pub fn only_in(&self) -> Option<&'static str> {
        self.params.only_in()
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
            _ => ParamTable::new(), // a unit struct has no parameters
        }
    }

    fn build(&self, facts: &PathFacts) -> Box<dyn DynController> {
        Box::new((self.new)(&self.params, facts))
    }
}
