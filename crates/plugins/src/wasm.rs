//! WebAssembly modules, interpreted: the same functions and the same bytes as in a library, in a memory of the flow's own.
//!
//! A module imports nothing, so it has no clock, no randomness and no files, and each flow has an instance of its own: a run depends
//! on the module and the scenario alone. What it may compute per event and how much memory it may have is limited.

use std::path::Path;
use std::sync::Arc;

use eddyline_cc::PathFacts;
use eddyline_controller::abi::{self, Decisions, symbols};
use wasmi::{
    AsContextMut, CompilationMode, Config, Engine, Instance, Linker, Memory, Module, Store, StoreLimits,
    StoreLimitsBuilder, TrapCode, TypedFunc, WasmParams, WasmResults,
};

use crate::PluginError;
use crate::controller::{Event, Flow, Handler, Started, path};
use crate::description::Description;
use crate::kind::Plugin;
use crate::layout::{DECISIONS, EVENT, Layout as _, PATH, decisions_of};

/// How a WebAssembly module begins.
pub(crate) const MAGIC: &[u8] = b"\0asm";
/// Instructions per call, as the interpreter counts them.
const FUEL: u64 = 10_000_000;
/// Bytes of memory per flow.
const MEMORY: usize = 16 << 20;
/// Elements of tables per flow: functions, for a controller.
const TABLE: usize = 10_000;
/// Bytes of a text that a module may return.
const TEXT: usize = 1 << 20;

type Handle = TypedFunc<(u32, u32, u32), i32>;

/// A module.
pub(crate) struct WasmModule {
    module: Module,
    description: Description,
}

/// Why a module has no instance.
enum Refused {
    Lacks(&'static str),
    Failed(String),
}

impl WasmModule {
    pub fn open(path: &Path, bytes: &[u8]) -> Result<Self, PluginError> {
        let not_loaded = |reason: String| PluginError::NotLoaded { path: path.to_owned(), reason };
        let lacks = |function: &str| PluginError::NoController { path: path.to_owned(), function: function.to_owned() };
        let bad = |reason| PluginError::BadDescription { path: path.to_owned(), reason };
        let mut config = Config::default();
        // all functions are translated now, so that a run does not pay for it
        config.consume_fuel(true).compilation_mode(CompilationMode::Eager);
        let module = Module::new(&Engine::new(&config), bytes).map_err(|e| not_loaded(e.to_string()))?;
        if let Some(import) = module.imports().next() {
            return Err(not_loaded(format!(
                "it imports {}.{}; a controller has no imports: no clock, no randomness, no files",
                import.module(),
                import.name()
            )));
        }
        let mut sandbox = Sandbox::new(&module).map_err(not_loaded)?;
        let version = sandbox.function::<(), u32>(symbols::VERSION).ok_or_else(|| lacks(symbols::VERSION))?;
        let found = sandbox.call(version, ()).map_err(not_loaded)?;
        if found != abi::VERSION {
            return Err(PluginError::OtherVersion { path: path.to_owned(), found });
        }
        let description =
            sandbox.function::<(), u32>(symbols::DESCRIPTION).ok_or_else(|| lacks(symbols::DESCRIPTION))?;
        let text = sandbox.call(description, ()).and_then(|at| sandbox.text(at)).map_err(bad)?;
        let description = Description::read(&text).map_err(bad)?;
        sandbox.functions().map_err(|refused| match refused {
            Refused::Lacks(function) => lacks(function),
            Refused::Failed(reason) => not_loaded(reason),
        })?;
        Ok(Self { module, description })
    }
}

/// An instance with its memory and its limits.
struct Sandbox {
    store: Store<StoreLimits>,
    instance: Instance,
    memory: Memory,
}

/// What a flow calls.
struct Functions {
    new: TypedFunc<(u32, u32, u32), u32>,
    allocate: TypedFunc<u32, u32>,
    handlers: [Option<Handle>; Handler::COUNT],
}

impl Sandbox {
    fn new(module: &Module) -> Result<Self, String> {
        let limits = StoreLimitsBuilder::new()
            .memory_size(MEMORY)
            .table_elements(TABLE)
            .instances(1)
            .memories(1)
            .trap_on_grow_failure(true)
            .build();
        let mut store = Store::new(module.engine(), limits);
        store.limiter(|limits| limits);
        store.set_fuel(FUEL).map_err(|e| e.to_string())?;
        let instance = Linker::new(module.engine()).instantiate_and_start(&mut store, module).map_err(|e| why(&e))?;
        let memory = instance.get_memory(&store, "memory").ok_or("it exports no memory")?;
        Ok(Self { store, instance, memory })
    }

    /// The function of this name and type.
    fn function<P: WasmParams, R: WasmResults>(&self, name: &str) -> Option<TypedFunc<P, R>> {
        self.instance.get_typed_func(&self.store, name).ok()
    }

    fn functions(&self) -> Result<Functions, Refused> {
        let handlers = symbols::HANDLERS.map(|name| self.function(name));
        if let Some(missing) = handlers[..symbols::OPTIONAL].iter().position(Option::is_none) {
            return Err(Refused::Lacks(symbols::HANDLERS[missing]));
        }
        // one that is there with another type is a mistake, not an absence
        for (name, handler) in symbols::HANDLERS.iter().zip(&handlers) {
            if handler.is_none() && self.instance.get_func(&self.store, name).is_some() {
                return Err(Refused::Failed(format!("{name} is not of type (i32, i32, i32) -> i32")));
            }
        }
        Ok(Functions {
            new: self.function(symbols::NEW).ok_or(Refused::Lacks(symbols::NEW))?,
            allocate: self.function(symbols::ALLOCATE).ok_or(Refused::Lacks(symbols::ALLOCATE))?,
            handlers,
        })
    }

