// Drives the browser.  usage: main.mjs BROWSER ENDPOINT SCREENSHOTS
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import puppeteer from 'puppeteer-core';

const [executablePath, endpoint, shots] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const env = process.env;
const WAIT = 300_000;

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
		if (/"ConsistentRead":true/.test(r.postData() ?? '')) complaints.push('asks for a consistent read, which a standby refuses');
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

const sql = (statement) => execFileSync('psql', ['-X', '-A', '-t', '-q', '-v', 'ON_ERROR_STOP=1', '-c', statement], { encoding: 'utf8' }).trim();
const press = async (page, name) => {
	const found = await page.waitForFunction((n) => [...document.querySelectorAll('button')].find((b) => b.textContent.trim() === n && !b.disabled), {}, name);
	await found.evaluate((b) => b.click());
};
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
	flagged: ['#/table/ConsoleShop/map?index=GSI2', 'FLAGGED'],
	// relations: scenario E
	'e-explorer': ['#/table/ConsoleGraph/explore', 'items of'],
	'e-query': ['#/table/ConsoleGraph/explore?by=query&h0=STORES&op=begins_with&r0=US%23CA%23', '3 items of 3 read'],
	'e-partiql': [`#/table/ConsoleGraph/explore?by=partiql&statement=${encodeURIComponent(`SELECT PK, grade FROM "ConsoleGraph"."Inverted" WHERE SK = 'COURSE#1' AND begins_with(PK, 'STUDENT#')`)}`, '3 items of 3 read'],
	'e-item': ['#/table/ConsoleGraph/item?h=STUDENT%231&r=COURSE%232', 'Point-in-time recovery is off'],
	'e-map': ['#/table/ConsoleGraph/map', 'STUDENT#* / COURSE#*'],
	'e-inverted': ['#/table/ConsoleGraph/map?index=Inverted&collection=' + encodeURIComponent('["COURSE#1"]'), 'Largest collections of Inverted'],
	'e-stream': ['#/table/ConsoleGraph/stream?part=INSERT', 'TENANT#acme#USER#1'],
	'e-settings': ['#/table/ConsoleGraph/settings', 'Inverted'],
	'e-operations': ['#/operations?table=ConsoleGraph&every=1', 'Query'],
	// sales, which SQL reports: scenario J
	'j-explorer': ['#/table/ConsoleSales/explore', '49 items of 49 read'],
	'j-query': ['#/table/ConsoleSales/explore?by=query&index=ByCustomer&h0=ann&r0=invoice&op=%3E%3D&r1=2026-03-02', '6 items of 6 read'],
	'j-json': ['#/table/ConsoleSales/explore?by=query&h0=2026-03-01&r0=100&as=json', '"AAEC"'],
	'j-item': ['#/table/ConsoleSales/item?h=2026-03-01&r=100', '2026-03-01 / 100'],
	'j-map': ['#/table/ConsoleSales/map', 'All 49 items.'],
	'j-index': ['#/table/ConsoleSales/map?index=ByCustomer', 'ann'],
	'j-stream': ['#/table/ConsoleSales/stream?part=INSERT', '2026-03-01 / 100'],
	'j-settings': ['#/table/ConsoleSales/settings', 'ByCustomer'],
	'j-operations': ['#/operations?table=ConsoleSales&every=1', 'Query'],
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
			// E and J at both sizes, one of them light and one dark
			if (/^[ej]-/.test(name) && (size === 'wide') !== (scheme === 'light')) continue;
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
// The page before has the same words, so it is the heads that are waited for.
const alone = page.waitForFunction(() => [...document.querySelectorAll('.rows thead th')].map((t) => t.textContent).join() === 'SK,total');
ok(await alone.then(() => true, () => false), 'attributes that are asked for come alone');
await visit(page, '#/table/ConsoleShop/explore?by=partiql&parameters=%7B%7D');
await check(page, 'need to be a list', 'what is no list of values is told');
await visit(page, '#/table/ConsoleShop/explore?by=partiql&statement=' + encodeURIComponent(`DELETE FROM "ConsoleShop" WHERE PK = 'NOBODY' AND SK = 'PROFILE'`));
await check(page, 'run by the button alone', 'a link does not run a statement that writes');
await press(page, 'Run');
await check(page, '0 items of 0 read', 'the button runs it');
await page.$eval('textarea[name=statement]', (t) => {
	t.value = `DELETE FROM "ConsoleShop" WHERE PK = 'NOBODY'`;
	t.dispatchEvent(new Event('input', { bubbles: true }));
});
await press(page, 'Run');
await check(page, 'mandatory equality', 'and another one, which changes the address');
sql(`SELECT dynamo.put_item('ConsoleShop', '{"PK": "TWICE", "SK": "PROFILE", "n": 0}')`);
await visit(page, '#/table/ConsoleShop/explore?by=partiql&statement=' + encodeURIComponent(`UPDATE "ConsoleShop" SET n = n + 1 WHERE PK = 'TWICE' AND SK = 'PROFILE'`));
await check(page, 'run by the button alone', 'a statement that adds');
const executes = (r) => /\.ExecuteStatement$/.test(r.headers()['x-amz-target'] ?? '');
let executed = 0;
const count = (r) => (executed += Number(executes(r)));
page.on('request', count);
for (const [n, name] of [[1, 'a double click runs it once'], [2, 'and one click later once more']]) {
	const answered = page.waitForResponse((r) => executes(r.request()));
	await page.$$eval('button', (all, clicks) => {
		const run = all.find((b) => b.textContent === 'Run');
		for (let i = 0; i < clicks; i++) run.click();
	}, 3 - n);
	await answered;
	await page.waitForFunction(() => !document.querySelector('form.request .busy').innerText && document.querySelector('#app').innerText.includes('0 items of 0 read'));
	await new Promise((done) => setTimeout(done, 600));
	const found = sql(`SELECT item->>'n' FROM dynamo.get_item('ConsoleShop', 'TWICE', 'PROFILE')`);
	ok(executed === n && found === String(n), name, `${executed} requests, ${found}`);
}
page.off('request', count);
sql(`SELECT dynamo.delete_item('ConsoleShop', '{"PK": "TWICE", "SK": "PROFILE"}')`);

