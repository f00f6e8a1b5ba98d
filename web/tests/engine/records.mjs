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

/** The runs that an expression needs. */
function runsFor(expression, found = new Set()) {
  if (!Array.isArray(expression)) return found;
  if (page.isTake(expression)) return found.add(expression[1]);
  expression.forEach((one) => runsFor(one, found));
  return found;
}

/** What of a record can be compared by itself: curves, and single points; each with the runs that it needs. */
function pieces(record) {
  const points = (expression) => (expression?.[0] === "every" ? page.every(expression) : expression);
  const isList = (expression) => Array.isArray(expression) && typeof expression[0] !== "string";
  return record.panels.flatMap(({ marks }) =>
    marks.flatMap((mark) => {
      if (mark.fixed !== undefined) return [];
      const names = mark.z ? ["z"] : ["x", "y"];
      const by = Object.fromEntries(names.map((name) => [name, points(mark[name])]));
      if (!names.every((name) => isList(by[name]))) return [{ mark, needs: runsFor([mark.x, mark.y]) }];
      return by[names[0]].map((_, i) => {
        const one = (lists) => Object.fromEntries(names.map((name) => [name, [lists[name][i]]]));
        const recorded = { ...mark.recorded, ...one(mark.recorded) };
        return { mark: { ...mark, ...one(by), recorded }, needs: runsFor(names.map((name) => by[name][i])) };
      });
    }),
  );
}

/** Compares what takes least of a record, in runs of so many milliseconds together, at least one piece. */
export function rerun(record, limitMs = Infinity) {
  const { compared, drawnOf, runsOf, scenarioOf, taken, takesOf } = page;
  const runs = runsOf(record);
  const cost = (needs) => [...needs].reduce((ms, id) => ms + runs[id].ms, 0);
  const kept = new Set();
  const chosen = pieces(record).sort((a, b) => cost(a.needs) - cost(b.needs)).filter(({ needs }, i) => {
    const more = [...needs].filter((id) => !kept.has(id));
    if (i > 0 && cost(kept) + cost(more) > limitMs) return false;
    more.forEach((id) => kept.add(id));
    return true;
  });
  const small = { ...record, panels: [{ marks: chosen.map(({ mark }) => mark) }] };
  const known = new Map();
  for (const [id, takes] of takesOf(small)) {
    const scenario = runs[id].world === "response" ? "" : scenarioOf(record, runs[id]);
    taken(runs[id], scenario, takes).forEach((value, name) => known.set(name, value));
  }
  return compared(drawnOf(small, (name) => known.get(name)).flat());
}
