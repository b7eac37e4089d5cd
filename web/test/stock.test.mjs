// What loaders do with each storage that have never heard of Keyfold: three.js without our plugin, Babylon.js without our extensions. They refuse
// a file, or show the model standing still, and say why; they never show a wrong motion without a word, and never ask for the page's own address.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, page, serve } from "./browser.mjs";
import { keyfold, root, scratch } from "./program.mjs";

const folder = scratch();
let server, browser;

before(async () => {
  server = await serve(folder, { "/": { body: page() } });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true });
});

/** Forms of a file, and what each player makes of them: README.md of the package says the same. */
const FORMS = [
  { form: "core", options: ["--storage", "core"], three: "plays", babylon: "plays" },
  { form: "meshopt", options: ["--storage", "meshopt"], three: "refuses", babylon: "plays" },
  { form: "quantization", options: ["--storage", "quantization"], three: "refuses", babylon: "refuses" },
  { form: "draco", options: ["--storage", "draco"], three: "refuses", babylon: "refuses" },
  { form: "draco, fallback", options: ["--storage", "draco", "--fallback"], three: "plays", babylon: "plays" },
  { form: "stream", options: ["--storage", "stream"], three: "refuses", babylon: "refuses" },
  { form: "stream, fallback", options: ["--storage", "stream", "--fallback"], three: "plays", babylon: "plays" },
  { form: "KHR_animation2", options: ["--targets", "animation2"], three: "still", babylon: "still" },
  { form: "CUBICSLERP", options: ["--rotation", "cubicslerp", "--max-error", "1%"], three: "refuses", babylon: "refuses" },
];

/** A file in one form; what the program says of it at a few times. */
async function made({ form, options }) {
  const path = join(folder, `${form.replace(/\W+/g, "_")}.${form.includes("fallback") ? "gltf" : "glb"}`);
  const original = join(root, "samples/figure.glb");
  const converted = await keyfold("convert", original, ...options, "-o", path);
  assert.ok(converted.code < 2, converted.stderr);
  const times = [0.11, 0.37, 0.52, 0.68];
  const said = JSON.parse((await keyfold("sample", original, "--animation", "0", "--time", times.join(","), "--json")).stdout);
  const tracks = said.tracks.filter((track) => /^\/nodes\/\d+\/(translation|rotation|scale)$/.test(track.target));
  assert.ok(tracks.length > 10);
  return { name: path.split("/").at(-1), times, tracks };
}

/** How far two lists of values lie apart, signs of rotations aside. */
function apart(a, b) {
  const off = (sign) => Math.max(...a.map((v, i) => Math.abs(v - sign * b[i])));
  return a.length === 4 ? Math.min(off(1), off(-1)) : off(1);
}

/** A page in which files are loaded one after the other, and what it says on the way. */
async function open() {
  const tab = await browser.newPage();
  const said = [];
  tab.on("console", (message) => void (["warning", "error"].includes(message.type()) && said.push(message.text())));
  await tab.goto(server.address);
  return { tab, said };
}

/** What one player makes of a file. */
async function verdict(player, { tab, said }, { name, times, tracks }) {
  said.length = 0;
  server.requests.length = 0;
  const shown = await tab
    .evaluate(async ({ player, name, times, targets }) => {
      const players = await import("/test/players.js");
      const file = await players[player](`${location.origin}/files/${name}`, { plugin: false, extension: false });
      const rest = file.rest(targets);
      return { rest, values: file.animations > 0 ? file.sample(0, times, targets) : [rest] };
    }, { player, name, times, targets: tracks.map((track) => track.target) })
    .catch((error) => error);
  const own = server.requests.filter((path) => path === "/" || path.endsWith("/undefined"));
  const about = said.filter((text) => /extension|animation|track|interpolation|property/i.test(text));
  if (own.length > 0) return { what: "asks for the page itself", says: own.join(" ") };
  if (shown instanceof Error) return { what: "refuses", says: shown.message.split("\n")[0] };
  const plays = tracks.every(({ values }, t) => values.every((row, i) => shown.values[i] && apart(row, shown.values[i][t]) < 1e-3));
  const still = tracks.every((_, t) => shown.values.every((row) => apart(row[t], shown.rest[t]) < 1e-6));
  return { what: plays ? "plays" : still ? "still" : about.length > 0 ? "warns" : "shows a wrong motion", says: about[0] ?? "" };
}

test("loaders without the package", async () => {
  const rows = [];
  const pages = { three: await open(), babylon: await open() };
  for (const form of FORMS) {
    const file = await made(form);
    for (const player of ["three", "babylon"]) {
      const { what, says } = await verdict(player, pages[player], file);
      rows.push({ form: form.form, player, what, says: says.slice(0, 110) });
    }
  }
  console.table(rows);
  const expected = FORMS.flatMap(({ form, three, babylon }) => [[form, "three", three], [form, "babylon", babylon]]);
  assert.deepEqual(rows.map(({ form, player, what }) => [form, player, what]), expected);
});
