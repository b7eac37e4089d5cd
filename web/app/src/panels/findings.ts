// What `keyfold validate` finds, with the places: in the original, and in what was packed.

import { at, h } from "../dom.js";
import { lookAt } from "../packing.js";
import type { Finding } from "../program/tasks.js";
import { store } from "../state.js";

const SHOWN = 30;

function entry({ severity, code, at: place, message, subject }: Finding): HTMLElement {
  return h("li", {}, h("span", { class: `severity ${severity}` }, severity), " ", subject ? `${subject}: ` : "", message, " ", h("br"), h("code", {}, place || "the file"), " ", h("code", { class: "soft" }, code));
}

function list(title: string, findings: Finding[] | null): HTMLElement[] {
  const count = (severity: string): number => findings!.filter((finding) => finding.severity === severity).length;
  const told = findings && ["error", "warning", "info", "hint"].flatMap((severity) => (count(severity) > 0 ? [`${count(severity)} ${severity}${count(severity) > 1 ? "s" : ""}`] : [])).join(", ");
  const summary = h("h3", {}, `${title}: ${findings ? told || "nothing to find" : "looking…"}`);
  if (!findings || findings.length === 0) return [summary];
  const rest = findings.length - SHOWN;
  return [summary, h("ul", {}, ...findings.slice(0, SHOWN).map(entry), rest > 0 && h("li", { class: "soft" }, `and ${rest} more`))];
}

export function mountFindings(): void {
  store.watch(["look", "packed"], async ({ look, packed }) => {
    const draw = (after: Finding[] | null): void =>
      at("finding-list").replaceChildren(...list("Original", look?.findings ?? null), ...(packed ? list("Packed", after) : []));
    draw(null);
    const after = packed ? await lookAt(packed).then(({ findings }) => findings, () => null) : null;
    if (store.now.packed === packed && store.now.look === look) draw(after);
  });
}
