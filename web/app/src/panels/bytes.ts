// The treemap: of the original, or of what was packed.

import { at, h } from "../dom.js";
import { bytes } from "../format.js";
import { readDocument } from "../open/document.js";
import { lookAt } from "../packing.js";
import { store } from "../state.js";
import { tiles } from "../sizes/treemap.js";
import { type Weight, weigh } from "../sizes/weights.js";

/** The map's own units: sides as its style has them. */
const [WIDE, HIGH] = [160, 100];
/** Smaller than this, in those units, a tile has no room for its parts or its name. */
const [ROOM, NAMED] = [18, 9];

export function mountBytes(): void {
  let packed = true;
  const map = h("div", { class: "map", id: "map", role: "img" });
  const choices = ["Packed", "Original"].map((name, i) => {
    const box = h("input", { type: "radio", name: "bytes-of", checked: i === 0, onchange: () => ((packed = i === 0), void draw()) });
    return h("label", { class: "chip" }, box, name);
  });
  const table = h("details", {});
  at("treemap").append(h("div", { class: "row", role: "group", "aria-label": "Of which file" }, ...choices), map, table);
  table.before(map);

  const draw = async (): Promise<void> => {
    const state = store.now;
    const wanted = packed && state.packed ? state.packed : state.source;
    const weights = await weightsOf(packed).catch(() => null);
    if (wanted !== (packed && store.now.packed ? store.now.packed : store.now.source)) return;
    if (!weights) return map.replaceChildren();
    map.replaceChildren(...drawn(weights));
    map.setAttribute("aria-label", `Bytes by part: ${weights.parts.map(({ name, bytes: size }) => `${name} ${bytes(size)}`).join(", ")}.`);
    const open = table.open;
    table.replaceChildren(h("summary", {}, "As a table"), asTable(weights));
    table.open = open;
  };
  store.watch(["packed", "look"], () => void draw());
}

async function weightsOf(ofPacked: boolean): Promise<Weight | null> {
  const { source, packed, look } = store.now;
  if (!source?.json || !look) return null;
  const files = ofPacked && packed ? packed.files : source.files;
  const animations = ofPacked && packed ? (await lookAt(packed)).animations : look.animations;
  const main = files.entries.find(([path]) => path === files.name)![1];
  const { json, jsonBytes } = files === source.files ? { json: source.json, jsonBytes: source.jsonBytes } : await readDocument(files.name, main);
  // A GLB has its first buffer inside; others, and images, may lie beside it.
  const named = new Set([...(json.buffers ?? []), ...(json.images ?? [])].map(({ uri }) => uri));
  const outside = new Map(files.entries.filter(([path]) => named.has(path)).map(([path, { size }]) => [path, size]));
  const total = main.size + [...outside.values()].reduce((a, b) => a + b, 0);
  return weigh(json, jsonBytes, total, animations, outside);
}

/** Groups, their parts, and the parts of these where there is room. */
function drawn(weights: Weight): HTMLElement[] {
  const all: HTMLElement[] = [];
  const lay = (parts: Weight[], room: { x: number; y: number; width: number; height: number }, deep: number): void => {
    for (const tile of tiles(parts, room)) {
      const large = tile.width > ROOM && tile.height > ROOM;
      const divided = tile.weight.parts.length > 0 && deep < 2 && large;
      all.push(element(tile, tile.width > NAMED && tile.height > 4));
      const head = 5.5;
      if (divided) lay(tile.weight.parts, { x: tile.x + 0.6, y: tile.y + head, width: tile.width - 1.2, height: tile.height - head - 0.6 }, deep + 1);
    }
  };
  lay(weights.parts, { x: 0, y: 0, width: WIDE, height: HIGH }, 0);
  return all;
}

function element({ weight, x, y, width, height }: ReturnType<typeof tiles>[number], named: boolean): HTMLElement {
  const style = {
    left: `${(100 * x) / WIDE}%`, top: `${(100 * y) / HIGH}%`, width: `${(100 * width) / WIDE}%`, height: `${(100 * height) / HIGH}%`,
    background: `var(--tile-${weight.group})`,
  };
  return h("div", { style, title: `${weight.name}: ${bytes(weight.bytes)}` }, named && h("b", {}, `${weight.name} ${bytes(weight.bytes)}`));
}

function asTable(weights: Weight): HTMLTableElement {
  const rows: HTMLElement[] = [];
  for (const group of weights.parts) {
    rows.push(h("tr", {}, h("th", { scope: "row" }, group.name), h("td", {}, bytes(group.bytes))));
    for (const part of [...group.parts].sort((a, b) => b.bytes - a.bytes).slice(0, 12)) rows.push(h("tr", {}, h("td", {}, `– ${part.name}`), h("td", {}, bytes(part.bytes))));
  }
  return h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "part"), h("th", { scope: "col" }, "bytes"))), h("tbody", {}, ...rows));
}
