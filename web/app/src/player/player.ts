// The player: keeps both models, their poses and the stage in step with the page's state.

import { Color, Vector3 } from "three";
import { at, token } from "../dom.js";
import { length } from "../format.js";
import { lanes } from "../program/client.js";
import { type State, seek, store } from "../state.js";
import { errorsNow, heatColor } from "./heat.js";
import { type Model, loadModel } from "./load.js";
import { Pose, exaggerate } from "./pose.js";
import { Skeleton, markedNodes } from "./skeleton.js";
import { Stage } from "./stage.js";
import { clipTwin, loadTwin } from "./twin.js";

/** What the legend shows of this moment. */
export interface Moment {
  error: number;
  joint: string;
}

export class Player {
  private readonly stage = new Stage(at<HTMLCanvasElement>("canvas"));
  private poses: [Pose | undefined, Pose | undefined] = [undefined, undefined];
  private skeletons: [Skeleton | undefined, Skeleton | undefined] = [undefined, undefined];
  private nodes: number[] = [];
  private scheduled = false;
  private last = 0;
  /** Which loading is the newest: what others bring comes too late. */
  private turn = 0;
  private readonly tag = at("tag");
  /** Takes an exaggeration back. */
  private plain: () => void = () => {};

  constructor(private readonly onMoment: (moment: Moment | null) => void) {
    this.stage.controls.addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(at("canvas"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    store.watch(["animation"], ({ animation }) => this.choose(animation));
    store.watch(["wireframe"], () => this.paint());
    store.watch(["time", "layout", "divider", "mesh", "skeleton", "heat", "ghost", "exaggerate", "overTime", "settings", "tab"], () => this.draw());
    store.watch(["playing"], ({ playing }) => playing && this.tick());
  }

  /** Shows a new file; the packed side follows when there is one. */
  async open(): Promise<void> {
    const { source, animation } = store.now;
    const turn = ++this.turn;
    this.replace(0, undefined);
    this.replace(1, undefined);
    if (!source?.json) return this.draw();
    const model = await loadModel(source.files);
    if (turn !== this.turn) return;
    this.replace(0, model);
    this.choose(animation);
    this.poses[0]!.at(store.now.time);
    this.mark();
    this.stage.frame(model, this.nodes);
    store.set({ notes: [...store.now.notes, ...model.notes] });
    if (source.clip) await this.openClip(model, turn);
  }

  private async openClip(model: Model, turn: number): Promise<void> {
    const { source, animation } = store.now;
    const lines = await lanes.look.ask("lines", { files: source!.clip!, animation: 0, targets: [], times: null });
    if (turn === this.turn) this.beside(clipTwin(model, lines, animation));
  }

  /** Shows what was packed beside its original. */
  async openPacked(): Promise<void> {
    const { packed } = store.now;
    const original = this.poses[0]?.model;
    if (!packed || !original) return;
    const turn = this.turn;
    const twin = await loadTwin(original, packed.files);
    if (turn === this.turn && store.now.packed === packed) this.beside(twin);
  }

  private beside(twin: Model): void {
    this.replace(1, twin);
    this.choose(store.now.animation);
    this.mark();
    this.paint();
  }

  private replace(side: 0 | 1, model: Model | undefined): void {
    this.plain();
    this.plain = () => {};
    const old = this.poses[side];
    this.skeletons[side]?.dispose();
    this.skeletons[side] = undefined;
    this.poses[side] = model && new Pose(model);
    this.stage.sides[side].show(model?.root, []);
    old?.forget();
    // What the twin shows is mostly the original's.
    if (old && side === 0) this.stage.forget(old.model);
  }

  /** Marks on what moves. */
  private mark(): void {
    const { overTime, look } = store.now;
    const model = this.poses[0]?.model;
    if (!model) return;
    const driven = (look?.animations ?? []).flatMap(({ tracks }) => tracks).flatMap(({ target }) => /^\/nodes\/(\d+)\/(translation|rotation|scale)/.exec(target)?.[1] ?? []);
    this.nodes = markedNodes(model, [...driven.map(Number), ...(overTime?.joints ?? []).map(({ node }) => node)]);
    const radius = 0.009 * (overTime?.modelSize ?? this.stage.size);
    this.poses.forEach((pose, side) => {
      this.skeletons[side]?.dispose();
      this.skeletons[side] = pose && new Skeleton(pose.model, this.nodes.filter((i) => pose.model.nodes[i]), radius);
      this.stage.sides[side]!.show(pose?.model.root, this.skeletons[side]?.objects ?? []);
    });
  }

  private choose(animation: number): void {
    for (const pose of this.poses) pose?.choose(animation);
    this.draw();
  }

  private paint(): void {
    this.stage.setWireframe(this.poses.map((pose) => pose?.model), store.now.wireframe);
    this.draw();
  }

  /** Everything of the model in view. */
  fit(): void {
    const model = this.poses[0]?.model;
    if (model) this.stage.frame(model, this.nodes);
    this.draw();
  }

  /** Stops where the packed file is farthest off, and looks at the joint. */
  worst(): void {
    const { packed, look, overTime } = store.now;
    const error = packed?.report.error;
    if (!error || error.time === null || !look) return;
    const animation = look.animations.find(({ name, index }) => (name ?? `#${index}`) === error.animation)?.index ?? store.now.animation;
    store.set({ animation, playing: false, tab: "player" });
    store.set({ time: error.time });
    this.choose(animation);
    const joint = overTime?.index === animation ? overTime.joints[0]?.node : undefined;
    const nodes = store.now.source?.json?.nodes ?? [];
    const node = joint ?? nodes.findIndex(({ name }, i) => (name ?? `#${i}`) === error.node);
    this.pose(store.now);
    const object = this.poses[0]?.model.nodes[node];
    if (object) this.stage.focus(new Vector3().setFromMatrixPosition(object.matrixWorld));
    this.draw();
  }

  /** For keys. */
  look(sideways: number, up: number, nearer: number): void {
    this.stage.turn(sideways, up, nearer);
    this.draw();
  }

  /** Draws once, with all that changes until then. */
  draw(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      if (store.now.tab === "player") this.render(store.now);
    });
  }

