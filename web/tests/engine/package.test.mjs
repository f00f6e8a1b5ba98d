// The package as a program in Node meets it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Scenario, check, edit, register, response, schema } from "../../pkg/node.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const text = readFileSync(join(root, "examples/upload.toml"), "utf8");
const short = [["duration", "12 s"], ["warmup", "2 s"], ["flow.upload.start", "1 s"]];
const fast = `duration = "20 s"
[[link]]
name = "there"
rate = "10 Mbit/s"
delay = "10 ms"
[[link]]
name = "back"
rate = "10 Mbit/s"
delay = "10 ms"
[[flow]]
name = "f"
controller = { kind = "fast", alpha = "20 packets" }
data = ["there"]
ack = ["back"]
`;

test("progress comes, and ends the run", () => {
  const scenario = new Scenario(text, { overrides: [["duration", "4000 s"]] });
  const seen = [];
  assert.throws(
    () =>
      scenario.run(false, (now, duration, events) => {
        seen.push([now, duration, events]);
        return seen.length < 3;
      }),
    { name: "CancelledError" },
  );
  assert.equal(seen.length, 3);
  assert.ok(seen[0][0] > 0 && seen[0][0] < seen[1][0] && seen[0][1] === 4000);
  assert.throws(() => scenario.run(false, () => { throw new RangeError("mine"); }), { name: "RangeError", message: "mine" });
});

test("pieces give the series of a whole run", () => {
  const scenario = new Scenario(text, { overrides: short });
  const whole = scenario.run(true).series();
  const simulation = scenario.begin(1000);
  const values = [];
  for (let to = 1; to <= 12; to++) {
    simulation.advance(to);
    assert.equal(simulation.nowS, to);
    values.push(...simulation.series().value);
  }
  assert.ok(values.length > 100);
  assert.deepEqual(values, [...whole.value]);
  assert.equal(whole.timeS.length, whole.value.length);
});

test("packets cross links in the time that the link takes", () => {
  const scenario = new Scenario(fast);
  const simulation = scenario.begin(1_000_000);
  assert.deepEqual([...simulation.packetSpacing], [1, 1]);
  simulation.advance(20);
  const packets = simulation.packets();
  const counts = [0, 0];
  for (let i = 0; i < packets.link.length; i++) {
    const took = packets.endS[i] - packets.beginS[i];
    const bytes = packets.packet[i] === 0 ? 1500 : 40;
    const least = 0.01 + (bytes * 8) / 10e6;
    assert.ok(packets.fate[i] !== 0 || took > least - 1e-9, `${took}`);
    counts[packets.link[i]]++;
  }
  assert.ok(counts[0] > 15000 && Math.abs(counts[0] - counts[1]) < 100, `${counts}`);
  const events = simulation.events();
  assert.ok([...events.event].filter((e) => e === 4).length > 300);
});

test("theory answers", () => {
  const scenario = new Scenario(fast);
  const theory = JSON.parse(scenario.theory());
  assert.equal(theory.world, "theory");
  assert.ok(Math.abs(theory.flows[0].throughput_bps - 10e6) < 1);
  assert.equal(JSON.parse(scenario.equilibrium()).equilibria.length, 1);
  const stability = JSON.parse(scenario.stability("ack_clocked", "algorithm"));
  assert.equal(typeof stability.stable, "boolean");
  assert.equal(JSON.parse(scenario.stability()).link_model, "integrator");
  assert.throws(() => scenario.stability("none"), { name: "TypeError" });
  assert.throws(() => new Scenario(fast).theory([]), { name: "TheoryError" });
  const [window, rate] = response("reno", 0.01, 0.1);
  assert.ok(window > 10 && window < 15 && Math.abs(rate - window / 0.1) < 1e-9);
});

test("registers, schema and editing", () => {
  const { controllers, queues, presets } = register();
  assert.ok(controllers.some((c) => c.name === "cubic") && queues.some((q) => q.name === "codel") && presets.length > 3);
  assert.ok(JSON.parse(schema()).properties.flow);
  assert.ok(edit(fast, ["flow", "0", "controller", "kind"], '"vegas"').includes('{ kind = "vegas", alpha'));
  assert.throws(() => edit("=", ["a"], "1"), { name: "EditError" });
});

for (const [page, given] of [["web/npm/README.md", "text"], ["docs/guides/browser.md", "text"]]) {
  test(`the code in ${page} runs`, async () => {
    const code = /^```js\n(.*?)^```$/ms.exec(readFileSync(join(root, page), "utf8"))[1];
    const [line] = code.split("\n");
    assert.equal(line, 'import { Scenario, check } from "eddyline";');
    const body = code.slice(line.length);
    const names = [...body.matchAll(/const (\{.*\}|\w+) =/g)].map((m) => m[1]);
    assert.ok(names.includes("scenario") && names.includes("run"));
    const run = new Function("Scenario", "check", given, `${body}\nreturn { scenario, run };`);
    const made = run(Scenario, check, text);
    assert.ok(made.scenario.durationS > 0);
  });
}
