// Runs gltf-validator on a list of files: ["file", ...] -> [{ file, issues: [{ code, severity, pointer, message }], failure }]

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import validator from 'gltf-validator';
import { answer, request } from './stdio.mjs';

async function validate(file) {
	try {
		const report = await validator.validateBytes(new Uint8Array(await readFile(file)), {
			maxIssues: 0,
			externalResourceFunction: async (uri) =>
				new Uint8Array(await readFile(join(dirname(file), decodeURIComponent(uri)))),
		});
		const issues = report.issues.messages.map(({ code, severity, pointer = null, message }) => ({
			code,
			severity,
			pointer,
			message,
		}));
		return { file, issues, failure: null };
	} catch (error) {
		return { file, issues: [], failure: String(error) };
	}
}

const reports = [];
for (const file of request) reports.push(await validate(file));
answer(reports);
