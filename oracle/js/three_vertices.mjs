// Plays files with three.js, without a browser, and looks where vertices are:
//   [{ file, animation, times }] -> [{ vertices, floats, failure }]
// `floats` is base64 of little-endian f32: three for each vertex, in the scene, node by node and primitive by primitive, time after time.

import { AnimationMixer, LoopOnce, Vector3 } from 'three';
import { load } from './three_load.mjs';
import { answer, request } from './stdio.mjs';

// All meshes with the node and the primitive that they stand for, in the file's order.
function meshes(gltf) {
	const found = [];
	gltf.scene.traverse((object) => {
		if (!object.isMesh) return;
		const of = (key) => gltf.parser.associations.get(object)?.[key];
		// A node of several primitives is a group of meshes.
		const node = of('nodes') ?? gltf.parser.associations.get(object.parent)?.nodes;
		found.push({ mesh: object, node, primitive: of('primitives') ?? 0 });
	});
	return found.sort((a, b) => a.node - b.node || a.primitive - b.primitive).map(({ mesh }) => mesh);
}

function vertices(mesh) {
	const at = new Vector3();
	return Array.from({ length: mesh.geometry.attributes.position.count }, (_, i) =>
		mesh.getVertexPosition(i, at).applyMatrix4(mesh.matrixWorld).toArray(),
	).flat();
}

async function play({ file, animation, times }) {
	try {
		const gltf = await load(file);
		const mixer = new AnimationMixer(gltf.scene);
		const action = mixer.clipAction(gltf.animations[animation]);
		action.setLoop(LoopOnce, 1);
		action.clampWhenFinished = true;
		const rows = times.map((time) => {
			action.reset().play();
			mixer.update(time);
			gltf.scene.updateMatrixWorld(true);
			return meshes(gltf).flatMap(vertices);
		});
		const floats = Buffer.from(new Float32Array(rows.flat()).buffer).toString('base64');
		return { vertices: rows[0].length / 3, floats, failure: null };
	} catch (error) {
		return { vertices: 0, floats: '', failure: String(error.stack ?? error) };
	}
}

const answers = [];
for (const job of request) answers.push(await play(job));
answer(answers);