  private tick(): void {
    this.last = performance.now();
    const step = (now: number): void => {
      const { playing, time, speed, loop, look, animation } = store.now;
      if (!playing) return;
      const end = look?.animations[animation]?.duration ?? 0;
      const next = time + ((now - this.last) / 1000) * speed;
      this.last = now;
      if (next > end && !loop) store.set({ playing: false });
      seek(next > end && loop && end > 0 ? next % end : next);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  /** Both models at the time that is looked at; the errors of the joints there. */
  private pose({ time, overTime, exaggerate: times }: State): Map<number, number> {
    const [a, b] = this.poses;
    this.plain();
    this.plain = () => {};
    a?.at(time);
    b?.at(time);
    if (!a || !b) return new Map();
    const errors = errorsNow(a.model, b.model, overTime?.joints ?? []);
    if (times > 1) this.plain = exaggerate(a.model, b.model, times);
    return errors;
  }

  private render(state: State): void {
    const errors = this.pose(state);
    const bound = state.packed?.report.error?.bound ?? 0;
    const [plain, edge] = [new Color(token("--mark")), token("--mark-edge")];
    const hot = new Color();
    const color = (node: number): Color => {
      const error = errors.get(node);
      if (!state.heat || error === undefined) return plain;
      const [r, g, b] = heatColor(bound > 0 ? error / bound : 0);
      return hot.setRGB(r / 255, g / 255, b / 255, "srgb");
    };
    this.skeletons[0]?.update(() => plain, edge);
    this.skeletons[1]?.update(color, edge);
    this.stage.render(state, token("--stage"), token("--ghost"));
    this.tell(state, errors);
  }

  /** Names the joint that is farthest off at this moment. */
  private tell(state: State, errors: Map<number, number>): void {
    const [node, error] = [...errors].reduce((worst, next) => (next[1] > worst[1] ? next : worst), [-1, 0]);
    const object = this.poses[1]?.model.nodes[node];
    this.tag.hidden = !object || !state.heat || !state.skeleton;
    this.onMoment(errors.size > 0 ? { error, joint: state.source?.json?.nodes?.[node]?.name ?? (node >= 0 ? `node ${node}` : "") } : null);
    if (this.tag.hidden || !object) return;
    this.tag.textContent = `${state.source?.json?.nodes?.[node]?.name ?? `node ${node}`} ${length(error)}`;
    const frame = this.stage.frames(state)[1];
    const whole = state.layout === "divider" ? { x: 0, y: 0, width: at("canvas").clientWidth, height: at("canvas").clientHeight } : frame;
    const place = new Vector3().setFromMatrixPosition(object.matrixWorld).project(this.stage.camera);
    const x = whole.x + ((place.x + 1) / 2) * whole.width;
    const y = whole.y + ((1 - place.y) / 2) * whole.height;
    this.tag.hidden = x < frame.x || x > frame.x + frame.width || y < frame.y || y > frame.y + frame.height || place.z > 1;
    this.tag.style.translate = `${Math.min(x, frame.x + frame.width - this.tag.offsetWidth - 12)}px ${y}px`;
  }
}
