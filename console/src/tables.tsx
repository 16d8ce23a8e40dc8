// All tables: what they hold; making and deleting one.
import { CreateBackupCommand, CreateTableCommand, DeleteTableCommand, DescribeBackupCommand, DescribeContinuousBackupsCommand, DescribeTableCommand, DescribeTimeToLiveCommand, ListTablesCommand, RestoreTableFromBackupCommand, type CreateTableCommandInput, type TableDescription } from '@aws-sdk/client-dynamodb';
import { useState } from 'preact/hooks';
import { dynamodb, inTurn, viewsOf } from './client';
import { Busy, Problem, useLoaded } from './parts';
import { go, link } from './route';
import { formatBytes } from './values';
import { createModelTable, readModel, type ModelTable } from './workbench';

export const RECOVERY_DAYS = 35;

/** How long items are kept, and their past. */
export async function describeKept(TableName: string) {
	const [ttl, backups] = await Promise.all([dynamodb.send(new DescribeTimeToLiveCommand({ TableName })), dynamodb.send(new DescribeContinuousBackupsCommand({ TableName }))]);
	return { ttl: ttl.TimeToLiveDescription, recovery: backups.ContinuousBackupsDescription?.PointInTimeRecoveryDescription };
}

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
				row.table = (await inTurn(() => dynamodb.send(new DescribeTableCommand({ TableName: row.name })))).Table;
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
			{query.get('deleted') && query.get('backup') && <Undo key={query.get('backup')} name={query.get('deleted')!} backup={query.get('backup')!} done={() => (go([]), tables.again())} />}
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
							<th scope="col">Expiry</th>
							<th scope="col">Past</th>
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
	const kept = useLoaded(() => inTurn(() => describeKept(row.name)), [row]);
	const of = (text: string | undefined) => (kept.busy ? '…' : kept.error ? <small>{(kept.error as Error).name}</small> : (text ?? '–'));
	return (
		<tr>
			<th scope="row">
				<a href={link(['table', row.name])}>{row.name}</a>
			</th>
			{t ? (
				<>
					<td>{(t.KeySchema ?? []).map((k) => k.AttributeName).join(', ')}</td>
					<td class="number">{(t.ItemCount ?? 0).toLocaleString('en')}</td>
					<td class="number">{formatBytes(t.TableSizeBytes ?? 0)}</td>
					<td>
						{[...(t.GlobalSecondaryIndexes ?? []), ...(t.LocalSecondaryIndexes ?? [])].map((i) => (
							<div key={i.IndexName}>
								{i.IndexName} <small>{formatBytes(i.IndexSizeBytes ?? 0)}</small>
							</div>
						))}
						{viewsOf(t).length === 1 && '–'}
					</td>
					<td>{t.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST' ? 'on demand' : `${t.ProvisionedThroughput?.ReadCapacityUnits ?? 0} / ${t.ProvisionedThroughput?.WriteCapacityUnits ?? 0}`}</td>
					<td>{t.StreamSpecification?.StreamEnabled ? t.StreamSpecification.StreamViewType : '–'}</td>
					<td>{of(kept.value?.ttl?.TimeToLiveStatus === 'ENABLED' ? kept.value.ttl.AttributeName : undefined)}</td>
					<td>{of(kept.value?.recovery?.PointInTimeRecoveryStatus === 'ENABLED' ? `${kept.value.recovery.RecoveryPeriodInDays ?? RECOVERY_DAYS} days` : undefined)}</td>
					<td>{t.TableStatus}</td>
				</>
			) : (
				<td colSpan={9}>
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

const LOOK = 500; // ms between two looks at what takes a while

/** Deleting asks for the name, and makes a backup before, from which it can be undone. */
export function DeleteTable({ name, done }: { name: string; done: (backup?: string) => void }) {
	const [typed, setTyped] = useState('');
	const [backup, setBackup] = useState(true);
	const [said, setSaid] = useState('');
	const [error, setError] = useState<unknown>();
	const submit = async (e: SubmitEvent) => {
		e.preventDefault();
		setError(undefined);
		try {
			let made: string | undefined;
			if (backup) {
				setSaid('Making a backup…');
				const { BackupDetails } = await dynamodb.send(new CreateBackupCommand({ TableName: name, BackupName: `before-deletion-${Date.now()}` }));
				made = BackupDetails!.BackupArn!;
				const status = async () => (await dynamodb.send(new DescribeBackupCommand({ BackupArn: made }))).BackupDescription?.BackupDetails?.BackupStatus;
				let now = await status();
				for (; now === 'CREATING'; now = await status()) await new Promise((done) => setTimeout(done, LOOK));
				if (now !== 'AVAILABLE') throw new Error('The backup has failed, so nothing is deleted.');
			}
			setSaid('Deleting…');
			await dynamodb.send(new DeleteTableCommand({ TableName: name }));
			done(made);
		} catch (error) {
			setSaid('');
			setError(error);
		}
	};
	return (
		<form class="panel" onSubmit={submit}>
			<label>
				To delete the table and all of its items, type its name
				<input name="confirm" value={typed} onInput={(e) => setTyped(e.currentTarget.value)} autocomplete="off" />
			</label>
			<label>
				<input type="checkbox" name="backup" checked={backup} onChange={(e) => setBackup(e.currentTarget.checked)} /> Make a backup first, so that it can be undone
			</label>
			<button class="danger" disabled={typed !== name || said !== ''}>
				Delete table
			</button>{' '}
			<span role="status">{said}</span>
			<Problem error={error} />
		</form>
	);
}

/** A table that was deleted with a backup can come back. */
function Undo({ name, backup, done }: { name: string; backup: string; done: () => void }) {
	const [said, setSaid] = useState('');
	const [error, setError] = useState<unknown>();
	const restore = async () => {
		setError(undefined);
		setSaid('Restoring…');
		try {
			await dynamodb.send(new RestoreTableFromBackupCommand({ TargetTableName: name, BackupArn: backup }));
			while ((await dynamodb.send(new DescribeTableCommand({ TableName: name }))).Table?.TableStatus === 'CREATING') await new Promise((done) => setTimeout(done, LOOK));
			done();
		} catch (error) {
			setSaid('');
			setError(error);
		}
	};
	return (
		<div class="panel">
			<p>
				<strong>{name}</strong> is deleted. Its backup stays until somebody deletes it. A restored table has its items and indexes; its tags, stream, expiry and past are to be set again.
			</p>
			<button type="button" disabled={said !== ''} onClick={restore}>
				Undo the deletion
			</button>{' '}
			<span role="status">{said}</span>
			<Problem error={error} />
		</div>
	);
}
