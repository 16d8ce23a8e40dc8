// Every scenario of this directory, in turn: scenario_*.mjs, each with a
// function to run as its default.  One that breaks off is one failure, the
// next ones run all the same.  CLIENTS_WITHOUT="scenario_a scenario_b" leaves
// these out.
import { readdirSync } from 'node:fs';
import { dropTables } from './harness.mjs';

const without = (process.env.CLIENTS_WITHOUT ?? '').split(' ').map(name => `${name}.mjs`);
for (const name of readdirSync(import.meta.dirname ?? '.').filter(n => /^scenario_.*\.mjs$/.test(n) && !without.includes(n)).sort()) {
	try {
		await (await import(`./${name}`)).default();
		await dropTables();
	} catch (error) {
		console.log(`not ok - JavaScript: ${name} ran to its end`);
		console.log(`${error.stack}`.replace(/^/gm, '# '));
	}
}
