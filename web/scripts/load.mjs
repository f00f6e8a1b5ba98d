// How long it takes from opening the page from a disk until the story runs: a new browser each time, elapsed time in the page.
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const ROUNDS = 5;
const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const page = pathToFileURL(join(web, "dist", "index.html")).href;
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

/** In the page, at every frame: when packets are first drawn, when the clock first moves, and when the whole run is there. */
function watch() {
  const times = (globalThis.loadTimes = {});
  let first = null;
  const look = () => {
    const now = Math.round(performance.now());
    const clock = document.querySelector(".clock")?.textContent ?? "";
    if (document.querySelector("canvas.path")?.getAttribute("aria-label")) times.drawn ??= now;
    if (Number.parseFloat(clock) > 0) first ??= clock;
    if (first !== null && clock !== first) times.runs ??= now;
    if (document.querySelector(".setup[data-done]")) times.complete ??= now;
    if (Object.keys(times).length < 3) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

const rounds = [];
for (let i = 0; i < ROUNDS; i++) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
  const tab = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  await tab.addInitScript(watch);
  await tab.goto(page);
  await tab.waitForFunction(() => Object.keys(globalThis.loadTimes).length === 3, null, { timeout: 60_000 });
  rounds.push(await tab.evaluate(() => globalThis.loadTimes));
  await browser.close();
}
console.log("| opened | first picture, ms | the story runs, ms | simulated to its end, ms |\n| --- | ---: | ---: | ---: |");
rounds.forEach(({ drawn, runs, complete }, i) => console.log(`| ${i + 1} | ${drawn} | ${runs} | ${complete} |`));
