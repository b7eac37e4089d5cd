// What `keyfold validate` finds, with the places: in the original, and in what was packed.

import { at, h } from "../dom.js";
import { lookAt } from "../packing.js";
import type { Finding } from "../program/tasks.js";
import { store } from "../state.js";

const SHOWN = 30;

function entry({ severity, code, at: place, message, subject }: Finding): HTMLElement {
  return h("li", {}, h("span", { class: `severity ${severity}` }, severity), " ", subject ? `${subject}: ` : "", message, " ", h("br"), h("code", {}, place || "the file"), " ", h("code", { class: "soft" }, code));
}

function entries(findings: Finding[]): HTMLElement {
  const rest = findings.length - SHOWN;
  return h("ul", {}, ...findings.slice(0, SHOWN).map(entry), rest > 0 && h("li", { class: "soft" }, `and ${rest} more`));
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** What is wrong is seen at once; what could be better, on request. */
function list(title: string, findings: Finding[] | null): HTMLElement[] {
  if (!findings) return [h("h3", {}, `${title}: looking…`)];
  const of = (...severities: string[]): Finding[] => findings.filter(({ severity }) => severities.includes(severity));
  const [wrong, advice] = [of("error", "warning"), of("info", "hint")];
  const told = [counted(of("error").length, "error"), counted(of("warning").length, "warning")].join(", ");
  return [
    h("h3", {}, `${title}: ${told}`),
    ...(wrong.length > 0 ? [entries(wrong)] : []),
    ...(advice.length > 0 ? [h("details", {}, h("summary", {}, counted(advice.length, "hint")), entries(advice))] : []),
  ];
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
