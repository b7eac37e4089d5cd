// What packing came to, in figures; while it goes on, how far it is.

import { at, h } from "../dom.js";
import { bytes, length, percent, saving, seconds } from "../format.js";
import { cancel, pack, packable } from "../packing.js";
import type { PackReport } from "../program/tasks.js";
import { type State, store } from "../state.js";

export function mountResult(): void {
  const bar = h("progress", { max: 1, "aria-label": "Packing" });
  const stop = h("button", { type: "button", id: "cancel", onclick: cancel }, "Cancel");
  const going = h("div", { class: "row", id: "going" }, h("span", { class: "grow" }, bar), stop);
  const figures = h("div", { id: "report" });
  at("figures").append(going, figures);
  store.watch(["progress"], ({ progress }) => {
    going.hidden = progress === null;
    // Nothing is known at first: then the bar only moves.
    if (progress) bar.value = progress;
    else bar.removeAttribute("value");
    figures.setAttribute("aria-busy", String(progress !== null));
  });
  store.watch(["packed", "packTrouble", "progress", "gzip", "source", "look", "overTime"], (state) => figures.replaceChildren(...content(state)));
  store.watch(["packed"], ({ packed }) => packed && (at("status").textContent = `Packed: ${saving(packed.report.bytes.before, packed.report.bytes.after)}.`));
}

function content(state: State): HTMLElement[] {
  const { packed, packTrouble, progress, source, look } = state;
  if (packTrouble) return [h("p", { class: "trouble", role: "alert" }, h("b", {}, packTrouble.title), packTrouble.message, packTrouble.at && h("code", {}, ` ${packTrouble.at}`))];
  if (packed) return packedFigures(state, packed.report);
  if (source && !packable(state)) return [h("p", { class: "soft" }, `A runtime clip${source.clip ? " beside its model" : ""}: ${bytes(source.clip?.entries[0]![1].size ?? look?.bytes ?? 0)}.`)];
  if (progress === null && source) return [h("p", { class: "soft" }, "Not packed. "), h("p", {}, h("button", { type: "button", onclick: pack }, "Pack"))];
  return [h("p", { class: "soft" }, "Packing…")];
}

function packedFigures({ gzip, overTime }: State, report: PackReport): HTMLElement[] {
  const { error, animation_bytes: animation } = report;
  const rows: [string, string][] = [["Animations", `${bytes(animation.before)} → ${bytes(animation.after)}`]];
  if (gzip.before !== null && gzip.after !== null) rows.push(["With gzip", `${bytes(gzip.before)} → ${bytes(gzip.after)}`]);
  if (error) {
    rows.push(["Largest error", `${length(error.max)} (${percent(error.relative)})`]);
    if (overTime && error.possible !== undefined) rows.push(["Proven", `at most ${length(error.possible)} of ${length(error.bound)}`]);
    if (error.node !== null && error.time !== null) rows.push(["Worst joint", `${error.node}, ${seconds(error.time)} of ${error.animation}`]);
    if (error.properties.max > 0) rows.push(["Properties", `${percent(error.properties.max)} of their range off`]);
  }
  rows.push(["Storage", report.storage]);
  const left = report.left.length > 0 && h("p", { class: "soft" }, `Left as they were: ${report.left.slice(0, 3).join("; ")}${report.left.length > 3 ? ` and ${report.left.length - 3} more` : ""}`);
  const smaller = `${saving(report.bytes.before, report.bytes.after)}; its animations are ${saving(animation.before, animation.after)}`;
  const said = report.copied ? "Nothing can be saved: the file stays as it is." : smaller;
  return [
    h("p", { class: "headline", id: "headline" }, `${bytes(report.bytes.before)} → ${bytes(report.bytes.after)}`),
    h("p", {}, said),
    h("dl", {}, ...rows.flatMap(([term, value]) => [h("dt", {}, term), h("dd", {}, value)])),
    ...(left ? [left] : []),
  ];
}
