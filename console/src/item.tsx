// One item: its attributes, editing, and its past.
import { DeleteItemCommand, DescribeContinuousBackupsCommand, GetItemCommand, PutItemCommand, type AttributeValue, type TableDescription } from '@aws-sdk/client-dynamodb';
import { useEffect, useState } from 'preact/hooks';
import { dynamodb, keyOf, viewsOf } from './client';
import { getItemAsOf } from './own';
import { Busy, Diff, Problem, useLoaded, Value } from './parts';
import { go, link, parseRoute } from './route';
import { checkItem, fitsPlain, isWhole, itemJson, keyValue, plainItem, readItem, readPlainItem, type Item, type Json } from './values';

export function ItemPage({ table, query }: { table: TableDescription; query: URLSearchParams }) {
	const view = viewsOf(table)[0]!;
	const attributes = [...view.hash, ...view.range];
	const texts = [query.get('h'), query.get('r')];
	const isNew = texts[0] === null;
	const key = (): Item => Object.fromEntries(attributes.map((a, i) => [a.name, keyValue(texts[i] ?? '', a.type)]));
	const loaded = useLoaded(
		async () => (isNew ? undefined : (await dynamodb.send(new GetItemCommand({ TableName: table.TableName, Key: key(), ConsistentRead: true }))).Item),
		[query.toString()],
	);
	if (loaded.busy && loaded.value === undefined) return <Busy busy={true} />;
	return (
		<>
			<h2>{isNew ? 'New item' : texts.filter((t) => t !== null).join(' / ')}</h2>
			<Problem error={loaded.error} />
			{!isNew && !loaded.value && !loaded.error && <p class="note">There is no such item now.</p>}
			<Editor key={`${query.get('as')} ${JSON.stringify(loaded.value ?? null)}`} table={table} item={loaded.value} keyAttributes={isNew ? Object.fromEntries(attributes.map((a) => [a.name, { [a.type]: a.type === 'N' ? '0' : '' } as unknown as AttributeValue])) : key()} changed={loaded.again} />
			{!isNew && <Past table={table} itemKey={key()} now={loaded.value} at={query.get('at')} changed={loaded.again} />}
		</>
	);
}

/** What holds only as long as the item is as it was shown. */
export function unchanged(table: TableDescription, item: Item | undefined): { ConditionExpression: string; ExpressionAttributeNames: Record<string, string>; ExpressionAttributeValues?: Record<string, AttributeValue> } {
	const hash = table.KeySchema![0]!.AttributeName!;
	if (item === undefined) return { ConditionExpression: 'attribute_not_exists(#a0)', ExpressionAttributeNames: { '#a0': hash } };
	const names: Record<string, string> = {};
	const values: Record<string, AttributeValue> = {};
	const terms = Object.entries(item).map(([name, value], i) => {
		names[`#a${i}`] = name;
		values[`:v${i}`] = value;
		return `#a${i} = :v${i}`;
	});
	return { ConditionExpression: terms.join(' AND '), ExpressionAttributeNames: names, ExpressionAttributeValues: values };
}

async function put(table: TableDescription, item: Item, before: Item | undefined): Promise<void> {
	try {
		await dynamodb.send(new PutItemCommand({ TableName: table.TableName, Item: item, ...unchanged(table, before) }));
	} catch (error) {
		if ((error as Error).name === 'ConditionalCheckFailedException') throw new Error('Somebody else has changed the item since it was shown. Load it again, and look at the change.');
		throw error;
	}
}

/** A part of the address changes, and the view stays. */
function note(name: string, value: string | undefined): void {
	const { path, query } = parseRoute(location.hash);
	history.replaceState(null, '', link(path, { ...Object.fromEntries(query), [name]: value }));
}

