// Every scenario of the tree runs native and in WebAssembly; both results have the same bytes, cost aside.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Scenario, check, version } from "../../pkg/node.js";
import { scenarioFiles } from "./scenarios.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const python = process.env.EDDYLINE_PYTHON ?? join(root, ".venv/bin/python");
const native = join(dirname(fileURLToPath(import.meta.url)), "native.py");

/** Longer ones stop here: what they do afterwards is more of the same. */
const SECONDS = Number(process.env.EDDYLINE_WEB_SECONDS ?? 6);

const files = scenarioFiles(root);
const valid = readFileSync(join(root, "examples/upload.toml"), "utf8");
const mistakes = [
  "",
  "duration = ",
  'duration = "1 s"\nfoo = 3\n',
  valid.replace("newreno", "newrino").replace("home/up", "home/upp"),
  valid.replace('"120 s"', '"120 m"').replace('"40 s"', "40"),
  valid.replace("upload.toml", "").replace('name = "upload"', 'name = "download"'),
  '{"duration": "1 s"}',
];
const input = JSON.stringify({ files, mistakes, seconds: SECONDS });
const expected = JSON.parse(
  execFileSync(python, [native], { input, cwd: root, maxBuffer: 1 << 28, env: { ...process.env, PYTHONPATH: join(root, "python") } }),
);

/** World quic registers controllers of its own, which are no part of this package. */
const QUIC_KINDS = ", noq-cubic, noq-newreno, noq-bbr3";

function withoutQuic(errors) {
  return errors.map((e) => ({ ...e, message: e.message.replace(QUIC_KINDS, "") }));
}

function withoutCost(json) {
  const start = json.indexOf('"cost"');
  return json.slice(0, start);
}

test("the versions agree", () => assert.equal(version(), expected.version));

test("there are scenarios", () => assert.ok(files.length > 90, `${files.length}`));

for (const file of files) {
  const there = expected.runs[file];
  test(relative(root, join(root, file)), () => {
    const text = readFileSync(join(root, file), "utf8");
    const options = { name: file, overrides: there.overrides, files: there.files };
    if (there.errors !== null) {
      assert.deepEqual(check(text, options).errors, withoutQuic(there.errors));
      return;
    }
    const scenario = new Scenario(text, options);
    assert.equal(scenario.sha256, there.sha256);
    assert.equal(scenario.canonical, there.canonical);
    if (there.refused !== null) {
      assert.throws(() => scenario.run(), (e) => there.refused.startsWith(e.message));
      return;
    }
    assert.equal(withoutCost(scenario.run().json), withoutCost(there.json));
    // in pieces too
    const simulation = scenario.begin();
    for (let i = 1; i < 5; i++) simulation.advance((scenario.durationS * i) / 5);
    assert.equal(withoutCost(simulation.finish().json), withoutCost(there.json));
    scenario.free();
  });
}

for (const [text, there] of Object.entries(expected.mistakes)) {
  test(`errors of ${JSON.stringify(text.slice(0, 40))}`, () => {
    assert.deepEqual(check(text, { name: "mistake.toml" }).errors, withoutQuic(there));
    assert.throws(() => new Scenario(text), (e) => e.name === "ScenarioError" && e.diagnostics.length === there.length);
  });
}
