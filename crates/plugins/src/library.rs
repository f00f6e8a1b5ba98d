//! Shared libraries. The only unsafe code outside `eddyline-controller`.

#![expect(unsafe_code, reason = "functions of a library are called through pointers")]

use std::ffi::{CStr, CString, c_char, c_void};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use eddyline_cc::PathFacts;
use eddyline_controller::abi::{self, Decisions, symbols};
use libloading::Library as Loaded;

use crate::PluginError;
use crate::controller::{Event, Flow, Handler, Started, path};
use crate::description::Description;
use crate::kind::Plugin;
use crate::segments;

type VersionFn = unsafe extern "C" fn() -> u32;
type TextFn = unsafe extern "C" fn() -> *const c_char;
type NewFn = unsafe extern "C" fn(*const c_char, *const abi::Path, *mut Decisions) -> *mut c_void;
type FreeFn = unsafe extern "C" fn(*mut c_void);
type HandlerFn = unsafe extern "C" fn(*mut c_void, *const c_void, *mut Decisions) -> i32;

/// The functions of a library.
#[derive(Clone, Copy)]
struct Functions {
    new: NewFn,
    free: FreeFn,
    fault: TextFn,
    handlers: [Option<HandlerFn>; Handler::COUNT],
}

/// A loaded library. It stays loaded to the end of the process, so that its functions are always valid.
pub(crate) struct Library {
    description: Description,
    functions: Functions,
}

impl Library {
    pub fn open(path: &Path) -> Result<Self, PluginError> {
        let not_loaded = |reason| PluginError::NotLoaded { path: path.to_owned(), reason };
        let file = fs::read(path).map_err(|e| not_loaded(e.to_string()))?;
        segments::require_whole(&file).map_err(not_loaded)?;
        // SAFETY: loading runs the library's initialisers; the user asked for this file to be loaded as code
        let loaded = unsafe { Loaded::new(path) }.map_err(|e| not_loaded(reason(&e)))?;
        let loaded: &'static Loaded = Box::leak(Box::new(loaded));
        let lacks = |function: &str| PluginError::NoController { path: path.to_owned(), function: function.to_owned() };
        // SAFETY: the name of this function and its type are the same in all versions of the interface
        let found = unsafe {
            let version: VersionFn = symbol(loaded, symbols::VERSION).ok_or_else(|| lacks(symbols::VERSION))?;
            version()
        };
        if found != abi::VERSION {
            return Err(PluginError::OtherVersion { path: path.to_owned(), found });
        }
        // SAFETY: a library of this version has functions of these types under these names
        let (functions, text) = unsafe {
            let new: Option<NewFn> = symbol(loaded, symbols::NEW);
            let free: Option<FreeFn> = symbol(loaded, symbols::FREE);
            let fault: Option<TextFn> = symbol(loaded, symbols::FAULT);
            let description: Option<TextFn> = symbol(loaded, symbols::DESCRIPTION);
            let handlers: [Option<HandlerFn>; Handler::COUNT] = symbols::HANDLERS.map(|name| symbol(loaded, name));
            let functions = Functions {
                new: new.ok_or_else(|| lacks(symbols::NEW))?,
                free: free.ok_or_else(|| lacks(symbols::FREE))?,
                fault: fault.ok_or_else(|| lacks(symbols::FAULT))?,
                handlers,
            };
            (functions, description.ok_or_else(|| lacks(symbols::DESCRIPTION))?())
        };
        if let Some(missing) = functions.handlers[..symbols::OPTIONAL].iter().position(Option::is_none) {
            return Err(lacks(symbols::HANDLERS[missing]));
        }
        // SAFETY: the description ends with a zero byte and is never freed
        let text = unsafe { text_of(text) };
        let bad = |reason| PluginError::BadDescription { path: path.to_owned(), reason };
        let description = Description::read(&text).map_err(bad)?;
        Ok(Self { description, functions })
    }
}

/// What the operating system says; the cause where the error itself does not.
fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// The function called `name`, if the library has it.
///
/// # Safety
/// It must be of type `F`, a pointer to a function.
unsafe fn symbol<F: Copy>(library: &'static Loaded, name: &str) -> Option<F> {
    // SAFETY: the caller's promise
    unsafe { library.get::<F>(name.as_bytes()) }.ok().map(|symbol| *symbol)
}

/// A copy of a text; empty if it is null.
///
/// # Safety
/// It must be null or end with a zero byte.
unsafe fn text_of(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

impl Functions {
    /// Why the last call on this thread failed.
    #[cold]
    fn fault(&self) -> String {
        // SAFETY: the function has this type, and its text ends with a zero byte
        let text = unsafe { text_of((self.fault)()) };
        if text.is_empty() { "failed without saying why".to_owned() } else { text }
    }
}

/// The state of a flow in a library.
pub(crate) struct NativeFlow {
    functions: Functions,
    state: *mut c_void,
}

// SAFETY: the interface demands a state that may move to another thread; nothing else refers to it.
unsafe impl Send for NativeFlow {}

impl Plugin for Library {
    type Flow = NativeFlow;

    fn description(&self) -> &Description {
        &self.description
    }

    fn start(self: &Arc<Self>, parameters: &str, facts: &PathFacts) -> Result<Started<NativeFlow>, String> {
        let parameters = CString::new(parameters).map_err(|e| e.to_string())?;
        let mut decisions = Decisions::window(f64::NAN);
        // SAFETY: the text ends with a zero byte, and both references are valid for the call
        let state = unsafe { (self.functions.new)(parameters.as_ptr(), &path(facts), &mut decisions) };
        if state.is_null() {
            return Err(self.functions.fault());
        }
        Ok(Started { flow: NativeFlow { functions: self.functions, state }, decisions })
    }
}

impl Flow for NativeFlow {
    #[inline]
    fn has(&self, handler: Handler) -> bool {
        self.functions.handlers[handler as usize].is_some()
    }

    #[inline(always)]
    fn call<E: Event>(&mut self, handler: Handler, event: &E, decisions: &mut Decisions) -> Result<bool, String> {
        let Some(function) = self.functions.handlers[handler as usize] else { return Ok(false) };
        // SAFETY: `state` is alive and used by this call alone; the event is of the type that this handler takes, and both references
        // are valid for the call
        match unsafe { function(self.state, std::ptr::from_ref(event).cast(), decisions) } {
            abi::HANDLED => Ok(true),
            abi::UNUSED => Ok(false),
            _ => Err(self.functions.fault()),
        }
    }
}

impl Drop for NativeFlow {
    fn drop(&mut self) {
        // SAFETY: nothing uses the state after this
        unsafe { (self.functions.free)(self.state) }
    }
}
