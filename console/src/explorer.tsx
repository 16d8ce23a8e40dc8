// Query, scan, PartiQL: what is in a table.
import { ExecuteStatementCommand, QueryCommand, ScanCommand, type AttributeValue, type TableDescription } from '@aws-sdk/client-dynamodb';
import { useEffect, useRef, useState } from 'preact/hooks';
import { dynamodb, keyOf, viewsOf, type View } from './client';
import { Busy, download, Problem, Rows, Value } from './parts';
import { describePlan, type Step } from './own';
import { link, parseRoute } from './route';
import { itemJson, keyText, keyValue, readValue, show, typedJson, type Item, type Json } from './values';

interface Page {
	items: Item[];
	scanned: number;
	units: number;
	next?: Record<string, AttributeValue> | string;
}

type Request = Record<string, string>;

const PAGE = 100; // items
const BULK = 1000; // the same for all pages
const ALL = 100_000; // that "All pages" loads at most
const SHOWN = 1000; // as JSON
const TWICE = 500; // ms: a statement that writes is not run a second time within
const OPERATORS = ['=', '<', '<=', '>', '>=', 'begins_with', 'between'];
const FILTERS = ['=', '<>', '<', '<=', '>', '>=', 'begins_with', 'contains', 'attribute_exists', 'attribute_not_exists'];

export function Explorer({ table, query }: { table: TableDescription; query: URLSearchParams }) {
	const name = table.TableName!;
	const request: Request = Object.fromEntries(query);
	const [draft, setDraft] = useState<Request>(request);
	const [page, setPage] = useState<Page>();
	const [error, setError] = useState<unknown>();
	const [busy, setBusy] = useState(false);
	const [plan, setPlan] = useState<{ steps?: Step[]; error?: unknown }>({});
	const views = viewsOf(table);
	const view = views.find((v) => v.index === (draft.index || undefined)) ?? views[0]!;
	const by = draft.by ?? 'scan';

	const turn = useRef(0);

	// The newest request counts: what an older one finds is dropped.
	const run = async (next?: Page['next'], before?: Page, all = false) => {
		const mine = ++turn.current;
		const stale = () => mine !== turn.current;
		setBusy(true);
		setError(undefined);
		try {
			const prepared = prepare(table, views, request);
			if (!before) {
				setPlan({});
				planOf(prepared).then(
					(steps) => stale() || setPlan({ steps }),
					(error) => stale() || setPlan({ error }),
				);
			}
			let got = before;
			do {
				const more = await fetchPage(prepared, next, all ? BULK : PAGE);
				if (stale()) return;
				got = got ? { ...more, items: [...got.items, ...more.items], scanned: got.scanned + more.scanned, units: got.units + more.units } : more;
				next = more.next;
				setPage(got);
			} while (all && next && got.items.length < ALL);
		} catch (error) {
			if (stale()) return;
			setError(error);
			if (!before) setPage(undefined);
		} finally {
			if (!stale()) setBusy(false);
		}
	};
	const address = addressOf(query);
	const pressed = useRef(false); // Run was, and the address follows
	useEffect(() => {
		setDraft(Object.fromEntries(query));
		if (pressed.current || !writes(request)) run();
		else {
			turn.current++;
			setBusy(false);
			setError(undefined);
			setPage(undefined);
		}
		pressed.current = false;
	}, [name, address]);

	const field = (id: string) => ({ name: id, value: draft[id] ?? '', onInput: (e: { currentTarget: { value: string } }) => setDraft({ ...draft, [id]: e.currentTarget.value }) });
	const last = useRef({ target: '', at: 0 }); // what Run was pressed for, and when
	const submit = (e: SubmitEvent) => {
		e.preventDefault();
		const target = link(['table', name, 'explore'], { ...draft, as: query.get('as') ?? undefined });
		const twice = last.current.target === target && (busy || e.timeStamp - last.current.at < TWICE);
		last.current = { target, at: e.timeStamp };
		if (twice && writes(draft)) return; // a double click is one, and so is a key that is held
		if (addressOf(parseRoute(target).query) === address) void run();
		else {
			pressed.current = true;
			location.hash = target;
		}
	};
	return (
		<>
			<form class="panel request" onSubmit={submit} aria-label="What to read">
				<label>
					By
					<select {...field('by')} value={by}>
						<option value="scan">scan</option>
						<option value="query">query</option>
						<option value="partiql">PartiQL</option>
					</select>
				</label>
				{by === 'partiql' ? (
					<>
						<label class="wide">
							Statement
							<textarea rows={3} spellcheck={false} placeholder={`SELECT * FROM "${name}" WHERE ${view.hash[0]!.name} = ?`} {...field('statement')} />
						</label>
						<label class="wide">
							Values of its question marks, as JSON with types
							<input spellcheck={false} placeholder={'[{"S": "CUSTOMER#1"}]'} {...field('parameters')} />
						</label>
					</>
				) : (
					<>
						<label>
							From
							<select {...field('index')}>
								{views.map((v) => (
									<option key={v.index ?? ''} value={v.index ?? ''}>
										{v.index ?? 'the table'}
									</option>
								))}
							</select>
						</label>
						{by === 'query' && <KeyFields view={view} field={field} operator={draft.op ?? '='} />}
						<label>
							Filter by <input placeholder="attribute" spellcheck={false} {...field('filter')} />
						</label>
						{draft.filter && (
							<>
								<label>
									Condition
									<select {...field('fop')}>
										{FILTERS.map((o) => (
											<option key={o}>{o}</option>
										))}
									</select>
								</label>
								{!draft.fop?.startsWith('attribute') && (
									<>
										<label>
											Value <input {...field('fvalue')} />
										</label>
										<label>
											Type
											<select {...field('ftype')}>
												<option value="S">string</option>
												<option value="N">number</option>
												<option value="BOOL">Boolean</option>
											</select>
										</label>
									</>
								)}
							</>
						)}
						<label>
							Attributes <input placeholder="all" spellcheck={false} {...field('only')} />
						</label>
					</>
				)}
				<button>Run</button>
				<a class="button" href={link(['table', name, 'item'])}>
					New item
				</a>
				<Busy busy={busy} />
			</form>
			<Problem error={error} />
			{!page && !busy && !error && writes(request) && <p class="note">This statement may write, so it is run by the button alone.</p>}
			{page && <Plan {...plan} error={plan.error} />}
			{page && <Result table={table} view={view} page={page} query={query} linked={request.by !== 'partiql' || !!plan.steps?.every((s) => s.TableName === name)} />}
			{page?.next && (
				<p class="bar">
					<button type="button" onClick={() => run(page.next, page)} disabled={busy}>
						Next page
					</button>
					{busy ? (
						<button type="button" class="quiet" onClick={() => (turn.current++, setBusy(false))}>
							Stop
						</button>
					) : (
						<button type="button" class="quiet" onClick={() => run(page.next, page, true)}>
							All pages
						</button>
					)}
				</p>
			)}
		</>
	);
}

