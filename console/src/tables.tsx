// All tables: what they hold; making and deleting one.
import { CreateTableCommand, DeleteTableCommand, DescribeTableCommand, ListTablesCommand, type CreateTableCommandInput, type TableDescription } from '@aws-sdk/client-dynamodb';
import { useState } from 'preact/hooks';
import { dynamodb, viewsOf } from './client';
import { Busy, Problem, useLoaded } from './parts';
import { go, link } from './route';
import { formatBytes } from './values';
import { createModelTable, readModel, type ModelTable } from './workbench';

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

export function Tables({ query }: { query: URLSearchParams }) {
	const tables = useLoaded(loadTables, []);
	const open = query.get('open');
	return (
		<>
			<div class="bar">
				<h1>Tables</h1>
				<a class="button" href={link([], { open: open === 'create' ? undefined : 'create' })} aria-expanded={open === 'create'} role="button">
					Create table
				</a>
				<a class="button quiet" href={link([], { open: open === 'import' ? undefined : 'import' })} aria-expanded={open === 'import'} role="button">
					Import a model
				</a>
				<button type="button" class="quiet" onClick={tables.again}>
					Reload
				</button>
				<Busy busy={tables.busy} />
			</div>
			<Problem error={tables.error} />
			{open === 'create' && <Create done={() => (go([]), tables.again())} />}
			{open === 'import' && <Import done={tables.again} />}
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

/** Tables from a model file of NoSQL Workbench: first what is in it, then they are made. */
function Import({ done }: { done: () => void }) {
	const [model, setModel] = useState<ModelTable[]>();
	const [error, setError] = useState<unknown>();
	const [said, setSaid] = useState('');
	const [busy, setBusy] = useState(false);
	const read = async (files: FileList | null) => {
		setSaid('');
		setError(undefined);
		setModel(undefined);
		try {
			if (files?.[0]) setModel(readModel(await files[0].text()));
		} catch (e) {
			setError(e);
		}
	};
	const create = async (e: SubmitEvent) => {
		e.preventDefault();
		setBusy(true);
		setError(undefined);
		let made = 0;
		try {
			for (const t of model!) {
				await createModelTable(t, (n) => setSaid(`${t.name}: ${n} of ${t.items.length} items`));
				made++;
			}
			setModel(undefined);
			setSaid(`${made} tables are made.`);
		} catch (e) {
			setError(e);
			setSaid(made ? `${made} tables are made, ${model![made]!.name} is not, or not wholly.` : '');
		}
		setBusy(false);
		done();
	};
	return (
		<form class="panel" onSubmit={create} aria-label="Import a model">
			<label>
				A model file of NoSQL Workbench (JSON)
				<input type="file" name="model" accept=".json,application/json" onChange={(e) => read(e.currentTarget.files)} />
			</label>
			{model && (
				<ul>
					{model.map((t) => (
						<li key={t.name}>
							<strong>{t.name}</strong>: key {[...t.view.hash, ...t.view.range].map((k) => k.name).join(', ')}; {t.indexes.length} indexes, {t.items.length} items, {t.names.size} kinds with names
						</li>
					))}
				</ul>
			)}
			<button disabled={!model || busy}>Create {model ? `${model.length} tables` : 'tables'}</button> <span role="status">{said}</span>
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
