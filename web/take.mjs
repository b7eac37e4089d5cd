// A take of a minute, as motion capture leaves it: 31 joints of a chain, a rotation each at 60 keys a second, and where the first one is.

const SECONDS = 60;
const RATE = 60;
const JOINTS = 31;

/** Slow swings with faster ones on them; every joint and axis has its own. */
const swing = (time, joint, axis) => 0.4 * Math.sin(time * (0.7 + 0.11 * joint) + axis) + 0.1 * Math.sin(time * (3.1 + 0.37 * axis) + 2 * joint) + 0.01 * Math.sin(time * 23 + joint * axis);

function rotation(time, joint) {
  const [x, y, z] = [0, 1, 2].map((axis) => 0.5 * swing(time, joint, axis));
  const length = Math.hypot(x, y, z, 1);
  return [x / length, y / length, z / length, 1 / length];
}

/** The bytes of a `.glb`. */
export function take() {
  const times = Array.from({ length: SECONDS * RATE + 1 }, (_, i) => i / RATE);
  const tracks = Array.from({ length: JOINTS }, (_, joint) => ({ node: joint, path: "rotation", type: "VEC4", values: times.flatMap((time) => rotation(time, joint)) }));
  tracks.push({ node: 0, path: "translation", type: "VEC3", values: times.flatMap((time) => [0, 1, 2].map((axis) => 2 * swing(0.2 * time, 0, axis))) });
  const contents = [times, ...tracks.map(({ values }) => values)].map((values) => Buffer.from(new Float32Array(values).buffer));
  let offset = 0;
  const views = contents.map((content) => ({ buffer: 0, byteOffset: (offset += content.length) - content.length, byteLength: content.length }));
  const accessor = (type, bufferView) => ({ bufferView, componentType: 5126, count: times.length, type });
  const json = {
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: Array.from({ length: JOINTS }, (_, joint) => ({ translation: [0, 0.2, 0], ...(joint + 1 < JOINTS && { children: [joint + 1] }) })),
    buffers: [{ byteLength: offset }],
    bufferViews: views,
    accessors: [{ ...accessor("SCALAR", 0), min: [0], max: [SECONDS] }, ...tracks.map(({ type }, i) => accessor(type, i + 1))],
    animations: [{ name: "take", samplers: tracks.map((_, i) => ({ input: 0, output: i + 1 })), channels: tracks.map(({ node, path }, sampler) => ({ sampler, target: { node, path } })) }],
  };
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 32)]);
  const word = (...numbers) => Buffer.from(new Uint32Array(numbers).buffer);
  return Buffer.concat([word(0x46546c67, 2, 28 + padded.length + offset, padded.length, 0x4e4f534a), padded, word(offset, 0x4e4942), ...contents]);
}
