//! A plugin as a kind of controller.

use std::fmt;
use std::sync::Arc;

use eddyline_cc::{CustomKind, CustomParams, DynController, ParamTable, PathFacts, Properties};
use serde_json::Value;

use crate::controller::PluginController;
use crate::description::{Description, Values};

/// A loaded file.
pub(crate) trait Plugin: Send + Sync + Sized + 'static {
    /// The state of one flow.
    type Flow: crate::controller::Flow;

    /// What it says about itself.
    fn description(&self) -> &Description;

    /// Starts a flow; `parameters` is JSON.
    fn start(
        self: &Arc<Self>,
        parameters: &str,
        facts: &PathFacts,
    ) -> Result<crate::controller::Started<Self::Flow>, String>;
}

/// A kind of controller from a file.
pub(crate) struct PluginKind<P> {
    plugin: Arc<P>,
}

impl<P> PluginKind<P> {
    pub fn new(plugin: P) -> Self {
        Self { plugin: Arc::new(plugin) }
    }
}

impl<P: Plugin> fmt::Debug for PluginKind<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PluginKind").field(&self.plugin.description().name).finish()
    }
}

impl<P: Plugin> CustomKind for PluginKind<P> {
    fn name(&self) -> &str {
        &self.plugin.description().name
    }

    fn summary(&self) -> &str {
        &self.plugin.description().summary
    }

    fn source(&self) -> &str {
        &self.plugin.description().source
    }

    fn properties(&self) -> Properties {
        self.plugin.description().properties()
    }

    fn schema(&self) -> Value {
        self.plugin.description().parameters.clone()
    }

    fn read(&self, table: &ParamTable) -> Result<Arc<dyn CustomParams>, String> {
        let Values { canonical, plain } = self.plugin.description().values(table)?;
        Ok(Arc::new(PluginParams {
            plugin: Arc::clone(&self.plugin),
            canonical,
            plain: Value::Object(plain).to_string(),
        }))
    }
}

/// A plugin with the parameters of a flow.
struct PluginParams<P> {
    plugin: Arc<P>,
    canonical: ParamTable,
    plain: String,
}

impl<P: Plugin> fmt::Debug for PluginParams<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.plugin.description().name, self.canonical)
    }
}

impl<P: Plugin> CustomParams for PluginParams<P> {
    fn canonical(&self) -> ParamTable {
        self.canonical.clone()
    }

    fn build(&self, facts: &PathFacts) -> Box<dyn DynController> {
        Box::new(PluginController::new(self.plugin.start(&self.plain, facts), facts))
    }
}
