// Joints as marks, bones as lines between them.

import { BufferAttribute, BufferGeometry, Color, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshBasicMaterial, type Object3D, SphereGeometry, Vector3 } from "three";
import type { Model } from "./load.js";

/** Marks lie on a layer of their own. */
export const MARKS = 1;

/** Which nodes are worth a mark: those that are joints or move; without any, all. */
export function markedNodes(model: Model, moving: Iterable<number>): number[] {
  const marked = new Set<number>(moving);
  const bones = new Set<Object3D>();
  model.root.traverse((object) => (object as { skeleton?: { bones: Object3D[] } }).skeleton?.bones.forEach((bone) => bones.add(bone)));
  model.nodes.forEach((node, i) => node && bones.has(node) && marked.add(i));
  if (marked.size === 0) model.nodes.forEach((node, i) => node && marked.add(i));
  return [...marked].filter((i) => model.nodes[i]).sort((a, b) => a - b);
}

export class Skeleton {
  readonly objects: Object3D[];
  private readonly marks: InstancedMesh;
  private readonly halo: InstancedMesh;
  private readonly bones: LineSegments;
  private readonly pairs: [number, number][] = [];
  private readonly material = new MeshBasicMaterial({ depthTest: false, transparent: true });
  private readonly line = new LineBasicMaterial({ depthTest: false, transparent: true, opacity: 0.8 });
  private readonly edge = new MeshBasicMaterial({ depthTest: false, transparent: true });

  constructor(
    private readonly model: Model,
    private readonly nodes: number[],
    private readonly radius: number,
  ) {
    const sphere = new SphereGeometry(1, 12, 8);
    this.marks = new InstancedMesh(sphere, this.material, nodes.length);
    this.halo = new InstancedMesh(sphere, this.edge, nodes.length);
    const marked = new Map(nodes.map((node, i) => [model.nodes[node]!, i]));
    for (const [object, i] of marked) {
      let above = object.parent;
      while (above && !marked.has(above)) above = above.parent;
      if (above) this.pairs.push([marked.get(above)!, i]);
    }
    const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(6 * this.pairs.length), 3));
    this.bones = new LineSegments(geometry, this.line);
    this.objects = [this.bones, this.halo, this.marks];
    this.objects.forEach((object, i) => {
      object.layers.set(MARKS);
      object.frustumCulled = false;
      object.renderOrder = 10 + i;
    });
  }

  /** Puts marks where the joints are; `color` says how each looks, by index of its node. */
  update(color: (node: number) => Color, edge: string): void {
    const place = new Vector3();
    const matrix = new Matrix4();
    const places = this.nodes.map((node, i) => {
      place.setFromMatrixPosition(this.model.nodes[node]!.matrixWorld);
      this.marks.setMatrixAt(i, matrix.makeScale(this.radius, this.radius, this.radius).setPosition(place));
      const wide = 1.35 * this.radius;
      this.halo.setMatrixAt(i, matrix.makeScale(wide, wide, wide).setPosition(place));
      this.marks.setColorAt(i, color(node));
      return place.clone();
    });
    this.marks.instanceMatrix.needsUpdate = true;
    this.halo.instanceMatrix.needsUpdate = true;
    if (this.marks.instanceColor) this.marks.instanceColor.needsUpdate = true;
    const positions = this.bones.geometry.getAttribute("position") as BufferAttribute;
    this.pairs.forEach(([from, to], i) => {
      positions.setXYZ(2 * i, places[from]!.x, places[from]!.y, places[from]!.z);
      positions.setXYZ(2 * i + 1, places[to]!.x, places[to]!.y, places[to]!.z);
    });
    positions.needsUpdate = true;
    this.line.color.set(edge);
    this.edge.color.set(edge);
  }

  dispose(): void {
    this.marks.geometry.dispose();
    this.bones.geometry.dispose();
    for (const material of [this.material, this.line, this.edge]) material.dispose();
    this.marks.dispose();
    this.halo.dispose();
  }
}
