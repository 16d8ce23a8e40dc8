// A table's stream as it flows, with what each change changed.
import { DescribeStreamCommand, GetRecordsCommand, GetShardIteratorCommand, type _Record } from '@aws-sdk/client-dynamodb-streams';
import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { useEffect, useState } from 'preact/hooks';
import { streams } from './client';
import { Diff, Problem } from './parts';
import { keyText, type Item } from './values';

const KEPT = 500; // records that stay in the page
const PAUSE = 1000; // ms between two looks

export function Stream({ table }: { table: TableDescription }) {
	const [records, setRecords] = useState<_Record[]>([]);
	const [from, setFrom] = useState<'LATEST' | 'TRIM_HORIZON'>('TRIM_HORIZON');
	const [flowing, setFlowing] = useState(true);
	const [error, setError] = useState<unknown>();
	const [filter, setFilter] = useState('');
	const arn = table.LatestStreamArn;
	useEffect(() => {
		if (!arn || !flowing) return;
		let stopped = false;
		setRecords([]);
		setError(undefined);
		follow(arn, from, () => stopped, (more) => setRecords((r) => [...more, ...r].slice(0, KEPT))).catch((e) => stopped || setError(e));
		return () => {
			stopped = true;
		};
	}, [arn, from, flowing]);
	if (!arn || !table.StreamSpecification?.StreamEnabled) return <p class="note">This table has no stream. UpdateTable with StreamSpecification makes one.</p>;
	const keyTexts = (r: _Record) => Object.values(r.dynamodb?.Keys ?? {}).map((v) => keyText(v as never)).join(' / ');
	const shown = filter ? records.filter((r) => keyTexts(r).includes(filter) || r.eventName === filter) : records;
	return (
		<>
			<p class="bar">
				<label>
					From{' '}
					<select value={from} onChange={(e) => setFrom(e.currentTarget.value as 'LATEST')}>
						<option value="TRIM_HORIZON">the oldest record</option>
						<option value="LATEST">now on</option>
					</select>
				</label>
				<label>
					Only with <input value={filter} placeholder="a part of the key, or INSERT" onInput={(e) => setFilter(e.currentTarget.value)} />
				</label>
				<button type="button" aria-pressed={!flowing} onClick={() => setFlowing(!flowing)}>
					{flowing ? 'Pause' : 'Go on'}
				</button>
				<span role="status">{records.length} records</span>
			</p>
			<Problem error={error} />
			<ol class="records">
				{shown.map((r) => (
					<li key={r.eventID}>
						<details>
							<summary>
								<span class={`event ${r.eventName}`}>{r.eventName}</span> {keyTexts(r)} <small>{r.dynamodb?.ApproximateCreationDateTime?.toISOString()}</small>
								{r.userIdentity && <small> by Time to Live</small>}
							</summary>
							<Diff before={r.dynamodb?.OldImage as Item | undefined} after={r.dynamodb?.NewImage as Item | undefined} />
						</details>
					</li>
				))}
			</ol>
		</>
	);
}

/** Reads all shards in turns until it is told to stop. */
async function follow(arn: string, from: 'LATEST' | 'TRIM_HORIZON', stopped: () => boolean, found: (records: _Record[]) => void): Promise<void> {
	const iterators = new Map<string, string | undefined>();
	let start: string | undefined;
	do {
		const page = (await streams.send(new DescribeStreamCommand({ StreamArn: arn, ExclusiveStartShardId: start }))).StreamDescription;
		for (const shard of page?.Shards ?? [])
			iterators.set(shard.ShardId!, (await streams.send(new GetShardIteratorCommand({ StreamArn: arn, ShardId: shard.ShardId, ShardIteratorType: from }))).ShardIterator);
		start = page?.LastEvaluatedShardId;
	} while (start);
	while (!stopped()) {
		let any = false;
		for (const [shard, iterator] of iterators) {
			if (!iterator || stopped()) continue;
			const page = await streams.send(new GetRecordsCommand({ ShardIterator: iterator, Limit: 100 }));
			iterators.set(shard, page.NextShardIterator);
			if (page.Records?.length && !stopped()) {
				any = true;
				found([...page.Records].reverse());
			}
		}
		if (!any) await new Promise((done) => setTimeout(done, PAUSE));
	}
}
