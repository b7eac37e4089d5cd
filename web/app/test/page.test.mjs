// The page in Chromium: opening, packing, looking, taking away; by mouse and by keys, wide and narrow, light and dark.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "../../test/browser.mjs";
import { keyfold, program, root, scratch } from "../../test/program.mjs";
import { packed, servePage, serious, text, visit } from "./page.mjs";

const sample = (name) => join(root, "samples", name);
const folder = scratch();
let server, browser;

before(async () => {
  server = await servePage();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true });
});

/** A page with files, looked at. */
async function withFiles(files, options, address = server.address) {
  const opened = await visit(browser, address, options);
  await opened.page.setInputFiles("#files", files);
  await opened.page.waitForSelector("#work:not([hidden])");
  return opened;
}

/** What a download brings. */
async function downloaded(page, selector) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Runs the command line that the page shows; what it wrote. */
async function native(page, input) {
  const [, ...args] = (await text(page, "#command")).split(" ");
  const out = join(folder, args[args.indexOf("-o") + 1]);
  args[1] = input;
  args[args.indexOf("-o") + 1] = out;
  const { code, stderr } = await keyfold(...args);
  assert.ok(code < 2, stderr);
  return readFileSync(out);
}

test("the empty page asks for a file; a sample opens; what is packed is the native program's, byte by byte", async () => {
  const { page, quiet, close } = await visit(browser, server.address);
  assert.match(await text(page, "#empty h2"), /error bound/);
  assert.deepEqual(await serious(page), []);
  await page.click("#samples button:has-text('Figure')");
  await packed(page);
  assert.match(await text(page, "#headline"), /426 KB → 1\d\d KB/);
  assert.equal(await text(page, "#command"), "keyfold pack figure.glb -o figure.packed.glb");
  const { name, bytes } = await downloaded(page, "#download");
  assert.equal(name, "figure.packed.glb");
  assert.ok(bytes.equals(await native(page, sample("figure.glb"))), "the bytes of the native program");
  await page.check("input[name=storage][value=meshopt]");
  await page.waitForFunction(() => /meshopt/.test(document.querySelector("#report dl")?.textContent ?? ""));
  assert.match(await text(page, "#command"), /--storage meshopt/);
  assert.ok((await downloaded(page, "#download")).bytes.equals(await native(page, sample("figure.glb"))), "meshopt");
  const report = await downloaded(page, "#report-button");
  assert.equal(report.name, "figure.report.html");
  assert.match(report.bytes.toString(), /^<!doctype html>/i);
  assert.deepEqual(await serious(page), []);
  quiet();
  await close();
});

test("every kind of file opens", async () => {
  const named = (from, name) => {
    copyFileSync(from, join(folder, name));
    return join(folder, name);
  };
  await keyfold("clip", "build", sample("figure.glb"), "--animation", "run", "-o", join(folder, "run.kfc"));
  const { page, quiet, close } = await visit(browser, server.address);
  const open = async (files) => {
    await page.setInputFiles("#files", files);
    const name = files[0].split("/").pop();
    await page.waitForFunction((name) => document.title.startsWith(name), name);
  };
  await page.evaluate(async () => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([await (await fetch("samples/machine.glb")).blob()], "dropped.glb"));
    for (const type of ["dragenter", "dragover", "drop"]) document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  });
  await page.waitForFunction(() => document.title.startsWith("dropped.glb"));
  assert.equal(await page.isVisible("#drop"), false);
  await open([sample("lamp.gltf"), sample("lamp.bin")]);
  await packed(page);
  assert.equal(await text(page, "#command"), "keyfold pack lamp.gltf -o lamp.packed.glb");
  assert.ok((await downloaded(page, "#download")).bytes.equals(await native(page, sample("lamp.gltf"))), "a .gltf with its buffer");
  await open([named(sample("figure.glb"), "figure.vrm")]);
  await packed(page);
  assert.equal((await downloaded(page, "#download")).name, "figure.packed.vrm");
  await open([named(sample("machine.glb"), "motion.vrma")]);
  await packed(page);
  await open([join(folder, "run.kfc")]);
  await page.waitForSelector("#tracks input:checked");
  await page.waitForFunction(() => document.querySelector("#readout b"));
  assert.match(await text(page, "#report"), /runtime clip/);
  await page.click("#tab-player");
  await open([sample("figure.glb"), join(folder, "run.kfc")]);
  await page.selectOption("#animation", "run");
  await page.waitForFunction(() => /now/.test(document.querySelector("#legend-now")?.textContent ?? "") || document.querySelector("#notes li") === null);
  assert.match(await text(page, "#report"), /beside its model/);
  await open([sample("machine.glb"), sample("face.glb")]);
  assert.deepEqual(await page.locator("#which option").allInnerTexts(), ["machine.glb", "face.glb"]);
  await page.selectOption("#which", "face.glb");
  assert.deepEqual(await serious(page), []);
  await packed(page);
  assert.match(await text(page, "#command"), /pack face.glb/);
  quiet();
  await close();
});

