// Query, scan, PartiQL: what is in a table.
import { ExecuteStatementCommand, QueryCommand, ScanCommand, type AttributeValue, type TableDescription } from '@aws-sdk/client-dynamodb';
import { useEffect, useState } from 'preact/hooks';
import { dynamodb, keyOf, viewsOf, type View } from './client';
import { Busy, download, Problem, Rows, Value } from './parts';
import { link } from './route';
import { itemJson, keyText, keyValue, show, type Item } from './values';

interface Page {
	items: Item[];
	scanned: number;
	units: number;
	next?: Record<string, AttributeValue> | string;
}

type Request = Record<string, string>;

const OPERATORS = ['=', '<', '<=', '>', '>=', 'begins_with', 'between'];
const FILTERS = ['=', '<>', '<', '<=', '>', '>=', 'begins_with', 'contains', 'attribute_exists', 'attribute_not_exists'];

export function Explorer({ table, query }: { table: TableDescription; query: URLSearchParams }) {
	const name = table.TableName!;
	const request: Request = Object.fromEntries(query);
	const [draft, setDraft] = useState<Request>(request);
	const [page, setPage] = useState<Page>();
	const [error, setError] = useState<unknown>();
	const [busy, setBusy] = useState(false);
	const views = viewsOf(table);
	const view = views.find((v) => v.index === (draft.index || undefined)) ?? views[0]!;
	const by = draft.by ?? 'scan';

	const run = async (next?: Page['next'], before?: Page) => {
		setBusy(true);
		setError(undefined);
		try {
			const got = await fetchPage(table, views, request, next);
			setPage(before ? { ...got, items: [...before.items, ...got.items], scanned: before.scanned + got.scanned, units: before.units + got.units } : got);
		} catch (error) {
			setError(error);
			if (!before) setPage(undefined);
		} finally {
			setBusy(false);
		}
	};
	const address = query.toString();
	useEffect(() => {
		setDraft(Object.fromEntries(query));
		run();
	}, [name, address]);

	const field = (id: string) => ({ name: id, value: draft[id] ?? '', onInput: (e: { currentTarget: { value: string } }) => setDraft({ ...draft, [id]: e.currentTarget.value }) });
	const submit = (e: SubmitEvent) => {
		e.preventDefault();
		const target = link(['table', name, 'explore'], draft);
		if (location.hash === target) run();
		else location.hash = target;
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
					<label class="wide">
						Statement
						<textarea rows={3} spellcheck={false} placeholder={`SELECT * FROM "${name}"`} {...field('statement')} />
					</label>
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
					</>
				)}
				<button>Run</button>
				<a class="button" href={link(['table', name, 'item'])}>
					New item
				</a>
				<Busy busy={busy} />
			</form>
			<Problem error={error} />
			{page && <Result table={table} view={view} page={page} />}
			{page?.next && (
				<button type="button" onClick={() => run(page.next, page)} disabled={busy}>
					Next page
				</button>
			)}
		</>
	);
}

