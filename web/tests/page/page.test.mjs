// The laboratory in a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Scenario } from "../../pkg/node.js";
import { FILE, browser, open, serve, settled, web } from "./browser.mjs";

after(() => browser.close());

const axe = readFileSync(join(web, "node_modules/axe-core/axe.min.js"), "utf8");
const done = (tab, i = 0) => tab.locator(".setup").nth(i).getAttribute("data-done");
const cell = (tab, name, i = 0) => tab.locator(".setup").nth(i).locator(`[data-cell="${name}"]`).textContent();
const clock = async (tab) => Number.parseFloat(await tab.locator(".clock").textContent());

async function changed(tab, act, i = 0) {
  const before = await done(tab, i);
  await act();
  await tab.waitForFunction(([k, sha]) => {
    const now = document.querySelectorAll(".setup")[k]?.getAttribute("data-done");
    return now && now !== sha;
  }, [i, before], { timeout: 60_000 });
}

/** What a file that the page wrote contains. */
async function downloaded(tab, label) {
  await tab.locator(".menu > summary").click();
  const [file] = await Promise.all([tab.waitForEvent("download"), tab.getByRole("button", { name: label }).click()]);
  await tab.locator(".menu > summary").click();
  return readFileSync(await file.path());
}

async function stories() {
  const { tab, close } = await open(FILE);
  await settled(tab);
  const ids = await tab.locator("#story option").evaluateAll((all) => all.map((o) => o.value));
  await close();
  return ids;
}

test("every story plays, from a file", async (t) => {
  const ids = await stories();
  assert.ok(ids.length >= 10);
  for (const id of ids) {
    await t.test(id, async () => {
      const { tab, faults, close } = await open(`${FILE}#${id}`);
      await settled(tab);
      await tab.waitForFunction(() => Number.parseFloat(document.querySelector(".clock").textContent) > 0.1, null, { timeout: 30_000 });
      const drawn = await tab.locator("canvas.path").evaluate((c) => new Set(c.getContext("2d").getImageData(0, 0, c.width, c.height).data).size);
      assert.ok(drawn > 10, "the path is drawn");
      assert.match(await tab.locator("canvas.path").getAttribute("aria-label"), /packets wait/);
      assert.equal(await tab.locator(".strip").count(), 4);
      assert.deepEqual(faults, []);
      await close();
    });
  }
});

test("the same from a server, and nothing is fetched from elsewhere", async () => {
  const server = await serve();
  const { tab, faults, close } = await open(server.address);
  await settled(tab);
  assert.match(await cell(tab, "goodput-0"), /bit\/s/);
  assert.deepEqual(faults.filter((f) => !f.includes("favicon")), []);
  await close();
  server.close();
});

test("numbers are those of the engine in Node for the same text, which are the command line's", async () => {
  const { tab, close } = await open(`${FILE}#upload`);
  await settled(tab);
  const text = (await downloaded(tab, "Scenario (TOML)")).toString();
  const scenario = new Scenario(text, { name: "upload.toml" });
  assert.equal(await done(tab), scenario.sha256);
  const here = scenario.run().json;
  assert.equal((await downloaded(tab, "Result (JSON)")).toString(), `${here}\n`);
  const goodput = JSON.parse(here).flows[0].goodput_bps;
  assert.equal(await cell(tab, "goodput-0"), `${Number((goodput / 1e6).toPrecision(3))} Mbit/s`);
  const rows = (await downloaded(tab, "Series (CSV)")).toString().trim().split("\n");
  assert.equal(rows[0], "time_s,kind,entity,quantity,value");
  assert.equal(rows.length - 1, new Scenario(text).run(true).series().value.length);
  const png = await downloaded(tab, "Picture (PNG)");
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  assert.equal(await tab.locator(".machine code").textContent(), "eddyline run upload.toml");
  await close();
});

