//! The functions that a library exports, made of a [`Controller`](crate::Controller).

/// Exports a type that implements [`Controller`](crate::Controller) as the controller of this library.
#[macro_export]
macro_rules! export {
    ($controller:ty) => {
        #[doc(hidden)]
        mod __eddyline_controller {
            use super::*;
            use std::ffi::{c_char, c_void};
            use $crate::{abi, glue};

            type Exported = $controller;

            #[unsafe(no_mangle)]
            extern "C" fn eddyline_abi_version() -> u32 {
                abi::VERSION
            }
            #[unsafe(no_mangle)]
            extern "C" fn eddyline_description() -> *const c_char {
                glue::description::<Exported>()
            }
            #[unsafe(no_mangle)]
            extern "C" fn eddyline_fault() -> *const c_char {
                glue::fault()
            }
            #[cfg(target_family = "wasm")]
            #[unsafe(no_mangle)]
            extern "C" fn eddyline_allocate(bytes: usize) -> *mut u8 {
                glue::allocate(bytes)
            }
            // SAFETY: the host passes what `glue` requires
            #[unsafe(no_mangle)]
            unsafe extern "C" fn eddyline_new(
                parameters: *const c_char,
                path: *const abi::Path,
                out: *mut abi::Decisions,
            ) -> *mut c_void {
                unsafe { glue::new::<Exported>(parameters, path, out) }
            }
            #[unsafe(no_mangle)]
            unsafe extern "C" fn eddyline_free(state: *mut c_void) {
                unsafe { glue::free::<Exported>(state) }
            }
            $crate::__handlers! {
                eddyline_on_ack on_ack(abi::Ack);
                eddyline_on_loss on_loss(abi::Loss);
                eddyline_on_timeout on_timeout(abi::Timeout);
                eddyline_on_sent on_sent(abi::Sent);
                eddyline_on_handshake on_handshake(abi::Handshake);
                eddyline_on_duplicate on_duplicate(abi::Ack);
                eddyline_on_recovered on_recovered(abi::Recovered);
                eddyline_on_timeout_recovered on_timeout_recovered(abi::Recovered);
                eddyline_on_ecn on_ecn(abi::Loss);
                eddyline_on_marks on_marks(abi::Marks);
                eddyline_on_spurious_timeout on_spurious_timeout(abi::Allowed);
                eddyline_on_idle on_idle(abi::Allowed);
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __handlers {
    ($($symbol:ident $handler:ident($event:ty);)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol(state: *mut c_void, event: *const $event, out: *mut abi::Decisions) -> i32 {
            unsafe { glue::handle::<Exported, $event>(state, event, out, glue::$handler::<Exported>) }
        }
    )*};
}

/// What the exported functions do. Called by the code of [`export!`] only.
#[doc(hidden)]
pub mod glue {
    use std::any::Any;
    use std::cell::RefCell;
    use std::ffi::{CStr, CString, c_char, c_void};
    use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
    use std::sync::{Once, OnceLock};

    use crate::abi::{
        Ack, Allowed, Decisions, FAILED, HANDLED, Handshake, Loss, Marks, Path, Recovered, Sent, Timeout, UNUSED,
    };
    use crate::controller::{Controller, EcnResponse, PartialAck, Stamp};
    use crate::json::quoted;
    use crate::parameters::{Params, schema};

    thread_local! {
        static FAULT: RefCell<CString> = RefCell::default();
        /// Source location of the last panic.
        static PANIC_LOCATION: RefCell<String> = const { RefCell::new(String::new()) };
    }

    /// The description as JSON.
    pub fn description<C: Controller>() -> *const c_char {
        // a library exports one controller
        static TEXT: OnceLock<CString> = OnceLock::new();
        let text = || {
            format!(
                "{{\"name\":{},\"summary\":{},\"source\":{},\"accurate_ecn\":{},\"delay_based\":{},\"parameters\":{}}}",
                quoted(C::NAME),
                quoted(C::SUMMARY),
                quoted(C::SOURCE),
                C::ACCURATE_ECN,
                C::DELAY_BASED,
                schema(C::PARAMETERS)
            )
        };
        TEXT.get_or_init(|| CString::new(text()).expect("JSON has no zero byte")).as_ptr()
    }

    /// Why the last call on this thread failed; valid until the next one.
    pub fn fault() -> *const c_char {
        FAULT.with_borrow(|text| text.as_ptr())
    }

    /// Memory that is never freed.
    pub fn allocate(bytes: usize) -> *mut u8 {
        // whole numbers of 8 bytes, for their alignment
        let words: Box<[u64]> = vec![0; bytes.div_ceil(8)].into();
        Box::leak(words).as_mut_ptr().cast()
    }

    fn fail(why: &str) {
        let text = CString::new(why.replace('\0', " ")).unwrap_or_default();
        FAULT.with_borrow_mut(|fault| *fault = text);
    }

    /// The message of a panic.
    fn message(payload: &dyn Any) -> &str {
        let text = payload.downcast_ref::<&str>().copied();
        text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
    }

    /// Runs `work`; a panic is the fault, with its source location, and nothing is printed.
    fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
        catch_unwind(AssertUnwindSafe(work))
            .map_err(|payload| {
                fail(&format!("panicked: {}{}", message(&*payload), PANIC_LOCATION.take()));
                // dropping a payload may panic again
                std::mem::forget(payload);
            })
            .ok()
    }

    /// Records the source location of panics. The hook is this library's alone: it has a standard library of its own.
    fn record_panic_locations() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            set_hook(Box::new(|info| {
                let location = info.location().map_or_else(String::new, |l| format!(" ({}:{})", l.file(), l.line()));
                // where panics abort, this is the last chance to report it
                if cfg!(panic = "abort") {
                    fail(&format!("panicked: {}{location}", message(info.payload())));
                }
                PANIC_LOCATION.set(location);
            }));
        });
    }

    fn decide<C: Controller>(controller: &C) -> Decisions {
        Decisions {
            window: controller.window(),
            flight_limits: [controller.flight_limit(false), controller.flight_limit(true)],
            slow_start_threshold: controller.slow_start_threshold().unwrap_or(f64::NAN),
            pacing_interval: controller.pacing_interval().into(),
            base_rtt: controller.base_rtt().into(),
            stamp: 0.0,
            ack_ratio: controller.ack_ratio().unwrap_or(0),
            partial_ack: match controller.partial_ack() {
                PartialAck::Leave => 0,
                PartialAck::Stay => 1,
                PartialAck::Persist => 2,
            },
            ecn_response: match controller.ecn_response() {
                EcnResponse::AsLoss => 0,
                EcnResponse::ByShare => 1,
                EcnResponse::LowLatency => 2,
            },
        }
    }

    /// The state of a flow, or null.
    ///
    /// # Safety
    /// `parameters` ends with a zero byte; `path` can be read, `out` written.
    pub unsafe fn new<C: Controller>(parameters: *const c_char, path: *const Path, out: *mut Decisions) -> *mut c_void {
        record_panic_locations();
        // SAFETY: the caller's promise
        let (text, path, out) = unsafe { (CStr::from_ptr(parameters), &*path, &mut *out) };
        let made = guarded(|| {
            let params =
                text.to_str().ok().and_then(Params::read).ok_or("the parameters are no table of plain values")?;
            let controller = C::new(&params, path)?;
            *out = decide(&controller);
            Ok::<_, String>(Box::new(controller))
        });
        match made {
            Some(Ok(controller)) => Box::into_raw(controller).cast(),
            Some(Err(why)) => {
                fail(&why);
                std::ptr::null_mut()
            }
            None => std::ptr::null_mut(),
        }
    }

    /// Ends a flow.
    ///
    /// # Safety
    /// `state` is from [`new`] of the same type and not used again.
    pub unsafe fn free<C: Controller>(state: *mut c_void) {
        // SAFETY: the caller's promise
        let controller = unsafe { Box::from_raw(state.cast::<C>()) };
        guarded(move || drop(controller));
    }

    /// Lets a controller handle an event.
    ///
    /// # Safety
    /// `state` is from [`new`] of the same type, and no other thread uses it now; `event` can be read, `out` written.
    #[inline(always)]
    pub unsafe fn handle<C: Controller, E>(
        state: *mut c_void,
        event: *const E,
        out: *mut Decisions,
        handler: impl FnOnce(&mut C, &E) -> Option<f32>,
    ) -> i32 {
        // SAFETY: the caller's promise
        let (controller, event, out) = unsafe { (&mut *state.cast::<C>(), &*event, &mut *out) };
        let answer = guarded(|| {
            let stamp = handler(controller, event)?;
            *out = Decisions { stamp, ..decide(controller) };
            Some(())
        });
        match answer {
            Some(Some(())) => HANDLED,
            Some(None) => UNUSED,
            None => FAILED,
        }
    }

    macro_rules! handlers {
        ($($name:ident($event:ty) $controller:ident, $e:ident => $call:expr;)*) => {$(
            #[expect(missing_docs, reason = "named after the method")]
            #[inline(always)]
            pub fn $name<C: Controller>($controller: &mut C, $e: &$event) -> Option<f32> {
                $call;
                Some(0.0)
            }
        )*};
    }

    handlers! {
        on_ack(Ack) c, ack => c.on_ack(ack);
        on_loss(Loss) c, loss => c.on_loss(loss);
        on_timeout(Timeout) c, timeout => c.on_timeout(timeout);
        on_handshake(Handshake) c, at => c.on_handshake(at.now, at.rtt);
        on_duplicate(Ack) c, ack => c.on_duplicate(ack);
        on_recovered(Recovered) c, at => c.on_recovered(at.now);
        on_timeout_recovered(Recovered) c, _at => c.on_timeout_recovered();
        on_ecn(Loss) c, mark => c.on_ecn(mark);
        on_marks(Marks) c, marks => c.on_marks(marks);
        on_spurious_timeout(Allowed) c, allowed => c.on_spurious_timeout(allowed.window);
        on_idle(Allowed) c, allowed => c.on_idle(allowed.window);
    }

    /// The stamp of a packet; None if the controller attaches none.
    #[inline(always)]
    pub fn on_sent<C: Controller>(controller: &mut C, sent: &Sent) -> Option<f32> {
        match controller.on_sent(sent) {
            Stamp::Number(number) => Some(number),
            Stamp::InFlight => None,
        }
    }
}
