//! FAST and VFAST loaded into the kernel, an object for each set of parameters.
//!
//! They are registered under names of their own and removed when [`Loaded`] is dropped or the process ends.

use std::process;

use eddyline_scenario::Network;
use eddyline_scenario::network::Flow;
use libbpf_rs::{Link, MapCore as _, Object, ObjectBuilder};

use crate::error::LiveError;
use crate::law_params::LawParams;

/// The compiled programs.
const PROGRAMS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/fast.bpf.o"));
/// Name in the programs that each object replaces by its own, of the same field of 16 bytes.
const PLACEHOLDER: &[u8] = b"eddyline_unset";
/// Bytes of a congestion control's name, the terminating zero included.
const NAME_BYTES: usize = 16;

/// Programs in the kernel.
#[derive(Debug, Default)]
pub struct Loaded {
    objects: Vec<(LawParams, String, Object, Link)>,
}

impl Loaded {
    /// The kernel's name of a flow's controller, which is loaded if it is not yet there.
    ///
    /// # Errors
    /// The controller has an option that the programs do not have, or the kernel refuses them.
    pub fn require(&mut self, network: &Network, flow: &Flow) -> Result<String, LiveError> {
        let params = LawParams::of(network, flow)?;
        if let Some((_, name, ..)) = self.objects.iter().find(|(loaded, ..)| *loaded == params) {
            return Ok(name.clone());
        }
        let name = format!("eddy{}_{}", process::id(), self.objects.len());
        let (object, link) = load(&params, &name).map_err(|e| LiveError::Unavailable {
            reason: format!("controller {} cannot be loaded into the kernel: {e}", flow.controller.name()),
            remedy: "run as root, on a kernel with CONFIG_BPF_JIT=y and CONFIG_DEBUG_INFO_BTF=y".to_owned(),
        })?;
        self.objects.push((params, name.clone(), object, link));
        Ok(name)
    }
}

fn load(params: &LawParams, name: &str) -> libbpf_rs::Result<(Object, Link)> {
    let missing = |what: &str| libbpf_rs::Error::from(std::io::Error::other(format!("the programs have no {what}")));
    libbpf_rs::set_print(None);
    let mut open = ObjectBuilder::default().open_memory(PROGRAMS)?;
    let (mut written, mut named) = (false, false);
    for mut map in open.maps_mut() {
        let constants = map.name().to_string_lossy().ends_with(".rodata");
        let Some(value) = map.initial_value_mut() else { continue };
        if constants {
            let bytes = params.bytes();
            value.get_mut(..bytes.len()).ok_or_else(|| missing("parameters"))?.copy_from_slice(&bytes);
            written = true;
        } else if let Some(at) = value.windows(PLACEHOLDER.len()).position(|w| w == PLACEHOLDER) {
            let field = value.get_mut(at..at + NAME_BYTES).ok_or_else(|| missing("name"))?;
            field.fill(0);
            field[..name.len().min(NAME_BYTES - 1)].copy_from_slice(&name.as_bytes()[..name.len().min(NAME_BYTES - 1)]);
            named = true;
        }
    }
    if !written || !named {
        return Err(missing("parameters or no name"));
    }
    let mut object = open.load()?;
    let link =
        object.maps_mut().find(|m| m.name() == "fast").ok_or_else(|| missing("operations"))?.attach_struct_ops()?;
    Ok((object, link))
}
