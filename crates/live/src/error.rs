//! Why a scenario was not run, and the exit code for it.

use std::fmt;

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The input is wrong.
    #[error("{0}")]
    Input(String),
    /// The scenario has something that this world does not have.
    #[error("world kernel has no {what}{}", Tail(hint))]
    Unsupported {
        /// What it has not.
        what: String,
        /// What to do instead.
        hint: &'static str,
    },
    /// This machine cannot run it.
    #[error("{reason}\nremedy: {remedy}")]
    Unavailable {
        /// What is missing.
        reason: String,
        /// How to get it.
        remedy: String,
    },
    /// Something failed during the run.
    #[error("{0}")]
    Failed(String),
}

struct Tail<'a>(&'a str);

impl fmt::Display for Tail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "\nhint: {}", self.0) }
    }
}

impl LiveError {
    /// The exit code: 1 failed, 2 wrong input, 3 this machine cannot run it.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Failed(_) => 1,
            Self::Input(_) | Self::Unsupported { .. } => 2,
            Self::Unavailable { .. } => 3,
        }
    }

    /// An error of another process: its exit code, and in the next lines its message.
    pub(crate) fn reported(text: &str) -> Self {
        let (code, message) = text.split_once('\n').unwrap_or(("1", text));
        match (code, message.split_once("\nremedy: ")) {
            ("2", _) => Self::Input(message.to_owned()),
            ("3", Some((reason, remedy))) => Self::Unavailable { reason: reason.to_owned(), remedy: remedy.to_owned() },
            _ => Self::Failed(message.to_owned()),
        }
    }

    /// A failed system call.
    pub(crate) fn call(what: &str, error: impl fmt::Display) -> Self {
        Self::Failed(format!("{what}: {error}"))
    }
}
