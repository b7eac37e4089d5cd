// Keys for everything, and the list of them.

import { at, h } from "../dom.js";
import { type State, seek, store } from "../state.js";

const LIST: [keys: string, what: string][] = [
  ["Space", "play, pause"],
  [", .", "a frame back, a frame on"],
  ["W", "worst moment"],
  ["F", "fit the model into view"],
  ["1 2", "player, curves"],
  ["M K I", "mesh, skeleton, wireframe"],
  ["H G E", "heat, ghost, exaggerate error"],
  ["D", "side by side, divider"],
  ["O", "open files"],
  ["Arrows + −", "in the view: turn, nearer; in the graph: move the cursor, zoom; with Shift: pan"],
  ["?", "this list"],
];

export function mountKeys(actions: { worst(): void; fit(): void }): void {
  const dialog = at<HTMLDialogElement>("keys");
  const close = h("button", { type: "button", onclick: () => dialog.close() }, "Close");
  dialog.append(h("h2", { id: "keys-title" }, "Keys"), h("dl", {}, ...LIST.flatMap(([keys, what]) => [h("dt", {}, ...keys.split(" ").flatMap((key) => [h("kbd", {}, key), " "])), h("dd", {}, what)])), h("p", {}, close));
  at("keys-button").addEventListener("click", () => dialog.showModal());
  const flip = (key: keyof State): void => store.set({ [key]: !store.now[key] });
  const step = (frames: number): void => (store.set({ playing: false }), seek(store.now.time + frames / 30));
  const keys: Record<string, () => void> = {
    " ": () => flip("playing"), ",": () => step(-1), ".": () => step(1), w: actions.worst, f: actions.fit,
    "1": () => store.set({ tab: "player" }), "2": () => store.set({ tab: "curves" }),
    m: () => flip("mesh"), k: () => flip("skeleton"), i: () => flip("wireframe"), h: () => flip("heat"), g: () => flip("ghost"),
    e: () => store.set({ exaggerate: { 1: 10, 10: 100 }[store.now.exaggerate] ?? 1 }),
    d: () => store.set({ layout: store.now.layout === "side" ? "divider" : "side" }),
    o: () => at("files").click(), "?": () => dialog.showModal(),
  };
  addEventListener("keydown", (event) => {
    const within = event.target as HTMLElement;
    const writes = within.matches("input[type=text], input[type=search], select, textarea");
    // A space on a button, a tab or a box is theirs.
    const theirs = event.key === " " && within.matches("button, summary, a, input, [role=tab]");
    if (writes || theirs || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || (!store.now.source && !["o", "?"].includes(event.key))) return;
    event.preventDefault();
    action();
  });
}