function KeyFields({ view, field, operator }: { view: View; field: (id: string) => object; operator: string }) {
	return (
		<>
			{view.hash.map((k, i) => (
				<label key={k.name}>
					{k.name} <input required {...field(`h${i}`)} />
				</label>
			))}
			{view.range.slice(0, 1).map((k) => (
				<>
					<label>
						{k.name}
						<select {...field('op')} value={operator}>
							{OPERATORS.map((o) => (
								<option key={o}>{o}</option>
							))}
						</select>
					</label>
					<label>
						value <input placeholder="any" {...field('r0')} />
					</label>
					{operator === 'between' && (
						<label>
							and <input {...field('r1')} />
						</label>
					)}
				</>
			))}
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

async function fetchPage(table: TableDescription, views: View[], r: Request, next: Page['next']): Promise<Page> {
	if (r.by === 'partiql') {
		const a = await dynamodb.send(
			new ExecuteStatementCommand({ Statement: r.statement || `SELECT * FROM "${table.TableName}"`, Limit: 100, NextToken: next as string | undefined, ReturnConsumedCapacity: 'TOTAL' }),
		);
		return { items: a.Items ?? [], scanned: a.Items?.length ?? 0, units: a.ConsumedCapacity?.CapacityUnits ?? 0, next: a.NextToken };
	}
	const view = views.find((v) => v.index === (r.index || undefined)) ?? views[0]!;
	const names: Record<string, string> = {};
	const values: Record<string, AttributeValue> = {};
	const filter = r.filter ? filterOf(r, names, values) : undefined;
	const common = { TableName: table.TableName, IndexName: view.index, Limit: 100, ReturnConsumedCapacity: 'TOTAL' as const, ExclusiveStartKey: next as Record<string, AttributeValue> | undefined, FilterExpression: filter };
	const given = () => ({ ExpressionAttributeNames: Object.keys(names).length ? names : undefined, ExpressionAttributeValues: Object.keys(values).length ? values : undefined });
	if (r.by !== 'query') {
		const a = await dynamodb.send(new ScanCommand({ ...common, ...given() }));
		return { items: a.Items ?? [], scanned: a.ScannedCount ?? 0, units: a.ConsumedCapacity?.CapacityUnits ?? 0, next: a.LastEvaluatedKey };
	}
	const condition = view.hash.map((k, i) => {
		names[`#h${i}`] = k.name;
		values[`:h${i}`] = keyValue(r[`h${i}`] ?? '', k.type);
		return `#h${i} = :h${i}`;
	});
	const range = view.range[0];
	if (range && r.r0) {
		const op = r.op || '=';
		names['#r'] = range.name;
		values[':r0'] = keyValue(r.r0, range.type);
		if (op === 'between') values[':r1'] = keyValue(r.r1 ?? '', range.type);
		condition.push(op === 'between' ? '#r BETWEEN :r0 AND :r1' : op === 'begins_with' ? 'begins_with(#r, :r0)' : `#r ${op} :r0`);
	}
	const a = await dynamodb.send(new QueryCommand({ ...common, KeyConditionExpression: condition.join(' AND '), ScanIndexForward: r.order !== 'back', ...given() }));
	return { items: a.Items ?? [], scanned: a.ScannedCount ?? 0, units: a.ConsumedCapacity?.CapacityUnits ?? 0, next: a.LastEvaluatedKey };
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

function Result({ table, view, page }: { table: TableDescription; view: View; page: Page }) {
	const [json, setJson] = useState(false);
	const columns = columnsOf(page.items, view, table);
	const shown = columns.slice(0, 30);
	const name = table.TableName!;
	const whole = (item: Item) => (table.KeySchema ?? []).every((k) => item[k.AttributeName!]);
	const csv = () => [columns, ...page.items.map((i) => columns.map((c) => show(i[c], Infinity)))].map((row) => row.map(csvField).join(',')).join('\r\n') + '\r\n';
	return (
		<section aria-label="Result">
			<p class="bar">
				<span role="status">
					{page.items.length} items of {page.scanned} read, {page.units} units
				</span>
				<button type="button" class="quiet" aria-pressed={json} onClick={() => setJson(!json)}>
					JSON
				</button>
				<button type="button" class="quiet" onClick={() => download(`${name}.json`, 'application/json', JSON.stringify(page.items.map(itemJson), null, 2))}>
					Save as JSON
				</button>
				<button type="button" class="quiet" onClick={() => download(`${name}.csv`, 'text/csv', csv())}>
					Save as CSV
				</button>
			</p>
			{json ? (
				<pre tabIndex={0}>{JSON.stringify(page.items.slice(0, 1000).map(itemJson), null, 2)}</pre>
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
								<td key={c}>{n === 0 && whole(item) ? <a href={itemLink(table, item)}>{show(item[c])}</a> : <Value value={item[c]} />}</td>
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

