// Plays the first animation of files with Babylon.js, without a screen:
//   [{ file, pointer, times: [t, ...] }] -> [{ rows: [[number, ...], ...], failure }]
// The property is read the way Babylon.js itself resolves a pointer of the glTF object model.

import { readFile } from 'node:fs/promises';
import { NullEngine } from '@babylonjs/core/Engines/nullEngine.js';
import { SceneLoader } from '@babylonjs/core/Loading/sceneLoader.js';
import { Logger } from '@babylonjs/core/Misc/logger.js';
import { Scene } from '@babylonjs/core/scene.js';
import { registerGLTFExtension } from '@babylonjs/loaders/glTF/2.0/glTFLoaderExtensionRegistry.js';
import { GetPathToObjectConverter } from '@babylonjs/loaders/glTF/2.0/Extensions/objectModelMapping.js';
import '@babylonjs/core/Materials/Textures/Loaders/index.js';
import '@babylonjs/loaders/glTF/2.0/index.js';
import { answer, request } from './stdio.mjs';

Logger.LogLevels = Logger.NoneLogLevel;

// The loader of the file that is being loaded: it knows which object stands for which part of the file.
let loading;
registerGLTFExtension('KEYFOLD_probe', false, (loader) => {
	loading = loader;
	return { name: 'KEYFOLD_probe', enabled: false, dispose() {} };
});

function numbers(value) {
	if (typeof value === 'number' || typeof value === 'boolean') return [Number(value)];
	if (Array.isArray(value) || ArrayBuffer.isView(value)) return [...value];
	return value.asArray();
}

async function sample({ file, pointer, times }) {
	const engine = new NullEngine();
	try {
		const scene = new Scene(engine);
		scene.useRightHandedSystem = true;
		const text = await readFile(file, 'utf8');
		await SceneLoader.AppendAsync('', `data:${text}`, scene, undefined, '.gltf');
		const { object, info } = GetPathToObjectConverter(loading.gltf).convert(pointer);
		const [group] = scene.animationGroups;
		const frames = info === undefined ? [] : times;
		group.start();
		const rows = frames.map((time) => {
			group.goToFrame(time * 60);
			return numbers(info.get(object));
		});
		return { rows, failure: null };
	} catch (error) {
		return { rows: [], failure: String((error.innerError ?? error).message) };
	} finally {
		engine.dispose();
	}
}

const answers = [];
for (const job of request) answers.push(await sample(job));
answer(answers);
