// Loads a glTF file with three.js, without a browser: no textures, no materials, files from the disk.

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MeshBasicMaterial } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';

export async function load(file) {
	const bytes = await readFile(file);
	const loader = new GLTFLoader();
	loader.setMeshoptDecoder(MeshoptDecoder);
	loader.register((parser) => {
		const inside = parser.loadBuffer.bind(parser);
		parser.loadBuffer = (index) => externalBuffer(parser.json.buffers[index], dirname(file)) ?? inside(index);
		return { name: 'KEYFOLD_FILES', loadMaterial: async () => new MeshBasicMaterial() };
	});
	return loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '');
}

// A buffer in a file of its own, which the loader would fetch from a server; null for those inside.
function externalBuffer(buffer, folder) {
	if (buffer.uri === undefined || buffer.uri.startsWith('data:')) return null;
	return readFile(join(folder, decodeURIComponent(buffer.uri))).then((bytes) =>
		bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
	);
}