function Editor({ table, item, keyAttributes, changed }: { table: TableDescription; item?: Item; keyAttributes: Item; changed: () => void }) {
	const first = item ?? keyAttributes;
	const fits = fitsPlain({ M: first });
	const [plain, setPlain] = useState(() => fits && parseRoute(location.hash).query.get('as') === 'plain');
	const write = (i: Item, plainly: boolean) => JSON.stringify(plainly ? plainItem(i) : itemJson(i), null, 2);
	const [text, setText] = useState(write(first, plain));
	const [error, setError] = useState<unknown>();
	const [done, setDone] = useState('');
	const [undo, setUndo] = useState<Item>();
	let read: Item | undefined;
	let fault: unknown;
	try {
		const json = JSON.parse(text) as Json;
		read = plain ? readPlainItem(json, first) : readItem(json);
		const refused = checkItem(read);
		if (refused) fault = new Error(refused);
	} catch (e) {
		fault = e;
	}
	const turn = () => {
		if (read) setText(write(read, !plain));
		setPlain(!plain);
		note('as', plain ? undefined : 'plain');
	};
	const act = async (what: string, work: () => Promise<void>) => {
		setError(undefined);
		setDone('');
		try {
			await work();
			setDone(what);
		} catch (e) {
			setError(e);
		}
	};
	const save = (e: SubmitEvent) => {
		e.preventDefault();
		if (!read || fault) return setError(fault);
		act('Saved.', async () => {
			const sameKey = item && JSON.stringify(itemJson(keyOf(table, read!))) === JSON.stringify(itemJson(keyOf(table, item)));
			await put(table, read!, sameKey ? item : undefined);
			const texts = Object.values(keyOf(table, read!)).map((v) => v.S ?? v.N ?? '');
			if (sameKey) changed();
			else go(['table', table.TableName!, 'item'], { h: texts[0], r: texts[1] });
		});
	};
	const remove = () =>
		act('Deleted.', async () => {
			await dynamodb.send(new DeleteItemCommand({ TableName: table.TableName, Key: keyOf(table, item!), ...unchanged(table, item) }));
			setUndo(item);
		});
	const whole = item === undefined || isWhole(item);
	return (
		<form class="panel" onSubmit={save}>
			{!whole && <p class="problem">This item has an attribute named __proto__, which the AWS SDK for JavaScript cannot read. It is shown without it, and cannot be saved here.</p>}
			<label>
				{plain ? 'Item as plain JSON; what was a set or bytes stays that' : 'Item as JSON with types'}
				<textarea rows={Math.min(24, text.split('\n').length + 1)} value={text} spellcheck={false} onInput={(e) => setText(e.currentTarget.value)} />
			</label>
			{fault ? <p class="note">{String((fault as Error).message)}</p> : item && read && <Diff before={item} after={read} />}
			<button disabled={fault !== undefined || !whole}>Save</button>
			{(plain || (fits && (read === undefined || fitsPlain({ M: read })))) && (
				<button type="button" class="quiet" disabled={read === undefined} onClick={turn}>
					{plain ? 'With types' : 'As plain JSON'}
				</button>
			)}
			{item && whole && !undo && (
				<button type="button" class="danger" onClick={remove}>
					Delete
				</button>
			)}
			{undo && (
				<button type="button" onClick={() => act('Put back.', async () => (await put(table, undo, undefined), setUndo(undefined)))}>
					Undo the deletion
				</button>
			)}
			<span role="status">{done}</span>
			<Problem error={error} />
		</form>
	);
}

const STEPS = 1000; // of the slider

/** The item at any moment of the recovery window, against now. */
function Past({ table, itemKey, now, at: at0, changed }: { table: TableDescription; itemKey: Item; now?: Item; at: string | null; changed: () => void }) {
	const window = useLoaded(async () => {
		const d = (await dynamodb.send(new DescribeContinuousBackupsCommand({ TableName: table.TableName }))).ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
		return d?.EarliestRestorableDateTime && d.LatestRestorableDateTime ? { from: d.EarliestRestorableDateTime.getTime(), to: d.LatestRestorableDateTime.getTime() } : undefined;
	}, [table.TableName]);
	const [step, setStep] = useState<number>();
	const [past, setPast] = useState<{ at: number; item?: Item }>();
	const [error, setError] = useState<unknown>();
	const [done, setDone] = useState('');
	const w = window.value;
	// A link may name a moment; moving the slider names it in the address.
	const given = Number(at0);
	const at = !w ? 0 : step !== undefined ? w.from + ((w.to - w.from) * step) / STEPS : given ? Math.min(Math.max(given, w.from), w.to) : w.to;
	useEffect(() => {
		if (!w) return;
		let stale = false;
		// Not each step that the slider passes is asked for.
		const timer = setTimeout(
			() =>
				getItemAsOf(table.TableName!, itemKey, at).then(
					(item) => stale || (setPast({ at, item }), setError(undefined)),
					(e) => stale || setError(e),
				),
			150,
		);
		return () => {
			stale = true;
			clearTimeout(timer);
		};
	}, [w, at, JSON.stringify(itemJson(itemKey))]);
	const move = (to: number) => {
		setStep(to);
		if (w) note('at', String(Math.round(w.from + ((w.to - w.from) * to) / STEPS)));
	};
	const putBack = async () => {
		try {
			await put(table, past!.item!, now);
			setDone('Put back.');
			changed();
		} catch (e) {
			setError(e);
		}
	};
	return (
		<section aria-label="The item's past">
			<h2>Past</h2>
			<Problem error={window.error} />
			{!window.busy && !w && !window.error && <p class="note">Point-in-time recovery is off for this table, so its past is not kept.</p>}
			{w && (
				<>
					<label class="slider">
						<input type="range" aria-label="Moment" min={0} max={STEPS} value={Math.round(((at - w.from) / Math.max(1, w.to - w.from)) * STEPS)} onInput={(e) => move(Number(e.currentTarget.value))} aria-valuetext={new Date(at).toISOString()} />
						<output>{new Date(at).toISOString().replace('T', ' ').slice(0, 19)} UTC</output>
					</label>
					<Problem error={error} />
					{past && (
						<>
							{past.item ? (
								<table class="list">
									<tbody>
										{Object.keys(past.item)
											.sort()
											.map((n) => (
												<tr key={n}>
													<th scope="row">{n}</th>
													<td>
														<Value value={past.item![n]} />
													</td>
												</tr>
											))}
									</tbody>
								</table>
							) : (
								<p class="note">There was no such item then.</p>
							)}
							<h3>What has changed since</h3>
							<Diff before={past.item} after={now} />
							{past.item && (
								<button type="button" onClick={putBack}>
									Put back
								</button>
							)}
							<span role="status">{done}</span>
						</>
					)}
				</>
			)}
			<p>
				<a href={link(['table', table.TableName!, 'explore'])}>Back to the items</a>
			</p>
		</section>
	);
}