test("what cannot be read is told in words, with the place; what is missing is told, the rest shown", async () => {
  writeFileSync(join(folder, "cut.glb"), readFileSync(sample("figure.glb")).subarray(0, 1000));
  writeFileSync(join(folder, "hello.glb"), "hello");
  writeFileSync(join(folder, "notes.txt"), "hello");
  const broken = JSON.parse(readFileSync(sample("lamp.gltf"), "utf8"));
  broken.animations[0].samplers[0].input = 4711;
  writeFileSync(join(folder, "broken.gltf"), JSON.stringify(broken));
  const { page, quiet, close } = await visit(browser, server.address);
  const trouble = async (file) => {
    await page.setInputFiles("#files", join(folder, file));
    await page.waitForSelector("#trouble:not([hidden])");
    return text(page, "#trouble");
  };
  assert.match(await trouble("notes.txt"), /not a glTF file.*notes\.txt/s);
  assert.match(await trouble("cut.glb"), /cut short.*980 of 84124 bytes.*byte 12/s);
  assert.match(await trouble("hello.glb"), /hello\.glb cannot be read.*JSON is broken/s);
  assert.deepEqual(await serious(page), []);
  assert.ok(await page.isVisible("#empty"));
  await page.setInputFiles("#files", sample("lamp.gltf"));
  await page.waitForSelector("#notes:not([hidden])");
  assert.match(await text(page, "#notes"), /Missing: lamp\.bin/);
  await page.waitForSelector("#report .trouble");
  assert.match(await text(page, "#report .trouble"), /lamp\.bin/);
  assert.deepEqual(await serious(page), []);
  await page.setInputFiles("#files", [join(folder, "broken.gltf"), sample("lamp.bin")]);
  await page.waitForFunction(() => /samplers\/0\/input/.test(document.querySelector("#finding-list")?.textContent ?? ""));
  assert.match(await text(page, "#finding-list"), /error/);
  assert.deepEqual(await serious(page), []);
  quiet();
  await close();
});

test("the slider packs again; the picture fills; packing can be cancelled; the address says it all", async () => {
  const { page, quiet, close } = await visit(browser, server.address);
  await page.click("#samples button:has-text('Machine')");
  await packed(page);
  const size = async () => {
    const [, number, unit] = (await text(page, "#report dd")).match(/→ ([\d.]+) (\w+)/);
    return Number(number) * { B: 1, KB: 1000, MB: 1e6 }[unit];
  };
  const fine = await size();
  await page.focus("#bound-slider");
  await page.keyboard.press("End");
  await page.waitForFunction(() => /--max-error 1%/.test(document.querySelector("#command").textContent));
  await packed(page);
  assert.ok((await size()) <= fine);
  assert.equal(await page.getAttribute("#bound-slider", "aria-valuetext"), "1%");
  await page.waitForFunction(() => document.querySelectorAll("#picture circle").length >= 15);
  assert.match(await page.getAttribute("#picture svg", "aria-label"), /At 1%: core/);
  assert.deepEqual(await serious(page), []);
  await page.fill("#bound", "nonsense");
  await page.press("#bound", "Enter");
  await page.waitForSelector("#report .trouble");
  assert.match(await text(page, "#report .trouble"), /--max-error/);
  await page.fill("#bound", "0.5mm");
  await page.press("#bound", "Enter");
  await packed(page);
  await page.fill("#keep", "/nodes/0/*");
  await page.press("#keep", "Enter");
  await page.selectOption("#level", "fast");
  await packed(page);
  assert.equal(await text(page, "#command"), "keyfold pack machine.glb -o machine.packed.glb --max-error 0.5mm --level fast --keep '/nodes/0/*'");
  await page.waitForFunction(() => /sample=machine/.test(location.hash) && /error=0.5mm/.test(location.hash) && /level=fast/.test(location.hash));
  await page.reload();
  await packed(page);
  assert.equal(await page.inputValue("#keep"), "/nodes/0/*");
  assert.equal(await page.inputValue("#bound"), "0.5mm");
  quiet();
  await close();
});

