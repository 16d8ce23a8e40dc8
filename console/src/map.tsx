// The single-table map: which kinds of items there are, and how collections lie.
import { ListTagsOfResourceCommand, ScanCommand, TagResourceCommand, UntagResourceCommand, type AttributeValue, type TableDescription } from '@aws-sdk/client-dynamodb';
import { useState } from 'preact/hooks';
import { dynamodb, viewsOf, type View } from './client';
import { findEntities, tagKey, type Entity } from './entities';
import { itemLink } from './explorer';
import { describeHotKeys } from './own';
import { Busy, download, Problem, useLoaded, useNarrow } from './parts';
import { link } from './route';
import { formatBytes, keyText, show, sizeOf, type Item, type Json } from './values';
import { exportModel } from './workbench';

const SAMPLE = 5000; // items that are looked at
const SAMPLE_BYTES = 64 * 1024 * 1024; // of them, after which no more are read
const COLLECTIONS = 30; // that are drawn
const HOTTEST = 10; // collections
const COUNTED = 6; // indexes, with the table itself, in which kinds are counted
const CARDS = 60; // of one collection
const COLOURS = ['blue', 'orange', 'green', 'purple', 'red', 'teal', 'olive', 'violet', 'pink', 'grey']; // as console.css has them, by number

interface Sample {
	items: Item[];
	whole: boolean;
}

/** Some items from all parts of the table: segments are read side by side. */
async function sample(table: TableDescription): Promise<Sample> {
	const segments = (table.ItemCount ?? 0) > SAMPLE ? 8 : 1;
	const parts = await Promise.all(
		Array.from({ length: segments }, async (_, Segment) => {
			const items: Item[] = [];
			let bytes = 0;
			let start: Record<string, AttributeValue> | undefined;
			do {
				const page = await dynamodb.send(new ScanCommand({ TableName: table.TableName, Segment, TotalSegments: segments, ExclusiveStartKey: start, Limit: 1000 }));
				items.push(...(page.Items ?? []));
				bytes += (page.Items ?? []).reduce((n, item) => n + sizeOf(item), 0);
				start = page.LastEvaluatedKey;
			} while (start && items.length < SAMPLE / segments && bytes < SAMPLE_BYTES / segments);
			return { items, whole: start === undefined };
		}),
	);
	return { items: parts.flatMap((p) => p.items).slice(0, SAMPLE), whole: parts.every((p) => p.whole) };
}

async function loadTags(table: TableDescription): Promise<Map<string, string>> {
	const names = new Map<string, string>();
	try {
		let NextToken: string | undefined;
		do {
			const page = await dynamodb.send(new ListTagsOfResourceCommand({ ResourceArn: table.TableArn, NextToken }));
			for (const tag of page.Tags ?? []) names.set(tag.Key!, tag.Value!);
			NextToken = page.NextToken;
		} while (NextToken);
	} catch (error) {
		if ((error as Error).name !== 'AccessDeniedException') throw error;
	}
	return names;
}

