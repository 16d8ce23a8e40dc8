// Drives the browser.  usage: main.mjs BROWSER ENDPOINT SCREENSHOTS
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import puppeteer from 'puppeteer-core';

const [executablePath, endpoint, shots] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const env = process.env;
const WAIT = 60_000;

function ok(good, name, detail) {
	console.log(`${good ? 'ok' : 'not ok'} - console: ${name}`);
	if (!good && detail !== undefined) console.log(String(detail).replace(/^/gm, '# ').slice(0, 2000));
}

const browser = await puppeteer.launch({
	executablePath,
	headless: true,
	args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-proxy-server'],
});

// -- the files, as bytes ------------------------------------------------------

const page0 = await fetch(`${endpoint}/console`);
ok(page0.status === 200 && /text\/html/.test(page0.headers.get('content-type')), 'GET /console is a page');
const csp = page0.headers.get('content-security-policy') ?? '';
ok(/default-src 'none'/.test(csp) && /frame-ancestors 'none'/.test(csp) && !/unsafe/.test(csp), 'its policy allows nothing inline and no other address', csp);
ok(page0.headers.get('set-cookie') === null && page0.headers.get('access-control-allow-origin') === null, 'no cookie, and no other origin may read it');
const again = await fetch(`${endpoint}/console`, { headers: { 'If-None-Match': page0.headers.get('etag') } });
ok(again.status === 304, 'what the browser has is not sent again', again.status);
const script = await fetch(`${endpoint}/console/console.js`);
ok(script.headers.get('content-encoding') === 'gzip', 'the script is compressed', script.headers.get('content-encoding'));
const statuses = [];
for (const path of ['/console/../index.html', '/console/%2e%2e/extension/dynamo.control', '/console/index.html', '/console/console.css/', '/consoles']) {
	statuses.push((await fetch(endpoint + path)).status);
}
ok(statuses.every((s) => s === 404), 'no path leads to another file', statuses);

// -- a page, and what it complains of -----------------------------------------

const complaints = [];
process.on('uncaughtException', (e) => {
	console.log(`not ok - console: the test ran to its end\n${String(e.stack).replace(/^/gm, '# ')}\n# ${complaints.join('\n# ')}`);
	browser.close().finally(() => process.exit(1));
});
async function newPage(width = 1400, height = 1000) {
	const context = await browser.createBrowserContext();
	const page = await context.newPage();
	page.setDefaultTimeout(WAIT);
	await page.setBypassCSP(false);
	await page.setViewport({ width, height });
	page.on('pageerror', (e) => complaints.push(`error: ${e.message}`));
	page.on('console', (m) => {
		// A refusal of the API is a failed request to the browser, too.
		if (m.type() === 'error' && !/status of (400|403)/.test(m.text())) complaints.push(m.text());
	});
	page.on('request', (r) => {
		if (!r.url().startsWith(endpoint) && !/^(data|blob|about):/.test(r.url())) complaints.push(`asks ${r.url()}`);
	});
	return page;
}

async function signIn(page, id, secret) {
	await page.goto(`${endpoint}/console`);
	await page.waitForSelector('input[name=id]');
	await page.type('input[name=id]', id);
	await page.type('input[name=secret]', secret);
	await page.keyboard.press('Enter');
}

const text = (page) => page.evaluate(() => document.querySelector('#app').innerText);
const has = async (page, what) => {
	try {
		await page.waitForFunction((w) => document.querySelector('#app').innerText.includes(w), {}, what);
		return true;
	} catch {
		return false;
	}
};
async function visit(page, hash) {
	await page.evaluate((h) => (location.hash = h), hash);
}
async function check(page, what, name) {
	const there = await has(page, what);
	ok(there, name, there ? '' : `no "${what}" in: ${(await text(page)).slice(0, 1500)}`);
}

const page = await newPage();
await page.goto(`${endpoint}/console`);
await page.waitForSelector('input[name=id]');
ok(true, 'a server that wants a key asks for one');
await signIn(page, env.AWS_ACCESS_KEY_ID, 'not the secret');
await check(page, 'SignatureException', 'a wrong secret is told in the words of the service');
await signIn(page, env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY);
await check(page, 'ConsoleShop', 'the tables, with a key');
ok((await page.evaluate(() => JSON.stringify([localStorage.length, sessionStorage.length, document.cookie]))) === '[0,0,""]', 'the key is kept in memory alone');