test("packing is cancelled, and begins again", async () => {
  const { page, quiet, close } = await visit(browser, `${server.address}#level=max&error=0.002%25`);
  await page.setInputFiles("#files", sample("figure.glb"));
  // In the page, at once: a slow machine may have packed the file before a pointer gets there.
  await page.waitForFunction(() => {
    const cancel = document.querySelector("#cancel");
    const visible = cancel?.checkVisibility();
    if (visible) cancel.click();
    return visible;
  });
  await page.waitForSelector("#report button:has-text('Pack')");
  assert.equal(await page.isVisible("#headline"), false);
  await page.selectOption("#level", "fast");
  await packed(page);
  assert.match(await text(page, "#headline"), /→/);
  quiet();
  await close();
});

test("the player: worst moment, heat as diff measures it, divider, ghost, exaggeration", async () => {
  const { page, quiet, close } = await withFiles([sample("figure.glb")], {}, `${server.address}#error=0.1%25`);
  await packed(page);
  const out = join(folder, "worst.glb");
  const { stdout } = await keyfold("pack", sample("figure.glb"), "-o", out, "--max-error", "0.1%", "--json");
  const { error } = JSON.parse(stdout).files[0];
  await page.waitForFunction(() => /of the model/.test(document.querySelector("#legend-top").textContent));
  await page.click("#worst");
  await page.waitForFunction((name) => document.querySelector("#animation").value === name, error.animation);
  await page.waitForFunction((node) => document.querySelector("#tag").textContent.startsWith(node), error.node);
  assert.match(await text(page, "#clock"), new RegExp(`^${error.time.toFixed(2)} s`));
  const now = Number((await text(page, "#legend-now")).match(/now ([\d.e-]+) mm/)[1]) / 1000;
  // three.js plays in floats; the measure itself is the program's.
  assert.ok(Math.abs(now / error.max - 1) < 0.02, `${now} beside ${error.max}`);
  await page.selectOption("#look select >> nth=0", "divider");
  const { x, y, width } = await page.locator("#stage").boundingBox();
  const handle = await page.locator("#divider").boundingBox();
  await page.mouse.move(handle.x + handle.width / 2, y + 100);
  await page.mouse.down();
  await page.mouse.move(x + 0.25 * width, y + 100, { steps: 3 });
  await page.mouse.up();
  assert.equal(await page.getAttribute("#divider", "aria-valuenow"), "25");
  const before = await page.locator("#stage").screenshot();
  await page.selectOption("#look select >> nth=1", "100");
  await page.check("#look label:has-text('Ghost') input");
  await page.waitForTimeout(300);
  assert.ok(!before.equals(await page.locator("#stage").screenshot()), "exaggeration and ghost are seen");
  const again = Number((await text(page, "#legend-now")).match(/now ([\d.e-]+) mm/)[1]) / 1000;
  assert.equal(again, now, "what is exaggerated is not what is measured");
  for (const label of ["Wireframe", "Heat", "Skeleton", "Mesh"]) {
    const shown = await page.locator("#stage").screenshot();
    await page.locator(`#look label:has-text('${label}') input`).click();
    await page.waitForTimeout(300);
    assert.ok(!shown.equals(await page.locator("#stage").screenshot()), `${label} is seen`);
  }
  await page.click("#play");
  const time = await text(page, "#clock");
  await page.waitForFunction((time) => document.querySelector("#clock").textContent !== time, time);
  assert.deepEqual(await serious(page), []);
  quiet();
  await close();
});

test("curves are what sample says; tracks are searched and sorted; rotations in three forms", async () => {
  const { page, quiet, close } = await withFiles([sample("machine.glb")], {}, `${server.address}#tab=curves&rotations=quaternion&error=0.1%25`);
  await packed(page);
  await page.waitForSelector("#tracks input:checked");
  await page.click("#track-list button:has-text('None')");
  await page.fill("#track-list input[type=search]", "/nodes/1/rotation");
  await page.check("#tracks input[value='/nodes/1/rotation']");
  await page.waitForFunction(() => document.querySelectorAll("#readout b").length === 4);
  await page.focus("#graph-canvas");
  for (let i = 0; i < 7; i++) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => !/^0\.000 s/.test(document.querySelector("#readout").innerText));
  const read = (await page.locator("#readout > span").allInnerTexts()).map((line) => line.trim());
  const at = read[0].match(/^([\d.]+) s/)[1];
  const { stdout } = await keyfold("sample", sample("machine.glb"), "--time", at, "--track", "/nodes/1/rotation", "--json");
  const [values] = JSON.parse(stdout).tracks[0].values;
  const shown = read.slice(1, 5).map((line) => Number(line.match(/rotation (-?[\d.e-]+)/)[1]));
  const sign = Math.sign(shown[3]) === Math.sign(values[3]) ? 1 : -1;
  shown.forEach((value, i) => assert.ok(Math.abs(value - sign * values[i]) < 2e-3, `${shown} beside ${values}`));
  await page.selectOption("#graph select", "euler");
  await page.waitForFunction(() => document.querySelectorAll("#readout b").length === 3);
  await page.selectOption("#graph select", "angle");
  await page.waitForFunction(() => document.querySelectorAll("#readout b").length === 1);
  await page.fill("#track-list input[type=search]", "");
  await page.check("#tracks input[value='/nodes/0/translation']");
  await page.waitForFunction(() => document.querySelectorAll("#readout b").length === 4);
  for (const order of ["by joint", "by bytes", "by error"]) await page.selectOption("#track-list select", order);
  const canvas = page.locator("#graph-canvas");
  const before = await canvas.screenshot();
  await canvas.hover();
  await page.mouse.wheel(0, -400);
  await page.waitForTimeout(400);
  assert.ok(!before.equals(await canvas.screenshot()), "zoomed");
  await page.click("#fit-graph");
  assert.deepEqual(await serious(page), []);
  quiet();
  await close();
});

