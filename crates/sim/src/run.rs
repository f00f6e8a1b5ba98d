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
    // WebAssembly has no threads; without the code for them the module is smaller
    if options.threads < 2 || cfg!(target_arch = "wasm32") {
        return run_whole(&network, options, observe);
    }
    require_tcp(&network)?;
    match parallel::run(&network, options, observe)? {
        parallel::Run::Done(outcome) => Ok(*outcome),
        parallel::Run::NotDivided(reason) => {
            let outcome = run_whole(&network, options, observe)?;
            Ok(Outcome { execution: Execution { one_because: Some(reason), ..Execution::ONE }, ..outcome })
        }
    }
}
