// One table: its tabs.
import { DescribeTableCommand, UpdateTableCommand, type TableDescription } from '@aws-sdk/client-dynamodb';
import { useState } from 'preact/hooks';
import { dynamodb, viewsOf } from './client';
import { Explorer } from './explorer';
import { ItemPage } from './item';
import { TableMap } from './map';
import { Busy, Problem, useLoaded } from './parts';
import { go, link } from './route';
import { Stream } from './stream';
import { DeleteTable } from './tables';
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
			{table && tab === 'item' && <ItemPage table={table} query={query} />}
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
			<table class="list" tabIndex={0}>
				<thead>
					<tr>
						<th scope="col">Index</th>
						<th scope="col">Partition key</th>
						<th scope="col">Sort key</th>
						<th scope="col" class="number">
							Items
						</th>
						<th scope="col" class="number">
							Size
						</th>
					</tr>
				</thead>
				<tbody>
					{viewsOf(table).map((v) => {
						const size = v.index ? sizes.get(v.index) : undefined;
						return (
							<tr key={v.index ?? ''}>
								<th scope="row">{v.index ?? 'the table'}</th>
								<td>{v.hash.map((k) => `${k.name} (${k.type})`).join(', ')}</td>
								<td>{v.range.map((k) => `${k.name} (${k.type})`).join(', ') || '–'}</td>
								<td class="number">{(v.index ? size?.ItemCount : table.ItemCount) ?? 0}</td>
								<td class="number">{formatBytes((v.index ? size?.IndexSizeBytes : table.TableSizeBytes) ?? 0)}</td>
							</tr>
						);
					})}
				</tbody>
			</table>
			<h2>Change</h2>
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
			<DeleteTable name={table.TableName!} done={() => go([])} />
		</>
	);
}
