// What is around the canvas: what to show, the legend, the divider.

import { choice, toggle } from "../controls.js";
import { at, h } from "../dom.js";
import { length, percent } from "../format.js";
import { store } from "../state.js";
import { heatColor } from "./heat.js";
import type { Moment } from "./player.js";

/** What the panel asks of the player. */
export interface Actions {
  worst(): void;
  fit(): void;
  look(sideways: number, up: number, nearer: number): void;
}

export function mountPanel(actions: Actions): (moment: Moment | null) => void {
  const worst = h("button", { type: "button", id: "worst", onclick: () => actions.worst() }, "Worst moment");
  at("look").append(
    worst,
    choice("Layout", "layout", [["side", "Side by side"], ["divider", "Divider"]]),
    toggle("Mesh", "mesh"),
    toggle("Wireframe", "wireframe"),
    toggle("Skeleton", "skeleton"),
    toggle("Heat", "heat", "Joints coloured by how far they are off at this moment"),
    toggle("Ghost", "ghost", "The original, transparent, over the packed side"),
    choice("Exaggerate error", "exaggerate", [[1, "× 1"], [10, "× 10"], [100, "× 100"]]),
    h("button", { type: "button", id: "fit", onclick: () => actions.fit() }, "Fit"),
  );
  store.watch(["packed"], ({ packed }) => (worst.disabled = packed?.report.error?.time == null));
  mountDivider();
  mountKeys(actions);
  return mountLegend();
}

function mountDivider(): void {
  const [divider, stage] = [at("divider"), at("stage")];
  const place = (event: PointerEvent): void => {
    const { left, width } = stage.getBoundingClientRect();
    store.set({ divider: Math.min(Math.max((event.clientX - left) / width, 0), 1) });
  };
  divider.addEventListener("pointerdown", (event) => {
    divider.setPointerCapture(event.pointerId);
    divider.onpointermove = place;
  });
  divider.addEventListener("pointerup", () => (divider.onpointermove = null));
  divider.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -0.02, ArrowDown: -0.02, ArrowRight: 0.02, ArrowUp: 0.02, Home: -1, End: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    store.set({ divider: Math.min(Math.max(store.now.divider + step, 0), 1) });
  });
  store.watch(["divider", "layout"], (state) => {
    divider.hidden = state.layout !== "divider";
    divider.style.left = `${100 * state.divider}%`;
    divider.setAttribute("aria-valuenow", String(Math.round(100 * state.divider)));
  });
}

function mountKeys({ look }: Actions): void {
  at("canvas").addEventListener("keydown", (event) => {
    const turns: Record<string, [number, number, number]> = {
      ArrowLeft: [-0.1, 0, 1], ArrowRight: [0.1, 0, 1], ArrowUp: [0, 0.1, 1], ArrowDown: [0, -0.1, 1], "+": [0, 0, 0.9], "=": [0, 0, 0.9], "-": [0, 0, 1.1],
    };
    const turn = turns[event.key];
    if (!turn) return;
    event.preventDefault();
    look(...turn);
  });
}

/** From no error to the bound, in millimetres and in percent of the model; and what is now. */
function mountLegend(): (moment: Moment | null) => void {
  const bar = h("canvas", { "aria-hidden": "true", width: 144, height: 10 });
  const pen = bar.getContext("2d")!;
  for (let x = 0; x < 144; x++) {
    pen.fillStyle = `rgb(${heatColor(x / 143).join(" ")})`;
    pen.fillRect(x, 0, 1, 10);
  }
  const [top, now] = [h("span", { class: "number", id: "legend-top" }), h("span", { class: "number", id: "legend-now" })];
  const legend = at("legend");
  const scale = h("span", { class: "row" }, h("span", {}, "0"), bar, top);
  legend.append(scale, now);
  store.watch(["packed", "heat", "overTime"], ({ packed, heat, overTime }) => {
    const error = packed?.report.error;
    scale.hidden = !heat || !error;
    now.hidden = scale.hidden;
    const size = overTime?.modelSize;
    if (error) top.textContent = `${length(error.bound)}${size ? `, ${percent(error.bound / size)} of the model` : ""}`;
  });
  return (moment) => {
    const size = store.now.overTime?.modelSize;
    now.textContent = moment ? `now ${length(moment.error)}${size ? ` (${percent(moment.error / size)})` : ""}${moment.joint && moment.error > 0 ? `, ${moment.joint}` : ""}` : "";
  };
}