// -- kinds of items in the map ------------------------------------------------------

const kinds = () => page.$$eval('.kinds tbody tr', (rows) => rows.map((r) => [r.querySelector('code').textContent, ...[...r.querySelectorAll('td.number')].map((t) => t.textContent)].join(' | ')));
const drawn = () => page.$$eval('svg.drawing g', (all) => all.map((g) => [...g.querySelectorAll('text')].map((t) => t.textContent).join(' | ')));
async function same(found, wanted, name) {
	const missing = wanted.filter((w) => !found.some((f) => f.startsWith(w)));
	ok(missing.length === 0, name, `missing: ${missing.join(', ')}\nfound:\n${found.join('\n')}`);
}
await visit(page, '#/table/ConsoleShop/map');
await has(page, 'ORDER#* / ITEM#*');
await same(await kinds(), ['CUSTOMER#* / PROFILE | 40 | 40 | –', 'CUSTOMER#* / ORDER#* | 240 | 240 | 4', 'ORDER#* / META | 5 | – | –', 'ORDER#* / ITEM#* | 10 | – | –', 'PRODUCT#* / DETAILS | 60 | 60 | –'], 'a shop: its kinds of items, and which of them an index has');
await visit(page, '#/table/ConsoleShop/map?index=GSI2');
await page.waitForFunction(() => document.querySelectorAll('svg.drawing g').length === 4);
ok(!(await drawn()).some((d) => d.includes('total')), 'an index of keys alone shows no other attributes', await drawn());
await visit(page, '#/table/ConsoleGraph/map');
await has(page, 'TENANT#*#USER#* / PROFILE');
await same(
	await kinds(),
	['USER#* / METADATA | 1', 'USER#* / PREFERENCES | 1', 'STUDENT#* / STUDENT#* | 4', 'COURSE#* / COURSE#* | 4', 'STUDENT#* / COURSE#* | 12', 'STORES / US#CA#* | 3', 'STORES / US#NY#* | 1', 'SALES / US#* | 14', 'DOC#* / v* | 8', 'TENANT#*#USER#* / PROFILE | 9'],
	'relations: edges, a hierarchy, versions and tenants are told from one another',
);
await visit(page, '#/table/ConsoleGraph/map?index=Inverted&collection=' + encodeURIComponent('["COURSE#1"]'));
await page.waitForFunction(() => document.querySelector('section[aria-label="Drawing"] h2')?.textContent === 'COURSE#1' && document.querySelectorAll('svg.drawing g').length === 4);
await same(await drawn(), ['COURSE#1 | COURSE#* / COURSE#*', 'STUDENT#2 | STUDENT#* / COURSE#*', 'STUDENT#3', 'STUDENT#4'], 'an inverted index shows them from the other side');
await visit(page, '#/table/ConsoleGraph/map?index=Inverted&collection=' + encodeURIComponent('["COURSE#99"]'));
await check(page, 'is in the collection ["COURSE#99"]', 'a collection that is not among the items is told');
ok((await page.$$('svg.drawing')).length === 0, 'and no other one is drawn in its place');
await visit(page, '#/table/ConsoleSales/map?index=ByCustomer&collection=' + encodeURIComponent('["ann"]'));
await page.waitForFunction(() => document.querySelector('section[aria-label="Drawing"] h2')?.textContent === 'ann');
const sales = await drawn();
ok(/^gift \/ 2026-03-01/.test(sales[0]) && /^invoice \/ 2026-03-01/.test(sales[1]) && sales.length === 17, 'several sort keys give the order of an index', sales);
ok(sales.every((d) => d.includes('price') && !/lines|tags/.test(d)), 'and its projection says what it has', sales);

