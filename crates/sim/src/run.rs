//! Running a scenario from its start to its end.

use std::ops::ControlFlow;

use eddyline_scenario::Network;

use crate::parallel;
use crate::simulation::{Execution, Options, Outcome, Progress, SimError, SortedNetwork, require_tcp, run_whole};

/// Runs `network` over TCP to its end; `observe` is called periodically with the progress and may stop it.
///
/// # Errors
/// [`SimError`].
pub fn run(
    network: &Network,
    options: &Options,
    observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Outcome, SimError> {
    let network = SortedNetwork::of(network);
    // WebAssembly has no threads; without the code for domains the module is smaller
    if cfg!(target_arch = "wasm32") {
        return run_whole(&network, options, observe);
    }
    let one_thread = options.threads < 2;
    if one_thread && !options.divide_always && parallel::domains_for_cache(&network) < 2 {
        return run_whole(&network, options, observe);
    }
    require_tcp(&network)?;
    match parallel::run(&network, options, observe)? {
        parallel::Run::Done(outcome) => Ok(*outcome),
        parallel::Run::NotDivided(reason) => {
            let outcome = run_whole(&network, options, observe)?;
            let one_because = (!one_thread).then_some(reason);
            Ok(Outcome { execution: Execution { one_because, ..Execution::ONE }, ..outcome })
        }
    }
}
