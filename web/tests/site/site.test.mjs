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
const withFigures = pages.filter((name) => /class="rerun"/.test(readFileSync(join(site, name), "utf8")));

test("there are figures that run again", () => assert.ok(withFigures.length >= 7, String(withFigures)));

for (const name of withFigures) {
  test(`the figure of ${name} runs again, with the same bytes`, async () => {
    const { tab, faults, close } = await open(inside + name, { inside });
    const figure = tab.locator(".rerun").first();
    assert.ok(await figure.locator("img").isVisible());
    await figure.getByRole("button", { name: "Run it here" }).click();
    await tab.locator(".rerun[data-done]").waitFor({ timeout: 60_000 });
    assert.equal(await figure.getAttribute("data-same"), "true", await figure.locator(".rerun-said").textContent());
    assert.ok(!(await figure.locator("img").isVisible()));
    assert.equal(await figure.locator(".strip").count(), (await figure.getAttribute("data-charts")).split(" ").length);
    assert.deepEqual(faults, []);
    await close();
  });
}

test("a changed scenario gives another result, an invalid one its error, and another result is told apart", async () => {
  const { tab, close } = await open(`${inside}guides/upload-kills-download.html`, { inside });
  const said = () => tab.locator(".rerun-said").textContent();
  const run = async () => {
    await tab.locator(".rerun-run").click();
    await tab.locator(".rerun[data-done]").waitFor({ timeout: 60_000 });
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
  await tab.locator(".rerun-run").click();
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
  await other.tab.locator(".rerun-run").click();
  await other.tab.locator(".rerun[data-done]").waitFor({ timeout: 60_000 });
  assert.match(await other.tab.locator(".rerun-said").textContent(), /differs from the command line's: links\.0\.utilisation is [\d.]+ instead of 2\./);
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
  ["light", ["index.html", "papers/vfast.html", "reference/python.html"], {}],
  ["dark", ["index.html", FIGURE], { colorScheme: "dark" }],
  ["a phone", ["index.html", FIGURE], { viewport: { width: 390, height: 844 } }],
]) {
  test(`axe finds no serious fault, and no page is wider than the screen: ${look}`, async () => {
    for (const name of names) {
      const { tab, faults, close } = await open(inside + name, { ...options, inside, reducedMotion: "reduce", bypassCSP: true });
      if (await tab.locator(".rerun-run").count()) {
        await tab.locator(".rerun-run").click();
        await tab.locator(".rerun[data-done]").waitFor({ timeout: 60_000 });
      }
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
