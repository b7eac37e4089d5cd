// Two scenes, one camera, one canvas: side by side, or over each other with a divider between them.

import { AmbientLight, Box3, Color, DirectionalLight, GridHelper, type Material, type Mesh, MeshBasicMaterial, type Object3D, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Layout } from "../state.js";
import type { Model } from "./load.js";
import { MARKS } from "./skeleton.js";

const GROUND = 2;
/** Below this many pixels, one lies above the other. */
const NARROW = 560;

/** What to draw. */
export interface Look {
  layout: Layout;
  divider: number;
  mesh: boolean;
  skeleton: boolean;
  ghost: boolean;
}

/** A part of the canvas, in pixels from its upper left corner. */
interface Frame {
  x: number;
  y: number;
  width: number;
  height: number;
}

class Side {
  readonly scene = new Scene();
  private model: Object3D | undefined;
  private marks: Object3D[] = [];

  constructor() {
    const [sky, sun, back] = [new AmbientLight(0xffffff, 1.3), new DirectionalLight(0xffffff, 2.2), new DirectionalLight(0xffffff, 0.8)];
    sun.position.set(1, 2, 1.5);
    back.position.set(-2, 1, -1);
    for (const light of [sky, sun, back]) {
      light.layers.enableAll();
      this.scene.add(light);
    }
  }

  show(model: Object3D | undefined, marks: Object3D[]): void {
    this.scene.remove(...(this.model ? [this.model] : []), ...this.marks);
    [this.model, this.marks] = [model, marks];
    if (model) this.scene.add(model);
    if (marks.length > 0) this.scene.add(...marks);
  }

  ground(grid: GridHelper): void {
    this.scene.children.filter((object) => object.layers.isEnabled(GROUND) && object instanceof GridHelper).forEach((old) => this.scene.remove(old));
    this.scene.add(grid);
  }
}

