//! `bindgen MODULE.wasm FOLDER`: writes the module, its JavaScript and its types into a folder.

use std::env;
use std::error::Error;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(module), Some(folder), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        return Err("usage: bindgen MODULE.wasm FOLDER".into());
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .web(true)?
        .omit_default_module_path(false)
        .typescript(true)
        .remove_name_section(true)
        .input_path(module)
        .out_name("engine")
        .generate(folder)?;
    Ok(())
}
