// One item: its attributes, editing, and its past.
import { DeleteItemCommand, DescribeContinuousBackupsCommand, GetItemCommand, PutItemCommand, UpdateItemCommand, type AttributeValue, type AttributeValueUpdate, type ExpectedAttributeValue, type TableDescription } from '@aws-sdk/client-dynamodb';
import { useEffect, useState } from 'preact/hooks';
import { dynamodb, keyOf, viewsOf } from './client';
import { getItemAsOf } from './own';
import { Busy, Diff, Problem, useLoaded, Value } from './parts';
import { go, link, parseRoute } from './route';
import { checkItem, checkPlainNumbers, diff, fitsPlain, isWhole, itemJson, keyText, keyValue, plainItem, readItem, readPlainItem, type Item, type Json } from './values';

export function ItemPage({ table, query }: { table: TableDescription; query: URLSearchParams }) {
	const view = viewsOf(table)[0]!;
	const attributes = [...view.hash, ...view.range];
	const texts = [query.get('h'), query.get('r')];
	const isNew = texts[0] === null;
	const key = (): Item => Object.fromEntries(attributes.map((a, i) => [a.name, keyValue(texts[i] ?? '', a.type)]));
	const loaded = useLoaded(
		async () => (isNew ? undefined : (await dynamodb.send(new GetItemCommand({ TableName: table.TableName, Key: key() }))).Item),
		[query.toString()],
	);
	if (loaded.busy && loaded.value === undefined) return <Busy busy={true} />;
	let itemKey: Item;
	try {
		itemKey = isNew ? Object.fromEntries(attributes.map((a) => [a.name, { [a.type]: a.type === 'N' ? '0' : '' } as unknown as AttributeValue])) : key();
	} catch (error) {
		return <Problem error={error} />; // what the address names is no key of this table
	}
	return (
		<>
			<h2>{isNew ? 'New item' : texts.filter((t) => t !== null).join(' / ')}</h2>
			<Problem error={loaded.error} />
			{!isNew && !loaded.value && !loaded.error && <p class="note">There is no such item now.</p>}
			<Editor key={`${query.get('as')} ${JSON.stringify(loaded.value ?? null)}`} table={table} item={loaded.value} keyAttributes={itemKey} changed={loaded.again} />
			{!isNew && <Past table={table} itemKey={itemKey} now={loaded.value} query={query} changed={loaded.again} />}
		</>
	);
}

/**
 * What holds only as long as all that was shown is as it was; no condition sees an attribute
 * that has been added.  It is no expression: these have 300 operators at most, and an item may
 * have more attributes.
 */
export function unchanged(table: TableDescription, item: Item | undefined): { Expected: Record<string, ExpectedAttributeValue> } {
	if (item === undefined) return { Expected: { [table.KeySchema![0]!.AttributeName!]: { Exists: false } } };
	return { Expected: Object.fromEntries(Object.entries(item).map(([name, value]): [string, ExpectedAttributeValue] => [name, { ComparisonOperator: 'EQ', AttributeValueList: [value] }])) };
}

/** What makes one of the other, and leaves alone what somebody else has added. */
function changeOf(before: Item, after: Item): { AttributeUpdates?: Record<string, AttributeValueUpdate> } {
	const changes = diff(before, after).map(({ name, after: value }): [string, AttributeValueUpdate] => [name, value === undefined ? { Action: 'DELETE' } : { Action: 'PUT', Value: value }]);
	return changes.length > 0 ? { AttributeUpdates: Object.fromEntries(changes) } : {};
}

