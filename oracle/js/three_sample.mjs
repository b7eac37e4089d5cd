// Plays files with three.js, without a browser:
//   [{ file, times: [[t, ...], ...], world }] -> [{ animations: [[{ node, path, width, floats }, ...], ...], failure }]
// `times` has a list for each animation; `floats` is base64 of little-endian f32, `width` per time.
//
// Each animation is played by an AnimationMixer of its own, once, clamped at its
// ends, from the state that the file's nodes have at rest.

import { AnimationMixer, LoopOnce } from 'three';
import { load } from './three_load.mjs';
import { answer, request } from './stdio.mjs';

const PROPERTIES = { translation: 'position', rotation: 'quaternion', scale: 'scale' };

// The object that stands for each node of the file.
function objectsByNode(gltf) {
	const objects = new Map();
	for (const scene of gltf.scenes) {
		scene.traverse((object) => {
			const node = gltf.parser.associations.get(object)?.nodes;
			// Meshes of a node with several primitives are associated with it too: the first met is the node itself.
			if (node !== undefined && !objects.has(node)) objects.set(node, object);
		});
	}
	return objects;
}

function morphed(object) {
	if (object.morphTargetInfluences) return object;
	return object.children.find((child) => child.isMesh && child.morphTargetInfluences);
}

// What each channel of an animation drives, as functions that read the present value.
function probes(gltf, animation, objects) {
	return animation.channels.flatMap(({ target: { node, path } }) => {
		const object = objects.get(node);
		if (object === undefined) return [];
		if (path === 'weights') {
			const mesh = morphed(object);
			return mesh ? [{ node, path, read: () => [...mesh.morphTargetInfluences] }] : [];
		}
		const property = PROPERTIES[path];
		return property ? [{ node, path, read: () => object[property].toArray() }] : [];
	});
}

function worldProbes(objects) {
	return [...objects].map(([node, object]) => ({ node, path: 'world', read: () => object.matrixWorld.toArray() }));
}

function play(gltf, clip, times, looks) {
	const root = gltf.scene;
	const mixer = new AnimationMixer(root);
	const action = mixer.clipAction(clip);
	action.setLoop(LoopOnce, 1);
	action.clampWhenFinished = true;
	const rows = looks.map(() => []);
	for (const time of times) {
		action.reset().play();
		mixer.update(time);
		root.updateMatrixWorld(true);
		looks.forEach(({ read }, i) => rows[i].push(read()));
	}
	mixer.stopAllAction();
	return looks.map(({ node, path }, i) => ({
		node,
		path,
		width: rows[i][0]?.length ?? 0,
		floats: Buffer.from(new Float32Array(rows[i].flat()).buffer).toString('base64'),
	}));
}

async function sample({ file, times, world }) {
	try {
		const gltf = await load(file);
		const objects = objectsByNode(gltf);
		const animations = gltf.parser.json.animations ?? [];
		const played = times.map((list, index) => {
			const looks = probes(gltf, animations[index], objects);
			if (world) looks.push(...worldProbes(objects));
			return play(gltf, gltf.animations[index], list, looks);
		});
		return { animations: played, failure: null };
	} catch (error) {
		return { animations: [], failure: String(error.stack ?? error) };
	}
}

const answers = [];
for (const job of request) answers.push(await sample(job));
answer(answers);
