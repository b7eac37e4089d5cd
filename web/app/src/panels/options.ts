// How to pack: bound in words, storage, level, bound of properties, tracks that are left alone.

import { at, h } from "../dom.js";
import { LEVELS, STORAGES, type Settings } from "../settings.js";
import { store } from "../state.js";

const PLAYS: Record<string, string> = {
  core: "plays in every viewer",
  quantization: "plays in three.js and Babylon.js with keyfold",
  draco: "plays in three.js and Babylon.js with keyfold",
  meshopt: "plays in three.js, Babylon.js, gltfpack's viewers",
  stream: "plays in three.js and Babylon.js with keyfold",
  smallest: "whichever is smallest after gzip",
};

export function mountOptions(): void {
  const change = (settings: Partial<Settings>): void => store.set({ settings: { ...store.now.settings, ...settings } });
  const storages = [...STORAGES, "smallest" as const].map((name) => {
    const box = h("input", { type: "radio", name: "storage", value: name, onchange: () => change({ storage: name }) });
    store.watch(["settings"], ({ settings }) => (box.checked = settings.storage === name));
    return h("label", { class: "chip", title: PLAYS[name] }, box, name !== "smallest" && h("i", { class: "swatch", style: { background: `var(--${name})` } }), name);
  });
  const plays = h("p", { class: "soft", id: "plays" });
  const bound = h("input", { type: "text", id: "bound", spellcheck: "false", autocomplete: "off", onchange: () => change({ bound: bound.value.trim() || "0.01%" }) });
  const property = h("input", { type: "text", id: "property", inputmode: "decimal", spellcheck: "false", autocomplete: "off", onchange: () => change({ propertyBound: property.value.trim() || "0.001" }) });
  const keep = h("input", { type: "text", id: "keep", placeholder: "/nodes/3/*, head", spellcheck: "false", autocomplete: "off", onchange: () => change({ keep: keep.value.split(",").map((one) => one.trim()).filter(Boolean) }) });
  const level = h("select", { id: "level", onchange: () => change({ level: LEVELS[level.selectedIndex]! }) }, ...LEVELS.map((name) => h("option", {}, name)));
  at("options").append(
    h("fieldset", { class: "storages" }, h("legend", {}, "Storage"), ...storages),
    plays,
    h("div", { class: "fields" },
      h("label", {}, "Bound (0.01%, 0.5mm)", bound),
      h("label", {}, "Level of search", level),
      h("label", {}, "Bound of properties", property),
      h("label", {}, "Tracks left alone", keep)),
  );
  store.watch(["settings"], ({ settings }) => {
    bound.value = settings.bound;
    property.value = settings.propertyBound;
    keep.value = settings.keep.join(", ");
    level.selectedIndex = LEVELS.indexOf(settings.level);
    plays.textContent = `${settings.storage}: ${PLAYS[settings.storage]}`;
  });
  store.watch(["packTrouble"], ({ packTrouble }) => bound.classList.toggle("invalid", /--max-error/.test(packTrouble?.message ?? "")));
}
