//! Controllers from files: shared libraries with the C interface of `eddyline-controller`, and WebAssembly modules with the same.
//!
//! [`open`] reads a file and returns a kind of controller like any other. What goes wrong in a run is the
//! failure of its flow (`Controller::failure`), which sends nothing more; other flows go on.

mod controller;
mod description;
mod kind;
mod layout;
mod library;
mod segments;
#[cfg(test)]
mod tests;
mod wasm;

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eddyline_cc::CustomKind;
use thiserror::Error;

/// Why a file cannot be loaded.
#[derive(Debug, Error)]
pub enum PluginError {
    /// The operating system cannot load it.
    #[error("{}: cannot be loaded: {reason}", path.display())]
    NotLoaded {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        reason: String,
    },
    /// It is a library, but not one of a controller.
    #[error("{}: exports no controller: it has no function {function}", path.display())]
    NoController {
        /// The file.
        path: PathBuf,
        /// What it lacks.
        function: String,
    },
    /// It was built for another version of the interface.
    #[error(
        "{}: is built for version {found} of the controller interface, this Eddyline has version {}; build it again with \
         eddyline-controller of this version",
        path.display(),
        eddyline_controller::abi::VERSION
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// Its description is not valid.
    #[error("{}: its description is not valid: {reason}", path.display())]
    BadDescription {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// Loads the controller in a file, whatever its name. A library is not unloaded again.
///
/// # Errors
/// It cannot be loaded, or is not for this version of Eddyline.
pub fn open(path: &Path) -> Result<Arc<dyn CustomKind>, PluginError> {
    let unreadable = |e: std::io::Error| PluginError::NotLoaded { path: path.to_owned(), reason: e.to_string() };
    let mut magic = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(wasm::MAGIC.len() as u64).read_to_end(&mut magic).map_err(unreadable)?;
    if magic != wasm::MAGIC {
        if path.extension().is_some_and(|extension| extension == "wasm") {
            let reason = "it is not a WebAssembly module, which begins with the bytes 00 61 73 6d".into();
            return Err(PluginError::NotLoaded { path: path.to_owned(), reason });
        }
        return Ok(Arc::new(kind::PluginKind::new(library::Library::open(path)?)));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    Ok(Arc::new(kind::PluginKind::new(wasm::WasmModule::open(path, &bytes)?)))
}