async function put(table: TableDescription, item: Item, before: Item | undefined): Promise<void> {
	try {
		if (before) await dynamodb.send(new UpdateItemCommand({ TableName: table.TableName, Key: keyOf(table, before), ...changeOf(before, item), ...unchanged(table, before) }));
		else await dynamodb.send(new PutItemCommand({ TableName: table.TableName, Item: item, ...unchanged(table, before) }));
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
		if (plain) checkPlainNumbers(text);
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
			const texts = Object.values(keyOf(table, read!)).map(keyText);
			if (!sameKey) go(['table', table.TableName!, 'item'], { h: texts[0], r: texts[1] });
			changed(); // the address may be that of an item which was not there
		});
	};
	const remove = () =>
		act('Deleted.', async () => {
			const deleted = await dynamodb.send(new DeleteItemCommand({ TableName: table.TableName, Key: keyOf(table, item!), ReturnValues: 'ALL_OLD', ...unchanged(table, item) }));
			setUndo(deleted.Attributes ?? item);
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

interface Window {
	from: number;
	to: number;
}

/** The item as it was at a moment; none: it is not asked for.  What was found before stays until the "newest" is. */
function useItemAt(table: TableDescription, itemKey: Item, at: number | undefined): { past?: { item?: Item }; error?: unknown; newest: boolean } {
	const [found, setFound] = useState<{ past?: { item?: Item }; error?: unknown; at?: number }>({});
	useEffect(() => {
		if (at === undefined) return setFound({});
		let stale = false;
		// Not each step that the slider passes is asked for.
		const timer = setTimeout(
			() =>
				getItemAsOf(table.TableName!, itemKey, at).then(
					(item) => stale || setFound({ past: { item }, at }),
					(error) => stale || setFound((f) => ({ ...f, error })),
				),
			150,
		);
		return () => {
			stale = true;
			clearTimeout(timer);
		};
	}, [at, JSON.stringify(itemJson(itemKey))]);
	return { ...found, newest: found.at === at };
}

const timeOf = (at: number) => new Date(at).toISOString().replace('T', ' ').slice(0, 19) + ' UTC';

/** A moment that a slider chooses, and the address names; a link may name one between its steps. */
function useMoment(name: string, given: string | null, w: Window | undefined): { at: number | undefined; move: (step: number | undefined) => void } {
	const [step, setStep] = useState<number | null>();
	const at = (s: number) => w!.from + ((w!.to - w!.from) * s) / STEPS;
	const move = (to: number | undefined) => {
		setStep(to ?? null);
		if (w) note(name, to === undefined ? undefined : String(Math.round(at(to))));
	};
	if (!w || step === null) return { at: undefined, move };
	if (step !== undefined) return { at: at(step), move };
	return { at: Number(given) ? Math.min(Math.max(Number(given), w.from), w.to) : undefined, move };
}

function Slider({ label, w, at, text, move }: { label: string; w: Window; at: number; text: string; move: (step: number) => void }) {
	return (
		<label class="slider">
			<span>{label}</span>
			<input type="range" aria-label={label} min={0} max={STEPS} value={Math.round(((at - w.from) / Math.max(1, w.to - w.from)) * STEPS)} onInput={(e) => move(Number(e.currentTarget.value))} aria-valuetext={text} />
			<output>{text}</output>
		</label>
	);
}

/** The item at any moment of the recovery window, against now or another moment. */
function Past({ table, itemKey, now, query, changed }: { table: TableDescription; itemKey: Item; now?: Item; query: URLSearchParams; changed: () => void }) {
	const window = useLoaded(async () => {
		const d = (await dynamodb.send(new DescribeContinuousBackupsCommand({ TableName: table.TableName }))).ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
		return d?.EarliestRestorableDateTime && d.LatestRestorableDateTime ? { from: d.EarliestRestorableDateTime.getTime(), to: d.LatestRestorableDateTime.getTime() } : undefined;
	}, [table.TableName]);
	const [putError, setPutError] = useState<unknown>();
	const [done, setDone] = useState('');
	const w = window.value;
	const moment = useMoment('at', query.get('at'), w);
	const other = useMoment('with', query.get('with'), w);
	const at = w && (moment.at ?? w.to);
	const { past, error, newest } = useItemAt(table, itemKey, at);
	const { past: compared, error: otherError } = useItemAt(table, itemKey, other.at);
	const putBack = async () => {
		try {
			await put(table, past!.item!, now);
			setPutError(undefined);
			setDone('Put back.');
			changed();
		} catch (e) {
			setPutError(e);
		}
	};
	return (
		<section aria-label="The item's past">
			<h2>Past</h2>
			<Problem error={window.error} />
			{!window.busy && !w && !window.error && <p class="note">Point-in-time recovery is off for this table, so its past is not kept.</p>}
			{w && at !== undefined && (
				<>
					<Slider label="Moment" w={w} at={at} text={timeOf(at)} move={moment.move} />
					<Slider label="Compared with" w={w} at={other.at ?? w.to} text={other.at === undefined ? 'now' : timeOf(other.at)} move={(step) => other.move(step === STEPS ? undefined : step)} />
					<Problem error={error ?? otherError} />
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
							<h3>{other.at === undefined ? 'What has changed since' : at <= other.at ? `What has changed until ${timeOf(other.at)}` : `What has changed from ${timeOf(other.at)} until then`}</h3>
							{other.at === undefined ? <Diff before={past.item} after={now} /> : compared && (at <= other.at ? <Diff before={past.item} after={compared.item} /> : <Diff before={compared.item} after={past.item} />)}
							{past.item && isWhole(past.item) && (!now || isWhole(now)) && (
								<button type="button" disabled={!newest} onClick={putBack}>
									Put back
								</button>
							)}
							<span role="status">{done}</span>
							<Problem error={putError} />
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
