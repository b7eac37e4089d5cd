// The tracks to choose from: by joint, by error, by bytes.

import { at, h } from "../dom.js";
import { bytes, significant } from "../format.js";
import { store } from "../state.js";
import { targetName } from "../sizes/weights.js";

/** Longer lists are searched, not scrolled. */
const SHOWN = 300;

interface Row {
  target: string;
  name: string;
  error: number;
  difference: number;
  bytes: number;
  before: number | null;
  after: number | null;
  interpolation: string;
}

const ORDERS: Record<string, (a: Row, b: Row) => number> = {
  "by error": (a, b) => b.error - a.error || b.difference - a.difference,
  "by joint": (a, b) => a.name.localeCompare(b.name),
  "by bytes": (a, b) => b.bytes - a.bytes,
  "as in the file": () => 0,
};

function rows(): Row[] {
  const { overTime, look, animation, source } = store.now;
  const name = (target: string): string => targetName(target, source?.json ?? null);
  if (!overTime) {
    return (look?.animations[animation]?.tracks ?? []).map(({ target, bytes: size, keys, interpolation }) => ({
      target, name: name(target), error: 0, difference: 0, bytes: size, before: keys, after: null, interpolation,
    }));
  }
  const errors = new Map(overTime.joints.map(({ node, error }) => [node, error]));
  return overTime.tracks.map(({ target, before, after, difference }) => ({
    target,
    name: name(target),
    error: errors.get(Number(/^\/nodes\/(\d+)\//.exec(target)?.[1])) ?? difference,
    difference,
    bytes: (after ?? before)?.bytes ?? 0,
    before: before?.times.length ?? null,
    after: after?.times.length ?? null,
    interpolation: (before ?? after)!.interpolation,
  }));
}

function keysOf({ before, after }: Row): string {
  if (store.now.packed && after === null) return `${before} keys → dropped, it rests`;
  if (!store.now.packed || before === after) return `${before ?? after} keys`;
  return `${before ?? 0} → ${after} keys`;
}

export function mountList(): void {
  const search = h("input", { type: "search", placeholder: "Search tracks", "aria-label": "Search tracks" });
  const order = h("select", { "aria-label": "Order of tracks" }, ...Object.keys(ORDERS).map((name) => h("option", {}, name)));
  const list = h("ul", { id: "tracks", "aria-label": "Tracks", tabindex: -1 });
  const none = h("button", { type: "button", onclick: () => store.set({ chosen: [] }) }, "None");
  at("track-list").append(search, h("div", { class: "row" }, order, none), list);

  const choose = (target: string, on: boolean): void => {
    const others = store.now.chosen.filter((one) => one !== target);
    store.set({ chosen: on ? [...others, target] : others });
  };
  const draw = (): void => {
    const words = search.value.toLowerCase().split(/\s+/);
    const fits = ({ name, target }: Row): boolean => words.every((word) => `${name} ${target}`.toLowerCase().includes(word));
    const found = rows().filter(fits).sort(ORDERS[order.value]!);
    list.replaceChildren(...found.slice(0, SHOWN).map((row) => item(row, choose)));
    if (found.length > SHOWN) list.append(h("li", { class: "soft" }, `${found.length - SHOWN} more: search for them`));
    if (found.length === 0) list.append(h("li", { class: "soft" }, "No track fits."));
  };
  search.addEventListener("input", draw);
  order.addEventListener("change", draw);
  store.watch(["overTime", "look", "animation", "source"], draw);
  store.watch(["chosen"], ({ chosen }) => {
    for (const box of list.querySelectorAll<HTMLInputElement>("input")) box.checked = chosen.includes(box.value);
  });
  // Without a choice there is nothing to see: the worst is what one comes for.
  store.watch(["overTime", "tab"], ({ overTime, chosen, tab }) => {
    if (tab !== "curves" || chosen.length > 0 || (!overTime && store.now.source?.json)) return;
    const [first] = rows().sort(ORDERS["by error"]!);
    if (first) store.set({ chosen: [first.target] });
  });
}

function item(row: Row, choose: (target: string, on: boolean) => void): HTMLElement {
  const box = h("input", { type: "checkbox", value: row.target, checked: store.now.chosen.includes(row.target), onchange: () => choose(row.target, box.checked) });
  const off = row.difference > 0 ? `, off by ${significant(row.difference, 2)}${/rotation$/.test(row.target) ? "°" : ""}` : "";
  return h("li", {}, h("label", {}, box, h("span", { class: "name" }, row.name), h("span", { class: "number soft" }, bytes(row.bytes)), h("small", {}, `${keysOf(row)}, ${row.interpolation}${off}`)));
}
