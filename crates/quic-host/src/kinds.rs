//! The stack's own controllers as kinds of this world.

use std::fmt;
use std::sync::Arc;

use eddyline_cc::{CustomKind, CustomParams, DynController, ParamTable, PathFacts, Properties};
use noq_proto::congestion::{Bbr3Config, ControllerFactory, CubicConfig, NewRenoConfig};
use serde_json::{Value, json};

use crate::WORLD;

/// Makes the controllers of a flow, given its initial window in bytes.
pub type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// A controller of the stack.
#[derive(Clone, Copy)]
struct StackKind {
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    factory: fn(u64) -> Factory,
}

const KINDS: [StackKind; 3] = [
    StackKind {
        name: "noq-cubic",
        summary: "CUBIC of noq-proto, the QUIC stack of world quic",
        source: "RFC 8312 as implemented by noq-proto 1.4",
        factory: |window| {
            let mut config = CubicConfig::default();
            config.initial_window(window);
            Arc::new(config)
        },
    },
    StackKind {
        name: "noq-newreno",
        summary: "NewReno of noq-proto, the QUIC stack of world quic",
        source: "RFC 9002 as implemented by noq-proto 1.4",
        factory: |window| {
            let mut config = NewRenoConfig::default();
            config.initial_window(window);
            Arc::new(config)
        },
    },
    StackKind {
        name: "noq-bbr3",
        summary: "BBR version 3 of noq-proto, the QUIC stack of world quic; its probing times are random and not seeded",
        source: "draft-ietf-ccwg-bbr as implemented by noq-proto 1.4",
        factory: |window| {
            let mut config = Bbr3Config::default();
            config.initial_window(window);
            Arc::new(config)
        },
    },
];

/// The kind whose runs differ: its generator has no seed.
pub const UNSEEDED: &str = "noq-bbr3";

/// The stack's controllers, to be registered in a vocabulary.
#[must_use]
pub fn kinds() -> Vec<Arc<dyn CustomKind>> {
    KINDS.iter().map(|kind| -> Arc<dyn CustomKind> { Arc::new(*kind) }).collect()
}

/// Whether the controller called `name` is one of the stack's.
pub fn is_stacks(name: &str) -> bool {
    KINDS.iter().any(|kind| kind.name == name)
}

/// The factory of the stack's controller called `name`, if there is one.
pub fn factory(name: &str, initial_window: u64) -> Option<Factory> {
    KINDS.iter().find(|kind| kind.name == name).map(|kind| (kind.factory)(initial_window))
}

impl fmt::Debug for StackKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl CustomKind for StackKind {
    fn name(&self) -> &str {
        self.name
    }

    fn summary(&self) -> &str {
        self.summary
    }

    fn source(&self) -> &str {
        self.source
    }

    fn properties(&self) -> Properties {
        Properties { only_in: Some(WORLD), ..Properties::DEFAULT }
    }

    fn schema(&self) -> Value {
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    }

    fn read(&self, _table: &ParamTable) -> Result<Arc<dyn CustomParams>, String> {
        Ok(Arc::new(*self))
    }
}

impl CustomParams for StackKind {
    fn canonical(&self) -> ParamTable {
        ParamTable::new()
    }

    fn only_in(&self) -> Option<&'static str> {
        Some(WORLD)
    }

    fn build(&self, facts: &PathFacts) -> Box<dyn DynController> {
        // no world but this one runs it, and this one asks the stack
        Box::new(eddyline_cc::NewReno::new(&eddyline_cc::NewRenoParams::default(), facts))
    }
}
