// The built page in Chromium, from a sub-path of a server that counts what is asked for; what the console says; what axe-core finds.

import assert from "node:assert/strict";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";

const dist = new URL("../dist", import.meta.url).pathname;
const TYPES = { ".js": "text/javascript", ".html": "text/html", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml" };
const PATH = "/some/where/";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Hands out the built page below a path. */
export async function servePage() {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const name = normalize(decodeURIComponent(pathname.slice(PATH.length))) || "index.html";
    const file = join(dist, name === "." ? "index.html" : name);
    if (!pathname.startsWith(PATH) || !existsSync(file) || !statSync(file).isFile()) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "content-length": statSync(file).size });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}${PATH}`, close: () => server.close() };
}

/** Opens an address; `quiet()` says whether nothing went wrong and nothing was asked of anybody else. */
export async function visit(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce", acceptDownloads: true, ...options });
  const page = await context.newPage();
  // No test is about time: a busy machine gets as much as it needs.
  page.setDefaultTimeout(300_000);
  const [wrong, outside] = [[], []];
  const { origin } = new URL(address);
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && !/GPU stall|GL Driver/.test(message.text()) && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => /^(data|blob):/.test(request.url()) || request.url().startsWith(origin) || outside.push(request.url()));
  await page.goto(address);
  const quiet = () => {
    assert.deepEqual(wrong, [], "the console");
    assert.deepEqual(outside, [], "requests outside");
  };
  return { page, quiet, close: () => context.close() };
}

/** Waits until what is looked at is packed. */
export async function packed(page) {
  await page.waitForSelector("#headline");
  await page.waitForSelector("#going", { state: "hidden" });
}

export const text = (page, selector) => page.locator(selector).first().innerText();

/** What axe-core finds that is serious. */
export async function serious(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).slice(0, 3).join(" | ")}`);
}
