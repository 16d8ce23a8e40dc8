// Drives the browser.  usage: main.mjs BROWSER ENDPOINT SCREENSHOTS
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
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

// Figures for people; no time decides a test.
const figure = (name, value) => console.log(`# ${name}: ${value}`);
let loaded = 0;
for (const name of ['', '/console.js', '/console.css']) loaded += Number((await fetch(`${endpoint}/console${name}`)).headers.get('content-length'));
figure('bytes of the page, compressed', loaded);
ok(loaded > 0 && loaded < 350_000, 'the page is smaller than 350 kB, compressed', loaded);

const page = await newPage();
await page.goto(`${endpoint}/console`);
await page.waitForSelector('input[name=id]');
ok(true, 'a server that wants a key asks for one');
await signIn(page, env.AWS_ACCESS_KEY_ID, 'not the secret');
await check(page, 'SignatureException', 'a wrong secret is told in the words of the service');
await signIn(page, env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY);
await check(page, 'ConsoleShop', 'the tables, with a key');
{
	const fresh = await newPage();
	await fresh.goto(`${endpoint}/console`);
	await fresh.waitForSelector('input[name=id]');
	await fresh.type('input[name=id]', env.AWS_ACCESS_KEY_ID);
	await fresh.type('input[name=secret]', env.AWS_SECRET_ACCESS_KEY);
	const began = Date.now();
	await fresh.keyboard.press('Enter');
	await fresh.waitForFunction(() => document.querySelector('#app').innerText.includes('ConsoleShop'), { polling: 'mutation' });
	figure('from the key to the list of tables, ms', Date.now() - began);
	figure('before it, until the page asks for the key, ms', await fresh.evaluate(() => Math.round(performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd)));
	const spent = await fresh.evaluate(async (hash) => {
		const before = performance.now();
		const sent = performance.getEntriesByType('resource').length;
		location.hash = hash;
		while (!document.querySelector('#app').innerText.includes('6 items of 6 read')) await new Promise((done) => requestAnimationFrame(done));
		const whole = performance.now() - before;
		const calls = performance.getEntriesByType('resource').slice(sent);
		return { whole: Math.round(whole), calls: Math.round(Math.max(...calls.map((c) => c.responseEnd)) - Math.min(...calls.map((c) => c.startTime))) };
	}, '#/table/ConsoleShop/explore?by=query&h0=CUSTOMER%237&op=begins_with&r0=ORDER%23');
	figure('a query in the explorer, from the address to its rows, ms', spent.whole);
	figure('of that, calls of the API, DescribeTable included, ms', spent.calls);
	await fresh.close();
}
ok((await page.evaluate(() => JSON.stringify([localStorage.length, sessionStorage.length, document.cookie]))) === '[0,0,""]', 'the key is kept in memory alone');

// -- views ----------------------------------------------------------------------

