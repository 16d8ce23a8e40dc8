// Every scenario of this directory, in turn: scenario_*.mjs, each with a
// function to run as its default.  One that breaks off is one failure, the
// next ones run all the same.
import { readdirSync } from 'node:fs';
import { dropTables } from './harness.mjs';

for (const name of readdirSync(import.meta.dirname ?? '.').filter(n => /^scenario_.*\.mjs$/.test(n)).sort()) {
	try {
		await (await import(`./${name}`)).default();
		await dropTables();
	} catch (error) {
		console.log(`not ok - JavaScript: ${name} ran to its end`);
		console.log(`${error.stack}`.replace(/^/gm, '# '));
	}
}
