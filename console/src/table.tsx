// One table: its tabs.
import { DescribeTableCommand, UpdateContinuousBackupsCommand, UpdateTableCommand, UpdateTimeToLiveCommand, type TableDescription } from '@aws-sdk/client-dynamodb';
import { useState } from 'preact/hooks';
import { dynamodb, viewsOf } from './client';
import { Explorer } from './explorer';
import { ItemPage } from './item';
import { TableMap } from './map';
import { Busy, List, Problem, useLoaded } from './parts';
import { go, link } from './route';
import { Stream } from './stream';
import { DeleteTable, describeKept, RECOVERY_DAYS } from './tables';
import { formatBytes } from './values';

const TABS: [string, string][] = [
	['explore', 'Explorer'],
	['map', 'Map'],
	['stream', 'Stream'],
	['settings', 'Settings'],
];

export function TablePage({ name, tab, query }: { name: string; tab: string; query: URLSearchParams }) {
	const loaded = useLoaded(async () => (await dynamodb.send(new DescribeTableCommand({ TableName: name }))).Table!, [name]);
	const table = loaded.value;
	return (
		<>
			<div class="bar">
				<h1>{name}</h1>
				<nav aria-label="Views of the table" class="tabs">
					{TABS.map(([id, text]) => (
						<a key={id} href={link(['table', name, id])} aria-current={tab === id ? 'page' : undefined}>
							{text}
						</a>
					))}
				</nav>
				<Busy busy={loaded.busy} />
			</div>
			<Problem error={loaded.error} />
			{table && tab === 'explore' && <Explorer table={table} query={query} />}
			{table && tab === 'item' && <ItemPage key={JSON.stringify([query.get('h'), query.get('r')])} table={table} query={query} />}
			{table && tab === 'map' && <TableMap table={table} query={query} />}
			{table && tab === 'stream' && <Stream table={table} query={query} />}
			{table && tab === 'settings' && <Settings table={table} changed={loaded.again} />}
		</>
	);
}

function Settings({ table, changed }: { table: TableDescription; changed: () => void }) {
	const [text, setText] = useState(JSON.stringify({ DeletionProtectionEnabled: !table.DeletionProtectionEnabled }, null, 2));
	const [error, setError] = useState<unknown>();
	const update = async (e: SubmitEvent) => {
		e.preventDefault();
		try {
			await dynamodb.send(new UpdateTableCommand({ ...JSON.parse(text), TableName: table.TableName }));
			setError(undefined);
			changed();
		} catch (error) {
			setError(error);
		}
	};
	const sizes = new Map([...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])].map((i) => [i.IndexName, i]));
	return (
		<>
			<h2>Indexes</h2>
			<List
				rows={viewsOf(table)}
				id={(v) => v.index ?? ''}
				columns={[
					{ head: 'Index', cell: (v) => v.index ?? 'the table' },
					{ head: 'Partition key', cell: (v) => v.hash.map((k) => `${k.name} (${k.type})`).join(', ') },
					{ head: 'Sort key', cell: (v) => v.range.map((k) => `${k.name} (${k.type})`).join(', ') || '–' },
					{ head: 'Items', number: true, cell: (v) => (v.index ? sizes.get(v.index)?.ItemCount : table.ItemCount) ?? 0 },
					{ head: 'Size', number: true, cell: (v) => formatBytes((v.index ? sizes.get(v.index)?.IndexSizeBytes : table.TableSizeBytes) ?? 0) },
				]}
			/>
			<Kept table={table} />
			<h2>Change the table</h2>
			<form class="panel" onSubmit={update}>
				<label>
					UpdateTable's input, without the name
					<textarea rows={6} value={text} spellcheck={false} onInput={(e) => setText(e.currentTarget.value)} />
				</label>
				<button>Change</button>
				<Problem error={error} />
			</form>
			<h2>Description</h2>
			<pre tabIndex={0}>{JSON.stringify(table, null, 2)}</pre>
			<h2>Delete</h2>
			<DeleteTable name={table.TableName!} done={(backup) => go([], backup ? { deleted: table.TableName, backup } : {})} />
		</>
	);
}

/** How long items are kept, and their past. */
function Kept({ table }: { table: TableDescription }) {
	const TableName = table.TableName!;
	const kept = useLoaded(() => describeKept(TableName), [TableName]);
	const [attribute, setAttribute] = useState('');
	const [sure, setSure] = useState(false);
	const [error, setError] = useState<unknown>();
	const act = (work: Promise<unknown>) =>
		work.then(
			() => (setError(undefined), kept.again()),
			(e) => setError(e),
		);
	const { ttl, recovery } = kept.value ?? {};
	const expires = ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING';
	const keeps = recovery?.PointInTimeRecoveryStatus === 'ENABLED';
	const setTtl = (AttributeName: string, Enabled: boolean) => act(dynamodb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { AttributeName, Enabled } })));
	return (
		<>
			<h2>Time to live and recovery</h2>
			<Problem error={kept.error} />
			{kept.value && (
				<div class="panel">
					<form
						class="bar"
						onSubmit={(e) => {
							e.preventDefault();
							void setTtl(expires ? ttl!.AttributeName! : attribute, !expires);
						}}
					>
						{expires ? (
							<span>
								Items are deleted when the time in <code>{ttl!.AttributeName}</code> has come.
							</span>
						) : (
							<label>
								Items do not expire. Attribute with the time to live <input name="ttl" required value={attribute} onInput={(e) => setAttribute(e.currentTarget.value)} />
							</label>
						)}
						<button class="quiet">{expires ? 'Have items stay' : 'Have items expire'}</button>
					</form>
					<p class="bar">
						<span>{keeps ? `The past is kept${recovery?.EarliestRestorableDateTime ? ` since ${recovery.EarliestRestorableDateTime.toISOString().replace('T', ' ').slice(0, 19)} UTC` : ''}, for ${recovery?.RecoveryPeriodInDays ?? RECOVERY_DAYS} days at most.` : 'The past of items is not kept.'}</span>
						<button type="button" class={sure ? 'danger' : 'quiet'} onClick={() => (keeps && !sure ? setSure(true) : (setSure(false), act(dynamodb.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: !keeps } })))))}>
							{sure ? 'Forget it: nothing brings it back' : keeps ? 'Forget the past' : 'Keep the past'}
						</button>
						{sure && (
							<button type="button" class="quiet" onClick={() => setSure(false)}>
								Keep it
							</button>
						)}
					</p>
					<Problem error={error} />
				</div>
			)}
		</>
	);
}
