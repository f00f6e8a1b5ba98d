// Speed of the same runs native, in Node and in Chromium, one after the other: processor seconds, or seconds where a browser tells no more.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { Scenario } from "../pkg/node.js";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const root = dirname(web);
const python = process.env.EDDYLINE_PYTHON ?? join(root, ".venv/bin/python");
const ROUNDS = 5;

const path = (rate, queue, flows) => `duration = "60 s"
[[link]]
name = "there"
rate = "${rate}"
delay = "10 ms"
queue = ${queue}
[[link]]
name = "back"
rate = "${rate}"
delay = "10 ms"
${flows.map((kind, i) => `[[flow]]\nname = "f${i}"\ncontroller = ${kind}\ndata = ["${i % 2 ? "back" : "there"}"]\nack = ["${i % 2 ? "there" : "back"}"]\n`).join("")}`;
const cases = {
  "CUBIC, 50 Mbit/s, drop-tail": path("50 Mbit/s", '{ kind = "droptail", limit = "100 packets" }', ['{ kind = "cubic" }']),
  "two-way FAST, 100 Mbit/s": path("100 Mbit/s", '{ kind = "droptail" }', ['{ kind = "fast", alpha = "50 packets" }', '{ kind = "fast", alpha = "50 packets" }']),
  "BBR, NewReno and CUBIC, 50 Mbit/s, FQ-CoDel": path("50 Mbit/s", '{ kind = "fq_codel" }', ['{ kind = "bbr" }', '{ kind = "newreno" }', '{ kind = "cubic" }']),
};

const program = `
import json, sys, time
import eddyline._core as core
out = {}
for name, text in json.load(sys.stdin).items():
    s = core.load(text, "toml", "speed.toml", None, [])
    out[name] = min(json.loads(s.run(core.SimOptions()).json)["cost"]["cpu_s"] for _ in range(${ROUNDS}))
print(json.dumps(out))
`;
const env = { ...process.env, PYTHONPATH: join(root, "python") };
const native = JSON.parse(execFileSync(python, ["-c", program], { input: JSON.stringify(cases), env }));

function inNode(text) {
  const scenario = new Scenario(text);
  return Math.min(...Array.from({ length: ROUNDS }, () => {
    const began = process.cpuUsage();
    scenario.run();
    return process.cpuUsage(began).user / 1e6;
  }));
}

const types = { js: "text/javascript", wasm: "application/wasm" };
const server = createServer((request, response) => {
  const name = /^\/(engine\.js|engine_bg\.wasm)$/.exec(request.url)?.[1];
  response.writeHead(200, { "content-type": name ? types[name.split(".").pop()] : "text/html" });
  response.end(name ? readFileSync(join(web, "pkg", name)) : "<!doctype html>");
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);
const inChromium = await page.evaluate(async ([texts, rounds]) => {
  const { default: init, Scenario: There } = await import("/engine.js");
  await init();
  const best = (text) => {
    const scenario = new There(text);
    const run = () => {
      const began = performance.now();
      scenario.run();
      return (performance.now() - began) / 1000;
    };
    return Math.min(...Array.from({ length: rounds }, run));
  };
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, best(text)]));
}, [cases, ROUNDS]);
await browser.close();
server.close();

const ms = (s) => `${Math.round(s * 1000)} ms`;
console.log("| 60 s of | native | Node | Chromium | Chromium's share of native speed |\n| --- | --- | --- | --- | --- |");
for (const [name, text] of Object.entries(cases)) {
  const there = inChromium[name];
  console.log(`| ${name} | ${ms(native[name])} | ${ms(inNode(text))} | ${ms(there)} | ${Math.round((native[name] / there) * 100)} % |`);
}
