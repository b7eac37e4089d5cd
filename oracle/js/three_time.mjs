// Times three.js's playback: [{ file, animation, step, seconds }] -> [{ interpolants, mixer }]
// Both in nanoseconds per track: the clip's interpolants alone, and the AnimationMixer that also sets the objects.

import { AnimationMixer, LoopRepeat } from 'three';
import { load } from './three_load.mjs';
import { answer, request } from './stdio.mjs';

// Milliseconds of the processor that this process has had.
function spent() {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}

// The least of many measurements, after as long a time for the compiler to see what it deals with. A measurement is of as
// many rounds through the clip as make it long against the clock's microsecond.
function best(seconds, samples, round) {
	const rounds = Math.ceil(50000 / samples);
	let least = Infinity;
	for (const measured of [false, true]) {
		const until = performance.now() + seconds * 1000;
		do {
			const started = spent();
			for (let i = 0; i < rounds; i++) round();
			if (measured) least = Math.min(least, spent() - started);
		} while (performance.now() < until);
	}
	return (least * 1e6) / (rounds * samples);
}

async function time({ file, animation, step, seconds }) {
	const gltf = await load(file);
	const clip = gltf.animations[animation];
	const frames = Math.floor(clip.duration / step) + 1;

	const interpolants = clip.tracks.map((track) => track.createInterpolant());
	const alone = best(seconds, frames * clip.tracks.length, () => {
		for (let frame = 0; frame < frames; frame++) {
			for (const interpolant of interpolants) interpolant.evaluate(frame * step);
		}
	});

	const mixer = new AnimationMixer(gltf.scene);
	mixer.clipAction(clip).setLoop(LoopRepeat).play();
	const mixed = best(seconds, frames * clip.tracks.length, () => {
		mixer.setTime(0);
		for (let frame = 1; frame < frames; frame++) mixer.update(step);
	});
	return { interpolants: alone, mixer: mixed };
}

const answers = [];
for (const job of request) answers.push(await time(job));
answer(answers);
