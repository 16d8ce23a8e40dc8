// All tables: what they hold; making and deleting one.
import { CreateTableCommand, DeleteTableCommand, DescribeTableCommand, ListTablesCommand, type CreateTableCommandInput, type TableDescription } from '@aws-sdk/client-dynamodb';
import { useState } from 'preact/hooks';
import { dynamodb, viewsOf } from './client';
import { Busy, Problem, useLoaded } from './parts';
import { link } from './route';
import { formatBytes } from './values';

interface Row {
	name: string;
	table?: TableDescription;
	error?: unknown;
}

async function loadTables(): Promise<Row[]> {
	const rows: Row[] = [];
	let start: string | undefined;
	do {
		const page = await dynamodb.send(new ListTablesCommand({ ExclusiveStartTableName: start }));
		rows.push(...(page.TableNames ?? []).map((name) => ({ name })));
		start = page.LastEvaluatedTableName;
	} while (start);
	await Promise.all(
		rows.map(async (row) => {
			try {
				row.table = (await dynamodb.send(new DescribeTableCommand({ TableName: row.name }))).Table;
			} catch (error) {
				row.error = error; // what a key may not describe is listed all the same
			}
		}),
	);
	return rows;
}

export function Tables() {
	const tables = useLoaded(loadTables, []);
	const [creating, setCreating] = useState(false);
	return (
		<>
			<div class="bar">
				<h1>Tables</h1>
				<button type="button" onClick={() => setCreating(!creating)} aria-expanded={creating}>
					Create table
				</button>
				<button type="button" class="quiet" onClick={tables.again}>
					Reload
				</button>
				<Busy busy={tables.busy} />
			</div>
			<Problem error={tables.error} />
			{creating && <Create done={() => (setCreating(false), tables.again())} />}
			{tables.value?.length === 0 && <p class="note">There is no table yet, or none that this key may see.</p>}
			{tables.value && tables.value.length > 0 && (
				<table class="list">
					<thead>
						<tr>
							<th scope="col">Name</th>
							<th scope="col">Key</th>
							<th scope="col" class="number">
								Items
							</th>
							<th scope="col" class="number">
								Size
							</th>
							<th scope="col">Indexes</th>
							<th scope="col">Throughput</th>
							<th scope="col">Stream</th>
							<th scope="col">Status</th>
						</tr>
					</thead>
					<tbody>
						{tables.value.map((row) => (
							<TableRow key={row.name} row={row} />
						))}
					</tbody>
				</table>
			)}
		</>
	);
}

function TableRow({ row }: { row: Row }) {
	const t = row.table;
	return (
		<tr>
			<th scope="row">
				<a href={link(['table', row.name])}>{row.name}</a>
			</th>
			{t ? (
				<>
					<td>{(t.KeySchema ?? []).map((k) => k.AttributeName).join(', ')}</td>
					<td class="number">{t.ItemCount ?? 0}</td>
					<td class="number">{formatBytes(t.TableSizeBytes ?? 0)}</td>
					<td>
						{viewsOf(t)
							.slice(1)
							.map((v) => v.index)
							.join(', ') || '–'}
					</td>
					<td>{t.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST' ? 'on demand' : `${t.ProvisionedThroughput?.ReadCapacityUnits ?? 0} / ${t.ProvisionedThroughput?.WriteCapacityUnits ?? 0}`}</td>
					<td>{t.StreamSpecification?.StreamEnabled ? t.StreamSpecification.StreamViewType : '–'}</td>
					<td>{t.TableStatus}</td>
				</>
			) : (
				<td colSpan={7}>
					<Problem error={row.error} />
				</td>
			)}
		</tr>
	);
}

const TEMPLATE: CreateTableCommandInput = {
	TableName: 'Shop',
	KeySchema: [
		{ AttributeName: 'PK', KeyType: 'HASH' },
		{ AttributeName: 'SK', KeyType: 'RANGE' },
	],
	AttributeDefinitions: [
		{ AttributeName: 'PK', AttributeType: 'S' },
		{ AttributeName: 'SK', AttributeType: 'S' },
	],
	BillingMode: 'PAY_PER_REQUEST',
};

function Create({ done }: { done: () => void }) {
	const [text, setText] = useState(JSON.stringify(TEMPLATE, null, 2));
	const [error, setError] = useState<unknown>();
	const submit = async (e: SubmitEvent) => {
		e.preventDefault();
		try {
			await dynamodb.send(new CreateTableCommand(JSON.parse(text)));
			done();
		} catch (error) {
			setError(error);
		}
	};
	return (
		<form class="panel" onSubmit={submit}>
			<label>
				CreateTable's input
				<textarea rows={16} value={text} spellcheck={false} onInput={(e) => setText(e.currentTarget.value)} />
			</label>
			<button>Create</button>
			<Problem error={error} />
		</form>
	);
}

/** Deleting asks for the name, since nothing brings a table back. */
export function DeleteTable({ name, done }: { name: string; done: () => void }) {
	const [typed, setTyped] = useState('');
	const [error, setError] = useState<unknown>();
	const submit = async (e: SubmitEvent) => {
		e.preventDefault();
		try {
			await dynamodb.send(new DeleteTableCommand({ TableName: name }));
			done();
		} catch (error) {
			setError(error);
		}
	};
	return (
		<form class="panel" onSubmit={submit}>
			<label>
				To delete the table and all of its items, type its name
				<input value={typed} onInput={(e) => setTyped(e.currentTarget.value)} autocomplete="off" />
			</label>
			<button class="danger" disabled={typed !== name}>
				Delete table
			</button>
			<Problem error={error} />
		</form>
	);
}