sql(`SET ROLE clerk; SELECT dynamo.create_table('ConsoleLarge', 'id');
	INSERT INTO dynamo_data."ConsoleLarge" (item) SELECT jsonb_build_object('id', 'DOC#' || n, 'text', repeat('x', 409000))::dynamo.item FROM generate_series(1, 200) n`);
await visit(page, '#/table/ConsoleLarge/map');
await check(page, 'A sample of 16', 'of the largest items the map looks at 64 MB');
sql(`SELECT dynamo.drop_table('ConsoleLarge')`);

// -- the list of tables -----------------------------------------------------------------

await visit(page, '#/');
await page.waitForFunction(() => /PK, SK\s+\d+\s+[\d.]+ kB[^]*GSI1 [\d.]+ kB\s+GSI2 \d[^]*35 days\s+ACTIVE/.test(document.querySelector('#app').innerText));
ok(true, 'tables with the bytes of their indexes, and how long the past is kept');
{
	const names = "FROM (SELECT 'ConsoleRow' || i AS name FROM generate_series(1, 160) i) AS rows";
	sql(`SET ROLE clerk; SELECT count(dynamo.create_table(name, 'id')) ${names}`);
	let open = 0;
	let most = 0;
	const api = (r) => r.method() === 'POST';
	const sent = (r) => api(r) && (most = Math.max(most, ++open));
	const ended = (r) => api(r) && open--;
	page.on('request', sent);
	page.on('requestfinished', ended);
	page.on('requestfailed', ended);
	await press(page, 'Reload');
	await page.waitForFunction(() => document.querySelector('#app').innerText.includes('ConsoleRow160') && !document.querySelector('#app').innerText.includes('…'));
	ok(most > 0 && most <= 150, 'of many tables some are asked about at a time', most);
	for (const [event, listener] of [['request', sent], ['requestfinished', ended], ['requestfailed', ended]]) page.off(event, listener);
	sql(`SELECT dynamo.drop_table(name) ${names}`);
	await press(page, 'Reload');
	await page.waitForFunction(() => !document.querySelector('#app').innerText.includes('ConsoleRow'));
}

// -- a table is made, changed and deleted -------------------------------------------------

await visit(page, '#/?open=create');
await page.waitForSelector('form.panel textarea');
const say = (text) =>
	page.$eval('form.panel textarea', (t, v) => {
		t.value = v;
		t.dispatchEvent(new Event('input', { bubbles: true }));
	}, text);
const create = { TableName: 'ConsoleNew', KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }], AttributeDefinitions: [], BillingMode: 'PAY_PER_REQUEST' };
await say(JSON.stringify(create));
await press(page, 'Create');
await check(page, 'ValidationException', 'what CreateTable refuses is told in its words');
create.AttributeDefinitions.push({ AttributeName: 'id', AttributeType: 'S' });
await say(JSON.stringify(create));
await press(page, 'Create');
await check(page, 'ConsoleNew', 'a table is made');
await visit(page, '#/table/ConsoleNew/item');
await page.waitForFunction(() => document.querySelector('form.panel textarea'));
await say('{"id": {"S": "one"}, "text": {"S": "first"}}');
await press(page, 'Save');
await page.waitForFunction(() => /item\?h=one/.test(location.hash) && document.querySelector('h2')?.textContent === 'one');
ok(true, 'and has an item');
await visit(page, '#/table/ConsoleNew/settings');
await page.waitForSelector('input[name=confirm]');
await page.waitForFunction(() => /"DeletionProtectionEnabled": true/.test(document.querySelector('textarea')?.value));
await press(page, 'Change');
await check(page, '"DeletionProtectionEnabled": true', 'it is changed');
await page.type('input[name=confirm]', 'ConsoleNew');
await page.click('input[name=backup]');
await press(page, 'Delete table');
await check(page, 'deletion protection', 'what DeleteTable refuses is told in its words');
await say('{"DeletionProtectionEnabled": false}');
await press(page, 'Change');
await check(page, '"DeletionProtectionEnabled": false', 'and changed back');
await page.click('input[name=backup]');
await press(page, 'Delete table');
await check(page, 'Its backup stays', 'it is deleted, with a backup');
await press(page, 'Undo the deletion');
await page.waitForFunction(() => !document.querySelector('#app').innerText.includes('Its backup stays') && /ConsoleNew/.test(document.querySelector('#app').innerText));
await visit(page, '#/table/ConsoleNew/item?h=one');
await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('first'));
ok(true, 'and brought back with its items');