export class Stage {
  readonly sides = [new Side(), new Side()] as const;
  readonly camera = new PerspectiveCamera(40, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  private readonly renderer: WebGLRenderer;
  private readonly ghost = new MeshBasicMaterial({ transparent: true, opacity: 0.35, depthWrite: false });
  private box = new Box3();

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "low-power" });
    this.renderer.setScissorTest(true);
    this.renderer.autoClear = false;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
  }

  /** The length that the view is made for. */
  get size(): number {
    const size = this.box.getSize(new Vector3()).length();
    return size > 0 && Number.isFinite(size) ? size : 1;
  }

  /** Looks at a model from the front, all of it. */
  frame(model: Model, nodes: number[]): void {
    this.box = boundsOf(model, nodes);
    const [center, size] = [this.box.getCenter(new Vector3()), this.size];
    const narrow = Math.min(1, this.camera.aspect);
    const distance = (0.56 * size) / Math.tan((this.camera.fov * Math.PI) / 360) / narrow;
    this.controls.target.copy(center);
    this.camera.position.copy(center).add(new Vector3(0.45, 0.3, 1).setLength(distance));
    this.camera.near = size / 500;
    this.camera.far = size * 100;
    this.controls.update();
    for (const side of this.sides) side.ground(this.grid(center));
  }

  /** A floor below the model, as a scale. */
  private grid(center: Vector3): GridHelper {
    const step = 10 ** Math.round(Math.log10(this.size / 5));
    const grid = new GridHelper(20 * step, 20, 0x888888, 0x888888);
    for (const material of [grid.material].flat()) Object.assign(material, { transparent: true, opacity: 0.25, depthWrite: false });
    grid.position.set(Math.round(center.x / step) * step, this.box.min.y, Math.round(center.z / step) * step);
    grid.layers.set(GROUND);
    return grid;
  }

  /** Looks at one place from near by, in the direction that it is looked in now. */
  focus(place: Vector3): void {
    const way = this.camera.position.clone().sub(this.controls.target).setLength(0.8 * this.size);
    this.controls.target.copy(place);
    this.camera.position.copy(place).add(way);
    this.controls.update();
  }

  /** Turns around what is looked at, or comes nearer: for keys. */
  turn(sideways: number, up: number, nearer: number): void {
    const way = this.camera.position.clone().sub(this.controls.target);
    const [radius, flat] = [way.length() * nearer, Math.hypot(way.x, way.z)];
    const [around, height] = [Math.atan2(way.x, way.z) + sideways, Math.min(Math.max(Math.atan2(way.y, flat) + up, -1.5), 1.5)];
    way.set(Math.sin(around) * Math.cos(height), Math.sin(height), Math.cos(around) * Math.cos(height)).multiplyScalar(radius);
    this.camera.position.copy(this.controls.target).add(way);
    this.controls.update();
  }

  /** Where the two sides are on the canvas. */
  frames({ layout, divider }: Look): [Frame, Frame] {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (layout === "divider") {
      const x = Math.round(width * divider);
      return [{ x: 0, y: 0, width: x, height }, { x, y: 0, width: width - x, height }];
    }
    if (width < NARROW) return [{ x: 0, y: 0, width, height: height / 2 }, { x: 0, y: height / 2, width, height: height / 2 }];
    return [{ x: 0, y: 0, width: width / 2, height }, { x: width / 2, y: 0, width: width / 2, height }];
  }

  render(look: Look, background: string, ghostColor: string): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.renderer.setClearColor(new Color(background));
    this.ghost.color.set(ghostColor);
    const frames = this.frames(look);
    frames.forEach((frame, i) => {
      const seen = look.layout === "divider" ? { x: 0, y: 0, width, height } : frame;
      if (frame.width < 1) return;
      this.camera.aspect = seen.width / seen.height;
      this.camera.updateProjectionMatrix();
      // Pixels are counted from below.
      this.renderer.setViewport(seen.x, height - seen.y - seen.height, seen.width, seen.height);
      this.renderer.setScissor(frame.x, height - frame.y - frame.height, frame.width, frame.height);
      this.renderer.clear();
      const { scene } = this.sides[i]!;
      this.draw(scene, look.mesh ? [GROUND, 0] : [GROUND]);
      if (look.ghost && i === 1) this.drawGhost(this.sides[0].scene);
      if (look.skeleton) this.draw(scene, [MARKS]);
    });
  }

  private draw(scene: Scene, layers: number[]): void {
    this.camera.layers.disableAll();
    layers.forEach((layer) => this.camera.layers.enable(layer));
    this.renderer.render(scene, this.camera);
  }

  private drawGhost(scene: Scene): void {
    this.camera.layers.set(0);
    scene.overrideMaterial = this.ghost;
    this.renderer.render(scene, this.camera);
    scene.overrideMaterial = null;
  }

  setWireframe(models: (Model | undefined)[], wireframe: boolean): void {
    for (const model of models) {
      model?.root.traverse((object) => {
        for (const material of [(object as Mesh).material ?? []].flat() as (Material & { wireframe?: boolean })[]) material.wireframe = wireframe;
      });
    }
  }

  /** Frees what a model holds on the graphics card. */
  forget(model: Model): void {
    model.root.traverse((object) => {
      const { geometry, material } = object as Mesh;
      geometry?.dispose();
      for (const one of [material ?? []].flat()) {
        for (const value of Object.values(one)) if ((value as { isTexture?: boolean } | null)?.isTexture) (value as { dispose(): void }).dispose();
        one.dispose();
      }
    });
  }
}

/** Around marked nodes and meshes that are not skinned, as they stand. Vertices of skins are near their joints: to visit them would take long. */
function boundsOf(model: Model, nodes: number[]): Box3 {
  const box = new Box3();
  model.root.updateMatrixWorld(true);
  for (const node of nodes) box.expandByPoint(new Vector3().setFromMatrixPosition(model.nodes[node]!.matrixWorld));
  model.root.traverse((object) => {
    const mesh = object as Mesh & { isSkinnedMesh?: boolean };
    if (!mesh.isMesh || mesh.isSkinnedMesh) return;
    // The loader has it from the file, where the file says it.
    if (!mesh.geometry.boundingBox) mesh.geometry.computeBoundingBox();
    if (mesh.geometry.boundingBox) box.union(mesh.geometry.boundingBox.clone().applyMatrix4(mesh.matrixWorld));
  });
  if (box.isEmpty()) box.expandByPoint(new Vector3());
  return box;
}
