//! Parameters that are each valid by the schema, but not together or not on this path.

/// What is wrong with a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamError {
    /// Its key, dotted, in the table of the queue or traffic model.
    pub key: &'static str,
    /// What is wrong with its value.
    pub message: String,
}

impl ParamError {
    pub(crate) fn new(key: &'static str, message: impl Into<String>) -> Self {
        Self { key, message: message.into() }
    }
}