test("by keys alone", async () => {
  const { page, quiet, close } = await visit(browser, server.address);
  const focused = () => page.evaluate(() => (document.activeElement?.matches("button") ? document.activeElement.textContent : ""));
  for (let i = 0; i < 12 && !/Face/.test(await focused()); i++) await page.keyboard.press("Tab");
  assert.match(await focused(), /Face/);
  await page.keyboard.press("Enter");
  await packed(page);
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("Space");
  assert.equal(await text(page, "#play"), "Pause");
  await page.keyboard.press("Space");
  await page.keyboard.press(".");
  await page.keyboard.press("d");
  await page.waitForSelector("#divider:not([hidden])");
  await page.focus("#divider");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getAttribute("#divider", "aria-valuenow"), "52");
  await page.keyboard.press("2");
  await page.waitForSelector("#curves:not([hidden])");
  await page.keyboard.press("?");
  await page.waitForSelector("#keys[open]");
  assert.deepEqual(await serious(page), []);
  await page.keyboard.press("Escape");
  await page.focus("#tab-curves");
  await page.keyboard.press("ArrowLeft");
  await page.waitForSelector("#player:not([hidden])");
  await page.focus("#canvas");
  await page.keyboard.press("ArrowLeft");
  await page.focus("#scrub");
  const before = await text(page, "#clock");
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await text(page, "#clock"), before);
  // Whatever has the focus is seen to have it.
  for (let i = 0; i < 25; i++) {
    await page.keyboard.press("Tab");
    const outlined = await page.evaluate(() => {
      const one = document.activeElement;
      return one === document.body || [one, one.closest("label"), one.closest("li")].some((e) => e && getComputedStyle(e).outlineStyle !== "none");
    });
    assert.ok(outlined, await page.evaluate(() => document.activeElement.outerHTML.slice(0, 120)));
  }
  quiet();
  await close();
});

test("on a phone, in both colour schemes", async () => {
  const grounds = new Set();
  for (const colorScheme of ["light", "dark"]) {
    const { page, quiet, close } = await withFiles([sample("machine.glb")], { viewport: { width: 400, height: 800 }, hasTouch: true, isMobile: true, colorScheme });
    await packed(page);
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok((await wide()) <= 400, `${await wide()} pixels wide`);
    await page.tap("#tab-curves");
    await page.waitForSelector("#tracks input:checked");
    assert.ok((await wide()) <= 400, `${await wide()} pixels wide`);
    grounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    assert.deepEqual(await serious(page), [], colorScheme);
    await page.tap("#tab-player");
    assert.deepEqual(await serious(page), [], colorScheme);
    quiet();
    await close();
  }
  assert.equal(grounds.size, 2);
});

test("keyfold view: the file that it was started with, and nobody else's requests", async () => {
  assert.ok(existsSync(program), program);
  const child = spawn(program, ["view", "--no-open", sample("lamp.gltf"), sample("machine.glb")]);
  try {
    const address = await new Promise((resolve, reject) => {
      let said = "";
      child.stdout.on("data", (data) => /\n/.test((said += data)) && resolve(said.trim()));
      child.stderr.on("data", (data) => reject(new Error(String(data))));
    });
    const { page, quiet, close } = await visit(browser, address);
    await packed(page);
    assert.deepEqual(await page.locator("#which option").allInnerTexts(), ["lamp.gltf", "machine.glb"]);
    assert.deepEqual(await serious(page), []);
    quiet();
    await close();
    const status = async (address, headers = {}) => (await fetch(address, { headers })).status;
    assert.equal(await status(address), 200);
    assert.equal(await status(address, { origin: "https://example.org" }), 403);
    assert.equal(await status(new URL("/", address)), 403);
    assert.equal(await status(new URL("/files/0", address)), 403);
  } finally {
    child.kill();
  }
});
