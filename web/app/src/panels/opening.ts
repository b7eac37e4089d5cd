// Opening files, and what is said where that fails.

import { at, h } from "../dom.js";
import { SAMPLES, type Sample, fromDrop, fromList, fromProgram, fromSample, named } from "../open/bring.js";
import { NotReadable, type Source, sortFiles } from "../open/source.js";
import { troubleOf } from "../packing.js";
import { lanes } from "../program/client.js";
import { type Trouble, store } from "../state.js";

function tell(trouble: Trouble | null): void {
  store.set({ trouble, busy: null });
}

/** Tries to open; what cannot be is told, and what was there stays. */
async function attempt(what: string, work: () => Promise<Source[]>): Promise<void> {
  store.set({ busy: what, trouble: null });
  try {
    const sources = await work();
    store.set({ sources });
    await show(sources[0]!, true);
  } catch (error) {
    tell(error instanceof NotReadable ? { title: error.title, message: error.message, at: error.at } : troubleOf("That could not be opened", error));
  }
}

let keepView = false;

/** Looks at one of the files. */
async function show(source: Source, fresh: boolean): Promise<void> {
  const { files, missing } = source;
  store.set({ busy: `Reading ${files.name}`, trouble: null });
  const look = await lanes.look.ask(source.json ? "look" : "clip", { files });
  const notes = missing.length > 0 ? [`Missing: ${missing.join(", ")}. Drop ${missing.length > 1 ? "them" : "it"} together with ${files.name}; the rest is shown.`] : [];
  if (look.animations.length === 0) notes.push("It has no animations.");
  const start = fresh && keepView ? {} : { animation: 0, time: 0, chosen: [] };
  keepView = false;
  const animation = Math.min("animation" in start ? 0 : store.now.animation, Math.max(0, look.animations.length - 1));
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  store.set({ ...start, animation, look, notes, source, busy: null, trouble: null, playing: !still && "time" in start, ...(source.json ? {} : { tab: "curves" as const }) });
}

const openSample = (sample: Sample): Promise<void> => attempt(`Loading ${sample.title}`, async () => sortFiles(await fromSample(sample), sample.name));

export function mountOpening(sampleName: string | null): void {
  const input = at<HTMLInputElement>("files");
  const open = (work: () => Promise<Source[]>): Promise<void> => attempt("Opening", work);
  input.addEventListener("change", () => {
    const brought = fromList(input.files!);
    input.value = "";
    if (brought.length > 0) void open(() => sortFiles(brought));
  });
  for (const id of ["choose", "choose-first"]) at(id).addEventListener("click", () => input.click());
  at("samples").append(...SAMPLES.map((sample) => h("li", {}, h("button", { type: "button", onclick: () => void openSample(sample) }, h("b", {}, sample.title), h("span", { class: "soft" }, sample.what)))));
  mountDrop(open);
  mountState();
  const files = named();
  const sample = SAMPLES.find(({ name }) => name === sampleName);
  keepView = location.hash.length > 1;
  if (files.length > 0) void open(async () => (await Promise.all((await fromProgram(files)).map((one) => sortFiles(one)))).flat());
  else if (sample) void openSample(sample);
}

function mountDrop(open: (work: () => Promise<Source[]>) => Promise<void>): void {
  const hint = at("drop");
  let deep = 0;
  // Every element on the way is entered and left.
  addEventListener("dragenter", (event) => (event.preventDefault(), (hint.hidden = ++deep === 0)));
  addEventListener("dragleave", () => (hint.hidden = --deep === 0));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    [deep, hint.hidden] = [0, true];
    const transfer = event.dataTransfer;
    // What was dropped can be asked for only now.
    const brought = transfer && fromDrop(transfer);
    if (brought) void open(async () => sortFiles(await brought));
  });
}

/** The empty page, the one with a file, what is being done, and what went wrong. */
function mountState(): void {
  const which = at<HTMLSelectElement>("which");
  which.onchange = () => {
    const source = store.now.sources[which.selectedIndex];
    if (source) void show(source, false).catch((error: unknown) => tell(troubleOf(`${source.files.name} could not be opened`, error)));
  };
  store.watch(["source", "sources"], ({ source, sources }) => {
    at("empty").hidden = source !== null;
    at("work").hidden = source === null;
    at("name").textContent = source && sources.length < 2 ? source.files.name : "";
    document.title = source ? `${source.files.name} · Keyfold` : "Keyfold";
    which.hidden = sources.length < 2;
    which.replaceChildren(...sources.map(({ files }) => h("option", {}, files.name)));
    which.selectedIndex = sources.indexOf(source!);
  });
  store.watch(["busy"], ({ busy }) => (at("status").textContent = busy ? `${busy}…` : ""));
  store.watch(["notes"], ({ notes }) => {
    at("notes").hidden = notes.length === 0;
    at("notes").replaceChildren(...notes.map((note) => h("li", {}, note)));
  });
  store.watch(["trouble"], ({ trouble }) => {
    at("trouble").hidden = !trouble;
    at("trouble").replaceChildren(...(trouble ? [h("b", {}, trouble.title), trouble.message, trouble.at ? h("code", {}, ` at ${trouble.at}`) : ""] : []));
  });
}
