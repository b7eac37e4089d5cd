// `npm run pictures [-- NAME...]`: the six states of the page that `docs/page.md` shows, taken anew.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "../test/browser.mjs";
import { packed, servePage, visit } from "./test/page.mjs";

const docs = new URL("../../docs/page/", import.meta.url).pathname;
const sample = (name) => new URL(`../../samples/${name}`, import.meta.url).pathname;
const broken = join(tmpdir(), "walk.glb");
writeFileSync(broken, readFileSync(sample("figure.glb")).subarray(0, 1000));

/** What is opened, with which state, and what is done before the picture is taken. */
const STATES = [
  { name: "player", files: ["figure.glb"], address: "#error=0.1%25&exaggerate=10&ghost=1", act: (page) => page.click("#worst") },
  { name: "curves", files: ["machine.glb"], address: "#tab=curves&rotations=quaternion&error=0.5%25&tracks=/nodes/1/rotation+/nodes/0/translation" },
  { name: "sizes", files: ["figure.glb"], address: "#storage=meshopt&error=0.05%25", act: (page) => page.waitForFunction(() => document.querySelectorAll("#picture circle").length >= 50, null, { timeout: 600_000 }) },
  { name: "treemap", files: ["figure.glb"], act: (page) => page.locator("#bytes").scrollIntoViewIfNeeded() },
  { name: "error", broken: true },
  { name: "phone", files: ["face.glb"], options: { viewport: { width: 400, height: 860 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, colorScheme: "dark" } },
];

mkdirSync(docs, { recursive: true });
const [server, browser] = [await servePage(), await launch()];
const wanted = process.argv.slice(2);
for (const { name, files, address = "", act, options, broken: isBroken } of STATES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const { page, close } = await visit(browser, server.address + address, options);
  await page.setInputFiles("#files", isBroken ? broken : files.map(sample));
  if (isBroken) await page.waitForSelector("#trouble:not([hidden])");
  else await packed(page);
  if (!isBroken) await page.waitForFunction(() => document.querySelector("#map div") && document.querySelector("#legend-top")?.textContent, null, { timeout: 120_000 });
  await act?.(page);
  await page.waitForTimeout(2500);
  await page.screenshot({ path: join(docs, `${name}.png`) });
  console.log(`docs/page/${name}.png`);
  await close();
}
await browser.close();
server.close();