// -- an item is changed, and its past --------------------------------------------

const item = '#/table/ConsoleShop/item?h=CUSTOMER%238&r=PROFILE';
async function edit(page, from, to) {
	await page.waitForSelector('form.panel textarea');
	await page.$eval('form.panel textarea', (t, a, b) => {
		t.value = t.value.replace(a, b);
		t.dispatchEvent(new Event('input', { bubbles: true }));
	}, from, to);
}
await new Promise((done) => setTimeout(done, 3000)); // the past begins before the change
await visit(page, item);
await check(page, 'Customer 8', 'an item');
const other = await newPage();
await signIn(other, env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY);
await has(other, 'ConsoleShop');
await visit(other, item);
await has(other, 'Customer 8');
const beforeChange = Date.now() - 1000;
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

// Any two moments are compared.
const slide = (page, label, to) =>
	page.$eval(`input[aria-label="${label}"]`, (r, v) => {
		r.value = v;
		r.dispatchEvent(new Event('input', { bubbles: true }));
	}, to);
await slide(page, 'Compared with', '999');
await page.waitForFunction(() => /What has changed until [^]*Mrs Eight/.test(document.querySelector('section[aria-label="The item\'s past"]').innerText));
ok(/at=\d+/.test(await page.evaluate(() => location.hash)) && /with=\d+/.test(await page.evaluate(() => location.hash)), 'two moments of the past are compared, and both are in the address');
await slide(page, 'Compared with', '0');
await slide(page, 'Moment', '1000');
await page.waitForFunction(() => /What has changed from [^]*Mrs Eight/.test(document.querySelector('section[aria-label="The item\'s past"]').innerText));
ok(true, 'in either order');
// What a slow network has not brought yet is not put back.
{
	let held;
	const hold = (r) => {
		if (/\.GetItemAsOf$/.test(r.headers()['x-amz-target'] ?? '')) held = r;
		else r.continue();
	};
	const putBack = (disabled) => page.waitForFunction((d) => [...document.querySelectorAll('button')].find((b) => b.textContent === 'Put back')?.disabled === d, {}, disabled).then(() => true, () => false);
	await putBack(false);
	await page.setRequestInterception(true);
	page.on('request', hold);
	await slide(page, 'Moment', '999');
	while (!held) await new Promise((done) => setTimeout(done, 50));
	ok(await putBack(true), 'of the moment that the slider shows nothing is put back before it is there');
	page.off('request', hold);
	await held.continue();
	ok(await putBack(false), 'and then it can be');
	await page.setRequestInterception(false);
}
await visit(page, '#/');
await has(page, 'ConsolePrivate');
await visit(page, `${item}&at=${beforeChange}`);
await page.waitForFunction(() => document.querySelector('section[aria-label="The item\'s past"]')?.innerText.includes('Customer 8'));
await press(page, 'Put back');
await page.waitForFunction(() => document.querySelector('textarea').value.includes('Customer 8'));
ok(true, 'what was is put back');

// -- SQL reports what the console saves ------------------------------------------------

const revenue = () => Number(sql("SELECT revenue FROM console.revenue WHERE day = '2026-03-01'"));
const revenueBefore = revenue();
await visit(page, views['j-item'][0]);
await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('"AAEC"'));
await edit(page, '"N": "0"', '"N": "1000"');
await press(page, 'Save');
await page.waitForFunction(() => document.querySelector('textarea').value.includes('"1000"') && document.querySelector('#app').innerText.includes('No attribute differs'));
ok(revenue() === revenueBefore + 1000, 'a report by SQL has what is saved here', `${revenueBefore}, ${revenue()}`);
sql(`SELECT dynamo.update_item('ConsoleSales', '{"day": "2026-03-01", "number": 100}', 'SET price = :p', '{":p": 77}')`);
await visit(page, '#/table/ConsoleSales/explore?by=query&h0=2026-03-01&r0=100');
await check(page, 'N 77', 'and what SQL has changed is shown');

// -- an item as plain JSON ------------------------------------------------------------------

