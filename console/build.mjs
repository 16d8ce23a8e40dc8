// Builds dist/: the three files that GET /console serves, each also compressed, so
// that the server does not compress them for each visitor.
import { build } from 'esbuild';
import { copyFile, mkdir } from 'node:fs/promises';
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const LIMIT = 350_000; // bytes, compressed: what a first visit may load

await mkdir('dist', { recursive: true });
await build({
	entryPoints: { console: 'src/main.tsx' },
	outdir: 'dist',
	bundle: true,
	minify: true,
	format: 'esm',
	target: ['es2022'],
	jsx: 'automatic',
	jsxImportSource: 'preact',
	legalComments: 'none',
	charset: 'utf8',
});
await copyFile('src/console.css', 'dist/console.css');
await copyFile('src/index.html', 'dist/index.html');

let total = 0;
for (const name of ['index.html', 'console.js', 'console.css']) {
	const bytes = readFileSync(`dist/${name}`);
	const packed = gzipSync(bytes, { level: 9 });
	writeFileSync(`dist/${name}.gz`, packed);
	total += packed.length;
	console.log(`${name}: ${bytes.length} bytes, ${packed.length} compressed`);
}
if (total > LIMIT) {
	console.error(`${total} bytes compressed are more than ${LIMIT}`);
	process.exit(1);
}
