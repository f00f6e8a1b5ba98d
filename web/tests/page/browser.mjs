// Debian's Chromium and the built page, as a file and from a server.
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const web = join(dirname(fileURLToPath(import.meta.url)), "../..");
const page = join(web, "dist", "index.html");
export const FILE = pathToFileURL(page).href;
const ARGUMENTS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

export const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(executablePath)) throw new Error(`no Chromium at ${executablePath}; say where it is by CHROMIUM=`);

export const browser = await chromium.launch({ executablePath, args: ARGUMENTS });

/** A new page at an address; what it must never do is collected: errors on the console, requests of more than itself, or outside `inside`. */
export async function open(address, { inside = null, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, ...options });
  const tab = await context.newPage();
  const faults = [];
  tab.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  tab.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  tab.on("request", (request) => {
    const url = request.url();
    const own = inside === null ? url.split("#")[0] === address.split("#")[0] : url.startsWith(inside);
    if (!own && !url.startsWith("blob:") && !url.startsWith("data:")) faults.push(`request: ${url}`);
  });
  await tab.goto(address);
  return { tab, faults, close: () => context.close() };
}

/** Waits until every set-up shows the result of its present text. */
export async function settled(tab, count = 1) {
  await tab.waitForFunction((n) => document.querySelectorAll(".setup[data-done]").length === n, count, { timeout: 60_000 });
}

/** Serves the page at an address of its own. */
export async function serve() {
  const server = createServer((request, response) => {
    response.writeHead(request.url === "/lab/" ? 200 : 404, { "content-type": "text/html" });
    response.end(request.url === "/lab/" ? readFileSync(page) : "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/lab/`, close: () => server.close() };
}
