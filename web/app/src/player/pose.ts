// A model at a time of an animation.

import { AnimationMixer, LoopOnce, Quaternion, Vector3 } from "three";
import type { Model } from "./load.js";

export class Pose {
  private readonly mixer: AnimationMixer;

  constructor(readonly model: Model) {
    this.mixer = new AnimationMixer(model.root);
  }

  /** Which animation plays; what it does not drive rests. */
  choose(animation: number): void {
    this.mixer.stopAllAction();
    const clip = this.model.clips[animation];
    if (!clip) return;
    const action = this.mixer.clipAction(clip);
    action.setLoop(LoopOnce, 1);
    action.clampWhenFinished = true;
    action.reset().play();
  }

  at(time: number): void {
    this.mixer.setTime(time);
    this.model.root.updateMatrixWorld(true);
  }

  /** Before the model goes. */
  forget(): void {
    this.mixer.stopAllAction();
    this.mixer.uncacheRoot(this.model.root);
  }
}

const turn = new Quaternion();
const axis = new Vector3();

/** Moves every node of `b` so many times as far from where it is in `a`, in its parent's space: small differences become large ones of the same
 * direction. What it answers with undoes that: the mixer writes only what changes from one time to the next. */
export function exaggerate(a: Model, b: Model, times: number): () => void {
  const before = b.nodes.map((node) => node && ([node, node.position.clone(), node.quaternion.clone(), node.scale.clone()] as const));
  b.nodes.forEach((node, i) => {
    const from = a.nodes[i];
    if (!node || !from) return;
    node.position.lerpVectors(from.position, node.position, times);
    node.scale.lerpVectors(from.scale, node.scale, times);
    turn.copy(from.quaternion).invert().multiply(node.quaternion);
    if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
    const sine = Math.hypot(turn.x, turn.y, turn.z);
    if (sine > 0) axis.set(turn.x / sine, turn.y / sine, turn.z / sine);
    const angle = 2 * Math.atan2(sine, turn.w) * times;
    node.quaternion.copy(from.quaternion).multiply(turn.setFromAxisAngle(axis, sine > 0 ? angle : 0));
  });
  b.root.updateMatrixWorld(true);
  return () => {
    for (const one of before) {
      if (!one) continue;
      const [node, position, quaternion, scale] = one;
      node.position.copy(position);
      node.quaternion.copy(quaternion);
      node.scale.copy(scale);
    }
  };
}
