// JSON in from stdin, JSON out to stdout. What libraries chat about on the way is not wanted; their errors go to stderr.

import { readFileSync, writeSync } from 'node:fs';

console.log = console.info = console.warn = () => {};

export const request = JSON.parse(readFileSync(0, 'utf8'));

export function answer(value) {
	const bytes = Buffer.from(JSON.stringify(value));
	// A pipe takes a piece at a time.
	for (let at = 0; at < bytes.length; ) {
		try {
			at += writeSync(1, bytes, at);
		} catch (error) {
			if (error.code !== 'EAGAIN') throw error;
		}
	}
}
