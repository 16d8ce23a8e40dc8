// Builds dist/: the three files that GET /console serves, each also compressed, so
// that the server does not compress them for each visitor; and notices.txt, the licenses
// of the packages that are in them, which say that they go where the packages go.
import { build } from 'esbuild';
import { copyFile, mkdir } from 'node:fs/promises';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const LIMIT = 350_000; // bytes, compressed: what a first visit may load

await mkdir('dist', { recursive: true });
const { metafile } = await build({
	entryPoints: { console: 'src/main.tsx' },
	outdir: 'dist',
	bundle: true,
	minify: true,
	format: 'esm',
	target: ['es2022'],
	jsx: 'automatic',
	jsxImportSource: 'preact',
	legalComments: 'none',
	metafile: true,
	charset: 'utf8',
});
await copyFile('src/console.css', 'dist/console.css');
await copyFile('src/index.html', 'dist/index.html');

const folders = Object.keys(metafile.inputs)
	.map((path) => path.match(/node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+/)?.[0])
	.filter(Boolean);
const notices = new Map(); // by their text, which many packages share
for (const folder of [...new Set(folders)].sort()) {
	const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
	const text = readdirSync(folder)
		.filter((file) => /^(licen[sc]e|notice|copying)(\.\w+)?$/i.test(file))
		.sort()
		.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim())
		.join('\n\n');
	const key = text || `License: ${license}`;
	notices.set(key, [...(notices.get(key) ?? []), `${name} ${version}`]);
}
writeFileSync('dist/notices.txt',
	[...notices].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`).join(`\n${'-'.repeat(72)}\n\n`));

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