// -- views ----------------------------------------------------------------------

const views = {
	tables: ['#/', 'GSI1'],
	explorer: ['#/table/ConsoleShop/explore', 'items of'],
	query: ['#/table/ConsoleShop/explore?by=query&h0=CUSTOMER%237&op=begins_with&r0=ORDER%23', '6 items of 6 read'],
	index: ['#/table/ConsoleShop/explore?by=query&index=GSI1&h0=STATUS%23open&order=back', '100 items of 100 read'],
	filter: ['#/table/ConsoleShop/explore?by=query&h0=CUSTOMER%237&filter=total&fop=%3E&fvalue=20&ftype=N', '4 items of 7 read'],
	partiql: [`#/table/ConsoleShop/explore?by=partiql&statement=${encodeURIComponent(`SELECT name FROM "ConsoleShop" WHERE PK = 'CUSTOMER#9' AND SK = 'PROFILE'`)}`, 'Customer 9'],
	item: ['#/table/ConsoleShop/item?h=CUSTOMER%237&r=PROFILE', 'Past'],
	map: ['#/table/ConsoleShop/map', 'CUSTOMER#* / ORDER#*'],
	sparse: ['#/table/ConsoleShop/map?index=GSI1', 'it is sparse'],
	stream: ['#/table/ConsoleShop/stream', 'INSERT'],
	settings: ['#/table/ConsoleShop/settings', 'StreamSpecification'],
};
async function serious(page) {
	await page.evaluate(axe); // by the debugger: the page's policy stays as it is
	const result = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
	return result.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join('; ')}`);
}
for (const [name, [hash, wanted]] of Object.entries(views)) {
	await visit(page, hash);
	await check(page, wanted, `view ${name}`);
}
for (const [size, width, height] of [['wide', 1400, 1000], ['narrow', 360, 740]])
	for (const scheme of ['light', 'dark']) {
		await page.setViewport({ width, height });
		await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
		const found = [];
		for (const [name, [hash, wanted]] of Object.entries(views)) {
			await visit(page, hash);
			await has(page, wanted);
			for (const v of await serious(page)) found.push(`${name}: ${v}`);
			const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
			if (over > 0) found.push(`${name}: ${over} px too wide`);
			await page.screenshot({ path: `${shots}/${name}-${size}-${scheme}.png` });
		}
		ok(found.length === 0, `${size} and ${scheme}: axe finds nothing serious, and nothing is cut off`, found.join('\n'));
	}
await page.setViewport({ width: 1400, height: 1000 });

// -- an item is changed, and its past --------------------------------------------

const item = '#/table/ConsoleShop/item?h=CUSTOMER%238&r=PROFILE';
async function edit(page, from, to) {
	await page.waitForSelector('form.panel textarea');
	await page.$eval('form.panel textarea', (t, a, b) => {
		t.value = t.value.replace(a, b);
		t.dispatchEvent(new Event('input', { bubbles: true }));
	}, from, to);
}
const press = (page, name) => page.evaluate((n) => [...document.querySelectorAll('button')].find((b) => b.textContent.trim() === n).click(), name);
await new Promise((done) => setTimeout(done, 3000)); // the past begins before the change
await visit(page, item);
await check(page, 'Customer 8', 'an item');
const other = await newPage();
await signIn(other, env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY);
await has(other, 'ConsoleShop');
await visit(other, item);
await has(other, 'Customer 8');
await edit(page, 'Customer 8', 'Mrs Eight');
await press(page, 'Save');
await page.waitForFunction(() => document.querySelector('textarea').value.includes('Mrs Eight') && document.querySelector('#app').innerText.includes('No attribute differs'));
ok(true, 'it is changed');
await edit(other, 'Customer 8', 'Mr Eight');
await press(other, 'Save');
await check(other, 'Somebody else has changed the item', 'who saves what was shown before that is told, and overwrites nothing');
await edit(other, '"S"', '"X"');
await check(other, 'has the type X', 'a wrong type is told before it is sent');

const deadline = Date.now() + WAIT;
let before = '';
do {
	await visit(page, '#/');
	await has(page, 'ConsolePrivate');
	await visit(page, item);
	await page.waitForSelector('input[type=range]');
	await page.$eval('input[type=range]', (r) => {
		r.value = '0';
		r.dispatchEvent(new Event('input', { bubbles: true }));
	});
	await new Promise((done) => setTimeout(done, 1000));
	before = await page.$eval('section[aria-label="The item\'s past"]', (s) => s.innerText);
} while (!/Customer 8|no such item then/.test(before) && Date.now() < deadline);
ok(/UTC/.test(before) && /What has changed since/.test(before), 'a slider shows the item of then, and what has changed', before);

// -- a name for a kind of item ------------------------------------------------------

await visit(page, '#/table/ConsoleShop/map');
await page.waitForSelector('input[aria-label="Name of CUSTOMER#* / ORDER#*"]');
await page.type('input[aria-label="Name of CUSTOMER#* / ORDER#*"]', 'Order');
await page.keyboard.press('Tab');
await page.waitForFunction(() => [...document.querySelectorAll('svg.drawing text')].some((t) => t.textContent === 'Order'));
ok(true, 'a kind of item gets a name, which the drawing shows');

// -- by keyboard --------------------------------------------------------------------

const keys = await newPage();
await keys.goto(`${endpoint}/console`);
await keys.waitForSelector('input[name=id]');
async function tabTo(page, what) {
	for (let i = 0; i < 80; i++) {
		await page.keyboard.press('Tab');
		if (await page.evaluate((w) => (document.activeElement?.getAttribute('name') ?? '') === w || document.activeElement?.textContent?.trim() === w, what)) return true;
	}
	return false;
}
await tabTo(keys, 'id');
await keys.keyboard.type(env.AWS_ACCESS_KEY_ID);
await tabTo(keys, 'secret');
await keys.keyboard.type(env.AWS_SECRET_ACCESS_KEY);
await keys.keyboard.press('Enter');
await has(keys, 'ConsoleShop');
const reached = [];
for (const what of ['ConsoleShop', 'Map', 'GSI1', 'Explorer', 'by']) {
	reached.push(await tabTo(keys, what));
	if (what !== 'by') await keys.keyboard.press('Enter');
	await new Promise((done) => setTimeout(done, 500));
}
ok(reached.every(Boolean), 'tables, map, index and explorer are reached by keyboard', reached);

// -- hostile content -------------------------------------------------------------------

await visit(page, '#/table/ConsoleShop/explore?by=query&h0=HOSTILE%231');
await check(page, '<script>window.hacked = 1</script>', 'a script in a key is text');
await visit(page, '#/table/ConsoleShop/item?h=HOSTILE%231&r=' + encodeURIComponent('<script>window.hacked = 1</script>'));
ok(await page.waitForSelector('textarea').then(() => true, () => false), 'its item is shown', (await text(page)).slice(0, 500));
await check(page, 'an attribute named __proto__', 'what the SDK cannot read is said, and cannot be lost by saving');
await visit(page, '#/table/ConsoleShop/map?collection=' + encodeURIComponent('["HOSTILE#1"]'));
await check(page, 'HOSTILE#1', 'and so it is in a drawing');
ok((await page.evaluate(() => window.hacked === undefined && {}.polluted === undefined && !('html' in {}))), 'nothing of it has run');

// -- few rights --------------------------------------------------------------------------

const few = await newPage();
await signIn(few, env.ACME_ACCESS_KEY_ID, env.ACME_SECRET_ACCESS_KEY);
await check(few, 'ConsoleShop', 'a key with few rights');
await visit(few, '#/table/ConsoleShop/item?h=CUSTOMER%231&r=PROFILE');
await has(few, 'Past');
await edit(few, 'Customer 1', 'Mallory');
await press(few, 'Save');
await check(few, 'AccessDeniedException', 'may read what it may, and change nothing');
await visit(few, '#/table/ConsolePrivate/explore');
await few.waitForSelector('.problem');
ok(!(await text(few)).includes('secret'), 'and sees nothing of what it may not');

ok(complaints.length === 0, 'the browser complains of nothing: no script failed, no address but ours, nothing blocked', complaints.join('\n'));
await browser.close();