export function TableMap({ table, query }: { table: TableDescription; query: URLSearchParams }) {
	const index = query.get('index') ?? undefined;
	const loaded = useLoaded(() => sample(table), [table.TableName]);
	const hot = useLoaded(() => hottest(table.TableName!, index), [table.TableName, index]);
	const tags = useLoaded(() => loadTags(table), [table.TableName]);
	const views = viewsOf(table);
	const view = views.find((v) => v.index === index) ?? views[0]!;
	const chosen = query.get('collection') ?? undefined;
	const to = (changes: Record<string, string | undefined>) => link(['table', table.TableName!, 'map'], { index: view.index, collection: chosen, ...changes });
	if (!loaded.value) return loaded.error ? <Problem error={loaded.error} /> : <Busy busy={true} />;

	const { items, whole } = loaded.value;
	const base = views[0]!;
	const { entities, typeOf } = findEntities(items, base.hash[0]!.name, base.range[0]?.name);
	const colourOf = (pattern: string, i: number) => {
		const chosen = COLOURS.indexOf(tags.value?.get(tagKey(pattern, 'colour')) ?? '');
		return chosen >= 0 ? chosen : i % COLOURS.length;
	};
	const colour = new Map(entities.map((e, i) => [e.pattern, `kind${colourOf(e.pattern, i)}`]));
	const nameOf = (pattern: string) => tags.value?.get(tagKey(pattern)) ?? pattern;
	const collections = collectionsOf(items, view);
	const collection = chosen === undefined ? collections[0] : collections.find((c) => c.key === chosen);
	const counted = views.slice(0, COUNTED);
	const inView = new Map(entities.map((e) => [e.pattern, counted.map(() => 0)]));
	for (const item of items) for (const [i, v] of counted.entries()) if (isIn(item, v)) inView.get(typeOf(item))![i]!++;
	const without = items.length - collections.reduce((n, c) => n + c.items.length, 0);
	return (
		<>
			<p class="note">
				{whole ? `All ${items.length} items.` : `A sample of ${items.length} items of about ${table.ItemCount}.`} {without > 0 && `${without} of them are not in this index: it is sparse.`}
			</p>
			<p class="bar">
				<button type="button" class="quiet" onClick={() => download(`${table.TableName}.json`, 'application/json', exportModel(table, items, entities, nameOf, typeOf))}>
					Save as NoSQL Workbench model
				</button>
				<a class="button quiet" href={link([], { open: 'import' })}>
					Import a model
				</a>
			</p>
			<nav aria-label="Index" class="tabs">
				{views.map((v) => (
					<a key={v.index ?? ''} href={to({ index: v.index, collection: undefined })} aria-current={v.index === view.index ? 'true' : undefined}>
						{v.index ?? 'the table'}
					</a>
				))}
			</nav>
			<div class="map">
				<section aria-label="Kinds of items" class="kinds">
					<h2>Kinds of items</h2>
					<table class="list">
						<thead>
							<tr>
								<th scope="col">Name</th>
								<th scope="col">Key</th>
								{counted.map((v) => (
									<th scope="col" class="number" key={v.index ?? ''}>
										{v.index ?? 'Items'}
									</th>
								))}
								<th scope="col" class="number">
									Size
								</th>
							</tr>
						</thead>
						<tbody>
							{entities.slice(0, 50).map((e, i) => (
								<EntityRow key={e.pattern} table={table} entity={e} colour={colourOf(e.pattern, i)} name={tags.value?.get(tagKey(e.pattern)) ?? ''} counts={inView.get(e.pattern)!} named={tags.again} />
							))}
						</tbody>
					</table>
					<Problem error={tags.error} />
				</section>
				<section aria-label="Collections">
					<h2>Largest collections{view.index ? ` of ${view.index}` : ''}</h2>
					<ol class="collections">
						{collections.slice(0, COLLECTIONS).map((c) => (
							<li key={c.key}>
								<a href={to({ collection: c.key })} aria-current={c === collection ? 'true' : undefined}>
									{c.title}
								</a>{' '}
								<small>
									{c.items.length} items, {formatBytes(c.bytes)}
								</small>
							</li>
						))}
					</ol>
				</section>
				<section aria-label="Hottest collections">
					<h2>Hottest collections{view.index ? ` of ${view.index}` : ''}</h2>
					<Problem error={hot.error} />
					{hot.value?.length === 0 && (
						<p class="note">
							No keys are counted here. <a href={link(['operations'], { table: table.TableName })}>Operations</a> turns that on.
						</p>
					)}
					<ol class="collections">
						{hot.value?.map((k) => (
							<li key={k.title}>
								<a href={to({ collection: JSON.stringify([k.title]) })}>{k.title}</a> <small>{k.requests.toLocaleString('en')} requests</small>
							</li>
						))}
					</ol>
				</section>
			</div>
			{chosen !== undefined && !collection && <p class="note">None of the items that were looked at is in the collection {chosen}.</p>}
			{collection && <Drawing table={table} view={view} collection={collection} kind={typeOf} colour={colour} nameOf={nameOf} />}
		</>
	);
}