test("controls change the text and the results, and the text changes the controls", async () => {
  const { tab, faults, close } = await open(`${FILE}#upload`);
  await settled(tab);
  const slow = await cell(tab, "goodput-0");
  const queue = tab.locator("fieldset", { hasText: "Link up" }).getByLabel("queue", { exact: true });
  await changed(tab, () => queue.selectOption("fq_codel"));
  assert.match(await tab.locator("textarea").inputValue(), /queue = \{ kind = "fq_codel" \}/);
  assert.notEqual(await cell(tab, "goodput-0"), slow);

  const rate = tab.locator("fieldset", { hasText: "Link down" }).getByLabel("rate");
  await changed(tab, () => rate.focus().then(() => rate.press("ArrowRight")));
  assert.match(await tab.locator("textarea").inputValue(), /rate {2}= "8\.\d Mbit\/s"/);

  const limit = tab.locator("fieldset", { hasText: "Link down" });
  await changed(tab, () => limit.getByLabel("unit of the queue limit").selectOption("ms"));
  assert.match(await tab.locator("textarea").inputValue(), /limit = "\d+ ms"/);

  await changed(tab, () => tab.locator("fieldset", { hasText: "Flow upload" }).getByLabel("controller").selectOption("fast"));
  assert.match(await tab.locator("textarea").inputValue(), /kind = "fast", alpha = "20 packets"/);

  const text = await tab.locator("textarea").inputValue();
  await changed(tab, () => tab.locator("textarea").fill(text.replace(/"fast", alpha = "20 packets"/, '"vegas"')));
  assert.equal(await tab.locator("fieldset", { hasText: "Flow upload" }).getByLabel("controller").inputValue(), "vegas");

  const flows = tab.locator(".controls [data-source]");
  await changed(tab, () => tab.getByRole("button", { name: "Add a flow" }).click());
  assert.equal(await flows.count(), 3);
  await changed(tab, () => tab.getByRole("button", { name: "Remove flow 3" }).click());
  assert.equal(await flows.count(), 2);
  assert.deepEqual(faults, []);
  await close();
});

test("links of a duplex table have controls too", async () => {
  const { tab, faults, close } = await open(`${FILE}#upload`);
  await settled(tab);
  const text = readFileSync(join(web, "../examples/upload.toml"), "utf8");
  await changed(tab, () => tab.locator("textarea").fill(text));
  const up = tab.locator("fieldset", { hasText: "Link home/up" });
  assert.equal(await up.getByLabel("rate").getAttribute("aria-valuetext"), "192 kbit/s");
  const slow = await cell(tab, "goodput-0");
  await changed(tab, () => up.getByLabel("limit", { exact: true }).fill("6000").then(() => up.getByLabel("limit", { exact: true }).press("Tab")));
  assert.match(await tab.locator("textarea").inputValue(), /up = \{ queue = \{ kind = "droptail", limit = "6000 B" \} \}/);
  assert.notEqual(await cell(tab, "goodput-0"), slow);
  await changed(tab, () => up.getByLabel("queue", { exact: true }).selectOption("fq_codel"));
  assert.match(await tab.locator("textarea").inputValue(), /up = \{ queue = \{ kind = "fq_codel" \} \}/);
  await changed(tab, () => up.getByLabel("rate").focus().then(() => up.getByLabel("rate").press("ArrowRight")));
  assert.match(await tab.locator("textarea").inputValue(), /preset = "wimax-2009", up = \{ queue = \{ kind = "fq_codel" \}, rate = "200 kbit\/s" \}/);
  assert.deepEqual(faults, []);
  await close();
});

test("errors of the text stand at their lines", async () => {
  const { tab, close } = await open(`${FILE}#upload`);
  await settled(tab);
  const text = await tab.locator("textarea").inputValue();
  await tab.locator("textarea").fill(text.replace('kind = "cubic"', 'kind = "cubik"'));
  await tab.locator(".errors li").first().waitFor();
  const line = text.split("\n").findIndex((l) => l.includes('kind = "cubic"')) + 1;
  assert.match(await tab.locator(".errors li").first().textContent(), new RegExp(`^line ${line}.*cubik`));
  assert.equal((await tab.locator(".gutter .wrong").textContent()).trim(), String(line));
  await tab.locator("textarea").fill(text);
  await tab.waitForFunction(() => document.querySelectorAll(".errors li").length === 0);
  await close();
});