await visit(page, '#/table/ConsoleShop/item?h=CUSTOMER%2312&r=PROFILE');
await check(page, 'Customer 12', 'another item');
await press(page, 'As plain JSON');
await page.waitForFunction(() => document.querySelector('textarea').value.includes('"name": "Customer 12"'));
ok((await page.evaluate(() => location.hash)).includes('as=plain'), 'as plain JSON, which the address keeps');
await edit(page, '"Customer 12"', '{"first": "Ada", "age": 36, "tags": ["a", null, true]}');
await page.waitForFunction(() => document.querySelector('form.panel table.diff'));
sql(`SELECT dynamo.update_item('ConsoleShop', '{"PK": "CUSTOMER#12", "SK": "PROFILE"}', 'SET remark = :r', '{":r": "by SQL"}')`);
await press(page, 'Save');
await page.waitForFunction(() => !document.querySelector('form.panel table.diff') && document.querySelector('textarea').value.includes('"age": 36'));
ok(true, 'saved, and plain as before');
ok((await page.$eval('textarea', (t) => t.value)).includes('"by SQL"'), 'beside what somebody else has added meanwhile');
await press(page, 'With types');
await page.waitForFunction(() => document.querySelector('textarea').value.includes('"N": "36"'));
ok(/"L": \[\s+\{\s+"S": "a"\s+\},\s+\{\s+"NULL": true/.test(await page.$eval('textarea', (t) => t.value)), 'each value has got its type');
await press(page, 'As plain JSON');
await edit(page, '36', '12345678901234567890');
await check(page, '12345678901234567890 has more digits than plain JSON keeps', 'a number that would change is refused');
await edit(page, '12345678901234567890', '0.12345678901234567890');
await check(page, '0.12345678901234567890 has more digits than plain JSON keeps', 'and so is one with a point');
// -- what is deleted can be brought back ----------------------------------------------

await visit(page, '#/table/ConsoleShop/item?h=CUSTOMER%2340&r=PROFILE');
await check(page, 'Customer 40', 'an item that is to go');
await press(page, 'Delete');
await check(page, 'Undo the deletion', 'it is deleted');
await press(page, 'Undo the deletion');
await check(page, 'Put back.', 'and brought back');
await visit(page, '#/table/ConsoleShop/explore?by=query&h0=CUSTOMER%2340&r0=PROFILE');
await check(page, '1 items of 1 read', 'as it was');
sql(`SELECT dynamo.put_item('ConsoleShop', ('{"PK": "WIDE", "SK": "PROFILE"}'::jsonb || (SELECT jsonb_object_agg('a' || i, i) FROM generate_series(1, 400) i))::dynamo.item)`);
await visit(page, '#/table/ConsoleShop/item?h=WIDE&r=PROFILE');
await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('"a400"'));
await press(page, 'Delete');
await check(page, 'Undo the deletion', 'an item of more attributes than an expression can compare is deleted');
await press(page, 'Undo the deletion');
await check(page, 'Put back.', 'and brought back, too');
sql(`SELECT dynamo.delete_item('ConsoleShop', '{"PK": "WIDE", "SK": "PROFILE"}')`);

// -- from one item to another -------------------------------------------------------

for (const h of ['NOBODY#1', 'NOBODY#2']) {
	await visit(page, `#/table/ConsoleShop/item?h=${encodeURIComponent(h)}&r=PROFILE`);
	const shown = page.waitForFunction((key) => document.querySelector('h2')?.textContent === `${key} / PROFILE` && document.querySelector('textarea')?.value.includes(key), {}, h);
	ok(await shown.then(() => true, () => false), `what is edited is the item of the address: ${h}`, (await text(page)).slice(0, 500));
}

await visit(page, '#/table/ConsoleSales/item?h=2026-03-01&r=ten');
await check(page, 'ten is no number', 'an address that names no key is told so');

// -- the plan of what is asked -----------------------------------------------------

const planText = () => page.$eval('section[aria-label="Plan"]', (s) => s.innerText).catch(() => '');
await visit(page, '#/table/ConsoleShop/explore?by=query&index=GSI1&h0=STATUS%23open&order=back');
await has(page, '100 items of 100 read');
await page.waitForFunction(() => document.querySelector('section[aria-label="Plan"]')?.innerText.includes('GSI1PK = "STATUS#open"'));
ok(/the index GSI1.*backward/s.test(await planText()), 'the explorer tells which index serves a query, and how', await planText());
await visit(page, '#/table/ConsoleShop/explore?by=partiql&statement=' + encodeURIComponent(`SELECT * FROM "ConsoleShop" WHERE PK = 'CUSTOMER#9'`));
await page.waitForFunction(() => document.querySelector('section[aria-label="Plan"]')?.innerText.includes('PK = "CUSTOMER#9"'));
ok(/items of one collection of the table/.test(await planText()), 'of a statement, too', await planText());
const linked = () => page.$$eval('.rows tbody td a', (all) => all.length);
ok((await linked()) > 0, 'its items are linked');
await visit(page, '#/table/ConsoleGraph/explore?by=partiql&statement=' + encodeURIComponent(`SELECT * FROM "ConsoleShop" WHERE PK = 'CUSTOMER#9'`));
await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'ConsoleGraph' && document.querySelectorAll('.rows tbody td').length > 0 && document.querySelector('section[aria-label="Plan"]')?.innerText.includes('PK = "CUSTOMER#9"'));
ok((await linked()) === 0, 'but not as items of another table');

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