/** The partition keys that are asked for most. */
async function hottest(table: string, index: string | undefined): Promise<{ title: string; requests: number }[]> {
	const keys = await describeHotKeys(table, index);
	return keys
		.filter((k) => k.Event === 'accessed' && k.SortKey === undefined)
		.sort((a, b) => b.Requests - a.Requests)
		.slice(0, HOTTEST)
		.map((k) => ({ title: String(Object.values(k.PartitionKey as { [type: string]: Json })[0]), requests: k.Requests }));
}

/** Has an item what the keys of an index want? */
const isIn = (item: Item, view: View) => [...view.hash, ...view.range].every((k) => item[k.name] && k.type in item[k.name]!);

/** What an index has of an item. */
const projected = (item: Item, view: View): Item => (view.only ? Object.fromEntries(Object.entries(item).filter(([name]) => view.only!.has(name))) : item);

function EntityRow({ table, entity, colour, name, counts, named }: { table: TableDescription; entity: Entity; colour: number; name: string; counts: number[]; named: () => void }) {
	const [text, setText] = useState<string>();
	const [error, setError] = useState<unknown>();
	const tag = async (Key: string, Value: string) => {
		try {
			if (Value === '') await dynamodb.send(new UntagResourceCommand({ ResourceArn: table.TableArn, TagKeys: [Key] }));
			else await dynamodb.send(new TagResourceCommand({ ResourceArn: table.TableArn, Tags: [{ Key, Value }] }));
			setError(undefined);
			named();
		} catch (e) {
			setError(e);
		}
	};
	return (
		<tr>
			<th scope="row">
				<span class={`swatch kind${colour}`} aria-hidden="true" />
				<input aria-label={`Name of ${entity.pattern}`} value={text ?? name} placeholder="name it" onInput={(e) => setText(e.currentTarget.value)} onChange={() => text !== undefined && text !== name && tag(tagKey(entity.pattern), text)} />
				<select aria-label={`Colour of ${entity.pattern}`} value={COLOURS[colour]} onChange={(e) => tag(tagKey(entity.pattern, 'colour'), e.currentTarget.value)}>
					{COLOURS.map((c) => (
						<option key={c}>{c}</option>
					))}
				</select>
				<Problem error={error} />
			</th>
			<td>
				<a href={itemLink(table, entity.example)}>
					<code>{entity.pattern}</code>
				</a>
			</td>
			{counts.map((n, i) => (
				<td class="number" key={i}>
					{n || <span class="none">–</span>}
				</td>
			))}
			<td class="number">{formatBytes(entity.bytes)}</td>
		</tr>
	);
}

interface Collection {
	key: string;
	title: string;
	items: Item[];
	bytes: number;
}

/** Items by partition key, as an index has them: those without its keys are not in it. */
function collectionsOf(items: Item[], view: View): Collection[] {
	const found = new Map<string, Collection>();
	for (const item of items) {
		if (!isIn(item, view)) continue;
		const texts = view.hash.map((k) => keyText(item[k.name]!));
		const key = JSON.stringify(texts);
		let c = found.get(key);
		if (!c) found.set(key, (c = { key, title: texts.join(' / '), items: [], bytes: 0 }));
		c.items.push(item);
		c.bytes += sizeOf(projected(item, view));
	}
	for (const c of found.values()) c.items.sort((a, b) => compare(a, b, view));
	return [...found.values()].sort((a, b) => b.items.length - a.items.length || (a.key < b.key ? -1 : 1));
}

/** The order of sort keys: numbers by value, texts by their bytes in UTF-8. */
function compare(a: Item, b: Item, view: View): number {
	for (const k of view.range) {
		const x = a[k.name]!;
		const y = b[k.name]!;
		if (k.type === 'N') {
			if (Number(x.N) !== Number(y.N)) return Number(x.N) - Number(y.N);
			continue;
		}
		const encoder = new TextEncoder();
		const p = k.type === 'B' ? (x.B as Uint8Array) : encoder.encode(x.S);
		const q = k.type === 'B' ? (y.B as Uint8Array) : encoder.encode(y.S);
		for (let i = 0; i < Math.min(p.length, q.length); i++) if (p[i] !== q[i]) return p[i]! - q[i]!;
		if (p.length !== q.length) return p.length - q.length;
	}
	return 0;
}