test("a shared address reproduces two set-ups and the time", async () => {
  const { tab, close } = await open(`${FILE}#upload`);
  await settled(tab);
  await tab.getByRole("button", { name: "acknowledgements first" }).click();
  await settled(tab, 2);
  await tab.getByRole("button", { name: "pause" }).click();
  await tab.getByLabel("simulated time").fill("500");
  await tab.waitForFunction(() => location.hash.startsWith("#1."));
  await tab.waitForTimeout(600);
  const address = await tab.evaluate(() => location.href);
  const expected = [await done(tab, 0), await done(tab, 1), await clock(tab), await cell(tab, "goodput-0", 1)];
  await close();

  const second = await open(address);
  await settled(second.tab, 2);
  const there = [await done(second.tab, 0), await done(second.tab, 1), await clock(second.tab), await cell(second.tab, "goodput-0", 1)];
  assert.deepEqual(there, expected);
  assert.notEqual(expected[0], expected[1]);
  assert.deepEqual(second.faults, []);
  await second.close();
});

test("all changes of a story in a table answer its question", async () => {
  const { tab, close } = await open(`${FILE}#upload`);
  await settled(tab);
  await tab.getByRole("button", { name: "Compare all" }).click();
  await tab.locator("[data-compared]").waitFor({ timeout: 60_000 });
  const rows = await tab.locator(".variants tbody tr").allTextContents();
  assert.equal(rows.length, 7);
  assert.match(rows[0], /^as it is1\.\d+ Mbit\/s/);
  assert.match(rows[1], /^FQ-CoDel on the uplinkthe router gives each transfer a queue of its own7\.\d+ Mbit\/s/);
  const answer = await tab.locator(".variants .answer").textContent();
  assert.match(answer, /costs upload least: FQ-CoDel on the uplink\. Then download gets 7\.\d+ Mbit\/s instead of 1\.\d+ Mbit\/s, upload \d+ kbit\/s instead of \d+ kbit\/s\./);
  assert.equal(await tab.locator(".variants tr.best").count(), 1);
  assert.match(await tab.locator(".finding").textContent(), /^From 15 s to 40 s: /);
  assert.ok((await clock(tab)) >= 8, "playing starts shortly before the upload does");
  await close();
});

test("play, pause, scrub and steps by keyboard", async () => {
  const { tab, close } = await open(`${FILE}#fairness`, { reducedMotion: "reduce" });
  await settled(tab);
  assert.equal(await clock(tab), 0, "nothing moves by itself for who does not want it");
  await tab.locator("h2").click();
  await tab.keyboard.press("ArrowRight");
  assert.ok(Math.abs((await clock(tab)) - 0.6) < 0.01);
  await tab.keyboard.press(" ");
  await tab.waitForFunction(() => Number.parseFloat(document.querySelector(".clock").textContent) > 1);
  await tab.keyboard.press(" ");
  await tab.getByRole("button", { name: "play" }).waitFor();
  const paused = await clock(tab);
  await tab.waitForTimeout(300);
  assert.equal(await clock(tab), paused);
  await close();
});

test("a dropped file is loaded", async () => {
  const { tab, close } = await open(`${FILE}#upload`);
  await settled(tab);
  await changed(tab, () =>
    tab.evaluate(() => {
      const transfer = new DataTransfer();
      const text = document.querySelector("textarea").value.replace("an upload kills a download", "dropped");
      transfer.items.add(new File([text], "dropped.toml"));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }),
  );
  assert.match(await tab.locator("textarea").inputValue(), /"dropped"/);
  await close();
});

for (const [name, options, address = "#two-way-fast"] of [
  ["light", {}],
  ["dark", { colorScheme: "dark" }],
  ["a phone", { viewport: { width: 390, height: 844 } }],
  ["as in a frame", { viewport: { width: 390, height: 844 } }, "?embedded#upload"],
]) {
  test(`axe finds no serious fault: ${name}`, async () => {
    const { tab, close } = await open(FILE + address, { ...options, reducedMotion: "reduce", bypassCSP: true });
    await settled(tab);
    await tab.evaluate(axe);
    const { violations } = await tab.evaluate(() => globalThis.axe.run());
    const serious = violations.filter((v) => ["serious", "critical"].includes(v.impact));
    assert.deepEqual(serious.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 120))]), []);
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `the page is ${wide} px too wide`);
    await close();
  });
}
