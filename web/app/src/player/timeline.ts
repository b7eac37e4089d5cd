// The clock: play, scrub, speed, loop; above it how far the worst joint is off over time.

import { choice, toggle } from "../controls.js";
import { at, h, token } from "../dom.js";
import { seconds } from "../format.js";
import { animationOf, seek, store } from "../state.js";
import { heatColor } from "./heat.js";

const FRAME = 1 / 30;

export function mountTimeline(): void {
  const play = h("button", { type: "button", id: "play", onclick: () => store.set({ playing: !store.now.playing }) });
  const scrub = h("input", { type: "range", id: "scrub", min: 0, step: "any", "aria-label": "Time" });
  const strip = h("canvas", { id: "strip", "aria-hidden": "true" });
  const clock = h("span", { id: "clock", class: "number" });
  scrub.addEventListener("input", () => (store.set({ playing: false }), seek(Number(scrub.value))));
  scrub.addEventListener("keydown", (event) => {
    const step = { ArrowRight: FRAME, ArrowUp: FRAME, ArrowLeft: -FRAME, ArrowDown: -FRAME, PageUp: 0.5, PageDown: -0.5 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    store.set({ playing: false });
    seek(store.now.time + step);
  });
  const speeds = [0.1, 0.25, 0.5, 1, 2].map((speed): [number, string] => [speed, `${speed} ×`]);
  at("transport").append(strip, scrub, h("div", { class: "row" }, play, toggle("Loop", "loop"), choice("Speed", "speed", speeds), h("span", { class: "grow" }), clock));

  store.watch(["playing"], ({ playing }) => (play.textContent = playing ? "Pause" : "Play"));
  store.watch(["time", "animation", "look"], (state) => {
    const end = animationOf(state)?.duration ?? 0;
    scrub.max = String(end);
    scrub.value = String(state.time);
    scrub.setAttribute("aria-valuetext", `${state.time.toFixed(2)} of ${end.toFixed(2)} seconds`);
    clock.textContent = `${seconds(state.time)} of ${seconds(end)}`;
  });
  const redraw = (): void => draw(strip);
  store.watch(["overTime", "packed", "tab"], redraw);
  new ResizeObserver(redraw).observe(strip);
}

/** The largest error of all joints, in each part of the time: as high as its share of the bound. */
function draw(strip: HTMLCanvasElement): void {
  const { overTime, packed } = store.now;
  const [width, height] = [strip.clientWidth, strip.clientHeight];
  if (width === 0) return;
  [strip.width, strip.height] = [width * devicePixelRatio, height * devicePixelRatio];
  const pen = strip.getContext("2d")!;
  pen.scale(devicePixelRatio, devicePixelRatio);
  pen.fillStyle = token("--line");
  pen.fillRect(0, height - 1, width, 1);
  const bound = packed?.report.error?.bound ?? 0;
  const parts = overTime?.joints[0]?.parts.length ?? 0;
  if (!overTime || bound === 0 || parts === 0) return;
  // The thumb's middle is half its width from the slider's ends.
  const [from, wide] = [8, (width - 16) / parts];
  for (let part = 0; part < parts; part++) {
    const share = Math.min(1, Math.max(...overTime.joints.map((joint) => joint.parts[part]!)) / bound);
    pen.fillStyle = `rgb(${heatColor(share).join(" ")})`;
    const tall = Math.max(1, share * (height - 2));
    pen.fillRect(from + part * wide, height - tall, Math.max(1, wide - 0.5), tall);
  }
}
