// To take away: the packed file, a report, a link, the equal command line.

import { at, h } from "../dom.js";
import { packable, troubleOf } from "../packing.js";
import { Ended, lanes } from "../program/client.js";
import { packCommand, shellLine } from "../settings.js";
import { store } from "../state.js";

/** Hands a file to the browser's downloads. */
function save(name: string, contents: Blob): void {
  const address = URL.createObjectURL(contents);
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function download(): void {
  const { packed, source } = store.now;
  const known = new Set(source?.files.entries.map(([path]) => path));
  for (const [path, contents] of packed?.files.entries ?? []) if (!known.has(path)) save(path, contents);
}

async function report(button: HTMLButtonElement): Promise<void> {
  const { source, settings } = store.now;
  if (!source) return;
  button.disabled = true;
  button.textContent = "Drawing the report…";
  try {
    const page = await lanes.pack.ask("page", { files: source.files, args: packCommand(source.files.name, settings) });
    save(`${source.files.name.replace(/\.[^.]*$/, "")}.report.html`, page);
  } catch (error) {
    if (!(error instanceof Ended)) store.set({ packTrouble: troubleOf("There is no report", error) });
  }
  button.textContent = "HTML report";
  button.disabled = false;
}

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  const name = button.textContent;
  const done = await navigator.clipboard.writeText(text).then(() => true, () => false);
  button.textContent = done ? "Copied" : "Select it, and copy by hand";
  at("status").textContent = done ? "Copied." : "";
  setTimeout(() => (button.textContent = name), 1500);
}

export function mountTake(): void {
  const line = h("code", { id: "command" });
  const file = h("button", { type: "button", class: "primary", id: "download", onclick: download }, "Download packed file");
  const page = h("button", { type: "button", id: "report-button", onclick: () => void report(page) }, "HTML report");
  const link = h("button", { type: "button", onclick: () => void copy(location.href, link) }, "Copy link to this view");
  const command = h("button", { type: "button", "aria-label": "Copy command line", onclick: () => void copy(line.textContent ?? "", command) }, "Copy");
  at("taking").append(h("div", { class: "row" }, file, page, link), h("div", { class: "command" }, line, command));
  store.watch(["source", "settings"], ({ source, settings }) => (line.textContent = source ? shellLine(packCommand(source.files.name, settings)) : ""));
  store.watch(["packed"], ({ packed }) => (file.disabled = page.disabled = !packed));
  store.watch(["source"], (state) => {
    for (const id of ["settings", "take"]) at(id).hidden = !packable(state);
    at("bytes").hidden = at("findings").hidden = !state.source?.json;
  });
}