// A pause is a state of the page, which the address keeps; what was seen stays.
await press(page, 'Pause');
await page.waitForFunction(() => /paused=1/.test(location.hash));
ok(/PRODUCT#7 \/ DETAILS/.test(await text(page)), 'paused, it shows what it did');
const pausedAt = await page.evaluate(() => location.hash);
await visit(page, '#/table/ConsoleShop/stream?paused=1');
await page.waitForFunction(() => document.querySelectorAll('.records li').length > 100);
ok(true, 'a stream that is paused shows the records that are there');
await visit(page, pausedAt);
await check(page, 'PRODUCT#7 / DETAILS', 'a link to a paused page looks once');

// A look without an answer is a gap in the lines; all requests since counting began are no rate.
{
	const lines = (n) => page.waitForFunction((m) => document.querySelector('.chart path')?.getAttribute('d')?.match(/M/g)?.length === m, {}, n).then(() => true, () => false);
	let refused = 0;
	const refuse = (r) => {
		if (refused > 0 || !/\.DescribeStatistics$/.test(r.headers()['x-amz-target'] ?? '')) return r.continue();
		refused++;
		return r.respond({ status: 400, contentType: 'application/x-amz-json-1.0', body: '{"__type":"com.amazon.coral.service#AccessDeniedException","message":"not now"}' });
	};
	await visit(page, '#/operations?table=ConsoleSales&every=1');
	await page.waitForFunction(() => document.querySelector('select')?.value === 'ConsoleSales');
	await lines(1);
	await page.setRequestInterception(true);
	page.on('request', refuse);
	const gap = await lines(2);
	page.off('request', refuse);
	await page.setRequestInterception(false);
	ok(gap && refused === 1, 'a look without an answer is a gap in what is drawn', await page.$eval('.chart path', (p) => p.getAttribute('d')));
	await visit(page, pausedAt);
	await has(page, 'PRODUCT#7 / DETAILS');
}

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
await visit(page, views.projection[0]);
await has(page, views.projection[1]);
await press(page, 'Save as CSV');
const csv = (await downloaded('ConsoleShop.csv')).split('\r\n');
ok(csv[0] === 'SK,total' && csv[1] === 'ORDER#2026-03-01,7' && csv.length === 8, 'a page is saved as CSV', csv);
await press(page, 'Save as JSON');
const page1 = JSON.parse((await downloaded('ConsoleShop.json')) || '[]');
ok(page1.length === 6 && page1[5].total.N === '42', 'and as JSON', JSON.stringify(page1).slice(0, 300));
rmSync(`${downloads}/ConsoleShop.json`, { force: true });
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
await check(page, '2 indexes, 35 items, 1 kinds with names', 'a model is shown before it is made');
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

// What is saved is what was read: keys, indexes with their projections, throughput, items, facets.
const normal = (t) => {
	const byText = (list) => list.map((x) => JSON.stringify(sorted(x))).sort();
	const sorted = (x) => (Array.isArray(x) ? x.map(sorted) : x && typeof x === 'object' ? Object.fromEntries(Object.keys(x).sort().map((n) => [n, sorted(x[n])])) : x);
	const sets = (item) => Object.fromEntries(Object.entries(item).map(([n, v]) => [n, v.SS ? { SS: [...v.SS].sort() } : v.N ? { N: String(Number(v.N)) } : v]));
	const units = t.ProvisionedCapacitySettings?.ProvisionedThroughput;
	return {
		name: t.TableName,
		key: sorted(t.KeyAttributes),
		indexes: byText(t.GlobalSecondaryIndexes ?? []),
		billing: t.BillingMode ?? 'PAY_PER_REQUEST',
		units: t.BillingMode === 'PROVISIONED' ? [units.ReadCapacityUnits, units.WriteCapacityUnits] : [],
		items: byText((t.TableData ?? []).map(sets)),
	};
};
for (const [file, table] of [['staff', 'WorkbenchStaff'], ['library', 'WorkbenchLibrary']]) {
	await visit(page, `#/table/${table}/map`);
	await page.waitForFunction((t) => document.querySelector('h1')?.textContent === t && document.querySelector('.kinds'), {}, table);
	await press(page, 'Save as NoSQL Workbench model');
	const kept = JSON.parse((await downloaded(`${table}.json`)) || '{"DataModel": [{}]}').DataModel[0];
	const given = JSON.parse(readFileSync(`${models}/${file}.json`, 'utf8')).DataModel.find((t) => t.TableName === table);
	ok(JSON.stringify(normal(kept)) === JSON.stringify(normal(given)), `a model of Workbench is saved as it was read: ${file}`, `${JSON.stringify(normal(kept), null, 1)}\n${JSON.stringify(normal(given), null, 1)}`);
	const facets = (t) => (t.TableFacets ?? []).map((f) => f.FacetName);
	if (file === 'library') ok(['Book', 'Copy', 'Reader', 'Loan'].every((f) => facets(kept).includes(f) && facets(given).includes(f)), 'with its facets', facets(kept));
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
await visit(page, '#/table/ConsoleMany/explore?by=query&h0=7');
const one = await page.waitForFunction(() => document.querySelector('#app').innerText.includes('1 items of 1 read') && { rows: document.querySelectorAll('.rows tr[aria-rowindex]').length });
ok((await one.jsonValue()).rows === 1, 'and what is found then is seen at once', JSON.stringify(await one.jsonValue()));

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
	for (let i = 0; i < 150; i++) {
		await page.keyboard.press('Tab');
		if (
			await page.evaluate((w) => {
				const e = document.activeElement;
				return e?.getAttribute('name') === w || e?.getAttribute('aria-label') === w || e?.textContent?.trim() === w || e?.tagName === w;
			}, what)
		)
			return true;
	}
	throw new Error(`the key Tab does not lead to ${what}`);
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
await keys.keyboard.type('query');
await tabTo(keys, 'h0');
await keys.keyboard.type('CUSTOMER#9');
await keys.keyboard.press('Enter');
await check(keys, '7 items of 7 read', 'by keyboard: a query');
await tabTo(keys, 'S CUSTOMER#9');
await keys.keyboard.press('Enter');
await keys.waitForFunction(() => document.querySelector('textarea')?.value.includes('ORDER#2026-03-01'));
await tabTo(keys, 'TEXTAREA');
await keys.keyboard.down('Control');
await keys.keyboard.press('a');
await keys.keyboard.up('Control');
await keys.keyboard.type('{"PK": {"S": "CUSTOMER#9"}, "SK": {"S": "ORDER#2026-03-01"}, "total": {"N": "99"}}');
await tabTo(keys, 'Save');
await keys.keyboard.press('Enter');
await keys.waitForFunction(() => document.querySelector('textarea').value.includes('"99"') && document.querySelector('#app').innerText.includes('No attribute differs'));
ok(true, 'by keyboard: an item is changed');
await tabTo(keys, 'Moment');
await keys.keyboard.press('Home');
await keys.waitForFunction(() => /at=\d+/.test(location.hash));
await tabTo(keys, 'Compared with');
await keys.keyboard.press('ArrowLeft');
await keys.waitForFunction(() => /with=\d+/.test(location.hash));
ok(true, 'by keyboard: two moments of its past');
for (const what of ['Delete', 'Undo the deletion']) {
	await tabTo(keys, what);
	await keys.keyboard.press('Enter');
	await has(keys, what === 'Delete' ? 'Deleted.' : 'Put back.');
}
ok(/Put back\./.test(await text(keys)), 'by keyboard: it is deleted, and brought back');
await tabTo(keys, 'Map');
await keys.keyboard.press('Enter');
await has(keys, 'PRODUCT#* / DETAILS');
await tabTo(keys, 'Name of PRODUCT#* / DETAILS');
await keys.keyboard.type('Product');
await tabTo(keys, 'Colour of PRODUCT#* / DETAILS');
await keys.keyboard.type('olive');
await keys.waitForFunction(() => document.querySelector('input[aria-label="Name of PRODUCT#* / DETAILS"]').value === 'Product' && document.querySelector('select[aria-label="Colour of PRODUCT#* / DETAILS"]').value === 'olive');
ok(true, 'by keyboard: a kind of item gets name and colour');
await tabTo(keys, 'g');
await keys.keyboard.press('Enter');
await keys.waitForFunction(() => /\/item\?h=/.test(location.hash));
ok(true, 'by keyboard: from the drawing to an item');
await tabTo(keys, 'Stream');
await keys.keyboard.press('Enter');
await keys.waitForSelector('.records summary');
await tabTo(keys, 'Pause');
await keys.keyboard.press('Enter');
await keys.waitForFunction(() => /paused=1/.test(location.hash));
await tabTo(keys, 'SUMMARY');
await tabTo(keys, 'SUMMARY');
await keys.keyboard.press('Enter');
await keys.waitForFunction(() => document.querySelector('.records details[open] table.diff'));
ok(true, 'by keyboard: a record of the stream with its change');

// -- hostile content -------------------------------------------------------------------

await visit(page, '#/table/ConsoleShop/explore?by=query&h0=HOSTILE%231');
await check(page, '<script>window.hacked = 1</script>', 'a script in a key is text');
await visit(page, '#/table/ConsoleShop/item?h=HOSTILE%231&r=' + encodeURIComponent('<script>window.hacked = 1</script>'));
ok(await page.waitForSelector('textarea').then(() => true, () => false), 'its item is shown', (await text(page)).slice(0, 500));
await check(page, 'an attribute named __proto__', 'what the SDK cannot read is said, and cannot be lost by saving');
await visit(page, '#/table/ConsoleShop/item?h=HOSTILE%232&r=deep');
await page.waitForSelector('form.panel textarea');
for (const [levels, wanted] of [[31, ''], [32, 'nested deeper than 32 levels']]) {
	await say(`{"PK": {"S": "HOSTILE#2"}, "SK": {"S": "deep"}, "deep": ${'{"L": ['.repeat(levels)}{"N": "1"}${']}'.repeat(levels)}}`);
	if (wanted) await check(page, wanted, 'what is deeper than the service takes is told before it is sent');
	else {
		await press(page, 'Save');
		const shown = page.waitForFunction(() => !document.body.innerText.includes('There is no such item now.'));
		ok(await shown.then(() => true, () => false), 'what is as deep as it takes is saved, and then shown', (await text(page)).slice(0, 500));
	}
}
await say(`{"PK": {"S": "HOSTILE#2"}, "SK": {"S": "deep"}, "bytes": {"B": "${'A'.repeat(426_668)}"}}`);
await check(page, 'AAAAAAAA', 'bytes count as bytes, not as their Base64');
await say(`{"PK": {"S": "HOSTILE#2"}, "SK": {"S": "deep"}, "text": {"S": "${'a'.repeat(409_600)}"}}`);
await check(page, 'larger than 400 kB', 'what is larger than the service takes is told, too');
await say('{"PK": {"S": "HOSTILE#2"}, "SK": {"S": "deep"}, "bytes": {"B": null}}');
await check(page, 'bytes needs bytes in Base64', 'null is no Base64, though its four letters are');
await say('{"PK": {"S": "HOSTILE#2"}, "SK": {"S": "deep"}, "map": {"M": {"__proto__": {"S": "lost"}}}}');
await check(page, 'cannot send an attribute named __proto__', 'and what the SDK would lose on its way');
await visit(page, '#/table/ConsoleShop/stream?part=HOSTILE%231');
await check(page, 'INSERT HOSTILE#1 / <script>window.hacked = 1</script>', 'and it is text in the stream');
await visit(page, '#/table/ConsoleShop/explore?by=query&h0=HOSTILE%231&as=json');
await check(page, '<img src=x onerror=', 'and in JSON');
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
await visit(few, '#/table/ConsoleGraph/explore');
await check(few, '3 items of', 'of a table of many tenants it sees its own items');
await visit(few, '#/table/ConsoleGraph/map');
await check(few, 'All 3 items.', 'and so in the map');
ok((await few.$$eval('.kinds code', (all) => all.map((c) => c.textContent).join())) === 'TENANT#*#USER#* / PROFILE' && !/beta|STUDENT/.test(await text(few)), 'and no kinds of the others', await text(few));
await visit(few, '#/table/ConsolePrivate/explore');
await few.waitForSelector('.problem');
ok(!(await text(few)).includes('secret'), 'and sees nothing of what it may not');
await visit(few, '#/operations?table=ConsoleShop&every=1');
await check(few, 'There is none in the last 90 days', "it sees the statistics of what it may read, and nobody else's jobs");
await visit(few, '#/operations?table=ConsolePrivate&every=1');
await check(few, "1 tables are not this key's to see", 'of what it may not read it sees no statistics');
await few.waitForSelector('section[aria-label="Hot keys"] .problem');
ok(!(await text(few)).includes('GetItem') && !(await text(few)).includes('PutItem'), 'and no hot keys');

// -- nobody is authenticated ---------------------------------------------------------------

{
	const deadline = Date.now() + 2 * WAIT;
	while (Date.now() < deadline && !(await fetch(`${env.TRUST_ENDPOINT}/console`).then((r) => r.ok, () => false))) await new Promise((done) => setTimeout(done, 200));
	const context = await browser.createBrowserContext();
	const anybody = await context.newPage();
	anybody.setDefaultTimeout(WAIT);
	await anybody.goto(`${env.TRUST_ENDPOINT}/console`);
	await check(anybody, 'ConsoleTrust', 'a server that trusts its own machine asks for no key');
	ok((await text(anybody)).includes('No key needed'), 'and the page says so');
	await context.close();
}

ok(complaints.length === 0, 'the browser complains of nothing: no script failed, no address but ours, nothing blocked', complaints.join('\n'));
await browser.close();