const views = {
	tables: ['#/', 'GSI1'],
	create: ['#/?open=create', "CreateTable's input"],
	import: ['#/?open=import', 'A model file of NoSQL Workbench'],
	operations: ['#/operations?table=ConsoleShop&every=1', 'PRODUCT#7'],
	explorer: ['#/table/ConsoleShop/explore', 'items of'],
	query: ['#/table/ConsoleShop/explore?by=query&h0=CUSTOMER%237&op=begins_with&r0=ORDER%23', '6 items of 6 read'],
	index: ['#/table/ConsoleShop/explore?by=query&index=GSI1&h0=STATUS%23open&order=back', '100 items of 100 read'],
	filter: ['#/table/ConsoleShop/explore?by=query&h0=CUSTOMER%237&filter=total&fop=%3E&fvalue=20&ftype=N', '4 items of 7 read'],
	partiql: [`#/table/ConsoleShop/explore?by=partiql&statement=${encodeURIComponent(`SELECT name FROM "ConsoleShop" WHERE PK = 'CUSTOMER#9' AND SK = 'PROFILE'`)}`, 'Customer 9'],
	projection: ['#/table/ConsoleShop/explore?by=query&h0=CUSTOMER%237&op=begins_with&r0=ORDER%23&only=SK,total', '6 items of 6 read'],
	parameters: [`#/table/ConsoleShop/explore?by=partiql&statement=${encodeURIComponent('SELECT * FROM "ConsoleShop" WHERE PK = ? AND SK = ?')}&parameters=${encodeURIComponent('[{"S": "CUSTOMER#11"}, {"S": "PROFILE"}]')}`, 'Customer 11'],
	item: ['#/table/ConsoleShop/item?h=CUSTOMER%237&r=PROFILE', 'Past'],
	json: ['#/table/ConsoleShop/explore?by=query&h0=CUSTOMER%237&as=json', '"Customer 7"'],
	map: ['#/table/ConsoleShop/map', 'CUSTOMER#* / ORDER#*'],
	sparse: ['#/table/ConsoleShop/map?index=GSI1', 'it is sparse'],
	stream: ['#/table/ConsoleShop/stream', 'INSERT'],
	filtered: [`#/table/ConsoleShop/stream?filter=${encodeURIComponent('{"Filters": [{"Pattern": "{\\"eventName\\": [\\"INSERT\\"]}"}]}')}`, 'No filter'],
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
await page.setViewport({ width: 3840, height: 2160 });
await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
for (const name of ['operations', 'map', 'query']) {
	await visit(page, views[name][0]);
	await has(page, views[name][1]);
	await page.screenshot({ path: `${shots}/${name}-4k.png` });
}
await page.setViewport({ width: 1400, height: 1000 });
await visit(page, views.projection[0]);
await has(page, views.projection[1]);
ok((await page.$$eval('.rows thead th', (all) => all.map((t) => t.textContent).join())) === 'SK,total', 'attributes that are asked for come alone');
await visit(page, '#/table/ConsoleShop/explore?by=partiql&parameters=%7B%7D');
await check(page, 'need to be a list', 'what is no list of values is told');

// -- an item is changed, and its past --------------------------------------------

const item = '#/table/ConsoleShop/item?h=CUSTOMER%238&r=PROFILE';
async function edit(page, from, to) {
	await page.waitForSelector('form.panel textarea');
	await page.$eval('form.panel textarea', (t, a, b) => {
		t.value = t.value.replace(a, b);
		t.dispatchEvent(new Event('input', { bubbles: true }));
	}, from, to);
}
const press = async (page, name) => {
	const found = await page.waitForFunction((n) => [...document.querySelectorAll('button')].find((b) => b.textContent.trim() === n && !b.disabled), {}, name);
	await found.evaluate((b) => b.click());
};
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

// The moment is a part of the address, which brings it back.
{
	const address = await page.evaluate(() => location.hash);
	ok(/at=\d+/.test(address), 'the moment is in the address', address);
	await visit(page, '#/');
	await has(page, 'ConsolePrivate');
	await visit(page, address);
	await page.waitForSelector('input[type=range]');
	ok((await page.$eval('input[type=range]', (r) => r.value)) === '0', 'and the address leads back to it');
}

// -- an item as plain JSON ------------------------------------------------------------------

await visit(page, '#/table/ConsoleShop/item?h=CUSTOMER%2312&r=PROFILE');
await check(page, 'Customer 12', 'another item');
await press(page, 'As plain JSON');
await page.waitForFunction(() => document.querySelector('textarea').value.includes('"name": "Customer 12"'));
ok((await page.evaluate(() => location.hash)).includes('as=plain'), 'as plain JSON, which the address keeps');
await edit(page, '"Customer 12"', '{"first": "Ada", "age": 36, "tags": ["a", null, true]}');
await page.waitForFunction(() => document.querySelector('form.panel table.diff'));
await press(page, 'Save');
await page.waitForFunction(() => !document.querySelector('form.panel table.diff') && document.querySelector('textarea').value.includes('"age": 36'));
ok(true, 'saved, and plain as before');
await press(page, 'With types');
await page.waitForFunction(() => document.querySelector('textarea').value.includes('"N": "36"'));
ok(/"L": \[\s+\{\s+"S": "a"\s+\},\s+\{\s+"NULL": true/.test(await page.$eval('textarea', (t) => t.value)), 'each value has got its type');
await press(page, 'As plain JSON');
await edit(page, '36', '12345678901234567890');
await check(page, 'more digits than plain JSON keeps', 'a number that would change is refused');
// -- what is deleted can be brought back ----------------------------------------------

await visit(page, '#/table/ConsoleShop/item?h=CUSTOMER%2340&r=PROFILE');
await check(page, 'Customer 40', 'an item that is to go');
await press(page, 'Delete');
await check(page, 'Undo the deletion', 'it is deleted');
await press(page, 'Undo the deletion');
await check(page, 'Put back.', 'and brought back');
await visit(page, '#/table/ConsoleShop/explore?by=query&h0=CUSTOMER%2340&r0=PROFILE');
await check(page, '1 items of 1 read', 'as it was');

// -- the plan of what is asked -----------------------------------------------------

const planText = () => page.$eval('section[aria-label="Plan"]', (s) => s.innerText).catch(() => '');
await visit(page, '#/table/ConsoleShop/explore?by=query&index=GSI1&h0=STATUS%23open&order=back');
await has(page, '100 items of 100 read');
await page.waitForFunction(() => document.querySelector('section[aria-label="Plan"]')?.innerText.includes('GSI1PK = "STATUS#open"'));
ok(/the index GSI1.*backward/s.test(await planText()), 'the explorer tells which index serves a query, and how', await planText());
await visit(page, '#/table/ConsoleShop/explore?by=partiql&statement=' + encodeURIComponent(`SELECT * FROM "ConsoleShop" WHERE PK = 'CUSTOMER#9'`));
await page.waitForFunction(() => document.querySelector('section[aria-label="Plan"]')?.innerText.includes('PK = "CUSTOMER#9"'));
ok(/items of one collection of the table/.test(await planText()), 'of a statement, too', await planText());

// -- operations --------------------------------------------------------------------

await visit(page, '#/operations?table=ConsoleShop&every=1');
await check(page, 'PRODUCT#7 / DETAILS', 'operations: the hot keys');
const operations = await text(page);
ok(/GetItem\s+\d/.test(operations), 'requests by operation', operations.slice(0, 1500));
ok(/backup\s+ConsoleShop\s+COMPLETED/.test(operations), 'the backup among the jobs', operations.slice(-1500));
ok(/members of pg_monitor/.test(operations), 'workers are for others');
await page.waitForFunction(() => document.querySelectorAll('.chart path[d*="L"]').length >= 2);
ok(true, 'what is counted is drawn over time');
await page.waitForFunction(() => document.querySelectorAll('.heat tbody tr:first-child rect').length >= 2);
ok(true, 'and so are the keys');

// -- a mapping whose function fails ------------------------------------------------------

await page.waitForSelector('button[aria-label="Retry now: console.take"]');
await check(page, 'there is a FAULT', 'why a function failed');
ok(true, 'a batch that waits can be tried again');
await visit(page, '#/table/ConsoleQueue/item?h=FAULT');
await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('FAULT'));
await press(page, 'Delete');
await has(page, 'Undo the deletion');
await visit(page, '#/operations?table=ConsoleShop&every=1');
await (await page.waitForSelector('button[aria-label="Retry now: console.take"]')).click();
await page.waitForFunction(() => /console\.take\s+ConsoleQueue\s+enabled\s+none\s+2\s+0\s+OK/.test(document.querySelector('#app').innerText));
ok(true, 'and is handled then');
await (await page.waitForSelector('button[aria-label="Stop: console.take"]')).click();
await page.waitForFunction(() => /console\.take\s+ConsoleQueue\s+disabled/.test(document.querySelector('#app').innerText));
await (await page.waitForSelector('button[aria-label="Start: console.take"]')).click();
await page.waitForFunction(() => /console\.take\s+ConsoleQueue\s+enabled/.test(document.querySelector('#app').innerText));
ok(true, 'a mapping is stopped and started');

// -- time to live and recovery -------------------------------------------------------------

await visit(page, '#/table/ConsoleQueue/settings');
await page.waitForSelector('input[name=ttl]');
await page.type('input[name=ttl]', 'until');
await press(page, 'Have items expire');
await check(page, 'Items are deleted when the time in until has come', 'items expire');
await check(page, 'The past of items is not kept', 'without recovery');
await press(page, 'Keep the past');
await check(page, 'for 35 days at most', 'their past is kept');
await press(page, 'Forget the past');
await check(page, 'Forget it: nothing brings it back', 'and not forgotten by one click');
await press(page, 'Keep it');
await check(page, 'Forget the past', 'so it stays');

// -- a filter of event source mappings -------------------------------------------------

const criteria = JSON.stringify({ Filters: [{ Pattern: JSON.stringify({ eventName: ['MODIFY'], dynamodb: { NewImage: { name: { S: [{ prefix: 'Mrs' }] } } } }) }] });
await visit(page, '#/table/ConsoleShop/stream?filter=' + encodeURIComponent(criteria));
await page.waitForFunction(() => /^1 of \d+ records/m.test(document.querySelector('#app').innerText));
ok(/MODIFY CUSTOMER#8 \/ PROFILE/.test(await text(page)) && !/INSERT CUSTOMER/.test(await text(page)), 'a filter shows what a mapping would get', await text(page));
await visit(page, '#/table/ConsoleShop/stream?filter=' + encodeURIComponent('{"Filters": [{"Pattern": "{\\"eventName\\": []}"}]}'));
await check(page, 'the array of "eventName" is empty', 'what is wrong with one is told');

// -- a model file of NoSQL Workbench --------------------------------------------------

const downloads = resolve(shots, '../downloads');
await (await page.createCDPSession()).send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads, browserContextId: page.browserContext().id });
async function downloaded(name) {
	for (let i = 0; i < 600; i++) {
		if (existsSync(`${downloads}/${name}`)) return readFileSync(`${downloads}/${name}`, 'utf8');
		await new Promise((done) => setTimeout(done, 100));
	}
	return '';
}
await visit(page, '#/table/ConsoleShop/map');
await has(page, 'CUSTOMER#* / ORDER#*');
await press(page, 'Save as NoSQL Workbench model');
const saved = JSON.parse((await downloaded('ConsoleShop.json')) || 'null');
const model = saved?.DataModel?.[0];
ok(model?.TableName === 'ConsoleShop' && model.KeyAttributes.PartitionKey.AttributeName === 'PK' && model.KeyAttributes.SortKey.AttributeType === 'S', 'a model has the keys', JSON.stringify(saved)?.slice(0, 500));
ok(model?.GlobalSecondaryIndexes?.[0]?.IndexName === 'GSI1' && model.TableFacets.some((f) => f.KeyAttributeAlias.SortKeyAlias === 'ORDER#*'), 'indexes and kinds of items');
ok(model?.TableData?.length > 340 && model.TableData.some((i) => i.PK.S === 'CUSTOMER#7' && i.SK.S === 'PROFILE'), 'and the items', model?.TableData?.length);
// The same with fewer items, another name and Workbench's own kind of alias, as its users have it.
model.TableName = 'ConsoleModel';
model.TableData = model.TableData.filter((i) => /^CUSTOMER#[1-5]$/.test(i.PK.S));
model.TableFacets = [{ FacetName: 'Buyer', KeyAttributeAlias: { PartitionKeyAlias: 'CUSTOMER#<id>', SortKeyAlias: 'PROFILE' } }];
writeFileSync(`${downloads}/model.json`, JSON.stringify(saved));
writeFileSync(`${downloads}/bad.json`, JSON.stringify({ DataModel: [{ TableName: '<b>x</b>', KeyAttributes: { PartitionKey: { AttributeName: 'a', AttributeType: 'M' } } }] }));
await visit(page, '#/?open=import');
const file = await page.waitForSelector('input[type=file]');
await file.uploadFile(`${downloads}/bad.json`);
await check(page, 'a key of type M', 'a bad model is told, as text');
await file.uploadFile(`${downloads}/model.json`);
await check(page, '1 indexes, 35 items, 1 kinds with names', 'a model is shown before it is made');
await press(page, 'Create 1 tables');
await check(page, '1 tables are made.', 'its table is made');
await visit(page, '#/table/ConsoleModel/map');
await page.waitForFunction(() => document.querySelector('input[aria-label="Name of CUSTOMER#* / PROFILE"]')?.value === 'Buyer');
ok(/All 35 items/.test(await text(page)), 'with its items, and the names of their kinds');
await press(page, 'Save as SVG');
const drawing = await downloaded('ConsoleModel.svg');
ok(/<svg/.test(drawing) && /fill="rgb/.test(drawing) && !/var\(/.test(drawing), 'the map is saved as a drawing with its colours', drawing.slice(0, 300));

// Files as Workbench itself writes them: two tables, provisioned throughput with auto
// scaling, formats of sample data, facets whose aliases are words.
const models = resolve(import.meta.dirname, 'models');
for (const [name, told, tables] of [['staff', '2 indexes, 3 items, 0 kinds with names', 1], ['library', '1 indexes, 24 items, 4 kinds with names', 2]]) {
	await visit(page, '#/');
	await has(page, 'ConsoleShop');
	await visit(page, '#/?open=import');
	await (await page.waitForSelector('input[type=file]')).uploadFile(`${models}/${name}.json`);
	await check(page, told, `the model ${name} is read`);
	await press(page, `Create ${tables} tables`);
	await check(page, `${tables} tables are made.`, 'and made');
}
await visit(page, '#/table/WorkbenchStaff/settings');
await check(page, '"ReadCapacityUnits": 7', 'with its throughput');
await check(page, '"ProjectionType": "INCLUDE"', 'and its projections');
await visit(page, '#/table/WorkbenchStaff/item?h=lmaes');
await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('/9j/4AAQ'));
ok(true, 'bytes are what they were');
await visit(page, '#/table/WorkbenchLibrary/map');
for (const [kind, name] of [['BOOK#* / META', 'Book'], ['BOOK#* / COPY#*', 'Copy'], ['READER#* / PROFILE', 'Reader'], ['READER#* / LOAN#*', 'Loan']]) {
	await page.waitForFunction((k, n) => document.querySelector(`input[aria-label="Name of ${k}"]`)?.value === n, {}, kind, name);
	ok(true, `a facet is known by its attributes: ${name}`);
}

// -- 100,000 items ---------------------------------------------------------------------

await visit(page, '#/table/ConsoleMany/explore');
await has(page, '100 items of 100 read');
await press(page, 'All pages');
await page.waitForFunction(() => /^100000 items of 100000 read/m.test(document.querySelector('#app').innerText), { timeout: 300_000, polling: 500 });
ok(true, '100,000 items are loaded, page by page');
// What a frame costs, in time of the processor, which others on the machine do not add to.
await page.tracing.start({ categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'] });
const scrolled = await page.evaluate(async () => {
	const box = document.querySelector('.rows');
	const frame = () => new Promise((done) => requestAnimationFrame(done));
	let most = 0;
	const began = performance.now();
	const frames = 120;
	for (let i = 1; i <= frames; i++) {
		box.scrollTop = ((box.scrollHeight - box.clientHeight) * i) / frames;
		await frame();
		most = Math.max(most, box.querySelectorAll('tbody tr').length);
	}
	const spent = performance.now() - began;
	await frame();
	await frame();
	const rows = [...box.querySelectorAll('tbody tr[aria-rowindex]')];
	const last = rows.at(-1);
	return { most, last: last.getAttribute('aria-rowindex'), seen: last.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom + 1, frames, rate: Math.round((frames * 1000) / spent) };
});
const traced = JSON.parse(Buffer.from(await page.tracing.stop()).toString()).traceEvents;
const cost = (name) => {
	const events = traced.filter((e) => e.name === name && e.ph === 'X' && e.tdur > 0);
	const threads = new Map();
	for (const e of events) threads.set(`${e.pid} ${e.tid}`, (threads.get(`${e.pid} ${e.tid}`) ?? 0) + e.tdur);
	return (Math.max(0, ...threads.values()) / 1000 / scrolled.frames).toFixed(1);
};
figure('frames a second while 100,000 items scroll', scrolled.rate);
figure('ms of the processor for a frame', `${cost('RunTask')}, of which the script of the list ${cost('EventDispatch')}, layout ${cost('Layout')}, painting ${cost('Paint')}`);
ok(scrolled.most < 150 && scrolled.last === '100000' && scrolled.seen, 'they scroll to the last, and few are drawn', JSON.stringify(scrolled));

// -- a name for a kind of item ------------------------------------------------------

await visit(page, '#/table/ConsoleShop/map');
await page.waitForSelector('input[aria-label="Name of CUSTOMER#* / ORDER#*"]');
await page.type('input[aria-label="Name of CUSTOMER#* / ORDER#*"]', 'Order');
await page.keyboard.press('Tab');
await page.waitForFunction(() => [...document.querySelectorAll('svg.drawing text')].some((t) => t.textContent === 'Order'));
ok(true, 'a kind of item gets a name, which the drawing shows');
await page.select('select[aria-label="Colour of CUSTOMER#* / ORDER#*"]', 'pink');
await page.waitForFunction(() => document.querySelectorAll('svg.drawing g.kind8').length >= 6);
ok(true, 'and a colour');
await visit(page, '#/');
await has(page, 'ConsolePrivate');
await visit(page, '#/table/ConsoleShop/map');
await page.waitForFunction(() => document.querySelector('select[aria-label="Colour of CUSTOMER#* / ORDER#*"]')?.value === 'pink');
ok((await page.$eval('input[aria-label="Name of CUSTOMER#* / ORDER#*"]', (i) => i.value)) === 'Order', 'both are kept with the table');

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
await visit(few, '#/operations?table=ConsoleShop&every=1');
await check(few, 'There is none in the last 90 days', "it sees the statistics of what it may read, and nobody else's jobs");
await visit(few, '#/operations?table=ConsolePrivate&every=1');
await check(few, "1 tables are not this key's to see", 'of what it may not read it sees no statistics');
await few.waitForSelector('section[aria-label="Hot keys"] .problem');
ok(!(await text(few)).includes('GetItem') && !(await text(few)).includes('PutItem'), 'and no hot keys');

ok(complaints.length === 0, 'the browser complains of nothing: no script failed, no address but ours, nothing blocked', complaints.join('\n'));
await browser.close();