/** What is asked for, and not how it is shown. */
const addressOf = (query: URLSearchParams) => [...query].filter(([n]) => n !== 'as').join('&');

/**
 * May it write?  A link from anywhere opens an address, and so do "back" and "reload": none
 * of them may run such a statement.
 */
const writes = (r: Request) => r.by === 'partiql' && !!r.statement && !/^\s*select\b/i.test(r.statement);

function KeyFields({ view, field, operator }: { view: View; field: (id: string) => object; operator: string }) {
	return (
		<>
			{view.hash.map((k, i) => (
				<label key={k.name}>
					{k.name} <input required {...field(`h${i}`)} />
				</label>
			))}
			{view.range.map((k, i) => (
				<label key={k.name}>
					{k.name} <input placeholder="any" {...field(`r${i}`)} />
				</label>
			))}
			{view.range.length > 0 && (
				<label>
					Condition on {view.range.length > 1 ? 'the last of them' : view.range[0]!.name}
					<select {...field('op')} value={operator}>
						{OPERATORS.map((o) => (
							<option key={o}>{o}</option>
						))}
					</select>
				</label>
			)}
			{view.range.length > 0 && operator === 'between' && (
				<label>
					between that and <input {...field('to')} />
				</label>
			)}
			<label>
				Order
				<select {...field('order')}>
					<option value="">ascending</option>
					<option value="back">descending</option>
				</select>
			</label>
		</>
	);
}

interface Prepared {
	operation: 'ExecuteStatement' | 'Query' | 'Scan';
	input: Record<string, unknown>;
	values: Record<string, AttributeValue>;
	parameters?: AttributeValue[];
}

/** Values for the question marks of a statement; says what is wrong with the text. */
function readParameters(text: string): AttributeValue[] | undefined {
	if (text.trim() === '') return undefined;
	const list = JSON.parse(text) as Json;
	if (!Array.isArray(list)) throw new Error('The values need to be a list, as [{"S": "a"}, {"N": "1"}]');
	return list.length === 0 ? undefined : list.map((v, i) => readValue(v, `value ${i + 1}`));
}

