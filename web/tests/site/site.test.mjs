// The documentation site in a browser, as a folder on a disk.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { browser, open, web } from "../page/browser.mjs";

after(() => browser.close());

const site = join(web, "../target/site");
assert.ok(existsSync(join(site, "index.html")), "the site is not built: make docs");
const inside = `${pathToFileURL(site).href}/`;
const axe = readFileSync(join(web, "node_modules/axe-core/axe.min.js"), "utf8");

const pages = readdirSync(site, { recursive: true }).filter((name) => name.endsWith(".html") && !name.startsWith("rust/"));
const holds = (pattern) => pages.filter((name) => pattern.test(readFileSync(join(site, name), "utf8")));
const withFigures = holds(/class="rerun" data-name=/);
const ofSeveral = holds(/class="rerun" data-record=/);

test("there are figures that run again", () => assert.ok(withFigures.length >= 7, String(withFigures)));

for (const name of withFigures) {
  test(`the figure of ${name} runs again, with the same bytes`, async () => {
    const { tab, faults, close } = await open(inside + name, { inside });
    const figure = tab.locator(".rerun[data-name]").first();
    assert.ok(await figure.locator("img").isVisible());
    await figure.getByRole("button", { name: "Run it here" }).click();
    await tab.locator(".rerun[data-name][data-done]").waitFor({ timeout: 60_000 });
    assert.equal(await figure.getAttribute("data-same"), "true", await figure.locator(".rerun-said").textContent());
    assert.ok(!(await figure.locator("img").isVisible()));
    assert.equal(await figure.locator(".strip").count(), (await figure.getAttribute("data-charts")).split(" ").length);
    assert.deepEqual(faults, []);
    await close();
  });
}

test("there are figures of several runs, which say what they take", async () => {
  assert.ok(ofSeveral.length >= 3, String(ofSeveral));
  for (const name of ofSeveral) {
    const text = readFileSync(join(site, name), "utf8");
    for (const [, record, runs, ms] of text.matchAll(/data-record="([^"]+)" data-runs="([^"]+)" data-ms="(\d+)"/g)) {
      assert.match(runs, /^[\d,]+ (simulation|analysis|analyses)/);
      assert.ok(Number(ms) > 0);
      assert.ok(existsSync(join(site, "_static/records", `${record}.js`)), record);
    }
  }
});