    /// Calls a function, within the limits.
    #[inline]
    fn call<P: WasmParams, R: WasmResults>(&mut self, function: TypedFunc<P, R>, arguments: P) -> Result<R, String> {
        self.store.set_fuel(FUEL).map_err(|e| e.to_string())?;
        function.call(self.store.as_context_mut(), arguments).map_err(|e| self.explained(&e))
    }

    /// Why a call failed: what the module says itself, if it does.
    #[cold]
    fn explained(&mut self, error: &wasmi::Error) -> String {
        let reason = why(error);
        if error.as_trap_code() != Some(TrapCode::UnreachableCodeReached) {
            return reason;
        }
        match self.fault() {
            Some(said) => said,
            None => reason,
        }
    }

    /// Why the module failed, in its own words.
    fn fault(&mut self) -> Option<String> {
        let fault = self.function::<(), u32>(symbols::FAULT)?;
        self.store.set_fuel(FUEL).ok()?;
        let at = fault.call(&mut self.store, ()).ok()?;
        self.text(at).ok().filter(|text| !text.is_empty())
    }

    /// The text at an address, up to its zero byte.
    fn text(&self, at: u32) -> Result<String, String> {
        let data = self.memory.data(&self.store).get(at as usize..).unwrap_or_default();
        let end = data.iter().take(TEXT).position(|byte| *byte == 0).ok_or("a text has no end")?;
        Ok(String::from_utf8_lossy(&data[..end]).into_owned())
    }

    fn write(&mut self, at: u32, bytes: &[u8]) -> Result<(), String> {
        self.memory.write(&mut self.store, at as usize, bytes).map_err(|_| "memory ends too early".to_owned())
    }
}

/// Why a call failed, in a user's words.
fn why(error: &wasmi::Error) -> String {
    match error.as_trap_code() {
        Some(TrapCode::OutOfFuel) => format!("did not return within {FUEL} instructions"),
        Some(TrapCode::GrowthOperationLimited) => format!("asked for more than {} MiB of memory", MEMORY >> 20),
        Some(trap) => format!("trapped: {trap}"),
        None => error.to_string(),
    }
}

/// The state of a flow: an instance, and where in its memory events and decisions are.
pub(crate) struct WasmFlow {
    sandbox: Sandbox,
    handlers: [Option<Handle>; Handler::COUNT],
    state: u32,
    event: u32,
    decisions: u32,
}

impl Plugin for WasmModule {
    type Flow = WasmFlow;

    fn description(&self) -> &Description {
        &self.description
    }

    fn start(self: &Arc<Self>, parameters: &str, facts: &PathFacts) -> Result<Started<WasmFlow>, String> {
        let mut sandbox = Sandbox::new(&self.module)?;
        let Ok(Functions { new, allocate, handlers }) = sandbox.functions() else {
            return Err("lacks a function".to_owned()); // it had them when it was loaded
        };
        let bytes = u32::try_from(EVENT + DECISIONS + PATH + parameters.len() + 1).map_err(|e| e.to_string())?;
        let event = sandbox.call(allocate, bytes)?;
        let decisions = event + EVENT as u32;
        let path_at = decisions + DECISIONS as u32;
        let text_at = path_at + PATH as u32;
        let mut memory = [0; EVENT];
        let length = path(facts).write(&mut memory);
        sandbox.write(path_at, &memory[..length])?;
        sandbox.write(text_at, parameters.as_bytes())?;
        sandbox.write(text_at + parameters.len() as u32, &[0])?;
        let state = sandbox.call(new, (text_at, path_at, decisions))?;
        if state == 0 {
            return Err(sandbox.fault().unwrap_or_else(|| "failed without saying why".to_owned()));
        }
        let mut flow = WasmFlow { sandbox, handlers, state, event, decisions };
        let mut first = Decisions::window(f64::NAN);
        flow.read(&mut first)?;
        Ok(Started { flow, decisions: first })
    }
}

impl WasmFlow {
    #[inline]
    fn read(&mut self, decisions: &mut Decisions) -> Result<(), String> {
        let from = self.decisions as usize;
        let data = self.sandbox.memory.data(&self.sandbox.store);
        let bytes: Option<&[u8; DECISIONS]> = data.get(from..from + DECISIONS).and_then(|d| d.try_into().ok());
        *decisions = decisions_of(bytes.ok_or("memory ends too early")?);
        Ok(())
    }
}

impl Flow for WasmFlow {
    #[inline]
    fn has(&self, handler: Handler) -> bool {
        self.handlers[handler as usize].is_some()
    }

    #[inline]
    fn call<E: Event>(&mut self, handler: Handler, event: &E, decisions: &mut Decisions) -> Result<bool, String> {
        let Some(function) = self.handlers[handler as usize] else { return Ok(false) };
        let mut memory = [0; EVENT];
        let length = event.write(&mut memory);
        self.sandbox.write(self.event, &memory[..length])?;
        match self.sandbox.call(function, (self.state, self.event, self.decisions))? {
            abi::HANDLED => self.read(decisions).map(|()| true),
            abi::UNUSED => Ok(false),
            _ => Err(self.sandbox.fault().unwrap_or_else(|| "failed without saying why".to_owned())),
        }
    }
}
