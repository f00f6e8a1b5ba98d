//! Which congestion control of the kernel a flow's controller is.

use eddyline_cc::ControllerParams;
use eddyline_scenario::Network;
use eddyline_scenario::network::Flow;

use crate::built_in::{self, Defined};
use crate::error::LiveError;
use crate::host::Host;
use crate::quic::is_quic;
use crate::tcp::has_congestion_control;

/// Kinds and the kernel's names for them.
const STOCK: &[(&str, &str)] = &[
    ("bbr", "bbr"),
    ("bic", "bic"),
    ("cubic", "cubic"),
    ("dctcp", "dctcp"),
    ("highspeed", "highspeed"),
    ("htcp", "htcp"),
    ("hybla", "hybla"),
    ("illinois", "illinois"),
    ("newreno", "reno"),
    ("reno", "reno"),
    ("scalable", "scalable"),
    ("vegas", "vegas"),
    ("veno", "veno"),
    ("westwood", "westwood"),
    ("yeah", "yeah"),
];

/// The kernel's name of a kind, if the kernel has it without us.
#[must_use]
pub fn stock(kind: &str) -> Option<&'static str> {
    STOCK.iter().find(|(name, _)| *name == kind).map(|(_, name)| *name)
}

/// Whether a flow's controller has parameters that differ from its defaults; those of the kernel's own cannot be set. What CUBIC's
/// `slow_start` and `profile` are is said apart.
#[must_use]
pub fn has_parameters(controller: &ControllerParams) -> bool {
    let mut defaults = serde_json::json!({ "kind": controller.name() });
    if let ControllerParams::Cubic(cubic) = controller {
        defaults["profile"] = serde_json::json!(cubic.profile);
        defaults["slow_start"] = serde_json::json!(cubic.slow_start);
    }
    serde_json::from_value::<ControllerParams>(defaults).map_or(true, |defaults| defaults != *controller)
}

/// The kernel's names of the flows' congestion controls, with what must stay loaded for them.
#[derive(Debug)]
pub struct Controllers {
    /// The name for each flow; none for those over QUIC.
    pub names: Vec<Option<String>>,
    #[cfg(feature = "bpf")]
    _loaded: crate::bpf::Loaded,
}

impl Controllers {
    /// Finds or loads the flows' congestion controls.
    ///
    /// # Errors
    /// There is no such control in the kernel, or it cannot be loaded.
    pub fn load(network: &Network, hosts: &[Host; 2]) -> Result<Self, LiveError> {
        #[cfg(feature = "bpf")]
        let mut loaded = crate::bpf::Loaded::default();
        let (mut names, mut defined, built_in) = (Vec::new(), Defined::default(), built_in::is_there());
        for flow in &network.flows {
            if is_quic(flow) {
                names.push(None);
                continue;
            }
            names.push(Some(match stock(flow.controller.name()) {
                Some(name) => require(name, &hosts[0])?,
                None if built_in => defined.require(network, flow)?,
                #[cfg(feature = "bpf")]
                None => loaded.require(network, flow)?,
                #[cfg(not(feature = "bpf"))]
                None => return Err(without_bpf(flow)),
            }));
        }
        Ok(Self {
            names,
            #[cfg(feature = "bpf")]
            _loaded: loaded,
        })
    }
}

/// Kinds that are loaded by BPF.
const BY_BPF: &[&str] = &["fast", "vfast"];

/// Makes sure that all controllers are some that the kernel may have.
///
/// # Errors
/// A controller exists in other worlds only.
pub fn check(flow: &Flow) -> Result<(), LiveError> {
    let kind = flow.controller.name();
    if stock(kind).is_some() || BY_BPF.contains(&kind) {
        return Ok(());
    }
    Err(LiveError::Unsupported {
        what: format!("controller {kind} (flow {})", flow.name),
        hint: match flow.controller.only_in() {
            Some(_) => {
                "this world has the stack's controllers over QUIC (transport = \"quic\"), world quic has them too"
            }
            None => {
                "it has what Linux has, fast and vfast, and over QUIC (`transport`) all; world sim has all over TCP"
            }
        },
    })
}

#[cfg(not(feature = "bpf"))]
fn without_bpf(flow: &Flow) -> LiveError {
    LiveError::Unavailable {
        reason: format!(
            "controller {} (flow {}): eddyline-live was built without BPF",
            flow.controller.name(),
            flow.name
        ),
        remedy: "apt install clang libelf-dev zlib1g-dev && cargo build --release -p eddyline-live --features bpf"
            .to_owned(),
    }
}

fn require(name: &str, host: &Host) -> Result<String, LiveError> {
    let there = std::thread::scope(|scope| {
        let asked = scope.spawn(|| {
            host.namespace.enter()?;
            has_congestion_control(name).map_err(|e| LiveError::call("socket", e))
        });
        asked.join().unwrap_or(Ok(false))
    })?;
    if there {
        return Ok(name.to_owned());
    }
    Err(LiveError::Unavailable {
        reason: format!("this kernel has no congestion control {name}"),
        remedy: format!("modprobe tcp_{name}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_noticed() {
        let of = |text: &str| serde_json::from_str::<ControllerParams>(text).expect("valid");
        assert!(!has_parameters(&of(r#"{ "kind": "cubic" }"#)));
        assert!(has_parameters(&of(r#"{ "kind": "cubic", "beta": 0.5 }"#)));
        assert!(!has_parameters(&of(r#"{ "kind": "cubic", "profile": "linux" }"#)));
        assert!(has_parameters(&of(r#"{ "kind": "cubic", "profile": "linux", "c": 0.2 }"#)));
    }

    #[test]
    fn newreno_is_the_reno_of_linux() {
        assert_eq!(stock("newreno"), Some("reno"));
        assert_eq!(stock("fast"), None);
    }
}
