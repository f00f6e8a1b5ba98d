//! World `theory`.