const ROW = 44; // of the drawing, in its own units
const WIDE = 900;
const NARROW = 380; // on a small screen
const LETTER = 7; // a little more than the width of one

function Drawing({ table, view, collection, kind, colour, nameOf }: { table: TableDescription; view: View; collection: Collection; kind: (item: Item) => string; colour: Map<string, string>; nameOf: (pattern: string) => string }) {
	const width = useNarrow() ? NARROW : WIDE;
	const cut = (text: string, room: number) => (text.length * LETTER > room ? text.slice(0, Math.floor(room / LETTER) - 1) + '…' : text);
	const shown = collection.items.slice(0, CARDS);
	const keys = new Set([...(table.KeySchema ?? []).map((k) => k.AttributeName!), ...view.hash.map((k) => k.name), ...view.range.map((k) => k.name)]);
	const save = () => {
		// On paper it is dark on light, with the colours of kinds, whatever the page is like.
		const shownNow = document.querySelector('svg.drawing')!;
		const svg = shownNow.cloneNode(true) as SVGElement;
		const style = document.createElementNS('http://www.w3.org/2000/svg', 'style');
		style.textContent = 'text{font:12px sans-serif;fill:#1b1f24}.strong{font-weight:600}.small{font-size:11px;fill:#57606a}rect:not(.stripe){fill:#f4f5f7;stroke:#c9ced6}';
		svg.prepend(style);
		svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
		svg.setAttribute('width', String(width));
		const stripes = shownNow.querySelectorAll('.stripe');
		svg.querySelectorAll<SVGElement>('.stripe').forEach((s, i) => s.setAttribute('fill', getComputedStyle(stripes[i]!).fill));
		download(`${table.TableName}.svg`, 'image/svg+xml', new XMLSerializer().serializeToString(svg));
	};
	return (
		<section aria-label="Drawing">
			<div class="bar">
				<h2>{collection.title}</h2>
				<button type="button" class="quiet" onClick={save}>
					Save as SVG
				</button>
			</div>
			<svg class="drawing" viewBox={`0 0 ${width} ${shown.length * ROW + 8}`} role="list" aria-label={`Items of ${collection.title} in order`}>
				{shown.map((item, i) => {
					const pattern = kind(item);
					const rest = Object.entries(projected(item, view))
						.filter(([n]) => !keys.has(n))
						.map(([n, v]) => `${n}: ${show(v, 24)}`)
						.join('   ');
					const sort = view.range.map((k) => show(item[k.name], 60)).join(' / ') || '–';
					return (
						<g key={i} role="listitem" tabindex={0} class={colour.get(pattern)} transform={`translate(0 ${i * ROW + 4})`} onClick={() => open(table, item)} onKeyDown={(e) => e.key === 'Enter' && open(table, item)}>
							<title>{`${nameOf(pattern)}: ${sort}`}</title>
							<rect x="4" y="0" width={width - 8} height={ROW - 6} rx="6" />
							<rect class="stripe" x="4" y="0" width="8" height={ROW - 6} rx="4" />
							<text x="22" y="16" class="strong">
								{cut(sort, width - 60 - nameOf(pattern).length * LETTER)}
							</text>
							<text x={width - 16} y="16" text-anchor="end">
								{nameOf(pattern)}
							</text>
							<text x="22" y="32" class="small">
								{cut(rest, width)}
							</text>
						</g>
					);
				})}
			</svg>
			{collection.items.length > shown.length && <p class="note">The first {shown.length} of {collection.items.length} items.</p>}
		</section>
	);
}

function open(table: TableDescription, item: Item): void {
	if ((table.KeySchema ?? []).every((k) => item[k.AttributeName!])) location.hash = itemLink(table, item);
}
