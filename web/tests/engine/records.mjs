// Records of figures of several runs, and the code of the pages that runs them, in Node.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "vite";

const web = join(dirname(fileURLToPath(import.meta.url)), "../..");
const images = join(web, "../docs/images");

export const records = readdirSync(images, { recursive: true })
  .filter((name) => name.endsWith(".json"))
  .sort()
  .map((name) => ({ name: name.slice(0, -5), record: JSON.parse(readFileSync(join(images, name), "utf8")) }));

/** The module of the page, with the package for Node instead of that for browsers. */
async function bundled(entry) {
  const engine = {
    name: "engine",
    enforce: "pre",
    resolveId: (id) => (id === "../pkg/engine.js" ? { id: pathToFileURL(join(web, "pkg/node.js")).href, external: true } : null),
  };
  const result = await build({
    root: web,
    configFile: false,
    logLevel: "warn",
    plugins: [engine],
    build: { write: false, target: "es2022", minify: false, lib: { entry: join(web, entry), formats: ["es"] } },
  });
  const { output } = Array.isArray(result) ? result[0] : result;
  const folder = mkdtempSync(join(tmpdir(), "eddyline-"));
  const file = join(folder, "bundle.mjs");
  writeFileSync(file, output.find((o) => o.type === "chunk").code);
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const page = await bundled("src/recorded.ts");

/** The record with only those points and curves that need no other runs than these. */
function part(record, kept) {
  const needs = (expression) => !Array.isArray(expression) || (page.isTake(expression) ? kept.has(expression[1]) : expression.every(needs));
  const points = (expression) => (expression?.[0] === "every" ? page.every(expression) : expression);
  const isList = (expression) => Array.isArray(expression) && typeof expression[0] !== "string";
  const cut = (mark) => {
    const by = { x: points(mark.x), y: points(mark.y), ...(mark.z && { z: points(mark.z) }) };
    const names = mark.z ? ["z"] : ["x", "y"];
    if (mark.fixed !== undefined) return [];
    if (names.some((name) => !isList(by[name]))) return needs([by.x, by.y]) ? [mark] : [];
    const where = by[names[0]].flatMap((_, i) => (names.every((name) => needs(by[name][i])) ? [i] : []));
    if (where.length === 0) return [];
    const chosen = (lists) => ({ ...lists, ...Object.fromEntries(names.map((name) => [name, where.map((i) => lists[name][i])])) });
    return [{ ...mark, ...chosen(by), recorded: chosen(mark.recorded) }];
  };
  return { ...record, panels: record.panels.map((panel) => ({ ...panel, marks: panel.marks.flatMap(cut) })) };
}

/** Runs what is shortest of a record, of so many milliseconds together, and compares the numbers that follow from it. */
export function rerun(record, limitMs = Infinity) {
  const { compared, drawnOf, runsOf, scenarioOf, taken, takesOf } = page;
  const runs = runsOf(record);
  let ms = 0;
  const shortest = [...takesOf(record).keys()].sort((a, b) => runs[a].ms - runs[b].ms);
  const kept = new Set(shortest.filter((id, i) => (ms += runs[id].ms) <= limitMs || i === 0));
  const small = part(record, kept);
  const known = new Map();
  for (const [id, takes] of takesOf(small)) {
    const scenario = runs[id].world === "response" ? "" : scenarioOf(record, runs[id]);
    taken(runs[id], scenario, takes).forEach((value, name) => known.set(name, value));
  }
  return compared(drawnOf(small, (name) => known.get(name)).flat());
}