/** Attributes by their names, with commas between them. */
function projectionOf(only: string, names: Record<string, string>): string {
	return only
		.split(',')
		.map((n) => n.trim())
		.filter(Boolean)
		.map((n, i) => ((names[`#p${i}`] = n), `#p${i}`))
		.join(', ');
}

/** What is asked for, but for the page. */
function prepare(table: TableDescription, views: View[], r: Request): Prepared {
	if (r.by === 'partiql') return { operation: 'ExecuteStatement', input: { Statement: r.statement || `SELECT * FROM "${table.TableName}"`, Limit: PAGE }, values: {}, parameters: readParameters(r.parameters ?? '') };
	const view = views.find((v) => v.index === (r.index || undefined)) ?? views[0]!;
	const names: Record<string, string> = {};
	const values: Record<string, AttributeValue> = {};
	const input: Record<string, unknown> = { TableName: table.TableName, IndexName: view.index, Limit: PAGE };
	if (r.filter) input.FilterExpression = filterOf(r, names, values);
	if (r.only) input.ProjectionExpression = projectionOf(r.only, names);
	if (r.by === 'query') {
		input.KeyConditionExpression = conditionOf(view, r, names, values);
		input.ScanIndexForward = r.order !== 'back';
	}
	if (Object.keys(names).length) input.ExpressionAttributeNames = names;
	return { operation: r.by === 'query' ? 'Query' : 'Scan', input, values };
}

function conditionOf(view: View, r: Request, names: Record<string, string>, values: Record<string, AttributeValue>): string {
	const condition = view.hash.map((k, i) => {
		names[`#h${i}`] = k.name;
		values[`:h${i}`] = keyValue(r[`h${i}`] ?? '', k.type);
		return `#h${i} = :h${i}`;
	});
	// All that are given are equal, but for the last; the service refuses what leaves one out.
	const given = view.range.map((k, i) => ({ ...k, i })).filter(({ i }) => r[`r${i}`]);
	for (const { name, type, i } of given) {
		const op = i === given.at(-1)!.i ? r.op || '=' : '=';
		const [n, v] = [`#r${i}`, `:r${i}`];
		names[n] = name;
		values[v] = keyValue(r[`r${i}`]!, type);
		if (op === 'between') values[':to'] = keyValue(r.to ?? '', type);
		condition.push(op === 'between' ? `${n} BETWEEN ${v} AND :to` : op === 'begins_with' ? `begins_with(${n}, ${v})` : `${n} ${op} ${v}`);
	}
	return condition.join(' AND ');
}

async function fetchPage(p: Prepared, next: Page['next'], Limit: number): Promise<Page> {
	const units = { ReturnConsumedCapacity: 'TOTAL' as const, Limit };
	if (p.operation === 'ExecuteStatement') {
		const a = await dynamodb.send(new ExecuteStatementCommand({ ...(p.input as { Statement: string }), Parameters: p.parameters, ...units, NextToken: next as string | undefined }));
		return { items: a.Items ?? [], scanned: a.Items?.length ?? 0, units: a.ConsumedCapacity?.CapacityUnits ?? 0, next: a.NextToken };
	}
	const input = { ...(p.input as { TableName: string }), ...units, ...(Object.keys(p.values).length ? { ExpressionAttributeValues: p.values } : {}), ExclusiveStartKey: next as Record<string, AttributeValue> | undefined };
	const a = p.operation === 'Query' ? await dynamodb.send(new QueryCommand(input)) : await dynamodb.send(new ScanCommand(input));
	return { items: a.Items ?? [], scanned: a.ScannedCount ?? 0, units: a.ConsumedCapacity?.CapacityUnits ?? 0, next: a.LastEvaluatedKey };
}

/** What the server would do for the first page, as it says without doing it. */
const planOf = (p: Prepared) => describePlan(p.operation, { ...p.input, ...(p.parameters ? { Parameters: p.parameters.map(typedJson) } : {}), ...(Object.keys(p.values).length ? { ExpressionAttributeValues: itemJson(p.values) } : {}) });

const ACCESS: Record<string, string> = { key: 'one item by its key', range: 'items of one collection', scan: 'all items', segment: 'a segment of all items' };

function Plan({ steps, error }: { steps?: Step[]; error: unknown }) {
	return (
		<section aria-label="Plan" class="plan">
			<Problem error={error} />
			{steps?.map((s, i) => (
				<p key={i} class="note">
					<strong>{s.Action}</strong> reads {ACCESS[s.Access] ?? s.Access} of <strong>{s.IndexName ? `the index ${s.IndexName}` : 'the table'}</strong>
					{s.Condition && (
						<>
							, where <code>{s.Condition}</code>
						</>
					)}
					{s.Backward && ', backward'}
					{s.ItemsRead !== undefined && `: about ${s.ItemsRead} items${s.ItemsReturned !== s.ItemsRead ? `, of which ${s.ItemsReturned} pass the filter` : ''}, ${s.ReadUnits} units a page`}
					{s.SlowReason && `. It takes the slower way: ${s.SlowReason}`}.
				</p>
			))}
		</section>
	);
}

