// Builds the npm package `eddyline` into web/pkg: the WebAssembly module, its JavaScript and its types.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const root = dirname(web);
const target = resolve(root, process.env.CARGO_TARGET_DIR ?? "target");
const triple = "wasm32-unknown-unknown";
/** Compressed by brotli, as content delivery networks send it. */
const BUDGET = 1_000_000;

function run(command, ...parameters) {
  execFileSync(command, parameters, { cwd: root, stdio: "inherit" });
}

run("cargo", "build", "--locked", "--profile", "web", "--target", triple, "-p", "eddyline-wasm", "--target-dir", target);
const manifest = join(web, "bindgen", "Cargo.toml");
run("cargo", "build", "--locked", "--manifest-path", manifest, "--target-dir", join(target, "bindgen"));

const pkg = join(web, "pkg");
rmSync(pkg, { recursive: true, force: true });
mkdirSync(pkg, { recursive: true });
const built = join(target, triple, "web", "eddyline_wasm.wasm");
run(join(target, "bindgen", "debug", "bindgen"), built, pkg);

const module = join(pkg, "engine_bg.wasm");
for (const file of ["package.json", "node.js", "node.d.ts", "README.md"]) cpSync(join(web, "npm", file), join(pkg, file));

const bytes = readFileSync(module);
const compressed = brotliCompressSync(bytes).length;
const kB = (n) => `${Math.round(n / 1000)} kB`;
const sizes = `${kB(statSync(module).size)}, ${kB(gzipSync(bytes, { level: 9 }).length)} by gzip, ${kB(compressed)} by brotli`;
console.log(`WebAssembly module: ${sizes}`);
if (compressed > BUDGET) {
  console.error(`error: the module is above its budget of ${kB(BUDGET)} by brotli`);
  process.exit(1);
}
