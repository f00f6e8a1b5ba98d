//! FAST and VFAST where they are part of the kernel (`uml/tcp_eddyline.c`): each set of parameters is a congestion control of its own.

use std::fs;
use std::path::Path;

use eddyline_scenario::Network;
use eddyline_scenario::network::Flow;

use crate::error::LiveError;
use crate::law_params::LawParams;

/// Where a control is defined by its name and numbers.
const DEFINE: &str = "/sys/module/tcp_eddyline/parameters/define";

/// Whether this kernel has them.
#[must_use]
pub fn is_there() -> bool {
    Path::new(DEFINE).exists()
}

/// The controls defined so far.
#[derive(Debug, Default)]
pub struct Defined(Vec<LawParams>);

impl Defined {
    /// The name of the control with the parameters of a flow; it is defined if there is none yet.
    ///
    /// # Errors
    /// The flow has an option that the kernel's version has not, or the kernel refuses.
    pub fn require(&mut self, network: &Network, flow: &Flow) -> Result<String, LiveError> {
        let params = LawParams::of(network, flow)?;
        let name = |i: usize| format!("eddyline_{i}");
        if let Some(i) = self.0.iter().position(|known| *known == params) {
            return Ok(name(i));
        }
        let numbers: Vec<String> = params.numbers().iter().map(u64::to_string).collect();
        let name = name(self.0.len());
        fs::write(DEFINE, format!("{name} {}", numbers.join(" "))).map_err(refused)?;
        self.0.push(params);
        Ok(name)
    }
}

/// Why the kernel does not take the numbers.
fn refused(error: std::io::Error) -> LiveError {
    if error.kind() == std::io::ErrorKind::InvalidInput {
        return LiveError::Unavailable {
            reason: "the user-mode Linux has FAST of another version".to_owned(),
            remedy: "build it again: eddyline live build-kernel".to_owned(),
        };
    }
    LiveError::call(DEFINE, error)
}
