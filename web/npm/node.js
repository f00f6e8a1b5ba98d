// In Node the module is read from disk, and there is nothing to wait for.
import { readFileSync } from "node:fs";
import { initSync } from "./engine.js";

initSync({ module: readFileSync(new URL("./engine_bg.wasm", import.meta.url)) });

export * from "./engine.js";