test("a figure of several runs runs again, with the same bytes, and says where it differs", async () => {
  const { tab, faults, close } = await open(`${inside}queues/step.html`, { inside });
  const figure = tab.locator(".rerun");
  const said = figure.locator(".rerun-said");
  assert.match(await figure.locator(".rerun-cost").textContent(), /^2 simulations: about a second/);
  const run = async () => {
    await figure.locator(".rerun-run").click();
    await tab.locator(".rerun[data-done]").waitFor({ timeout: 60_000 });
    return said.textContent();
  };
  assert.match(await run(), /^All \d{4} numbers have the bytes of the command line's\./);
  assert.equal(await figure.getAttribute("data-same"), "true");
  assert.ok(!(await figure.locator("img").isVisible()));
  assert.equal(await figure.locator(".panel canvas").count(), 2);
  await tab.evaluate(() => {
    const [{ marks }] = globalThis.eddylineRecords.sawtooth.panels;
    marks.find((mark) => mark.label === "simulated").recorded.y[17] += 1;
  });
  assert.match(await run(), /1 differ: simulated, y of point 18: \d+ instead of \d+\./);
  assert.equal(await figure.getAttribute("data-same"), "false");
  assert.deepEqual(faults, []);
  await close();
});

test("a figure of many runs shows its progress, and can be stopped and run again", async () => {
  const { tab, faults, close } = await open(`${inside}theory/maps.html`, { inside });
  const figure = tab.locator(".rerun");
  assert.match(await figure.locator(".rerun-cost").textContent(), /^3,721 analyses of stability: about \d+ s/);
  for (let time = 0; time < 2; time++) {
    await figure.getByRole("button", { name: "Run it here" }).click();
    await tab.waitForFunction(() => /^\d+ of 3721 runs are done/.test(document.querySelector(".rerun-said").textContent), null, { timeout: 30_000 });
    assert.ok(await figure.getByRole("progressbar").isVisible());
    await figure.getByRole("button", { name: "Stop" }).click();
    assert.equal(await figure.locator(".rerun-said").textContent(), "Stopped.");
    assert.ok(!(await figure.getByRole("progressbar").isVisible()));
  }
  assert.ok(await figure.locator("img").isVisible());
  assert.deepEqual(faults, []);
  await close();
});

test("a changed scenario gives another result, an invalid one its error, and another result is told apart", async () => {
  const { tab, close } = await open(`${inside}guides/upload-kills-download.html`, { inside });
  const figure = tab.locator(".rerun[data-name]");
  const said = () => figure.locator(".rerun-said").textContent();
  const run = async () => {
    await figure.locator(".rerun-run").click();
    await tab.locator(".rerun[data-name][data-done]").waitFor({ timeout: 60_000 });
    return said();
  };
  const first = await run();
  assert.match(first, /download gets 1\.\d+ Mbit\/s/);
  await tab.locator(".rerun-text summary").click();
  const area = tab.getByLabel("scenario of this figure");
  const text = await area.inputValue();
  await area.fill(text.replace('kind = "droptail", limit = "128 kB"', 'kind = "fq_codel"'));
  assert.match(await run(), /download gets 7\.\d+ Mbit\/s.*no other run to compare/);
  await area.fill(text.replace("droptail", "droptale"));
  await figure.locator(".rerun-run").click();
  await tab.waitForFunction(() => /^Line 9: .*droptale/.test(document.querySelector(".rerun-said").textContent));
  await close();

  const other = await open(`${inside}guides/upload-kills-download.html`, { inside });
  await other.tab.addInitScript(() => {
    document.addEventListener("readystatechange", () => {
      const carrier = document.querySelector('script[data-is="result"]');
      if (carrier && !carrier.dataset.changed) {
        carrier.textContent = carrier.textContent.replace(/"utilisation":\s*[\d.]+/, '"utilisation": 2');
        carrier.dataset.changed = "yes";
      }
    });
  });
  await other.tab.reload();
  await other.tab.locator(".rerun[data-name] .rerun-run").click();
  await other.tab.locator(".rerun[data-name][data-done]").waitFor({ timeout: 60_000 });
  assert.match(await other.tab.locator(".rerun[data-name] .rerun-said").textContent(), /differs from the command line's: links\.0\.utilisation is [\d.]+ instead of 2\./);
  await other.close();
});

test("the laboratory plays on the front page, in its height and in the page's colours", async () => {
  const { tab, faults, close } = await open(inside + "index.html", { inside });
  const inner = tab.frameLocator(".live iframe");
  await inner.locator(".setup[data-done]").waitFor({ timeout: 60_000 });
  await tab.locator(".live.plays").waitFor();
  const clock = async () => Number.parseFloat(await inner.locator(".clock").textContent());
  const before = await clock();
  await tab.waitForTimeout(500);
  assert.ok((await clock()) > before, "it plays");
  assert.ok(!(await tab.locator(".live img").isVisible()));
  const heights = () => Promise.all([tab.locator(".live iframe").evaluate((f) => f.clientHeight), inner.locator("body").evaluate((b) => b.scrollHeight)]);
  const [frame, content] = await heights();
  assert.ok(Math.abs(frame - content) <= 2, `${frame} px for ${content} px`);
  const page = () => inner.locator("body").evaluate((b) => getComputedStyle(b).backgroundColor);
  const light = await page();
  await tab.evaluate(() => (document.body.dataset.theme = "dark"));
  await inner.locator("html[data-theme=dark]").waitFor();
  assert.notEqual(await page(), light);
  await inner.getByRole("link", { name: "All controls" }).click();
  await tab.waitForURL(/laboratory\/index\.html#/);
  await tab.locator("aside").waitFor();
  assert.deepEqual(faults, []);
  await close();
});

test("without JavaScript the pictures stay", async () => {
  const { tab, close } = await open(inside + "index.html", { inside, javaScriptEnabled: false });
  const picture = tab.locator(".rerun img");
  assert.ok(await picture.isVisible());
  assert.equal(await tab.locator(".rerun-run").count(), 0);
  assert.ok(await tab.locator(".live img").isVisible());
  assert.ok(await tab.locator(".live .invitation a").isVisible());
  assert.equal(await tab.locator("iframe").count(), 0);
  await close();
});

test("a link opens its scenario in the laboratory", async () => {
  const { tab, faults, close } = await open(inside + "index.html", { inside });
  await tab.locator(".rerun-bar a").click();
  await tab.locator(".setup[data-done]").waitFor({ timeout: 60_000 });
  const text = await tab.locator("textarea").inputValue();
  assert.equal(text, readFileSync(join(web, "../examples/upload.toml"), "utf8"));
  assert.deepEqual(faults, []);
  await close();
});

test("the search finds pages, from a disk", async () => {
  const { tab, faults, close } = await open(`${inside}search.html?q=ledbat`, { inside });
  await tab.locator("#search-results ul.search li").first().waitFor({ timeout: 30_000 });
  const found = await tab.locator("#search-results ul.search li > a").evaluateAll((all) => all.map((a) => a.textContent));
  assert.ok(found.some((title) => /LEDBAT/.test(title)), String(found));
  assert.deepEqual(faults, []);
  await close();
});

test("the reference leads to the pages of the crates", async () => {
  const { tab, faults, close } = await open(`${inside}reference/rust.html`, { inside });
  const all = await tab.locator("article td a code").allTextContents();
  assert.ok(all.includes("eddyline-sim") && all.length >= 12, String(all));
  await tab.getByRole("link", { name: "eddyline-units" }).click();
  await tab.getByRole("heading", { name: /Crate\s+eddyline_units/ }).waitFor();
  assert.deepEqual(faults, []);
  await close();
});

const FIGURE = "guides/upload-kills-download.html";
for (const [look, names, options] of [
  ["light", ["index.html", "queues/step.html", "papers/vfast.html", "reference/python.html"], {}],
  ["dark", ["index.html", FIGURE], { colorScheme: "dark" }],
  ["a phone", ["index.html", FIGURE], { viewport: { width: 390, height: 844 } }],
]) {
  test(`axe finds no serious fault, and no page is wider than the screen: ${look}`, async () => {
    for (const name of names) {
      const { tab, faults, close } = await open(inside + name, { ...options, inside, reducedMotion: "reduce", bypassCSP: true });
      const count = await tab.locator(".rerun").count();
      for (let i = 0; i < count; i++) await tab.locator(".rerun-run").nth(i).click();
      await tab.waitForFunction((n) => document.querySelectorAll(".rerun[data-done]").length === n, count, { timeout: 60_000 });
      await tab.evaluate(axe);
      const { violations } = await tab.evaluate(() => globalThis.axe.run({ preload: false, iframes: false }));
      const serious = violations.filter((v) => ["serious", "critical"].includes(v.impact));
      assert.deepEqual(serious.map((v) => [name, v.id, v.nodes.slice(0, 5).map((n) => n.html.slice(0, 160))]), []);
      const wide = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${name} is ${wide} px too wide`);
      assert.deepEqual(faults, []);
      await close();
    }
  });
}