function filterOf(r: Request, names: Record<string, string>, values: Record<string, AttributeValue>): string {
	const op = r.fop || '=';
	names['#f'] = r.filter!;
	if (op.startsWith('attribute')) return `${op}(#f)`;
	const text = r.fvalue ?? '';
	values[':f'] = r.ftype === 'N' ? keyValue(text, 'N') : r.ftype === 'BOOL' ? { BOOL: text === 'true' } : { S: text };
	return op === 'begins_with' || op === 'contains' ? `${op}(#f, :f)` : `#f ${op} :f`;
}

/** Names of attributes, keys first, then those most items have. */
export function columnsOf(items: Item[], view: View, table: TableDescription): string[] {
	const counts = new Map<string, number>();
	for (const item of items) for (const name of Object.keys(item)) counts.set(name, (counts.get(name) ?? 0) + 1);
	const keys = [...new Set([...(table.KeySchema ?? []).map((k) => k.AttributeName!), ...view.hash.map((k) => k.name), ...view.range.map((k) => k.name)])];
	const rest = [...counts.keys()].filter((n) => !keys.includes(n)).sort((a, b) => counts.get(b)! - counts.get(a)! || (a < b ? -1 : 1));
	return [...keys.filter((k) => counts.has(k)), ...rest];
}

/** "linked": the items are the table's; a statement may read another one, which has the same keys. */
function Result({ table, view, page, query, linked }: { table: TableDescription; view: View; page: Page; query: URLSearchParams; linked: boolean }) {
	const json = query.get('as') === 'json';
	const columns = columnsOf(page.items, view, table);
	const shown = columns.slice(0, 30);
	const name = table.TableName!;
	const whole = (item: Item) => linked && (table.KeySchema ?? []).every((k) => item[k.AttributeName!]);
	const csv = () => [columns, ...page.items.map((i) => columns.map((c) => show(i[c], Infinity)))].map((row) => row.map(csvField).join(',')).join('\r\n') + '\r\n';
	return (
		<section aria-label="Result">
			<p class="bar">
				<span role="status">
					{page.items.length} items of {page.scanned} read, {page.units} units
				</span>
				<a class="button quiet" role="button" aria-pressed={json} href={link(['table', name, 'explore'], { ...Object.fromEntries(query), as: json ? undefined : 'json' })}>
					JSON
				</a>
				<button type="button" class="quiet" onClick={() => download(`${name}.json`, 'application/json', JSON.stringify(page.items.map(itemJson), null, 2))}>
					Save as JSON
				</button>
				<button type="button" class="quiet" onClick={() => download(`${name}.csv`, 'text/csv', csv())}>
					Save as CSV
				</button>
			</p>
			{json ? (
				<>
					<pre tabIndex={0}>{JSON.stringify(page.items.slice(0, SHOWN).map(itemJson), null, 2)}</pre>
					{page.items.length > SHOWN && <p class="note">The first {SHOWN} are shown. All are in what is saved.</p>}
				</>
			) : (
				<Rows
					rows={page.items}
					label="Items"
					head={shown.map((c) => (
						<th scope="col" key={c}>
							{c}
						</th>
					))}
					row={(item, i) => (
						<tr key={i} aria-rowindex={i + 1}>
							{shown.map((c, n) => (
								<td key={c}>{n === 0 && whole(item) ? <a href={itemLink(table, item)}><Value value={item[c]} /></a> : <Value value={item[c]} />}</td>
							))}
						</tr>
					)}
				/>
			)}
			{columns.length > shown.length && <p class="note">{columns.length - shown.length} further attributes are in the JSON.</p>}
		</section>
	);
}

/** A text that a spreadsheet takes for a text: no field begins a formula. */
function csvField(text: string): string {
	const safe = /^[=+\-@\t\r]/.test(text) && !/^-?[\d.]+([eE][-+]?\d+)?$/.test(text) ? `'${text}` : text;
	return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export function itemLink(table: TableDescription, item: Item): string {
	const key = keyOf(table, item);
	const texts = Object.values(key).map(keyText);
	return link(['table', table.TableName!, 'item'], { h: texts[0], r: texts[1] });
}

