// Builds the page into web/dist: one HTML file with everything in it, so that it works from a disk and from any server. Beside it what
// the documentation needs for its figures: figure.js and figure.css, and engine.js, which has the module.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** The page gives the module itself: the address that the engine's JavaScript would fetch it from must not draw it in twice. */
const engine = {
  name: "engine",
  enforce: "pre",
  transform(code, id) {
    if (!id.endsWith("/pkg/engine.js")) return null;
    const changed = code.replace(/new URL\(["']engine_bg\.wasm["'], import\.meta\.url\)/, "undefined");
    if (changed === code) throw new Error("engine.js does not name its module as expected");
    return changed;
  },
};

async function script(entry, plugins) {
  const result = await build({
    root: web,
    configFile: false,
    logLevel: "warn",
    plugins: [engine, ...plugins],
    build: { write: false, target: "es2022", lib: { entry: join(web, entry), formats: ["iife"], name: "eddyline" } },
  });
  const { output } = Array.isArray(result) ? result[0] : result;
  const chunk = output.find((o) => o.type === "chunk");
  const styles = output.filter((o) => o.type === "asset" && o.fileName.endsWith(".css"));
  return { code: chunk.code, css: styles.map((s) => String(s.source)).join("\n") };
}

const worker = await script("src/worker.ts", []);
const source = {
  name: "worker",
  resolveId: (id) => (id === "virtual:worker" ? "\0worker" : null),
  load: (id) => (id === "\0worker" ? `export default ${JSON.stringify(worker.code)};` : null),
};
const main = await script("src/main.ts", [source]);
const figure = await script("src/figure.ts", [source]);

/** The end of a script within a script would end it. */
const inline = (code) => code.replaceAll("</script", "<\\/script");
const module = gzipSync(readFileSync(join(web, "pkg", "engine_bg.wasm")), { level: 9 }).toString("base64");
const parts = {
  style: `<style>${main.css}</style>`,
  engine: `<script type="text/plain" id="engine">${module}</script>`,
  script: `<script>${inline(main.code)}</script>`,
};
const template = readFileSync(join(web, "index.html"), "utf8");
const html = template.replace(/<!--(style|engine|script)-->/g, (_, name) => parts[name]);

const dist = join(web, "dist");
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
writeFileSync(join(dist, "index.html"), html);
writeFileSync(join(dist, "figure.js"), figure.code);
writeFileSync(join(dist, "figure.css"), figure.css);
writeFileSync(join(dist, "engine.js"), `globalThis.eddylineEngine = "${module}";\n`);
console.log(`web/dist/index.html: ${Math.round(html.length / 1000)} kB, the module compressed in it`);
