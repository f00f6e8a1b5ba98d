//! World `sim`.
